//! A text that is dictated, a comment or the name of a run: its words are no part of the wish. They are one token,
//! `{text}`, in the sentence that is read.

mod unquoted;

use std::ops::Range;

use super::spelling::{self, Slip};
use super::words::{Word, sign};
use super::{clauses, kinds, nearest, past};

/// The token of a dictated text.
pub const TEXT: &str = "{text}";

/// Words of which one says that a text is dictated.
const WRITING: [&str; 26] = [
    "baptise",
    "christen",
    "dub",
    "append",
    "record",
    "memo",
    "called",
    "named",
    "renamed",
    "titled",
    "write",
    "comment",
    "note",
    "remark",
    "annotate",
    "annotation",
    "jot",
    "call",
    "name",
    "rename",
    "describe",
    "description",
    "label",
    "title",
    "tag",
    "nickname",
];

/// Verbs with which a text between quotation marks is written.
const PUTTING: [&str; 7] = ["put", "place", "add", "attach", "set", "text", "enter"];

/// Words behind which the rest of a sentence is a text.
const SAYING: [&str; 5] = ["saying", "says", "reading", "reads", "stating"];

/// Verbs that name a run, or write to it.
const NAMING: [&str; 10] =
    ["call", "name", "rename", "describe", "label", "title", "tag", "baptise", "christen", "dub"];

/// Quotation marks that open and close.
const QUOTES: [(char, char); 5] = [
    ('"', '"'),
    ('\u{201c}', '\u{201d}'),
    ('\u{ab}', '\u{bb}'),
    ('\u{2018}', '\u{2019}'),
    ('\'', '\''),
];

/// The words of a sentence, of which those of a dictated text are one.
pub fn collapsed(text: &str, split: Vec<Word>) -> Vec<Word> {
    let writes = split.iter().position(|word| writes(&word.text));
    // "Put 'only move' beside 31...Kf8".
    let puts = split.iter().any(|word| PUTTING.contains(&word.text.as_str()));
    let dictated = match writes {
        Some(writes) => quoted(text)
            .or_else(|| behind_colon(text, split[writes].chunk.1))
            .or_else(|| behind_saying(text, &split))
            .or_else(|| unquoted::range(text, &split).map(|range| without_reason(text, range)))
            .or_else(|| name_of_run(text, &split).map(|range| without_reason(text, range)))
            .or_else(|| name_behind_run(text, &split))
            .or_else(|| name_before_run(&split)),
        None if puts => quoted(text)
            .or_else(|| put_behind_colon(text, &split))
            .or_else(|| unquoted::added_to_run(text, &split)),
        None => called(text, &split).or_else(|| quoted(text).filter(|_| names_move(&split))),
    };
    let Some(range) = dictated.and_then(|range| trimmed(text, range)) else { return split };
    // "Annotate 18...Nd4 with !?".
    if sign(&text[range.clone()]).is_some() {
        return split;
    }
    let quotes = |word: &Word| matches!(word.text.as_str(), "quote" | "unquote" | "end" | "close");
    let is_quoted =
        split.iter().any(|word| word.chunk.1 + 1 == range.start && word.text == "quote");
    let is_within = |word: &&Word| {
        let is_sign =
            is_quoted && quotes(word) && (word.chunk.1 <= range.start || word.chunk.0 >= range.end);
        is_sign || (word.chunk.0 >= range.start && word.chunk.1 <= range.end)
    };
    let Some(first) = split.iter().position(|word| is_within(&word)) else { return split };
    let count = split.iter().filter(is_within).count();
    let mut words = split;
    let dictated = Word { text: TEXT.to_owned(), chunk: (range.start, range.end) };
    words.splice(first..first + count, [dictated]);
    let second = second_text(text, &words, first).and_then(|range| trimmed(text, range));
    if let Some(range) = second {
        let is_within = |word: &&Word| word.chunk.0 >= range.start && word.chunk.1 <= range.end;
        if let Some(first) = words.iter().position(|word| is_within(&word)) {
            let count = words.iter().filter(is_within).count();
            let dictated = Word { text: TEXT.to_owned(), chunk: (range.start, range.end) };
            words.splice(first..first + count, [dictated]);
        }
    }
    words
}

