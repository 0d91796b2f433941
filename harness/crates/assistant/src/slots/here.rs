//! A game that begins with the position on the board: "from this same Najdorf position", "out of the diagram that we have now".

use std::ops::Range;

use super::Filler;
use crate::names;

/// Words that a game begins from.
const NOUNS: [&str; 6] = ["position", "diagram", "fen", "point", "setup", "situation"];

/// Words before the noun that say that it is the one on the board.
const THIS: [&str; 9] =
    ["this", "these", "current", "present", "same", "very", "exact", "exactly", "our"];

/// Words behind the noun that say so.
const NOW: [&[&str]; 9] = [
    &["on", "the", "board"],
    &["that", "we", "have", "now"],
    &["that", "we", "have"],
    &["we", "have", "now"],
    &["we", "have"],
    &["as", "it", "is"],
    &["as", "it", "stands"],
    &["right", "now"],
    &["now"],
];

impl Filler<'_> {
    /// Whether the game begins here. A name of the position, which the board knows, says nothing more.
    pub(super) fn begins_here(&mut self) -> bool {
        if let Some(place) = self.place_of("from here") {
            self.mark(place);
            return true;
        }
        let count = self.sentence.words.len();
        let Some(words) = (1..count).find_map(|noun| self.position_here(noun)) else {
            return false;
        };
        self.mark(words);
        true
    }

    /// The words of the position on the board by its noun, from "from" on.
    fn position_here(&self, noun: usize) -> Option<Range<usize>> {
        if !NOUNS.contains(&self.word(noun)) {
            return None;
        }
        let is_of_it = |at: &usize| {
            let word = self.word(*at);
            THIS.contains(&word)
                || matches!(word, "the" | "exact" | "variation" | "opening")
                || names::is_of_opening(word)
        };
        let first = (0..noun).rev().take_while(is_of_it).last().unwrap_or(noun);
        let link = first.checked_sub(1)?;
        // "Out of this very diagram".
        let from = match self.word(link) {
            "from" | "with" | "at" | "in" => link,
            "of" if link > 0 && self.word(link - 1) == "out" => link - 1,
            _ => return None,
        };
        let behind = NOW.iter().find(|said| {
            said.iter().enumerate().all(|(by, word)| self.word(noun + 1 + by) == *word)
        });
        let is_this = (first..noun).any(|at| THIS.contains(&self.word(at)));
        let end = noun + 1 + behind.map_or(0, |said| said.len());
        (is_this || behind.is_some()).then_some(from..end)
    }
}
