//! The share of draws that a WDL model expects, at the strength of its games or at another one.
//!
//! Stockfish's model, which most engines have, has logistic chances to win and to lose around scores h and -h
//! with scale s. Two numbers of a position follow from them: a = h/s, by which a level position is drawn with
//! tanh(a/2), and b = score/s. With more time fewer games are decided by mistakes: s is smaller, and a and b are
//! larger by one factor, which a measured share of draws of level positions gives.

use super::elo::logistic;

/// Chances are given in thousandths; none is taken as less than half of one.
const LEAST: f64 = 5e-4;

/// Expected shares of draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawChance {
    /// Of the position.
    pub draw: f64,
    /// Of a level position with as much material.
    pub level: f64,
}

impl DrawChance {
    /// Of a position with these chances of win, draw and loss; `level` is the share of draws of level positions
    /// at the limit that is meant, `None`: that of the model.
    ///
    /// ```
    /// use harness_stats::draw_chance::DrawChance;
    ///
    /// let own = DrawChance::new([0.33, 0.34, 0.33], None);
    /// assert!((own.draw - 0.34).abs() < 1e-9 && (own.level - 0.34).abs() < 1e-9);
    /// let longer = DrawChance::new([0.33, 0.34, 0.33], Some(0.8));
    /// assert!((longer.draw - 0.8).abs() < 1e-9);
    /// ```
    pub fn new([win, _, loss]: [f64; 3], level: Option<f64>) -> DrawChance {
        let logit = |chance: f64| {
            let chance = chance.clamp(LEAST, 1.0 - LEAST);
            (chance / (1.0 - chance)).ln()
        };
        let half = -(logit(win) + logit(loss)) / 2.0;
        let score = (logit(win) - logit(loss)) / 2.0;
        // Without draws in level positions there is nothing to scale.
        let factor = match level {
            Some(level) if half > LEAST => 2.0 * level.clamp(LEAST, 1.0 - LEAST).atanh() / half,
            _ => 1.0,
        };
        let (half, score) = (half * factor, score * factor);
        let draw = 1.0 - logistic(score - half) - logistic(-score - half);
        DrawChance { draw: draw.max(0.0), level: (half / 2.0).tanh().max(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chances of a model at a score.
    fn chances(score: f64, half: f64, scale: f64) -> [f64; 3] {
        let win = logistic((score - half) / scale);
        let loss = logistic((-score - half) / scale);
        [win, 1.0 - win - loss, loss]
    }

    #[test]
    fn scaled_chances_are_those_of_a_model_with_the_other_scale() {
        for score in [-150.0, -20.0, 0.0, 60.0, 130.0] {
            let own = DrawChance::new(chances(score, 65.0, 90.0), None);
            assert!((own.draw - chances(score, 65.0, 90.0)[1]).abs() < 1e-9, "{own:?}");
            let level = chances(0.0, 65.0, 40.0)[1];
            let longer = DrawChance::new(chances(score, 65.0, 90.0), Some(level));
            assert!(
                (longer.draw - chances(score, 65.0, 40.0)[1]).abs() < 1e-9,
                "{score} {longer:?}"
            );
            assert!((longer.level - level).abs() < 1e-9, "{longer:?}");
        }
    }

    #[test]
    fn extreme_chances_have_a_share() {
        for chances in [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.5, 0.0, 0.5]] {
            for level in [None, Some(0.0), Some(0.7), Some(1.0)] {
                let DrawChance { draw, level } = DrawChance::new(chances, level);
                assert!((0.0..=1.0).contains(&draw) && (0.0..=1.0).contains(&level), "{chances:?}");
            }
        }
    }
}
