//! Won endgames without tablebases, played out against the engine's own defence.

use std::sync::atomic::AtomicBool;

use engine::board::Position;
use engine::params::Fixed;
use engine::search::{Limits, Root, Searcher, no_report};

/// Nodes a move.
const NODES: u64 = 20_000;

/// Plays on from a position; gives the plies to mate, or `None` after fifty moves.
fn plies_to_mate(fen: &str) -> Option<usize> {
    let mut root = Root::new(Position::from_fen(fen).expect("valid"));
    let mut players = [Searcher::new(Fixed, 4), Searcher::new(Fixed, 4)];
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    for ply in 0..100 {
        let player = &mut players[ply % 2];
        let outcome = player.search(&root, &limits, &AtomicBool::new(false), &mut no_report);
        let Some(best) = outcome.best_move else {
            return root.position().in_check().then_some(ply);
        };
        root.play(best);
    }
    None
}

#[test]
fn bishop_and_knight_mate_a_bare_king() {
    // Drawn at random; the network alone won two of twelve such endings.
    for fen in ["8/2N5/1K6/8/8/3B4/8/6k1 w - - 0 1", "8/5K2/8/8/6N1/8/B2k4/8 w - - 0 1"] {
        assert!(plies_to_mate(fen).is_some(), "{fen}");
    }
}

#[test]
fn a_queen_beats_a_pawn() {
    for fen in ["8/8/4K1Q1/8/4p3/8/2k5/8 w - - 0 1", "5K2/8/8/7Q/8/2p5/2k5/8 w - - 0 1"] {
        assert!(plies_to_mate(fen).is_some(), "{fen}");
    }
}
