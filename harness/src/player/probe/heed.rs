//! One search of the probe, and whether it ended where it was to end.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use shakmaty::uci::UciMove;

use super::super::{Fault, FaultKind, Info, Limit, Line, Player, Score, TimeControl, Timed, heeds};

/// Middle games without a forced move, and without castling, which Chess960 writes otherwise.
pub(super) const MIDDLE_GAME: &str =
    "r2q1rk1/pp2bppp/2n1bn2/2pp4/3P4/1PN1PN2/PB2BPPP/R2Q1RK1 w - - 0 10";
pub(super) const OTHER_GAME: &str =
    "r1b2rk1/2q1bppp/p1np1n2/1p2p3/4P3/1BN2N2/PPP1QPPP/R1B2RK1 b - - 0 12";

/// The most that a probe asks for: enough to tell, soon over.
const NODES: u64 = 10_000;
const DEPTH: u8 = 5;
const MOVE_TIME: Duration = Duration::from_millis(100);
const CLOCK: Duration = Duration::from_secs(1);

/// A search that has gone far beyond its limit gets so long, and is then stopped.
const BEYOND: Duration = Duration::from_secs(1);
/// A search of which nothing is heard gets so long beyond the time that it may take.
const SILENCE: Duration = Duration::from_secs(5);
/// Later than asked by a factor of [`TIMES`] and this, a busy machine is no excuse.
const LATE: Duration = Duration::from_millis(500);
const TIMES: u32 = 5;

/// What a search of the probe came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// The move, if it answered.
    pub best_move: Option<UciMove>,
    /// Depth of its last line with a score.
    pub depth: Option<u32>,
    /// Nodes of that line.
    pub nodes: Option<u64>,
    /// Score of that line.
    pub score: Option<Score>,
    /// From `go` to `bestmove`, or to `stop`.
    pub elapsed: Duration,
    /// It had to be stopped.
    pub stopped: bool,
}

impl Seen {
    /// Whether two searches came to the same.
    pub(super) fn repeats(&self, other: &Seen) -> bool {
        let result = |seen: &Seen| (seen.best_move, seen.depth, seen.nodes, seen.score);
        result(self) == result(other)
    }
}

/// Whether an engine heeds a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heeding {
    /// Near enough, or too slow to come to it within the probe.
    Heeds,
    /// It had to be stopped, or ended by itself far beyond the limit.
    NeverStops,
    /// It ended well beyond the limit.
    Overshoots,
    /// It ended long before the limit.
    StopsShort,
}

/// Nodes from which on more than a hundred times those asked for mean that nobody counted: an
/// engine may look at the counter every 65,536 nodes.
const UNCOUNTED: u64 = 200_000;

impl Heeding {
    /// Of a search with this limit.
    pub(super) fn of(limit: Limit, seen: &Seen) -> Heeding {
        let depth = seen.depth.unwrap_or(0);
        match limit {
            Limit::Nodes(asked) => match seen.nodes {
                // Stopped for its silence, short of the limit: slow.
                Some(nodes) if seen.stopped && nodes < asked => Heeding::Heeds,
                _ if seen.stopped => Heeding::NeverStops,
                Some(nodes) if nodes > asked.saturating_mul(100).max(UNCOUNTED) => {
                    Heeding::NeverStops
                }
                Some(nodes) if nodes > asked && !heeds(asked, nodes) => Heeding::Overshoots,
                Some(nodes) if asked >= 1_000 && (depth == 1 || nodes < asked / 20) => {
                    Heeding::StopsShort
                }
                _ => Heeding::Heeds,
            },
            Limit::Depth(asked) => match seen.depth {
                Some(depth) if seen.stopped && depth <= u32::from(asked) => Heeding::Heeds,
                _ if seen.stopped => Heeding::NeverStops,
                Some(depth) if depth > u32::from(asked) + 1 => Heeding::Overshoots,
                Some(1) if asked >= 3 => Heeding::StopsShort,
                _ => Heeding::Heeds,
            },
            Limit::MoveTime(_) | Limit::Clock(_) if seen.stopped => Heeding::NeverStops,
            Limit::MoveTime(time) if seen.elapsed > time * TIMES + LATE => Heeding::Overshoots,
            Limit::Clock(control) if seen.elapsed > control.base + LATE => Heeding::Overshoots,
            Limit::MoveTime(_) | Limit::Clock(_) => Heeding::Heeds,
            // The first part that is reached ends the search: none may be passed, and only one
            // has to be reached.
            Limit::Combined { .. } => {
                let parts: Vec<Heeding> =
                    limit.parts().into_iter().map(|part| Heeding::of(part, seen)).collect();
                let worst = [Heeding::NeverStops, Heeding::Overshoots];
                match worst.into_iter().find(|bad| parts.contains(bad)) {
                    Some(bad) => bad,
                    None if parts.iter().all(|part| *part == Heeding::StopsShort) => {
                        Heeding::StopsShort
                    }
                    None => Heeding::Heeds,
                }
            }
        }
    }
}

