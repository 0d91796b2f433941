//! What the histories of a node's moves are keyed by.

use super::history::PieceTo;
use super::tree::Tree;
use crate::board::{
    Bitboard, Position, Role, bishop_attacks, king_attacks, knight_attacks, pawn_attacks,
    rook_attacks,
};

/// Where a node's moves stand: what was played before, and what is under attack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting {
    /// The moves one, two and four plies ago.
    pub before: [Option<PieceTo>; 3],
    /// Squares that the opponent attacks.
    pub attacked: Bitboard,
}

impl<P, E> Tree<'_, P, E> {
    /// The moves before this ply.
    fn before(&self, ply: usize) -> [Option<PieceTo>; 3] {
        [1, 2, 4].map(|plies| ply.checked_sub(plies).and_then(|ply| self.frames[ply].piece_to))
    }

    /// The setting of a node at this ply.
    pub fn setting(&self, position: &Position, ply: usize) -> Setting {
        Setting { before: self.before(ply), attacked: attacked(position) }
    }

    /// The setting of a node of which only captures are looked at: no history of theirs is keyed
    /// by it.
    pub fn setting_of_captures(&self) -> Setting {
        Setting { before: [None; 3], attacked: Bitboard::EMPTY }
    }

    /// The last two moves, nearest first, unless one was a null move or lies before the root.
    pub fn last_moves(&self, ply: usize) -> Option<[PieceTo; 2]> {
        let [last, before, _] = self.before(ply);
        Some([last?, before?])
    }
}

/// Squares that the side not to move attacks.
fn attacked(position: &Position) -> Bitboard {
    let side = !position.side();
    let occupied = position.occupied();
    let mine = position.by_color(side);
    let mut attacked = king_attacks(position.king(side));
    for square in position.pieces(side, Role::Pawn) {
        attacked |= pawn_attacks(side, square);
    }
    for square in position.pieces(side, Role::Knight) {
        attacked |= knight_attacks(square);
    }
    for square in position.diagonal_sliders() & mine {
        attacked |= bishop_attacks(square, occupied);
    }
    for square in position.straight_sliders() & mine {
        attacked |= rook_attacks(square, occupied);
    }
    attacked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Square;

    #[test]
    fn a_square_counts_as_attacked_where_a_piece_of_the_opponent_reaches_it() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
        ] {
            let position = Position::from_fen(fen).expect("valid");
            let attacked = attacked(&position);
            for square in Square::ALL {
                let by = position.attackers_to(square, position.occupied());
                let expected = (by & position.by_color(!position.side())).any();
                assert_eq!(attacked.contains(square), expected, "{fen} {square}");
            }
        }
    }
}
