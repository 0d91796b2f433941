//! The rules of chess, from shakmaty, with the history of the game.

use shakmaty::san::{SanPlus, Suffix};
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Color, Move};
use thiserror::Error;

use super::record::{Opening, Termination};
use super::rules::{GamePosition, Rules};
use crate::stats::GameScore;

/// An opening from which no game can be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningError {
    /// Not a FEN.
    #[error("`{fen}` is not a FEN: {reason}")]
    NotFen {
        /// As given.
        fen: String,
        /// What is wrong.
        reason: String,
    },
    /// A FEN of an illegal position.
    #[error("`{fen}` is not a legal position: {reason}")]
    Illegal {
        /// As given.
        fen: String,
        /// What is wrong.
        reason: String,
    },
    /// An illegal book move.
    #[error("book move {number}, `{text}`, is illegal")]
    Move {
        /// Which, from 1.
        number: usize,
        /// The move.
        text: String,
    },
    /// A game of another variant.
    #[error("the Variant tag names `{0}`, whose openings are not those of chess")]
    OtherVariant(String),
    /// The game is over.
    #[error("the game is over at the end of the opening ({0})")]
    Over(&'static str),
}

/// A game's position and history.
#[derive(Clone, Debug)]
pub struct Referee {
    position: GamePosition,
    castling: CastlingMode,
    /// Keys of all positions since the last capture or pawn move, this one last.
    keys: Vec<Zobrist64>,
    in_check: bool,
    has_moves: bool,
}

/// A move that was made.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    /// In the notation of the game's castling mode.
    pub uci: UciMove,
    /// For the PGN.
    pub san: SanPlus,
    /// A capture or pawn move.
    pub irreversible: bool,
}

impl Referee {
    /// At the position of `fen`, or at the usual start position.
    ///
    /// # Errors
    /// When the FEN or its position is invalid.
    pub fn new(fen: Option<&str>, rules: impl Into<Rules>) -> Result<Referee, OpeningError> {
        let rules = rules.into();
        let position = rules.position(fen)?;
        let has_moves = !position.legal_moves().is_empty();
        let in_check = position.is_check();
        let mut keys = Vec::with_capacity(128);
        keys.push(position.key());
        Ok(Referee { position, castling: rules.castling(), keys, in_check, has_moves })
    }

    /// At the end of an opening, with its moves as made.
    ///
    /// # Errors
    /// When the opening is illegal, or the game is over at its end.
    pub fn at(
        opening: &Opening,
        rules: impl Into<Rules>,
    ) -> Result<(Referee, Vec<Made>), OpeningError> {
        let (referee, moves) = Referee::after(opening, rules)?;
        match referee.ending() {
            Some((_, termination)) => Err(OpeningError::Over(termination.key())),
            None => Ok((referee, moves)),
        }
    }

    /// After some moves, which may have ended the game, with the moves as made.
    ///
    /// # Errors
    /// When a move is illegal.
    pub fn after(
        opening: &Opening,
        rules: impl Into<Rules>,
    ) -> Result<(Referee, Vec<Made>), OpeningError> {
        let mut referee = Referee::new(opening.fen.as_deref(), rules)?;
        let mut moves = Vec::with_capacity(opening.moves.len());
        for (index, &uci) in opening.moves.iter().enumerate() {
            let legal = referee
                .legal(uci)
                .ok_or_else(|| OpeningError::Move { number: index + 1, text: uci.to_string() })?;
            moves.push(referee.make(legal));
        }
        Ok((referee, moves))
    }

    /// The position.
    pub fn position(&self) -> &GamePosition {
        &self.position
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.position.turn()
    }

    /// The number of the next move, as in PGN.
    pub fn move_number(&self) -> u32 {
        self.position.move_number()
    }

    /// The legal move of a UCI move.
    pub fn legal(&self, uci: UciMove) -> Option<Move> {
        self.position.of_uci(uci)
    }

    /// A legal move in the notation of the game's castling mode.
    pub fn written(&self, legal: Move) -> UciMove {
        legal.to_uci(self.castling)
    }

    /// Makes a legal move.
    pub fn make(&mut self, legal: Move) -> Made {
        let uci = legal.to_uci(self.castling);
        let san = self.position.san(legal);
        let irreversible = legal.is_capture() || legal.role() == shakmaty::Role::Pawn;
        self.position.play(legal);
        if irreversible {
            self.keys.clear();
        }
        self.keys.push(self.position.key());
        self.has_moves = !self.position.legal_moves().is_empty();
        self.in_check = self.position.is_check();
        let suffix = match (self.in_check, self.has_moves) {
            // Who wins by the rules of a variant has mated, in the spelling of other programs.
            _ if matches!(self.position.variant_end(), Some(Some(_))) => Some(Suffix::Checkmate),
            (true, false) => Some(Suffix::Checkmate),
            (true, true) => Some(Suffix::Check),
            (false, _) => None,
        };
        Made { uci, san: SanPlus { san, suffix }, irreversible }
    }

