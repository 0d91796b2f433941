//! Which words of a sentence are accounted for.
//!
//! A word is accounted for if it is in a slot, if it says nothing ("please show me the"), or if examples
//! of the intent have it. What remains is a detail that would be dropped: it is named, and asked about.

mod narrowing;
mod reasons;
mod second;

use rapidfuzz::distance::osa;

use self::narrowing::{is_narrowing_used, is_of_reason, is_of_state};
use self::second::{LINKING, second_wish};
pub use self::second::{NARROWED, begins_another, links};
use super::elsewhere;
use super::field;
use super::intent::Intent;
use super::kinds;
use super::nearest;
use super::ordinary;
use super::similar::similarity;
use super::slots::Sentence;
use super::spelling;
use super::thesaurus;

/// Words that say nothing about what is wanted.
const EMPTY: &str = "a about actually again ahead all along already also am an and any anybody anyone \
    anything are as ask at away back be because been before begin being bit bring but by call came can \
    carry check come computer could day did display do does doing done each else engine even ever \
    everything exactly feel find finally first fix for from fully get give given go going gonna good got \
    great had has have having he hear hello help her here hey hi him his how i if in into is it its \
    just keep kind know let like little ll look love looks lot made make makes many may maybe me mean \
    might mine moment much must my myself need next nice now of off oh ok okay on once one ones onto open \
    or other ought our out over own perhaps piece place play please point possible pretty program put quick \
    quickly rather ready really right run s say see seem shall she should show simply so some \
    somehow someone something somewhat sort start still such suppose sure take taken tell tench than \
    thank thanks that the their them then there these they thing things think this those through til \
    till to thingy thingies thingie thingamajig together too took toward towards try turn under up upon us use used using very wait \
    want was watch way we well went were what whatever when where whether which while who whole whose \
    why will wish with would yeah yes yet you your yours yourself bench chess position board game please \
    apiece seen wonder wondering fixed exactly capped current today overall demonstrate display bring fetch launch kick begin perform execute kindly gladly thx ty cheers";

/// Words that turn a sentence around or narrow it; in few examples they are incidental.
pub const TURNING: [&str; 22] = [
    "theoretical",
    "theoretically",
    "not",
    "never",
    "no",
    "without",
    "except",
    "only",
    "instead",
    "unless",
    "until",
    "half",
    "both",
    "if",
    "but",
    "neither",
    "nor",
    "nothing",
    "tomorrow",
    "later",
    "same",
    "itself",
];

/// Words of time, which no intent has a place for.
pub const TIMES: [&str; 20] = [
    "yesterday",
    "yesterdays",
    "tomorrow",
    "tonight",
    "night",
    "nights",
    "overnight",
    "week",
    "weekend",
    "month",
    "year",
    "morning",
    "afternoon",
    "evening",
    "noon",
    "midnight",
    "monday",
    "friday",
    "saturday",
    "sunday",
];

/// People by whose games the explorer is asked for: it has those of the ledger, or of a file.
const PLAYERS: [&str; 21] = [
    "masters",
    "grandmasters",
    "gms",
    "pros",
    "professionals",
    "children",
    "kids",
    "juniors",
    "pupils",
    "students",
    "beginners",
    "amateurs",
    "women",
    "girls",
    "boys",
    "computers",
    "correspondence",
    "club",
    "titled",
    "elite",
    "experts",
];

/// Those that take something away from what stands behind them.
const NARROWING: [&str; 4] = ["no", "without", "except", "only"];

/// Words between one of them and what it is about.
const ARTICLES: [&str; 4] = ["a", "an", "the", "any"];

/// Templates of an intent that have a turning word, at least, so that it is a part of the intent.
const TURNING_TEMPLATES: u16 = 3;

