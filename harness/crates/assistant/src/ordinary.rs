//! Ordinary words that are no detail of anything: "be gentle", "the usual", "my trainer says". What is left of them in a
//! clear sentence is named, and not asked about.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::OnceLock;

use super::coverage::{self, TURNING};
use super::slots::Sentence;
use super::tags::Tagged;
use super::{clauses, field, nearest, words};

/// The words, by subjects.
const WORDS: &str = include_str!("data/ordinary.txt");

/// Adverbs that narrow, count or say when, where or how something is done; others of their ending say nothing.
const ADVERBS: &str = "only merely purely solely exclusively mainly mostly partly partially roughly approximately early \
    daily weekly hourly monthly yearly nightly slowly rapidly randomly simultaneously separately individually \
    differently strongly weakly doubly singly equally evenly jointly respectively alternately alternatively \
    sequentially previously recently lately formerly newly lastly firstly secondly directly automatically manually \
    silently quietly loudly locally remotely rarely hardly scarcely barely nearly completely entirely fully wholly \
    repeatedly constantly permanently temporarily immediately shortly reply apply supply multiply rely friendly \
    softly publicly privately secretly anonymously supply assembly anomaly internally externally horizontally \
    vertically initially originally normally usually";

/// Whether a word is one of the list.
pub fn is_listed(word: &str) -> bool {
    static LISTED: OnceLock<HashSet<&'static str>> = OnceLock::new();
    let listed = LISTED.get_or_init(|| {
        let lines = WORDS.lines().filter(|line| !line.starts_with('#'));
        lines.flat_map(str::split_ascii_whitespace).collect()
    });
    listed.contains(word)
}

/// Letters of the shortest adverb that its ending shows.
const ADVERB: usize = 6;

/// Whether a word is an ordinary one that no sentence needs as a detail.
pub fn is_ordinary(word: &str) -> bool {
    // "Tactically" is of tactics.
    let is_of_field = |ending| word.strip_suffix(ending).is_some_and(nearest::is_known);
    let is_adverb = word.len() >= ADVERB
        && word.ends_with("ly")
        && !is_of_field("ly")
        && !is_of_field("ally")
        && !ADVERBS.split_ascii_whitespace().any(|adverb| adverb == word);
    is_listed(word) || is_adverb
}

/// Whether all the words of a sentence that are left over, by their places, are ordinary ones, with nothing beside them
/// that narrows or denies and no wish of their own.
pub fn are_harmless(sentence: &Sentence<'_>, left: &[usize], used: &[bool]) -> bool {
    left.iter().all(|at| {
        if is_remark(sentence, used, &part(sentence, *at)) {
            return true;
        }
        let clause = clause(sentence, *at);
        (is_plain_word(sentence, *at) || is_leading_verb(sentence, *at))
            && !narrows(sentence, used, &clause)
            && !is_beside_detail(sentence, used, *at)
            && !is_other_wish(sentence, left, &clause)
    })
}

/// Whether an ordinary word stands at a place, and no name.
fn is_plain_word(sentence: &Sentence<'_>, at: usize) -> bool {
    let typed = &sentence.text[sentence.split[at].chunk.0..sentence.split[at].chunk.1];
    let is_token =
        |token: &Tagged| token.text.starts_with('{') && token.from <= at && at < token.to;
    (is_ordinary(&sentence.words[at]) || is_foreign(sentence, at))
        && !sentence.tagged.iter().any(is_token)
        && typed.split('-').all(is_spelt)
        && (at == 0 || !typed.starts_with(char::is_uppercase) || begins_sentence(sentence, at))
}

/// Verbs at the beginning that change what is wished, whatever stands behind them.
const DECIDING: &str = "allow archive avoid ban block bound cap clone decline defer delay deny disable double duplicate \
    email exclude forbid forget halve ignore leave limit lock mail merge omit postpone prevent protect \
    push refuse reject repeat replay restrict revoke send share shuffle skip sort spare split swap \
    translate triple upload";

/// "Lob HEAD against main", "whizz back to move 20": the verb that a sentence begins with, which is none of those that do
/// something else.
fn is_leading_verb(sentence: &Sentence<'_>, at: usize) -> bool {
    let word = sentence.words[at].as_str();
    let typed = &sentence.text[sentence.split[at].chunk.0..sentence.split[at].chunk.1];
    let is_token = |token: &Tagged| {
        token.text.starts_with('{') && (token.from..token.to).contains(&at)
            || (token.from == at + 1 && token.text == "{n}")
    };
    (0..at).all(|before| coverage::is_empty(&sentence.words[before]))
        && at + 1 < sentence.words.len()
        && signs_before(sentence, at + 1).trim().is_empty()
        && typed.chars().skip(1).all(|letter| letter.is_ascii_lowercase())
        && word.len() > 2
        && !DECIDING.split(' ').any(|verb| verb == word)
        && !TURNING.contains(&word)
        && !coverage::is_verb(word)
        && !field::is_noun(word)
        && !field::is_detail(word)
        && !sentence.tagged.iter().any(is_token)
}

/// Whether letters alone are typed: no number, path or option.
fn is_spelt(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'\'')
}

/// Words behind which a name or another detail stands.
const LEADS_TO_DETAIL: [&str; 26] = [
    "against", "versus", "vs", "v", "with", "without", "using", "from", "of", "on", "in", "into",
    "between", "and", "or", "by", "than", "to", "at", "named", "called", "as", "under", "over",
    "via", "not",
];

