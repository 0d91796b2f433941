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
//! | `statistics` | `games`, `wins`, `draws`, `losses`, `pentanomial`, `elo`, `nelo`, `los`, `llr`, after games were counted; see [`Pace`] |
//! | `runner_dropped` | `engine`, `heat`, `games` (so far), `by` (null: the field), `left`; of a race |
//! | `final_started` | `engine`, `base`, `games` (so far); of a race |
//! | `run_finished` | `summary`: what `--json` prints |

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shakmaty::Color;

use super::event::{Event, RaceEvent};
use harness_arena as arena;
use harness_outcome::{MatchFacts, MatchSummary};
use harness_player::Score;

/// Shortest time between two lines of statistics: they take longer to compute than a fast game to
/// play.
const STATISTICS_EVERY: Duration = Duration::from_millis(200);

/// Decides which events have lines: of statistics at most five a second, and those of all games before
/// the end.
#[derive(Debug, Default)]
pub struct Pace {
    latest: Option<Instant>,
    /// Statistics were left out since the latest line of them.
    behind: bool,
}

impl Pace {
    /// The lines of an event, mostly one or none.
    pub fn lines(&mut self, event: &Event<'_>, names: &[String]) -> Vec<Value> {
        let mut lines = Vec::new();
        match event {
            Event::Statistics { .. } => {
                self.behind = self.latest.is_some_and(|then| then.elapsed() < STATISTICS_EVERY);
                if self.behind {
                    return lines;
                }
            }
            Event::Finished(summary) if self.behind => {
                let summary = || (*summary).clone();
                let left_out = Event::Statistics { games: summary().games, summary: &summary };
                lines.extend(line(&left_out, names));
            }
            _ => {}
        }
        lines.extend(line(event, names));
        if matches!(event, Event::Statistics { .. }) {
            // Behind the computation, so that a slow one does not take all of the time.
            self.latest = Some(Instant::now());
        }
        lines
    }
}

/// The `event` of an event's line; `None` for one that has no line.
pub fn name(event: &Event<'_>) -> Option<&'static str> {
    match event {
        Event::Started { .. } => Some("run_started"),
        Event::Game(arena::Event::Started { .. }) => Some("game_started"),
        Event::Game(arena::Event::Moved { .. }) => Some("move"),
        Event::Game(arena::Event::Ended(_)) => Some("game_ended"),
        Event::Statistics { .. } => Some("statistics"),
        Event::Race(RaceEvent::Dropped { .. }) => Some("runner_dropped"),
        Event::Race(RaceEvent::Final { .. }) => Some("final_started"),
        Event::Finished(_) => Some("run_finished"),
        Event::Game(arena::Event::Flawed { .. })
        | Event::Warning(_)
        | Event::Broken { .. }
        | Event::Kept(_)
        | Event::Counted(_) => None,
    }
}

/// The line of an event; `None` for one that has none. `names` are those of the engines.
pub fn line(event: &Event<'_>, names: &[String]) -> Option<Value> {
    let mut line = match event {
        Event::Started { run, facts, done, .. } => run_started(run, facts, *done),
        Event::Game(event) => of_game(event, names)?,
        Event::Statistics { summary, .. } => statistics_line(&summary()),
        Event::Race(event) => of_race(event),
        Event::Finished(summary) => json!({ "summary": summary }),
        Event::Warning(_) | Event::Broken { .. } | Event::Kept(_) | Event::Counted(_) => {
            return None;
        }
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

/// A race has come further.
fn of_race(event: &RaceEvent<'_>) -> Value {
    match *event {
        RaceEvent::Dropped { engine, heat, games, by, left } => json!({
            "engine": engine, "heat": heat, "games": games, "by": by, "left": left,
        }),
        RaceEvent::Final { engine, base, games } => {
            json!({ "engine": engine, "base": base, "games": games })
        }
    }
}

/// An event of a game.
fn of_game(event: &arena::Event<'_>, names: &[String]) -> Option<Value> {
    let name = |engine: usize| names[engine].as_str();
    Some(match *event {
        arena::Event::Flawed { .. } => return None,
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
    })
}

/// Where the run stands.
pub fn statistics_line(summary: &MatchSummary) -> Value {
    json!({
        "games": summary.games, "wins": summary.wins,
        "draws": summary.draws, "losses": summary.losses, "pentanomial": summary.pentanomial,
        "elo": summary.elo, "nelo": summary.nelo, "los": summary.los, "llr": summary.llr,
        "bounds": summary.bounds, "stopped": summary.stopped,
        "sequential": summary.sequential, "remaining": summary.remaining,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_outcome::{Outcome, Tally};
    use harness_stats::GameScore;

    #[test]
    fn statistics_come_at_most_five_times_a_second_and_all_of_them_by_the_end() {
        let facts: MatchFacts = serde_json::from_value(json!({
            "command": "match", "engines": [], "limit": "nodes=1", "games_asked": 1_000,
            "openings": null, "jobs": 1, "seed": 1, "sprt": null, "command_line": null,
        }))
        .expect("facts");
        let (mut pace, mut tally, mut lines) = (Pace::default(), Tally::new("a"), Vec::new());
        let computed = std::cell::Cell::new(0);
        for game in 0..1_000 {
            let [first, second, termination] = ["a", "b", "checkmate"].map(str::to_owned);
            tally.add(&Outcome {
                pair: game / 2,
                first,
                second,
                score: GameScore::Draw,
                termination,
            });
            let summary = || {
                computed.set(computed.get() + 1);
                tally.summary("id", &facts, 1.0)
            };
            lines.extend(pace.lines(&Event::Statistics { games: game, summary: &summary }, &[]));
        }
        assert_eq!(lines.len(), computed.get());
        assert!(lines.len() < 100, "{}", lines.len());
        assert_eq!(lines[0]["games"], 1);
        let end = tally.summary("id", &facts, 1.0);
        let last = pace.lines(&Event::Finished(&end), &[]);
        let kinds: Vec<&Value> = last.iter().map(|line| &line["event"]).collect();
        assert_eq!(kinds, ["statistics", "run_finished"]);
        assert_eq!(last[0]["games"], 1_000);
    }
}
