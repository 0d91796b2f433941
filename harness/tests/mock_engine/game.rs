//! The position, and a move for it.

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

pub struct Game {
    chess960: bool,
    seed: u64,
    position: Chess,
    /// The arguments of `position` that led there; empty before the first.
    arguments: String,
}

impl Game {
    pub fn new(seed: u64) -> Game {
        Game { chess960: false, seed, position: Chess::default(), arguments: String::new() }
    }

    /// Obeys `UCI_Chess960`.
    pub fn set_chess960(&mut self, chess960: bool) {
        self.chess960 = chess960;
        self.arguments.clear();
    }

    /// Obeys `position`; what makes no sense leaves the position as it is.
    pub fn set(&mut self, arguments: &str) {
        let (start, moves) = match self.further_moves(arguments) {
            Some(moves) => (Some(self.position.clone()), moves),
            None => {
                let (start, moves) = arguments.split_once("moves").unwrap_or((arguments, ""));
                (self.start(start.trim()), moves)
            }
        };
        let Some(mut position) = start else { return };
        for token in moves.split_whitespace() {
            let played = token.parse::<UciMove>().ok().and_then(|m| m.to_move(&position).ok());
            let Some(played) = played else { return };
            position.play_unchecked(played);
        }
        self.position = position;
        self.arguments.clear();
        self.arguments.push_str(arguments);
    }

    /// The moves behind those of the latest `position`, if it is the same game: an engine that does
    /// nothing else would spend its time on playing all of them again.
    fn further_moves<'a>(&self, arguments: &'a str) -> Option<&'a str> {
        let rest = arguments.strip_prefix(&self.arguments)?;
        match self.arguments.contains(" moves") {
            true => (rest.is_empty() || rest.starts_with(' ')).then_some(rest),
            false => rest.strip_prefix(" moves").filter(|_| !self.arguments.is_empty()),
        }
    }

    /// The position that a game starts from.
    fn start(&self, text: &str) -> Option<Chess> {
        match text.strip_prefix("fen ") {
            None => Some(Chess::default()),
            Some(fen) => fen.parse::<Fen>().ok()?.into_position(self.mode()).ok(),
        }
    }

    /// Whether a move is legal here.
    pub fn is_legal(&self, token: &str) -> bool {
        token.parse::<UciMove>().is_ok_and(|found| found.to_move(&self.position).is_ok())
    }

    /// What this engine would answer to a move of its own; `None` at the end of the game.
    pub fn reply_to(&self, best: &str) -> Option<String> {
        let mut position = self.position.clone();
        let played = best.parse::<UciMove>().ok()?.to_move(&position).ok()?;
        position.play_unchecked(played);
        let reply = self.best_move_in(&position);
        (reply != "(none)").then_some(reply)
    }

    /// A legal move, picked by seed and position.
    pub fn best_move(&self) -> String {
        self.best_move_in(&self.position)
    }

    fn best_move_in(&self, position: &Chess) -> String {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return "(none)".to_owned();
        }
        let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
        let number = hash(self.seed, fen.as_bytes()) % moves.len() as u64;
        let index = usize::try_from(number).expect("a number of moves fits");
        moves[index].to_uci(self.mode()).to_string()
    }

    fn mode(&self) -> CastlingMode {
        CastlingMode::from_chess960(self.chess960)
    }
}

/// FNV-1a, then mixed so that the low bits depend on all (the finish of SplitMix64).
fn hash(seed: u64, text: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for &byte in text {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}