/// Whether a word is empty, or examples of the intent have it, if need be misspelt.
pub fn is_plain(word: &str, intent: Intent) -> bool {
    let is_exact = intent.is_run() || intent.changes_runs() || intent == Intent::Hint;
    if matches!(word, "not" | "never") && is_exact {
        return false;
    }
    if is_of_several_runs(word, intent) {
        return false;
    }
    if intent == Intent::Explorer && PLAYERS.contains(&word) {
        return false;
    }
    // "Sprt HEAD main with a book": which one is in no slot.
    if matches!(intent, Intent::Sprt | Intent::Match) && field::is_valued(word) {
        return false;
    }
    // "That failed match": which of them is meant is no slot.
    let is_state = matches!(word, "failed" | "finished" | "crashed" | "old" | "older" | "broken");
    if TIMES.contains(&word) || (is_state && intent == Intent::DeleteRun) {
        return false;
    }
    if TURNING.contains(&word) {
        return nearest::templates_with(word, intent) >= TURNING_TEMPLATES;
    }
    is_empty(word)
        || kinds::says(word, intent)
        || stems(word).any(|word| nearest::templates_with(word, intent) > 0)
        || thesaurus::alike(word).any(|word| nearest::templates_with(word, intent) > 0)
        || similarity(word, "versus") > LIKE_VERSUS
        || (!nearest::is_known(word) && is_misspelt(word, intent))
}

/// Whether a word is one of what a question is about. A number or what narrows it is not.
fn is_of_topic(word: &str, topic: Intent) -> bool {
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let narrows = NARROWING.contains(&word)
        || matches!(word, "half" | "both" | "until" | "unless" | "instead" | "later");
    !has_digit && !narrows && is_plain(word, topic)
}

/// Whether a word is the name of a page: "the engines page", "the page of engines". One that is in no slot is dropped
/// otherwise, as examples have the names of all kinds of things.
fn is_name_of_page(words: &[String], at: usize, intent: Intent) -> bool {
    let word = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", String::as_str);
    let link = at - usize::from(matches!(word(at.checked_sub(1)), "the" | "my" | "all"));
    let is_behind = matches!(word(link.checked_sub(1)), "of" | "for" | "with")
        && word(link.checked_sub(2)) == "page";
    intent == Intent::OpenPage && (word(Some(at + 1)) == "page" || is_behind)
}

/// "The one called London", "the engine named weiss": the name that was understood says it.
fn is_naming(words: &[String], used: &[bool], at: usize) -> bool {
    matches!(&*words[at], "called" | "named") && used.get(at + 1).copied().unwrap_or_default()
}

/// Whether a word is a name, with a capital within the sentence, that examples have at most misspelt: Ben is not "been".
fn is_name(sentence: &Sentence<'_>, at: usize) -> bool {
    let typed = |at: usize| &sentence.text[sentence.split[at].chunk.0..sentence.split[at].chunk.1];
    let is_capital = |text: &str| {
        text.starts_with(char::is_uppercase) && text.chars().skip(1).all(char::is_lowercase)
    };
    let word = sentence.words[at].as_str();
    let behind = |before: usize| {
        let between = sentence.text.get(sentence.split[before].chunk.1..sentence.split[at].chunk.0);
        between.is_some_and(|between| between.contains(['.', '!', '?', ':']))
    };
    at > 0
        && is_capital(typed(at))
        && !behind(at - 1)
        && !is_empty(word)
        && !nearest::is_known(word)
        && !stems(word).any(nearest::is_known)
}

/// "The second to last run", "the last but one": no intent has a place for what is counted from the end.
fn counts_from_end(words: &[String], at: usize) -> bool {
    let word = |by: usize| words.get(at + by).map_or("", String::as_str);
    match word(0) {
        "second" | "third" | "next" => word(1) == "last" || (word(1) == "to" && word(2) == "last"),
        "but" => at > 0 && words[at - 1] == "last" && matches!(word(1), "one" | "two"),
        word => word == "penultimate",
    }
}

/// Whether a word means more runs than the one that is stopped, resumed or deleted.
fn is_of_several_runs(word: &str, intent: Intent) -> bool {
    matches!(word, "all" | "every" | "everything") && intent.changes_runs()
}

/// A word more like "versus" than this is that one.
const LIKE_VERSUS: f32 = 0.7;

