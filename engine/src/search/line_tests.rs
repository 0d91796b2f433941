//! Every line that a search reports is one that can be played: tested by the rules of the board.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use super::{Algorithm, Limits, Progress, Root, Score, ScoreBound, Searcher};
use crate::board::Position;
use crate::params::Fixed;

/// Positions with mates for and against the side to move, endings full of repetitions, and a fortress.
const POSITIONS: [&str; 14] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "rnbqkb1r/p3pppp/1p6/2ppP3/3N4/2P5/PPP1QPPP/R1B1KB1R w KQkq - 0 1",
    "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1",
    "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1",
    "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1",
    "8/8/8/8/8/5k2/6r1/7K b - - 0 1",
    "8/8/8/8/8/6k1/6r1/7K w - - 0 1",
    "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 95 50",
    "7k/8/8/8/8/8/Q7/K7 w - - 92 90",
    "8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 1",
    "6k1/5p2/6p1/8/7q/8/5PP1/R4RK1 b - - 0 1",
    "5rk1/q6p/2p3bR/1pPp1rP1/1P1Pp3/P3B1Q1/1K3P2/R7 w - - 93 90",
    "8/8/8/4k3/8/8/4KBn1/8 w - - 0 1",
    "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1",
];

/// The fault of a reported line, by the rules of chess alone.
fn flaw(root: &Root, progress: &Progress) -> Option<String> {
    let mut position = *root.position();
    let mut keys: Vec<u64> = root.earlier_keys().to_vec();
    for (played, &m) in progress.pv.iter().enumerate() {
        let repeated = keys.iter().filter(|&&key| key == position.key()).count() >= 2;
        let over = repeated
            || position.halfmove_clock() >= 100
            || position.is_insufficient_material()
            || !position.has_legal_move();
        if over && played > 0 {
            return Some(format!("goes on after {played} moves"));
        }
        if !position.is_legal(m) {
            return Some(format!("illegal move after {played}"));
        }
        keys.push(position.key());
        position.play(m);
    }
    let Score::Mate(moves) = progress.score else { return None };
    if progress.bound != ScoreBound::Exact {
        return None;
    }
    let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
    let mated = position.in_check() && !position.has_legal_move();
    (progress.pv.len() != plies as usize || !mated).then(|| format!("is no mate in {moves}"))
}

/// All reports of a search.
fn reports(searcher: &mut Searcher<Fixed>, root: &Root, limits: &Limits) -> Vec<Progress> {
    let mut all = Vec::new();
    let mut note = |progress: &Progress| {
        all.push(progress.clone());
        ControlFlow::Continue(())
    };
    searcher.search(root, limits, &AtomicBool::new(false), &mut note);
    all
}

fn nodes(nodes: u64, multipv: u32) -> Limits {
    Limits { nodes: Some(nodes), multipv, ..Limits::default() }
}

#[test]
fn lines_end_where_the_game_ends_and_mates_have_their_length() {
    let mut mates = 0;
    let mut bounds = 0;
    for algorithm in Algorithm::ALL {
        for (threads, multipv) in [(1, 1), (1, 3), (2, 1)] {
            let mut searcher = Searcher::new(Fixed, 1);
            searcher.set_algorithm(algorithm);
            searcher.set_threads(threads);
            for fen in POSITIONS {
                let root = Root::new(Position::from_fen(fen).expect("valid"));
                for progress in reports(&mut searcher, &root, &nodes(20_000, multipv)) {
                    let flaw = flaw(&root, &progress);
                    assert_eq!(flaw, None, "{fen} {algorithm} {multipv}: {progress:?}");
                    let mate = matches!(progress.score, Score::Mate(_));
                    mates += usize::from(mate);
                    bounds += usize::from(mate && progress.bound != ScoreBound::Exact);
                }
            }
        }
    }
    assert!(mates > 500 && bounds * 20 <= mates, "{bounds} of {mates} mates are bounds");
}

#[test]
fn lines_of_a_game_end_with_its_third_occurrences() {
    for (fen, multipv) in [(POSITIONS[10], 1), (POSITIONS[8], 2), (POSITIONS[9], 4)] {
        let mut root = Root::new(Position::from_fen(fen).expect("valid"));
        let mut searcher = Searcher::new(Fixed, 1);
        // On beyond the end of the game, as in an analysis: the lines then are a single move.
        for _ in 0..60 {
            let reports = reports(&mut searcher, &root, &nodes(1_500, multipv));
            for progress in &reports {
                assert_eq!(flaw(&root, progress), None, "{fen}: {progress:?}");
            }
            let best = reports.iter().rev().find(|progress| progress.multipv == 1);
            let Some(&m) = best.and_then(|progress| progress.pv.first()) else { break };
            root.play(m);
        }
    }
}

#[test]
fn a_search_that_is_stopped_leaves_every_rank_with_a_move_of_its_own() {
    let fens = [POSITIONS[0], POSITIONS[1], POSITIONS[10]];
    for fen in fens {
        let root = Root::new(Position::from_fen(fen).expect("valid"));
        for algorithm in Algorithm::ALL {
            for limit in (3_000..9_000).step_by(397) {
                let mut searcher = Searcher::new(Fixed, 1);
                searcher.set_algorithm(algorithm);
                let limits = nodes(limit, 3);
                let mut all = Vec::new();
                let mut note = |progress: &Progress| {
                    all.push(progress.clone());
                    ControlFlow::Continue(())
                };
                let stop = AtomicBool::new(false);
                let outcome = searcher.search(&root, &limits, &stop, &mut note);
                let last: Vec<&Progress> = all.iter().rev().take(3).rev().collect();
                let ranks: Vec<u32> = last.iter().map(|line| line.multipv).collect();
                assert_eq!(ranks, [1, 2, 3], "{fen} {algorithm} {limit}");
                let mut heads: Vec<_> = last.iter().map(|line| line.pv[0].raw()).collect();
                assert_eq!(outcome.best_move.map(|m| m.raw()), heads.first().copied());
                heads.sort_unstable();
                heads.dedup();
                assert_eq!(heads.len(), 3, "{fen} {algorithm} {limit}: {last:?}");
                // Those of the iteration that was stopped, then those of the one before.
                assert!(last.is_sorted_by_key(|line| std::cmp::Reverse(line.depth)));
            }
        }
    }
}

#[test]
fn a_search_of_a_few_nodes_reports_its_move() {
    let root = Root::new(Position::from_fen(POSITIONS[0]).expect("valid"));
    for limit in 1..40 {
        for multipv in [1, 3] {
            let mut searcher = Searcher::new(Fixed, 1);
            let mut all: Vec<Progress> = Vec::new();
            let mut note = |progress: &Progress| {
                all.push(progress.clone());
                ControlFlow::Continue(())
            };
            let stop = AtomicBool::new(false);
            let outcome = searcher.search(&root, &nodes(limit, multipv), &stop, &mut note);
            let best = all.iter().rev().find(|progress| progress.multipv == 1);
            let head = best.and_then(|progress| progress.pv.first().copied());
            assert!(head.is_some() && head == outcome.best_move, "{limit} {multipv}: {all:?}");
        }
    }
}
