//! Perft speed beside shakmaty's own perft; both count the last ply instead of playing it.
//!
//! `cargo bench -p tench --bench perft [-- ROUNDS]`. The two take turns in one process, so that a
//! busy machine slows both; the medians are compared.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

use std::hint::black_box;
use std::time::Instant;

use engine::board::{Position, perft};
use shakmaty::{CastlingMode, Chess, fen::Fen};

const POSITIONS: [(&str, u32, &str); 7] = [
    ("start", 6, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    ("kiwipete", 5, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
    ("rook endgame", 7, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"),
    ("promotions", 5, "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"),
    ("opening", 5, "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"),
    ("middlegame", 5, "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"),
    ("chess960", 5, "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9"),
];

fn main() {
    // Cargo passes `--bench`, and whatever follows `--`.
    let rounds = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(5);
    println!(
        "{:<14} {:>5} {:>12} {:>12} {:>12} {:>7}",
        "position", "depth", "nodes", "tench", "shakmaty", "ratio"
    );
    let mut ratios = Vec::new();
    for (name, depth, fen) in POSITIONS {
        let ours = Position::from_fen(fen).expect("a legal position");
        let mode = if name == "chess960" { CastlingMode::Chess960 } else { CastlingMode::Standard };
        let theirs: Chess = fen.parse::<Fen>().expect("a FEN").into_position(mode).expect("legal");
        let (mut our_speeds, mut their_speeds, mut nodes) = (Vec::new(), Vec::new(), 0);
        for _ in 0..rounds.max(1) {
            let (leaves, speed) = timed(|| perft(black_box(&ours), depth));
            our_speeds.push(speed);
            let (expected, speed) = timed(|| shakmaty::perft(black_box(&theirs), depth));
            their_speeds.push(speed);
            assert_eq!(leaves, expected, "{name}: the two counts differ");
            nodes = leaves;
        }
        let (ours, theirs) = (median(&mut our_speeds), median(&mut their_speeds));
        ratios.push(ours / theirs);
        println!(
            "{name:<14} {depth:>5} {nodes:>12} {ours:>7.1} Mnps {theirs:>7.1} Mnps {:>7.2}",
            ours / theirs
        );
    }
    println!("ratio: median {:.2}, lowest {:.2}", median(&mut ratios), ratios[0]);
}

/// The count, and the speed in million leaves a second.
fn timed(count: impl FnOnce() -> u64) -> (u64, f64) {
    let start = Instant::now();
    let leaves = black_box(count());
    (leaves, leaves as f64 / start.elapsed().as_secs_f64() / 1e6)
}

/// The middle of the values, which are sorted by it.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
