//! Properties of the search, tested with all three drivers.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::{
    Algorithm, Clock, Limits, Pondering, Progress, Root, Score, ScoreBound, SearchResult, Searcher,
    no_report,
};
use crate::board::Position;
use crate::params::Fixed;

fn root(fen: &str) -> Root {
    Root::new(Position::from_fen(fen).expect("valid"))
}

fn play(root: &mut Root, moves: &str) {
    for text in moves.split_whitespace() {
        let m = root.position().parse_uci(text, false).expect("legal");
        root.play(m);
    }
}

fn search(algorithm: Algorithm, root: &Root, limits: &Limits) -> SearchResult {
    let mut searcher = Searcher::new(Fixed, 4);
    searcher.set_algorithm(algorithm);
    searcher.search(root, limits, &AtomicBool::new(false), &mut no_report)
}

fn depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

fn best(root: &Root, outcome: &SearchResult) -> String {
    outcome.best_move.map_or("none".into(), |m| root.position().uci(m, false).to_string())
}

#[test]
fn a_first_iteration_that_is_stopped_reports_what_it_found() {
    let root = root("r2qk2r/1ppb1p2/4p1p1/pn1pNn2/Q1PP3p/B3P1P1/P4PBP/2R1K2R b - - 0 20");
    for algorithm in Algorithm::ALL {
        let whole = search(algorithm, &root, &depth(1)).last.nodes;
        let mut reports = Vec::new();
        let mut searcher = Searcher::new(Fixed, 4);
        searcher.set_algorithm(algorithm);
        let mut report = |progress: &Progress| {
            reports.push((progress.depth, progress.bound));
            ControlFlow::Continue(())
        };
        let limits = nodes(whole - 1);
        let outcome = searcher.search(&root, &limits, &AtomicBool::new(false), &mut report);
        assert_eq!(reports, [(1, ScoreBound::Lower)], "{algorithm}, {whole} nodes");
        assert!(outcome.best_move.is_some());
    }
}

#[test]
fn mates_are_found_with_their_distance_by_every_driver() {
    for (fen, moves, deep) in [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1, 4),
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", 1, 4),
        ("r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1", 2, 8),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3, 10),
    ] {
        for algorithm in Algorithm::ALL {
            let outcome = search(algorithm, &root(fen), &depth(deep));
            assert_eq!(outcome.last.score, Score::Mate(moves), "{fen} {algorithm}");
        }
    }
    let mated = search(Algorithm::Negascout, &root("8/8/8/8/8/1k6/8/K1r5 w - - 0 1"), &depth(3));
    assert_eq!((mated.best_move, mated.last.score), (None, Score::Mate(0)));
}

