//! Findings of a probe, and their text.

use std::fmt::{self, Display, Formatter};

use super::super::{Fault, FaultKind, Limit};
use super::compliance::Seen;
use crate::text::grouped;

/// What a probe found wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// The limit does not end its searches.
    NeverStops {
        /// Who.
        player: String,
        /// The limit.
        limit: Limit,
        /// The search.
        seen: Seen,
        /// Limits of other kinds that it respects.
        respects: Vec<Limit>,
    },
    /// It searches far beyond the limit.
    Overshoots {
        /// Who.
        player: String,
        /// The limit.
        limit: Limit,
        /// The search.
        seen: Seen,
    },
    /// It ends its search long before the limit.
    StopsShort {
        /// Who.
        player: String,
        /// The limit.
        limit: Limit,
        /// The search.
        seen: Seen,
    },
    /// A search failed.
    Fails {
        /// The limit.
        limit: Limit,
        /// How it failed.
        fault: Fault,
    },
    /// The same search gave something else after another one and `ucinewgame`.
    DoesNotRepeat {
        /// Who.
        player: String,
        /// The limit.
        limit: Limit,
        /// The first search.
        before: Seen,
        /// The same after another position.
        after: Seen,
        /// Whether a new process repeats.
        kept: Kept,
    },
    /// A value of a tuning range is refused or ends the engine.
    NotTaken {
        /// The option.
        option: String,
        /// The value.
        value: String,
        /// What it did.
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

/// What a search that does not repeat in one process does in another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// A new process gives the first result again: the old one keeps something.
    InProcess,
    /// A new process gives yet another result.
    Nothing,
}

impl Finding {
    /// Whether a run makes no sense with it; else it is worth a warning.
    pub fn is_refusal(&self) -> bool {
        match self {
            Finding::NeverStops { .. } | Finding::NotTaken { .. } | Finding::FailsAtEnds { .. } => {
                true
            }
            // One that does not even answer `stop` costs the whole patience each time.
            Finding::Fails { fault, .. } => fault.kind == FaultKind::Hang,
            Finding::Overshoots { .. }
            | Finding::StopsShort { .. }
            | Finding::DoesNotRepeat { .. } => false,
        }
    }

    /// What to do about it.
    pub fn advice(&self) -> String {
        match self {
            Finding::NeverStops { respects, .. } => match &respects[..] {
                [] => "it respects no other limit either: `harness check ENGINE` shows what it \
                       answers"
                    .to_owned(),
                respects => {
                    let flags: Vec<String> = respects.iter().map(flag).collect();
                    let limits: Vec<String> = respects.iter().map(Limit::to_string).collect();
                    format!(
                        "it respects {}: use one of them (in an experiment `limit: {}`)",
                        flags.join(" and "),
                        limits[0]
                    )
                }
            },
            Finding::Overshoots { .. } => "results at this limit are not comparable with those of \
                                           others; another limit may suit better"
                .to_owned(),
            Finding::StopsShort { limit, .. } => {
                let others = match limit {
                    Limit::Nodes(_) => "--depth or --movetime",
                    _ => "--nodes or --movetime",
                };
                format!("it plays with next to no search; use {others}")
            }
            Finding::Fails { .. } => "`harness check ENGINE` shows what it answers".to_owned(),
            Finding::DoesNotRepeat { kept: Kept::InProcess, .. } => {
                "fixed-node results will not repeat; --restart cures it where a command has it"
                    .to_owned()
            }
            Finding::DoesNotRepeat { kept: Kept::Nothing, .. } => {
                "fixed-node results will not repeat, not even with --restart; does it search with \
                 several threads?"
                    .to_owned()
            }
            Finding::NotTaken { option, .. } => {
                format!("narrow the range of `{option}` in the experiment")
            }
            Finding::FailsAtEnds { .. } => {
                "narrow the ranges in the experiment, or mend the engine".to_owned()
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
            let (clock, increment) = (control.base.as_millis(), control.increment.as_millis());
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

impl Display for Seen {
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

impl Display for Finding {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Finding::NeverStops { player, limit, seen, .. } => {
                let after = seen.elapsed.as_secs_f64();
                let end = if seen.stopped { "it had to be stopped" } else { "it ended by itself" };
                let go = go(limit);
                write!(f, "{player} does not stop at `{go}`: {end} after {after:.1} s ({seen})")
            }
            Finding::Overshoots { player, limit, seen } => {
                let after = seen.elapsed.as_secs_f64();
                write!(f, "{player} overshoots `{}`: {seen}, {after:.2} s", go(limit))
            }
            Finding::StopsShort { player, limit, seen } => {
                write!(f, "{player} stops far short of `{}`: {seen}", go(limit))
            }
            Finding::Fails { limit, fault } => write!(f, "{fault} after `{}`", go(limit)),
            Finding::DoesNotRepeat { player, limit, before, after, kept } => {
                let how = match kept {
                    Kept::InProcess => "does not clear its state on `ucinewgame`",
                    Kept::Nothing => "does not search alike twice",
                };
                let go = go(limit);
                write!(f, "{player} {how}: `{go}` gave {before}, then {after}")
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
