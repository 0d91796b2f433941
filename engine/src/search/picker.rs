//! The move picker: returns the moves of a node in order, each kind generated as late as possible.

use super::history::{Histories, HistoryContext};
use crate::board::{Move, MoveList, Position, exchange_value};

/// The stages of a picker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    HashMove,
    GenerateNoisy,
    GoodNoisy,
    Refutations,
    GenerateQuiet,
    Quiet,
    /// Captures that lose material.
    BadNoisy,
    Done,
}

/// The moves of one node in order: hash move, good captures (by SEE), killers and counter move,
/// quiet moves by history, bad captures.
pub(super) struct Picker {
    stage: Stage,
    hash_move: Option<Move>,
    /// Killers and counter move.
    refutations: [Option<Move>; 3],
    next_refutation: usize,
    /// Noisy moves whose exchange gains less than this, in centipawns, are bad captures.
    threshold: i32,
    noisy_only: bool,
    /// Of the quiet move returned last.
    history: i32,
    scored: ScoredMoves,
}

/// The moves of a node and their ranks. Buffers are passed from picker to picker: initialising one
/// costs more than picking.
pub(super) struct Buffer {
    moves: [Option<Move>; MAX_MOVES],
    /// Sort keys of the moves: their scores, with their indices in the lowest bits.
    ranks: [i32; MAX_MOVES],
    /// Moves returned last, in this order.
    deferred: [Option<Move>; MAX_MOVES],
}

/// No position has more moves.
const MAX_MOVES: usize = 256;

/// Bits of a rank that hold the index.
const INDEX_BITS: u32 = MAX_MOVES.ilog2();

/// The rank of a move that was picked.
const PICKED: i32 = i32::MIN;

/// A pool of unused buffers.
#[derive(Default)]
#[expect(clippy::vec_box, reason = "a box is moved from picker to picker, not its contents")]
pub(super) struct Buffers(Vec<Box<Buffer>>);

impl Buffers {
    /// A buffer with unspecified content.
    fn take(&mut self) -> Box<Buffer> {
        let new = || {
            let none = [None; MAX_MOVES];
            Box::new(Buffer { moves: none, ranks: [PICKED; MAX_MOVES], deferred: none })
        };
        self.0.pop().unwrap_or_else(new)
    }

    /// Takes back the buffer of a picker.
    pub fn recycle(&mut self, picker: Picker) {
        self.0.push(picker.scored.buffer);
    }
}

/// Moves with their scores, sorted by selection: most nodes need only the first few. Some are
/// deferred to the end.
struct ScoredMoves {
    buffer: Box<Buffer>,
    /// Moves to pick from.
    count: usize,
    /// Moves deferred, and how many of them have been returned.
    deferred: usize,
    next_deferred: usize,
}

impl ScoredMoves {
    fn fill(&mut self, moves: &MoveList, mut score: impl FnMut(Move) -> i32) {
        self.count = moves.len();
        let Buffer { moves: slots, ranks, .. } = &mut *self.buffer;
        for (index, m) in moves.iter().copied().enumerate() {
            let score = score(m);
            debug_assert!(
                score.abs() < i32::MAX >> INDEX_BITS,
                "{score} leaves no room for an index"
            );
            slots[index] = Some(m);
            // Of equal scores the first move has the highest rank.
            ranks[index] = (score << INDEX_BITS) + (MAX_MOVES - 1 - index) as i32;
        }
    }

    /// Removes the first of the moves with the highest score, and returns it with its score. The
    /// highest rank holds its index, so the loop has no branch that depends on the scores.
    fn pop(&mut self) -> Option<(Move, i32)> {
        let ranks = &mut self.buffer.ranks[..self.count];
        let best = ranks.iter().fold(PICKED, |best, &rank| best.max(rank));
        if best == PICKED {
            return None;
        }
        let index = MAX_MOVES - 1 - best as usize % MAX_MOVES;
        ranks[index] = PICKED;
        Some((self.buffer.moves[index]?, best >> INDEX_BITS))
    }

