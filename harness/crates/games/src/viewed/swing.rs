//! Where a game was lost: how far the expected score of its loser fell. Of a position that is lost already
//! a larger score against it loses little, so that moves there come last, as in the review of a board.

use serde::Serialize;
use shakmaty::Color;

use crate::chances;
use harness_stats::GameScore;

/// Falls of the expected score up to this many thousandths are noise.
const NOISE: i32 = 46;

/// A player with an expected score of less than this many thousandths has lost already: what follows is
/// not where the game was lost.
const LOST: i32 = 150;

/// A fall of the score between a player's move and the player's next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Fall {
    /// Index of the move to blame: the score before it did not see what it allowed.
    pub ply: usize,
    /// The player's score with that move, in centipawns of at most [`BOUND`](Fall::BOUND).
    pub from: i32,
    /// The player's score with the next move.
    pub to: i32,
    /// By how much the player's expected score fell, in thousandths of a point.
    pub size: i32,
}

impl Fall {
    /// Scores beyond this many centipawns count as this many, mates too: a fall from one won position
    /// to another loses nothing.
    pub const BOUND: i32 = 1000;
}

/// Finds the falls of a game while its scores are read.
#[derive(Clone, Debug)]
pub struct Falls {
    loser: Option<Color>,
    /// Index and score of the last move of Black and of White.
    last: [Option<(usize, i32)>; 2],
}

impl Falls {
    /// Of the loser of a game; of both players in a draw. `result` is White's.
    pub fn new(result: GameScore) -> Falls {
        let loser = match result {
            GameScore::Loss => Some(Color::White),
            GameScore::Draw => None,
            GameScore::Win => Some(Color::Black),
        };
        Falls { loser, last: [None; 2] }
    }

    /// Takes the next score, in centipawns for the mover; gives how far it fell from the mover's last.
    pub fn add(&mut self, ply: usize, mover: Color, score: i32) -> Option<Fall> {
        if self.loser.is_some_and(|loser| loser != mover) {
            return None;
        }
        let to = score.clamp(-Fall::BOUND, Fall::BOUND);
        let (ply, from) = self.last[usize::from(mover.is_white())].replace((ply, to))?;
        let (had, has) = (expected(from), expected(to));
        (to < from && had >= LOST).then_some(Fall { ply, from, to, size: had - has })
    }
}

/// The expected score of centipawns, in thousandths.
fn expected(centipawns: i32) -> i32 {
    (10.0 * chances(f64::from(centipawns))).round() as i32
}

/// The larger of two falls, the earlier one of equal ones, if it is more than noise.
pub fn larger(largest: Option<Fall>, next: Option<Fall>) -> Option<Fall> {
    let next = next.filter(|next| next.size > NOISE);
    match (largest, next) {
        (Some(a), Some(b)) if b.size > a.size => Some(b),
        (Some(a), _) => Some(a),
        (None, next) => next,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The swing of a game whose scores are given in turn, from White's first move.
    fn swing(result: GameScore, scores: &[i32]) -> Option<(usize, i32)> {
        let mut falls = Falls::new(result);
        let swing = scores.iter().enumerate().fold(None, |swing, (ply, &score)| {
            let mover = Color::from_white(ply % 2 == 0);
            larger(swing, falls.add(ply, mover, score))
        });
        swing.map(|fall| (fall.ply, fall.size))
    }

    #[test]
    fn the_move_before_the_loser_s_largest_fall_is_to_blame() {
        let scores = [20, -10, 30, -400, -200, 100, -900, 800];
        assert_eq!(swing(GameScore::Loss, &scores), Some((4, 289)));
        assert_eq!(swing(GameScore::Win, &scores), Some((1, 304)));
        assert_eq!(swing(GameScore::Draw, &scores), Some((1, 304)));
    }

    #[test]
    fn moves_of_a_game_that_is_lost_already_are_not_to_blame() {
        // In pawns the fall from -4 to -10 is the larger one.
        assert_eq!(swing(GameScore::Loss, &[30, 0, -200, 0, -420, 0, -1000]), Some((0, 204)));
        assert_eq!(swing(GameScore::Loss, &[-600, 0, -1000, 0]), None);
    }

    #[test]
    fn mates_are_bounded_and_small_falls_are_no_swing() {
        let mated = [0, 0, -300, 0, -29_996, 0];
        assert_eq!(swing(GameScore::Loss, &mated), Some((0, 251)));
        assert_eq!(swing(GameScore::Loss, &[29_995, 0, 5_000, 0, 1_000, 0]), None);
        assert_eq!(swing(GameScore::Loss, &[50, 0, 0, 0]), None);
        assert_eq!(swing(GameScore::Loss, &[51, 0, 0, 0]), Some((0, 47)));
        assert_eq!(swing(GameScore::Loss, &[100, 0, 0, 0, -100]), Some((0, 91)), "the first");
    }
}
