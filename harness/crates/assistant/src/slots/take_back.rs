//! The slots of moves that are taken back: how many, or from which one on.

use serde_json::Value;

use super::Filler;
use crate::numbers;

impl Filler<'_> {
    /// "Three full moves".
    fn full_moves(&mut self) -> Option<u32> {
        let full = (1..self.sentence.words.len()).find(|at| {
            matches!(self.word(*at), "full" | "whole") && self.word(at + 1).starts_with("move")
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
        let place = (1..self.sentence.words.len()).find(numbered);
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
        let is_numbered = first.is_some();
        if let Some((number, black, san)) = first {
            self.set("move", Some(number));
            self.set("side", Some(if black { "black" } else { "white" }));
            self.set("san", Some(san));
            self.set("after", after.then_some(true));
        }
        is_numbered || (self.unused("{n}").is_empty() && self.described_move())
    }

    pub(super) fn take_back(&mut self) {
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
        let is_half = in_plies.is_some()
            || self.has(&["ply", "plies", "halfmove", "halfmoves"])
            || self.phrase("half moves")
            || self.phrase("half move");
        self.set("unit", is_half.then_some("half-moves"));
        let count = count.or(in_plies);
        let both = count.is_none() && self.has(&["both"]);
        self.set("count", count.or(both.then_some(2)));
    }
}