    /// Defers a popped move.
    fn defer(&mut self, m: Move) {
        self.buffer.deferred[self.deferred] = Some(m);
        self.deferred += 1;
    }

    /// The next deferred move.
    fn pop_deferred(&mut self) -> Option<Move> {
        let m = *self.buffer.deferred[..self.deferred].get(self.next_deferred)?;
        self.next_deferred += 1;
        m
    }
}

impl Picker {
    /// A picker of all moves.
    pub fn new(
        buffers: &mut Buffers,
        position: &Position,
        hash_move: Option<Move>,
        killers: [Option<Move>; 2],
        counter: Option<Move>,
    ) -> Picker {
        let mut refutations = [killers[0], killers[1], counter];
        for at in 0..refutations.len() {
            if refutations[at] == hash_move || refutations[..at].contains(&refutations[at]) {
                refutations[at] = None;
            }
        }
        let mut picker = Picker::noisy(buffers, position, hash_move, 0);
        picker.refutations = refutations;
        picker.noisy_only = false;
        picker
    }

    /// A picker of captures and queen promotions; those that gain less than `threshold` centipawns
    /// are bad captures.
    pub fn noisy(
        buffers: &mut Buffers,
        position: &Position,
        hash_move: Option<Move>,
        threshold: i32,
    ) -> Picker {
        debug_assert!(hash_move.is_none_or(|m| position.is_legal(m)));
        Picker {
            stage: if hash_move.is_some() { Stage::HashMove } else { Stage::GenerateNoisy },
            hash_move,
            refutations: [None; 3],
            next_refutation: 0,
            threshold,
            noisy_only: true,
            history: 0,
            scored: ScoredMoves { buffer: buffers.take(), count: 0, deferred: 0, next_deferred: 0 },
        }
    }

    /// Whether the last move returned is a bad capture.
    pub fn is_losing_capture(&self) -> bool {
        self.stage == Stage::BadNoisy
    }

    /// The history by which the last move returned was ordered; `None` if it was ordered by
    /// something else.
    pub fn history(&self) -> Option<i32> {
        (self.stage == Stage::Quiet).then_some(self.history)
    }

    /// Skips the remaining quiet moves.
    pub fn skip_quiets(&mut self) {
        if matches!(self.stage, Stage::Refutations | Stage::GenerateQuiet | Stage::Quiet) {
            self.stage = Stage::BadNoisy;
        }
        self.noisy_only = true;
    }

