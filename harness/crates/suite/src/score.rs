//! Scoring the move of a suite position.

use shakmaty::Move;

use super::catalog::Scoring;
use harness_notation::epd::EpdPosition;

/// Score of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveScore {
    /// Points.
    pub score: u32,
    /// Points of the best move.
    pub max_score: u32,
    /// Whether it is a best move.
    pub solved: bool,
}

/// Scores a move; `None`, no move, scores 0.
///
/// A position without scored moves counts one point, in a suite with scored moves too.
pub fn score_move(position: &EpdPosition, scoring: Scoring, played: Option<Move>) -> MoveScore {
    match scoring {
        Scoring::ScoredMoves if !position.points.is_empty() => {
            let points = |&(m, points): &(Move, u32)| (Some(m) == played).then_some(points);
            let score = position.points.iter().find_map(points).unwrap_or(0);
            let max_score = position.points.iter().map(|&(_, points)| points).max().unwrap_or(0);
            MoveScore { score, max_score, solved: score > 0 && score == max_score }
        }
        _ => {
            let solved = played.is_some_and(|played| is_solution(position, played));
            MoveScore { score: u32::from(solved), max_score: 1, solved }
        }
    }
}

/// Whether a move is among the best moves (`bm`), and not among those to avoid (`am`).
fn is_solution(position: &EpdPosition, played: Move) -> bool {
    let best = if position.best.is_empty() && position.avoid.is_empty() {
        position.points.iter().any(|&(m, points)| m == played && points > 0)
    } else {
        position.best.is_empty() || position.best.contains(&played)
    };
    best && !position.avoid.contains(&played)
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_notation::epd;

    fn position(operations: &str) -> EpdPosition {
        let board = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        epd::read("x", format!("{board} {operations}").as_bytes()).expect("valid").remove(0)
    }

    fn solved(position: &EpdPosition, scoring: Scoring, uci: &str) -> (u32, bool) {
        let uci: shakmaty::uci::UciMove = uci.parse().expect("a move");
        let move_score =
            score_move(position, scoring, Some(uci.to_move(&position.position).expect("legal")));
        (move_score.score, move_score.solved)
    }

    #[test]
    fn an_avoid_move_in_epd_is_not_a_solution() {
        let avoid = position("am f3 g4;");
        assert_eq!(solved(&avoid, Scoring::BestMove, "f2f3"), (0, false));
        assert_eq!(solved(&avoid, Scoring::BestMove, "e2e4"), (1, true));
        let both = position("bm e4 f3; am f3;");
        assert_eq!(solved(&both, Scoring::BestMove, "f2f3"), (0, false));
        assert_eq!(solved(&both, Scoring::BestMove, "d2d4"), (0, false));
        assert_eq!(solved(&both, Scoring::BestMove, "e2e4"), (1, true));
        assert!(!score_move(&avoid, Scoring::BestMove, None).solved);
    }

    #[test]
    fn scored_moves_give_points_and_the_most_of_them_solves() {
        let scored = position("bm e4; c0 \"e4=10, d4=6, a3=0\";");
        assert_eq!(solved(&scored, Scoring::ScoredMoves, "e2e4"), (10, true));
        assert_eq!(solved(&scored, Scoring::ScoredMoves, "d2d4"), (6, false));
        assert_eq!(solved(&scored, Scoring::ScoredMoves, "h2h3"), (0, false));
        assert_eq!(score_move(&scored, Scoring::ScoredMoves, None).max_score, 10);
        assert_eq!(solved(&scored, Scoring::BestMove, "d2d4"), (0, false));
    }
}
