//! A position of a new suite.

use shakmaty::san::SanPlus;

use super::candidates::Candidate;
use super::contrast::Contrast;
use harness_player::Score;

/// A position of a new suite.
#[derive(Clone, Debug)]
pub struct SuitePosition {
    /// The position and where it is from.
    pub candidate: Candidate,
    /// As verified.
    pub contrast: Contrast,
}

impl SuitePosition {
    /// The best move.
    pub fn san(&self) -> String {
        SanPlus::from_move(self.candidate.position.clone(), self.contrast.best).to_string()
    }

    /// The margin of the best move, for people.
    pub fn margin_text(&self) -> String {
        match (self.contrast.score, self.contrast.second) {
            (Score::Mate(moves), _) => format!("mate in {moves}"),
            (_, Score::Mate(moves)) => format!("else mated in {}", -moves),
            _ => format!("margin {} cp", self.contrast.margin()),
        }
    }
}
