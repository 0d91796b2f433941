//! A packed middlegame and endgame value.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A middlegame and an endgame value, in centipawns, packed so that both are added in one step.
///
/// The endgame value is in the upper half of the number, and the middlegame value is added to all
/// of it. Both must stay within sixteen bits.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Score(i32);

/// The scale of an endgame whose value is not reduced.
pub const FULL_SCALE: i32 = 64;

/// The score with these values.
pub const fn s(mg: i16, eg: i16) -> Score {
    Score(((eg as i32) << 16) + mg as i32)
}

impl Score {
    /// Zero in both phases.
    pub const ZERO: Score = s(0, 0);

    /// The middlegame value, in centipawns.
    #[inline]
    pub const fn mg(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The endgame value, in centipawns.
    #[inline]
    pub const fn eg(self) -> i32 {
        // A negative middlegame value borrows one from the upper half.
        (self.0.wrapping_add(0x8000) >> 16) as i16 as i32
    }
}

impl Add for Score {
    type Output = Score;

    #[inline]
    fn add(self, other: Score) -> Score {
        Score(self.0 + other.0)
    }
}

impl AddAssign for Score {
    #[inline]
    fn add_assign(&mut self, other: Score) {
        self.0 += other.0;
    }
}

impl Sub for Score {
    type Output = Score;

    #[inline]
    fn sub(self, other: Score) -> Score {
        Score(self.0 - other.0)
    }
}

impl SubAssign for Score {
    #[inline]
    fn sub_assign(&mut self, other: Score) {
        self.0 -= other.0;
    }
}

impl Mul<i32> for Score {
    type Output = Score;

    #[inline]
    fn mul(self, factor: i32) -> Score {
        Score(self.0 * factor)
    }
}

impl Neg for Score {
    type Output = Score;

    #[inline]
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s({}, {})", self.mg(), self.eg())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_halves_are_added_apart(
            a in (-9_000..9_000_i16, -9_000..9_000_i16),
            b in (-9_000..9_000_i16, -9_000..9_000_i16),
        ) {
            let x = s(a.0, a.1);
            let y = s(b.0, b.1);
            prop_assert_eq!(x + y, s(a.0 + b.0, a.1 + b.1));
            prop_assert_eq!(x - y, s(a.0 - b.0, a.1 - b.1));
            prop_assert_eq!(-x, s(-a.0, -a.1));
            prop_assert_eq!(x * -3, s(a.0 * -3, a.1 * -3));
            prop_assert_eq!((x.mg(), x.eg()), (i32::from(a.0), i32::from(a.1)));
        }
    }
}
