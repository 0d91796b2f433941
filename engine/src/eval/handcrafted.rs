//! The hand-crafted evaluation: all terms in order, tapered by the game phase.

use super::attacks::Attacks;
use super::evaluator::Evaluator;
use super::king::KingAttack;
use super::pawns::PawnTable;
use super::pieces::Pieces;
use super::psqt::psqt_index;
use super::score::FULL_SCALE;
use super::tally::{Tally, count};
use super::trace::{NoTrace, Trace};
use super::{endgame, passed, threats};
use crate::board::{Color, Position, Role};

/// The phase with all pieces on the board; 0 is a pawn endgame.
pub const PHASE_START: i32 = 24;

/// The hand-crafted evaluation, with its pawn hash table.
#[derive(Clone, Default)]
pub struct Handcrafted {
    pawns: PawnTable,
}

impl Handcrafted {
    /// An evaluator with an empty pawn hash table.
    pub fn new() -> Handcrafted {
        Handcrafted::default()
    }

    /// The value of the position in centipawns for the side to move; `trace` records each term.
    pub fn evaluate_traced<T: Trace>(&mut self, position: &Position, trace: &mut T) -> i32 {
        use Color::{Black, White};
        let pawns = self.pawns.get(position, trace);
        let mut tally = Tally::new(trace);
        tally.sum += pawns.score();
        for color in [White, Black] {
            count!(tally, color, king_square[psqt_index(color, position.king(color))]);
        }
        let mut attacks = Attacks::of_pawns_and_kings(position);
        let mut on_white = KingAttack::new(position, White);
        let mut on_black = KingAttack::new(position, Black);
        let white = Pieces::new(position, &pawns, &attacks, White);
        let black = Pieces::new(position, &pawns, &attacks, Black);
        white.count(&mut attacks, &mut on_black, &mut tally);
        black.count(&mut attacks, &mut on_white, &mut tally);
        on_white.count(position, &attacks, White, &mut tally);
        on_black.count(position, &attacks, Black, &mut tally);
        for color in [White, Black] {
            threats::count(position, &attacks, color, &mut tally);
            passed::count(position, &pawns, &attacks, color, &mut tally);
        }
        endgame::mop_up(position, &mut tally);
        count!(tally, position.side(), tempo[0]);

        let mg = tally.sum.mg();
        let eg = tally.sum.eg();
        let scale = endgame::scale(position, Color::from_white(eg > 0));
        trace.scale(scale);
        let white = taper(mg, eg * scale / FULL_SCALE, phase(position));
        if position.side().is_white() { white } else { -white }
    }
}

impl Evaluator for Handcrafted {
    fn evaluate(&mut self, position: &Position) -> i32 {
        self.evaluate_traced(position, &mut NoTrace)
    }
}

/// The game phase: a minor piece counts 1, a rook 2 and a queen 4, up to [`PHASE_START`].
#[inline]
pub fn phase(position: &Position) -> i32 {
    let count = |role| position.by_role(role).count() as i32;
    let minors = count(Role::Knight) + count(Role::Bishop);
    (minors + 2 * count(Role::Rook) + 4 * count(Role::Queen)).min(PHASE_START)
}

/// Tapered evaluation: interpolates between middlegame and endgame value by the phase.
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
        let suites = [suites::WAC, suites::BK, suites::PERFT];
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
            let other = |letter: char| {
                if letter.is_ascii_uppercase() {
                    letter.to_ascii_lowercase()
                } else {
                    letter.to_ascii_uppercase()
                }
            };
            text.chars().map(other).collect()
        };
        let board = swap(&ranks.join("/"));
        let rights = swap(next());
        Position::from_fen(&format!("{board} {side} {rights} -")).expect("as legal as before")
    }

    /// The position without castling rights, which have no mirror image.
    fn without_rights(position: &Position) -> Position {
        let fen = position.fen(true);
        let fields: Vec<&str> = fen.split(' ').take(2).collect();
        Position::from_fen(&fields.join(" ")).expect("as legal as before")
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
    fn the_evaluation_is_symmetric_in_the_colours() {
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
    fn the_evaluation_is_symmetric_in_the_wings() {
        let mut evaluator = Handcrafted::new();
        for position in positions() {
            let here = evaluator.evaluate(&without_rights(&position));
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
            let white = taper(mg, eg * coefficients.scale / FULL_SCALE, phase(&position));
            let side = if position.side() == Color::White { white } else { -white };
            assert_eq!(side, value, "{}", position.fen(false));
        }
    }

    /// The value for White of a position with White to move.
    fn white(fen: &str) -> i32 {
        let position = Position::from_fen(fen).unwrap();
        Handcrafted::new().evaluate(&position)
    }

    #[test]
    fn better_is_worth_more() {
        let cases = [
            (
                "a rook on an open file",
                "r4rk1/pp1b1ppp/8/8/8/8/PP1B1PPP/2R2RK1 w - - 0 1",
                "r4rk1/pp1b1ppp/8/8/8/8/PP1B1PPP/R4RK1 w - - 0 1",
            ),
            (
                "a healthy pawn rather than a doubled one",
                "4k3/pp3ppp/8/8/8/8/PPP2PPP/4K3 w - - 0 1",
                "4k3/pp3ppp/8/8/8/2P5/P1P2PPP/4K3 w - - 0 1",
            ),
            (
                "a passed pawn that is further",
                "4k3/8/1P6/8/8/8/6pp/4K3 w - - 0 1",
                "4k3/8/8/8/1P6/8/6pp/4K3 w - - 0 1",
            ),
            (
                "a king behind its pawns while queens are on the board",
                "r2q1rk1/ppp2ppp/2n2n2/8/8/2N2N2/PPP2PPP/R2Q1RK1 w - - 0 1",
                "r2q1rk1/ppp2ppp/2n2n2/8/3K4/2N2N2/PPP2PPP/R2Q1R2 w - - 0 1",
            ),
            (
                "a king in the middle when they are off",
                "4k3/ppp2ppp/8/8/4K3/8/PPP2PPP/8 w - - 0 1",
                "4k3/ppp2ppp/8/8/8/8/PPP2PPP/7K w - - 0 1",
            ),
            (
                "a protected outpost",
                "r2q1rk1/pp3ppp/2n5/3Np3/4P3/8/PP3PPP/R2Q1RK1 w - - 0 1",
                "r2q1rk1/pp3ppp/2n5/4p3/4P3/8/PP3PPP/RN1Q1RK1 w - - 0 1",
            ),
            (
                "a lone king at the edge",
                "8/8/8/8/8/3K4/7R/3k4 w - - 0 1",
                "8/8/8/3k4/8/3K4/7R/8 w - - 0 1",
            ),
        ];
        for (what, better, worse) in cases {
            let better = white(better);
            let worse = white(worse);
            assert!(better > worse, "{what}: {better} against {worse}");
        }
    }

    #[test]
    fn the_start_is_nearly_equal_and_a_queen_is_much() {
        let start = white("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert!((0..40).contains(&start), "{start}");
        let queen_up = white("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert!((800..1_400).contains(&queen_up), "{queen_up}");
    }

    #[test]
    fn the_pawn_hash_table_does_not_change_the_evaluation() {
        let mut used = Handcrafted::new();
        for position in positions() {
            used.evaluate(&position);
        }
        for position in positions() {
            assert_eq!(used.evaluate(&position), Handcrafted::new().evaluate(&position));
        }
    }
}
