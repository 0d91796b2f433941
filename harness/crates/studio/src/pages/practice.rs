//! Puzzles to solve.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Extension;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::html;
use serde_json::json;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

use super::refusal::{Refusal, answer, blocking};
use crate::boards::analysis::{Question, lines};
use crate::boards::engines::Cancel;
use crate::boards::scores::chances;
use crate::frame::Framed;
use crate::practice::candidates::{self, Candidate};
use crate::practice::store::Store;
use crate::practice::{Puzzle, Wish};
use crate::security::{Role, Sent};
use crate::server::{self, App};
use harness_assistant::{self as assistant, Context, Intent};
use harness_base::sync::lock;
use harness_ledger::Ledger;
use harness_player::{Go, Score};

/// Nodes with which an engine decides whether a position is a puzzle.
const CHECK: u64 = 60_000;

/// Chances in percent that the second best move must lose.
const UNIQUE: f64 = 25.0;

/// Chances in percent that the best move must have.
const GOOD: f64 = 65.0;

/// Longest search for a puzzle that fits a wish.
const LOOK_FOR: Duration = Duration::from_secs(20);

/// `/practice`.
pub async fn page(Extension(role): Extension<Role>, State(app): State<Arc<App>>) -> Response {
    let control = role == Role::Control;
    let (_, faults) = candidates::of_picked(&picked(&app));
    let content = html! {
        h1 { "Practice" }
        @for fault in &faults { p.soft { (fault) } }
        @if control {
            form.filter-form #practice-form {
                label { "Theme"
                    select name="theme" {
                        @for (theme, name) in [("", "any"), ("mate", "mate"), ("ending", "ending"), ("tactics", "tactics"), ("mistakes", "mistakes"), ("games", "from games played here")] {
                            option value=(theme) { (name) }
                        }
                    }
                }
                label { "Mate in" input name="mate_in" type="number" min="1" max="9"; }
                label { "Piece of an ending"
                    select name="piece" {
                        option value="" { "any" }
                        @for piece in ["pawn", "knight", "bishop", "rook", "queen"] { option { (piece) } }
                    }
                }
                button.button.primary { "Next puzzle" }
            }
            div.board-columns #practice data-csrf=(app.secrets.csrf()) {
                div.board-left { div #board-frame {} p #puzzle-turn role="status" {} }
                div.board-right {
                    p #verdict role="status" aria-live="polite" {}
                    form #answer autocomplete="off" {
                        label { "Your move" input #answer-text placeholder="Nf3, or drag a piece" spellcheck="false"; }
                        div.actions {
                            button.button { "Answer" }
                            button.button type="button" #solution { "Show the solution" }
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
    let framed = Framed { title: "Practice", tab: "/practice", topic: None, role, content };
    server::html(framed.page())
}

fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

fn told(error: impl ToString) -> Refusal {
    Refusal(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}

/// How long the positions of games stay as they were read.
const READ_AGAIN: Duration = Duration::from_secs(60);

/// Positions of the ledger's games with a move to be found, kept for a while.
#[derive(Default)]
pub struct OfGames(Mutex<Option<(Instant, Arc<Vec<Candidate>>)>>);

impl OfGames {
    fn get(&self, reports: &Path) -> Arc<Vec<Candidate>> {
        let mut known = lock(&self.0);
        if let Some((read, found)) = known.as_ref()
            && read.elapsed() < READ_AGAIN
        {
            return Arc::clone(found);
        }
        // Without a ledger there are none.
        let found = Ledger::open_to_read(reports).and_then(|ledger| candidates::of_games(&ledger));
        let found = Arc::new(found.unwrap_or_default());
        *known = Some((Instant::now(), Arc::clone(&found)));
        found
    }
}

/// Where positions are that were picked from the own games.
fn picked(app: &App) -> PathBuf {
    app.reports.join("studio/positions.epd")
}

fn all(app: &App) -> Vec<Candidate> {
    // Faults of files are shown by the page.
    let (mut all, _) = candidates::all(&picked(app));
    all.extend(app.puzzles.get(&app.reports).iter().cloned());
    all
}

/// `POST /practice/next`: a puzzle that is wished for: due ones first, then new ones.
///
/// # Errors
/// When there is none, or the engine fails.
pub async fn next(
    State(app): State<Arc<App>>,
    Query(wish): Query<Wish>,
    _: Sent,
) -> Result<Response, Refusal> {
    blocking(move || {
        let store = Store::open(&app.reports).map_err(told)?;
        let puzzle = find(&app, &store, &wish)?;
        let (rating, tried) = store.rating().map_err(told)?;
        let value = json!({
            "id": puzzle.id, "fen": puzzle.fen, "mate_in": puzzle.mate_in,
            "rating": puzzle.rating().round(), "solver": rating.value.round(),
            "deviation": rating.deviation.round(), "tried": tried,
        });
        Ok(answer(StatusCode::OK, &value))
    })
    .await
}

fn find(app: &App, store: &Store, wish: &Wish) -> Result<Puzzle, Refusal> {
    let (due, tried) = store.due(now()).map_err(told)?;
    let mistakes = store.mistakes().map_err(told)?;
    let only_mistakes = wish.theme == "mistakes";
    let mut all = all(app);
    let tried: BTreeSet<&String> = tried.iter().collect();
    all.retain(|candidate| match only_mistakes {
        true => mistakes.contains(&candidate.id),
        false => due.contains(&candidate.id) || !tried.contains(&candidate.id),
    });
    all.retain(|candidate| wish.theme != "games" || candidate.of_game);
    all.sort_by_key(|candidate| !due.contains(&candidate.id));
    let begun = Instant::now();
    for candidate in all.iter().filter(|candidate| wish.may_be(&candidate.position)) {
        let known = store.checked(&candidate.id, &candidate.fen).map_err(told)?;
        let puzzle = match known {
            Some(puzzle) => puzzle,
            None if begun.elapsed() > LOOK_FOR => break,
            None => {
                let puzzle = check(app, candidate)?;
                store.keep(&candidate.id, &candidate.fen, puzzle.as_ref()).map_err(told)?;
                puzzle
            }
        };
        if let Some(puzzle) = puzzle.filter(|puzzle| wish.is(puzzle)) {
            return Ok(puzzle);
        }
    }
    Err(Refusal(
        StatusCode::NOT_FOUND,
        "no puzzle like this was found; try another theme".to_owned(),
    ))
}

fn question(fen: &str, position: &Chess, lines: u32) -> Question {
    Question {
        start: fen.to_owned(),
        moves: Vec::new(),
        position: position.clone(),
        chess960: false,
        lines,
    }
}

/// Asks the engine whether a candidate has one good move, and how many nodes it takes to find it.
fn check(app: &App, candidate: &Candidate) -> Result<Option<Puzzle>, Refusal> {
    let cancel = Arc::<Cancel>::default();
    let asked = question(&candidate.fen, &candidate.position, 2);
    let found = lines(&app.engines, "builtin", &asked, &Go::Nodes(CHECK), &cancel)?;
    let Some((score, best)) = found.first() else { return Ok(None) };
    let Some(first) = best.moves.first() else { return Ok(None) };
    let second = found.get(1).map_or(0.0, |(score, _)| chances(*score));
    let known = candidate.best.is_empty() || candidate.best.contains(&first.uci);
    let mates_twice = matches!((score, found.get(1)), (Score::Mate(one), Some((Score::Mate(other), _))) if *one > 0 && *other > 0);
    let gap = chances(*score) - second;
    if !known || chances(*score) < GOOD || gap < UNIQUE || mates_twice {
        return Ok(None);
    }
    let mate_in = match score {
        Score::Mate(moves) if *moves > 0 => Some(moves.unsigned_abs()),
        _ => None,
    };
    let nodes = nodes_needed(app, candidate, &first.uci)?;
    let (id, fen, best) = (candidate.id.clone(), candidate.fen.clone(), first.uci.clone());
    Ok(Some(Puzzle { id, fen, best, mate_in, nodes }))
}

/// The smallest power of two of nodes with which, and with every larger one, the move is found.
fn nodes_needed(app: &App, candidate: &Candidate, best: &str) -> Result<u64, Refusal> {
    let cancel = Arc::<Cancel>::default();
    let asked = question(&candidate.fen, &candidate.position, 1);
    let mut needed = CHECK;
    for power in (4..16).rev() {
        let nodes = 1 << power;
        let found = lines(&app.engines, "builtin", &asked, &Go::Nodes(nodes), &cancel)?;
        let first = found.first().and_then(|(_, line)| line.moves.first());
        if first.is_none_or(|first| first.uci != best) {
            break;
        }
        needed = nodes;
    }
    Ok(needed)
}

/// `POST /practice/answer`: judges a move; with `give_up` shows the solution.
///
/// # Errors
/// When there is no such puzzle, the move is illegal, or the engine fails.
pub async fn judge(State(app): State<Arc<App>>, sent: Sent) -> Result<Response, Refusal> {
    blocking(move || {
        let store = Store::open(&app.reports).map_err(told)?;
        let id = sent.get("id");
        let missing = || Refusal(StatusCode::NOT_FOUND, format!("there is no puzzle `{id}`"));
        let candidate =
            all(&app).into_iter().find(|candidate| candidate.id == id).ok_or_else(missing)?;
        let puzzle =
            store.checked(id, &candidate.fen).map_err(told)?.flatten().ok_or_else(missing)?;
        let mut position = candidate.position;
        let mut played = 0;
        for text in sent.get("moves").split(' ').filter(|text| !text.is_empty()) {
            play(&mut position, text)?;
            played += 1;
        }
        let gave_up = !sent.get("give_up").is_empty();
        let verdict = if gave_up {
            Verdict::Wrong
        } else {
            let uci = read(&position, sent.get("move"))?;
            verdict(&app, &puzzle, &position, played, &uci)?
        };
        Ok(answer(StatusCode::OK, &told_verdict(&store, &puzzle, &position, verdict)?))
    })
    .await
}

/// What came of a move.
enum Verdict {
    /// The puzzle is solved; the position after the move.
    Solved(Chess, String),
    /// It is right; the position after the reply, the move and the reply.
    Right(Chess, String, String),
    Wrong,
}

fn play(position: &mut Chess, uci: &str) -> Result<(), Refusal> {
    let illegal = || Refusal::wrong(format!("`{uci}` is not a legal move"));
    let parsed: UciMove = uci.parse().map_err(|_| illegal())?;
    let legal = parsed.to_move(position).map_err(|_| illegal())?;
    position.play_unchecked(legal);
    Ok(())
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
        (Intent::Move, Some(uci)) => Ok(uci.to_owned()),
        _ => Err(Refusal::wrong(format!("`{text}` is not a legal move here"))),
    }
}

/// Of a mate every move that keeps it in time is right; otherwise only the best one.
fn verdict(
    app: &App,
    puzzle: &Puzzle,
    position: &Chess,
    played: u32,
    uci: &str,
) -> Result<Verdict, Refusal> {
    let mut after = position.clone();
    play(&mut after, uci)?;
    if after.is_checkmate() {
        return Ok(Verdict::Solved(after, uci.to_owned()));
    }
    let Some(mate_in) = puzzle.mate_in else {
        let right = uci == puzzle.best;
        return Ok(if right { Verdict::Solved(after, uci.to_owned()) } else { Verdict::Wrong });
    };
    // Each of the solver's moves so far was followed by a reply.
    let left = mate_in.saturating_sub(played / 2 + 1);
    let fen = Fen::from_position(&after, EnPassantMode::Legal).to_string();
    let asked = question(&fen, &after, 1);
    let cancel = Arc::<Cancel>::default();
    let found = lines(&app.engines, "builtin", &asked, &Go::Nodes(CHECK), &cancel)?;
    let Some((Score::Mate(moves), line)) = found.first() else { return Ok(Verdict::Wrong) };
    let in_time = *moves <= 0 && moves.unsigned_abs() <= left;
    let Some(reply) = line.moves.first().filter(|_| in_time) else { return Ok(Verdict::Wrong) };
    play(&mut after, &reply.uci)?;
    Ok(Verdict::Right(after, uci.to_owned(), reply.uci.clone()))
}

fn told_verdict(
    store: &Store,
    puzzle: &Puzzle,
    position: &Chess,
    verdict: Verdict,
) -> Result<serde_json::Value, Refusal> {
    let fen = |position: &Chess| Fen::from_position(position, EnPassantMode::Legal).to_string();
    let record = |solved| store.record(puzzle, solved, now()).map_err(told);
    Ok(match verdict {
        Verdict::Right(after, uci, reply) => {
            json!({ "verdict": "right", "fen": fen(&after), "move": uci, "reply": reply })
        }
        Verdict::Solved(after, uci) => {
            let rating = record(true)?;
            json!({ "verdict": "solved", "fen": fen(&after), "move": uci, "solver": rating.value.round() })
        }
        Verdict::Wrong => {
            let rating = record(false)?;
            let san = san(&puzzle.fen, &puzzle.best);
            json!({
                "verdict": "wrong", "fen": fen(position), "best": puzzle.best, "san": san,
                "solver": rating.value.round(),
            })
        }
    })
}

fn san(fen: &str, uci: &str) -> String {
    let position = fen.parse::<Fen>().ok();
    let position: Option<Chess> =
        position.and_then(|fen| fen.into_position(CastlingMode::Standard).ok());
    let found = position.and_then(|position| {
        let legal = uci.parse::<UciMove>().ok()?.to_move(&position).ok()?;
        Some(SanPlus::from_move(position, legal).to_string())
    });
    found.unwrap_or_else(|| uci.to_owned())
}
