//! A move within a sentence that says more: "queen takes f7, sorry my friend", "knight c3, no, knight d2". What only
//! accompanies it is left out, and another wish is named.

use std::ops::Range;

use super::super::context::Context;
use super::super::intent::Intent;
use super::super::tags::is_move;
use super::super::understand_part;
use super::super::words::{self, Word};
use super::super::{coverage, field, rules};
use super::spoken::{is_of_move, read_move};
use super::{Named, named_move};

/// A move that a sentence says.
pub struct Said {
    /// The legal moves that are meant.
    pub named: Named,
    /// The words of the move, as they were typed.
    pub text: String,
    /// Whether the sentence says nothing else.
    pub is_whole: bool,
    /// Other wishes, as they were typed.
    pub unread: Vec<String>,
    /// Whether something is put, which may set a position up.
    pub puts: bool,
    /// Whether it castles.
    pub castles: bool,
    /// Whether a piece goes to a square: "the rook on the a-file should go to d1".
    pub goes: bool,
}

/// Words that take back the move before them, or say that the next one is meant.
const CORRECTING: [&str; 18] = [
    "no",
    "nope",
    "nah",
    "sorry",
    "wait",
    "oops",
    "excuse",
    "me",
    "i",
    "mean",
    "meant",
    "said",
    "correction",
    "rather",
    "actually",
    "better",
    "hold",
    "on",
];

/// Words before a move that say nothing.
const LEADING: [&str; 14] = [
    "let", "us", "please", "ok", "okay", "well", "now", "so", "then", "and", "uci", "could",
    "would", "you",
];

/// Words that begin a part that is no move.
const BEGINNING: [&str; 8] =
    ["because", "since", "although", "though", "unless", "while", "if", "when"];

/// Words that begin a remark.
const STATING: [&str; 14] = [
    "it", "there", "this", "that", "they", "he", "she", "my", "your", "these", "computer", "dear",
    "tench", "buddy",
];

/// Words that begin another part where nothing else divides the sentence.
const LINKING: [&str; 4] = ["and", "then", "but", "afterwards"];

/// An example that a part has to be so like to be another wish.
const WISHED: f32 = 0.75;

/// Words beside a written move that are no wish: "exd5 ez".
const FEW: usize = 4;

/// The move that a sentence says, whether or not it is legal.
pub fn said(text: &str, split: &[Word], context: &Context) -> Option<Said> {
    let words: Vec<&str> = split.iter().map(|word| word.text.as_str()).collect();
    if super::is_no_move(&words) || rules::goes_to_moment(&words) {
        return None;
    }
    let named = named_move(text, split, context);
    let castles = split.iter().any(|word| word.text.starts_with("castl"));
    let is_said = read_move(split).is_some_and(|read_move| read_move.is_whole());
    if named != Named::None || is_said {
        let text = text.trim().to_owned();
        let puts = split.iter().any(|word| matches!(&*word.text, "put" | "place" | "set"));
        let goes = split.windows(2).any(|pair| {
            matches!(&*pair[0].text, "go" | "goes" | "move" | "moves" | "jump" | "jumps")
                && pair[1].text == "to"
        });
        return Some(Said { named, text, is_whole: true, unread: Vec::new(), puts, castles, goes });
    }
    // A question makes no move, "would you push my h pawn, please?" does.
    let lower = text.trim_start().to_lowercase();
    let asks_politely = ["would you", "could you", "can you", "will you", "please"]
        .iter()
        .any(|begin| lower.starts_with(begin));
    if text.trim_end().ends_with('?') && !asks_politely {
        return None;
    }
    let by_signs = parts(text, split, false);
    of_parts(text, split, &by_signs, context)
        .or_else(|| of_parts(text, split, &parts(text, split, true), context))
        .or_else(|| beside_written(text, split, context))
}

/// The parts of a sentence: between signs and conjunctions, and also between words that link.
fn parts(text: &str, split: &[Word], at_links: bool) -> Vec<Range<usize>> {
    let word = |at: usize| split.get(at).map_or("", |word| word.text.as_str());
    let begins = |at: usize| {
        let between = crate::words::between(text, split, at);
        crate::words::has_sign(text, split, at)
            || between.contains('(')
            || BEGINNING.contains(&word(at))
            || matches!(
                (word(at), word(at + 1)),
                ("so", "that") | ("rather", "than") | ("instead", "of")
            )
            || (at_links && LINKING.contains(&word(at)) && !LINKING.contains(&word(at - 1)))
    };
    let mut parts = Vec::new();
    let mut from = 0;
    for at in 1..split.len() {
        if begins(at) {
            parts.push(from..at);
            from = at;
        }
    }
    parts.push(from..split.len());
    parts
}

