//! Sentences that are typed or said at a board, and the help.

use std::collections::BTreeMap;
use std::sync::{Arc, Once};

use axum::Extension;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::html;
use serde_json::{Value, json};

use super::asked::{MOST_RUNS, Runs, description, game_key, page, play_out, run};
use super::asked_moves::name_moves;
use super::board_requests::facts;
use super::boards::engine_names;
use super::games::game_path;
use super::refusal::{Refusal, answer, blocking, find};
use crate::boards::board::State as BoardState;
use crate::boards::game::Game;
use crate::boards::new_game::moves_of;
use crate::error::StudioError;
use crate::form::Form;
use crate::frame::{self, FramedPage};
use crate::role::Role;
use crate::state::{App, with_ledger};
use harness_assistant::{
    self as assistant, Context, Intent, OLDEST, PREVIOUS, Slots, Understood, endpoint,
};
use harness_games::pasted::{line_from, read_pasted};
use harness_games::tree::{GameTree, NodeId};
use harness_ledger::Ledger;

/// Longest sentence that leaves this machine, in characters.
const MAX_SENTENCE: usize = 500;

/// The routes of these pages.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/board/{id}/ask", post(ask))
        .route("/ask/lost/{number}", get(lost))
        .route("/ask/game/{number}", get(game))
        .route("/help", get(help))
}

/// Lets the assistant read its examples, which takes it a while, beside the page that a sentence can be typed into.
pub fn prepare() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| drop(std::thread::spawn(assistant::prepare)));
}

/// `POST /board/ID/ask`: what a sentence asks for. Nothing is done yet: the page shows it and asks
/// for it, a run after a second click only. What is not understood here goes to a language model, if
/// the user has configured one.
///
/// # Errors
/// When there is no such board or node.
pub async fn ask(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    sent: Form,
) -> Result<Response, Refusal> {
    let board = find(&app, &id)?;
    let node = sent.get("node").parse().map(NodeId).unwrap_or(GameTree::ROOT);
    let text = sent.get("text").to_owned();
    if asks_to_delete(&text) {
        return Ok(answer(StatusCode::OK, &deletion()));
    }
    blocking(move || {
        let tree = board.state().tree.clone();
        if let Some(value) = text_or_line(&tree, node, &text) {
            return Ok(answer(StatusCode::OK, &value));
        }
        let facts = facts(&tree, node)?;
        let legal = facts["legal"].as_array().into_iter().flatten().map(|legal| {
            let text = |name: &str| legal[name].as_str().unwrap_or_default().to_owned();
            (text("uci"), text("san"))
        });
        let runs = runs(&app);
        let fen = tree.fen(tree.node(node).map_err(|error| error.to_string())?);
        let plays = board.state().game.as_ref().and_then(Game::person);
        let plays = plays.map(|side| side.fold_wb("white", "black"));
        let context = Context { legal: legal.collect(), engines: engine_names(), runs, fen, plays };
        let understood = assistant::understand(&text, &context);
        let format = assistant::format_of_run(&text);
        let format = format.map(|format| (format, of_format(&app, &context.runs, format)));
        let runs = Runs { ids: &context.runs, kind: assistant::kind_of_run(&text), format };
        let asked = Asked { text: &text, node, runs };
        let decorate =
            |understood: &Understood| decorated(&app, &board.state(), &asked, understood);
        let Some(endpoint) = app.endpoint.as_ref().filter(|_| understood.intent == Intent::Unknown)
        else {
            return Ok(answer(StatusCode::OK, &decorate(&understood)));
        };
        let sent: String = text.chars().take(MAX_SENTENCE).collect();
        let answered = endpoint::ask(endpoint, &sent, &context.fen, &context)?;
        let calls: Vec<Value> = answered.calls.iter().map(decorate).collect();
        let value = json!({
            "intent": "model", "model": endpoint.model, "text": answered.text, "calls": calls,
        });
        Ok(answer(StatusCode::OK, &value))
    })
    .await
}

/// Moves that follow each other from here, or a text with a game or a position.
fn text_or_line(tree: &GameTree, node: NodeId, text: &str) -> Option<Value> {
    if let Some(moves) = line_from(tree, node, text) {
        return Some(json!({ "intent": "line", "moves": moves }));
    }
    let is_board = |word: &str| word.matches('/').count() == 7;
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    // "FEN but with black to move": operations of EPD have no such words, or stand before a semicolon.
    let is_said = |word: &str| {
        matches!(word, "but" | "with" | "without" | "and" | "please" | "black" | "white" | "put")
    };
    if is_board(first) && !text.contains([';', '"', '[']) && words.clone().any(is_said) {
        return None;
    }
    // A FEN within a sentence is the assistant's.
    let has_board = is_board(first)
        || (words.any(is_board)
            && (first.starts_with('[')
                || matches!(first.trim_end_matches(':'), "FEN" | "fen" | "position")));
    let has_moves = has_first_move(text) || text.starts_with("position ");
    let is_text =
        has_board || has_moves || line_from(&GameTree::default(), GameTree::ROOT, text).is_some();
    (is_text && (has_board || read_pasted(text.as_bytes(), 1).is_ok()))
        .then(|| json!({ "intent": "text" }))
}