    /// The next move. Histories are read when its kind of moves is generated.
    pub fn next(
        &mut self,
        position: &Position,
        histories: &Histories,
        keys: &HistoryContext,
    ) -> Option<Move> {
        loop {
            match self.stage {
                Stage::HashMove => {
                    self.stage = Stage::GenerateNoisy;
                    return self.hash_move;
                }
                Stage::GenerateNoisy => {
                    self.generate_noisy(position, histories);
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => match self.scored.pop() {
                    Some((m, _)) if Some(m) == self.hash_move => {}
                    Some((m, _)) if position.see_at_least(m, self.threshold) => return Some(m),
                    Some((m, _)) => self.scored.defer(m),
                    None if self.noisy_only => self.stage = Stage::BadNoisy,
                    None => self.stage = Stage::Refutations,
                },
                Stage::Refutations => match self.refutations.get(self.next_refutation) {
                    Some(refutation) => {
                        self.next_refutation += 1;
                        // Refutations come from other positions. Their legality is tested this
                        // late because most nodes cut off before.
                        if refutation.is_some_and(|m| !position.is_noisy(m) && position.is_legal(m))
                        {
                            return *refutation;
                        }
                    }
                    None => self.stage = Stage::GenerateQuiet,
                },
                Stage::GenerateQuiet => {
                    self.generate_quiet(position, histories, keys);
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => match self.scored.pop() {
                    Some((m, _))
                        if Some(m) == self.hash_move || self.refutations.contains(&Some(m)) => {}
                    Some((m, history)) => {
                        self.history = history;
                        return Some(m);
                    }
                    None => self.stage = Stage::BadNoisy,
                },
                Stage::BadNoisy => {
                    let m = self.scored.pop_deferred();
                    if m.is_none() {
                        self.stage = Stage::Done;
                    }
                    return m;
                }
                Stage::Done => return None,
            }
        }
    }

    // Not inlined: the compiler would compute the constants of these loops in every call of `next`.
    #[inline(never)]
    fn generate_noisy(&mut self, position: &Position, histories: &Histories) {
        self.scored.fill(&position.noisy_moves(), |m| noisy_score(position, histories, m));
    }

    #[inline(never)]
    fn generate_quiet(
        &mut self,
        position: &Position,
        histories: &Histories,
        keys: &HistoryContext,
    ) {
        let quiets = histories.quiet_histories(position, keys);
        self.scored.fill(&position.quiet_moves(), |m| quiets.score(position, m));
    }
}

/// Weight of the captured piece among captures, per centipawn.
const VICTIM_WEIGHT: i32 = 32;
/// Weight of the capturing piece, per role.
const ATTACKER_WEIGHT: i32 = 16;

/// Most valuable victim, least valuable attacker (MVV-LVA) and capture history.
fn noisy_score(position: &Position, histories: &Histories, m: Move) -> i32 {
    let victim = position.captured(m).map_or(0, exchange_value);
    let promotion = m.promotion().map_or(0, exchange_value);
    let attacker = position.role_at(m.from()).map_or(0, |role| role as i32);
    VICTIM_WEIGHT * (victim + promotion) - ATTACKER_WEIGHT * attacker
        + histories.capture(position, m)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_comes_first_of_equals_the_first_and_deferred_moves_come_again() {
        let moves = Position::startpos().legal_moves();
        let scores = [-5, 7, -60_000, 7, 0, 80_000, -5];
        let buffer = Buffers::default().take();
        let mut scored = ScoredMoves { buffer, count: 0, deferred: 0, next_deferred: 0 };
        let score = |m: Move| {
            let index = moves.iter().position(|&other| other == m).expect("one of them");
            scores.get(index).copied().unwrap_or(-70_000)
        };
        scored.fill(&moves, score);
        let mut wanted: Vec<Move> = moves.to_vec();
        wanted.sort_by_key(|&m| std::cmp::Reverse(score(m)));
        let picked: Vec<Move> = std::iter::from_fn(|| scored.pop())
            .map(|(m, rank)| {
                assert_eq!(rank, score(m));
                m
            })
            .collect();
        assert_eq!(picked, wanted);
        scored.defer(picked[3]);
        scored.defer(picked[1]);
        assert_eq!(scored.pop(), None);
        assert_eq!(
            [(); 3].map(|()| scored.pop_deferred()),
            [Some(picked[3]), Some(picked[1]), None]
        );
    }

    #[test]
    fn every_legal_move_comes_once_and_the_hash_move_first() {
        let histories = Histories::new();
        let mut buffers = Buffers::default();
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
        ] {
            let position = Position::from_fen(fen).expect("valid");
            let legal = position.legal_moves();
            for hash_move in legal.iter().copied() {
                let killers = [legal.first().copied(), legal.last().copied()];
                let mut picker =
                    Picker::new(&mut buffers, &position, Some(hash_move), killers, killers[0]);
                let mut picked = Vec::new();
                while let Some(m) = picker.next(&position, &histories, &HistoryContext::EMPTY) {
                    picked.push(m);
                }
                buffers.recycle(picker);
                assert_eq!(picked[0], hash_move);
                let mut all: Vec<u16> = picked.iter().map(|m| m.raw()).collect();
                let mut want: Vec<u16> = legal.iter().map(|m| m.raw()).collect();
                all.sort_unstable();
                want.sort_unstable();
                assert_eq!(all, want, "{fen} {hash_move:?}");
            }
        }
    }
}
