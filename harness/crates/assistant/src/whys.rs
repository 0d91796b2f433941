//! Clauses that begin with a conjunction and say why: "because the f-file is about to be opened", "so that my pupils see
//! it", "as a queen would give stalemate", "otherwise the study makes no sense". They are no part of the wish, whatever
//! piece, square or side is in them, and are left out before anything else is read. One that has a number, an engine or a
//! run is named; one that may be the wish itself ("so that white is below", "because I want black") stays.

use std::ops::Range;

use super::context::Context;
use super::intent::Intent;
use super::words::{self, Word};
use super::{Confirm, Understood, clauses, coverage, field, reasons, tags, understand_part};

/// Words of which a clause with "as", "since", "for" or "so" has one.
const FINITE: [&str; 42] = [
    "is", "are", "am", "was", "were", "has", "have", "had", "would", "will", "can", "could", "may",
    "might", "should", "must", "did", "does", "do", "want", "wants", "need", "needs", "like",
    "likes", "looks", "seems", "sounds", "means", "gets", "got", "wanted", "needed", "makes",
    "knows", "thinks", "said", "says", "keeps", "see", "know", "affects",
];

/// Words behind "as" and "so" that begin no clause.
const NO_CLAUSE: [&str; 12] = [
    "soon", "long", "far", "well", "many", "much", "fast", "often", "strong", "usual", "white",
    "black",
];

/// How a clause begins, and so what it may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lead {
    /// "Because", "although": whatever is in it, that is a reason.
    Reason,
    /// "So that", "otherwise": a side, a square or a restriction may be what is wished.
    Purpose,
}

/// A clause that says why.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Why {
    words: Range<usize>,
    /// Whether it has a detail, an engine or a number, so that it is named and asked about.
    is_named: bool,
}

/// The answer to a sentence without the clauses that say why.
pub fn read(text: &str, split: &[Word], context: &Context) -> Option<Understood> {
    let found = clauses(text, split, context);
    if found.is_empty() {
        return None;
    }
    let rest = without(text, split, &found);
    let mut other = understand_part(&rest, context, true);
    let is_refused = !other.shown.is_empty() && !other.shown.starts_with("not understood");
    if other.intent == Intent::Unknown && !is_refused {
        return None;
    }
    for Why { words, .. } in found.iter().filter(|clause| clause.is_named) {
        let said = &text[split[words.start].chunk.0..split[words.end - 1].chunk.1];
        other.unread.push(said.to_owned());
        if other.intent != Intent::Unknown && !other.intent.answers() {
            other.confirm = Confirm::Always;
        }
    }
    Some(other)
}