/// Whether a text has the moves of a game from the first one on: "1.e4 is interesting" and "11.g4" have not.
fn has_first_move(text: &str) -> bool {
    let is_first = |at: &usize| !text[..*at].ends_with(|sign: char| sign.is_ascii_digit());
    let mut begins = text.match_indices("1.").map(|(at, _)| at).filter(is_first);
    let Some(moves) = begins.next().map(|at| &text[at..]) else { return false };
    let plain = |word: &str| word.trim_end_matches([',', '.', ';', '!', '?', '+', '#']).to_owned();
    let words: Vec<String> = moves.split_whitespace().map(plain).collect();
    let is_move = |word: &&String| {
        word.ends_with(|sign: char| sign.is_ascii_digit())
            || word.ends_with("O-O")
            || word.contains('=')
    };
    // Comments stand in braces.
    moves.contains('{') || 2 * words.iter().filter(is_move).count() >= words.len()
}

/// The runs of a format: a match of two engines is no gauntlet.
fn of_format(app: &App, ids: &[String], format: &str) -> Vec<String> {
    let Ok(ledger) = Ledger::open_to_read(&app.reports) else { return Vec::new() };
    let is_one = |id: &&String| {
        let plan = ledger.facts(id).map(|facts| facts.plan).unwrap_or_default();
        let engines = plan["engines"].as_array().map_or(0, Vec::len);
        plan["format"] == format.replace('-', "_") && engines > 2
    };
    ids.iter().filter(|id| id.ends_with("-match")).filter(is_one).cloned().collect()
}

/// The ids of the newest runs.
fn runs(app: &App) -> Vec<String> {
    let ledger = Ledger::open_to_read(&app.reports).ok();
    let runs = ledger.and_then(|ledger| ledger.runs().ok()).unwrap_or_default();
    runs.into_iter().rev().take(MOST_RUNS).map(|run| run.run).collect()
}

/// Where a sentence was said.
struct Asked<'a> {
    text: &'a str,
    /// The position that is shown.
    node: NodeId,
    runs: Runs<'a>,
}

/// The understood sentence, with the data that a page needs to execute it.
fn decorated(app: &App, state: &BoardState, asked: &Asked<'_>, understood: &Understood) -> Value {
    let Understood { intent, slots, .. } = understood;
    let mut value = serde_json::to_value(understood).expect("plain data");
    value["moves"] = opening_moves(slots);
    let run = match intent {
        Intent::PlayOut => play_out(slots).yaml(app, &state.tree, asked.node).ok(),
        intent => run(*intent, slots),
    };
    value["run"] = json!(run);
    match page(*intent, slots, &asked.runs) {
        Ok(page) => {
            value["page"] = json!(page);
            if let Some(shown) = named_run(understood, &asked.runs) {
                value["shown"] = json!(shown);
            }
        }
        Err(missing) => return nothing(&missing),
    }
    if *intent == Intent::DescribeRun {
        value["describe"] = json!(description(app, slots, &asked.runs));
    }
    name_moves(&mut value, *intent, state, asked.node);
    if let Some(shown) = named_mover(*intent, state, asked) {
        value["shown"] = json!(shown);
    }
    let others = understood.others.iter().map(|other| decorated(app, state, asked, other));
    value["others"] = others.filter(|other| other["intent"] != json!(Intent::Unknown)).collect();
    value
}

/// Whether a sentence wants the whole board deleted, its moves and its file: "delete this board, please".
fn asks_to_delete(text: &str) -> bool {
    const DELETE: [&str; 5] = ["delete", "remove", "erase", "discard", "trash"];
    let plain = text.to_lowercase();
    let words = plain.split(|sign: char| !sign.is_alphabetic());
    let said =
        |word: &&str| !matches!(*word, "" | "please" | "now" | "can" | "you" | "whole" | "entire");
    match words.filter(said).collect::<Vec<_>>()[..] {
        [verb, "this" | "the" | "my", "board"] => DELETE.contains(&verb),
        _ => false,
    }
}

/// The answer to such a sentence: the page asks first.
fn deletion() -> Value {
    json!({
        "intent": "delete_board", "slots": {}, "unread": [], "others": [], "confirm": "always",
        "shown": "Delete this board, with its moves and notes",
    })
}

/// The answer to a sentence that names a run which does not exist: nothing is done, and no other run is offered.
pub(super) fn nothing(reason: &str) -> Value {
    json!({
        "intent": Intent::Unknown, "slots": {}, "shown": reason, "confidence": 0.0, "unread": [],
        "confirm": "no", "others": [], "choice": "", "moves": null, "run": null, "page": null,
    })
}

