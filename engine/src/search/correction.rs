//! How wrong the evaluation was in positions like this one.

use super::history::PieceTo;
use super::score::Value;
use crate::board::{Color, Position, Role};
use crate::params::Params;

/// Slots of a table, a side.
const SLOTS: usize = 16_384;
/// Corrections are kept in parts of a centipawn.
const GRAIN: i32 = 256;
/// No correction goes beyond this many centipawns.
const LIMIT: i32 = 100;

/// Errors by side to move and slot.
type Table = Box<[[i16; SLOTS]; 2]>;

/// What the search found beyond the static evaluation, averaged over positions that share a
/// feature.
pub(super) struct Corrections {
    pawns: Table,
    /// By the pieces of White and of Black.
    pieces: [Table; 2],
    /// By the last two moves.
    moves: Vec<[i16; PieceTo::COUNT]>,
}

impl Corrections {
    pub fn new() -> Corrections {
        let table = || Box::new([[0; SLOTS]; 2]);
        Corrections {
            pawns: table(),
            pieces: [table(), table()],
            moves: vec![[0; PieceTo::COUNT]; PieceTo::COUNT],
        }
    }

    /// What experience adds to the evaluation, in centipawns; the last moves nearest first.
    pub fn get<P: Params>(
        &self,
        position: &Position,
        last: Option<[PieceTo; 2]>,
        params: &P,
    ) -> Value {
        let side = position.side() as usize;
        let pawns = i32::from(self.pawns[side][pawn_slot(position)]);
        let pieces: i32 = Color::ALL
            .into_iter()
            .map(|color| i32::from(self.pieces[color as usize][side][piece_slot(position, color)]))
            .sum();
        let moves =
            last.map_or(0, |[last, before]| i32::from(self.moves[before.index()][last.index()]));
        (pawns * params.correction_weight()
            + pieces * params.correction_pieces()
            + moves * params.correction_moves())
            / (256 * GRAIN)
    }

    /// Learns that the search found `error` centipawns more than the evaluation.
    pub fn update(
        &mut self,
        position: &Position,
        last: Option<[PieceTo; 2]>,
        error: Value,
        depth: i32,
    ) {
        let side = position.side() as usize;
        approach(&mut self.pawns[side][pawn_slot(position)], error, depth);
        for color in Color::ALL {
            let slot = piece_slot(position, color);
            approach(&mut self.pieces[color as usize][side][slot], error, depth);
        }
        if let Some([last, before]) = last {
            approach(&mut self.moves[before.index()][last.index()], error, depth);
        }
    }
}

/// A moving average, in which deeper searches weigh more.
fn approach(entry: &mut i16, error: Value, depth: i32) {
    let weight = (depth + 1).min(16);
    let mixed = (i32::from(*entry) * (256 - weight) + error * GRAIN * weight) / 256;
    *entry = mixed.clamp(-LIMIT * GRAIN, LIMIT * GRAIN) as i16;
}

fn pawn_slot(position: &Position) -> usize {
    position.pawn_key() as usize % SLOTS
}

/// A hash of where one side's king and pieces stand: each kind's squares times an odd number of
/// its own, the best mixed bits of the sum (D. Knuth, "The Art of Computer Programming", 6.4).
fn piece_slot(position: &Position, color: Color) -> usize {
    const KINDS: [(Role, u64); 5] = [
        (Role::Knight, 0x9e37_79b9_7f4a_7c15),
        (Role::Bishop, 0xc2b2_ae3d_27d4_eb4f),
        (Role::Rook, 0x1656_67b1_9e37_79f9),
        (Role::Queen, 0xd6e8_feb8_6659_fd93),
        (Role::King, 0xa076_1d64_78bd_642f),
    ];
    let mixed = KINDS.into_iter().fold(0, |mixed: u64, (role, factor)| {
        let squares: u64 = position.pieces(color, role).into();
        (mixed ^ squares).wrapping_mul(factor).rotate_left(29)
    });
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Fixed;

    #[test]
    fn a_correction_follows_the_error_and_stays_with_positions_alike() {
        let position = Position::startpos();
        let other = Position::from_fen(
            "r1bqk2r/pp1p1ppp/2n2n2/2b1p3/4P3/2NB1N2/PPP2PPP/R1BQ1RK1 w kq - 0 1",
        )
        .expect("valid");
        let mut corrections = Corrections::new();
        for _ in 0..500 {
            corrections.update(&position, None, 40, 10);
        }
        assert!((30..=60).contains(&corrections.get(&position, None, &Fixed)));
        assert_eq!(corrections.get(&other, None, &Fixed), 0);
        for _ in 0..5000 {
            corrections.update(&position, None, -3000, 20);
        }
        assert!(corrections.get(&position, None, &Fixed) < -60);
    }
}
