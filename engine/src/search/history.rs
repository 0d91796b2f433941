//! History heuristics: how often moves caused cutoffs elsewhere in the tree. Moves are ordered,
//! pruned and reduced by them (J. Schaeffer, "The history heuristic", 1983).

use super::rows::{Row, Rows};
use crate::board::{
    Bitboard, Move, Position, Role, bishop_attacks, king_attacks, knight_attacks, pawn_attacks,
    rook_attacks,
};

/// Largest absolute value of a history entry.
const LIMIT: i32 = 16_384;

/// Entries of pawn history, indexed by pawn key.
const PAWN_SLOTS: usize = 1024;

/// Divisor of continuation history of the move four plies ago, which says less.
const FOUR_PLIES_DIVISOR: i32 = 2;

/// Factor and divisor of a quiet move's sum: its four parts are correlated, and the sum is scaled to
/// the size of one of three.
const QUIET_SCALE: (i32, i32) = (3, 4);

/// A piece and its destination: the index of continuation history.
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

/// Keys of the histories of a node's quiet moves, besides the moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct HistoryContext {
    /// The moves one, two and four plies ago, for continuation history.
    previous: [Option<PieceTo>; 3],
    /// Squares that the opponent attacks.
    threats: Bitboard,
}

impl HistoryContext {
    /// For nodes that search captures only: capture history needs no context.
    pub const EMPTY: HistoryContext =
        HistoryContext { previous: [None; 3], threats: Bitboard::EMPTY };

    pub fn new(position: &Position, previous: [Option<PieceTo>; 3]) -> HistoryContext {
        HistoryContext { previous, threats: threats(position) }
    }
}

/// Squares that the side not to move attacks.
fn threats(position: &Position) -> Bitboard {
    let side = !position.side();
    let occupied = position.occupied();
    let own = position.by_color(side);
    let mut threats = king_attacks(position.king(side));
    for square in position.pieces(side, Role::Pawn) {
        threats |= pawn_attacks(side, square);
    }
    for square in position.pieces(side, Role::Knight) {
        threats |= knight_attacks(square);
    }
    for square in position.diagonal_sliders() & own {
        threats |= bishop_attacks(square, occupied);
    }
    for square in position.straight_sliders() & own {
        threats |= rook_attacks(square, occupied);
    }
    threats
}

/// Histories of one search thread.
pub(super) struct Histories {
    /// Butterfly history of quiet moves: by side, by threats to origin and destination, by origin
    /// and destination.
    butterfly: Box<[[[i16; 64 * 64]; 4]; 2]>,
    /// Pawn history of quiet moves: by pawn structure, piece and destination.
    pawns: Rows,
    /// Capture history: by piece, destination and captured role.
    captures: Box<[[i16; 6]; PieceTo::COUNT]>,
    /// Continuation history of quiet moves: by an earlier move, piece and destination.
    continuations: Rows,
    /// Counter moves: the quiet move that last refuted a move.
    counter_moves: Box<[Option<Move>; PieceTo::COUNT]>,
}

/// The rows of a node's quiet moves in the histories, looked up once for all of them.
pub(super) struct QuietHistories<'a> {
    threats: Bitboard,
    butterfly: &'a [[i16; 64 * 64]; 4],
    pawns: &'a Row,
    /// Continuations of the moves one, two and four plies ago.
    continuations: [&'a Row; 3],
}

/// Continuation history after no move.
static NO_CONTINUATION: Row = [0; PieceTo::COUNT];

impl QuietHistories<'_> {
    /// The sum of butterfly, pawn and continuation history of a move.
    pub fn score(&self, position: &Position, m: Move) -> i32 {
        let butterfly = i32::from(self.butterfly[threat_slot(self.threats, m)][from_to(m)]);
        let Some(piece_to) = PieceTo::new(position, m) else { return butterfly };
        let at = piece_to.index();
        let [one, two, four] = self.continuations.map(|row| i32::from(row[at]));
        let pawns = i32::from(self.pawns[at]);
        let sum = butterfly + pawns + one + two + four / FOUR_PLIES_DIVISOR;
        let (scale, divisor) = QUIET_SCALE;
        scale * sum / divisor
    }
}

impl Histories {
    pub fn new() -> Histories {
        Histories {
            butterfly: Box::new([[[0; 64 * 64]; 4]; 2]),
            pawns: Rows::new(PAWN_SLOTS),
            captures: Box::new([[0; 6]; PieceTo::COUNT]),
            continuations: Rows::new(PieceTo::COUNT),
            counter_moves: Box::new([None; PieceTo::COUNT]),
        }
    }

    /// Sets all entries to 0, and removes the counter moves.
    pub fn clear(&mut self) {
        let Histories { butterfly, pawns, captures, continuations, counter_moves } = self;
        butterfly.as_flattened_mut().as_flattened_mut().fill(0);
        pawns.clear();
        captures.as_flattened_mut().fill(0);
        continuations.clear();
        counter_moves.fill(None);
    }

