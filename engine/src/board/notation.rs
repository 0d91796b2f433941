//! Moves in UCI notation.

use std::fmt;

use super::{CastlingSide, Move, Position, Role, Square, castling};

/// A move in UCI notation, from [`Position::uci`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UciMove {
    from: Square,
    to: Square,
    promotion: Option<Role>,
}

impl fmt::Display for UciMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)?;
        self.promotion.map_or(Ok(()), |role| write!(f, "{}", role.char()))
    }
}

impl Position {
    /// The move in UCI notation: castling as the king's two steps (`e1g1`), or in Chess960 as
    /// the king taking its rook (`e1h1`).
    pub fn uci(&self, m: Move, chess960: bool) -> UciMove {
        let to = if m.is_castling() && !chess960 { self.castling_king_to(m) } else { m.to() };
        UciMove { from: m.from(), to, promotion: m.promotion() }
    }

    /// Reads a legal move in UCI's notation; `None` when it is not one.
    ///
    /// Castling may be written both ways whatever the variant. `chess960` decides what is meant
    /// where both a king's step and castling could be: in Chess960 the step.
    pub fn parse_uci(&self, text: &str, chess960: bool) -> Option<Move> {
        let text = text.as_bytes();
        let (squares, promotion) = text.split_at_checked(4)?;
        let from = Square::from_ascii(&squares[..2]).ok()?;
        let to = Square::from_ascii(&squares[2..]).ok()?;
        let promotion = match promotion {
            [] => None,
            [letter] => Some(Role::from_char(char::from(*letter))?),
            _ => return None,
        };
        let moves = self.legal_moves();
        let plain =
            moves.iter().find(|m| (m.from(), m.to(), m.promotion()) == (from, to, promotion));
        let castling = moves
            .iter()
            .find(|m| m.is_castling() && m.from() == from && self.castling_king_to(**m) == to)
            .filter(|_| promotion.is_none());
        let is_two_steps = from.file().distance(to.file()) > 1;
        if chess960 || !is_two_steps { plain.or(castling) } else { castling.or(plain) }.copied()
    }

    fn castling_king_to(&self, m: Move) -> Square {
        let side: CastlingSide = castling::side_of(m.from(), m.to());
        side.king_to(self.side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn castling_is_read_in_both_notations_and_written_in_the_variants() {
        let position = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
        let kingside = Move::castling(Square::E1, Square::H1);
        let queenside = Move::castling(Square::E1, Square::A1);
        for chess960 in [false, true] {
            for text in ["e1g1", "e1h1"] {
                assert_eq!(position.parse_uci(text, chess960), Some(kingside), "{text}");
            }
            for text in ["e1c1", "e1a1"] {
                assert_eq!(position.parse_uci(text, chess960), Some(queenside), "{text}");
            }
        }
        assert_eq!(position.uci(kingside, false).to_string(), "e1g1");
        assert_eq!(position.uci(kingside, true).to_string(), "e1h1");
        assert_eq!(position.uci(queenside, false).to_string(), "e1c1");
    }

    #[test]
    fn a_chess960_king_step_is_not_taken_for_castling() {
        let position = Position::from_fen("5k2/8/8/8/8/8/8/5K1R w H - 0 1").unwrap();
        let step = Move::normal(Square::F1, Square::G1);
        assert_eq!(position.parse_uci("f1g1", true), Some(step));
        let castling = Move::castling(Square::F1, Square::H1);
        assert_eq!(position.parse_uci("f1h1", true), Some(castling));
        let far = Position::from_fen("5k2/8/8/8/8/8/8/1K5R w H - 0 1").unwrap();
        let castling = Move::castling(Square::B1, Square::H1);
        assert_eq!(far.parse_uci("b1g1", true), Some(castling));
    }

    #[test]
    fn text_that_is_not_a_legal_move_is_none() {
        let start = Position::startpos();
        let bad = ["", "e", "e2", "e2e", "e2e5", "e7e5", "e2e4q", "e2e4qq", "z9z9", "0000", "ééé"];
        for text in bad {
            assert_eq!(start.parse_uci(text, false), None, "{text}");
        }
    }

    #[test]
    fn promotions_carry_their_letter() {
        let position = Position::from_fen("4k3/P7/8/8/8/8/8/4K3 w - - 0 1").unwrap();
        let m = position.parse_uci("a7a8n", false).unwrap();
        assert_eq!(m.promotion(), Some(Role::Knight));
        assert_eq!(position.uci(m, false).to_string(), "a7a8n");
        assert_eq!(position.parse_uci("a7a8", false), None);
        assert_eq!(position.parse_uci("a7a8k", false), None);
    }
}
