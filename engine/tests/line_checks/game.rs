//! A game, and where it ends by the rules.

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position as _};

/// A game from its start on.
#[derive(Clone)]
pub struct Game {
    pub fen: String,
    pub chess960: bool,
    /// In UCI notation.
    pub moves: Vec<String>,
    position: Chess,
    /// Keys of all positions since the last capture or pawn move, with the present one.
    keys: Vec<Zobrist64>,
}

impl Game {
    /// A game from a position, unless that is none.
    pub fn new(fen: &str, chess960: bool) -> Option<Game> {
        let mode = if chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
        let position: Chess = fen.parse::<Fen>().ok()?.into_position(mode).ok()?;
        let keys = vec![position.zobrist_hash(EnPassantMode::Legal)];
        Some(Game { fen: fen.to_owned(), chess960, moves: Vec::new(), position, keys })
    }

    pub fn position(&self) -> &Chess {
        &self.position
    }

    fn mode(&self) -> CastlingMode {
        if self.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard }
    }

    /// The legal moves in UCI notation.
    pub fn legal_moves(&self) -> Vec<String> {
        let text = |&m: &Move| m.to_uci(self.mode()).to_string();
        self.position.legal_moves().iter().map(text).collect()
    }

    /// Plays a move; false, and nothing is played, if it is not legal or not written as it should be.
    #[must_use]
    pub fn play(&mut self, text: &str) -> bool {
        let parsed = text.parse::<UciMove>().ok().and_then(|uci| uci.to_move(&self.position).ok());
        let Some(m) = parsed.filter(|m| m.to_uci(self.mode()).to_string() == text) else {
            return false;
        };
        if m.is_zeroing() {
            self.keys.clear();
        }
        self.position.play_unchecked(m);
        self.keys.push(self.position.zobrist_hash(EnPassantMode::Legal));
        self.moves.push(text.to_owned());
        true
    }

    /// Plays a move that is known to be legal.
    pub fn played(mut self, text: &str) -> Game {
        assert!(self.play(text), "{text} is not legal in {} {:?}", self.fen, self.moves);
        self
    }

    pub fn is_checkmate(&self) -> bool {
        self.position.is_checkmate()
    }

    /// How the game has ended.
    pub fn ending(&self) -> Option<&'static str> {
        let here = self.keys.last();
        if self.position.is_checkmate() {
            Some("checkmate")
        } else if self.position.is_stalemate() {
            Some("stalemate")
        } else if self.position.is_insufficient_material() {
            Some("insufficient material")
        } else if self.position.halfmoves() >= 100 {
            Some("the fifty-move rule")
        } else if self.keys.iter().filter(|&key| Some(key) == here).count() >= 3 {
            Some("threefold repetition")
        } else {
            None
        }
    }

    /// The `position` command.
    pub fn position_command(&self) -> String {
        match self.moves.is_empty() {
            true => format!("position fen {}", self.fen),
            false => format!("position fen {} moves {}", self.fen, self.moves.join(" ")),
        }
    }
}