    /// The histories of a node's quiet moves.
    pub fn quiet_histories(
        &self,
        position: &Position,
        keys: &HistoryContext,
    ) -> QuietHistories<'_> {
        let continuations = keys
            .previous
            .map(|m| m.map_or(&NO_CONTINUATION, |m| self.continuations.row(m.index())));
        QuietHistories {
            threats: keys.threats,
            butterfly: &self.butterfly[position.side() as usize],
            pawns: self.pawns.row(pawn_slot(position)),
            continuations,
        }
    }

    /// The sum of butterfly, pawn and continuation history of a quiet move.
    pub fn quiet(&self, position: &Position, m: Move, keys: &HistoryContext) -> i32 {
        self.quiet_histories(position, keys).score(position, m)
    }

    /// Capture history of a move.
    pub fn capture(&self, position: &Position, m: Move) -> i32 {
        PieceTo::new(position, m)
            .map_or(0, |piece_to| i32::from(self.captures[piece_to.index()][victim(position, m)]))
    }

    /// The quiet move that last refuted the previous move.
    pub fn counter_move(&self, keys: &HistoryContext) -> Option<Move> {
        keys.previous[0].and_then(|m| self.counter_moves[m.index()])
    }

    /// A bonus for the quiet move that caused a cutoff, a malus for those searched before it.
    pub fn update_quiets(
        &mut self,
        position: &Position,
        best: Move,
        searched: &[Move],
        keys: &HistoryContext,
        bonus: i32,
    ) {
        self.update_quiet(position, best, keys, bonus);
        for &m in searched {
            self.update_quiet(position, m, keys, -bonus);
        }
        if let Some(previous) = keys.previous[0] {
            self.counter_moves[previous.index()] = Some(best);
        }
    }

    fn update_quiet(&mut self, position: &Position, m: Move, keys: &HistoryContext, bonus: i32) {
        let butterfly = &mut self.butterfly[position.side() as usize];
        apply_gravity(&mut butterfly[threat_slot(keys.threats, m)][from_to(m)], bonus);
        if let Some(piece_to) = PieceTo::new(position, m) {
            let pawns = self.pawns.row_mut(pawn_slot(position));
            apply_gravity(&mut pawns[piece_to.index()], bonus);
            for previous in keys.previous.iter().flatten() {
                let continuations = self.continuations.row_mut(previous.index());
                apply_gravity(&mut continuations[piece_to.index()], bonus);
            }
        }
    }

    /// Updates capture history.
    pub fn update_capture(&mut self, position: &Position, m: Move, bonus: i32) {
        if let Some(piece_to) = PieceTo::new(position, m) {
            apply_gravity(&mut self.captures[piece_to.index()][victim(position, m)], bonus);
        }
    }
}

fn from_to(m: Move) -> usize {
    m.from() as usize * 64 + m.to() as usize
}

fn threat_slot(threats: Bitboard, m: Move) -> usize {
    2 * usize::from(threats.contains(m.from())) + usize::from(threats.contains(m.to()))
}

fn pawn_slot(position: &Position) -> usize {
    position.pawn_key() as usize % PAWN_SLOTS
}

/// Index of the captured role; a pawn for a promotion without capture.
fn victim(position: &Position, m: Move) -> usize {
    position.captured(m).map_or(Role::Pawn as usize - 1, |role| role as usize - 1)
}

/// History gravity: moves an entry towards the limit of the bonus's sign, the slower the nearer it is.
fn apply_gravity(entry: &mut i16, bonus: i32) {
    let value = i32::from(*entry);
    *entry = (value + bonus - value * bonus.abs() / LIMIT).clamp(-LIMIT, LIMIT) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Square;

    #[test]
    fn a_move_that_cuts_rises_and_those_searched_before_it_fall_within_bounds() {
        let position = Position::startpos();
        let find = |text| position.parse_uci(text, false).expect("legal");
        let best = find("e2e4");
        let searched = [find("d2d4"), find("g1f3")];
        let keys = HistoryContext::EMPTY;
        let mut histories = Histories::new();
        for _ in 0..1000 {
            histories.update_quiets(&position, best, &searched, &keys, 1500);
        }
        assert!(histories.quiet(&position, best, &keys) > 10_000);
        assert!(histories.quiet(&position, searched[1], &keys) < -10_000);
        assert!(histories.quiet(&position, best, &keys) <= 2 * LIMIT);
    }

    #[test]
    fn threats_are_the_squares_that_a_piece_of_the_opponent_attacks() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
        ] {
            let position = Position::from_fen(fen).expect("valid");
            let threats = threats(&position);
            for square in Square::ALL {
                let by = position.attackers_to(square, position.occupied());
                let expected = (by & position.by_color(!position.side())).any();
                assert_eq!(threats.contains(square), expected, "{fen} {square}");
            }
        }
    }
}
