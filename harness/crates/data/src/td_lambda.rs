//! Labels by TD(λ) (R. Sutton, "Learning to predict by the methods of temporal differences", Machine
//! Learning 3, 1988): the score of a position is blended with those of the positions after it in its
//! game, which saw further.

use super::record::Record;
use harness_stats::logistic;

/// The blend of a position's score with those after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TdLambda {
    /// λ, 0 to 1: the weight of what follows. The position `k` plies later has the weight
    /// (1 - λ) λ^k, the result of the game the rest.
    pub lambda: f64,
    /// Centipawns of a logit of the expected score.
    pub scale: f64,
}

impl TdLambda {
    /// The blended scores of a game's positions, in order: centipawns for White; `None` where a position
    /// has no score.
    pub fn scores(&self, game: &[Record]) -> Vec<Option<i32>> {
        let mut next = game.last().and_then(|last| last.result).map(|result| result.value());
        let mut scores: Vec<Option<i32>> = game
            .iter()
            .rev()
            .map(|record| {
                let own = logistic(f64::from(record.number()?) / self.scale);
                let blend = next.map_or(own, |next| own + self.lambda * (next - own));
                next = Some(blend);
                Some(self.centipawns(blend))
            })
            .collect();
        scores.reverse();
        scores
    }

    /// The search's score of an expected score, 0 to 1.
    fn centipawns(&self, expected: f64) -> i32 {
        let limit = 32_000.0;
        (self.scale * (expected / (1.0 - expected)).ln()).clamp(-limit, limit).round() as i32
    }
}

#[cfg(test)]
mod tests {
    use engine::board::Position;

    use super::*;
    use harness_player::Score;
    use harness_stats::GameScore;

    fn game(scores: &[Option<i32>], result: Option<GameScore>) -> Vec<Record> {
        let of = |&score: &Option<i32>| Record {
            score: score.map(Score::Centipawns),
            result,
            ..Record::bare(Position::startpos(), 1)
        };
        scores.iter().map(of).collect()
    }

    #[test]
    fn the_weights_of_later_scores_fall_by_lambda_and_the_result_has_the_rest() {
        let of = |lambda| TdLambda { lambda, scale: 400.0 };
        let scores = [Some(0), None, Some(100), Some(-300)];
        let won = game(&scores, Some(GameScore::Win));
        let expected = |score: f64| logistic(score / 400.0);
        let blend = 0.5 * 0.5 + 0.25 * expected(100.0) + 0.125 * expected(-300.0) + 0.125;
        let first = (400.0 * (blend / (1.0 - blend)).ln()).round() as i32;
        let labels = of(0.5).scores(&won);
        assert_eq!((labels[0], labels[1], labels.len()), (Some(first), None, 4));
        assert_eq!(of(0.0).scores(&won), scores);
        // By the result alone, and by the last score where there is no result.
        assert_eq!(of(1.0).scores(&won)[0], Some(32_000));
        assert_eq!(of(1.0).scores(&game(&scores, None))[0], Some(-300));
        assert!(of(0.5).scores(&[]).is_empty());
    }

    #[test]
    fn a_mate_is_a_win() {
        let mut game = game(&[Some(0), Some(0)], Some(GameScore::Win));
        game[1].score = Some(Score::Mate(3));
        let label = TdLambda { lambda: 0.5, scale: 400.0 }.scores(&game)[0].expect("scored");
        assert_eq!(label, (400.0 * 3.0_f64.ln()).round() as i32);
    }
}
