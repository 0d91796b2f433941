//! Puzzles to solve.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Extension, Router};
use maud::{Markup, html};
use serde_json::{Value, json};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

use super::ask::prepare;
use super::refusal::{Refusal, answer, blocking};
use crate::form::Form;
use crate::frame::{self, FramedPage};
use crate::practice::answer::{Verdict, find, play, verdict};
use crate::practice::candidates::{self, Candidate};
use crate::practice::choose::next_puzzle;
use crate::practice::error::PracticeError;
use crate::practice::query::{LONGEST_MATE, PIECES, THEMES};
use crate::practice::store::Store;
use crate::practice::{Puzzle, PuzzleQuery};
use crate::role::Role;
use crate::state::App;
use harness_assistant::{self as assistant, Confirm, Context, Intent, Slots};
use harness_report::html::{as_sentence, with_code};

/// The routes of these pages.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/practice", get(page))
        .route("/practice/next", post(next))
        .route("/practice/answer", post(submit))
}

/// `/practice`, `/practice?theme=mate&mate_in=2`: puzzles of this kind.
pub async fn page(
    Extension(role): Extension<Role>,
    State(app): State<Arc<App>>,
    Query(fields): Query<Vec<(String, String)>>,
) -> Response {
    let control = role == Role::Control;
    if control {
        prepare();
    }
    let (_, faults) = candidates::of_picked(&candidates::picked_path(&app.reports));
    let (query, unread) = PuzzleQuery::read(&Form::new(fields));
    let content = html! {
        h1 { "Practice" }
        @for fault in &faults { p.soft { (with_code(fault)) } }
        @for fault in &unread { p.flash.error role="alert" { (with_code(&as_sentence(fault))) ": it is left out." } }
        @if control {
            noscript { p { "Puzzles need JavaScript, which is switched off in this browser." } }
            (wish_form(&query))
            div.board-columns.needs-script #practice data-csrf=(app.secrets.csrf()) {
                div.board-left { div #board-frame {} p #puzzle-turn role="status" {} }
                div.board-right {
                    p #verdict role="status" aria-live="polite" {}
                    form #answer autocomplete="off" {
                        label { "Your move" input #answer-text placeholder="Nf3, or drag a piece" spellcheck="false"; }
                        div.actions {
                            button.button { "Answer" }
                            button.button type="button" #solution { "Show the solution" }
                            button.button type="button" #analyse-puzzle hidden { "Analyse" }
                        }
                    }
                    p.soft #solver {}
                    p.soft #puzzle-source {}
                }
            }
        } @else {
            p { "Puzzles are solved with the address that allows to change something." }
        }
    };
    let framed = FramedPage { title: "Practice", tab: "/practice", topic: None, role, content };
    frame::response(framed.page())
}

/// The form of the kind of puzzle.
fn wish_form(query: &PuzzleQuery) -> Markup {
    html! {
        form.filter-form.needs-script #practice-form {
            label { "Theme"
                select name="theme" {
                    @for (theme, name) in THEMES {
                        option value=(theme) selected[theme == query.theme] { (name) }
                    }
                }
            }
            label { "Mate in" input name="mate_in" type="number" min="1" max=(LONGEST_MATE) value=[query.mate_in]; }
            label { "Piece of an ending"
                select name="piece" {
                    @for piece in PIECES {
                        option value=(piece) selected[piece == query.piece] { @if piece.is_empty() { "any" } @else { (piece) } }
                    }
                }
            }
            button.button.primary { "Next puzzle" }
        }
    }
}

fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

impl From<PracticeError> for Refusal {
    fn from(error: PracticeError) -> Refusal {
        let status = match error {
            PracticeError::Store(_) => StatusCode::INTERNAL_SERVER_ERROR,
            PracticeError::Engine(_) | PracticeError::IllegalMove(_) => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            PracticeError::UnknownPuzzle(_) | PracticeError::NoneFits => StatusCode::NOT_FOUND,
        };
        Refusal(status, error.to_string())
    }
}

fn store(app: &App) -> Result<Store, PracticeError> {
    Ok(Store::open(&app.reports)?)
}

/// All candidates. Faults of files are shown by the page.
fn candidates(app: &App) -> Vec<Candidate> {
    app.puzzles.with_all(&app.reports)
}

/// `POST /practice/next`: a puzzle that is wished for: due ones first, then new ones.
///
/// # Errors
/// When the wish is not understood, there is none, or the engine fails.
pub async fn next(
    State(app): State<Arc<App>>,
    Query(fields): Query<Vec<(String, String)>>,
    _: Form,
) -> Result<Response, Refusal> {
    let (query, unread) = PuzzleQuery::read(&Form::new(fields));
    if !unread.is_empty() {
        return Err(Refusal::wrong(unread.join("; ")));
    }
    blocking(move || {
        let store = store(&app)?;
        let puzzle = next_puzzle(&app.engines, &store, candidates(&app), &query, now())?;
        let (rating, tried) = store.rating().map_err(PracticeError::from)?;
        let value = json!({
            "id": puzzle.id, "fen": puzzle.fen, "mate_in": puzzle.mate_in,
            "legal": position_of(&puzzle.fen).as_ref().map(legal_moves).unwrap_or_default(),
            "rating": puzzle.rating().round(), "solver": rating.value.round(),
            "deviation": rating.deviation.round(), "tried": tried,
        });
        Ok(answer(StatusCode::OK, &value))
    })
    .await
}

