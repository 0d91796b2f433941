//! The events of a match or an SPRT as JSON, as `--json-stream` prints them: an object a line.
//!
//! Every object has `event`; keys may be added, none is taken away:
//!
//! | event | keys |
//! |---|---|
//! | `run_started` | `run`, `command`, `engines[]`, `limit`, `games` (at most), `done` (by an earlier process) |
//! | `game_started` | `pair`, `game` (1 or 2), `white`, `black`, `fen` (null: the usual one), `moves[]` of the book |
//! | `move` | `pair`, `game`, `side`, `uci`, `san`, `score` (`{"cp": 31}` or `{"mate": 3}`, the mover's), `depth`, `nodes`, `ms` |
//! | `game_ended` | `pair`, `game`, `white`, `black`, `result`, `termination`, `reason`, `plies`, `ms` |
//! | `statistics` | `games`, `wins`, `draws`, `losses`, `pentanomial`, `elo`, `nelo`, `los`, `llr`, after games were counted |
//! | `run_finished` | `summary`: what `--json` prints |

use serde_json::{Value, json};
use shakmaty::Color;

use super::event::Event;
use crate::arena;
use crate::outcome::{MatchFacts, MatchSummary};
use crate::player::Score;

/// The `event` of an event's line; `None` for one that has no line.
pub fn name(event: &Event<'_>) -> Option<&'static str> {
    match event {
        Event::Started { .. } => Some("run_started"),
        Event::Game(arena::Event::Started { .. }) => Some("game_started"),
        Event::Game(arena::Event::Moved { .. }) => Some("move"),
        Event::Game(arena::Event::Ended(_)) => Some("game_ended"),
        Event::Statistics { .. } => Some("statistics"),
        Event::Finished(_) => Some("run_finished"),
        Event::Warning(_) | Event::Broken { .. } | Event::Counted(_) => None,
    }
}

/// The line of an event; `None` for one that has none. `names` are those of the engines.
pub fn line(event: &Event<'_>, names: &[String]) -> Option<Value> {
    let mut line = match event {
        Event::Started { run, facts, done, .. } => run_started(run, facts, *done),
        Event::Game(event) => of_game(event, names),
        Event::Statistics { summary, .. } => statistics(&summary()),
        Event::Finished(summary) => json!({ "summary": summary }),
        Event::Warning(_) | Event::Broken { .. } | Event::Counted(_) => return None,
    };
    line["event"] = json!(name(event)?);
    Some(line)
}

/// The first line.
fn run_started(run: &str, facts: &MatchFacts, done: u64) -> Value {
    let engines: Vec<&str> = facts.engines.iter().map(|engine| engine.name.as_str()).collect();
    json!({
        "run": run, "command": facts.command, "engines": engines,
        "limit": facts.limit, "games": facts.games_asked, "done": done,
    })
}

/// What happens in games.
fn of_game(event: &arena::Event<'_>, names: &[String]) -> Value {
    let name = |engine: usize| names[engine].as_str();
    match *event {
        arena::Event::Started { pair, leg, engines, opening } => {
            let moves: Vec<String> = opening.moves.iter().map(ToString::to_string).collect();
            json!({
                "pair": pair, "game": leg.number(),
                "white": name(engines.white), "black": name(engines.black),
                "fen": opening.fen, "moves": moves,
            })
        }
        arena::Event::Moved { pair, leg, side, uci, played } => {
            let thought = played.thought;
            let score = thought.and_then(|thought| thought.score).map(|score| match score {
                Score::Centipawns(value) => json!({ "cp": value }),
                Score::Mate(moves) => json!({ "mate": moves }),
            });
            json!({
                "pair": pair, "game": leg.number(),
                "side": match side { Color::White => "white", Color::Black => "black" },
                "uci": uci.to_string(), "san": played.san.to_string(), "score": score,
                "depth": thought.and_then(|thought| thought.depth),
                "nodes": thought.and_then(|thought| thought.nodes),
                "ms": thought.map(|thought| thought.elapsed.as_secs_f64() * 1000.0),
            })
        }
        arena::Event::Ended(game) => json!({
            "pair": game.pair, "game": game.leg.number(),
            "white": name(game.white), "black": name(game.black), "result": game.result.pgn(),
            "termination": game.termination, "reason": game.reason, "plies": game.plies,
            "ms": game.took.as_secs_f64() * 1000.0,
        }),
    }
}

/// Where the run stands.
fn statistics(summary: &MatchSummary) -> Value {
    json!({
        "games": summary.games, "wins": summary.wins,
        "draws": summary.draws, "losses": summary.losses, "pentanomial": summary.pentanomial,
        "elo": summary.elo, "nelo": summary.nelo, "los": summary.los, "llr": summary.llr,
        "sequential": summary.sequential, "remaining": summary.remaining,
    })
}
