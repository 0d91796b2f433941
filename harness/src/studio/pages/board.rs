//! A board: played on, analysed, annotated.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{Stream, unfold};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};
use shakmaty::Position;
use shakmaty::san::SanPlus;
use tokio::sync::broadcast::error::RecvError;

use super::boards::game_fields;
use crate::data::eco;
use crate::data::tree::{GameTree, NodeId};
use crate::studio::boards::act::Action;
use crate::studio::boards::advice::{self, Wish};
use crate::studio::boards::analysis;
use crate::studio::boards::board::Board;
use crate::studio::boards::game::ending;
use crate::studio::boards::opponent::wake;
use crate::studio::boards::review::{self, question};
use crate::studio::boards::{insight, record};
use crate::studio::error::StudioError;
use crate::studio::frame::Framed;
use crate::studio::games::files::Uploaded;
use crate::studio::security::{Role, Sent};
use crate::studio::server::{self, App};

/// Shortest time between two updates of an analysis: 22 a second.
const UPDATE: Duration = Duration::from_millis(45);

/// Most engines side by side.
const MOST_ENGINES: usize = 4;

/// Most lines of an engine.
const MOST_LINES: u32 = 8;

/// Nodes a position of a review where nothing else is asked.
const REVIEW_NODES: u64 = 100_000;

/// A refusal that a script shows.
pub struct Refusal(pub StatusCode, pub String);

impl Refusal {
    /// Of a form or an address that is not understood.
    pub fn wrong(reason: impl Into<String>) -> Refusal {
        Refusal(StatusCode::UNPROCESSABLE_ENTITY, reason.into())
    }
}

impl From<String> for Refusal {
    fn from(reason: String) -> Refusal {
        Refusal::wrong(reason)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        answer(self.0, &json!({ "error": self.1 }))
    }
}

