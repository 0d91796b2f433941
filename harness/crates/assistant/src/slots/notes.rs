//! The slots of what is written down: signs and comments at moves, names and notes of runs.

use std::ops::Range;

use super::Filler;
use crate::intent::Intent;
use crate::words::{SIGN, sign};

/// Signs of moves as they are said, the longest first.
const SIGNS: [(&str, &str); 26] = [
    ("double exclam", "!!"),
    ("double exclamation", "!!"),
    ("two exclamation", "!!"),
    ("double question", "??"),
    ("two question", "??"),
    ("exclamation question", "!?"),
    ("question exclamation", "?!"),
    ("very good", "!!"),
    ("brilliant", "!!"),
    ("brilliancy", "!!"),
    ("blunder", "??"),
    ("terrible", "??"),
    ("mistake", "?"),
    ("error", "?"),
    ("bad", "?"),
    ("weak", "?"),
    ("dubious", "?!"),
    ("doubtful", "?!"),
    ("inaccuracy", "?!"),
    ("inaccurate", "?!"),
    ("interesting", "!?"),
    ("good", "!"),
    ("strong", "!"),
    ("exclamation", "!"),
    ("question", "?"),
    ("exclam", "!"),
];

/// Words that name the text that is written.
const TEXTS: [&str; 9] =
    ["comment", "comments", "note", "notes", "remark", "annotation", "text", "sign", "words"];

/// Words that take a comment away.
pub(super) const REMOVING: [&str; 22] = [
    "deleted",
    "removed",
    "erased",
    "rid",
    "remove",
    "delete",
    "erase",
    "clear",
    "drop",
    "strike",
    "wipe",
    "away",
    "forget",
    "off",
    "withdraw",
    "withdrawn",
    "cancel",
    "retract",
    "revoke",
    "scrap",
    "scratch",
    "undo",
];

