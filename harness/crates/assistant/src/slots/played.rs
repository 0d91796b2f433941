//! A move of the game that is named by what it did: "where I took on d4", "when his knight came to c6", "cxd4".

use super::Filler;
use super::editor::{PIECES, is_square};
use crate::intent::Intent;
use crate::tags::is_move;

/// Verbs of captures.
const CAPTURES: [&str; 20] = [
    "took",
    "take",
    "takes",
    "taken",
    "captured",
    "capture",
    "captures",
    "recaptured",
    "recapture",
    "recaptures",
    "exchanged",
    "exchange",
    "swapped",
    "traded",
    "grabbed",
    "won",
    "ate",
    "taking",
    "capturing",
    "off",
];

/// Verbs of other moves.
const MOVES: [&str; 22] = [
    "went",
    "goes",
    "came",
    "comes",
    "moved",
    "moves",
    "played",
    "plays",
    "jumped",
    "jumps",
    "developed",
    "landed",
    "pushed",
    "advanced",
    "reached",
    "hopped",
    "retreated",
    "appeared",
    "arrived",
    "put",
    "placed",
    "moving",
];

/// Words between them.
const LINKS: [&str; 16] = [
    "on", "to", "at", "the", "with", "a", "back", "his", "my", "your", "pawn", "that", "were",
    "was", "into", "onto",
];

impl Filler<'_> {
    /// A move that is described, as `to` with `capture`, `piece` and `side` as far as they are said, or as `san`.
    pub(super) fn described_move(&mut self) -> bool {
        self.castled() || self.moved_to_square() || self.written_move()
    }

    /// "When I castled": which way, where it is said.
    fn castled(&mut self) -> bool {
        let verbs = ["castled", "castles", "castling"];
        let Some(at) = self.places(&verbs).into_iter().next() else { return false };
        let long = self.has(&["long", "queenside"]);
        let short = self.has(&["short", "kingside"]);
        self.mark(at..at + 1);
        let san = match (long, short) {
            (true, false) => "O-O-O",
            (false, true) => "O-O",
            _ => "castling",
        };
        self.set("san", Some(san));
        self.mover_before(at);
        true
    }

    pub(super) fn moved_to_square(&mut self) -> bool {
        let words = self.sentence.words;
        let found = (0..words.len()).filter(|at| is_square(self.word(*at))).find_map(|square| {
            let verbs = square.saturating_sub(6)..square;
            // "Take back e4" captures nothing.
            let verb = |known: &[&str]| {
                let is_one =
                    |at: &usize| known.contains(&self.word(*at)) && self.word(at + 1) != "back";
                verbs.clone().rev().find(is_one)
            };
            let capture = verb(&CAPTURES);
            let verb = capture.or_else(|| verb(&MOVES))?;
            let is_linked = (verb + 1..square)
                .all(|at| LINKS.contains(&self.word(at)) || self.piece_at(at).is_some());
            is_linked.then_some((verb, square, capture.is_some()))
        });
        let Some((verb, square, is_capture)) = found else { return false };
        let window = verb.saturating_sub(3)..(square + 5).min(words.len());
        let piece = window.clone().find_map(|at| Some((at, self.piece_at(at)?)));
        // "Where the game went to d4" names no move.
        if piece.is_none()
            && !is_capture
            && !matches!(self.word(verb), "played" | "plays" | "moved")
        {
            return false;
        }
        let to = self.word(square).to_owned();
        self.set("to", Some(to));
        self.set("capture", is_capture.then_some(true));
        self.mark(verb..square + 1);
        if let Some((at, letter)) = piece {
            self.set("piece", Some(letter.to_ascii_uppercase().to_string()));
            self.mark(at..at + 1);
            if at > square {
                self.mark(square + 1..at);
            }
        }
        self.mover_before(verb);
        true
    }

    /// "Jump to Nxd4": a move in its notation, which is more than a square.
    fn written_move(&mut self) -> bool {
        let at = (0..self.sentence.words.len()).find(|at| {
            let word = self.word(*at);
            let before = at.checked_sub(1).map_or("", |at| self.word(at));
            // "I meant Nf3" was not played.
            let is_wanted = matches!(
                before,
                "meant" | "mean" | "wanted" | "want" | "play" | "try" | "prefer" | "for" | "rather"
            );
            is_move(word)
                && !is_wanted
                && !self.filled.used[*at]
                && (!is_square(word) || self.is_played(*at))
        });
        let Some(at) = at else { return false };
        let san = self.typed(at).trim_matches(['.', ',', '!', '?', '+', '#']).to_owned();
        self.mark(at..at + 1);
        self.set("san", Some(san));
        self.mover_before(at);
        self.has(&["played", "made", "came", "happened"]);
        true
    }

    /// "After e4", "where a6 was played": a pawn's move, and no square.
    fn is_played(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map_or("", |at| self.word(at));
        self.intent == Intent::TakeBack
            || matches!(
                before,
                "after" | "before" | "played" | "move" | "pawn" | "until" | "behind"
            )
            || (self.word(at + 1) == "was" && self.word(at + 2) == "played")
            || matches!(self.word(at + 1), "happened" | "appeared")
    }

    fn piece_at(&self, at: usize) -> Option<char> {
        let word = self.word(at);
        let singular = word.strip_suffix('s').unwrap_or(word);
        PIECES.iter().find(|(name, _)| *name == singular).map(|(_, letter)| *letter)
    }

    /// Who made the move, as `side`: White, Black, or the sides of a game.
    fn mover_before(&mut self, verb: usize) {
        let own = self.sentence.context.plays;
        let other = own.map(|side| if side == "white" { "black" } else { "white" });
        let from = verb.saturating_sub(5);
        let found = (from..verb).rev().find_map(|at| {
            let side = match self.word(at) {
                "white" | "whites" => Some("white"),
                "black" | "blacks" => Some("black"),
                "i" | "my" | "we" => own,
                "he" | "his" | "she" | "you" | "your" | "opponent" | "engine" | "computer" => other,
                _ => return None,
            };
            Some((at, side?))
        });
        if let Some((at, side)) = found {
            self.mark(at..at + 1);
            self.set("side", Some(side));
        }
    }
}
