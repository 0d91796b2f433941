//! Requests of a board's script: changes, positions, analyses, advice, PGN.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::stream::{Stream, unfold};
use serde::Deserialize;
use serde_json::{Value, json};
use shakmaty::Position;
use shakmaty::san::SanPlus;
use tokio::sync::broadcast::error::RecvError;

use super::refusal::{Refusal, answer, blocking, find};
use crate::boards::action::Action;
use crate::boards::advice::{self, Wish};
use crate::boards::analysis::{self, MAX_ENGINES, MAX_LINES};
use crate::boards::game::ending;
use crate::boards::opponent::wake;
use crate::boards::review::{self, question};
use crate::boards::{insight, record};
use crate::error::StudioError;
use crate::form::Form;
use crate::role::Role;
use crate::state::App;
use harness_games::eco;
use harness_games::pasted::{Pasted, read_pasted};
use harness_games::tree::{GameTree, NodeId};

/// Shortest time between two updates of an analysis: 22 a second.
const UPDATE_INTERVAL: Duration = Duration::from_millis(45);

/// Nodes a position of a review where nothing else is asked.
const REVIEW_NODES: u64 = 100_000;

/// The routes of these pages.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/board/{id}/events", get(events))
        .route("/board/{id}/seen", get(seen))
        .route("/board/{id}/do/{what}", post(act))
        .route("/board/{id}/read", post(read))
        .route("/board/{id}/at/{node}", get(at))
        .route("/board/{id}/advice/{wish}", get(advice))
        .route("/board/{id}/analysis", get(analysis))
        .route("/board/{id}/game.pgn", get(pgn))
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
    sent: Form,
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
    if sent.get("replace") != "yes"
        && let Some(lost) = action.replaces(&board.state())
    {
        let error = format!("The board has {lost}, which would be replaced.");
        let value = json!({ "error": error, "replaces": lost });
        return Ok(answer(StatusCode::CONFLICT, &value));
    }
    blocking(move || {
        let view = board.change(|state| state.act(action))?;
        record::keep(&board, &app.reports);
        wake(&board, &app.engines);
        Ok(answer(StatusCode::OK, &view))
    })
    .await
}

/// `POST /board/ID/read`: what a text is, and what of the board it would replace. Nothing is changed.
///
/// # Errors
/// When the text holds neither a game nor a position; in words for people.
pub async fn read(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    sent: Form,
) -> Result<Response, Refusal> {
    let board = find(&app, &id)?;
    let text = sent.get("text").to_owned();
    let game = sent.get("game").parse().unwrap_or(1);
    blocking(move || {
        let Pasted { read, left, titles, count, .. } =
            read_pasted(text.as_bytes(), game).map_err(String::from)?;
        let replaces = board.state().holds();
        let value = json!({
            "read": read, "left": left, "titles": titles, "count": count, "replaces": replaces,
        });
        Ok(answer(StatusCode::OK, &value))
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
    Query(asked): Query<AnalysisQuery>,
) -> Result<Response, Refusal> {
    let board = find(&app, &id)?;
    blocking(move || {
        let asked_of = question(&board.state().tree, NodeId(asked.node), 1)?;
        Ok(answer(StatusCode::OK, &json!(insight::evaluation(&asked_of.position))))
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
    let opening = eco::find_opening(start, tree.is_chess960(), &asked.moves);
    let over = ending(tree, id).map_err(|error| Refusal::wrong(error.to_string()))?;
    Ok(json!({
        "node": id.0, "legal": legal.collect::<Vec<_>>(), "opening": opening,
        "over": over.map(|(result, why)| json!({ "result": result, "why": why })),
    }))
}

/// Query of an analysis.
#[derive(Deserialize)]
pub struct AnalysisQuery {
    #[serde(default)]
    node: u32,
    #[serde(default)]
    engines: String,
    #[serde(default)]
    lines: u32,
}

impl AnalysisQuery {
    fn names(&self) -> Vec<String> {
        let names = self.engines.split(',').map(str::trim).filter(|name| !name.is_empty());
        let names: Vec<String> = names.take(MAX_ENGINES).map(str::to_owned).collect();
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
    Query(asked): Query<AnalysisQuery>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Refusal> {
    only_control(role)?;
    let board = find(&app, &id)?;
    let lines = asked.lines.clamp(1, MAX_LINES);
    let asked_of = question(&board.state().tree, NodeId(asked.node), lines)?;
    let analysis = analysis::begin(&app.engines, &asked.names(), &asked_of);
    let events = unfold(analysis, |mut analysis| async move {
        analysis.found.changed().await.ok()?;
        let text = serde_json::to_string(&*analysis.found.borrow_and_update());
        let text = text.expect("plain data");
        tokio::time::sleep(UPDATE_INTERVAL).await;
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
    Query(asked): Query<AnalysisQuery>,
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
