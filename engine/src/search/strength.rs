//! Limited strength (`UCI_LimitStrength`, `UCI_Elo`).

use super::limits::{Limits, Root};
use super::weakness::Weakness;
use crate::board::Move;

/// A limited strength and the seed of its mistakes.
///
/// A weak player searches few nodes, and in them it overlooks moves and misjudges positions (see
/// [`Weakness`]). The mistakes are a function of the seed, the position and the move, so that games
/// are reproducible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    elo: u32,
    seed: u64,
}

/// A measured point of the map from Elo to settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Knot {
    /// Measured strength.
    pub elo: f64,
    /// Nodes per move.
    pub nodes: f64,
    /// See [`Weakness::overlook`].
    pub overlook: f64,
    /// See [`Weakness::misjudge`].
    pub misjudge: f64,
}

/// The map from Elo to settings, linear between the knots (in the logarithm of the nodes).
///
/// `harness calibrate` measures `elo` and prints this table again; a new network needs no more than
/// that. The scale is that of `UCI_Elo` of Stockfish 15.1, continued downwards by games of the knots
/// with each other. `harness docs levels` has the games and the errors.
pub const KNOTS: [Knot; 10] = [
    Knot { elo: 800.0, nodes: 150.0, overlook: 1.3, misjudge: 500.0 },
    Knot { elo: 905.0, nodes: 180.0, overlook: 1.1, misjudge: 350.0 },
    Knot { elo: 1055.0, nodes: 220.0, overlook: 0.9, misjudge: 250.0 },
    Knot { elo: 1165.0, nodes: 260.0, overlook: 0.7, misjudge: 180.0 },
    Knot { elo: 1335.0, nodes: 320.0, overlook: 0.5, misjudge: 120.0 },
    Knot { elo: 1460.0, nodes: 400.0, overlook: 0.35, misjudge: 80.0 },
    Knot { elo: 1660.0, nodes: 600.0, overlook: 0.2, misjudge: 40.0 },
    Knot { elo: 1815.0, nodes: 1_200.0, overlook: 0.1, misjudge: 20.0 },
    Knot { elo: 1975.0, nodes: 3_000.0, overlook: 0.03, misjudge: 6.0 },
    Knot { elo: 2235.0, nodes: 10_000.0, overlook: 0.0, misjudge: 0.0 },
];

impl Strength {
    /// The lowest strength, in Elo.
    pub const MIN: u32 = KNOTS[0].elo as u32;
    /// The highest strength, in Elo.
    pub const MAX: u32 = KNOTS[KNOTS.len() - 1].elo as u32;

    /// A strength of about `elo`, clamped to [`Strength::MIN`] and [`Strength::MAX`].
    pub fn new(elo: u32, seed: u64) -> Strength {
        Strength { elo: elo.clamp(Strength::MIN, Strength::MAX), seed }
    }

    /// The settings, interpolated between the knots.
    fn settings(self) -> Knot {
        let elo = f64::from(self.elo);
        let above = KNOTS.iter().skip(1).position(|knot| elo <= knot.elo);
        let lower = above.unwrap_or(KNOTS.len() - 2);
        let [from, to] = [&KNOTS[lower], &KNOTS[lower + 1]];
        let part = ((elo - from.elo) / (to.elo - from.elo)).clamp(0.0, 1.0);
        Knot {
            elo,
            nodes: from.nodes * (to.nodes / from.nodes).powf(part),
            overlook: from.overlook + part * (to.overlook - from.overlook),
            misjudge: from.misjudge + part * (to.misjudge - from.misjudge),
        }
    }

    /// Lowers the limits of a search to this strength: fewer nodes, mistakes, and of the moves to
    /// search those that are noticed, if any is.
    pub fn limit(self, root: &Root, limits: &mut Limits) {
        let Knot { nodes, overlook, misjudge, .. } = self.settings();
        let nodes = nodes as u64;
        limits.nodes = Some(limits.nodes.map_or(nodes, |asked| asked.min(nodes)));
        let weakness = Weakness { seed: self.seed, overlook, misjudge };
        limits.weakness = Some(weakness);

        let position = root.position();
        let asked = |m: &Move| limits.search_moves.is_empty() || limits.search_moves.contains(m);
        let noticed = |m: &Move| position.in_check() || !weakness.overlooks(position, *m, 0);
        let legal = position.legal_moves();
        let seen: Vec<Move> = legal.iter().copied().filter(|m| asked(m) && noticed(m)).collect();
        if !seen.is_empty() {
            limits.search_moves = seen;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::board::Position;
    use crate::params::Fixed;
    use crate::search::{SearchResult, Searcher, no_report};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn search(
        searcher: &mut Searcher<Fixed>,
        fen: &str,
        strength: Option<Strength>,
    ) -> SearchResult {
        let root = Root::new(Position::from_fen(fen).expect("valid"));
        let mut limits = Limits { depth: Some(6), ..Limits::default() };
        strength.iter().for_each(|strength| strength.limit(&root, &mut limits));
        searcher.search(&root, &limits, &AtomicBool::new(false), &mut no_report)
    }

    fn play(fen: &str, strength: Strength) -> String {
        let outcome = search(&mut Searcher::new(Fixed, 1), fen, Some(strength));
        let m = outcome.best_move.expect("there are moves");
        Position::from_fen(fen).expect("valid").uci(m, false).to_string()
    }

    #[test]
    fn settings_lie_between_those_of_the_knots_and_rise() {
        assert!(KNOTS.is_sorted_by(|a, b| {
            a.elo < b.elo
                && a.nodes < b.nodes
                && a.overlook >= b.overlook
                && a.misjudge >= b.misjudge
        }));
        for elo in 0..4000 {
            let one = Strength::new(elo, 0).settings();
            let next = Strength::new(elo + 1, 0).settings();
            assert!(one.nodes <= next.nodes && one.overlook >= next.overlook, "{elo}");
            assert!(one.misjudge >= next.misjudge && next.misjudge >= 0.0, "{elo}");
        }
    }

    #[test]
    fn mistakes_depend_on_the_seed_and_can_be_repeated() {
        let choice = |seed| play(START, Strength::new(Strength::MIN, seed));
        assert_eq!(choice(7), choice(7));
        assert!((0..20).any(|seed| choice(seed) != choice(7)));
    }

    #[test]
    fn the_weakest_mostly_takes_a_hanging_queen_and_mates_in_one() {
        let takes = "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1";
        let mates = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
        for (fen, best) in [(takes, "e4d5"), (mates, "d1d8")] {
            let found = (0..100).filter(|&seed| play(fen, Strength::new(0, seed)) == best).count();
            assert!(found >= 75, "{best}: {found} of 100");
        }
    }

    #[test]
    fn a_search_at_full_strength_knows_nothing_of_an_earlier_weak_one() {
        let mut used = Searcher::new(Fixed, 1);
        search(&mut used, START, Some(Strength::new(0, 3)));
        let after = search(&mut used, START, None);
        let fresh = search(&mut Searcher::new(Fixed, 1), START, None);
        assert_eq!((after.last.nodes, after.best_move), (fresh.last.nodes, fresh.best_move));
    }
}