/// Letters of the shortest word that nothing here knows: a shorter one may be a name or an abbreviation.
const FOREIGN: usize = 4;

/// Whether a word is of another subject, "our secretary", and stands where neither a name nor a detail does.
fn is_foreign(sentence: &Sentence<'_>, at: usize) -> bool {
    let word = sentence.words[at].as_str();
    if word.len() < FOREIGN
        || nearest::is_known(word)
        || field::is_noun(word)
        || field::is_detail(word)
    {
        return false;
    }
    let is_small = |at: &usize| {
        matches!(
            &*sentence.words[*at],
            "a" | "an" | "the" | "my" | "our" | "your" | "his" | "her" | "their" | "some"
        )
    };
    let Some(before) = (0..at).rev().find(|at| !is_small(at)) else { return true };
    // "HEAD main zork".
    let is_player =
        |token: &Tagged| token.from <= before && before < token.to && token.text.starts_with('{');
    let is_apart = !signs_before(sentence, before + 1).trim().is_empty();
    is_apart
        || (!LEADS_TO_DETAIL.contains(&&*sentence.words[before])
            && !sentence.tagged.iter().any(is_player))
}

fn begins_sentence(sentence: &Sentence<'_>, at: usize) -> bool {
    signs_before(sentence, at).contains(['.', '!', '?', ':'])
}

/// The signs between a word and the one before.
fn signs_before<'a>(sentence: &Sentence<'a>, at: usize) -> &'a str {
    words::between(sentence.text, sentence.split, at)
}

/// Verbs and links with which a part says what is wanted.
const WISHES: [&str; 16] = [
    "should", "must", "shall", "may", "want", "would", "like", "need", "let", "please", "can",
    "could", "will", "with", "and", "then",
];

/// Whether a part of a sentence speaks of a person or a thing, "my boss loves graphs", with nothing that a wish has.
fn is_remark(sentence: &Sentence<'_>, used: &[bool], part: &Range<usize>) -> bool {
    // "Honestly I expect nothing".
    let adverbs = part.clone().take_while(|at| is_ordinary(&sentence.words[*at])).count();
    let words = &sentence.words[part.start + adverbs..part.end];
    let is_detail = |word: &String| {
        field::is_noun(word) || field::is_detail(word) || WISHES.contains(&word.as_str())
    };
    let is_token = |token: &Tagged| part.contains(&token.from) && token.text.starts_with('{');
    words.len() > 2
        && part.len() < sentence.words.len()
        && clauses::is_subject(&words[0])
        && !part.clone().any(|at| used[at])
        && !sentence.tagged.iter().any(is_token)
        && !words.iter().any(is_detail)
        && !words.iter().any(|word| !coverage::is_empty(word) && coverage::is_verb(word))
        && !narrows(sentence, used, part)
}

/// The words between signs around a word.
fn part(sentence: &Sentence<'_>, at: usize) -> Range<usize> {
    let begins = |at: &usize| !signs_before(sentence, *at).trim().is_empty();
    let from = (1..=at).rev().find(begins).unwrap_or(0);
    let to = (at + 1..sentence.words.len()).find(begins);
    from..to.unwrap_or(sentence.words.len())
}

/// The words between signs and links around a word.
fn clause(sentence: &Sentence<'_>, at: usize) -> Range<usize> {
    let begins = |at: usize| {
        matches!(&*sentence.words[at], "and" | "but" | "then" | "because" | "so")
            || !signs_before(sentence, at).trim().is_empty()
    };
    let from = (1..=at).rev().find(|at| begins(*at)).unwrap_or(0);
    let to = (at + 1..sentence.words.len()).find(|at| begins(*at));
    from..to.unwrap_or(sentence.words.len())
}

/// Whether something in a clause denies, narrows or sets a time, and is in no slot.
fn narrows(sentence: &Sentence<'_>, used: &[bool], clause: &Range<usize>) -> bool {
    clause.clone().filter(|at| !used[*at]).any(|at| {
        let word = sentence.words[at].as_str();
        TURNING.contains(&word)
            || coverage::TIMES.contains(&word)
            || matches!(word, "but" | "when" | "after" | "before" | "while" | "till" | "than")
    })
}

/// Whether a number, or the noun of a detail that is in no slot, follows a word: "roughly 500", "the dull book".
fn is_beside_detail(sentence: &Sentence<'_>, used: &[bool], at: usize) -> bool {
    let next = at + 1;
    let Some(word) = sentence.words.get(next) else { return false };
    let is_number =
        |token: &Tagged| token.from == next && matches!(token.text.as_str(), "{n}" | "{limit}");
    signs_before(sentence, next).trim().is_empty()
        && (sentence.tagged.iter().any(is_number)
            || (field::is_noun(word) && !used[next] && !is_subject(word)))
}

/// Nouns of what a sentence is about, which have no value of their own: "the miserable games that weiss lost".
fn is_subject(word: &str) -> bool {
    matches!(
        word,
        "game" | "games" | "run" | "runs" | "test" | "tests" | "match" | "position" | "positions"
    )
}

/// Whether a clause may be a wish of its own: it begins with "and" or "then", and nothing in it was understood.
fn is_other_wish(sentence: &Sentence<'_>, left: &[usize], clause: &Range<usize>) -> bool {
    let links = |at: usize| matches!(&*sentence.words[at], "and" | "then" | "also" | "plus");
    let mut said = clause.clone().filter(|at| !coverage::is_empty(&sentence.words[*at]));
    links(clause.start) && said.all(|at| left.contains(&at) || links(at))
}
