//! Spaced repetition: SM-2 (P. A. Woźniak, "Optimization of learning", 1990, algorithm SM-2).

/// How well a puzzle is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repetition {
    /// Solved so often in a row.
    pub repetitions: u32,
    /// Days until it is due again.
    pub days: f64,
    /// How fast the days grow; 1.3 at least.
    pub easiness: f64,
}

impl Default for Repetition {
    fn default() -> Repetition {
        Repetition { repetitions: 0, days: 0.0, easiness: 2.5 }
    }
}

/// Quality of an answer on the scale of SM-2, from 0 to 5.
const RIGHT: f64 = 4.0;
const WRONG: f64 = 1.0;

impl Repetition {
    /// After an answer.
    pub fn after(self, right: bool) -> Repetition {
        let quality = if right { RIGHT } else { WRONG };
        let missing = 5.0 - quality;
        let easiness = (self.easiness + 0.1 - missing * (0.08 + missing * 0.02)).max(1.3);
        if !right {
            return Repetition { repetitions: 0, days: 1.0, easiness };
        }
        let days = match self.repetitions {
            0 => 1.0,
            1 => 6.0,
            _ => self.days * easiness,
        };
        Repetition { repetitions: self.repetitions + 1, days, easiness }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_grow_while_it_is_solved_and_begin_anew_when_not() {
        let first = Repetition::default().after(true);
        let second = first.after(true);
        let third = second.after(true);
        assert_eq!((first.days, second.days), (1.0, 6.0));
        assert!((third.days - 15.0).abs() < 1e-9, "{third:?}");
        let failed = third.after(false);
        assert_eq!((failed.repetitions, failed.days), (0, 1.0));
        assert!(failed.easiness < third.easiness);
        assert!((0..20).fold(failed, |known, _| known.after(false)).easiness >= 1.3);
    }
}
