//! Nine strengths of the built-in engine.

use engine::search::Strength;

/// How many levels there are.
pub const COUNT: u8 = 9;

/// `UCI_Elo` of a level from 1; `None` of the highest, which is the engine's full strength.
pub fn elo(level: u8) -> Option<u32> {
    let level = u32::from(level.clamp(1, COUNT));
    let steps = u32::from(COUNT) - 2;
    let below = level <= steps + 1;
    below.then(|| Strength::MIN + (Strength::MAX - Strength::MIN) * (level - 1) / steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_rise_from_the_lowest_strength_to_the_whole_one() {
        assert_eq!(elo(1), Some(Strength::MIN));
        assert_eq!(elo(8), Some(Strength::MAX));
        assert_eq!(elo(9), None);
        assert!((1..8).all(|level| elo(level) < elo(level + 1)));
    }
}
