//! One search of the probe, and whether it respects its limit.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::super::search::SearchResult;
use super::super::{Fault, FaultKind, Info, Limit, Line, Player, TimeControl, Timed, respects};

/// Middlegames without a forced move, and without castling, whose notation differs in Chess960.
pub(super) const MIDDLE_GAME: &str =
    "r2q1rk1/pp2bppp/2n1bn2/2pp4/3P4/1PN1PN2/PB2BPPP/R2Q1RK1 w - - 0 10";
pub(super) const OTHER_GAME: &str =
    "r1b2rk1/2q1bppp/p1np1n2/1p2p3/4P3/1BN2N2/PPP1QPPP/R1B2RK1 b - - 0 12";

/// Largest limits of a probe: enough to decide, and short.
const MAX_NODES: u64 = 10_000;
const MAX_DEPTH: u8 = 5;
const MAX_MOVE_TIME: Duration = Duration::from_millis(100);
const MAX_CLOCK: Duration = Duration::from_secs(1);

/// Time after which a search far beyond its limit is stopped.
const OVERRUN_TIME: Duration = Duration::from_secs(1);
/// Time beyond its limit after which a silent search is stopped.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(5);
/// A search that takes [`OVERSHOOT_FACTOR`] its limit and this on top overshoots, even on a busy machine.
const OVERSHOOT_TIME: Duration = Duration::from_millis(500);
const OVERSHOOT_FACTOR: u32 = 5;

/// Whether an engine respects a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compliance {
    /// Near enough, or too slow to reach it within the probe.
    Respects,
    /// It had to be stopped, or ended by itself far beyond the limit.
    NeverStops,
    /// It ended well beyond the limit.
    Overshoots,
    /// It ended long before the limit.
    StopsShort,
    /// Another value of the limit gave the same search.
    Ignores,
}

/// Above this, a hundred times the node limit means that the limit is ignored: an engine may check
/// it only every 65,536 nodes.
const UNLIMITED_NODES: u64 = 200_000;

impl Compliance {
    /// Of a search with this limit.
    pub(super) fn from_search(limit: Limit, seen: &SearchResult) -> Compliance {
        let depth = seen.depth.unwrap_or(0);
        match limit {
            Limit::Nodes(requested) => match seen.nodes {
                // Stopped for its silence, short of the limit: slow.
                Some(nodes) if seen.stopped && nodes < requested => Compliance::Respects,
                _ if seen.stopped => Compliance::NeverStops,
                Some(nodes) if nodes > requested.saturating_mul(100).max(UNLIMITED_NODES) => {
                    Compliance::NeverStops
                }
                Some(nodes) if nodes > requested && !respects(requested, nodes) => {
                    Compliance::Overshoots
                }
                // Tree searches without iterations report depth 1 to the end.
                Some(nodes)
                    if requested >= 1_000
                        && (nodes < requested / 20 || depth == 1 && nodes < requested / 2) =>
                {
                    Compliance::StopsShort
                }
                _ => Compliance::Respects,
            },
            Limit::Depth(requested) => match seen.depth {
                Some(depth) if seen.stopped && depth <= u32::from(requested) => {
                    Compliance::Respects
                }
                _ if seen.stopped => Compliance::NeverStops,
                Some(depth) if depth > u32::from(requested) + 1 => Compliance::Overshoots,
                Some(1) if requested >= 3 => Compliance::StopsShort,
                _ => Compliance::Respects,
            },
            Limit::MoveTime(_) | Limit::Clock(_) if seen.stopped => Compliance::NeverStops,
            Limit::MoveTime(time) if seen.elapsed > time * OVERSHOOT_FACTOR + OVERSHOOT_TIME => {
                Compliance::Overshoots
            }
            Limit::Clock(control) if seen.elapsed > control.base + OVERSHOOT_TIME => {
                Compliance::Overshoots
            }
            Limit::MoveTime(_) | Limit::Clock(_) => Compliance::Respects,
            // The first part that is reached ends the search: none may be passed, and only one
            // has to be reached.
            Limit::Combined { .. } => {
                let parts: Vec<Compliance> = limit
                    .parts()
                    .into_iter()
                    .map(|part| Compliance::from_search(part, seen))
                    .collect();
                let worst = [Compliance::NeverStops, Compliance::Overshoots];
                match worst.into_iter().find(|bad| parts.contains(bad)) {
                    Some(bad) => bad,
                    None if parts.iter().all(|part| *part == Compliance::StopsShort) => {
                        Compliance::StopsShort
                    }
                    None => Compliance::Respects,
                }
            }
        }
    }
}

/// A smaller limit that shows the same in less time.
pub(super) fn shortened(limit: Limit) -> Limit {
    match limit {
        Limit::Nodes(nodes) => Limit::Nodes(nodes.min(MAX_NODES)),
        Limit::Depth(depth) => Limit::Depth(depth.min(MAX_DEPTH)),
        Limit::MoveTime(time) => Limit::MoveTime(time.min(MAX_MOVE_TIME)),
        Limit::Clock(control) => Limit::Clock(shortened_clock(control)),
        Limit::Combined { time, nodes, depth } => Limit::Combined {
            time: time.map(|time| match time {
                Timed::Clock(control) => Timed::Clock(shortened_clock(control)),
                Timed::MoveTime(time) => Timed::MoveTime(time.min(MAX_MOVE_TIME)),
            }),
            nodes: nodes.map(|nodes| nodes.min(MAX_NODES)),
            depth: depth.map(|depth| depth.min(MAX_DEPTH)),
        },
    }
}

fn shortened_clock(control: TimeControl) -> TimeControl {
    TimeControl {
        base: control.base.min(MAX_CLOCK),
        increment: control.increment.min(MAX_MOVE_TIME),
        ..control
    }
}

/// Searches a position in a new game; stops a search that does not end.
///
/// # Errors
/// A [`Fault`] when it fails otherwise than by searching on; also when it does not even respect
/// `stop`.
pub(super) fn search(
    player: &mut dyn Player,
    fen: &str,
    limit: Limit,
    chess960: bool,
) -> Result<SearchResult, Fault> {
    player.new_game(chess960)?;
    let (go, time) = limit.single_search();
    let time = time.unwrap_or(Duration::ZERO);
    let parts = limit.parts();
    let line = Line { fen: Some(fen), moves: &[] };
    let begun = Instant::now();
    let mut last = Info::default();
    let mut stopped = false;
    let mut observe = |info: &Info| {
        // Infos after `stop` may have a lesser depth than the one beyond the limit.
        if stopped {
            return ControlFlow::Break(());
        }
        last = Info { pv: Vec::new(), ..info.clone() };
        let is_beyond = parts.iter().any(|part| match *part {
            Limit::Nodes(nodes) => {
                info.nodes.is_some_and(|visited| visited > nodes.saturating_mul(20))
            }
            Limit::Depth(depth) => info.depth.is_some_and(|seen| seen > u32::from(depth) + 1),
            Limit::MoveTime(_) | Limit::Clock(_) | Limit::Combined { .. } => false,
        });
        let too_long = begun.elapsed() > OVERRUN_TIME;
        if is_beyond && too_long {
            stopped = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    let patience = time * OVERSHOOT_FACTOR + SILENCE_TIMEOUT;
    let reply = player.go(line, &go, patience, &mut observe);
    let elapsed = begun.elapsed();
    let best_move = match reply {
        Ok(reply) => {
            if !stopped {
                last = reply.info;
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
    let Info { depth, nodes, score, .. } = last;
    Ok(SearchResult { best_move, depth, nodes, score, elapsed, stopped })
}
