//! The loss of a position: how far the network's expected scores are from those of its label.
//!
//! A label has two parts, the score of a search and the result of the game, each seen through a sigmoid with
//! a scale of its own; the loss is the sum of both, by their shares. With one scale and the power 2 its
//! gradient is that of the squared distance from the blend of both parts.

use super::config::{Config, Learning};
use super::packed::PackedPosition;

/// The parts of a position's label, as expected scores of the side to move, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Target {
    /// Of the score.
    pub score: f32,
    /// Of the result.
    pub result: f32,
}

/// The loss of a network's output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// Share of the score; that of the result is the rest.
    blend: f32,
    /// Share of the later scores of the game in the score's part.
    later: f32,
    /// Centipawns of a logit of the score's part.
    score_scale: f32,
    /// Logits of an output of 1, of the score's part and of the result's.
    logits: [f32; 2],
    /// Power of the distance.
    power: f32,
}

impl Default for Loss {
    /// Squared distance from the score's part, at a scale of 400.
    fn default() -> Loss {
        Loss { blend: 1.0, later: 0.0, score_scale: 400.0, logits: [1.0; 2], power: 2.0 }
    }
}

impl Loss {
    /// The loss of a configuration, when this share of the steps is done. A scale that is to be fitted is that
    /// of the network.
    pub fn new(config: &Config, share: f64) -> Loss {
        let Learning { blend, td_lambda, score_scale, result_scale, power, .. } = config.learning;
        let scale = f64::from(config.network.shape().scale());
        let of = |wanted: Option<super::ramp::Scale>| {
            wanted.and_then(super::ramp::Scale::fixed).unwrap_or(scale)
        };
        let lambda = td_lambda.max();
        Loss {
            blend: blend.at(share) as f32,
            later: if lambda > 0.0 { (td_lambda.at(share) / lambda) as f32 } else { 0.0 },
            score_scale: of(score_scale) as f32,
            logits: [score_scale, result_scale].map(|wanted| (scale / of(wanted)) as f32),
            power: power as f32,
        }
    }

    /// The loss by each position's own score alone.
    pub fn of_scores(self) -> Loss {
        Loss { blend: 1.0, later: 0.0, ..self }
    }

    /// The parts of a position's label.
    pub fn target(&self, sample: &PackedPosition) -> Target {
        let expected = |score: i16| logistic(f32::from(score) / self.score_scale);
        let score = match self.later {
            0.0 => expected(sample.score),
            1.0 => expected(sample.later),
            later => (1.0 - later) * expected(sample.score) + later * expected(sample.later),
        };
        Target { score, result: f32::from(sample.result) / 2.0 }
    }

    /// The loss of an output, and its derivative by the output.
    pub fn of(&self, output: f32, target: Target) -> (f32, f32) {
        if self.blend == 1.0 {
            return self.part(output, self.logits[0], target.score);
        }
        let [score, result] = [(0, target.score), (1, target.result)]
            .map(|(part, target)| self.part(output, self.logits[part], target));
        let mean = |score: f32, result: f32| self.blend * score + (1.0 - self.blend) * result;
        (mean(score.0, result.0), mean(score.1, result.1))
    }

    /// The loss of one part, and its derivative.
    fn part(&self, output: f32, logits: f32, target: f32) -> (f32, f32) {
        let expected = logistic(output * logits);
        let error = expected - target;
        let slope = logits * expected * (1.0 - expected);
        if self.power == 2.0 {
            return (error * error, 2.0 * error * slope);
        }
        let size = error.abs();
        let steep = self.power * size.powf(self.power - 1.0);
        (size.powf(self.power), steep.copysign(error) * slope)
    }
}

fn logistic(logits: f32) -> f32 {
    1.0 / (1.0 + (-logits).exp())
}

#[cfg(test)]
mod tests {
    use engine::board::Position;

    use super::*;

    #[test]
    fn derivatives_match_finite_differences() {
        let target = Target { score: 0.3, result: 1.0 };
        for blend in [1.0, 0.75, 0.0] {
            for power in [2.0, 2.5] {
                for logits in [[1.0, 1.0], [1.7, 0.8]] {
                    let loss = Loss { blend, power, logits, ..Loss::default() };
                    for output in [-2.0, -0.5, 0.1, 1.5] {
                        let step = 1e-3;
                        let [low, high] = [output - step, output + step]
                            .map(|output| f64::from(loss.of(output, target).0));
                        let slope = (high - low) / (2.0 * f64::from(step));
                        let derivative = f64::from(loss.of(output, target).1);
                        assert!((slope - derivative).abs() < 1e-3, "{loss:?} {output}");
                    }
                }
            }
        }
    }

    #[test]
    fn along_a_ramp_the_later_scores_have_the_share_of_the_step_together() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("net.yaml");
        std::fs::write(&path, "data: [a.games]\ntd_lambda: [0, 0.8]\n").expect("written");
        let config = Config::read(&path).expect("sound");
        // The own score is even, all later ones and the result are won: by λ = 0.8 the blend is 0.9.
        let centipawns = (400.0 * 9.0_f64.ln()).round() as i32;
        let won = PackedPosition::new(&Position::startpos(), 0, 1.0).with_later(centipawns);
        for (share, lambda) in [(0.0, 0.0), (0.25, 0.2), (0.5, 0.4), (1.0, 0.8)] {
            let expected = (1.0 - lambda) * 0.5 + lambda;
            let found = Loss::new(&config, share).target(&won).score;
            assert!((found - expected).abs() < 1e-3, "{share}: {found} {expected}");
        }
    }

    #[test]
    fn with_one_scale_and_squares_the_gradient_is_that_of_the_blended_label() {
        let target = Target { score: 0.3, result: 1.0 };
        let both = Loss { blend: 0.6, ..Loss::default() };
        let blended = Target { score: 0.6 * 0.3 + 0.4, result: 0.0 };
        for output in [-1.0, 0.0, 2.0] {
            let [one, other] = [both.of(output, target).1, Loss::default().of(output, blended).1];
            assert!((one - other).abs() < 1e-6, "{output}: {one} {other}");
        }
    }
}
