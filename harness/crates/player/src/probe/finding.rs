//! Findings of a probe, and their text.

use std::fmt::{self, Display, Formatter};

use super::super::search::SearchResult;
use super::super::{Fault, FaultKind, Limit, Score};
use super::compliance::Compliance;
use harness_base::text::grouped;

/// A fault that a probe found.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// It does not respect the limit.
    Limit {
        /// The player.
        player: String,
        /// The limit.
        limit: Limit,
        /// The search.
        seen: SearchResult,
        /// How it ended.
        compliance: Compliance,
        /// Another value of the limit and its search, if that is the same.
        other: Option<(Limit, SearchResult)>,
        /// Limits of other kinds that it respects, if it does not respect this one at all.
        respects: Vec<Limit>,
    },
    /// A search failed.
    Fails {
        /// The limit.
        limit: Limit,
        /// How it failed.
        fault: Fault,
        /// Whether a second process ended in its first search, of another position, too.
        always: bool,
    },
    /// The same search gave something else after another one and `ucinewgame`.
    DoesNotRepeat {
        /// The player.
        player: String,
        /// The limit.
        limit: Limit,
        /// The first search.
        before: SearchResult,
        /// The same after another position.
        after: SearchResult,
        /// Whether a new process repeats.
        kept: RetainedState,
    },
    /// A value of a tuning range is refused or ends the engine.
    NotTaken {
        /// The option.
        option: String,
        /// The value.
        value: String,
        /// Its fault.
        fault: Fault,
    },
    /// It fails in a search with every tuned option at one end of its range.
    FailsAtEnds {
        /// At the largest values; else at the smallest.
        largest: bool,
        /// How it failed.
        fault: Fault,
    },
}

/// The state behind a search that does not repeat in one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetainedState {
    /// A new process gives the first result again: the old one keeps something.
    InProcess,
    /// A new process gives yet another result.
    Nothing,
}

impl Finding {
    /// Whether a run makes no sense with it; else it is worth a warning.
    pub fn is_refusal(&self) -> bool {
        match self {
            Finding::Limit { compliance, .. } => *compliance == Compliance::NeverStops,
            Finding::NotTaken { .. } | Finding::FailsAtEnds { .. } => true,
            // Without a reply to `stop`, each search costs the whole patience.
            Finding::Fails { fault, always, .. } => *always || fault.kind == FaultKind::Hang,
            Finding::DoesNotRepeat { .. } => false,
        }
    }

    /// Advice for the user.
    pub fn advice(&self) -> String {
        match self {
            Finding::Limit { compliance, respects, .. } => match compliance {
                Compliance::NeverStops if respects.is_empty() => {
                    "it respects no other limit either: `harness check ENGINE` shows what it \
                     answers"
                        .to_owned()
                }
                Compliance::NeverStops => {
                    let flags: Vec<String> = respects.iter().map(flag).collect();
                    format!(
                        "it respects {}: use one of them (in an experiment `limit: {}`)",
                        flags.join(" and "),
                        respects[0]
                    )
                }
                Compliance::StopsShort | Compliance::Ignores => {
                    let plays = match compliance {
                        Compliance::Ignores => "results say nothing of this limit",
                        _ => "it plays with next to no search",
                    };
                    if respects.is_empty() {
                        format!("{plays}, and it respects no other limit either")
                    } else {
                        let flags: Vec<String> = respects.iter().map(flag).collect();
                        format!("{plays}; it respects {}", flags.join(" and "))
                    }
                }
                Compliance::Overshoots | Compliance::Respects => {
                    "results at this limit are not comparable with those of others; another limit \
                     may suit better"
                        .to_owned()
                }
            },
            Finding::Fails { always: true, .. } => {
                "does it find its files, and take its options? `harness check ENGINE` shows what it \
                 answers"
                    .to_owned()
            }
            Finding::Fails { .. } => "`harness check ENGINE` shows what it answers".to_owned(),
            Finding::DoesNotRepeat { kept: RetainedState::InProcess, .. } => {
                "fixed-node results will not repeat; --restart cures it where a command has it"
                    .to_owned()
            }
            Finding::DoesNotRepeat { kept: RetainedState::Nothing, .. } => {
                "fixed-node results will not repeat, not even with --restart; does it search with \
                 several threads?"
                    .to_owned()
            }
            Finding::NotTaken { option, .. } => {
                format!("narrow the range of `{option}` in the experiment")
            }
            Finding::FailsAtEnds { .. } => {
                "narrow the ranges in the experiment, or correct the engine".to_owned()
            }
        }
    }
}

