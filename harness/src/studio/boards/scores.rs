//! Scores as boards show them: from White's view, in pawns.

use crate::player::Score;

/// A score for the side to move, seen by White.
pub fn for_white(score: Score, white_to_move: bool) -> Score {
    match score {
        _ if white_to_move => score,
        Score::Centipawns(value) => Score::Centipawns(-value),
        Score::Mate(moves) => Score::Mate(-moves),
    }
}

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

/// As PGN's `[%eval]` has it: `0.35,22`, `#-3,22`.
pub fn eval(score: Score, depth: Option<u32>) -> String {
    let value = match score {
        Score::Centipawns(value) => format!("{:.2}", f64::from(value) / 100.0),
        Score::Mate(moves) => format!("#{moves}"),
    };
    depth.map_or(value.clone(), |depth| format!("{value},{depth}"))
}

/// Chances of the side whose score it is, from 0 to 100, fitted to games of people
/// (<https://lichess.org/page/accuracy>).
pub fn chances(score: Score) -> f64 {
    let centipawns = match score {
        Score::Centipawns(value) => f64::from(value.clamp(-1000, 1000)),
        Score::Mate(moves) => f64::from(moves.signum() * 1000),
    };
    50.0 + 50.0 * (2.0 / (1.0 + (-0.003_682_08 * centipawns).exp()) - 1.0)
}

/// Accuracy of a move, from 0 to 100, by the chances before and after it (the same source).
pub fn accuracy(before: f64, after: f64) -> f64 {
    let lost = (before - after).max(0.0);
    (103.166_8 * (-0.043_54 * lost).exp() - 3.166_9).clamp(0.0, 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_written_for_people_and_for_pgn() {
        assert_eq!(text(for_white(Score::Centipawns(35), false)), "−0.35");
        assert_eq!(text(Score::Mate(3)), "M3");
        assert_eq!(eval(Score::Centipawns(-7), Some(12)), "-0.07,12");
        assert_eq!(eval(Score::Mate(-2), None), "#-2");
    }

    #[test]
    fn an_equal_position_gives_even_chances_and_a_good_move_full_accuracy() {
        assert!((chances(Score::Centipawns(0)) - 50.0).abs() < 1e-9);
        assert!((chances(Score::Centipawns(100)) - 59.1).abs() < 0.1);
        assert!(accuracy(50.0, 50.0) > 99.9);
        assert!(accuracy(80.0, 20.0) < 10.0);
    }
}