/// The text outside some clauses.
fn without(text: &str, split: &[Word], clauses: &[Why]) -> String {
    let mut kept = String::new();
    let mut from = 0;
    for Why { words, .. } in clauses {
        let before = text.get(from..split[words.start].chunk.0).unwrap_or_default();
        // "From !? to ?!, because": the sign stays.
        kept.push_str(before.trim_end_matches([' ', ',', ';', ':', '-', '\u{2013}', '\u{2014}']));
        kept.push(' ');
        from = split.get(words.end).map_or(text.len(), |word| word.chunk.0);
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    kept.trim().to_owned()
}

/// The clauses of a sentence; none where nothing else is said.
fn clauses(text: &str, split: &[Word], context: &Context) -> Vec<Why> {
    let mut found: Vec<Why> = Vec::new();
    let mut at = 0;
    while at < split.len() {
        let Some((lead, begin)) = lead(text, split, at) else {
            at += 1;
            continue;
        };
        let end = (begin + 1..split.len()).find(|end| has_sign(text, split, *end));
        let end = end.unwrap_or(split.len());
        if begin < end {
            let why = why(text, split, (at, begin, end), lead, context);
            found.extend(why.map(|is_named| Why { words: at..end, is_named }));
        }
        at = end.max(at + 1);
    }
    let said: usize = found.iter().map(|clause| clause.words.len()).sum();
    if said < split.len() { found } else { Vec::new() }
}

fn has_sign(text: &str, split: &[Word], at: usize) -> bool {
    let between = words::between(text, split, at);
    between.contains([',', ';', '.', '!', '?', ':', '(', ')', '\u{2013}', '\u{2014}'])
        || between.contains(" - ")
}

/// How the clause at a place begins, and the word behind that.
fn lead(text: &str, split: &[Word], at: usize) -> Option<(Lead, usize)> {
    let word = |by: usize| split.get(at + by).map_or("", |word| word.text.as_str());
    let is_apart = at == 0 || has_sign(text, split, at);
    let is_finite = || {
        let end = (at + 1..split.len()).find(|end| has_sign(text, split, *end));
        let said = &split[at + 1..end.unwrap_or(split.len())];
        said.iter().skip(1).any(|word| FINITE.contains(&word.text.as_str()))
            && !NO_CLAUSE.contains(&word(1))
    };
    let is_subject = clauses::is_subject(word(1)) && word(1) != "so";
    // "As soon as it is over".
    let is_compared = at > 0 && NO_CLAUSE.contains(&split[at - 1].text.as_str());
    match word(0) {
        "because" | "although" => Some((Lead::Reason, at + 1)),
        "even" if word(1) == "though" => Some((Lead::Reason, at + 2)),
        "though" if is_apart => Some((Lead::Reason, at + 1)),
        "since" if is_finite() => Some((Lead::Reason, at + 1)),
        "as" if is_finite() && !is_compared && (is_apart || is_subject) => {
            Some((Lead::Reason, at + 1))
        }
        "for" if is_apart && at > 0 && is_subject => {
            let is_person = matches!(word(1), "i" | "we" | "he" | "she" | "they" | "it");
            (is_person || is_finite()).then_some((Lead::Reason, at + 1))
        }
        "so" if word(1) == "that" && at > 0 => Some((Lead::Purpose, at + 2)),
        "so" if at > 0 && is_subject && is_finite() => Some((Lead::Purpose, at + 1)),
        "in" if word(1) == "order" && word(2) == "to" && at > 0 => Some((Lead::Purpose, at + 3)),
        "otherwise" if is_apart && at > 0 => Some((Lead::Purpose, at + 1)),
        "or" if word(1) == "else" && at > 0 => Some((Lead::Purpose, at + 2)),
        "whatever" if is_apart && at > 0 && is_finite() => Some((Lead::Purpose, at + 1)),
        "whatever" if is_apart && at > 0 && word(2) == "means" => Some((Lead::Purpose, at + 1)),
        _ => None,
    }
}

/// Whether a clause that says why is named, as it has a detail; `None` of one that may be the wish itself.
fn why(
    text: &str,
    split: &[Word],
    (from, begin, end): (usize, usize, usize),
    lead: Lead,
    context: &Context,
) -> Option<bool> {
    let said: Vec<String> = split[begin..end].iter().map(|word| word.text.clone()).collect();
    let word = |at: usize| said.get(at).map_or("", String::as_str);
    // "Because I was late and stop the run" wishes something else, too.
    let wishes = |at: usize| {
        matches!(word(at), "and" | "then" | "but" | "please") && clauses::is_command(word(at + 1))
    };
    if (0..said.len()).any(wishes) || reasons::names_opening(&said) {
        return None;
    }
    let tagged = tags::tag(text, &split[begin..end], &said, context);
    let has = |tokens: &[&str]| tagged.iter().any(|token| tokens.contains(&token.text.as_str()));
    // "Because I want the black pieces".
    let is_own = matches!(word(0), "i" | "we" | "you");
    let wants = matches!(word(1), "want" | "need" | "prefer" | "like" | "would" | "wish" | "am");
    // "The pupil is eight years old".
    let is_count = |token: &tags::Tagged| {
        token.text == "{n}"
            && (matches!(word(token.from), "one" | "first" | "second" | "third")
                || matches!(word(token.to), "years" | "year"))
    };
    // "The f-file is open", "it went pear-shaped" beside a board: no branch.
    let is_compound = |token: &tags::Tagged| {
        let said = &said[token.from..token.to];
        token.text == "{rev}"
            && ((matches!(said[0].as_bytes(), [b'a'..=b'h']) && is_of_file(said.get(1)))
                || (reasons::is_compound(said) && !is_of_bench(text, split, from..end, context)))
    };
    let is_harmless = |token: &tags::Tagged| {
        let text = token.text.as_str();
        !text.starts_with('{')
            || matches!(text, "{piece}" | "{side}" | "{move}" | "{sign}")
            || is_count(token)
            || is_compound(token)
    };
    // A square has a digit that counts nothing.
    let has_digit =
        |word: &String| word.bytes().any(|byte| byte.is_ascii_digit()) && !tags::is_move(word);
    let has_detail = !tagged.iter().all(is_harmless) || said.iter().any(has_digit);
    if lead == Lead::Reason {
        let is_wish = is_own && wants && (has_detail || has(&["{side}", "{move}"]));
        return (!is_wish).then_some(has_detail || (is_own && has(&["{side}"])));
    }
    // "So I can play it tonight".
    let is_able = is_own && matches!(word(1), "can" | "could" | "may");
    let narrows = |word: &String| {
        matches!(&**word, "only" | "without" | "except" | "every" | "no" | "each" | "instead")
            || (field::is_detail(word) && !(is_able && coverage::TIMES.contains(&word.as_str())))
    };
    let is_denied = split[from].text == "otherwise" || split[from].text == "or";
    let is_plain = !has_detail
        && !has(&["{side}", "{move}", "{n}"])
        && (is_denied || !said.iter().any(narrows));
    is_plain.then_some(false)
}

/// "The f-file", "the h-pawns": no branch has such a name.
fn is_of_file(word: Option<&String>) -> bool {
    word.is_some_and(|word| {
        let word = word.trim_end_matches('s');
        tags::is_piece(word) || matches!(word, "file" | "line" | "column")
    })
}

/// Whether the sentence outside a clause names engines, revisions, suites or runs.
fn is_of_bench(text: &str, split: &[Word], clause: Range<usize>, context: &Context) -> bool {
    let words: Vec<String> = split.iter().map(|word| word.text.clone()).collect();
    tags::tag(text, split, &words, context).iter().any(|token| {
        !clause.contains(&token.from)
            && matches!(&*token.text, "{engine}" | "{rev}" | "{suite}" | "{run}" | "{file}")
    })
}

#[cfg(test)]
mod tests {
    use super::super::words::split as words_of;
    use super::*;

    #[test]
    fn what_says_why_is_found_and_what_is_wished_is_not() {
        for (text, expected) in [
            (
                "play c5, because White's centre should be challenged",
                "because White's centre should be challenged",
            ),
            (
                "remove the knight so that my pupils see the bishops",
                "so that my pupils see the bishops",
            ),
            ("as my boss wants a graph, show the last match", "as my boss wants a graph"),
            (
                "promote to a bishop, as a queen would give stalemate",
                "as a queen would give stalemate",
            ),
            (
                "white to move, otherwise the study makes no sense",
                "otherwise the study makes no sense",
            ),
            ("why was it lost, although it was a rook up", "although it was a rook up"),
            ("stop it, since the laptop is too hot", "since the laptop is too hot"),
            ("add it, for he arrived late", "for he arrived late"),
            ("turn the board so that white is below", ""),
            ("new game as black", ""),
            ("new game as soon as it is over", ""),
            ("new game because I want black", ""),
            ("match weiss toga2 because I want 40 games", ""),
            ("sprt HEAD main, since weiss is too weak", "since weiss is too weak"),
            (
                "stop the last match because run 12 needs the cores",
                "because run 12 needs the cores",
            ),
            ("runs that failed since monday", ""),
            ("clear the board so that only the kings remain", ""),
            ("play on because it is late and stop the match", ""),
        ] {
            let split = words_of(text);
            let found = clauses(text, &split, &Context::default());
            let said = found.first().map_or("", |Why { words, .. }| {
                &text[split[words.start].chunk.0..split[words.end - 1].chunk.1]
            });
            assert_eq!(said, expected, "{text}");
        }
    }
}
