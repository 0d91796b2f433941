//! The signature of the search: nodes of a fixed-depth search over fixed positions.
//!
//! A change that is not meant to change the search leaves the count unchanged.

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::board::Position;
use crate::params::{Fixed, Params, Values};
use crate::search::{Limits, Root, Searcher, no_report};

/// Default depth, in plies.
pub const DEPTH: u32 = 11;

/// Default size of the transposition table, in MiB.
pub const HASH_MIB: usize = 16;

/// Openings, middlegames, endgames and positions in check, with castling, en passant, promotions,
/// fortresses and short mates.
const POSITIONS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R b KQkq - 2 5",
    "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2PP1N2/PP1N1PPP/R1BQ1RK1 b - - 2 8",
    "rnbq1rk1/ppp1bppp/4pn2/3p4/2PP4/2N2N2/PP2PPPP/R1BQKB1R w KQ - 4 6",
    "r2q1rk1/pp1bbppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2Q1RK1 w - - 5 10",
    "r1b2rk1/2q1bppp/p1nppn2/1p6/3NP3/1BN1B3/PPP1QPPP/2KR3R w - - 2 12",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "2rq1rk1/pb2bppp/1p2pn2/2np4/3P4/1PN1PN2/PB2BPPP/2RQ1RK1 w - - 0 14",
    "r2qr1k1/1bp1bpp1/p1np1n1p/1p2p3/3PP3/1BP2N1P/PP1N1PP1/R1BQR1K1 w - - 0 13",
    "3r1rk1/p1q2ppp/1pn1p3/2pn4/8/1PP1PN2/PBQ2PPP/3RR1K1 b - - 3 18",
    "r1b1k2r/1pq2ppp/p1n1pn2/2b5/4P3/2NB1N2/PPPBQPPP/R3K2R b KQkq - 6 10",
    "8/8/1p1r1k2/p1pPN1p1/P3KnP1/1P6/8/3R4 b - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 99 50",
    "4k3/4p3/4K3/8/8/8/4P3/8 w - - 0 1",
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 1",
    "8/8/1P6/5pr1/8/4R3/7k/2K5 w - - 0 1",
    "6k1/6p1/8/6KQ/1r6/q2b4/8/8 w - - 0 32",
    "5rk1/q6p/2p3bR/1pPp1rP1/1P1Pp3/P3B1Q1/1K3P2/R7 w - - 93 90",
    "r1bq2k1/pp3ppp/2n2n2/2bp4/3N4/2N1B3/PPPQ1PPP/2KR3R w - - 0 12",
    "1k1r3r/pp3p2/4p1qp/2p1P1p1/3PQ3/2P1R3/PP3PPP/4R1K1 w - - 0 24",
    "r4k1r/pp1b1ppp/1q2p3/2bpP3/8/2NB1N2/PPQ2PPP/R4RK1 w - - 0 16",
    "2r3k1/1p2bppp/p3p3/3rP3/3q4/1B1R2P1/PP1R1P1P/3Q2K1 w - - 0 25",
    "r2q1rk1/3bbppp/p2p1n2/1p1Pp3/4P3/2P2N1P/PPB2PP1/R1BQR1K1 b - - 0 17",
    "1r2r1k1/5pp1/p2p3p/q1pPn3/4PP2/2N4P/1PQ3P1/R4R1K b - - 0 26",
    "8/pp3kpp/2p5/4n3/4P3/P3BP2/1P3KPP/8 w - - 0 30",
    "3r2k1/pp2r1pp/2p5/4b3/2P1N3/1P4P1/P3RP1P/3R2K1 b - - 1 25",
    "5k2/ppp2p2/2nb3p/6p1/3P4/2P1BN1P/PP3PP1/6K1 w - - 0 27",
    "8/1p3k2/p1p2p2/P1P1p3/1P2P1K1/5P2/8/8 w - - 0 45",
    "2k5/8/2K5/2P5/8/8/8/8 w - - 0 1",
    "8/8/4kp2/p6p/P4K1P/6P1/8/8 b - - 0 50",
    "3q1rk1/5p1p/p3p1p1/1p1bP3/3P4/P5QP/1P3PP1/2R2BK1 w - - 0 30",
    "r1b1r1k1/pp1n1pbp/1qp3p1/3p4/1P1P4/2NBPN2/P4PPP/R1Q2RK1 w - - 1 14",
    "rnb1kb1r/pp3ppp/1q2pn2/2pp4/3P1B2/2P1PN2/PP3PPP/RN1QKB1R w KQkq - 2 6",
    "r2qk2r/ppp1bppp/2n1bn2/3pp3/8/1P1PPN2/PBP1BPPP/RN1Q1RK1 b kq - 0 8",
    "6rk/pp4pp/2p2p2/4n3/4P2q/2N1R3/PPQ2P1P/3R3K w - - 0 26",
    "8/2k5/3p1p2/2pPpP2/2P1P3/1K6/8/8 w - - 20 60",
];

/// The result of a bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bench {
    /// Nodes of all searches: the signature.
    pub nodes: u64,
    /// Time of all searches.
    pub time: Duration,
}

impl fmt::Display for Bench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let speed = self.nodes as f64 / self.time.as_secs_f64().max(1e-6);
        write!(f, "{} nodes {speed:.0} nps", self.nodes)
    }
}

/// Searches every position to this depth, each as a new game.
pub fn run<P: Params>(params: P, depth: u32) -> Bench {
    run_by(&mut Searcher::new(params, HASH_MIB), depth)
}

/// [`run`] with the compiled-in parameters and a transposition table of `hash_mib` MiB, which is cleared
/// for every position. Compiled in this crate: a crate that calls the generic function compiles a
/// copy of the whole search, with its own profile.
pub fn run_fixed(hash_mib: usize, depth: u32) -> Bench {
    run_by(&mut Searcher::new(Fixed, hash_mib), depth)
}

/// [`run_fixed`] with parameters that can be changed, at their defaults.
pub fn run_tunable(hash_mib: usize, depth: u32) -> Bench {
    run_by(&mut Searcher::new(Values::default(), hash_mib), depth)
}

/// [`run`] with a given searcher.
pub fn run_by<P: Params>(searcher: &mut Searcher<P>, depth: u32) -> Bench {
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let stop = AtomicBool::new(false);
    let mut bench = Bench { nodes: 0, time: Duration::ZERO };
    for fen in POSITIONS {
        let position = Position::from_fen(fen).expect("the list holds legal positions");
        searcher.new_game();
        let started = Instant::now();
        bench.nodes +=
            searcher.search(&Root::new(position), &limits, &stop, &mut no_report).last.nodes;
        bench.time += started.elapsed();
    }
    bench
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_parameters_search_the_same_tree() {
        assert_eq!(run_fixed(HASH_MIB, 6).nodes, run_tunable(HASH_MIB, 6).nodes);
    }
}