/// A second text behind one between quotation marks: "call it \"club\" and add the note that hash was 32 MB", "rename it \"b\"
/// instead of \"a\"".
fn second_text(text: &str, words: &[Word], first: usize) -> Option<Range<usize>> {
    let end = words[first].chunk.1;
    let behind = &text[end..];
    let is_quoted = |(_, close): &&(char, char)| behind.starts_with(*close);
    let (_, close) = QUOTES.iter().find(is_quoted)?;
    if !words.iter().any(|word| kinds::is_of_run(&word.text)) {
        return None;
    }
    let end = end + close.len_utf8();
    let moved = |range: Range<usize>| range.start + end..range.end + end;
    if let Some(range) = quoted(&text[end..]) {
        return Some(moved(range));
    }
    let word = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let noun = (first + 1..words.len()).find(|at| {
        matches!(word(*at), "note" | "comment" | "remark" | "description")
            && (word(at + 1) == "that" || text[words[*at].chunk.1..].starts_with(": "))
    })?;
    let from = noun + 1 + usize::from(word(noun + 1) == "that");
    Some(words.get(from)?.chunk.0..text.trim_end_matches(['.', ' ']).len())
}

/// Whether a word says that a text is dictated, if need be misspelt.
fn writes(word: &str) -> bool {
    let is_slip = |known: &&str| {
        let slip = spelling::slip(word, known);
        known.len() > 4 && matches!(slip, Some(Slip::Exchanged | Slip::LeftOutOrDoubled))
    };
    WRITING.contains(&word)
        || (!nearest::is_known(word) && !spelling::is_right(word) && WRITING.iter().any(is_slip))
}

/// A range without the spaces at its ends; none of an empty one.
fn trimmed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let inner = &text[range.clone()];
    // "Quote too slow unquote" behind a colon.
    let unquoted = ["unquote", "end quote", "close quote"]
        .iter()
        .find_map(|end| inner.trim().strip_prefix("quote ")?.strip_suffix(end));
    let range = unquoted.map_or(range, |inner| {
        let start = inner.as_ptr() as usize - text.as_ptr() as usize;
        start..start + inner.len()
    });
    let inner = &text[range.clone()];
    let start = range.start + (inner.len() - inner.trim_start().len());
    let end = start + inner.trim().len();
    (start < end).then_some(start..end)
}

/// What stands between quotation marks.
fn quoted(text: &str) -> Option<Range<usize>> {
    QUOTES.iter().find_map(|(open, close)| {
        // An apostrophe stands within a word.
        let is_opening = |(at, sign): &(usize, char)| {
            sign == open
                && text[..*at].chars().next_back().is_none_or(|before| !before.is_alphanumeric())
        };
        let (at, sign) = text.char_indices().find(is_opening)?;
        let start = at + sign.len_utf8();
        let is_closing = |(at, sign): &(usize, char)| {
            let behind = text[start + at + sign.len_utf8()..].chars().next();
            sign == close && behind.is_none_or(|behind| !behind.is_alphanumeric())
        };
        let (length, _) = text[start..].char_indices().find(is_closing)?;
        Some(start..start + length)
    })
}

/// What stands behind a colon: "a comment on move 9: too slow".
fn behind_colon(text: &str, from: usize) -> Option<Range<usize>> {
    let at = from + text.get(from..)?.find(": ")?;
    Some(at + 1..text.len())
}

/// What stands behind "saying".
fn behind_saying(text: &str, split: &[Word]) -> Option<Range<usize>> {
    let said = split.iter().find(|word| SAYING.contains(&word.text.as_str()))?;
    Some(said.chunk.1..text.len())
}

