//! Moves of a game at which something is written, or which are taken back: by their numbers, their notation or what they did.

use serde_json::json;

use super::Filler;
use super::editor::is_square;
use super::notes::REMOVING;
use crate::tags::{Tagged, is_move};
use crate::words::{SIGN, fold};
use crate::{dictated, numbers};

/// Whether a word is a side: `white`, `blacks`.
pub(super) fn is_side(word: &str) -> bool {
    matches!(word, "white" | "whites" | "black" | "blacks")
}

impl Filler<'_> {
    /// The move that is meant: `move` and `side`, its notation, or the last one; without them that on the board.
    pub(super) fn reference(&mut self) {
        if self.numbered_move().is_some() {
            return;
        }
        let number = self.ordinal_move().or_else(|| self.number(&["move", "moves", ""]));
        let number = number.or_else(|| self.ordinal_of_side());
        self.set("move", number);
        self.mark_number_again(number);
        // "My knight takes d4": which move that is, the board knows.
        let is_described = number.is_none() && self.moved_to_square();
        let san = if is_described { None } else { self.written_san() };
        let has_san = san.is_some() || is_described;
        self.set("san", san);
        self.side_of_move();
        // Which side the opponent has, is not known here.
        if number.is_some() && !self.filled.slots.contains_key("side") {
            let other = self.places(&["opponent", "opponents", "his", "her", "their", "your"]);
            let own = self.places(&["my", "our"]);
            let other_side = |side| if side == "white" { "black" } else { "white" };
            match (self.sentence.context.plays, other.is_empty(), own.is_empty()) {
                (Some(side), false, _) => self.set("side", Some(other_side(side))),
                (Some(side), true, false) => self.set("side", Some(side)),
                _ => self.filled.named.extend(other.into_iter().map(|at| at..at + 1)),
            }
        }
        if number.is_none() && !has_san {
            // One's own, and not the reply to it.
            let is_own = self.phrase("my last move") || self.phrase("my move");
            let is_last = ["last move", "previous move", "latest move", "his move"]
                .iter()
                .any(|said| self.phrase(said));
            if is_last {
                ["of my opponent", "of the opponent", "my opponents", "opponents"]
                    .iter()
                    .any(|said| self.phrase(said));
            }
            let place = if is_own { Some("last") } else { is_last.then_some("latest") };
            self.set("place", place);
        }
    }

    /// A move in its notation, and whose it is where that is said: "my d4".
    fn written_san(&mut self) -> Option<String> {
        let token = self.unused("{move}").into_iter().next()?;
        self.mark(token.from..token.to);
        self.mover_before(token.from);
        // "F six", as it is said.
        let word = self.word(token.from).to_owned();
        Some(if is_square(&word) { word } else { self.typed(token.from) })
    }

    /// "An exclamation mark for my d4, the capture by Black gets nothing", "and leave Black's third untouched": what is said of
    /// another move beside the one at which something is written. It is named, and none of its values is one of the first.
    pub(super) fn set_second_aside(&mut self) {
        let count = self.sentence.words.len();
        if let Some(at) = (2..count).find(|at| self.begins_second(*at)) {
            self.mark(at..count);
            self.filled.named.push(at..count);
        }
    }

    fn begins_second(&self, at: usize) -> bool {
        const STAYING: [&str; 12] = [
            "stay",
            "stays",
            "remain",
            "remains",
            "untouched",
            "unchanged",
            "nothing",
            "unmarked",
            "alone",
            "keep",
            "keeps",
            "leave",
        ];
        let count = self.sentence.words.len();
        let is_text =
            |token: &Tagged| token.to > at && matches!(token.text.as_str(), dictated::TEXT | SIGN);
        let links = matches!(self.word(at), "and" | "but");
        if !(links || self.is_apart(at)) || self.sentence.tagged.iter().any(is_text) {
            return false;
        }
        let first = at + usize::from(links);
        let refers = |at: usize| {
            let word = self.word(at);
            is_move(word)
                || is_side(word)
                || numbers::ordinal(word).is_some()
                || word.starts_with(|sign: char| sign.is_ascii_digit())
        };
        let is_of_other = |at: usize| {
            refers(at) || matches!(self.word(at), "his" | "hers" | "mine" | "capture" | "other")
        };
        let is_other = (0..at).any(refers) && (first..count).any(is_of_other);
        let stays = (first..count).any(|at| STAYING.contains(&self.word(at)));
        let removes = REMOVING.contains(&self.word(first));
        // "Not White's" says the side of the first.
        let denies = self.word(first) == "not"
            && (first..count).any(|at| refers(at) && !is_side(self.word(at)));
        is_other && (stays || removes || denies)
    }

    /// "White's move 12, sorry, Black's move 12": the same number says nothing new.
    pub(super) fn mark_number_again(&mut self, number: Option<u32>) {
        for token in self.unused("{n}") {
            let value = numbers::at(self.sentence.words, token.from).and_then(|same| same.count());
            if value == number && number.is_some() {
                self.mark(token.from..token.to);
            }
        }
    }

    /// "My third move", "Black's second": ordinals that are no numbers elsewhere.
    fn ordinal_move(&mut self) -> Option<u32> {
        let at = (0..self.sentence.words.len()).find(|at| {
            let is_ordinal = matches!(self.word(*at), "first" | "second" | "third");
            let before = at.checked_sub(1).map_or("", |at| self.word(at));
            let is_of_side = matches!(before, "white" | "whites" | "black" | "blacks");
            is_ordinal && !self.filled.used[*at] && (self.word(at + 1) == "move" || is_of_side)
        })?;
        let number = numbers::ordinal(self.word(at))?;
        self.mark(at..at + 1 + usize::from(self.word(at + 1) == "move"));
        Some(number)
    }

    /// "White's 22nd deserves it": an ordinal behind a side.
    fn ordinal_of_side(&mut self) -> Option<u32> {
        let number = self.unused("{n}").into_iter().find(|number| {
            let word = &self.sentence.split[number.from];
            let typed = self.sentence.text[word.chunk.0..word.chunk.1]
                .trim_start_matches(|sign: char| sign.is_ascii_digit());
            let before = number.from.checked_sub(1).map_or("", |at| self.word(at));
            let is_ordinal = matches!(typed, "st" | "nd" | "rd" | "th")
                || ["th", "first", "second", "third"]
                    .iter()
                    .any(|end| self.word(number.to - 1).ends_with(end));
            is_ordinal && matches!(before, "white" | "whites" | "black" | "blacks")
        })?;
        self.mark(number.from..number.to);
        numbers::at(self.sentence.words, number.from)?.count()
    }

    /// `23...Rxe4`, `9.Bxh7`, "12. Nf3".
    pub(super) fn numbered_move(&mut self) -> Option<()> {
        let sentence = self.sentence;
        let found = sentence.split.iter().enumerate().find_map(|(at, word)| {
            let typed = &sentence.text[word.chunk.0..word.chunk.1];
            let digits = typed.bytes().take_while(u8::is_ascii_digit).count();
            let rest = &typed[digits..];
            // A chunk has no dots at its end.
            let dots = match rest.is_empty() {
                true => {
                    sentence.text[word.chunk.1..].bytes().take_while(|sign| *sign == b'.').count()
                }
                false => rest.bytes().take_while(|sign| *sign == b'.').count(),
            };
            let san = match rest.is_empty() {
                true => sentence
                    .split
                    .get(at + 1)
                    .map_or("", |next| &sentence.text[next.chunk.0..next.chunk.1]),
                false => &rest[dots..],
            };
            let san = san.trim_matches(['.', ',', '!', '?', '+', '#']);
            let is_free = !self.filled.used[at];
            let is_written = is_free && digits > 0 && dots > 0 && is_move(&fold(san));
            let words = at..at + 1 + usize::from(rest.is_empty());
            is_written.then(|| (typed[..digits].parse::<u32>().ok(), dots, san.to_owned(), words))
        });
        let (number, dots, san, words) = found?;
        self.mark(words);
        self.set("move", number);
        self.set("side", Some(if dots > 1 { "black" } else { "white" }));
        self.set("san", Some(json!(san)));
        Some(())
    }
}