/// The flag of `match` and `suite` for a limit.
fn flag(limit: &Limit) -> String {
    match limit {
        Limit::Clock(control) => format!("--tc {control}"),
        Limit::MoveTime(time) => format!("--movetime {}ms", time.as_millis()),
        Limit::Nodes(nodes) => format!("--nodes {nodes}"),
        Limit::Depth(depth) => format!("--depth {depth}"),
        Limit::Combined { .. } => each(limit, flag, " "),
    }
}

/// The `go` command of a limit, for people.
fn go(limit: &Limit) -> String {
    match limit {
        Limit::Clock(control) => {
            let clock = control.base.as_millis();
            let increment = control.increment.as_millis();
            format!("go wtime {clock} btime {clock} winc {increment} binc {increment}")
        }
        Limit::MoveTime(time) => format!("go movetime {}", time.as_millis()),
        Limit::Nodes(nodes) => format!("go nodes {nodes}"),
        Limit::Depth(depth) => format!("go depth {depth}"),
        Limit::Combined { .. } => each(limit, go, " ").replace(" go ", " "),
    }
}

/// A text for each part of a combined limit.
fn each(limit: &Limit, text: fn(&Limit) -> String, between: &str) -> String {
    limit.parts().iter().map(text).collect::<Vec<_>>().join(between)
}

impl Display for SearchResult {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let parts = [
            self.best_move.map(|best| best.to_string()),
            self.depth.map(|depth| format!("depth {depth}")),
            self.nodes.map(|nodes| format!("{} nodes", grouped(nodes))),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        f.write_str(if parts.is_empty() { "nothing" } else { "" })?;
        f.write_str(&parts.join(", "))
    }
}

/// The score of a search, for one that differs from another by it alone.
fn score(search: &SearchResult) -> String {
    match search.score {
        None => ", no score".to_owned(),
        Some(Score::Centipawns(value)) => format!(", score {:+.2}", f64::from(value) / 100.0),
        Some(Score::Mate(moves)) => format!(", mate {moves}"),
    }
}

impl Display for Finding {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Limit { player, limit, seen, compliance, other, .. } => {
                let go = go(limit);
                let after = seen.elapsed.as_secs_f64();
                match compliance {
                    Compliance::NeverStops => {
                        let end = if seen.stopped {
                            "it had to be stopped"
                        } else {
                            "it ended by itself"
                        };
                        write!(
                            f,
                            "{player} does not stop at `{go}`: {end} after {after:.1} s ({seen})"
                        )
                    }
                    Compliance::StopsShort => {
                        write!(f, "{player} stops far short of `{go}`: {seen}")
                    }
                    Compliance::Ignores => {
                        write!(f, "{player} does not heed `{go}`: {seen}")?;
                        let Some((limit, seen)) = other else { return Ok(()) };
                        write!(f, "; at `{}` {seen}", self::go(limit))
                    }
                    Compliance::Overshoots | Compliance::Respects => {
                        write!(f, "{player} overshoots `{go}`: {seen}, {after:.2} s")
                    }
                }
            }
            Finding::Fails { limit, fault, always } => {
                let again = if *always { ", in two processes" } else { "" };
                write!(f, "{fault} after `{}`{again}", go(limit))
            }
            Finding::DoesNotRepeat { player, limit, before, after, kept } => {
                let how = match kept {
                    RetainedState::InProcess => "does not clear its state on `ucinewgame`",
                    RetainedState::Nothing => "does not search alike twice",
                };
                let go = go(limit);
                let [mut first, mut then] = [before, after].map(SearchResult::to_string);
                if first == then {
                    first += &score(before);
                    then += &score(after);
                }
                write!(f, "{player} {how}: `{go}` gave {first}, then {then}")
            }
            Finding::NotTaken { option, value, fault } => match fault.kind {
                FaultKind::Setting => write!(f, "{}: {}", fault.player, fault.detail),
                _ => write!(f, "{fault} after `setoption name {option} value {value}`"),
            },
            Finding::FailsAtEnds { largest, fault } => {
                let end = if *largest { "largest" } else { "smallest" };
                write!(f, "{fault} in a search with every tuned option at its {end} value")
            }
        }
    }
}
