//! Correction history: the difference between search and static evaluation, averaged over positions
//! that share a feature (Chess Programming Wiki, "Static Evaluation Correction History").

use super::history::PieceTo;
use super::prefetch::prefetch;
use super::rows::Rows;
use super::score::Value;
use crate::board::{Color, Position};
use crate::params::Params;

/// Entries of a table per side.
const SLOTS: usize = 16_384;
/// Units of an entry per centipawn.
const GRAIN: i32 = 256;
/// Largest absolute value of a correction, in centipawns.
const LIMIT: i32 = 100;

/// One, in the unit of the weights of averages.
const ONE: i32 = 256;
/// Largest weight of a new error, in 256ths.
const MAX_WEIGHT: i32 = 16;

/// Average errors by side to move and slot.
type Table = Box<[[i16; SLOTS]; 2]>;

/// The correction history of one search thread.
pub(super) struct CorrectionHistory {
    /// By pawn structure.
    pawns: Table,
    /// By the non-pawn pieces of White and of Black.
    pieces: [Table; 2],
    /// By the last two moves (continuation correction).
    moves: Rows,
}

impl CorrectionHistory {
    pub fn new() -> CorrectionHistory {
        let table = || Box::new([[0; SLOTS]; 2]);
        CorrectionHistory {
            pawns: table(),
            pieces: [table(), table()],
            moves: Rows::new(PieceTo::COUNT),
        }
    }

    /// Sets all averages to 0.
    pub fn clear(&mut self) {
        let CorrectionHistory { pawns, pieces, moves } = self;
        for table in std::iter::once(pawns).chain(pieces) {
            table.as_flattened_mut().fill(0);
        }
        moves.clear();
    }

    /// Fetches the entries of a position into the cache.
    pub fn prefetch(&self, slots: CorrectionSlots) {
        let side = slots.side;
        prefetch(&self.pawns[side][slots.pawns]);
        for (table, slot) in self.pieces.iter().zip(slots.pieces) {
            prefetch(&table[side][slot]);
        }
        if let Some([last, before]) = slots.moves {
            prefetch(&self.moves.row(before.index())[last.index()]);
        }
    }

    /// The correction to add to the static evaluation, in centipawns.
    pub fn get<P: Params>(&self, slots: CorrectionSlots, params: &P) -> Value {
        let side = slots.side;
        let pawns = i32::from(self.pawns[side][slots.pawns]);
        let [black, white] = [0, 1].map(|at| i32::from(self.pieces[at][side][slots.pieces[at]]));
        let moves = slots
            .moves
            .map_or(0, |[last, before]| i32::from(self.moves.row(before.index())[last.index()]));
        (pawns * params.correction_weight()
            + (black + white) * params.correction_pieces()
            + moves * params.correction_moves())
            / (ONE * GRAIN)
    }

    /// Updates the averages with an error: the searched value minus the static evaluation, in
    /// centipawns.
    pub fn update(&mut self, slots: CorrectionSlots, error: Value, depth: i32) {
        let side = slots.side;
        update_average(&mut self.pawns[side][slots.pawns], error, depth);
        for (table, slot) in self.pieces.iter_mut().zip(slots.pieces) {
            update_average(&mut table[side][slot], error, depth);
        }
        if let Some([last, before]) = slots.moves {
            let moves = self.moves.row_mut(before.index());
            update_average(&mut moves[last.index()], error, depth);
        }
    }
}

/// Where the averages of a position are.
#[derive(Clone, Copy, Debug)]
pub(super) struct CorrectionSlots {
    side: usize,
    pawns: usize,
    /// Of Black and of White.
    pieces: [usize; 2],
    /// The last two moves, the latest first.
    moves: Option<[PieceTo; 2]>,
}

impl CorrectionSlots {
    /// Those of no position.
    pub const NONE: CorrectionSlots =
        CorrectionSlots { side: 0, pawns: 0, pieces: [0; 2], moves: None };

    /// `last`: the last two moves, the latest first.
    pub fn new(position: &Position, last: Option<[PieceTo; 2]>) -> CorrectionSlots {
        CorrectionSlots {
            side: position.side() as usize,
            pawns: pawn_slot(position),
            pieces: [Color::Black, Color::White].map(|color| piece_slot(position, color)),
            moves: last,
        }
    }
}

/// Exponential moving average; deeper searches have more weight.
fn update_average(entry: &mut i16, error: Value, depth: i32) {
    let weight = (depth + 1).min(MAX_WEIGHT);
    let mixed = (i32::from(*entry) * (ONE - weight) + error * GRAIN * weight) / ONE;
    *entry = mixed.clamp(-LIMIT * GRAIN, LIMIT * GRAIN) as i16;
}

fn pawn_slot(position: &Position) -> usize {
    position.pawn_key() as usize % SLOTS
}

fn piece_slot(position: &Position, color: Color) -> usize {
    position.piece_key(color) as usize % SLOTS
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
        let slots = CorrectionSlots::new(&position, None);
        let mut corrections = CorrectionHistory::new();
        for _ in 0..500 {
            corrections.update(slots, 40, 10);
        }
        assert!((30..=60).contains(&corrections.get(slots, &Fixed)));
        assert_eq!(corrections.get(CorrectionSlots::new(&other, None), &Fixed), 0);
        for _ in 0..5000 {
            corrections.update(slots, -3000, 20);
        }
        assert!(corrections.get(slots, &Fixed) < -60);
    }
}
