//! Whether a limit makes a difference: two values of it, each in a fresh process, beside each other.
//!
//! An engine that ends its searches by something else may be near a limit by chance.

use std::time::Duration;

use super::super::search::SearchResult;
use super::super::{Fault, Limit, StartAgain};
use super::compliance::{MIDDLE_GAME, search};

/// Times the smaller number of nodes, or the shorter time, that the larger is.
const LIMIT_FACTOR: u64 = 8;
/// Plies between two depths.
const DEPTH_STEP: u8 = 3;
/// More nodes are not asked for where the first two values give the same.
const MAX_NODES: u64 = 400_000;
/// The longer time a move.
const LONG_MOVE_TIME: Duration = Duration::from_millis(240);

/// Two values of a limit, the smaller one first, with what came of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The limits.
    pub limits: [Limit; 2],
    /// The searches.
    pub seen: [SearchResult; 2],
}

/// Another value of a limit, far from it, and cheap: a smaller one where there is room below.
fn other(limit: Limit) -> Option<Limit> {
    match limit {
        Limit::Nodes(nodes) if nodes >= 1_000 => Some(Limit::Nodes(nodes / LIMIT_FACTOR)),
        Limit::Nodes(nodes) => Some(Limit::Nodes(nodes.saturating_mul(LIMIT_FACTOR))),
        Limit::Depth(depth) if depth > DEPTH_STEP => Some(Limit::Depth(depth - DEPTH_STEP)),
        Limit::Depth(depth) => Some(Limit::Depth(depth + DEPTH_STEP)),
        Limit::MoveTime(time) if time >= LONG_MOVE_TIME => {
            Some(Limit::MoveTime(time / LIMIT_FACTOR as u32))
        }
        Limit::MoveTime(_) => Some(Limit::MoveTime(LONG_MOVE_TIME)),
        // How an engine divides its time is its own affair.
        Limit::Clock(_) | Limit::Combined { .. } => None,
    }
}

/// The limit and another value of it, with their searches, if they are alike though the limits are
/// not; `seen` is the search with the limit. `None` where the limit is heeded, or an engine is too
/// slow to tell.
///
/// # Errors
/// A [`Fault`] when the engine cannot be started or fails in the search.
pub fn find_ignored_limit(
    limit: Limit,
    seen: SearchResult,
    chess960: bool,
    start: &StartAgain<'_>,
) -> Result<Option<Pair>, Fault> {
    let Some(other) = other(limit) else { return Ok(None) };
    let ask = |limit| search(start()?.as_mut(), MIDDLE_GAME, limit, chess960);
    let pair = Pair::new((limit, seen), (other, ask(other)?));
    if pair.differs() {
        return Ok(None);
    }
    // An engine may look at its counter only every few thousand nodes.
    let [_, Limit::Nodes(larger)] = pair.limits else { return Ok(Some(pair)) };
    let visited = pair.seen[1].nodes.unwrap_or(0);
    let further = Limit::Nodes(larger.max(visited).saturating_mul(LIMIT_FACTOR).min(MAX_NODES));
    let again = Pair::new((pair.limits[0], pair.seen[0]), (further, ask(further)?));
    Ok((!again.differs()).then_some(again))
}

impl Pair {
    /// Two limits with their searches, in either order.
    pub fn new(one: (Limit, SearchResult), other: (Limit, SearchResult)) -> Pair {
        let is_larger = match (one.0, other.0) {
            (Limit::Nodes(one), Limit::Nodes(other)) => one > other,
            (Limit::Depth(one), Limit::Depth(other)) => one > other,
            (Limit::MoveTime(one), Limit::MoveTime(other)) => one > other,
            _ => false,
        };
        let (small, large) = if is_larger { (other, one) } else { (one, other) };
        Pair { limits: [small.0, large.0], seen: [small.1, large.1] }
    }