impl Filler<'_> {
    /// The slots of what is written down.
    pub fn fill_notes(&mut self) {
        match self.intent {
            Intent::MarkMove => {
                self.set_second_aside();
                let is_removed = self.removes_sign();
                let sign = self.sign();
                self.set("sign", sign);
                self.set("remove", is_removed.then_some(true));
                self.reference();
            }
            Intent::CommentMove => {
                self.set_second_aside();
                let text = self.dictated();
                let is_plural = ["comments", "notes", "remarks", "annotations"]
                    .iter()
                    .any(|word| self.place_of(word).is_some())
                    && self.place_of("move").is_none();
                let is_of_all = is_plural
                    || ["all", "every", "except", "everything"]
                        .iter()
                        .any(|word| self.place_of(word).is_some());
                // Comments are taken away one at a time.
                self.set("all", (is_of_all && text.is_none()).then_some(true));
                let unwanted =
                    ["do not want it", "do not need it", "no longer want", "no longer need"]
                        .iter()
                        .any(|said| text.is_none() && self.phrase(said));
                let goes = ["can go", "should go", "must go", "may go", "has to go"]
                    .iter()
                    .any(|said| text.is_none() && self.phrase(said));
                let is_removed =
                    text.is_none() && (goes || unwanted || self.removes_by_verb()) && !is_of_all;
                self.set("text", text);
                self.set("remove", is_removed.then_some(true));
                self.has(&TEXTS);
                self.reference();
            }
            Intent::DescribeRun => self.describe(),
            _ => {}
        }
    }

    /// "Take the ?? away from move 12": the sign that is named, or all signs.
    fn removes_sign(&mut self) -> bool {
        let puts = ["put", "add", "set", "change", "replace", "attach", "into", "instead", "stick"];
        let keeps = puts.iter().any(|word| self.place_of(word).is_some());
        let none = ["no sign", "no mark", "no glyph", "no symbol", "no sign at all"];
        let removes = !keeps
            && (none.iter().any(|said| self.phrase(said))
                || (self.removes_by_verb() && self.place_of("strong").is_none()));
        if removes {
            self.has(&["sign", "signs", "mark", "marks", "glyph", "symbol", "annotation", "take"]);
            self.has(&["whatever", "again", "any", "scrap"]);
        }
        removes
    }

    /// Whether a verb takes something away, outside what is another wish.
    fn removes_by_verb(&mut self) -> bool {
        let places = self.places(&REMOVING);
        let free: Vec<usize> = places.into_iter().filter(|at| !self.filled.used[*at]).collect();
        free.iter().for_each(|at| self.mark(*at..at + 1));
        !free.is_empty()
    }

    /// A text that was dictated, as it was typed.
    fn dictated(&mut self) -> Option<String> {
        self.written("{text}")
    }

    /// The sign of a move, in words or as it is written.
    fn sign(&mut self) -> Option<String> {
        self.leave_refused_sign();
        if let Some(sign) = self.sign_of_two() {
            return Some(sign);
        }
        if let Some(sign) = self.replaced_sign() {
            return Some(sign);
        }
        let tokens = self.unused(SIGN);
        // "From ? to ??".
        let is_replaced = tokens.len() > 1
            && tokens.last().is_some_and(|last| {
                matches!(self.word(last.from - 1), "to" | "into" | "with" | "by" | "not")
            });
        let chosen = if is_replaced { tokens.last() } else { tokens.first() };
        if let Some(token) = chosen {
            if is_replaced {
                self.mark(tokens[0].from..tokens[0].to);
            }
            self.mark(token.from..token.to);
            let (from, to) = self.sentence.split[token.from].chunk;
            self.has(&["mark", "marks", "point", "sign"]);
            return sign(&self.sentence.text[from..to]).map(str::to_owned);
        }
        let mut typed = self.sentence.text.split_ascii_whitespace();
        let written = typed.find_map(sign).map(str::to_owned);
        let refused = self.refused_verdicts();
        let is_free = |place: &Range<usize>| {
            let is_used = self.filled.used[place.start];
            !is_used
                && (!refused.iter().any(|words| words.contains(&place.start)) || written.is_some())
        };
        let said = SIGNS
            .iter()
            .find_map(|(said, sign)| Some((self.place_of(said).filter(is_free)?, *sign)));
        let said = said.map(|(place, sign)| {
            self.mark(place);
            sign
        });
        if said.is_some() {
            refused.into_iter().for_each(|words| self.mark(words));
            // "Terrible, two question marks": the same sign.
            for (other, _) in SIGNS.iter().filter(|(_, sign)| Some(*sign) == said) {
                self.phrase(other);
            }
            self.has(&["mark", "marks", "point", "sign"]);
        }
        if matches!(said, Some("!" | "?")) {
            self.wants_single();
        }
        let halved = said.filter(|sign| matches!(*sign, "!!" | "??") && self.wants_single());
        let said = halved.map_or(said, |sign| Some(&sign[..1]));
        written.or(said.map(str::to_owned))
    }

    /// "An exclamation mark followed by a question mark", "exclamation mark first, question mark second": one sign of both.
    fn sign_of_two(&mut self) -> Option<String> {
        let is_mark = |word: &str| matches!(word, "exclamation" | "exclam" | "question");
        let is_link = |word: &str| {
            matches!(
                word,
                "mark"
                    | "point"
                    | "followed"
                    | "by"
                    | "a"
                    | "an"
                    | "and"
                    | "then"
                    | "plus"
                    | "first"
            )
        };
        let words = self.sentence.words;
        let is_free = |at: &usize| is_mark(self.word(*at)) && !self.filled.used[*at];
        let first = (0..words.len()).find(is_free)?;
        let second = (first + 1..words.len()).find(|at| !is_link(self.word(*at)))?;
        if second > first + 8
            || !is_free(&second)
            || self.word(first)[..1] == self.word(second)[..1]
        {
            return None;
        }
        let is_behind = |at: &usize| matches!(self.word(*at), "mark" | "point" | "second" | "next");
        let end = (second + 1..words.len()).take_while(is_behind).last().unwrap_or(second);
        let sign = if self.word(first) == "question" { "?!" } else { "!?" };
        self.mark(first..end + 1);
        // "As interesting, exclamation mark first": the same sign.
        for (other, _) in SIGNS.iter().filter(|(_, known)| *known == sign) {
            self.phrase(other);
        }
        Some(sign.to_owned())
    }

    /// "Not a blunder": what the move was not, beside what it was.
    fn refused_verdicts(&self) -> Vec<Range<usize>> {
        let is_not = |at: &usize| matches!(self.word(*at), "not" | "no");
        let nots = (1..self.sentence.words.len()).filter(is_not);
        let refused = nots.filter_map(|not| {
            let noun = not + 1 + usize::from(matches!(self.word(not + 1), "a" | "an"));
            let is_one = |(said, _): &&(&str, &str)| {
                said.split(' ').enumerate().all(|(by, word)| self.word(noun + by) == word)
            };
            let (said, _) = SIGNS.iter().find(is_one)?;
            Some(not..noun + said.split(' ').count())
        });
        refused.collect()
    }

    /// "Is too harsh, a single one is enough": one sign instead of two.
    fn wants_single(&mut self) -> bool {
        let said = [
            "a single one",
            "just one",
            "only one",
            "one is enough",
            "one will do",
            "one would do",
        ];
        // "Simple, not double".
        let double = ["not a double one", "not a double", "not double", "not two"];
        let refuses = double.iter().any(|said| self.phrase(said));
        if refuses {
            self.has(&["simple", "single"]);
        }
        let wants = refuses || said.iter().any(|said| self.phrase(said));
        if wants {
            self.has(&["enough", "harsh", "much"]);
        }
        wants
    }

    /// "!? and not ?!", "rather than ?!": the sign that is refused is the last one, and no detail.
    fn leave_refused_sign(&mut self) {
        let sentence = self.sentence;
        let said: [&[&str]; 3] = [&["not"], &["rather", "than"], &["instead", "of"]];
        let refused = (1..sentence.words.len()).find_map(|at| {
            let said = said.iter().find(|said| {
                let words = sentence.words.get(at..at + said.len());
                words.is_some_and(|words| words.iter().eq(said.iter()))
            })?;
            let last = at + said.len() - 1;
            let behind = sentence.text.get(sentence.split[last].chunk.1..)?;
            // It may be a word of its own, or none at the end of a sentence.
            let token = usize::from(sentence.words.get(last + 1).is_some_and(|word| word == SIGN));
            let written = behind.split_ascii_whitespace().next()?;
            sign(written).map(|_| at..last + 1 + token)
        });
        let before = sentence.text.split_ascii_whitespace().filter_map(sign).count();
        if let Some(refused) = refused.filter(|_| before > 1) {
            self.mark(refused);
        }
    }

    /// "The exclamation mark should be a question mark instead": the sign that is said last.
    fn replaced_sign(&mut self) -> Option<String> {
        let mut places: Vec<(usize, usize, &str)> = Vec::new();
        for (said, sign) in SIGNS {
            if let Some(place) = self.place_of(said)
                && !self.filled.used[place.start]
                && places.iter().all(|(from, to, _)| place.start >= *to || place.end <= *from)
            {
                places.push((place.start, place.end, sign));
            }
        }
        places.sort_unstable();
        let [(from, to, _), .., (last, end, sign)] = places[..] else { return None };
        let article = usize::from(matches!(self.word(last - 1), "a" | "an" | "the"));
        // "As interesting, no, dubious".
        let is_marker = |word: &str| matches!(word, "no" | "sorry" | "rather" | "mean" | "wait");
        let is_corrected = last > to
            && last < to + 5
            && (to..last).any(|at| is_marker(self.word(at)))
            && (to..last).all(|at| {
                let word = self.word(at);
                is_marker(word)
                    || matches!(word, "i" | "a" | "an" | "as" | "mark" | "marks" | "make" | "it")
            });
        if is_corrected {
            self.mark(to..last);
        }
        let links = is_corrected
            || matches!(
                self.word(last - 1 - article),
                "be" | "to" | "into" | "with" | "by" | "become" | "deserves"
            );
        if !links {
            return None;
        }
        self.mark(from..to);
        self.mark(last..end);
        self.has(&["mark", "marks", "point", "sign", "instead"]);
        Some(sign.to_owned())
    }
}