/// What stands behind the run that is named: "rename run 31 to king safety", "tag my latest run with ltc".
fn name_of_run(text: &str, split: &[Word]) -> Option<Range<usize>> {
    let word = |at: usize| split.get(at).map_or("", |word| word.text.as_str());
    let verb = (0..split.len().min(4)).find(|at| NAMING.contains(&word(*at)))?;
    // "Rename 8 to second try".
    let is_number = word(verb + 1).starts_with(|sign: char| sign.is_ascii_digit());
    if is_number && matches!(word(verb + 2), "to" | "as") {
        let first = split.get(verb + 3)?;
        return Some(first.chunk.0..end_of_name(text, &split[verb + 3..]));
    }
    // "Name 12 lmr-final".
    if let Some(name) = split.get(verb + 2)
        && is_number
        && verb == 0
        && split.last().is_some_and(|last| last.chunk == name.chunk)
        && text[name.chunk.0..name.chunk.1].contains(['-', '_'])
    {
        return Some(name.chunk.0..name.chunk.1);
    }
    let noun = (verb + 1..verb + 7).find(|at| kinds::is_of_run(word(*at)))?;
    // "The newest training run".
    let noun = noun + usize::from(word(noun + 1) == "run");
    let number = word(noun + 1);
    // "Name the last run 50 % faster".
    let is_last =
        (verb..noun).any(|at| matches!(word(at), "last" | "latest" | "newest" | "current"));
    let has_number = !is_last && number.starts_with(|sign: char| sign.is_ascii_digit());
    // The id of a run has several words.
    let behind = match has_number {
        true => {
            let chunk = split[noun + 1].chunk;
            (noun + 1..split.len()).find(|at| split[*at].chunk != chunk)?
        }
        false => {
            let words: Vec<&str> = split.iter().map(|word| word.text.as_str()).collect();
            past::behind(&words, noun + 1)
        }
    };
    let link = usize::from(matches!(word(behind), "to" | "as" | "with" | "by"));
    // "Call the match off".
    let first = split.get(behind + link).filter(|word| word.text != "off")?;
    Some(first.chunk.0..end_of_name(text, &split[behind + link..]))
}

/// "The gauntlet before last shall be called winter test", "run 6 should be named first try".
fn name_behind_run(text: &str, split: &[Word]) -> Option<Range<usize>> {
    let word = |at: usize| split.get(at).map_or("", |word| word.text.as_str());
    let noun = (0..split.len().min(6)).find(|at| kinds::is_of_run(word(*at)))?;
    let is_named = |at: &usize| {
        matches!(word(*at), "called" | "named" | "renamed" | "titled") && word(at - 1) == "be"
    };
    let named = (noun + 3..split.len().min(noun + 9)).find(is_named)?;
    let is_wish =
        matches!(word(named - 2), "shall" | "should" | "must" | "will" | "to" | "can" | "could");
    let first = split.get(named + 1).filter(|_| is_wish)?;
    Some(first.chunk.0..end_of_name(text, &split[named + 1..]))
}

/// "Second try should be the name of run 5".
fn name_before_run(split: &[Word]) -> Option<Range<usize>> {
    let word = |at: usize| split.get(at).map_or("", |word| word.text.as_str());
    let is_name = |at: &usize| {
        matches!(word(*at), "should" | "shall" | "must" | "will")
            && word(at + 1) == "be"
            && matches!(word(at + 2), "the" | "a")
            && matches!(word(at + 3), "name" | "title" | "note" | "description" | "label")
            && (at + 4..at + 8).any(|at| kinds::is_of_run(word(at)))
    };
    let modal = (1..split.len()).find(is_name)?;
    Some(split[0].chunk.0..split[modal - 1].chunk.1)
}

/// Where the name of a run ends: before a reason, "since that is what we call it".
fn end_of_name(text: &str, split: &[Word]) -> usize {
    let word = |at: usize| split.get(at).map_or("", |word| word.text.as_str());
    let is_apart = |at: usize| {
        let between = text.get(split[at - 1].chunk.1..split[at].chunk.0);
        between.is_some_and(|between| between.contains([',', ';']))
    };
    let begins = |at: &usize| {
        let conjunction = clauses::CONJUNCTIONS.contains(&word(*at)) || word(*at) == "as";
        conjunction && is_apart(*at) && clauses::is_subject(word(at + 1))
    };
    let reason = (1..split.len()).find(begins);
    reason.map_or(text.len(), |at| split[at - 1].chunk.1)
}

/// A text without the reason behind it: "the title, since that is what we called it".
fn without_reason(text: &str, range: Range<usize>) -> Range<usize> {
    let begins = [", since ", ", because ", ", so that ", ", as that "];
    let at = begins.iter().filter_map(|begin| text[range.clone()].find(begin)).min();
    range.start..at.map_or(range.end, |at| range.start + at)
}

