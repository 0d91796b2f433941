//! Scores as boards show them: from White's view, in pawns.

use harness_player::Score;

/// `+0.35`, `−M3`.
pub fn text(score: Score) -> String {
    match score {
        Score::Centipawns(value) => {
            let sign = if value < 0 { "−" } else { "+" };
            format!("{sign}{}.{:02}", value.abs() / 100, value.abs() % 100)
        }
        Score::Mate(moves) if moves < 0 => format!("−M{}", -moves),
        Score::Mate(moves) => format!("M{moves}"),
    }
}

/// Expected score of the side whose score it is, from 0 to 100.
pub fn chances(score: Score) -> f64 {
    let centipawns = match score {
        Score::Centipawns(value) => f64::from(value.clamp(-1000, 1000)),
        Score::Mate(moves) => f64::from(moves.signum() * 1000),
    };
    harness_games::chances(centipawns)
}

/// Accuracy of a move, from 0 to 100, by the chances before and after it (the same source).
pub fn accuracy(before: f64, after: f64) -> f64 {
    let lost = (before - after).max(0.0);
    (103.166_8 * (-0.043_54 * lost).exp() - 3.166_9).clamp(0.0, 100.0)
}

#[cfg(test)]
mod tests {
    use shakmaty::Color;

    use super::*;

    #[test]
    fn scores_are_written_for_people() {
        assert_eq!(text(Score::Centipawns(35).for_white(Color::Black)), "−0.35");
        assert_eq!(text(Score::Mate(3)), "M3");
    }

    #[test]
    fn an_equal_position_gives_even_chances_and_a_good_move_full_accuracy() {
        assert!((chances(Score::Centipawns(0)) - 50.0).abs() < 1e-9);
        assert!((chances(Score::Centipawns(100)) - 59.1).abs() < 0.1);
        assert!(accuracy(50.0, 50.0) > 99.9);
        assert!(accuracy(80.0, 20.0) < 10.0);
    }
}