fn is_misspelt(word: &str, intent: Intent) -> bool {
    // A number in it is a detail: `ches960`.
    let is_word = spelling::is_right(word) || ordinary::is_listed(word);
    // Nor is a word of a run another one misspelt: to ponder is not "under".
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) || is_word || is_of_runs(word) {
        return false;
    }
    (word.len() > 3 && nearest::is_like_one_of(word, intent))
        || EMPTY.split_ascii_whitespace().any(|empty| is_slip(word, empty))
        || nearest::words_of(intent).any(|known| is_slip(word, known))
}

/// Whether a word is of runs alone: a detail, a kind or a method.
fn is_of_runs(word: &str) -> bool {
    field::is_detail(word) || kinds::is_said(word)
}

/// Whether a word is another one with two letters exchanged, or one left out or doubled.
fn is_slip(word: &str, meant: &str) -> bool {
    if word.len().abs_diff(meant.len()) > 1
        || meant.len() < 3
        || osa::distance(word.bytes(), meant.bytes()) != 1
    {
        return false;
    }
    match word.len() == meant.len() {
        true => sorted(word) == sorted(meant),
        false => meant.len() > 3 && word.as_bytes().first() == meant.as_bytes().first(),
    }
}

fn sorted(word: &str) -> Vec<u8> {
    let mut letters = word.as_bytes().to_vec();
    letters.sort_unstable();
    letters
}

/// Whether a word says nothing about what is wanted.
pub fn is_empty(word: &str) -> bool {
    EMPTY.split_ascii_whitespace().any(|empty| empty == word)
}

/// A word and its stems: `tested` and `testing` are `test`.
pub fn stems(word: &str) -> impl Iterator<Item = &str> {
    let stem = |ending: &str| word.strip_suffix(ending).filter(|stem| stem.len() > 2);
    // "Running" and "stopping" double a letter.
    let doubled = ["ning", "ping", "ting"].map(stem);
    let stems = [Some(word), stem("s"), stem("es"), stem("d"), stem("ed"), stem("ing")];
    stems.into_iter().chain(doubled).flatten()
}

/// Coverage of a sentence: its words that are accounted for.
pub struct Coverage {
    /// The other words, as they were typed; words that follow each other are one text.
    pub unread: Vec<String>,
    /// The share of the words that say something that are not accounted for.
    pub share: f32,
    /// Whether one of the others may be a detail: a name, a number, an unknown word, or one that turns the sentence.
    pub has_detail: bool,
    /// Whether the others are ordinary words that are no detail of anything.
    pub is_harmless: bool,
}

/// Coverage of a sentence by its intent and the words in its slots. Of a question the words
/// of what is asked about, too, are accounted for.
pub fn coverage(
    intent: Intent,
    topics: &[Intent],
    sentence: &Sentence<'_>,
    used: &[bool],
) -> Coverage {
    let (mut content, mut left) = (0_u32, Vec::new());
    let second = second_wish(sentence, used);
    let reasons = reasons::reasons(sentence, intent, used);
    let is_reason = |at: usize| reasons.iter().any(|words| words.contains(&at));
    for tagged in &sentence.tagged {
        let is_token = tagged.text.starts_with('{');
        let words = sentence.words.iter().zip(used).enumerate();
        for (at, (word, is_used)) in words.take(tagged.to).skip(tagged.from) {
            let is_second = second.contains(&at) && !LINKING.contains(&word.as_str());
            let is_silent = is_empty(word) && !is_of_several_runs(word, intent) && !is_second;
            if is_silent && !is_token {
                continue;
            }
            content += 1;
            if is_second && !is_used {
                left.push(at);
                continue;
            }
            let is_said = *is_used
                || (!is_token
                    && !is_name_of_page(sentence.words, at, intent)
                    && !counts_from_end(sentence.words, at)
                    && !is_name(sentence, at)
                    && (is_plain(word, intent)
                        || topics.iter().any(|topic| is_of_topic(word, *topic))))
                || is_incidental(intent, &tagged.text)
                || is_of_state(sentence.words, at)
                || (!is_token && is_of_reason(sentence.words, at))
                || is_reason(at)
                || is_naming(sentence.words, used, at)
                || is_narrowing_used(intent, sentence.words, used, at);
            if !is_said {
                left.push(at);
            }
        }
    }
    // "No book", and not the "no" alone.
    let turning: Vec<usize> = left
        .iter()
        .copied()
        .filter(|at| NARROWING.contains(&sentence.words[*at].as_str()))
        .collect();
    for at in turning {
        let next =
            (at + 1..sentence.words.len()).find(|at| !ARTICLES.contains(&&*sentence.words[*at]));
        left.extend(next.filter(|next| !left.contains(next)));
    }
    left.sort_unstable();
    // Another wish does not make this one less likely.
    let in_second = left.iter().filter(|at| second.contains(at)).count() as u32;
    let share =
        (left.len() as u32 - in_second) as f32 / (content - in_second.min(content)).max(1) as f32;
    let is_detail = |at: &usize| {
        let word = sentence.words[*at].as_str();
        let typed = &sentence.text[sentence.split[*at].chunk.0..];
        let is_token = sentence
            .tagged
            .iter()
            .any(|token| token.from <= *at && *at < token.to && token.text.starts_with('{'));
        is_token
            || TURNING.contains(&word)
            || (*at > 0 && typed.starts_with(char::is_uppercase))
            || (!nearest::is_known(word) && !ordinary::is_listed(word))
            || is_of_action(word, intent)
    };
    let is_harmless =
        !left.iter().any(|at| second.contains(at)) && ordinary::are_harmless(sentence, &left, used);
    let has_detail = !is_harmless && left.iter().any(is_detail);
    Coverage { unread: texts(sentence, &left), share, has_detail, is_harmless }
}

