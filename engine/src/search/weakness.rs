//! The mistakes of a weak player inside its search: overlooked moves, misjudged positions.
//!
//! People do not choose moves at random: they search a narrow tree in which some moves, theirs or
//! the opponent's, are missing. Which ones, follows Y. Neiman and Y. Afek, "Invisible Chess Moves"
//! (2011): quiet moves, backward moves, moves over a long way, and the more so the further the
//! position is from the one on the board. Captures that win material, promotions and mates in one
//! are mostly seen.

use crate::board::{Color, Move, Position, Role};

/// The mistakes of a weak player. Each is a function of the seed, the position and the move: a move
/// that is overlooked stays overlooked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weakness {
    /// Of the mistakes: another seed makes other ones.
    pub seed: u64,
    /// Probability that a quiet move over a few squares is overlooked deep in the tree.
    pub overlook: f64,
    /// Amplitude of the error of an evaluation, in centipawns.
    pub misjudge: f64,
}

/// The largest probability that a move is overlooked.
const MAX_OVERLOOK: f64 = 0.95;
/// Share of the moves overlooked deep in the tree that are noticed at the root.
const SEEN_AT_ROOT: f64 = 0.5;

/// Probabilities that a move is overlooked, relative to a quiet move over a few squares.
mod invisible {
    pub const QUEENING: f64 = 0.1;
    pub const WINNING_CAPTURE: f64 = 0.15;
    pub const OTHER_CAPTURE: f64 = 0.4;
    pub const CASTLING: f64 = 0.3;
    pub const MATE: f64 = 0.15;
    pub const CHECK: f64 = 0.5;
    pub const QUIET: f64 = 1.0;
    /// Factor of a move towards the own back rank.
    pub const BACKWARD: f64 = 1.4;
    /// Factor of a move over no square, and what each square of its way adds.
    pub const DISTANCE: (f64, f64) = (0.7, 0.1);
}

impl Weakness {
    /// Whether a legal move is overlooked; not for positions in check, where people look at every
    /// move.
    pub fn overlooks(&self, position: &Position, m: Move, ply: usize) -> bool {
        if self.overlook <= 0.0 {
            return false;
        }
        let sight = 1.0 - SEEN_AT_ROOT / (ply as f64 + 1.0);
        let chance = (self.overlook * sight * invisibility(position, m)).min(MAX_OVERLOOK);
        unit(mix(mix(self.seed ^ position.key()) ^ u64::from(m.raw()))) < chance
    }

    /// The error of the evaluation of a position, in centipawns, with a triangular distribution.
    pub fn misjudgement(&self, position: &Position) -> i32 {
        if self.misjudge <= 0.0 {
            return 0;
        }
        let mixed = mix(mix(self.seed) ^ position.key());
        let [low, high] = [mixed as u32, (mixed >> 32) as u32];
        let triangular = (f64::from(low) + f64::from(high)) / f64::from(u32::MAX) - 1.0;
        (self.misjudge * triangular) as i32
    }
}

/// How easily a move is overlooked, relative to a quiet move over a few squares.
fn invisibility(position: &Position, m: Move) -> f64 {
    let kind = if m.promotion() == Some(Role::Queen) {
        invisible::QUEENING
    } else if position.captured(m).is_some() {
        let wins = position.see_at_least(m, 1);
        if wins { invisible::WINNING_CAPTURE } else { invisible::OTHER_CAPTURE }
    } else if m.is_castling() {
        invisible::CASTLING
    } else if position.gives_check(m) {
        if is_mate(position, m) { invisible::MATE } else { invisible::CHECK }
    } else {
        invisible::QUIET
    };
    let ranks = m.to().rank() as i32 - m.from().rank() as i32;
    let forward = if position.side() == Color::White { ranks } else { -ranks };
    let backward = if forward < 0 { invisible::BACKWARD } else { 1.0 };
    let distance = m.from().distance(m.to()) as f64;
    let (none, square) = invisible::DISTANCE;
    kind * backward * (none + square * distance)
}

fn is_mate(position: &Position, m: Move) -> bool {
    let mut child = *position;
    child.play(m);
    !child.has_legal_move()
}

/// A number from 0 to below 1.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// The finisher of SplitMix64 (G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom number
/// generators", 2014).
fn mix(mut state: u64) -> u64 {
    state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 2,000 seeds, those that overlook a move.
    fn overlooked(fen: &str, m: &str, ply: usize) -> usize {
        let position = Position::from_fen(fen).expect("valid");
        let m = position.parse_uci(m, false).expect("legal");
        let weakness = |seed| Weakness { seed, overlook: 0.6, misjudge: 0.0 };
        (0..2000).filter(|&seed| weakness(seed).overlooks(&position, m, ply)).count()
    }

    #[test]
    fn quiet_long_backward_and_distant_moves_are_overlooked_more_often() {
        let fen = "6k1/5ppp/8/p3B3/8/8/5PPP/R5K1 w - - 0 1";
        let of = |m, ply| overlooked(fen, m, ply);
        assert!(of("a1a5", 2) < of("a1b1", 2), "a capture that wins a pawn");
        assert!(of("a1b1", 2) < of("a1e1", 2), "a long move");
        assert!(of("e5g7", 2) < of("e5d6", 2), "a capture that loses a bishop");
        assert!(of("e5d6", 2) < of("e5c3", 2));
        assert!(of("e5f4", 2) > of("e5f6", 2), "a backward move");
        assert!(of("e5f4", 0) < of("e5f4", 1) && of("e5f4", 1) < of("e5f4", 5), "far away");
        let mate = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
        assert!(overlooked(mate, "d1d8", 0) < 150, "a mate in one");
    }

    #[test]
    fn errors_of_evaluations_are_centred_and_within_their_amplitude() {
        let weakness = |seed| Weakness { seed, overlook: 0.0, misjudge: 100.0 };
        let errors: Vec<i32> =
            (0..4000).map(|seed| weakness(seed).misjudgement(&Position::startpos())).collect();
        assert!(errors.iter().all(|error| error.abs() <= 100));
        let mean = errors.iter().sum::<i32>() as f64 / errors.len() as f64;
        // The standard deviation of the mean is 100 / sqrt(6 * 4000) = 0.65.
        assert!(mean.abs() < 3.0, "{mean}");
        assert!(errors.iter().any(|error| error.abs() > 80));
    }
}