#[test]
fn stalemate_is_a_draw_without_a_move() {
    let outcome = search(Algorithm::Negascout, &root("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), &depth(3));
    assert_eq!((outcome.best_move, outcome.last.score), (None, Score::Centipawns(0)));
}

#[test]
fn the_losing_side_repeats_when_it_can() {
    // Black is a rook down, but the queen checks for ever.
    for algorithm in Algorithm::ALL {
        let root = root("6k1/5p2/6p1/8/7q/8/5PP1/R4RK1 b - - 0 1");
        let outcome = search(algorithm, &root, &depth(6));
        assert!(matches!(outcome.last.score, Score::Centipawns(_)), "{algorithm}: {outcome:?}");
    }
    for algorithm in Algorithm::ALL {
        let root = root("7k/8/8/8/8/5q2/6r1/Q6K b - - 0 1");
        let outcome = search(algorithm, &root, &depth(4));
        assert!(matches!(outcome.last.score, Score::Mate(_)), "{algorithm}: {outcome:?}");
    }
}

#[test]
fn a_third_repetition_of_a_position_before_the_root_is_a_draw() {
    // White has a queen more and shuffles: moving back once more would be the third time.
    let mut root = root("7k/8/8/8/8/8/Q7/K7 w - - 0 1");
    play(&mut root, "a2a3 h8h7 a3a2 h7h8 a2a3 h8h7 a3a2");
    let only = root.position().parse_uci("h7h8", false).expect("legal");
    let limits = Limits { search_moves: vec![only], ..depth(4) };
    let outcome = search(Algorithm::Negascout, &root, &limits);
    assert_eq!(outcome.last.score, Score::Centipawns(0), "{outcome:?}");
}

#[test]
fn a_draw_by_repetition_does_not_poison_the_table() {
    let fen = "7k/8/8/8/8/8/Q7/K7 w - - 0 1";
    let mut searcher = Searcher::new(Fixed, 4);
    let stop = AtomicBool::new(false);
    let mut drawn = root(fen);
    play(&mut drawn, "a2a3 h8h7 a3a2 h7h8 a2a3 h8h7 a3a2");
    searcher.search(&drawn, &depth(8), &stop, &mut no_report);
    // The same positions without the history are won.
    let outcome = searcher.search(&root(fen), &depth(6), &stop, &mut no_report);
    let won = match outcome.last.score {
        Score::Mate(moves) => moves > 0,
        Score::Centipawns(value) => value > 300,
    };
    assert!(won, "{outcome:?}");
}

#[test]
fn fifty_moves_without_progress_are_a_draw_and_a_mate_on_the_hundredth_ply_is_not() {
    let drawn = search(Algorithm::Negascout, &root("7k/8/8/8/8/8/Q7/K7 w - - 99 90"), &depth(5));
    assert_eq!(drawn.last.score, Score::Centipawns(0));
    let mate = root("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 99 90");
    assert_eq!(search(Algorithm::Negascout, &mate, &depth(5)).last.score, Score::Mate(1));
}

#[test]
fn node_limits_are_exact_and_the_search_is_deterministic() {
    for algorithm in Algorithm::ALL {
        for limit in [1, 2, 500, 5_000, 20_011] {
            let start =
                root("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
            let first = search(algorithm, &start, &nodes(limit));
            assert_eq!(first.last.nodes, limit, "{algorithm}");
            assert!(first.best_move.is_some());
            let mut searcher = Searcher::new(Fixed, 4);
            searcher.set_algorithm(algorithm);
            let stop = AtomicBool::new(false);
            searcher.search(
                &root("8/8/8/8/8/5k2/6r1/7K b - - 0 1"),
                &nodes(3000),
                &stop,
                &mut no_report,
            );
            searcher.new_game();
            let again = searcher.search(&start, &nodes(limit), &stop, &mut no_report);
            assert_eq!(first.best_move, again.best_move, "{algorithm} {limit}");
            assert_eq!(first.last.score, again.last.score, "{algorithm} {limit}");
        }
    }
}

#[test]
fn the_best_move_is_the_head_of_the_last_line_reported() {
    for algorithm in Algorithm::ALL {
        for limit in (100..20_000).step_by(1_333) {
            let start =
                root("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10");
            let mut reported: Vec<Progress> = Vec::new();
            let mut searcher = Searcher::new(Fixed, 4);
            searcher.set_algorithm(algorithm);
            let stop = AtomicBool::new(false);
            let outcome = searcher.search(&start, &nodes(limit), &stop, &mut |progress| {
                reported.push(progress.clone());
                ControlFlow::Continue(())
            });
            if let Some(last) = reported.last() {
                assert_eq!(outcome.best_move, last.pv.first().copied(), "{algorithm} {limit}");
            }
            // Only the last report can be a bound, of an iteration that was stopped.
            let exact = reported.iter().filter(|progress| progress.bound == ScoreBound::Exact);
            assert!(exact.count() + 1 >= reported.len());
        }
    }
}

#[test]
fn a_report_that_breaks_off_is_the_last() {
    let mut reports = 0;
    let mut stop_at_third = |_: &Progress| {
        reports += 1;
        if reports == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let start = root("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let stop = AtomicBool::new(false);
    let outcome = Searcher::new(Fixed, 1).search(&start, &depth(9), &stop, &mut stop_at_third);
    assert_eq!((reports, outcome.last.depth), (3, 3));
}

#[test]
fn several_lines_start_with_different_moves_and_the_best_one_is_played() {
    let start = root("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3");
    for algorithm in Algorithm::ALL {
        for (lines, wanted) in [(3, 3), (200, 31)] {
            let mut seen: Vec<Progress> = Vec::new();
            let mut note = |progress: &Progress| {
                seen.push(progress.clone());
                ControlFlow::Continue(())
            };
            let limits = Limits { multipv: lines, ..depth(5) };
            let mut searcher = Searcher::new(Fixed, 4);
            searcher.set_algorithm(algorithm);
            let stop = AtomicBool::new(false);
            let outcome = searcher.search(&start, &limits, &stop, &mut note);
            let last: Vec<&Progress> = seen.iter().filter(|line| line.depth == 5).collect();
            assert_eq!(last.len(), wanted, "{algorithm}");
            let numbers: Vec<u32> = last.iter().map(|line| line.multipv).collect();
            assert_eq!(numbers, (1..=wanted as u32).collect::<Vec<_>>());
            let mut heads: Vec<String> =
                last.iter().map(|line| format!("{:?}", line.pv[0])).collect();
            assert_eq!(outcome.best_move, Some(last[0].pv[0]));
            heads.sort();
            heads.dedup();
            assert_eq!(heads.len(), wanted, "{algorithm}");
            let value = |line: &&Progress| match line.score {
                Score::Centipawns(value) => value,
                Score::Mate(moves) => 100_000 * moves.signum(),
            };
            assert!(last.is_sorted_by_key(|line| -value(line)), "{algorithm}");
        }
    }
}

#[test]
fn lines_are_legal() {
    for algorithm in Algorithm::ALL {
        let start = root("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
        let outcome = search(algorithm, &start, &depth(7));
        let mut position = *start.position();
        for m in outcome.last.pv {
            assert!(position.is_legal(m), "{algorithm}");
            position.play(m);
        }
    }
}

#[test]
fn a_move_comes_even_without_time() {
    let clock = Clock { remaining: Duration::ZERO, increment: Duration::ZERO, moves_to_go: None };
    for limits in [
        Limits { clock: Some(clock), ..Limits::default() },
        Limits { move_time: Some(Duration::ZERO), ..Limits::default() },
        nodes(1),
    ] {
        let root = root("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert!(search(Algorithm::Negascout, &root, &limits).best_move.is_some());
    }
    let stop = AtomicBool::new(true);
    let outcome = Searcher::new(Fixed, 1).search(
        &root("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        &Limits::default(),
        &stop,
        &mut no_report,
    );
    assert!(outcome.best_move.is_some());
}

#[test]
fn only_the_given_search_moves_are_searched() {
    let root = root("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1");
    let m = root.position().parse_uci("g1f1", false).expect("legal");
    let limits = Limits { search_moves: vec![m], ..depth(5) };
    assert_eq!(best(&root, &search(Algorithm::Negascout, &root, &limits)), "g1f1");
}

#[test]
fn a_search_for_mate_ends_when_it_is_found() {
    let limits = Limits { mate: Some(2), ..Limits::default() };
    let outcome = search(Algorithm::Negascout, &root("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"), &limits);
    assert_eq!(outcome.last.score, Score::Mate(2));
}

fn threaded(threads: usize) -> Searcher<Fixed> {
    let mut searcher = Searcher::new(Fixed, 4);
    searcher.set_threads(threads);
    searcher
}

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

#[test]
fn several_threads_find_mates_and_play_legal_moves_that_they_reported() {
    let stop = AtomicBool::new(false);
    let mate = root("r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1");
    for threads in [2, 3] {
        let mut searcher = threaded(threads);
        let outcome = searcher.search(&mate, &depth(8), &stop, &mut no_report);
        assert_eq!(outcome.last.score, Score::Mate(2));
        for limits in
            [nodes(1), nodes(2), nodes(30_000), depth(7), Limits { multipv: 3, ..depth(5) }]
        {
            let start = root(KIWIPETE);
            let mut best = None;
            let outcome = searcher.search(&start, &limits, &stop, &mut |progress| {
                if progress.multipv == 1 {
                    best = progress.pv.first().copied();
                }
                ControlFlow::Continue(())
            });
            let m = outcome.best_move.expect("there are legal moves");
            assert!(start.position().is_legal(m));
            assert!(best.is_none_or(|best| best == m), "{limits:?}");
            assert!(limits.nodes.is_none_or(|most| outcome.last.nodes <= most), "{outcome:?}");
        }
        let none = searcher.search(
            &root("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"),
            &depth(3),
            &stop,
            &mut no_report,
        );
        assert_eq!((none.best_move, none.last.score), (None, Score::Centipawns(0)));
    }
}

#[test]
fn nodes_are_those_of_all_threads() {
    let stop = AtomicBool::new(false);
    let outcome = threaded(2).search(&root(KIWIPETE), &nodes(60_000), &stop, &mut no_report);
    // The main thread's share is half of them.
    assert!(outcome.last.nodes > 30_000, "{outcome:?}");
}

#[test]
fn a_single_thread_searches_the_same_tree_after_a_search_with_helpers() {
    let stop = AtomicBool::new(false);
    let alone = threaded(1).search(&root(KIWIPETE), &depth(9), &stop, &mut no_report);
    let mut searcher = threaded(2);
    searcher.search(&root(KIWIPETE), &depth(6), &stop, &mut no_report);
    searcher.set_threads(1);
    searcher.new_game();
    let after = searcher.search(&root(KIWIPETE), &depth(9), &stop, &mut no_report);
    assert_eq!((alone.last.nodes, alone.last.pv), (after.last.nodes, after.last.pv));
}

#[test]
fn a_stop_reaches_all_threads() {
    let stop = AtomicBool::new(false);
    let mut searcher = threaded(4);
    // Without the stop the search would not end.
    let outcome = searcher.search(&root(KIWIPETE), &Limits::default(), &stop, &mut |progress| {
        if progress.depth == 4 {
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        }
        ControlFlow::Continue(())
    });
    assert!(outcome.threads[0].depth >= 4 && outcome.best_move.is_some(), "{outcome:?}");
}

#[test]
fn time_counts_from_when_go_was_received() {
    let hour = Duration::from_secs(3600);
    let limits = Limits {
        received: Instant::now().checked_sub(hour),
        move_time: Some(hour),
        ..Limits::default()
    };
    assert!(limits.received.is_some());
    let stop = AtomicBool::new(false);
    let outcome = threaded(2).search(&root(KIWIPETE), &limits, &stop, &mut no_report);
    // The main thread ends at the first check of the clock.
    assert!(outcome.last.time >= hour && outcome.threads[0].nodes <= 1024, "{outcome:?}");
}

#[test]
fn a_panic_of_one_thread_ends_the_others() {
    let searched = std::panic::catch_unwind(|| {
        threaded(3).search(
            &root(KIWIPETE),
            &Limits::default(),
            &AtomicBool::new(false),
            &mut |_| panic!("while it is reported"),
        )
    });
    assert!(searched.is_err());
}

#[test]
fn time_counts_only_from_the_move_that_was_pondered_on() {
    let clock = Clock { remaining: Duration::ZERO, increment: Duration::ZERO, moves_to_go: None };
    for limits in [
        Limits { clock: Some(clock), ..Limits::default() },
        Limits { move_time: Some(Duration::ZERO), ..Limits::default() },
    ] {
        let pondering = Arc::new(Pondering::default());
        let limits = Limits { pondering: Some(Arc::clone(&pondering)), ..limits };
        let stop = AtomicBool::new(false);
        // Without a ponder hit it would not end; with time from the start it would end at once.
        let outcome = threaded(2).search(&root(KIWIPETE), &limits, &stop, &mut |progress| {
            if progress.depth == 6 {
                pondering.hit();
            }
            ControlFlow::Continue(())
        });
        // The best thread may be a helper with a smaller depth.
        assert!(outcome.threads[0].depth >= 6, "{outcome:?}");
    }
}