/// The move of some parts, of which the others are no moves.
fn of_parts(text: &str, split: &[Word], parts: &[Range<usize>], context: &Context) -> Option<Said> {
    let stripped: Vec<Range<usize>> = parts.iter().map(|part| without_lead(split, part)).collect();
    let is_whole = |part: &Range<usize>| {
        let words = &split[part.clone()];
        // A square alone is a move of a pawn where that is legal.
        let is_pawn = words.len() == 1
            && part.start > 0
            && context.legal.iter().any(|(_, san)| *san == words[0].text);
        is_pawn || read_move(words).is_some_and(|read_move| read_move.is_whole())
    };
    let whole: Vec<usize> = (0..parts.len()).filter(|at| is_whole(&stripped[*at])).collect();
    let of_move: Vec<usize> = (0..parts.len())
        .filter(|at| !stripped[*at].is_empty() && is_of_move(&split[stripped[*at].clone()]))
        .collect();
    let together: Vec<Word> =
        of_move.iter().flat_map(|at| split[stripped[*at].clone()].to_vec()).collect();
    let squares = together.iter().filter(|word| is_move(&word.text)).count();
    let joined = read_move(&together).filter(|read_move| read_move.is_whole());
    // What stands beside a move says where it comes from, and not where it goes.
    let targets = |words: &[Word]| read_move(words).map_or(0, |read_move| read_move.squares.len());
    let own = whole.first().map_or(usize::MAX, |at| targets(&split[stripped[*at].clone()]));
    let joined = joined.filter(|joined| joined.squares.len() <= own || whole.len() > 1);
    let is_corrected = |from: usize, to: usize| {
        (from + 1..=to).any(|at| {
            let lead = parts[at].start..if at == to { stripped[at].start } else { parts[at].end };
            let words = &split[lead];
            words.iter().any(|word| {
                CORRECTING[..8].contains(&word.text.as_str()) || word.text.starts_with("mean")
            })
        })
    };
    let last_is_meant =
        whole.first().zip(whole.last()).is_some_and(|(first, last)| is_corrected(*first, *last));
    let (chosen, words) = match (whole.as_slice(), joined) {
        (_, Some(_)) if whole.len() < 2 || squares < 2 => (of_move, together),
        ([], _) => return None,
        ([first, ..], _) => {
            let at = if last_is_meant { whole[whole.len() - 1] } else { *first };
            (vec![at], split[stripped[at].clone()].to_vec())
        }
    };
    let typed = |part: &Range<usize>| {
        text[split[part.start].chunk.0..split[part.end - 1].chunk.1].to_owned()
    };
    // What is corrected, and "Kf1 rather than castling".
    let is_refused = |at: usize| {
        let words = split[parts[at].clone()].iter().map(|word| word.text.as_str());
        matches!(
            words.take(2).collect::<Vec<_>>()[..],
            ["not", ..] | ["rather", "than"] | ["instead", "of"]
        )
    };
    let is_replaced =
        |at: usize| (last_is_meant && chosen.iter().any(|chosen| at < *chosen)) || is_refused(at);
    let others = (0..parts.len()).filter(|at| !chosen.contains(at));
    let unread = others
        .filter(|at| !is_replaced(*at) && (whole.contains(at) || is_wish(split, &parts[*at], text)))
        .map(|at| typed(&parts[at]))
        .collect();
    let from = chosen.iter().map(|at| stripped[*at].start).min()?;
    let to = chosen.iter().map(|at| stripped[*at].end).max()?;
    let text = typed(&(from..to));
    let named = named_move(&text, &words, context);
    let castles = words.iter().any(|word| word.text.starts_with("castl"));
    Some(Said { named, text, is_whole: false, unread, puts: false, castles, goes: false })
}

/// A part without the words before a move that say nothing or take back another one.
fn without_lead(split: &[Word], part: &Range<usize>) -> Range<usize> {
    let is_lead = |at: &usize| {
        let word = split[*at].text.as_str();
        CORRECTING.contains(&word) || LEADING.contains(&word) || word == "afterwards"
    };
    let lead = part.clone().take_while(is_lead).count();
    part.start + lead..part.end
}

/// Whether a part is another wish or a detail, and no remark.
fn is_wish(split: &[Word], part: &Range<usize>, text: &str) -> bool {
    let rest = without_lead(split, part);
    if rest.is_empty() {
        return false;
    }
    let words = &split[part.clone()];
    let has_number = words.iter().any(|word| {
        word.text.bytes().any(|byte| byte.is_ascii_digit()) || field::is_detail(&word.text)
    });
    let is_next = words.iter().take(2).any(|word| matches!(&*word.text, "then" | "afterwards"));
    // "Because", "so that": a reason.
    let is_reason = STATING.contains(&words[0].text.as_str())
        || BEGINNING.contains(&words[0].text.as_str())
        || (words[0].text == "so" && words.len() > 1);
    let rest = &text[split[rest.start].chunk.0..split[rest.end - 1].chunk.1];
    let is_other = || {
        let found = understand_part(rest, &Context::default(), false);
        found.confidence > WISHED
            && (found.intent.acts() || found.intent.only_shows())
            && found.intent != Intent::Move
    };
    // "And it is to Black to play", "castling no more permitted to White".
    let says = |known: &[&str]| words.iter().any(|word| known.contains(&word.text.as_str()));
    let is_of_side = says(&["white", "whites", "black", "blacks"])
        && says(&["no", "not", "never", "only", "play", "move", "turn", "castling", "castle"]);
    has_number || is_next || is_of_side || (!is_reason && is_other())
}

/// A move as it is written beside a few words that are none: "exd5 ez", "e7e8n lets gooo".
fn beside_written(text: &str, split: &[Word], context: &Context) -> Option<Said> {
    let is_written = |word: &&Word| is_move(&word.text) && word.text.len() > 2;
    let mut written = split.iter().filter(is_written);
    let (word, None) = (written.next()?, written.next()) else { return None };
    let has_number = |word: &Word| word.text.bytes().any(|byte| byte.is_ascii_digit());
    let others: Vec<&Word> = split.iter().filter(|other| *other != word).collect();
    let is_detail = |word: &Word| {
        has_number(word)
            || field::is_detail(&word.text)
            || coverage::TURNING.contains(&word.text.as_str())
    };
    if others.len() > FEW || others.iter().any(|word| is_detail(word)) {
        return None;
    }
    let text = text[word.chunk.0..word.chunk.1].to_owned();
    let named = named_move(&text, &words::split(&text), context);
    let unread = Vec::new();
    Some(Said { named, text, is_whole: false, unread, puts: false, castles: false, goes: false })
}