/// The limit with which a probe shows as much in less time.
pub(super) fn shortened(limit: Limit) -> Limit {
    match limit {
        Limit::Nodes(nodes) => Limit::Nodes(nodes.min(NODES)),
        Limit::Depth(depth) => Limit::Depth(depth.min(DEPTH)),
        Limit::MoveTime(time) => Limit::MoveTime(time.min(MOVE_TIME)),
        Limit::Clock(control) => Limit::Clock(shortened_clock(control)),
        Limit::Combined { time, nodes, depth } => Limit::Combined {
            time: time.map(|time| match time {
                Timed::Clock(control) => Timed::Clock(shortened_clock(control)),
                Timed::MoveTime(time) => Timed::MoveTime(time.min(MOVE_TIME)),
            }),
            nodes: nodes.map(|nodes| nodes.min(NODES)),
            depth: depth.map(|depth| depth.min(DEPTH)),
        },
    }
}

fn shortened_clock(control: TimeControl) -> TimeControl {
    TimeControl {
        base: control.base.min(CLOCK),
        increment: control.increment.min(MOVE_TIME),
        ..control
    }
}

/// Searches a position in a new game, and stops what does not stop.
///
/// # Errors
/// A [`Fault`] when it fails otherwise than by searching on; also when it does not even heed
/// `stop`.
pub(super) fn search(
    player: &mut dyn Player,
    fen: &str,
    limit: Limit,
    chess960: bool,
) -> Result<Seen, Fault> {
    player.new_game(chess960)?;
    let (go, time) = limit.single_search();
    let time = time.unwrap_or(Duration::ZERO);
    let parts = limit.parts();
    let line = Line { fen: Some(fen), moves: &[] };
    let begun = Instant::now();
    let mut said = Info::default();
    let mut stopped = false;
    let mut observe = |info: &Info| {
        // What is said after `stop` may be of a lesser depth than what went beyond the limit.
        if stopped {
            return ControlFlow::Break(());
        }
        said = Info { pv: Vec::new(), ..info.clone() };
        let is_beyond = parts.iter().any(|part| match *part {
            Limit::Nodes(nodes) => {
                info.nodes.is_some_and(|visited| visited > nodes.saturating_mul(20))
            }
            Limit::Depth(depth) => info.depth.is_some_and(|seen| seen > u32::from(depth) + 1),
            Limit::MoveTime(_) | Limit::Clock(_) | Limit::Combined { .. } => false,
        });
        let too_long = begun.elapsed() > BEYOND;
        if is_beyond && too_long {
            stopped = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    let patience = time * TIMES + SILENCE;
    let reply = player.go(line, &go, patience, &mut observe);
    let elapsed = begun.elapsed();
    let best_move = match reply {
        Ok(reply) => {
            if !stopped {
                said = reply.info;
            }
            Some(reply.best_move)
        }
        Err(fault) if fault.kind == FaultKind::Hang => {
            stopped = true;
            // Sends `stop` and waits for the answer.
            player.new_game(chess960)?;
            None
        }
        // `bestmove (none)` of a search that was stopped.
        Err(fault) if stopped && fault.kind == FaultKind::NoMove => None,
        Err(fault) => return Err(fault),
    };
    let Info { depth, nodes, score, .. } = said;
    Ok(Seen { best_move, depth, nodes, score, elapsed, stopped })
}
