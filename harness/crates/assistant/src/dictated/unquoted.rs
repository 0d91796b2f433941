//! A text without quotation marks between what says that it is written and the place where it is: "add the comment time
//! trouble begins here to black's move 31", "give the last SPRT the description first try".

use std::ops::Range;

use super::super::spelling::{Slip, slip};
use super::super::tags::is_move;
use super::super::words::Word;
use super::super::{kinds, nearest, numbers};

/// Verbs that write a text or give it to something.
const VERBS: [&str; 14] = [
    "record", "add", "put", "write", "leave", "attach", "insert", "set", "give", "jot", "append",
    "note", "comment", "assign",
];

/// What is written at a move.
const COMMENTS: [&str; 5] = ["comment", "note", "remark", "annotation", "text"];

/// What a run has.
const OF_RUNS: [&str; 9] =
    ["name", "title", "label", "tag", "description", "note", "nickname", "comment", "remark"];

/// Words that link a text with its place.
const LINKS: [&str; 13] = [
    "against", "to", "at", "on", "in", "for", "beside", "after", "behind", "by", "under", "of",
    "with",
];

/// Words with which no text begins.
const NO_TEXT: [&str; 7] = ["about", "next", "is", "was", "that", "saying", "says"];

/// Words that take a text away.
const REMOVING: [&str; 6] = ["remove", "delete", "erase", "clear", "drop", "strike"];

/// The text, by its bytes.
pub fn range(text: &str, split: &[Word]) -> Option<Range<usize>> {
    let said: Vec<&str> = split.iter().map(|word| word.text.as_str()).collect();
    let said = match said.split_last() {
        Some((&"please", before)) => before,
        _ => &said,
    };
    let put_right: Vec<&str> = said.iter().map(|word| right(word)).collect();
    let said = put_right.as_slice();
    let sentence = Sentence { text, split, said };
    if said.iter().any(|word| REMOVING.contains(word)) {
        return None;
    }
    let words = sentence
        .before_place()
        .or_else(|| sentence.behind_move())
        .or_else(|| sentence.behind_run())
        .or_else(|| sentence.to_run())
        .or_else(|| sentence.for_run())?;
    bytes_of(split, words)
}

/// The bytes of some words; `None` of no word.
fn bytes_of(split: &[Word], words: Range<usize>) -> Option<Range<usize>> {
    let words = split.get(words)?;
    Some(words.first()?.chunk.0..words.last()?.chunk.1)
}

/// "Add to the last match that TEXT", by its bytes.
pub fn added_to_run(text: &str, split: &[Word]) -> Option<Range<usize>> {
    let said: Vec<&str> = split.iter().map(|word| word.text.as_str()).collect();
    let sentence = Sentence { text, split, said: &said };
    bytes_of(split, sentence.for_run()?)
}

/// A word for what is written, or where, without a plain slip: "coment", "moev".
fn right(word: &str) -> &str {
    let known = COMMENTS.iter().chain(&["move"]);
    let is_slip = |known: &&&'static str| {
        matches!(slip(word, known), Some(Slip::Exchanged | Slip::LeftOutOrDoubled))
    };
    match nearest::is_known(word) {
        true => word,
        false => known.into_iter().find(is_slip).copied().unwrap_or(word),
    }
}

/// A sentence as words.
#[derive(Clone, Copy)]
struct Sentence<'a> {
    text: &'a str,
    split: &'a [Word],
    said: &'a [&'a str],
}

