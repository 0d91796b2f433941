//! Positions of chess and of its variants.

use shakmaty::fen::{Epd, Fen};
use shakmaty::san::{San, SanPlus, Suffix};
use shakmaty::uci::UciMove;
use shakmaty::variant::VariantPosition;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, Color, EnPassantMode, KnownOutcome, Move, MoveList, Outcome, Position};

use harness_notation::pgn::find_shakmaty_move;
use harness_stats::GameScore;

/// A position of chess or of a variant.
#[derive(Clone, Debug)]
pub enum GamePosition {
    /// Of chess, Chess960 included.
    Chess(Chess),
    /// Of a variant.
    Variant(Box<VariantPosition>),
}

/// The same expression for either kind of position.
macro_rules! on {
    ($game:expr, $position:ident => $value:expr) => {
        match $game {
            GamePosition::Chess($position) => $value,
            GamePosition::Variant(boxed) => {
                let $position = &**boxed;
                $value
            }
        }
    };
}

impl GamePosition {
    /// The position, if it is one of chess.
    pub fn chess(&self) -> Option<&Chess> {
        match self {
            GamePosition::Chess(position) => Some(position),
            GamePosition::Variant(_) => None,
        }
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        on!(self, position => position.turn())
    }

    /// The number of the next move, as in PGN.
    pub fn move_number(&self) -> u32 {
        on!(self, position => position.fullmoves().get())
    }

    /// Plies since the last capture or pawn move.
    pub fn halfmoves(&self) -> u32 {
        on!(self, position => position.halfmoves())
    }

    /// The legal moves.
    pub fn legal_moves(&self) -> MoveList {
        on!(self, position => position.legal_moves())
    }

    /// Whether the side to move is in check.
    pub fn is_check(&self) -> bool {
        on!(self, position => position.is_check())
    }

    /// Whether neither side can win any more.
    pub fn is_insufficient_material(&self) -> bool {
        on!(self, position => position.is_insufficient_material())
    }

    /// The result where the rules of the variant alone end the game.
    pub fn variant_result(&self) -> Option<GameScore> {
        let GamePosition::Variant(position) = self else { return None };
        match position.variant_outcome() {
            Outcome::Unknown => None,
            Outcome::Known(KnownOutcome::Draw) => Some(GameScore::Draw),
            Outcome::Known(KnownOutcome::Decisive { winner }) => Some(GameScore::won_by(winner)),
        }
    }

    /// Whether captured pieces can be dropped, so that a capture can be undone.
    pub fn has_drops(&self) -> bool {
        on!(self, position => position.pockets().is_some())
    }

    /// The key of the position.
    pub fn key(&self) -> Zobrist64 {
        on!(self, position => position.zobrist_hash(EnPassantMode::Legal))
    }

    /// The legal move of a UCI move.
    pub fn of_uci(&self, uci: UciMove) -> Option<Move> {
        on!(self, position => uci.to_move(position).ok())
    }

    /// The legal move that a word of a PGN names.
    pub fn of_word(&self, word: &[u8]) -> Option<Move> {
        on!(self, position => find_shakmaty_move(position, word).map(|(legal, _)| legal))
    }

    /// The SAN of a legal move.
    pub fn san(&self, legal: Move) -> San {
        on!(self, position => San::from_move(position, legal))
    }

    /// Plays a legal move.
    pub fn play(&mut self, legal: Move) {
        match self {
            GamePosition::Chess(position) => position.play_unchecked(legal),
            GamePosition::Variant(position) => position.play_unchecked(legal),
        }
    }

    /// Plays a legal move, and gives its SAN with check or mate.
    pub fn play_with_san(&mut self, legal: Move) -> SanPlus {
        let san = self.san(legal);
        self.play(legal);
        SanPlus { san, suffix: on!(self, position => Suffix::from_position(position)) }
    }

    /// As FEN.
    pub fn fen(&self) -> String {
        on!(self, position => Fen::from_position(position, EnPassantMode::Legal).to_string())
    }

    /// As EPD.
    pub fn epd(&self) -> String {
        on!(self, position => Epd::from_position(position, EnPassantMode::Legal).to_string())
    }
}
