//! Requests of a board's script: changes, positions, analyses, advice, PGN.

use std::sync::Arc;

use axum::Extension;
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use shakmaty::Position;
use shakmaty::san::SanPlus;

use super::events::AnalysisQuery;
use super::refusal::{Refusal, answer, blocking, find};
use crate::boards::action::Action;
use crate::boards::advice::{self, Wish};
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

/// Nodes a position of a review where nothing else is asked.
const REVIEW_NODES: u64 = 100_000;

/// The routes of these pages.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/board/{id}/seen", get(seen))
        .route("/board/{id}/do/{what}", post(act))
        .route("/board/{id}/read", post(read))
        .route("/board/{id}/at/{node}", get(at))
        .route("/board/{id}/advice/{wish}", get(advice))
        .route("/board/{id}/game.pgn", get(pgn))
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
    let since = sent.get("since").to_owned();
    if !board.state().is_reading(&since) {
        // The nodes that the page knows had other numbers: it has to follow first.
        return Ok(answer(StatusCode::CONFLICT, &json!({ "behind": board.view() })));
    }
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
    action.check()?;
    if sent.get("replace") != "yes"
        && let Some(lost) = action.loses(&board.state())
    {
        let value = json!({ "error": lost, "replaces": lost });
        return Ok(answer(StatusCode::CONFLICT, &value));
    }
    blocking(move || {
        if let Action::New(new) = &action {
            new.check_engines(&app.engines)?;
        }
        let mut done = None;
        let mut view = board.change(|state| {
            if !state.is_reading(&since) {
                return Err(
                    "the board was changed elsewhere at the same time: try again".to_owned()
                );
            }
            if let Action::TakeBack(wanted) = action {
                let moves = state.taken_back(wanted)?;
                done = Some(format!("Taken back: {}.", state.taken_back_text(&moves)));
            }
            state.act(action)
        })?;
        view["done"] = json!(done);
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

fn only_control(role: Role) -> Result<(), Refusal> {
    match role {
        Role::Control => Ok(()),
        Role::View => Err(Refusal(StatusCode::FORBIDDEN, StudioError::ReadOnly.to_string())),
    }
}

/// `/board/ID/advice/WISH?node=N&limit=depth=18`: an answer from one search, of a minute at most.
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
        let limit = Some(asked.limit.as_str()).filter(|limit| !limit.is_empty());
        let limit = limit.map(str::parse).transpose();
        let limit = limit.map_err(|error: harness_player::ParseLimitError| error.to_string())?;
        let advice = advice::answer(&app.engines, &name, wish, asked_of, limit)?;
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
