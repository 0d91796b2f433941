//! Clauses that begin with a conjunction and say why: "because the f-file is about to be opened", "so that my pupils see
//! it", "as a queen would give stalemate", "otherwise the study makes no sense". They are no part of the wish, whatever
//! piece, square or side is in them, and are left out before anything else is read. One that has a number, an engine or a
//! run, that narrows or denies, is named; one that may be the wish itself ("so that white is below", "because I want black")
//! stays.

use std::ops::Range;

use super::context::Context;
use super::intent::Intent;
use super::words::{self, Word};
use super::{Confirm, Understood, clauses, coverage, field, kinds, reasons, tags, understand_part};

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

/// What becomes of a clause that says why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It says nothing else.
    Silent,
    /// It has a detail, an engine or a number, so that it is named and asked about.
    Named,
    /// It may be the wish itself, "because I want rook endings"; where nothing is made of it, it is named.
    Wish,
}

/// A clause that says why.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Why {
    words: Range<usize>,
    fate: Fate,
}

/// The answer to a sentence without the clauses that say why.
pub fn read(text: &str, split: &[Word], context: &Context) -> Option<Understood> {
    let found = clauses(text, split, context);
    if found.is_empty() {
        return None;
    }
    let rest = without(text, split, &found);
    let mut other = understand_part(&rest, context, true);
    if other.intent == Intent::Unknown && !other.has_reason() {
        return None;
    }
    if found.iter().any(|clause| clause.fate == Fate::Wish) {
        let whole = understand_part(text, context, false);
        if whole.intent == other.intent && whole.slots != other.slots {
            return Some(whole);
        }
    }
    for Why { words, .. } in found.iter().filter(|clause| clause.fate != Fate::Silent) {
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
            found.extend(why.map(|fate| Why { words: at..end, fate }));
        }
        at = end.max(at + 1);
    }
    let said: usize = found.iter().map(|clause| clause.words.len()).sum();
    if said < split.len() { found } else { Vec::new() }
}

