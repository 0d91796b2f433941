//! A move of the game that is named by what it did: "where I took on d4", "when his knight came to c6", "cxd4".

use super::Filler;
use super::editor::{PIECES, is_square};
use crate::intent::Intent;
use crate::tags::is_move;

/// Verbs of captures.
const CAPTURES: [&str; 29] = [
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
    "eats",
    "eat",
    "eating",
    "recapturing",
    "grabbing",
    "grabs",
    "killed",
    "kills",
    "killing",
];

/// Verbs of other moves.
const MOVES: [&str; 33] = [
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
    "go",
    "going",
    "coming",
    "jumping",
    "hopping",
    "hops",
    "landing",
    "pushing",
    "advancing",
    "developing",
    "retreating",
];

/// Words between them.
const LINKS: [&str; 22] = [
    "on", "to", "at", "the", "with", "a", "back", "his", "my", "your", "pawn", "that", "were",
    "was", "into", "onto", "in", "just", "up", "down", "her", "their",
];

impl Filler<'_> {
    /// A move that is described, as `to` with `capture`, `piece` and `side` as far as they are said, or as `san`.
    pub(super) fn described_move(&mut self) -> bool {
        self.castled() || self.moved_to_square() || self.written_move()
    }

    /// "When I castled": which way, where it is said.
    fn castled(&mut self) -> bool {
        let verbs = ["castled", "castles", "castling"];
        let places = self.places(&verbs);
        let Some(at) = places.into_iter().find(|at| !self.filled.used[*at]) else { return false };
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
        let is_free = |at: &usize| is_square(self.word(*at)) && !self.filled.used[*at];
        let squares: Vec<usize> = (0..self.sentence.words.len()).filter(is_free).collect();
        squares.into_iter().any(|square| self.came_to(square) || self.piece_at_square(square))
    }

    /// "My knight took on d4", "where his pawn went to a6": the move to a square, by its verb.
    fn came_to(&mut self, square: usize) -> bool {
        let verbs = square.saturating_sub(6)..square;
        // "Take back e4" captures nothing.
        let verb = |known: &[&str]| {
            let is_one = |at: &usize| {
                known.contains(&self.word(*at))
                    && self.word(at + 1) != "back"
                    && !self.filled.used[*at]
            };
            verbs.clone().rev().find(is_one)
        };
        let capture = verb(&CAPTURES);
        let Some(verb) = capture.or_else(|| verb(&MOVES)) else { return false };
        let is_capture = capture.is_some();
        let is_linked = (verb + 1..square)
            .all(|at| LINKS.contains(&self.word(at)) || self.piece_at(at).is_some());
        let piece = self.mover_of(verb, square, is_capture);
        // "Where the game went to d4" names no move.
        let names_none = piece.is_none()
            && !is_capture
            && !matches!(self.word(verb), "played" | "plays" | "moved");
        if !is_linked || names_none {
            return false;
        }
        let to = self.word(square).to_owned();
        self.mark(verb..square + 1);
        if let Some((at, letter)) = piece {
            self.mark(at..at + 1);
            if at > square {
                self.mark(square + 1..at);
            }
            // "C takes d4", "the c-pawn takes d4".
            let file = self.file_at(at).or_else(|| self.file_at(at.wrapping_sub(1)));
            if let Some((place, file)) = file.filter(|_| is_capture && letter == 'p') {
                self.mark(place..place + 1);
                self.set("san", Some(format!("{file}x{to}")));
                self.mover_of_move(verb, square);
                return true;
            }
            self.set("piece", Some(letter.to_ascii_uppercase().to_string()));
        }
        self.set("to", Some(to));
        self.set("capture", is_capture.then_some(true));
        self.mover_of_move(verb, square);
        true
    }

    /// The piece that moves: of "I took the pawn on d4 with my knight" the knight, of "c takes d4" a pawn.
    fn mover_of(&self, verb: usize, square: usize, is_capture: bool) -> Option<(usize, char)> {
        let piece = |at: usize| Some((at, self.piece_at(at)?));
        let behind = square + 1..(square + 5).min(self.sentence.words.len());
        if !is_capture {
            return (verb.saturating_sub(3)..square)
                .find_map(piece)
                .or_else(|| behind.clone().take_while(|at| !self.is_apart(*at)).find_map(piece));
        }
        let with = behind.clone().find(|at| self.word(*at) == "with");
        if let Some(found) = with.and_then(|with| (with + 1..behind.end).find_map(piece)) {
            return Some(found);
        }
        if self.is_passive(verb) {
            return None;
        }
        let file = verb.checked_sub(1).filter(|at| self.file_at(*at).is_some());
        file.map(|at| (at, 'p')).or_else(|| (verb.saturating_sub(3)..verb).rev().find_map(piece))
    }

    /// A file that is said alone: of "c takes d4" the `c`.
    fn file_at(&self, at: usize) -> Option<(usize, char)> {
        let mut letters = self.word(at).chars();
        let file = letters.next().filter(|file| ('a'..='h').contains(file))?;
        let is_article = file == 'a' && self.piece_at(at + 1) != Some('p');
        let takes = CAPTURES.contains(&self.word(at + 1));
        (letters.next().is_none() && (takes || !is_article)).then_some((at, file))
    }

    /// "Where my knight was taken on d4": what stands before the verb is no mover. Pawns that were exchanged are.
    fn is_passive(&self, verb: usize) -> bool {
        let before = verb.checked_sub(1).map_or("", |at| self.word(at));
        let is_exchange = matches!(self.word(verb), "exchanged" | "traded" | "swapped");
        !is_exchange && matches!(before, "was" | "were" | "got" | "is" | "gets" | "been" | "being")
    }

    /// "The knight to c3", "knight f6", "my knight back from c3": the move that brought a piece to a square.
    fn piece_at_square(&mut self, square: usize) -> bool {
        let is_link = |at: &usize| {
            matches!(self.word(*at), "to" | "on" | "onto" | "into" | "at" | "in" | "back" | "from")
                && !self.filled.used[*at]
        };
        let links = (0..square).rev().take_while(is_link).count();
        let is_from = (square - links..square).any(|at| self.word(at) == "from");
        // "The knight from c3" names where a move begins.
        let goes_back = self.word(square - links) == "back" && links == 2;
        let place = (square - links).checked_sub(1).filter(|at| !self.filled.used[*at]);
        let piece = place.and_then(|at| Some((at, self.piece_at(at)?)));
        let Some((at, letter)) = piece.filter(|_| links < 3 && (!is_from || goes_back)) else {
            return false;
        };
        let to = self.word(square).to_owned();
        self.set("to", Some(to));
        self.set("piece", Some(letter.to_ascii_uppercase().to_string()));
        self.mark(at..square + 1);
        self.mover_of_move(at, square);
        true
    }

    /// "Jump to Nxd4": a move in its notation, which is more than a square.
    fn written_move(&mut self) -> bool {
        let at = (0..self.sentence.words.len()).find(|at| {
            let word = self.word(*at);
            let before = at.checked_sub(1).map_or("", |at| self.word(at));
            // "I meant Nf3" was not played, "I did not mean to play Nf3" was.
            let is_denied = (at.saturating_sub(5)..*at).any(|at| self.word(at) == "not");
            let is_wanted = !is_denied
                && matches!(
                    before,
                    "meant"
                        | "mean"
                        | "wanted"
                        | "want"
                        | "play"
                        | "try"
                        | "prefer"
                        | "for"
                        | "rather"
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

    pub(super) fn piece_at(&self, at: usize) -> Option<char> {
        let word = self.word(at);
        let singular = word.strip_suffix('s').unwrap_or(word);
        PIECES.iter().find(|(name, _)| *name == singular).map(|(_, letter)| *letter)
    }

    /// Who made the move, as `side`: White, Black, or the sides of a game.
    pub(super) fn mover_before(&mut self, verb: usize) {
        let from = verb.saturating_sub(5);
        // Who is shown something in "show me where the knight went" moves nothing.
        let is_shown = |at: usize| matches!(self.word(at), "me" | "him");
        let found = (from..verb)
            .rev()
            .filter(|at| !is_shown(*at))
            .find_map(|at| Some((at, self.side_said(at)?)));
        if let Some((at, side)) = found {
            self.mark(at..at + 1);
            self.set("side", Some(side));
        }
    }

    /// Who made a move to a square; of "my knight was taken on d4" the other side, of "the taking on d4 by Black" Black.
    fn mover_of_move(&mut self, verb: usize, square: usize) {
        let by = (square + 1..square + 3).find(|at| matches!(self.word(*at), "by" | "of"));
        let by = by.map(|by| by + 1 + usize::from(self.word(by + 1) == "the"));
        if let Some((at, side)) = by.and_then(|at| Some((at, self.side_said(at)?))) {
            self.mark(square + 1..at + 1);
            self.set("side", Some(side));
            return;
        }
        self.mover_before(verb);
        if CAPTURES.contains(&self.word(verb))
            && self.is_passive(verb)
            && let Some(side) = self.filled.slots.get("side")
        {
            let other = if side == "white" { "black" } else { "white" };
            self.set("side", Some(other));
        }
    }

    /// The side that a free word says: that of White, one's own, or that of the opponent.
    pub(super) fn side_said(&self, at: usize) -> Option<&'static str> {
        let own = self.sentence.context.plays;
        let other = own.map(|side| if side == "white" { "black" } else { "white" });
        if self.filled.used.get(at) != Some(&false) {
            return None;
        }
        match self.word(at) {
            "white" | "whites" => Some("white"),
            "black" | "blacks" => Some("black"),
            "i" | "my" | "we" | "me" | "our" | "mine" => own,
            "he" | "his" | "she" | "her" | "him" | "you" | "your" | "opponent" | "opponents"
            | "engine" | "engines" | "computer" | "computers" | "bot" | "bots" => other,
            _ => None,
        }
    }
}
