//! Hands out the moves of a node, the most promising first, each generated as late as possible.

use super::history::Histories;
use super::setting::Setting;
use crate::board::{Move, MoveList, Position, exchange_value};

/// Where the picker is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    HashMove,
    GenerateNoisy,
    GoodNoisy,
    Refutations,
    GenerateQuiet,
    Quiet,
    BadNoisy,
    Done,
}

/// The moves of one node in order: hash move, captures that lose nothing, killers and counter
/// move, quiet moves by history, captures that lose something.
pub(super) struct Picker {
    stage: Stage,
    hash_move: Option<Move>,
    /// Killers and counter move, and how many of them were handed out.
    refutations: [Option<Move>; 3],
    refuted: usize,
    /// Noisy moves that lose more than this many centipawns come last, or not at all.
    threshold: i32,
    noisy_only: bool,
    scored: Scored,
}

/// Room for the moves of a node and their ranks, handed from picker to picker since filling it
/// anew would cost more than picking.
pub(super) type Buffer = Box<Room>;

pub(super) struct Room {
    moves: [Option<Move>; MOST],
    /// What the moves are picked by: their scores, and their places in the last bits.
    ranks: [i32; MOST],
    /// Moves kept until the end, in that order.
    put_off: [Option<Move>; MOST],
}

/// No position has more moves.
const MOST: usize = 256;

/// Bits of a rank that tell the place.
const PLACE_BITS: u32 = MOST.ilog2();

/// The rank of a move that was picked.
const PICKED: i32 = i32::MIN;

/// Buffers that no picker uses.
#[derive(Default)]
pub(super) struct Buffers(Vec<Buffer>);

impl Buffers {
    /// A buffer with anything in it.
    fn take(&mut self) -> Buffer {
        let new = || {
            let none = [None; MOST];
            Box::new(Room { moves: none, ranks: [PICKED; MOST], put_off: none })
        };
        self.0.pop().unwrap_or_else(new)
    }

    /// Takes the buffer of a picker back.
    pub fn recycle(&mut self, picker: Picker) {
        self.0.push(picker.scored.buffer);
    }
}

/// Moves with their scores, picked by selection: most nodes cut after a few. Some are put off
/// until the end.
struct Scored {
    buffer: Buffer,
    /// How many there were to pick from.
    count: usize,
    /// How many were put off, and how many of these were handed out.
    put_off: usize,
    put_on: usize,
}

impl Scored {
    fn fill(&mut self, moves: &MoveList, mut score: impl FnMut(Move) -> i32) {
        self.count = moves.len();
        let Room { moves: places, ranks, .. } = &mut *self.buffer;
        for (place, m) in moves.iter().copied().enumerate() {
            let score = score(m);
            debug_assert!(
                score.abs() < i32::MAX >> PLACE_BITS,
                "{score} leaves no room for a place"
            );
            places[place] = Some(m);
            // Of equals the first.
            ranks[place] = (score << PLACE_BITS) + (MOST - 1 - place) as i32;
        }
    }

    /// The first of the best: the highest rank tells its place, so that it is found in one loop
    /// without a branch that depends on the scores.
    fn pop(&mut self) -> Option<Move> {
        let ranks = &mut self.buffer.ranks[..self.count];
        let best = ranks.iter().fold(PICKED, |best, &rank| best.max(rank));
        if best == PICKED {
            return None;
        }
        let place = MOST - 1 - best as usize % MOST;
        ranks[place] = PICKED;
        self.buffer.moves[place]
    }

    /// Keeps a move that was popped.
    fn put_off(&mut self, m: Move) {
        self.buffer.put_off[self.put_off] = Some(m);
        self.put_off += 1;
    }

    /// The moves that were put off, one after the other.
    fn pop_put_off(&mut self) -> Option<Move> {
        let m = *self.buffer.put_off[..self.put_off].get(self.put_on)?;
        self.put_on += 1;
        m
    }
}

impl Picker {
    /// All moves.
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