    /// Whether the larger limit gave a larger search. A search that had to be stopped was one, and
    /// one that tells nothing of itself is believed.
    pub fn differs(&self) -> bool {
        let [small, large] = self.seen;
        if small.stopped || large.stopped {
            return true;
        }
        let nodes = small.nodes.zip(large.nodes);
        let doubled = nodes.map(|(small, large)| large >= small.max(1).saturating_mul(2));
        match self.limits {
            [Limit::Depth(_), Limit::Depth(_)] => match small.depth.zip(large.depth) {
                Some((small, large)) => large > small,
                None => nodes.is_none_or(|(small, large)| large > small),
            },
            [Limit::MoveTime(short), Limit::MoveTime(long)] => {
                let longer = large.elapsed.saturating_sub(small.elapsed);
                longer * 4 >= long - short || doubled == Some(true)
            }
            _ => doubled.unwrap_or(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(depth: u32, nodes: u64, milliseconds: u64) -> SearchResult {
        SearchResult {
            best_move: None,
            depth: Some(depth),
            nodes: Some(nodes),
            score: None,
            elapsed: Duration::from_millis(milliseconds),
            stopped: false,
        }
    }

    #[test]
    fn a_limit_that_makes_no_difference_is_told_from_one_that_does() {
        let silent = SearchResult { depth: None, nodes: None, ..seen(0, 0, 1) };
        let stopped = SearchResult { stopped: true, ..seen(2, 300, 5_000) };
        for (limits, small, large, differs) in [
            // laser, akimbo: what is asked does not matter.
            ("nodes=1250 nodes=10000", seen(3, 45, 0), seen(3, 45, 0), false),
            ("nodes=1250 nodes=10000", seen(4, 1_500, 1), seen(4, 1_731, 1), false),
            ("nodes=1250 nodes=10000", seen(5, 1_250, 1), seen(8, 10_001, 9), true),
            ("nodes=1250 nodes=10000", seen(5, 4_096, 1), seen(8, 12_288, 9), true),
            ("nodes=1250 nodes=10000", silent, silent, true),
            ("nodes=1250 nodes=10000", seen(1, 200, 900), stopped, true),
            ("depth=2 depth=5", seen(5, 1_500, 1), seen(5, 1_400, 1), false),
            ("depth=2 depth=5", seen(2, 80, 1), seen(5, 1_400, 1), true),
            ("depth=2 depth=5", silent, silent, true),
            ("movetime=30ms movetime=240ms", seen(5, 900, 1), seen(5, 1_000, 1), false),
            ("movetime=30ms movetime=240ms", seen(5, 9_000, 29), seen(7, 90_000, 230), true),
            // It keeps a good part of the time in reserve.
            ("movetime=30ms movetime=240ms", seen(5, 900, 1), seen(7, 9_000, 120), true),
        ] {
            let (one, other) = limits.split_once(' ').expect("two limits");
            let pair = |one: (&str, SearchResult), other: (&str, SearchResult)| {
                let of = |(limit, seen): (&str, SearchResult)| (limit.parse().expect(limit), seen);
                Pair::new(of(one), of(other))
            };
            assert_eq!(pair((one, small), (other, large)).differs(), differs, "{limits}");
            let turned = pair((other, large), (one, small));
            assert_eq!(turned.differs(), differs, "{limits}, the larger one first");
        }
    }

    #[test]
    fn the_other_value_is_far_from_the_limit() {
        for (limit, far) in [
            ("nodes=10000", Some("nodes=1250")),
            ("nodes=100", Some("nodes=800")),
            ("nodes=1", Some("nodes=8")),
            ("depth=5", Some("depth=2")),
            ("depth=1", Some("depth=4")),
            ("movetime=100ms", Some("movetime=240ms")),
            ("tc=1+0.1", None),
            ("tc=1,nodes=500", None),
        ] {
            let found = other(limit.parse().expect(limit)).map(|limit| limit.to_string());
            assert_eq!(found.as_deref(), far, "{limit}");
        }
    }
}