impl Sentence<'_> {
    fn word(self, at: usize) -> &'static str {
        // The words of a sentence are compared with fixed ones alone.
        let known = VERBS.iter().chain(&COMMENTS).chain(&OF_RUNS).chain(&LINKS).chain(&NO_TEXT);
        let word = self.said.get(at).copied().unwrap_or_default();
        known.into_iter().find(|known| **known == word).copied().unwrap_or_default()
    }

    /// The end of a move that is named from a word on: "black's move 31", "my last move", "12...Nf6", "here".
    fn move_at(self, at: usize) -> Option<usize> {
        let word = |at: usize| self.said.get(at).copied().unwrap_or_default();
        let is_side = |at: usize| matches!(word(at), "white" | "whites" | "black" | "blacks");
        let of_side = |at: usize| match word(at) {
            "of" | "for" | "by" if is_side(at + 1) => at + 2,
            _ if is_side(at) => at + 1,
            _ => at,
        };
        let at = at + usize::from(matches!(word(at), "the" | "my" | "his" | "her" | "our"));
        let at = at + usize::from(is_side(at));
        let number = |at: usize| numbers::at(&owned(self.said.get(at..)?), 0);
        if word(at) == "here" {
            return Some(at + 1);
        }
        if matches!(word(at), "last" | "previous" | "latest" | "this" | "that" | "current")
            && matches!(word(at + 1), "move" | "position")
        {
            return Some(of_side(at + 2));
        }
        if word(at) == "move" && is_numbered_move(self.text, self.split.get(at + 1)) {
            return Some(at + 2);
        }
        if word(at) == "move" {
            let link = usize::from(word(at + 1) == "number");
            let found = number(at + 1 + link)?;
            return Some(of_side(at + 1 + link + found.words));
        }
        if numbers::ordinal(word(at)).is_some() && word(at + 1) == "move" {
            return Some(of_side(at + 2));
        }
        if let Some(found) = number(at)
            && word(at + found.words) == "move"
        {
            return Some(of_side(at + found.words + 1));
        }
        let chunk = self.split.get(at)?.chunk;
        let typed = self.text.get(chunk.0..chunk.1)?;
        let is_numbered = typed.starts_with(|sign: char| sign.is_ascii_digit());
        let next = at + usize::from(is_numbered && !typed.contains(char::is_alphabetic));
        let san = self.split.get(next).map_or("", |word| &self.text[word.chunk.0..word.chunk.1]);
        let san = san.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
        is_move(&san.to_lowercase().replace(['+', '#'], "")).then_some(next + 1)
    }

    /// The end of a run that is named from a word on: "the last SPRT", "run 7".
    fn run_at(self, at: usize) -> Option<usize> {
        let word = |at: usize| self.said.get(at).copied().unwrap_or_default();
        let at = at + usize::from(matches!(word(at), "the" | "my" | "our" | "this" | "that"));
        let is_last = matches!(word(at), "last" | "latest" | "newest" | "current" | "recent");
        let at = at + usize::from(is_last);
        if !kinds::is_of_run(word(at)) {
            return None;
        }
        let chunk = self.split.get(at + 1).map(|word| word.chunk);
        let is_number = word(at + 1).starts_with(|sign: char| sign.is_ascii_digit());
        let count = self.split.iter().skip(at + 1).take_while(|word| Some(word.chunk) == chunk);
        Some(at + 1 + if is_number { count.count() } else { 0 })
    }

    /// "The comment TEXT to move 31", "the note TEXT to the last run", "write TEXT as a comment on move 5".
    fn before_place(self) -> Option<Range<usize>> {
        let count = self.said.len();
        let noun = (0..count.min(8)).find(|at| {
            let word = self.word(*at);
            let is_noun = COMMENTS.contains(&word) || OF_RUNS.contains(&word);
            let is_verb = matches!(word, "write" | "jot");
            (is_noun && (*at == 0 || self.is_written(*at))) || is_verb
        })?;
        let is_noun_of_moves = COMMENTS.contains(&self.word(noun)) || self.word(noun) == "write";
        // The article of what is written: "write the comment TEXT".
        let article = usize::from(matches!(self.said.get(noun + 1), Some(&("the" | "a"))));
        let second = noun + 1 + article;
        let behind = COMMENTS.contains(&self.word(second));
        let from = if behind && self.word(noun) == "write" { second + 1 } else { noun + 1 };
        // "Write down that I was tired at move 12".
        let said = |at: usize| self.said.get(at).copied().unwrap_or_default();
        let is_verb = matches!(self.word(noun), "write" | "jot");
        let down = usize::from(is_verb && said(from) == "down");
        let from = from + down + usize::from(is_verb && said(from + down) == "that");
        if LINKS.contains(&self.word(from)) || NO_TEXT.contains(&self.word(from)) {
            return None;
        }
        let ends = |at: &usize| {
            let next_to = self.said[*at] == "next" && self.word(at + 1) == "to";
            let place = match LINKS.contains(&self.word(*at)) {
                true => at + 1,
                false if next_to => at + 2,
                false if self.said[*at] == "here" => *at,
                false => return false,
            };
            let of_move = self.move_at(place).filter(|_| is_noun_of_moves);
            of_move.or_else(|| self.run_at(place)) == Some(count)
        };
        let link = (from + 1..count).find(ends)?;
        let as_comment = (from + 1..link).find(|at| {
            self.said[*at] == "as" && COMMENTS.contains(&self.word(at + 2)) && at + 3 == link
        });
        Some(from..as_comment.unwrap_or(link))
    }

    /// Whether a noun is what a verb before it writes: "add the comment", "put a short note".
    fn is_written(self, noun: usize) -> bool {
        (0..noun).any(|at| VERBS.contains(&self.word(at)))
    }

    /// "At move 31 write TEXT", "annotate move 9 with TEXT", "comment on black's move 7 that TEXT".
    fn behind_move(self) -> Option<Range<usize>> {
        let count = self.said.len();
        let is_verb = |at: &usize| {
            matches!(
                self.said[*at],
                "comment" | "annotate" | "note" | "write" | "record" | "remark" | "jot" | "put"
            )
        };
        // "At move nine write the end begins" has its place first.
        let is_first = !LINKS.contains(&self.word(0));
        if let Some(verb) = (0..count.min(4)).find(is_verb).filter(|_| is_first) {
            let link = usize::from(LINKS.contains(&self.word(verb + 1)));
            let end = self.move_at(verb + 1 + link)?;
            let links = matches!(self.said.get(end), Some(&("with" | "that" | "as")));
            // "With a double exclamation mark" is a sign.
            let is_sign =
                |word: &&str| matches!(*word, "mark" | "exclamation" | "question" | "sign");
            let has_sign = self.said.iter().any(is_sign);
            return (links && !has_sign).then_some(end + 1..count);
        }
        if !LINKS.contains(&self.word(0)) {
            return None;
        }
        let polite = |at: usize| at + usize::from(self.said.get(at) == Some(&"please"));
        let verb = self.move_at(1).map(polite).filter(|at| VERBS.contains(&self.word(*at)))?;
        let article = usize::from(matches!(self.said.get(verb + 1), Some(&("the" | "a"))));
        let noun = COMMENTS.contains(&self.word(verb + 1 + article));
        let from = verb + 1 + if noun { article + 1 } else { 0 };
        let that = usize::from(noun && self.said.get(from) == Some(&"that"));
        Some(from + that..count)
    }

    /// "Write down for run 23 that TEXT", "note for the last SPRT TEXT".
    fn for_run(self) -> Option<Range<usize>> {
        let count = self.said.len();
        let is_verb = |at: &usize| {
            matches!(
                self.said[*at],
                "write" | "note" | "jot" | "add" | "append" | "record" | "enter"
            )
        };
        // "Would you have the courtesy to enter beside run 7 that".
        let verb = (0..count.min(8)).find(is_verb)?;
        let down = verb + 1 + usize::from(self.said.get(verb + 1) == Some(&"down"));
        // "Write a note at the last SPRT that".
        let article = usize::from(matches!(self.said.get(down), Some(&("a" | "the"))));
        let is_noun = OF_RUNS.contains(&self.word(down + article));
        let down = if is_noun { down + article + 1 } else { down };
        if !LINKS.contains(&self.word(down)) {
            return None;
        }
        let end = self.run_at(down + 1)?;
        let link = usize::from(self.said.get(end) == Some(&"that"));
        // "Add the engine to the last match" writes nothing.
        let is_written = link > 0 || is_noun || !matches!(self.said[verb], "add" | "append");
        (is_written && end + link < count).then_some(end + link..count)
    }

    /// "To the last SPRT please add a note TEXT".
    fn to_run(self) -> Option<Range<usize>> {
        let count = self.said.len();
        let end = self.run_at(1).filter(|_| LINKS.contains(&self.word(0)))?;
        let is_written =
            |at: &usize| OF_RUNS.contains(&self.word(*at)) && self.is_written(*at) && *at > end;
        let noun = (end..count.min(end + 9)).find(is_written)?;
        let link = usize::from(matches!(self.said.get(noun + 1), Some(&("that" | "stating"))));
        let that = usize::from(link == 1 && self.said.get(noun + 2) == Some(&"that"));
        (noun + 1 + link + that < count).then_some(noun + 1 + link + that..count)
    }

    /// "Run 5 should bear the name TEXT instead of another one", from the end of the run on.
    fn bears_name(self, end: usize) -> Option<Range<usize>> {
        let said = |at: usize| self.said.get(at).copied().unwrap_or_default();
        let is_wish = matches!(said(end), "should" | "shall" | "must" | "may" | "gets" | "bears");
        let is_verb =
            |word: &str| matches!(word, "bear" | "carry" | "get" | "have" | "receive" | "take");
        let verb = end + usize::from(is_verb(said(end + 1)));
        let is_name = matches!(said(verb + 1), "the" | "a")
            && matches!(said(verb + 2), "name" | "title" | "label" | "note" | "description");
        let ends = |at: &usize| {
            matches!((said(*at), said(at + 1)), ("instead", "of") | ("rather", "than"))
        };
        let last = (verb + 4..self.said.len()).find(ends).unwrap_or(self.said.len());
        (is_wish && is_name && verb + 3 < last).then_some(verb + 3..last)
    }

    /// "Give the last SPRT the description TEXT", "set the name of run 7 to TEXT".
    fn behind_run(self) -> Option<Range<usize>> {
        let count = self.said.len();
        (0..count).find_map(|at| {
            let end = self.run_at(at).filter(|end| *end < count)?;
            let article = usize::from(matches!(self.said.get(end), Some(&("the" | "a" | "an"))));
            if self.is_written(at) && OF_RUNS.contains(&self.word(end + article)) {
                return Some(end + article + 1..count);
            }
            let is_named =
                at > 1 && self.said[at - 1] == "of" && OF_RUNS.contains(&self.word(at - 2));
            if let Some(named) = self.bears_name(end) {
                return Some(named);
            }
            if at == 0 {
                return None;
            }
            let link = match (self.said.get(end), self.said.get(end + 1)) {
                (Some(&"should"), Some(&"be")) => 2,
                (Some(&("to" | "is" | "as")), _) => 1,
                _ => return None,
            };
            is_named.then_some(end + link..count)
        })
    }
}

/// Whether a word is a move with its number in one: `4...Nf6`.
fn is_numbered_move(text: &str, word: Option<&Word>) -> bool {
    let Some(typed) = word.and_then(|word| text.get(word.chunk.0..word.chunk.1)) else {
        return false;
    };
    let san = typed.trim_start_matches(|sign: char| sign.is_ascii_digit()).trim_start_matches('.');
    san.len() < typed.len() && is_move(&san.to_lowercase().replace(['+', '#'], ""))
}

/// Words of their own.
fn owned(words: &[&str]) -> Vec<String> {
    words.iter().take(6).map(|word| (*word).to_owned()).collect()
}
