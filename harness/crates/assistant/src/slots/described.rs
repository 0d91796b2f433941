//! The name and the note of a run.

use std::ops::Range;

use super::Filler;
use crate::{kinds, past};

/// Words with which a note is written at a run.
const NOTES: [&str; 16] = [
    "note",
    "notes",
    "comment",
    "remark",
    "tag",
    "tags",
    "describe",
    "description",
    "write",
    "jot",
    "annotate",
    "memo",
    "append",
    "record",
    "add",
    "enter",
];

impl Filler<'_> {
    /// The run, and its name or its note.
    pub(super) fn describe(&mut self) {
        let run = self.run();
        self.set("run", Some(run.unwrap_or_else(|| "last".to_owned())));
        self.kinds();
        self.mark_just_finished();
        self.leave_other_text();
        self.has(&["saying", "says", "stating"]);
        let mut from = 0;
        for token in self.unused("{text}") {
            // "Instead of the old name".
            if let Some(refusal) = self.refusal(token.from) {
                self.name(refusal..token.to);
                continue;
            }
            let is_note = self.is_note(from..token.from)
                || (from == 0
                    && !self.is_name(0..token.from)
                    && self.is_note(0..self.sentence.words.len()));
            let slot = if is_note { "note" } else { "name" };
            from = token.to;
            if self.filled.slots.contains_key(slot) {
                continue;
            }
            self.mark(token.from..token.to);
            let text = self.typed(token.from);
            self.set(slot, Some(text));
        }
        self.has(&NOTES);
    }

    /// Whether some words say that a note is written.
    fn is_note(&self, words: Range<usize>) -> bool {
        let is_said = |at: usize| !self.filled.used[at] && NOTES.contains(&self.word(at));
        words.into_iter().any(is_said)
    }

    /// Whether some words say that a name is given.
    fn is_name(&self, words: Range<usize>) -> bool {
        const NAMES: [&str; 13] = [
            "name", "named", "rename", "renamed", "call", "called", "title", "titled", "label",
            "baptise", "christen", "dub", "nickname",
        ];
        words.into_iter().any(|at| NAMES.contains(&self.word(at)))
    }

    /// "Leave the note alone", "keep the name": what a run has stays where nothing is said of it.
    fn leave_other_text(&mut self) {
        let found = (0..self.sentence.words.len()).find(|at| {
            let article = usize::from(matches!(self.word(at + 1), "the" | "its" | "my"));
            let noun = self.word(at + 1 + article);
            matches!(self.word(*at), "leave" | "keep")
                && (NOTES.contains(&noun) || matches!(noun, "name" | "title"))
        });
        let Some(at) = found else { return };
        let ends = |at: &usize| self.is_apart(*at) || self.word(*at) == "{text}";
        let end = (at + 1..self.sentence.words.len()).find(ends);
        self.mark(at..end.unwrap_or(self.sentence.words.len()));
    }

    /// "The tournament that just finished" is the last one.
    fn mark_just_finished(&mut self) {
        let words: Vec<&str> = self.sentence.words.iter().map(String::as_str).collect();
        let noun = (0..words.len()).find(|at| kinds::is_of_run(words[*at]));
        if let Some(noun) = noun {
            self.mark(noun + 1..past::behind(&words, noun + 1));
        }
    }
}
