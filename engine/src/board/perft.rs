//! Perft: counts the leaves of the legal move tree.

use super::Position;

/// Leaves of the legal move tree at a depth in plies. The last ply is counted, not played.
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves() as u64,
        _ => position
            .legal_moves()
            .iter()
            .map(|&m| {
                let mut next = *position;
                next.play(m);
                perft(&next, depth - 1)
            })
            .sum(),
    }
}
