//! What moves did elsewhere in the tree: the ground for ordering and reducing them.

use super::correction::Corrections;
use super::setting::Setting;
use crate::board::{Bitboard, Move, Position, Role};

/// No history goes beyond this, in either direction.
const LIMIT: i32 = 16_384;

/// Pawn structures told apart.
const PAWN_SLOTS: usize = 1024;

/// A piece and the square it went to: what a continuation is keyed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PieceTo(u16);

impl PieceTo {
    pub const COUNT: usize = 2 * 6 * 64;

    pub fn new(position: &Position, m: Move) -> Option<PieceTo> {
        let role = position.role_at(m.from())?;
        let piece = position.side() as u16 * 6 + (role as u16 - 1);
        Some(PieceTo(piece * 64 + m.to() as u16))
    }

    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Histories of one search thread.
pub(super) struct Histories {
    /// Quiet moves by side, by whether the opponent attacks where they come from and where they
    /// go to, and by from and to.
    butterfly: Box<[[[i16; 64 * 64]; 4]; 2]>,
    /// Quiet moves by the pawns around them.
    pawns: Vec<[i16; PieceTo::COUNT]>,
    /// Captures by piece, square and what was taken.
    captures: Box<[[i16; 6]; PieceTo::COUNT]>,
    /// Quiet moves after another move.
    continuations: Vec<[i16; PieceTo::COUNT]>,
    /// The quiet answer that last refuted a move.
    counters: Box<[Option<Move>; PieceTo::COUNT]>,
    /// How wrong the evaluation was.
    pub corrections: Corrections,
}

/// The histories of a position's quiet moves, looked up once for all of them.
pub(super) struct OfQuiets<'a> {
    attacked: Bitboard,
    butterfly: &'a [[i16; 64 * 64]; 4],
    pawns: &'a [i16; PieceTo::COUNT],
    /// After the moves one, two and four plies ago.
    after: [&'a [i16; PieceTo::COUNT]; 3],
}

/// The continuations of no move.
static NOTHING: [i16; PieceTo::COUNT] = [0; PieceTo::COUNT];

impl OfQuiets<'_> {
    /// How a move did, over butterfly, pawns and continuations.
    pub fn score(&self, position: &Position, m: Move) -> i32 {
        let butterfly = i32::from(self.butterfly[attack_slot(self.attacked, m)][from_to(m)]);
        let Some(piece_to) = PieceTo::new(position, m) else { return butterfly };
        let at = piece_to.index();
        let [one, two, four] = self.after.map(|row| i32::from(row[at]));
        let sum = butterfly + i32::from(self.pawns[at]) + one + two + four / 2;
        // The parts agree mostly; the sum is brought back to what three of them would give.
        3 * sum / 4
    }
}

impl Histories {
    pub fn new() -> Histories {
        Histories {
            butterfly: Box::new([[[0; 64 * 64]; 4]; 2]),
            pawns: vec![[0; PieceTo::COUNT]; PAWN_SLOTS],
            captures: Box::new([[0; 6]; PieceTo::COUNT]),
            continuations: vec![[0; PieceTo::COUNT]; PieceTo::COUNT],
            counters: Box::new([None; PieceTo::COUNT]),
            corrections: Corrections::new(),
        }
    }

    /// What is told of a position's quiet moves.
    pub fn of_quiets(&self, position: &Position, setting: &Setting) -> OfQuiets<'_> {
        let after = setting
            .before
            .map(|before| before.map_or(&NOTHING, |before| &self.continuations[before.index()]));
        OfQuiets {
            attacked: setting.attacked,
            butterfly: &self.butterfly[position.side() as usize],
            pawns: &self.pawns[pawn_slot(position)],
            after,
        }
    }

    /// How a quiet move did, over butterfly, pawns and continuations.
    pub fn quiet(&self, position: &Position, m: Move, setting: &Setting) -> i32 {
        self.of_quiets(position, setting).score(position, m)
    }

    /// How a capture did.
    pub fn capture(&self, position: &Position, m: Move) -> i32 {
        PieceTo::new(position, m)
            .map_or(0, |piece_to| i32::from(self.captures[piece_to.index()][taken(position, m)]))
    }

    /// The quiet move that last refuted the move before.
    pub fn counter(&self, setting: &Setting) -> Option<Move> {
        setting.before[0].and_then(|before| self.counters[before.index()])
    }

    /// Learns from a quiet move that cut, and from those tried in vain before it.
    pub fn reward_quiet(
        &mut self,
        position: &Position,
        best: Move,
        failed: &[Move],
        setting: &Setting,
        bonus: i32,
    ) {
        self.update_quiet(position, best, setting, bonus);
        for &m in failed {
            self.update_quiet(position, m, setting, -bonus);
        }
        if let Some(before) = setting.before[0] {
            self.counters[before.index()] = Some(best);
        }
    }

    fn update_quiet(&mut self, position: &Position, m: Move, setting: &Setting, bonus: i32) {
        let butterfly = &mut self.butterfly[position.side() as usize];
        gravitate(&mut butterfly[attack_slot(setting.attacked, m)][from_to(m)], bonus);
        if let Some(piece_to) = PieceTo::new(position, m) {
            gravitate(&mut self.pawns[pawn_slot(position)][piece_to.index()], bonus);
            for before in setting.before.iter().flatten() {
                let entry = &mut self.continuations[before.index()][piece_to.index()];
                gravitate(entry, bonus);
            }
        }
    }

    /// Learns how a capture did.
    pub fn update_capture(&mut self, position: &Position, m: Move, bonus: i32) {
        if let Some(piece_to) = PieceTo::new(position, m) {
            gravitate(&mut self.captures[piece_to.index()][taken(position, m)], bonus);
        }
    }
}

fn from_to(m: Move) -> usize {
    m.from() as usize * 64 + m.to() as usize
}

fn attack_slot(attacked: Bitboard, m: Move) -> usize {
    2 * usize::from(attacked.contains(m.from())) + usize::from(attacked.contains(m.to()))
}

fn pawn_slot(position: &Position) -> usize {
    position.pawn_key() as usize % PAWN_SLOTS
}

fn taken(position: &Position, m: Move) -> usize {
    position.captured(m).map_or(Role::Pawn as usize - 1, |role| role as usize - 1)
}

/// Moves an entry towards the limit that the bonus points to, the slower the nearer it is.
fn gravitate(entry: &mut i16, bonus: i32) {
    let value = i32::from(*entry);
    *entry = (value + bonus - value * bonus.abs() / LIMIT).clamp(-LIMIT, LIMIT) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Bitboard;

    #[test]
    fn a_move_that_cuts_rises_and_those_before_it_fall_within_bounds() {
        let position = Position::startpos();
        let find = |text| position.parse_uci(text, false).expect("legal");
        let (best, failed) = (find("e2e4"), [find("d2d4"), find("g1f3")]);
        let setting = Setting { before: [None; 3], attacked: Bitboard::EMPTY };
        let mut histories = Histories::new();
        for _ in 0..1000 {
            histories.reward_quiet(&position, best, &failed, &setting, 1500);
        }
        assert!(histories.quiet(&position, best, &setting) > 10_000);
        assert!(histories.quiet(&position, failed[1], &setting) < -10_000);
        assert!(histories.quiet(&position, best, &setting) <= 2 * LIMIT);
    }
}
