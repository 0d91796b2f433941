//! Traces of an evaluation: which weights count how often.

use super::group::Group;
use super::score::{FULL_SCALE, Score};
use super::weights::{Term, WEIGHTS, Weights};
use crate::board::Color;

/// Records each term of an evaluation.
///
/// The evaluation is generic over it: with [`NoTrace`] it compiles to nothing.
pub trait Trace {
    /// Whether terms are recorded; if so, the evaluation bypasses its caches.
    const ON: bool;

    /// The weight of this index counts `count` times for a colour.
    fn count(&mut self, color: Color, weight: usize, count: i32);

    /// A term that is not linear in any weight.
    fn fixed(&mut self, color: Color, group: Group, score: Score);

    /// The scale of the endgame value, of [`FULL_SCALE`].
    fn scale(&mut self, scale: i32);
}

/// Records nothing.
pub struct NoTrace;

impl Trace for NoTrace {
    const ON: bool = false;

    #[inline]
    fn count(&mut self, _: Color, _: usize, _: i32) {}

    #[inline]
    fn fixed(&mut self, _: Color, _: Group, _: Score) {}

    #[inline]
    fn scale(&mut self, _: i32) {}
}

/// How often each weight counts in a position: the coefficients of Texel tuning.
///
/// From White's view, [`taper`](super::taper) of `dot(counts, weights) + fixed`, with the endgame
/// scaled, is the evaluation.
#[derive(Clone, Debug)]
pub struct Coefficients {
    /// By colour (Black first, as in [`Color`]) and index of the weight.
    pub counts: [Vec<i32>; 2],
    /// The terms that are not linear in any weight, by colour and group.
    pub fixed: [[Score; Group::ALL.len()]; 2],
    /// The scale of the endgame value, of [`FULL_SCALE`].
    pub scale: i32,
}

impl Coefficients {
    /// All counts zero.
    pub fn new() -> Coefficients {
        Coefficients {
            counts: [vec![0; Weights::COUNT], vec![0; Weights::COUNT]],
            fixed: [[Score::ZERO; Group::ALL.len()]; 2],
            scale: FULL_SCALE,
        }
    }

    /// The middlegame and endgame value, in centipawns, of a colour's terms of a group.
    pub fn group_value(&self, color: Color, group: Group) -> (i32, i32) {
        let fixed = self.fixed[color as usize][group as usize];
        let mut counts = self.counts[color as usize].iter();
        let mut sum = (fixed.mg(), fixed.eg());
        for Term { group: of, weights, .. } in WEIGHTS.terms() {
            for (weight, count) in weights.iter().zip(counts.by_ref()) {
                if of == group {
                    sum = (sum.0 + weight.mg() * count, sum.1 + weight.eg() * count);
                }
            }
        }
        sum
    }

    /// The middlegame and endgame value of all terms, in centipawns, from White's side.
    pub fn total(&self) -> (i32, i32) {
        Group::ALL.into_iter().fold((0, 0), |sum, group| {
            let white = self.group_value(Color::White, group);
            let black = self.group_value(Color::Black, group);
            (sum.0 + white.0 - black.0, sum.1 + white.1 - black.1)
        })
    }
}

impl Default for Coefficients {
    fn default() -> Coefficients {
        Coefficients::new()
    }
}

impl Trace for Coefficients {
    const ON: bool = true;

    fn count(&mut self, color: Color, weight: usize, count: i32) {
        self.counts[color as usize][weight] += count;
    }

    fn fixed(&mut self, color: Color, group: Group, score: Score) {
        self.fixed[color as usize][group as usize] += score;
    }

    fn scale(&mut self, scale: i32) {
        self.scale = scale;
    }
}