/// "\"Lost the thread\" at black's move 30": what is written at a move needs no verb.
fn names_move(split: &[Word]) -> bool {
    let word = |at: usize| split.get(at).map_or("", |word| word.text.as_str());
    (0..split.len()).any(|at| {
        let is_last = matches!(word(at), "last" | "this" | "my" | "his");
        let next = word(at + 1);
        (word(at) == "move" && !next.is_empty() && !matches!(next, "of" | "by"))
            || (is_last && next == "move")
    })
}

/// "Run 6 should be called my first test".
fn called(text: &str, split: &[Word]) -> Option<Range<usize>> {
    let word = |at: usize| split.get(at).map_or("", |word| word.text.as_str());
    let verb = (2..split.len()).find(|at| matches!(word(*at), "called" | "named" | "titled"))?;
    let is_said = (verb.saturating_sub(3)..verb)
        .any(|at| matches!(word(at), "be" | "get" | "shall" | "should"));
    let has_run = (0..verb).any(|at| kinds::is_of_run(word(at)));
    let first = split.get(verb + 1).filter(|_| is_said && has_run)?;
    Some(without_reason(text, first.chunk.0..text.len()))
}

/// "Add this to White's move 30: he only smiled", "stick a note on my last move: hoped so".
fn put_behind_colon(text: &str, split: &[Word]) -> Option<Range<usize>> {
    let range = behind_colon(text, 0)?;
    let before: Vec<&str> = split
        .iter()
        .take_while(|word| word.chunk.1 <= range.start)
        .map(|word| word.text.as_str())
        .collect();
    let names_text = before.iter().any(|word| matches!(*word, "this" | "words" | "following"));
    let names_move = before.iter().any(|word| matches!(*word, "move" | "moves" | "run"));
    (names_text && names_move).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    #[test]
    fn a_dictated_text_is_one_token() {
        for (text, dictated) in [
            ("write \"too slow, Nf3 was better\" next to move 9", "too slow, Nf3 was better"),
            ("add the comment 'Black's idea' here", "Black's idea"),
            ("leave a note here saying remember the back rank", "remember the back rank"),
            ("note at move 5: the book ends", "the book ends"),
            ("call run 9 \u{201c}lmr final\u{201d}", "lmr final"),
            ("rename run 31 to king safety second try", "king safety second try"),
            ("tag my latest run with baseline and ltc", "baseline and ltc"),
            ("rename run 20261128-222529-sprt to x", "x"),
            (
                "add the comment time trouble begins here to blacks move 31",
                "time trouble begins here",
            ),
            ("put the remark white is lost at move 12 please", "white is lost"),
            ("note a strong idea on 12...Nf6", "a strong idea"),
            ("write clearly better next to my last move", "clearly better"),
            ("write too greedy as a comment on move 5", "too greedy"),
            ("at move nine write the end begins", "the end begins"),
            ("annotate black's 7th move with a novelty of mine", "a novelty of mine"),
            (
                "give the last sprt the description first try with bigger reductions",
                "first try with bigger reductions",
            ),
            ("set the name of run 7 to second try", "second try"),
            ("write down for run 9 that the book was too small", "the book was too small"),
            ("note for the last sprt too few games", "too few games"),
            ("add the note baseline for december to the last match", "baseline for december"),
            ("the title of the last run should be net 12", "net 12"),
            ("name the last match winter cup, since that is what it was", "winter cup"),
            ("run 6 should be called my first test", "my first test"),
            ("the gauntlet before last shall be named \"winter\"", "winter"),
            ("annotate 18...Nd4 with !?", ""),
            ("comment on my last move", ""),
            ("add a comment to move 9", ""),
            ("remove the comment on move 8", ""),
            ("what is the name of this opening", ""),
            ("call it a draw", ""),
            ("call the current test off", ""),
            ("play the \"caro kann\"", ""),
        ] {
            let found = collapsed(text, words::split(text));
            let token = found.iter().find(|word| word.text == TEXT);
            let found = token.map_or("", |word| &text[word.chunk.0..word.chunk.1]);
            assert_eq!(found, dictated, "{text}");
        }
    }
}
