//! The slots of a hint, an evaluation and a threat: the engine, and how long it searches.
//! An answer is about the whole position: a restriction ("no pawn moves"), a piece or a part of the board is named.

use std::ops::Range;

use super::Filler;
use super::editor::{is_piece, is_square};
use crate::intent::Intent;

/// Words of a restriction of a hint, before what it is about.
const RESTRICTING: [&str; 8] =
    ["no", "without", "not", "except", "excluding", "avoiding", "only", "just"];

/// Kinds of moves that a hint may be restricted to.
const KINDS: [&str; 16] = [
    "captures",
    "capture",
    "capturing",
    "checks",
    "check",
    "castling",
    "sacrifice",
    "sacrifices",
    "sacrificing",
    "trades",
    "trade",
    "exchange",
    "exchanges",
    "swap",
    "swaps",
    "retreats",
];

impl Filler<'_> {
    /// The engine and the limit of an answer, and what it is not restricted to.
    pub(super) fn answer(&mut self) {
        let engine = self.names_analyst().then(|| self.first_players(1)).into_iter();
        let engine = engine.flatten().next();
        self.set("engine", engine);
        // A clock is no limit of a search for an answer.
        let limit = self.attempt(|filler| {
            filler.limit().filter(|limit| {
                ["movetime=", "nodes=", "depth="].iter().any(|kind| limit.starts_with(kind))
            })
        });
        self.set("limit", limit);
        if self.intent == Intent::Hint {
            self.has(&["white", "black"]);
            // A hint is the move.
            let whole = ["not the whole move", "not the whole thing", "not the move"];
            if let Some(words) = whole.iter().find_map(|said| self.place_of(said)) {
                self.mark(words.clone());
                self.filled.named.push(words);
            }
            self.name_restrictions();
        }
        self.name_parts();
        for at in self.places(&["centipawns", "centipawn", "cp"]) {
            self.name(at..at + 1);
        }
        self.has(&["white", "black", "whites", "blacks"]);
    }

    /// "No pawn moves", "pawn moves only", "without castling", "weakest first": what a hint has no place for.
    fn name_restrictions(&mut self) {
        let count = self.sentence.words.len();
        let mut at = 0;
        while at < count {
            match self.restriction(at) {
                Some(words) => {
                    at = words.end;
                    self.name(words);
                }
                None => at += 1,
            }
        }
        for order in ["strongest first", "best first", "weakest first", "best to worst"] {
            if let Some(words) = self.place_of(order) {
                self.name(words);
            }
        }
    }

    /// The words of a restriction that begins at a word.
    fn restriction(&self, at: usize) -> Option<Range<usize>> {
        let is_article = |at: &usize| matches!(self.word(*at), "a" | "an" | "any" | "the" | "my");
        let is_kind = |at: usize| is_piece(self.word(at)) || KINDS.contains(&self.word(at));
        let is_noun = |at: usize| matches!(self.word(at), "move" | "moves");
        let is_free = !self.filled.used[at];
        if RESTRICTING.contains(&self.word(at)) && is_free {
            let kind = (at + 1..).find(|at| !is_article(at))?;
            let from = at - usize::from(at > 0 && matches!(self.word(at - 1), "but" | "nothing"));
            return is_kind(kind).then(|| from..kind + 1 + usize::from(is_noun(kind + 1)));
        }
        // "The three best pawn moves only", "a pawn move please".
        let only = is_noun(at + 1) && matches!(self.word(at + 2), "only" | "alone");
        (is_kind(at) && is_free && is_noun(at + 1)).then(|| at..at + 2 + usize::from(only))
    }

    /// "The knight on d4", "on the queen's side": a piece on its square, or a part of the board.
    fn name_parts(&mut self) {
        let count = self.sentence.words.len();
        for at in 0..count {
            if self.filled.used[at] {
                continue;
            }
            let is_wing = matches!(self.word(at), "kingside" | "queenside")
                || (matches!(self.word(at), "king" | "kings" | "queen" | "queens")
                    && self.word(at + 1) == "side");
            let length = 1 + usize::from(self.word(at + 1) == "side");
            if is_wing {
                self.name(at..at + length);
                continue;
            }
            let on = usize::from(matches!(self.word(at + 1), "on" | "at" | "from"));
            if is_piece(self.word(at)) && is_square(self.word(at + 1 + on)) {
                self.name(at..at + 2 + on);
            } else if is_square(self.word(at)) && is_piece(self.word(at + 1)) {
                self.name(at..at + 2);
            }
        }
    }
}
