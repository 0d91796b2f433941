//! Nine strengths of the built-in engine.

use harness_assistant::LEVELS;

/// Number of levels.
pub const COUNT: u8 = LEVELS.len() as u8 + 1;

/// `UCI_Elo` of a level from 1; `None` of the highest, which is the engine's full strength.
pub fn elo(level: u8) -> Option<u32> {
    let index = usize::from(level.clamp(1, COUNT)) - 1;
    LEVELS.get(index).copied()
}

/// The level of a text.
///
/// # Errors
/// When there is none; in words for people.
pub fn read(text: &str) -> Result<u8, String> {
    let known = text.trim().parse().ok().filter(|level| (1..=COUNT).contains(level));
    known.ok_or_else(|| format!("`{text}` is no level from 1 to {}", COUNT))
}

#[cfg(test)]
mod tests {
    use engine::search::Strength;

    use super::*;

    #[test]
    fn levels_rise_within_what_the_engine_offers_and_the_last_is_its_full_strength() {
        assert!(elo(1).is_some_and(|lowest| lowest >= Strength::MIN));
        assert!(elo(8).is_some_and(|highest| highest < Strength::MAX));
        assert_eq!((elo(0), elo(9), elo(10)), (elo(1), None, None));
        assert!((1..8).all(|level| elo(level) < elo(level + 1)));
    }
}
