//! The hand-crafted evaluation: all terms in order, tapered.

use super::tally::{Tally, count};
use super::trace::{NoTrace, Trace};
use super::{Evaluator, placement};
use crate::board::{Position, Role};

/// The phase of a game with all pieces on the board; 0 is an endgame of pawns.
pub const PHASE_START: i32 = 24;

/// The hand-crafted evaluation.
#[derive(Default)]
pub struct Handcrafted {}

impl Handcrafted {
    /// An evaluator with empty caches.
    pub fn new() -> Handcrafted {
        Handcrafted::default()
    }

    /// The value of the position in centipawns for the side to move, telling `trace` of each term.
    pub fn evaluate_traced<T: Trace>(&mut self, position: &Position, trace: &mut T) -> i32 {
        let mut tally = Tally::new(trace);
        placement::pawns(position, &mut tally);
        placement::pieces(position, &mut tally);
        count!(tally, position.side(), tempo[0]);
        let (mg, eg) = (tally.sum.mg(), tally.sum.eg());
        let white = taper(mg, eg, phase(position));
        if position.side().is_white() { white } else { -white }
    }
}

impl Evaluator for Handcrafted {
    fn evaluate(&mut self, position: &Position) -> i32 {
        self.evaluate_traced(position, &mut NoTrace)
    }
}

/// How much of the middlegame is left: a minor piece counts 1, a rook 2 and a queen 4, up to
/// [`PHASE_START`].
#[inline]
pub fn phase(position: &Position) -> i32 {
    let count = |role| position.by_role(role).count() as i32;
    let minors = count(Role::Knight) + count(Role::Bishop);
    (minors + 2 * count(Role::Rook) + 4 * count(Role::Queen)).min(PHASE_START)
}

/// The value between a middlegame and an endgame value that belongs to the phase.
#[inline]
pub fn taper(mg: i32, eg: i32, phase: i32) -> i32 {
    (mg * phase + eg * (PHASE_START - phase)) / PHASE_START
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Color;
    use crate::eval::Coefficients;

    /// Positions of all kinds: openings, sharp middlegames, endgames.
    fn positions() -> impl Iterator<Item = Position> {
        let suites = [
            include_str!("../../../suites/wac.epd"),
            include_str!("../../../suites/bk.epd"),
            include_str!("../../../suites/perft.epd"),
        ];
        suites.into_iter().flat_map(str::lines).filter(|line| !line.starts_with('#')).map(|line| {
            let fields: Vec<&str> = line.split_ascii_whitespace().take(4).collect();
            Position::from_fen(&fields.join(" ")).expect("the suites are legal")
        })
    }

    /// The position with colours exchanged and the board turned.
    fn exchanged(position: &Position) -> Position {
        let fen = position.fen(true);
        let mut fields = fen.split(' ');
        let mut next = || fields.next().expect("six fields");
        let ranks: Vec<&str> = next().split('/').rev().collect();
        let side = if next() == "w" { "b" } else { "w" };
        let swap = |text: &str| -> String {
            let other = |letter: char| match letter.is_ascii_uppercase() {
                true => letter.to_ascii_lowercase(),
                false => letter.to_ascii_uppercase(),
            };
            text.chars().map(other).collect()
        };
        let (board, rights) = (swap(&ranks.join("/")), swap(next()));
        Position::from_fen(&format!("{board} {side} {rights} -")).expect("as legal as before")
    }

    /// The position as a mirror shows it, without castling rights.
    fn mirrored(position: &Position) -> Position {
        let fen = position.fen(true);
        let (board, rest) = fen.split_once(' ').expect("six fields");
        let ranks: Vec<String> =
            board.split('/').map(|rank| rank.chars().rev().collect()).collect();
        Position::from_fen(&format!("{} {}", ranks.join("/"), &rest[..1])).expect("as legal")
    }

    #[test]
    fn both_colours_are_judged_alike() {
        let mut evaluator = Handcrafted::new();
        for position in positions() {
            let other = exchanged(&position);
            assert_eq!(
                evaluator.evaluate(&position),
                evaluator.evaluate(&other),
                "{}",
                position.fen(false)
            );
        }
    }

    #[test]
    fn both_wings_are_judged_alike() {
        let mut evaluator = Handcrafted::new();
        for position in positions() {
            let here = evaluator.evaluate(&position);
            assert_eq!(here, evaluator.evaluate(&mirrored(&position)), "{}", position.fen(false));
        }
    }

    #[test]
    fn a_trace_adds_up_to_the_evaluation() {
        let mut evaluator = Handcrafted::new();
        for position in positions() {
            let mut coefficients = Coefficients::new();
            let value = evaluator.evaluate_traced(&position, &mut coefficients);
            assert_eq!(value, evaluator.evaluate(&position));
            let (mg, eg) = coefficients.total();
            let white = taper(mg, eg, phase(&position));
            let side = if position.side() == Color::White { white } else { -white };
            assert_eq!(side, value, "{}", position.fen(false));
        }
    }
}