fn has_sign(text: &str, split: &[Word], at: usize) -> bool {
    let between = words::between(text, split, at);
    words::has_sign(text, split, at) || between.contains(['(', ')']) || between.contains(" - ")
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

/// What becomes of a clause that says why; `None` of one that stays a part of the sentence.
fn why(
    text: &str,
    split: &[Word],
    (from, begin, end): (usize, usize, usize),
    lead: Lead,
    context: &Context,
) -> Option<Fate> {
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
    let is_own = matches!(word(0), "i" | "we" | "you");
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
        let clause = &split[begin..end];
        let is_side = |token: &tags::Tagged| {
            token.text == "{side}" && !is_possessive(text, clause, token.from)
        };
        let has_side = tagged.iter().any(is_side);
        let has_noun = said.iter().any(|word| field::is_noun(word) || field::is_detail(word));
        let is_wanted = is_wanted(&said, &tagged, is_own);
        // "Because I want the black pieces", "because I need the fen".
        if is_wanted
            && (has_detail || has_side || has(&["{move}"]) || has_noun || is_narrowed(&said))
            && !said.iter().any(|word| matches!(&**word, "not" | "never"))
        {
            return Some(Fate::Wish);
        }
        let is_detailed = has_noun || has_side || is_wanted;
        let is_named = has_detail
            || (has_side && (is_own || wishes_at(&said).is_some()))
            || is_narrowed(&said)
            || denies(&said, is_detailed)
            || said.iter().any(is_of_field)
            || has_theme(split, from..end)
            || (has_hyphen(text, clause) && is_of_bench(text, split, from..end, context));
        return Some(if is_named { Fate::Named } else { Fate::Silent });
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
    is_plain.then_some(Fate::Silent)
}

/// Whether a word is a detail of a game or a run, "the book", "the hash", and no ordinary one, too.
fn is_of_field(word: &String) -> bool {
    let is_ordinary = coverage::TIMES.contains(&word.as_str())
        || kinds::is_of_run(word)
        || matches!(&**word, "both" | "half" | "rated" | "runs");
    field::is_valued(word) || (field::is_detail(word) && !is_ordinary)
}

/// Verbs of a wish.
const WISHES: [&str; 12] = [
    "want", "wants", "need", "needs", "prefer", "prefers", "like", "would", "wish", "wishes",
    "should", "demands",
];

/// Where a verb of a wish stands.
fn wishes_at(said: &[String]) -> Option<usize> {
    said.iter().position(|word| WISHES.contains(&word.as_str()))
}

/// Whether a clause says what is wanted, and not what a run needs.
fn is_wanted(said: &[String], tagged: &[tags::Tagged], is_own: bool) -> bool {
    // "Because I am white".
    let is_own_state = is_own && said.get(1).is_some_and(|word| word == "am");
    let is_wish = wishes_at(said).is_some_and(|at| {
        let is_other = |token: &tags::Tagged| token.text.starts_with('{') && token.text != "{side}";
        !tagged.iter().any(|token| token.from < at && is_other(token))
    });
    is_own_state || is_wish
}

/// Whether a word of a clause narrows something; "I am only eight years old" does not.
fn is_narrowed(said: &[String]) -> bool {
    said.iter().enumerate().any(|(at, word)| match word.as_str() {
        "without" | "except" | "instead" | "every" | "each" | "half" | "unless" | "until"
        | "neither" | "nor" | "none" | "nothing" => true,
        "only" => at == 0 || !matches!(said[at - 1].as_str(), "am" | "is" | "was" | "are"),
        // "I have no clue".
        "no" => !said.get(at + 1).is_some_and(|next| {
            matches!(next.as_str(), "clue" | "idea" | "time" | "patience" | "hope" | "chance")
        }),
        _ => false,
    })
}

/// Whether a clause denies a wish: "although I do not want to", "though not now". "He does not believe me" denies
/// none, unless it has a detail.
fn denies(said: &[String], is_detailed: bool) -> bool {
    const AUXILIARIES: [&str; 14] = [
        "do", "does", "did", "is", "are", "was", "were", "am", "can", "could", "has", "have",
        "had", "will",
    ];
    said.iter().enumerate().any(|(at, word)| {
        let is_plain = at > 0
            && AUXILIARIES.contains(&said[at - 1].as_str())
            && at + 1 < said.len()
            && !is_detailed;
        match word.as_str() {
            "not" => !is_plain,
            "never" => is_detailed || at == 0,
            _ => false,
        }
    })
}

/// "White's centre" is no side, "White's pieces" are one.
fn is_possessive(text: &str, split: &[Word], at: usize) -> bool {
    let typed = &text[split[at].chunk.0..split[at].chunk.1];
    let next = split.get(at + 1).map_or("", |word| word.text.as_str());
    typed.contains(['\'', '\u{2019}'])
        && !matches!(next, "side" | "pieces" | "view" | "perspective" | "turn" | "move")
}

/// "Practise because my rook endings are weak": whether a clause alone speaks of endings.
fn has_theme(split: &[Word], clause: Range<usize>) -> bool {
    let is_said = |at: &usize| matches!(&*split[*at].text, "ending" | "endings");
    let (within, outside): (Vec<usize>, Vec<usize>) =
        (0..split.len()).filter(is_said).partition(|at| clause.contains(at));
    !within.is_empty() && outside.is_empty()
}

/// Whether a word of a clause has a hyphen: "slow-branch".
fn has_hyphen(text: &str, split: &[Word]) -> bool {
    split.iter().any(|word| {
        let typed = &text[word.chunk.0..word.chunk.1];
        typed.contains(['-', '_', '/'])
    })
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
            let said = found.first().filter(|why| why.fate != Fate::Wish);
            let said = said.map_or("", |Why { words, .. }| {
                &text[split[words.start].chunk.0..split[words.end - 1].chunk.1]
            });
            assert_eq!(said, expected, "{text}");
        }
    }
}