/// An answer in JSON.
pub fn answer(status: StatusCode, value: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

/// The board of an address.
///
/// # Errors
/// When there is none.
pub fn find(app: &App, id: &str) -> Result<Arc<Board>, Refusal> {
    let missing = || Refusal(StatusCode::NOT_FOUND, format!("there is no board `{id}`"));
    app.shelf.get(id)?.ok_or_else(missing)
}

/// Runs what may wait for an engine or the disk.
///
/// # Errors
/// As `work`.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

/// `/board/ID`.
///
/// # Errors
/// When there is no such board.
pub async fn page(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Path(id): Path<String>,
) -> Result<Response, StudioError> {
    let missing = || StudioError::NotFound(format!("board `{id}`"));
    let board = app.shelf.get(&id).map_err(StudioError::Form)?.ok_or_else(missing)?;
    let control = role == Role::Control;
    let content = html! {
        h1.visually-hidden { "Board" }
        div #board-page data-board=(id) data-csrf=[control.then(|| app.secrets.csrf())] {
            script type="application/json" #board-state { (maud::PreEscaped(in_script(&board.view()))) }
            @if control { (ask()) }
            div.board-columns {
                div.board-left {
                    div.player.top { span.name {} span.clock {} }
                    div.board-and-bar {
                        div #evaluation-bar role="meter" aria-label="White's chances" aria-valuemin="0" aria-valuemax="100" aria-valuenow="50" hidden { div {} }
                        div #board-frame {}
                    }
                    div.player.bottom { span.name {} span.clock {} }
                    (buttons(control))
                    p #board-line.viewer-line role="status" {}
                }
                div.board-right {
                    div #opening-name.soft {}
                    div #move-tree.moves-box.scroll role="group" aria-label="Moves" {}
                    @if control { (annotate()) }
                    div.legal-box { p #legal-note.soft {} p #tablebase.soft {} }
                    @if control { (engines()) }
                    (panels(control, &app.pgn.uploaded()))
                }
            }
            p.visually-hidden #spoken aria-live="polite" {}
        }
    };
    let framed = Framed { title: "Board", tab: "/boards", topic: None, role, content };
    Ok(server::html(framed.page()))
}

/// JSON inside a script element: nothing in it may end the element.
fn in_script(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

fn ask() -> Markup {
    html! {
        form #ask autocomplete="off" role="search" aria-label="Moves and commands" {
            input #ask-text name="text" spellcheck="false" aria-label="Move or command" placeholder="A move or a wish: Nf3 · play the caro kann · hint · sprt head against main";
            button.button { "Do" }
            button.button #listen type="button" hidden { "Listen" }
            output #understood for="ask-text" {}
        }
    }
}

fn buttons(control: bool) -> Markup {
    let moves = [
        ("first", "First"),
        ("back", "Back"),
        ("forward", "Forward"),
        ("last", "Last"),
        ("flip", "Turn board"),
    ];
    let game = [
        ("takeback", "Take back"),
        ("hint", "Hint"),
        ("threat", "Threat"),
        ("draw", "Draw"),
        ("resign", "Resign"),
    ];
    html! {
        div.viewer-buttons.board-buttons role="group" aria-label="Places in the game" {
            @for (what, name) in moves { button.button type="button" data-go=(what) { (name) } }
        }
        @if control {
            div.viewer-buttons.board-buttons role="group" aria-label="Game" {
                @for (what, name) in game { button.button type="button" data-do=(what) { (name) } }
            }
        }
    }
}

/// Signs of moves: the glyph's number, the sign, its name.
const SIGNS: [(u8, &str, &str); 6] = [
    (3, "!!", "brilliant"),
    (1, "!", "good"),
    (5, "!?", "interesting"),
    (6, "?!", "dubious"),
    (2, "?", "mistake"),
    (4, "??", "blunder"),
];

fn annotate() -> Markup {
    html! {
        details #annotate {
            summary { "Annotate" }
            div.viewer-buttons role="group" aria-label="Signs" {
                @for (nag, sign, name) in SIGNS {
                    button.button type="button" data-nag=(nag) aria-label=(name) title=(name) aria-pressed="false" { (sign) }
                }
            }
            label { "Comment" textarea #comment rows="2" maxlength="4000" {} }
            label { "Clock" input #clock-after placeholder="0:05:00" spellcheck="false"; }
            div.actions {
                button.button type="button" #save-comment { "Save comment and clock" }
                button.button type="button" data-edit="promote" { "First variation" }
                button.button type="button" data-edit="mainline" { "Main line" }
                button.button.danger type="button" data-edit="delete" { "Delete from here" }
                button.button type="button" #mark-move { "Arrow of this move" }
                button.button type="button" #clear-marks { "No arrows" }
            }
            p.soft { "Arrows: hold Shift and drag from square to square." }
            form.filter-form #tags-form {
                @for name in ["White", "Black", "Event", "Site", "Date", "Round"] {
                    label { (name) input name=(name) maxlength="200" spellcheck="false"; }
                }
                label { "Result"
                    select name="Result" { @for result in ["*", "1-0", "0-1", "1/2-1/2"] { option { (result) } } }
                }
                button.button { "Save tags" }
            }
        }
    }
}

fn engines() -> Markup {
    html! {
        details #analysis {
            summary { "Analysis" }
            form.filter-form #analysis-form {
                label { "Engines" input #engines name="engines" value="builtin" list="players"; }
                label { "Lines" input #lines name="lines" type="number" min="1" max=(MOST_LINES) value="2"; }
                button.button #review type="button" { "Review the game" }
                label { input type="checkbox" #show-seen; " What the network sees" }
            }
            p #seen-note.soft hidden {}
            div #engine-lines {}
            div #mistakes {}
        }
    }
}

/// The form of games between engines from the position that is shown.
fn play_out() -> Markup {
    html! {
        form.filter-form #playout-form {
            label { "Games from here" input name="games" type="number" min="2" max="100000" value="100"; }
            label { "Between" input name="engine" value="builtin" list="players" required; }
            label { "and" input name="against" value="builtin" list="players" required; }
            label { "Time a move" input name="movetime" value="50ms" required; }
            button.button { "Play them" }
        }
    }
}

fn panels(control: bool, files: &[Uploaded]) -> Markup {
    html! {
        details #explorer {
            summary { "Explorer" }
            label { "Games" input #explorer-source list="pgn-files" placeholder="of the ledger, or a PGN file" spellcheck="false"; }
            datalist #pgn-files { @for file in files { option value=(file.name) {} } }
            div #explorer-rows {}
            @if control { (play_out()) }
        }
        @if control {
            details #editor {
                summary { "Edit position" }
                div #palette role="radiogroup" aria-label="Piece" {}
                label { "FEN" input #edit-fen spellcheck="false"; }
                div.actions {
                    button.button type="button" data-preset="start" { "Start position" }
                    button.button type="button" data-preset="empty" { "Empty" }
                    button.button type="button" data-preset="turn" { "Other side to move" }
                    button.button.primary type="button" #use-position { "Use this position" }
                }
            }
            details #new-game {
                summary { "New game" }
                form.filter-form #new-game-form {
                    (game_fields())
                    label { input type="checkbox" name="here" value="yes"; " From this position" }
                    button.button.primary { "Play" }
                }
            }
        }
        details #share {
            summary { "Share and export" }
            div.viewer-exports {
                input #board-fen readonly aria-label="FEN" spellcheck="false";
                button.button type="button" #copy-fen { "Copy FEN" }
                button.button type="button" #copy-pgn { "Copy PGN" }
                button.button type="button" #copy-link { "Copy link" }
                button.button type="button" #copy-position-link { "Copy link to the position" }
                a.button href={ "game.pgn" } #download-pgn download="game.pgn" { "PGN file" }
            }
            @if control {
                div.actions {
                    @for (side, other) in [("white", "Black"), ("black", "White")] {
                        button.button type="button" data-invite=(side) { "Copy link to play " (side) ", and play " (other) }
                    }
                }
                label { "PGN to load" textarea #pgn rows="4" spellcheck="false" {} }
                label { "or a file" input #pgn-file type="file" accept=".pgn,.txt"; }
                div.actions { button.button type="button" #load-pgn { "Load" } }
                p.soft { "Files with many games: " a href="/pgn" { "PGN files" } "." }
            }
        }
        details #settings {
            summary { "Speech" }
            label { input type="checkbox" #speak; " Say moves and answers" }
        }
    }
}

/// `/board/ID/events`: the state after every change.
///
/// # Errors
/// When there is no such board.
pub async fn events(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Refusal> {
    let board = find(&app, &id)?;
    let (first, receiver) = board.listen();
    let events =
        unfold((Some(first), receiver, board), |(first, mut receiver, board)| async move {
            let data = match first {
                Some(first) => first,
                None => match receiver.recv().await {
                    Ok(view) => view.to_string(),
                    Err(RecvError::Closed) => return None,
                    // It was too slow: the newest state replaces what it missed.
                    Err(RecvError::Lagged(_)) => {
                        let (newest, again) = board.listen();
                        receiver = again;
                        newest
                    }
                },
            };
            Some((Ok(Event::default().event("board").data(data)), (None, receiver, board)))
        });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// `POST /board/ID/do/WHAT`: a change; the answer is the new state.
///
/// # Errors
/// When it cannot be made.
pub async fn act(
    State(app): State<Arc<App>>,
    Path((id, what)): Path<(String, String)>,
    sent: Sent,
) -> Result<Response, Refusal> {
    let board = find(&app, &id)?;
    if what == "review" {
        let engine = Some(sent.get("engine")).filter(|name| !name.is_empty()).unwrap_or("builtin");
        let nodes = sent.get("nodes").parse().unwrap_or(REVIEW_NODES);
        review::begin(&board, &app.engines, engine.to_owned(), nodes);
        return Ok(answer(StatusCode::OK, &board.view()));
    }
    if what == "remove" {
        app.shelf.delete(&id)?;
        return Ok(answer(StatusCode::OK, &json!({ "removed": id })));
    }
    let action = Action::read(&what, &sent)?;
    blocking(move || {
        let view = board.change(|state| state.act(action))?;
        record::keep(&board, &app.reports);
        wake(&board, &app.engines);
        Ok(answer(StatusCode::OK, &view))
    })
    .await
}

/// `/board/ID/at/NODE`: the legal moves of a position, its opening, and whether it is an end.
///
/// # Errors
/// When there is no such node.
pub async fn at(
    State(app): State<Arc<App>>,
    Path((id, node)): Path<(String, u32)>,
) -> Result<Response, Refusal> {
    let board = find(&app, &id)?;
    let state = board.state();
    let mut facts = facts(&state.tree, NodeId(node))?;
    let position = &state.tree.node(NodeId(node)).map_err(|error| error.to_string())?.position;
    facts["tablebase"] = json!(insight::tablebase(&app.tablebases, position));
    Ok(answer(StatusCode::OK, &facts))
}

/// `/board/ID/seen?node=N`: what each piece is worth to the built-in engine's evaluation.
///
/// # Errors
/// When there is no such node.
pub async fn seen(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    let board = find(&app, &id)?;
    blocking(move || {
        let asked_of = question(&board.state().tree, NodeId(asked.node), 1)?;
        Ok(answer(StatusCode::OK, &json!(insight::seen(&asked_of.position))))
    })
    .await
}

/// Legal moves, opening and ending of a position.
///
/// # Errors
/// When there is no such node.
pub fn facts(tree: &GameTree, id: NodeId) -> Result<Value, Refusal> {
    let node = tree.node(id).map_err(|error| Refusal::wrong(error.to_string()))?;
    let asked = question(tree, id, 1)?;
    let mode = shakmaty::CastlingMode::from_chess960(tree.is_chess960());
    let legal = node.position.legal_moves().into_iter().map(|legal| {
        let uci = legal.to_uci(mode).to_string();
        let san = SanPlus::from_move(node.position.clone(), legal).to_string();
        json!({ "uci": uci, "san": san })
    });
    let start = (!tree.is_usual_start()).then_some(asked.start.as_str());
    let opening = eco::named(start, tree.is_chess960(), &asked.moves);
    let over = ending(tree, id).map_err(|error| Refusal::wrong(error.to_string()))?;
    Ok(json!({
        "node": id.0, "legal": legal.collect::<Vec<_>>(), "opening": opening,
        "over": over.map(|(result, why)| json!({ "result": result, "why": why })),
    }))
}

/// What an analysis is asked.
#[derive(Deserialize)]
pub struct Asked {
    #[serde(default)]
    node: u32,
    #[serde(default)]
    engines: String,
    #[serde(default)]
    lines: u32,
}

impl Asked {
    fn names(&self) -> Vec<String> {
        let names = self.engines.split(',').map(str::trim).filter(|name| !name.is_empty());
        let names: Vec<String> = names.take(MOST_ENGINES).map(str::to_owned).collect();
        if names.is_empty() { vec!["builtin".to_owned()] } else { names }
    }
}

fn only_control(role: Role) -> Result<(), Refusal> {
    match role {
        Role::Control => Ok(()),
        Role::View => Err(Refusal(StatusCode::FORBIDDEN, StudioError::ReadOnly.to_string())),
    }
}

/// `/board/ID/analysis?node=N&engines=A,B&lines=L`: what engines find, until the page leaves.
///
/// # Errors
/// When there is no such node, or the page may only look.
pub async fn analysis(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Path(id): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Refusal> {
    only_control(role)?;
    let board = find(&app, &id)?;
    let lines = asked.lines.clamp(1, MOST_LINES);
    let asked_of = question(&board.state().tree, NodeId(asked.node), lines)?;
    let analysis = analysis::begin(&app.engines, &asked.names(), &asked_of);
    let events = unfold(analysis, |mut analysis| async move {
        analysis.found.changed().await.ok()?;
        let text = serde_json::to_string(&*analysis.found.borrow_and_update());
        let text = text.expect("plain data");
        tokio::time::sleep(UPDATE).await;
        Some((Ok(Event::default().event("lines").data(text)), analysis))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// `/board/ID/advice/WISH?node=N`: an answer from one search.
///
/// # Errors
/// When there is no such node or wish, the engine fails, or the page may only look.
pub async fn advice(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Path((id, wish)): Path<(String, String)>,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    only_control(role)?;
    let board = find(&app, &id)?;
    let wish = Wish::parse(&wish).ok_or_else(|| Refusal::wrong(format!("there is no `{wish}`")))?;
    blocking(move || {
        let asked_of = question(&board.state().tree, NodeId(asked.node), 1)?;
        let name = asked.names().swap_remove(0);
        let advice = advice::answer(&app.engines, &name, wish, asked_of)?;
        Ok(answer(StatusCode::OK, &serde_json::to_value(advice).expect("plain data")))
    })
    .await
}

/// `/board/ID/game.pgn`.
///
/// # Errors
/// When there is no such board.
pub async fn pgn(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Response, Refusal> {
    let board = find(&app, &id)?;
    let text = board.state().tree.to_pgn();
    let kind = [(header::CONTENT_TYPE, "application/x-chess-pgn; charset=utf-8")];
    Ok((kind, text).into_response())
}