    /// The result, if the game is over by the rules.
    pub fn ending(&self) -> Option<(GameScore, Termination)> {
        if let Some(winner) = self.position.variant_end() {
            let result = winner.map_or(GameScore::Draw, GameScore::won_by);
            return Some((result, Termination::VariantEnd));
        }
        if !self.has_moves {
            return Some(if self.in_check {
                (GameScore::won_by(!self.turn()), Termination::Checkmate)
            } else {
                (GameScore::Draw, Termination::Stalemate)
            });
        }
        let termination = if self.position.is_insufficient_material() {
            Termination::InsufficientMaterial
        } else if self.repetitions() >= 3 {
            Termination::Repetition
        } else if self.position.halfmoves() >= 100 {
            Termination::FiftyMoves
        } else {
            return None;
        };
        Some((GameScore::Draw, termination))
    }

    /// How often the position occurred, this time included.
    fn repetitions(&self) -> usize {
        let Some((&now, _)) = self.keys.split_last() else { return 0 };
        // Positions with the same side to move are two plies apart.
        self.keys.iter().rev().step_by(2).filter(|&&key| key == now).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(fen: Option<&str>, moves: &str) -> Referee {
        let mut referee = Referee::new(fen, false).unwrap();
        for text in moves.split_whitespace() {
            let legal = referee.legal(text.parse().unwrap()).expect(text);
            referee.make(legal);
        }
        referee
    }

    #[test]
    fn every_ending_by_the_rules_is_seen_when_it_happens_and_not_before() {
        let shuffle = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
        let cases: [(Option<&str>, &str, GameScore, Termination); 6] = [
            (None, "f2f3 e7e5 g2g4 d8h4", GameScore::Loss, Termination::Checkmate),
            (
                Some("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1"),
                "f1f7",
                GameScore::Draw,
                Termination::Stalemate,
            ),
            (None, shuffle, GameScore::Draw, Termination::Repetition),
            (
                Some("4k3/8/8/8/8/8/R7/4K3 w - - 98 80"),
                "a2b2 e8e7",
                GameScore::Draw,
                Termination::FiftyMoves,
            ),
            (
                Some("4k3/8/8/8/8/8/4p3/4K2B w - - 0 1"),
                "e1e2",
                GameScore::Draw,
                Termination::InsufficientMaterial,
            ),
            (
                Some("k7/8/1K6/8/8/8/8/7R w - - 99 80"),
                "h1h8",
                GameScore::Win,
                Termination::Checkmate,
            ),
        ];
        for (fen, moves, result, termination) in cases {
            let before = moves.rsplit_once(' ').map_or("", |(before, _)| before);
            assert_eq!(after(fen, before).ending(), None, "{fen:?} {before}");
            assert_eq!(after(fen, moves).ending(), Some((result, termination)), "{moves}");
        }
    }

    #[test]
    fn a_position_with_a_capture_en_passant_is_another_one() {
        // The e-pawn can be taken only the first time.
        let referee = after(
            Some("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1"),
            "e2e4 e8d8 e1d1 d8e8 d1e1 e8d8 e1d1 d8e8 d1e1",
        );
        assert_eq!(referee.ending(), None);
        let mut referee = referee;
        let legal = referee.legal("e8d8".parse().unwrap()).unwrap();
        referee.make(legal);
        assert_eq!(referee.ending(), Some((GameScore::Draw, Termination::Repetition)));
    }

    #[test]
    fn castling_is_parsed_both_ways_and_written_in_the_way_of_the_variant() {
        let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        for (chess960, written) in [(false, "e1g1"), (true, "e1h1")] {
            for text in ["e1g1", "e1h1"] {
                let mut referee = Referee::new(Some(fen), chess960).unwrap();
                let legal = referee.legal(text.parse().unwrap()).unwrap();
                let made = referee.make(legal);
                assert_eq!(made.uci.to_string(), written);
                assert_eq!(made.san.to_string(), "O-O");
            }
        }
    }

    #[test]
    fn illegal_moves_are_refused() {
        let referee = Referee::new(None, false).unwrap();
        for text in ["e1e5", "e2e5", "e7e5", "e1g1", "a2a3q", "0000", "h8h1"] {
            assert_eq!(referee.legal(text.parse().unwrap()), None, "{text}");
        }
    }

    #[test]
    fn an_opening_that_is_over_or_illegal_is_refused() {
        let opening = |fen: &str, moves: &str| Opening {
            fen: (!fen.is_empty()).then(|| fen.to_owned()),
            moves: moves.split_whitespace().map(|text| text.parse().unwrap()).collect(),
        };
        for (fen, moves, says) in [
            ("", "f2f3 e7e5 g2g4 d8h4", "over"),
            ("", "e2e4 e2e4", "book move 2"),
            ("8/8/8/8/8/8/8/8 w - - 0 1", "", "legal position"),
            ("rubbish", "", "not a FEN"),
        ] {
            let error = Referee::at(&opening(fen, moves), false).unwrap_err();
            assert!(error.to_string().contains(says), "{error}");
        }
    }
}
