//! The running sum of an evaluation.

use super::group::Group;
use super::score::Score;
use super::trace::Trace;
use crate::board::Color;

/// The sum of the terms so far, from White's side, and the trace of them.
pub struct Tally<'a, T> {
    pub sum: Score,
    pub trace: &'a mut T,
}

/// Counts a weight of the table for a colour: `count!(tally, color, knight_mobility[n])`, or
/// several times: `count!(tally, color, bishop_pair[0], times)`.
macro_rules! count {
    ($tally:expr, $color:expr, $term:ident[$index:expr]) => {
        $crate::eval::tally::count!($tally, $color, $term[$index], 1)
    };
    ($tally:expr, $color:expr, $term:ident[$index:expr], $count:expr) => {{
        let index: usize = $index;
        let first = std::mem::offset_of!($crate::eval::weights::Weights, $term)
            / size_of::<$crate::eval::score::Score>();
        $tally.add($color, first + index, $crate::eval::weights::WEIGHTS.$term[index], $count)
    }};
}
pub(super) use count;

impl<'a, T: Trace> Tally<'a, T> {
    /// An empty sum.
    pub fn new(trace: &'a mut T) -> Tally<'a, T> {
        Tally { sum: Score::ZERO, trace }
    }

    /// Adds the weight of this index `count` times; use [`count!`].
    #[inline(always)]
    pub fn add(&mut self, color: Color, index: usize, weight: Score, count: i32) {
        self.sum += if color.is_white() { weight * count } else { -(weight * count) };
        if T::ON {
            self.trace.count(color, index, count);
        }
    }

    /// Adds a term that is not linear in any weight.
    #[inline(always)]
    pub fn add_fixed(&mut self, color: Color, group: Group, score: Score) {
        self.sum += if color.is_white() { score } else { -score };
        if T::ON {
            self.trace.fixed(color, group, score);
        }
    }
}