/// In words, the run that is meant by "the last match".
fn named_run(understood: &Understood, runs: &Runs<'_>) -> Option<String> {
    let is_counted = |named: &&str| named.starts_with("last") || [PREVIOUS, OLDEST].contains(named);
    let named = understood.slots.get("run")?.as_str().filter(is_counted)?;
    let id = runs.find(named).ok()?;
    if named == PREVIOUS || named == OLDEST {
        return Some(understood.shown.replace(named, id));
    }
    Some(understood.shown.replace(&format!("run {named}"), &format!("run {id}")))
}

/// A hint is for the side that moves, a threat of the other one: in words, where a sentence names only the side that
/// has none.
fn named_mover(intent: Intent, state: &BoardState, asked: &Asked<'_>) -> Option<String> {
    let node = state.tree.node(asked.node).ok()?;
    let fen = state.tree.fen(node);
    let is_black = fen.split(' ').nth(1) == Some("b");
    let (mover, other) = if is_black { ("Black", "White") } else { ("White", "Black") };
    let is_named = |side: &str| {
        let mut words = asked.text.split(|sign: char| !sign.is_alphabetic());
        words.any(|word| word.to_lowercase().trim_end_matches('s') == side.to_lowercase())
    };
    match intent {
        Intent::Hint if is_named(other) && !is_named(mover) => {
            Some(format!("Hint for {mover}, whose move it is"))
        }
        Intent::Threat if is_named(mover) && !is_named(other) => {
            Some(format!("The threat of {other}: it is {mover}'s move"))
        }
        _ => None,
    }
}

/// The moves of the opening that was named.
fn opening_moves(slots: &Slots) -> Value {
    let name = slots.get("opening").and_then(Value::as_str);
    name.and_then(|name| moves_of(name).ok()).map_or(Value::Null, |moves| json!(moves))
}

/// `/ask/lost/N`: where game N of the newest run that has games was lost, counted from 1.
///
/// # Errors
/// When there is none.
pub async fn lost(state: State<Arc<App>>, number: Path<u64>) -> Result<Response, StudioError> {
    of_newest(state, number, "#lost").await
}

/// `/ask/game/N`: game N of the newest run that has games, counted from 1.
///
/// # Errors
/// When there is none.
pub async fn game(state: State<Arc<App>>, number: Path<u64>) -> Result<Response, StudioError> {
    of_newest(state, number, "").await
}

async fn of_newest(
    State(app): State<Arc<App>>,
    Path(number): Path<u64>,
    place: &'static str,
) -> Result<Response, StudioError> {
    let address = with_ledger(app, move |_, ledger| {
        let missing = || StudioError::NotFound(format!("game {number}"));
        let run = ledger.with_games()?.into_iter().next().ok_or_else(missing)?;
        let key = game_key(number).ok_or_else(missing)?;
        Ok(format!("{}{place}", game_path(&run, &key)))
    });
    Ok(Redirect::to(&address.await?).into_response())
}

/// `/help`: what can be asked, by examples.
pub async fn help(State(app): State<Arc<App>>, Extension(role): Extension<Role>) -> Response {
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
            @match &app.endpoint {
                Some(endpoint) => p.soft {
                    "What is not understood here is sent to " (endpoint.model) " at " (endpoint.host())
                    ", with the position; it may call these functions, and you are asked before."
                },
                None => p.soft { "Nothing that you write leaves this machine." },
            }
        }
    };
    let framed =
        FramedPage { title: "What can be asked", tab: "/boards", topic: None, role, content };
    frame::response(framed.page())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_with_the_number_of_a_move_is_no_game() {
        for text in ["1. e4 e5 2. Nf3 Nc6", "1.e4", "my game: 1. d4 d5 2. c4", "1. f4 e5 *"] {
            assert!(has_first_move(text), "{text}");
        }
        for text in ["11.g4 is interesting, sign it that way", "1.e4 is interesting, I think"] {
            assert!(!has_first_move(text), "{text}");
        }
    }

    #[test]
    fn a_position_with_a_wish_behind_it_is_a_sentence() {
        let read = |text: &str| text_or_line(&GameTree::default(), GameTree::ROOT, text);
        let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        for text in [fen.to_owned(), format!("{fen} bm Ra8; id \"white wins\";")] {
            assert!(read(&text).is_some(), "{text}");
        }
        for text in
            [format!("{fen} but with black to move"), format!("{fen}, black to move please")]
        {
            assert_eq!(read(&text), None, "{text}");
        }
    }

    #[test]
    fn a_board_is_deleted_in_words_and_nothing_else_is() {
        for text in
            ["delete this board", "Please remove the whole board!", "can you delete the board?"]
        {
            assert!(asks_to_delete(text), "{text}");
        }
        for text in [
            "clear the board",
            "delete this move",
            "remove the queen from the board",
            "do not delete this board",
            "delete the board of run 12",
            "",
        ] {
            assert!(!asks_to_delete(text), "{text}");
        }
    }
}