/// `POST /practice/answer`: the verdict on a move; with `give_up` the solution.
///
/// # Errors
/// When there is no such puzzle, the move is illegal, or the engine fails.
pub async fn submit(State(app): State<Arc<App>>, form: Form) -> Result<Response, Refusal> {
    blocking(move || {
        if let Some(wish) = next_wish(form.get("move")) {
            return Ok(answer(StatusCode::OK, &json!({ "verdict": "next", "wish": wish })));
        }
        if !form.get("over").is_empty() {
            return Err(Refusal::wrong("this puzzle is over: “another one” shows the next"));
        }
        let store = store(&app)?;
        let (candidate, puzzle) = find(&store, candidates(&app), form.get("id"))?;
        let mut position = candidate.position;
        let mut played = 0;
        for text in form.get("moves").split(' ').filter(|text| !text.is_empty()) {
            play(&mut position, text)?;
            played += 1;
        }
        let gave_up = !form.get("give_up").is_empty();
        let (uci, verdict) = if gave_up {
            (String::new(), Verdict::Wrong)
        } else {
            let uci = read(&position, form.get("move"))?;
            let verdict = verdict(&app.engines, &puzzle, &position, played, &uci)?;
            (uci, verdict)
        };
        let shown = verdict_json(&store, &puzzle, &position, (&uci, gave_up), verdict)?;
        Ok(answer(StatusCode::OK, &shown))
    })
    .await
}

/// What kind of puzzle a sentence wants next, "another one please", "a mate in 3": empty for one like the last; `None` of
/// a sentence that wants none.
fn next_wish(text: &str) -> Option<Slots> {
    let understood = assistant::understand(text, &Context::default());
    let slots = understood.slots;
    let is = |name: &str, value: &str| slots.get(name).and_then(Value::as_str) == Some(value);
    let is_same = match understood.intent {
        Intent::Practice => is("theme", "tactics"),
        Intent::NewGame if slots.is_empty() => true,
        Intent::GoTo if is("place", "next") => true,
        _ => return None,
    };
    let wish = if is_same { Slots::new() } else { slots };
    // "Another one would be lovely": an ordinary word more is no other wish.
    let is_clear = understood.unread.is_empty() || understood.confirm != Confirm::Always;
    is_clear.then_some(wish)
}

/// The move of a text, as written or said.
fn read(position: &Chess, text: &str) -> Result<String, Refusal> {
    let legal = position.legal_moves().into_iter().map(|legal| {
        let uci = legal.to_uci(CastlingMode::Standard).to_string();
        (uci, SanPlus::from_move(position.clone(), legal).to_string())
    });
    let context = Context { legal: legal.collect(), ..Context::default() };
    let understood = assistant::understand(text, &context);
    let uci = understood.slots.get("uci").and_then(|uci| uci.as_str());
    match (understood.intent, uci) {
        (Intent::Move, Some(uci)) if understood.unread.is_empty() => Ok(uci.to_owned()),
        (Intent::Move, Some(_)) => {
            Err(Refusal::wrong(format!("`{}` is meant? Then enter it", understood.shown)))
        }
        (Intent::Move, None) if understood.slots.contains_key("which") => {
            Err(Refusal::wrong(understood.shown))
        }
        (Intent::Unknown, _) if !understood.shown.starts_with("not understood") => {
            Err(Refusal::wrong(understood.shown))
        }
        _ => Err(Refusal::wrong(format!("`{text}` is not a legal move here"))),
    }
}

/// Records the answer, and gives what the page shows of it.
fn verdict_json(
    store: &Store,
    puzzle: &Puzzle,
    position: &Chess,
    (uci, gave_up): (&str, bool),
    verdict: Verdict,
) -> Result<Value, PracticeError> {
    let fen = |position: &Chess| Fen::from_position(position, EnPassantMode::Legal).to_string();
    Ok(match verdict {
        Verdict::Right { after, reply } => {
            json!({
                "verdict": "right", "fen": fen(&after), "move": uci, "reply": reply,
                "legal": legal_moves(&after),
            })
        }
        Verdict::Solved { after } => {
            let rating = store.record(puzzle, true, now())?;
            json!({
                "verdict": "solved", "fen": fen(&after), "move": uci,
                "solver": rating.value.round(), "deviation": rating.deviation.round(),
            })
        }
        Verdict::Wrong => {
            let rating = match gave_up {
                true => store.record_shown(puzzle, now())?,
                false => store.record(puzzle, false, now())?,
            };
            let san = san(&puzzle.fen, &puzzle.best);
            json!({
                "verdict": "wrong", "fen": fen(position), "best": puzzle.best, "san": san,
                "solver": rating.value.round(), "deviation": rating.deviation.round(),
                "shown": gave_up,
            })
        }
    })
}

fn position_of(fen: &str) -> Option<Chess> {
    fen.parse::<Fen>().ok()?.into_position(CastlingMode::Standard).ok()
}

/// The legal moves in UCI notation, which the board marks.
fn legal_moves(position: &Chess) -> Vec<String> {
    let moves = position.legal_moves().into_iter();
    moves.map(|legal| legal.to_uci(CastlingMode::Standard).to_string()).collect()
}

fn san(fen: &str, uci: &str) -> String {
    let found = position_of(fen).and_then(|position| {
        let legal = uci.parse::<UciMove>().ok()?.to_move(&position).ok()?;
        Some(SanPlus::from_move(position, legal).to_string())
    });
    found.unwrap_or_else(|| uci.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_puzzle_is_wished_in_words() {
        for text in ["another one please", "next puzzle", "next", "another puzzle"] {
            assert_eq!(next_wish(text), Some(Slots::new()), "{text}");
        }
        let mate = next_wish("a mate in 3 please").expect("a puzzle");
        assert_eq!(json!(mate), json!({ "theme": "mate", "mate_in": 3 }));
        for text in ["Nf3", "knight f3", "another one without a fork", "resign"] {
            assert_eq!(next_wish(text), None, "{text}");
        }
    }
}
