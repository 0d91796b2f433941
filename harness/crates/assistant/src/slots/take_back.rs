//! The slots of moves that are taken back: how many, or from which one on.

use serde_json::Value;

use super::editor::is_square;
use super::{Filler, Slots};
use crate::tags::{Tagged, is_move};
use crate::{numbers, rules};

/// Moves that are described in a sentence, at most.
const MOST: usize = 4;

impl Filler<'_> {
    /// "Three full moves".
    fn full_moves(&mut self) -> Option<u32> {
        let full = (1..self.sentence.words.len()).find(|at| {
            matches!(self.word(*at), "full" | "whole")
                && self.word(at + 1).starts_with("move")
                && !self.filled.used[*at]
        })?;
        let number = numbers::at(self.sentence.words, full - 1)?.count()?;
        self.mark(full - 1..full + 2);
        Some(number)
    }

    /// "Undo 5...a6 and my 5.Nc3", "everything from cxd4 on": the first of the moves that are taken back.
    fn taken_back_from(&mut self) -> bool {
        let mut first: Option<(u64, bool, Value)> = None;
        // "Undo what came after 1.d4".
        let numbered = |at: &usize| self.word(*at).starts_with(|sign: char| sign.is_ascii_digit());
        let mut places = (1..self.sentence.words.len()).filter(numbered);
        // "Retract 3 full moves (6 plies), back to the position after 2...d6".
        let any = places.clone().next();
        let place = places.find(|at| is_move(self.word(at + 1))).or(any);
        let after = place.is_some_and(|at| matches!(self.word(at - 1), "after" | "behind"));
        while self.numbered_move().is_some() {
            let number = self.filled.slots.get("move").and_then(Value::as_u64).unwrap_or(1);
            let black = self.filled.slots.get("side").is_some_and(|side| side == "black");
            let san = self.filled.slots.remove("san").unwrap_or_default();
            first = match first {
                Some(first) if (first.0, first.1) <= (number, black) => Some(first),
                _ => Some((number, black, san)),
            };
        }
        if let Some((number, black, san)) = first {
            self.set("move", Some(number));
            self.set("side", Some(if black { "black" } else { "white" }));
            self.set("san", Some(san));
            self.set("after", after.then_some(true));
            return true;
        }
        let ordinal = self.all_after_move().or_else(|| self.ordinal_of_move());
        let counts = self.unused("{n}").iter().any(|number| !self.is_ordinal(number));
        let described = if counts { Vec::new() } else { self.described_moves() };
        let is_named = ordinal.is_some() || !described.is_empty();
        let mut described = described.into_iter();
        if let Some((number, side, after)) = ordinal {
            // "After my second move, the knight to f3": the same move, by what it did as well.
            let same = described.next().unwrap_or_default();
            let fits = same.get("side").is_none_or(|said| said == side);
            self.filled.slots.extend(if fits { same } else { Slots::new() });
            self.set("move", Some(number));
            self.set("side", Some(side));
            self.set("after", after.then_some(true));
        } else if let Some(first) = described.next() {
            self.filled.slots.extend(first);
        }
        let others: Vec<Value> = described.map(Value::Object).collect();
        self.set("with", (!others.is_empty()).then_some(others));
        is_named
    }

    /// "Till I have the knight on f3 again": the position in which a piece stood on a square, and no move.
    fn until_piece_stands(&mut self) -> bool {
        const STATES: [&str; 15] = [
            "have", "has", "is", "are", "stands", "sits", "was", "on", "the", "a", "back", "that",
            "so", "again", "still",
        ];
        let words = self.sentence.words;
        let begins = |at: &usize| rules::is_until(self.word(*at), self.word(at + 1));
        let Some(from) = (0..words.len()).find(begins) else { return false };
        let is_place = |at: &usize| self.word(at - 1) == "on" && is_square(self.word(*at));
        let Some(square) = (from + 1..words.len()).find(is_place) else { return false };
        let Some((at, letter)) = (from..square).find_map(|at| Some((at, self.piece_at(at)?)))
        else {
            return false;
        };
        let side = (from + 1..square).find_map(|at| self.side_said(at));
        let is_known = |word: usize| {
            word == at || STATES.contains(&self.word(word)) || self.side_said(word).is_some()
        };
        if !(from + 1..square).all(is_known) {
            return false;
        }
        let again = usize::from(self.word(square + 1) == "again");
        let to = self.word(square).to_owned();
        self.mark(from..square + 1 + again);
        self.set("piece", Some(letter.to_ascii_uppercase().to_string()));
        self.set("side", side);
        self.set("stands", Some(true));
        self.set("to", Some(to));
        true
    }

    /// "Nc3 as well as a6", "my horse to c3 and the bot's a6": the moves that are described, each by slots of its own.
    fn described_moves(&mut self) -> Vec<Slots> {
        let others = std::mem::take(&mut self.filled.slots);
        let mut found = Vec::new();
        while found.len() < MOST && self.described_move() {
            found.push(std::mem::take(&mut self.filled.slots));
        }
        self.filled.slots = others;
        found
    }

    /// "So that it is my fifth move again", "everything after my second move": the number and the side of a move, and whether
    /// it stays. An ordinal is no count of moves.
    fn ordinal_of_move(&mut self) -> Option<(u32, &'static str, bool)> {
        let words = self.sentence.words;
        let is_one = |at: &usize| {
            let is_noun = matches!(self.word(at + 1), "move" | "turn" | "go")
                // "A second move" is one more.
                && at.checked_sub(1).is_none_or(|before| self.word(before) != "a");
            numbers::ordinal(self.word(*at)).is_some() && is_noun && !self.filled.used[*at]
        };
        let at = (0..words.len()).find(is_one)?;
        let number = numbers::ordinal(self.word(at))?;
        let lead = (at.saturating_sub(3)..at).rev().find_map(|at| Some((at, self.side_said(at)?)));
        let before = lead.map_or(at, |(place, _)| place);
        // "Let me choose a different fifth move": one's own.
        let is_other =
            at > 0 && matches!(self.word(at - 1), "different" | "other" | "another" | "new");
        let own = self.sentence.context.plays.filter(|_| is_other);
        let side = lead.map(|(_, side)| side).or(own).unwrap_or("white");
        let link = before - usize::from(before > 0 && self.word(before - 1) == "the");
        let after = link > 0 && matches!(self.word(link - 1), "after" | "behind");
        self.mark(link - usize::from(after)..at + 2);
        Some((number, side, after))
    }

    /// "Everything after move 3": what follows its second half, or that of the side that is said.
    fn all_after_move(&mut self) -> Option<(u32, &'static str, bool)> {
        let words = self.sentence.words;
        let is_all =
            |at: &usize| matches!(self.word(*at), "everything" | "all" | "anything" | "what");
        let all = (0..words.len()).find(is_all)?;
        let is_after = |at: &usize| matches!(self.word(*at), "after" | "behind");
        let after = (all + 1..(all + 5).min(words.len())).find(is_after)?;
        let side = self.side_said(after + 1);
        let noun = after + 1 + usize::from(side.is_some());
        let number = numbers::at(words, noun + 1).filter(|_| self.word(noun) == "move")?;
        let count = number.count()?;
        self.mark(all..noun + 1 + number.words);
        Some((count, side.unwrap_or("black"), true))
    }

    fn is_ordinal(&self, number: &Tagged) -> bool {
        let typed = self.typed(number.from);
        [self.word(number.from), &typed].iter().any(|word| numbers::ordinal(word).is_some())
    }

    /// "Not 3 plies", "not two whole moves": a unit or a number that is refused beside the one that is meant.
    fn leave_refused_unit(&mut self) {
        let words = self.sentence.words;
        let is_unit = |word: &str| {
            matches!(
                word,
                "ply"
                    | "plies"
                    | "halfmove"
                    | "halfmoves"
                    | "half"
                    | "full"
                    | "whole"
                    | "move"
                    | "moves"
            )
        };
        for not in (1..words.len()).filter(|at| words[*at] == "not").collect::<Vec<_>>() {
            let just = usize::from(matches!(self.word(not + 1), "just" | "only" | "in"));
            let number = numbers::at(words, not + 1 + just).map_or(0, |number| number.words);
            let unit = not + 1 + just + number;
            let count = (unit..words.len()).take_while(|at| is_unit(self.word(*at))).count();
            if count > 0 || (number > 0 && (unit == words.len() || self.is_apart(unit))) {
                self.mark(not..unit + count);
            }
        }
    }

    /// "My knight stays where it went", "my Nc3 has to stay": what is not taken back is no move that is.
    fn name_kept(&mut self) {
        let words = self.sentence.words;
        let is_staying =
            |at: &usize| matches!(self.word(*at), "stay" | "stays" | "remain" | "remains");
        let Some(verb) = (1..words.len()).find(is_staying) else { return };
        let from = (1..=verb).rev().find(|at| self.is_apart(*at) || self.word(*at) == "but");
        let to = (verb + 1..words.len()).find(|at| self.is_apart(*at)).unwrap_or(words.len());
        if let Some(from) = from {
            self.mark(from..to);
            self.filled.named.push(from..to);
        }
    }

    /// "Only Black's last reply", "just the black pawn move at the end": one half-move, that of the side that moved last.
    fn last_half_move(&mut self) -> bool {
        let words = self.sentence.words;
        let only = (0..words.len()).find(|at| matches!(self.word(*at), "only" | "just"));
        let Some(only) = only else { return false };
        let is_noun = |at: &usize| {
            matches!(
                self.word(*at),
                "move" | "reply" | "answer" | "response" | "ply" | "turn" | "go"
            )
        };
        let Some(noun) = (only + 1..(only + 7).min(words.len())).find(is_noun) else {
            return false;
        };
        let side = (only + 1..noun).rev().find_map(|at| self.side_said(at));
        let last = match self.sentence.context.fen.split(' ').nth(1) {
            Some("w") => "black",
            Some("b") => "white",
            _ => return false,
        };
        let counts = (only + 1..noun).any(|at| numbers::at(words, at).is_some());
        if side != Some(last) || counts {
            return false;
        }
        self.mark(only..noun + 1);
        self.phrase("at the end");
        self.set("count", Some(1));
        self.set("unit", Some("half-moves"));
        true
    }

    pub(super) fn take_back(&mut self) {
        self.leave_refused_unit();
        self.name_kept();
        if self.last_half_move() || self.until_piece_stands() {
            return;
        }
        if self.taken_back_from() {
            const LINKS: [&str; 14] = [
                "from",
                "on",
                "down",
                "back",
                "until",
                "before",
                "just",
                "everything",
                "both",
                "all",
                "including",
                "with",
                "together",
                "after",
            ];
            self.has(&LINKS);
            return;
        }
        // "Until move 12" counts no moves.
        let is_place = |at: usize| {
            self.word(at) == "move" && numbers::at(self.sentence.words, at + 1).is_some()
        };
        let until = (0..self.sentence.words.len())
            .any(|at| matches!(self.word(at), "until" | "till" | "before") && is_place(at + 1));
        let count = match until {
            true => None,
            false => {
                self.full_moves().or_else(|| self.number(&["move", "moves", "time", "times", ""]))
            }
        };
        let in_plies = if count.is_none() { self.half_moves() } else { None };
        let plies = self.places(&["ply", "plies", "halfmove", "halfmoves"]);
        let plies: Vec<usize> = plies.into_iter().filter(|at| !self.filled.used[*at]).collect();
        plies.iter().for_each(|at| self.mark(*at..at + 1));
        let is_half = in_plies.is_some()
            || !plies.is_empty()
            || self.phrase("half moves")
            || self.phrase("half move");
        self.set("unit", is_half.then_some("half-moves"));
        let count = count.or(in_plies);
        let both = count.is_none() && self.has(&["both"]);
        self.set("count", count.or(both.then_some(2)));
    }
}
