//! Openings of variants: a few random moves from the start position.
//!
//! Some are better for one side; each is played with both colours.

use super::super::record::Opening;
use super::super::referee::Referee;
use super::super::variant::{Rules, Variant};
use harness_stats::random::order::{below, random};

/// How many there are.
pub const COUNT: usize = 4_000;

/// Plies of an opening, and one more for every second one.
const PLIES: usize = 4;

/// An opening by its number: always the same one.
pub fn opening(variant: Variant, number: usize) -> Opening {
    // The game may be over at its end: then others are drawn.
    (0..).find_map(|attempt| draw(variant, number, attempt)).unwrap_or_default()
}

fn draw(variant: Variant, number: usize, attempt: u64) -> Option<Opening> {
    let mut random = random(attempt, number as u64);
    let mut referee = Referee::new(None, Rules::Variant(variant)).ok()?;
    let mut moves = Vec::with_capacity(PLIES + 1);
    for _ in 0..PLIES + number % 2 {
        let legal = referee.position().legal_moves();
        let chosen = *legal.get(below(&mut random, legal.len().max(1)))?;
        moves.push(referee.make(chosen).uci);
    }
    referee.ending().is_none().then_some(Opening { fen: None, moves })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use strum::VariantArray;

    use super::*;

    #[test]
    fn openings_are_playable_and_hardly_one_comes_twice() {
        for &variant in Variant::VARIANTS {
            let openings: Vec<Opening> =
                (0..COUNT).map(|number| opening(variant, number)).collect();
            for opening in &openings {
                Referee::at(opening, Rules::Variant(variant)).expect("a game that is not over");
            }
            let texts: HashSet<String> =
                openings.iter().map(|opening| format!("{:?}", opening.moves)).collect();
            assert!(texts.len() > 3_800, "{variant}: {}", texts.len());
        }
    }
}