    /// Captures and queen promotions that lose at most `-threshold`.
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
            refuted: 0,
            threshold,
            noisy_only: true,
            scored: Scored { buffer: buffers.take(), count: 0, put_off: 0, put_on: 0 },
        }
    }

    /// Whether the move handed out last loses material.
    pub fn loses_exchange(&self) -> bool {
        self.stage == Stage::BadNoisy
    }

    /// Hands out no more quiet moves.
    pub fn skip_quiets(&mut self) {
        if matches!(self.stage, Stage::Refutations | Stage::GenerateQuiet | Stage::Quiet) {
            self.stage = Stage::BadNoisy;
        }
        self.noisy_only = true;
    }

    /// The next move, with the histories as they stand when its kind is generated.
    pub fn next(
        &mut self,
        position: &Position,
        histories: &Histories,
        setting: &Setting,
    ) -> Option<Move> {
        loop {
            match self.stage {
                Stage::HashMove => {
                    self.stage = Stage::GenerateNoisy;
                    return self.hash_move;
                }
                Stage::GenerateNoisy => {
                    self.scored
                        .fill(&position.noisy_moves(), |m| noisy_score(position, histories, m));
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => match self.scored.pop() {
                    Some(m) if Some(m) == self.hash_move => {}
                    Some(m) if position.see_at_least(m, self.threshold) => return Some(m),
                    Some(m) => self.scored.put_off(m),
                    None if self.noisy_only => self.stage = Stage::BadNoisy,
                    None => self.stage = Stage::Refutations,
                },
                Stage::Refutations => match self.refutations.get(self.refuted) {
                    Some(refutation) => {
                        self.refuted += 1;
                        // They come from other positions. Asked only now: most nodes never get
                        // here.
                        if refutation.is_some_and(|m| !position.is_noisy(m) && position.is_legal(m))
                        {
                            return *refutation;
                        }
                    }
                    None => self.stage = Stage::GenerateQuiet,
                },
                Stage::GenerateQuiet => {
                    let told = histories.of_quiets(position, setting);
                    self.scored.fill(&position.quiet_moves(), |m| told.score(position, m));
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => match self.scored.pop() {
                    Some(m) if Some(m) == self.hash_move || self.refutations.contains(&Some(m)) => {
                    }
                    Some(m) => return Some(m),
                    None => self.stage = Stage::BadNoisy,
                },
                Stage::BadNoisy => {
                    let m = self.scored.pop_put_off();
                    if m.is_none() {
                        self.stage = Stage::Done;
                    }
                    return m;
                }
                Stage::Done => return None,
            }
        }
    }
}

/// Most valuable victim first, then by what such captures did.
fn noisy_score(position: &Position, histories: &Histories, m: Move) -> i32 {
    let victim = position.captured(m).map_or(0, exchange_value);
    let promotion = m.promotion().map_or(0, exchange_value);
    let attacker = position.role_at(m.from()).map_or(0, |role| role as i32);
    32 * (victim + promotion) - 16 * attacker + histories.capture(position, m)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Bitboard;

    #[test]
    fn the_best_comes_first_of_equals_the_first_and_what_was_put_off_comes_again() {
        let moves = Position::startpos().legal_moves();
        let scores = [-5, 7, -60_000, 7, 0, 80_000, -5];
        let buffer = Buffers::default().take();
        let mut scored = Scored { buffer, count: 0, put_off: 0, put_on: 0 };
        let score = |m: Move| {
            let place = moves.iter().position(|&other| other == m).expect("one of them");
            scores.get(place).copied().unwrap_or(-70_000)
        };
        scored.fill(&moves, score);
        let mut wanted: Vec<Move> = moves.to_vec();
        wanted.sort_by_key(|&m| std::cmp::Reverse(score(m)));
        let picked: Vec<Move> = std::iter::from_fn(|| scored.pop()).collect();
        assert_eq!(picked, wanted);
        scored.put_off(picked[3]);
        scored.put_off(picked[1]);
        assert_eq!(scored.pop(), None);
        assert_eq!(
            [(); 3].map(|()| scored.pop_put_off()),
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
                let setting = Setting { before: [None; 3], attacked: Bitboard::EMPTY };
                while let Some(m) = picker.next(&position, &histories, &setting) {
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