/// Whether a word says an action, or something that nothing here does: "delete", "email".
pub fn is_verb(word: &str) -> bool {
    is_of_action(word, Intent::Unknown) || elsewhere::words().any(|known| *known == word)
}

/// Whether a word says another action: of "turn the board and undo" the undo.
fn is_of_action(word: &str, intent: Intent) -> bool {
    let others = Intent::ALL.into_iter().filter(|other| *other != intent && other.acts());
    others.into_iter().any(|other| nearest::share(word, other) >= nearest::EVIDENT)
}

/// Tokens that say nothing beside some intents: of "which piece should I move" the piece.
fn is_incidental(intent: Intent, token: &str) -> bool {
    match token {
        "{piece}" | "{side}" => {
            matches!(intent, Intent::Hint | Intent::Threat | Intent::Evaluate)
                || (intent.answers() && nearest::templates_with(token, intent) > 0)
        }
        _ => false,
    }
}

/// A text that fits in a line.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((at, _)) => format!("{}\u{2026}", &text[..at]),
        None => text.to_owned(),
    }
}

/// Characters of a part that is named.
const MAX_SHOWN: usize = 100;

/// Where the noun ends that a number counts: "2 threads" is named rather than "2".
fn end_of_counted(sentence: &Sentence<'_>, at: usize) -> Option<usize> {
    let is_noun = |word: &str| {
        let is_plain = word.bytes().all(|byte| byte.is_ascii_lowercase());
        is_plain && word != "against" && !links(word) && !is_empty(word)
    };
    let is_number = sentence.words[at].bytes().all(|byte| byte.is_ascii_digit());
    let noun = sentence.words.get(at + 1).filter(|noun| is_number && is_noun(noun));
    let (start, end) = noun.and(sentence.split.get(at + 1))?.chunk;
    let between = sentence.text.get(sentence.split[at].chunk.1..start)?;
    between.trim().is_empty().then_some(end)
}

/// The words as they were typed, those that follow each other together.
fn texts(sentence: &Sentence<'_>, left: &[usize]) -> Vec<String> {
    let mut texts: Vec<(usize, usize, usize)> = Vec::new();
    for at in left {
        let (from, mut to) = sentence.split[*at].chunk;
        to = end_of_counted(sentence, *at).unwrap_or(to);
        match texts.last_mut() {
            Some(last) if last.0 + 1 == *at || last.2 == to => {
                last.0 = *at;
                last.2 = to;
            }
            _ => texts.push((*at, from, to)),
        }
    }
    texts.into_iter().map(|(_, from, to)| shortened(&sentence.text[from..to])).collect()
}
