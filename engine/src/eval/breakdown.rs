//! The hand-crafted evaluation of a position by groups of terms, as a table.

use std::fmt;

use super::group::Group;
use super::handcrafted::{Handcrafted, PHASE_START, phase};
use super::score::FULL_SCALE;
use super::trace::Coefficients;
use crate::board::{Color, Position};

/// The evaluation of one position by groups of terms; its `Display` is a table.
pub struct Breakdown {
    coefficients: Coefficients,
    phase: i32,
    /// The value in centipawns from White's side.
    value: i32,
}

impl Breakdown {
    /// Evaluates the position.
    pub fn new(position: &Position) -> Breakdown {
        let mut coefficients = Coefficients::new();
        let value = Handcrafted::new().evaluate_traced(position, &mut coefficients);
        let value = if position.side() == Color::White { value } else { -value };
        Breakdown { coefficients, phase: phase(position), value }
    }
}

impl fmt::Display for Breakdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<12} {:>13} {:>13} {:>13}", "", "white", "black", "total")?;
        writeln!(
            f,
            "{:<12} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}",
            "term", "mg", "eg", "mg", "eg", "mg", "eg"
        )?;
        let mut row = |name: &str, white: (i32, i32), black: (i32, i32)| {
            let total = (white.0 - black.0, white.1 - black.1);
            write!(f, "{name:<12} {:>6} {:>6} {:>6} {:>6}", white.0, white.1, black.0, black.1)?;
            writeln!(f, " {:>6} {:>6}", total.0, total.1)
        };
        let mut sums = [(0, 0); 2];
        for group in Group::ALL {
            let both = [Color::Black, Color::White]
                .map(|color| self.coefficients.group_value(color, group));
            row(group.name(), both[1], both[0])?;
            sums = [0, 1].map(|i| (sums[i].0 + both[i].0, sums[i].1 + both[i].1));
        }
        row("sum", sums[1], sums[0])?;
        writeln!(
            f,
            "phase {} of {}, endgame scaled by {}/{}",
            self.phase, PHASE_START, self.coefficients.scale, FULL_SCALE
        )?;
        write!(f, "{:+.2} pawns for White", f64::from(self.value) / 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_every_group_and_ends_with_the_value() {
        let text = Breakdown::new(&Position::startpos()).to_string();
        for group in Group::ALL {
            assert!(text.contains(group.name()), "{text}");
        }
        assert!(text.ends_with("pawns for White"), "{text}");
        assert!(text.lines().all(|line| line.len() <= 100));
    }
}
