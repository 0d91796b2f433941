//! The WDL model: probabilities of win, draw and loss from a score.

use std::fmt;

use crate::board::{Position, Role};
use crate::search::Score;

/// Probabilities for the side to move, in thousandths; their sum is 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wdl {
    /// Of a win.
    pub win: u32,
    /// Of a draw.
    pub draw: u32,
    /// Of a loss.
    pub loss: u32,
}

/// Material of the starting position, in pawns (1, 3, 3, 5, 9).
const FULL_MATERIAL: f64 = 78.0;

/// Centipawns at which half of the games are won, as a polynomial in the share of the material on the
/// board.
const HALF: [f64; 4] = [888.2, -3498.0, 5050.9, -2375.4];
/// Scale of the logistic curve, in centipawns, as such a polynomial.
const SPREAD: [f64; 4] = [221.9, -752.9, 1228.4, -607.2];

impl Wdl {
    /// The probabilities of a score.
    ///
    /// Stockfish's model: the probability of a win is a logistic function of the score with centre
    /// [`HALF`] and scale [`SPREAD`], that of a loss its mirror image, the rest are draws. The
    /// coefficients are the maximum-likelihood fit (Nelder-Mead on binned counts, mirrored) to 184,845
    /// positions, those after ply 8 with a score up to 20 pawns, of 1,400 games of the engine with its
    /// seventh network at 20,000 nodes a move against itself at 19,000, won by adjudication from 15 pawns
    /// on. The loss on these positions is 0.652 nats per position; `engine/docs/wdl.svg` shows counts
    /// and model.
    /// At longer time controls fewer games are decided by mistakes: an advantage is then worth more, and
    /// level positions are drawn more often.
    /// `harness data wdl` fits the coefficients to other games and prints them to be pasted here.
    pub fn from_score(score: Score, position: &Position) -> Wdl {
        let centipawns = match score {
            Score::Centipawns(value) => f64::from(value),
            Score::Mate(moves) if moves > 0 => return Wdl { win: 1000, draw: 0, loss: 0 },
            Score::Mate(_) => return Wdl { win: 0, draw: 0, loss: 1000 },
        };
        let share = (material(position).max(8.0) / FULL_MATERIAL).min(1.0);
        let at = |terms: [f64; 4]| terms.iter().rev().fold(0.0, |sum, term| sum * share + term);
        let half = at(HALF);
        let spread = at(SPREAD);
        let probability =
            |score: f64| (1000.0 / (1.0 + ((half - score) / spread).exp())).round() as u32;
        let win = probability(centipawns);
        let loss = probability(-centipawns);
        Wdl { win, draw: 1000 - win - loss, loss }
    }
}

fn material(position: &Position) -> f64 {
    let worth = [
        (Role::Pawn, 1.0),
        (Role::Knight, 3.0),
        (Role::Bishop, 3.0),
        (Role::Rook, 5.0),
        (Role::Queen, 9.0),
    ];
    worth.into_iter().map(|(role, pawns)| pawns * position.by_role(role).count() as f64).sum()
}

impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wdl {} {} {}", self.win, self.draw, self.loss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_add_up_and_rise_with_the_score() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
            "4k3/pppppppp/8/8/8/8/8/QQQQKQQQ w - - 0 1",
            "4k3/8/8/3r4/8/8/8/R3K3 w - - 0 1",
        ] {
            let position = Position::from_fen(fen).expect("valid");
            let mut before = Wdl { win: 0, draw: 0, loss: 1000 };
            for value in (-4000..=4000).step_by(10) {
                let wdl = Wdl::from_score(Score::Centipawns(value), &position);
                assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000, "{fen} {value}");
                assert!(wdl.win >= before.win && wdl.loss <= before.loss, "{fen} {value}");
                let mirrored = Wdl::from_score(Score::Centipawns(-value), &position);
                assert_eq!((wdl.win, wdl.draw), (mirrored.loss, mirrored.draw), "{fen} {value}");
                before = wdl;
            }
            assert_eq!(before.win, 1000);
        }
        let start = Position::startpos();
        assert_eq!(Wdl::from_score(Score::Mate(3), &start).win, 1000);
        assert_eq!(Wdl::from_score(Score::Mate(-3), &start).loss, 1000);
        assert_eq!(Wdl::from_score(Score::Mate(0), &start).loss, 1000);
    }
}
