//! Sentences that are typed or said at a board, the moves played from its position, and the help.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use maud::html;
use serde::Deserialize;
use serde_json::{Value, json};

use super::board::{Refusal, answer, blocking, facts, find};
use super::boards::engine_names;
use super::games::game_path;
use crate::assistant::{self, Context, Intent, Slots};
use crate::data::tree::{GameTree, NodeId};
use crate::studio::boards::act::moves_of;
use crate::studio::boards::review::question;
use crate::studio::error::StudioError;
use crate::studio::frame::Framed;
use crate::studio::games::explorer::{self, Played};
use crate::studio::security::{Role, Sent};
use crate::studio::server::{self, App, with_ledger};

/// `POST /board/ID/ask`: what a sentence asks for. Nothing is done yet: the page shows it and asks
/// for it, a run after a second click only.
///
/// # Errors
/// When there is no such board or node.
pub async fn ask(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    sent: Sent,
) -> Result<Response, Refusal> {
    let board = find(&app, &id)?;
    let node = sent.get("node").parse().map(NodeId).unwrap_or(GameTree::ROOT);
    let facts = facts(&board.state().tree, node)?;
    let legal = facts["legal"].as_array().into_iter().flatten().map(|legal| {
        let text = |name: &str| legal[name].as_str().unwrap_or_default().to_owned();
        (text("uci"), text("san"))
    });
    let context = Context { legal: legal.collect(), engines: engine_names(), runs: Vec::new() };
    let text = sent.get("text").to_owned();
    blocking(move || {
        let understood = assistant::understand(&text, &context);
        let mut value = serde_json::to_value(&understood).expect("plain data");
        value["moves"] = opening_moves(&understood.slots);
        value["run"] = run(understood.intent, &understood.slots).map_or(Value::Null, Value::from);
        value["page"] = page(understood.intent, &understood.slots).map_or(Value::Null, Value::from);
        Ok(answer(StatusCode::OK, &value))
    })
    .await
}

/// The moves of the opening that was named.
fn opening_moves(slots: &Slots) -> Value {
    let name = slots.get("opening").and_then(Value::as_str);
    name.and_then(|name| moves_of(name).ok()).map_or(Value::Null, |moves| json!(moves))
}

/// The run that a sentence asks for, as the form of a new run has it.
fn run(intent: Intent, slots: &Slots) -> Option<String> {
    let text = |name: &str, other: &str| {
        let found =
            slots.get(name).map(|value| value.as_str().map_or(value.to_string(), str::to_owned));
        found.unwrap_or_else(|| other.to_owned())
    };
    let (command, arguments) = match intent {
        Intent::Sprt => ("sprt", vec![text("new", "HEAD"), text("old", "main")]),
        Intent::Match => ("match", vec![text("first", "builtin"), text("second", "stockfish")]),
        Intent::PlayOut => ("match", vec![text("engine", "builtin"), text("against", "builtin")]),
        Intent::Suite => ("suite", vec![text("suite", "wac"), text("engine", "builtin")]),
        _ => return None,
    };
    let quoted: Vec<String> =
        arguments.iter().map(|argument| json!(argument).to_string()).collect();
    let mut yaml = format!("command: {command}\narguments: [{}]\n", quoted.join(", "));
    for name in ["limit", "games"] {
        if slots.contains_key(name) {
            yaml.push_str(&format!("{name}: {}\n", json!(text(name, ""))));
        }
    }
    Some(yaml)
}

/// The page that answers a sentence about runs and games.
fn page(intent: Intent, slots: &Slots) -> Option<String> {
    let text = |name: &str| slots.get(name).and_then(Value::as_str).unwrap_or_default();
    Some(match intent {
        Intent::OpenPage => match text("page") {
            "games" => "/games".to_owned(),
            "compare" => "/compare".to_owned(),
            "history" => "/history".to_owned(),
            "board" => "/boards".to_owned(),
            "practice" => "/practice".to_owned(),
            "start" => "/start".to_owned(),
            _ => "/".to_owned(),
        },
        Intent::ListGames => match text("result") {
            "" => "/games".to_owned(),
            result => format!("/games?outcome={result}"),
        },
        Intent::WhyLost => match slots.get("game").and_then(Value::as_u64) {
            Some(game) => format!("/ask/lost/{game}"),
            None => "/games?outcome=lost".to_owned(),
        },
        Intent::CompareRuns => "/compare".to_owned(),
        Intent::RunStatus | Intent::StopRun | Intent::ResumeRun => "/".to_owned(),
        Intent::Help => "/help".to_owned(),
        _ => return None,
    })
}

/// `/ask/lost/N`: game N of the newest run that has games, counted from 1.
///
/// # Errors
/// When there is none.
pub async fn lost(
    State(app): State<Arc<App>>,
    Path(number): Path<u64>,
) -> Result<Response, StudioError> {
    let address = with_ledger(app, move |_, ledger| {
        let missing = || StudioError::NotFound(format!("game {number}"));
        let run = ledger.with_games()?.into_iter().max().ok_or_else(missing)?;
        let index = number.checked_sub(1).ok_or_else(missing)?;
        Ok(format!("{}#lost", game_path(&run, &format!("{}.{}", index / 2 + 1, index % 2 + 1))))
    });
    Ok(Redirect::to(&address.await?).into_response())
}

/// `/help`: what can be asked, by examples.
pub async fn help(Extension(role): Extension<Role>) -> Response {
    let mut examples: BTreeMap<Intent, Vec<String>> = BTreeMap::new();
    for (intent, example) in assistant::examples() {
        examples.entry(intent).or_default().push(example);
    }
    let content = html! {
        h1 { "What can be asked" }
        section.card {
            p { "Moves as they are written or said, and wishes in plain English, at the top of every board:" }
            dl.keys {
                @for (intent, sentences) in &examples {
                    dt { (intent.name().replace('_', " ")) }
                    dd { (sentences.join(" · ")) }
                }
            }
        }
    };
    let framed = Framed { title: "What can be asked", tab: "/boards", topic: None, role, content };
    server::html(framed.page())
}

/// Which position.
#[derive(Deserialize)]
pub struct At {
    #[serde(default)]
    node: u32,
}

/// `/board/ID/explorer?node=N`: what was played in this position in the games of the ledger.
///
/// # Errors
/// When there is no such node, or the ledger cannot be read.
pub async fn explorer(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(at): Query<At>,
) -> Result<Response, Refusal> {
    let board = find(&app, &id)?;
    let asked = question(&board.state().tree, NodeId(at.node), 1)?;
    let found = with_ledger(app, move |_, ledger| Ok(explorer::played(ledger, &asked.position)?));
    let found = found.await.map_err(|error| Refusal::wrong(error.to_string()))?;
    let rows: Vec<Value> = found.moves.iter().map(Played::view).collect();
    Ok(answer(StatusCode::OK, &json!({ "games": found.games, "of": found.of, "moves": rows })))
}
