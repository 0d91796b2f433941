//! Correction history: the difference between search and static evaluation, averaged over positions
//! that share a feature (Chess Programming Wiki, "Static Evaluation Correction History").

use super::history::PieceTo;
use super::score::Value;
use crate::board::{Color, Position, Role};
use crate::params::Params;

/// Entries of a table per side.
const SLOTS: usize = 16_384;
/// Units of an entry per centipawn.
const GRAIN: i32 = 256;
/// Largest absolute value of a correction, in centipawns.
const LIMIT: i32 = 100;

/// Average errors by side to move and slot.
type Table = Box<[[i16; SLOTS]; 2]>;

/// The correction history of one search thread.
pub(super) struct CorrectionHistory {
    /// By pawn structure.
    pawns: Table,
    /// By the non-pawn pieces of White and of Black.
    pieces: [Table; 2],
    /// By the last two moves (continuation correction).
    moves: Vec<[i16; PieceTo::COUNT]>,
}

impl CorrectionHistory {
    pub fn new() -> CorrectionHistory {
        let table = || Box::new([[0; SLOTS]; 2]);
        CorrectionHistory {
            pawns: table(),
            pieces: [table(), table()],
            moves: vec![[0; PieceTo::COUNT]; PieceTo::COUNT],
        }
    }

    /// The correction to add to the static evaluation, in centipawns. `last`: the last two moves, the
    /// latest first.
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

    /// Updates the averages with an error: the searched value minus the static evaluation, in
    /// centipawns.
    pub fn update(
        &mut self,
        position: &Position,
        last: Option<[PieceTo; 2]>,
        error: Value,
        depth: i32,
    ) {
        let side = position.side() as usize;
        update_average(&mut self.pawns[side][pawn_slot(position)], error, depth);
        for color in Color::ALL {
            let slot = piece_slot(position, color);
            update_average(&mut self.pieces[color as usize][side][slot], error, depth);
        }
        if let Some([last, before]) = last {
            update_average(&mut self.moves[before.index()][last.index()], error, depth);
        }
    }
}

/// Exponential moving average; deeper searches have more weight.
fn update_average(entry: &mut i16, error: Value, depth: i32) {
    let weight = (depth + 1).min(16);
    let mixed = (i32::from(*entry) * (256 - weight) + error * GRAIN * weight) / 256;
    *entry = mixed.clamp(-LIMIT * GRAIN, LIMIT * GRAIN) as i16;
}

fn pawn_slot(position: &Position) -> usize {
    position.pawn_key() as usize % SLOTS
}

/// Multiplicative hash of one side's king and pieces: the bitboard of each role times an odd number
/// of its own (D. Knuth, "The Art of Computer Programming", 6.4).
fn piece_slot(position: &Position, color: Color) -> usize {
    const FACTORS: [(Role, u64); 5] = [
        (Role::Knight, 0x9e37_79b9_7f4a_7c15),
        (Role::Bishop, 0xc2b2_ae3d_27d4_eb4f),
        (Role::Rook, 0x1656_67b1_9e37_79f9),
        (Role::Queen, 0xd6e8_feb8_6659_fd93),
        (Role::King, 0xa076_1d64_78bd_642f),
    ];
    let mixed = FACTORS.into_iter().fold(0, |mixed: u64, (role, factor)| {
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
    fn a_correction_follows_the_error_of_positions_with_the_same_features() {
        let position = Position::startpos();
        let other = Position::from_fen(
            "r1bqk2r/pp1p1ppp/2n2n2/2b1p3/4P3/2NB1N2/PPP2PPP/R1BQ1RK1 w kq - 0 1",
        )
        .expect("valid");
        let mut corrections = CorrectionHistory::new();
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
