//! Reasons and purposes beside a wish: "take the bishop away, I want to show the diagonal", "copy the game for my coach".
//! The wish is read without them where that leaves its details as they are and less of it is named.

mod remark;

use std::ops::Range;

use super::context::Context;
use super::intent::Intent;
use super::manner::{self, Manner};
use super::tags;
use super::words::{self, Word};
use super::{
    COMPLETE, Confirm, LIKELY, Understood, clauses, field, names, nearest, ordinary, past,
    understand_part,
};

/// Words more like the name of an opening than this name it.
const NAMED: f32 = 0.95;

/// Words before a pronoun that is no subject of a reason there.
const BEFORE_PRONOUN: [&str; 53] = [
    "unless", "until", "once", "while", "before", "after", "till", "whenever", "provided", "can",
    "could", "may", "might", "shall", "should", "would", "will", "do", "did", "does", "am", "is",
    "are", "was", "have", "has", "what", "where", "when", "how", "why", "which", "who", "if",
    "that", "than", "let", "and", "or", "to", "with", "for", "on", "at", "of", "from", "moves",
    "ones", "mistakes", "those", "take", "give", "mark",
];

/// Words before "to" that belong to its verb: "I want to".
const BEFORE_INFINITIVE: [&str; 24] = [
    "want", "wants", "like", "love", "need", "needs", "wish", "have", "has", "had", "going", "try",
    "able", "ready", "how", "where", "what", "side", "go", "back", "due", "used", "easy", "prefer",
];

/// Verbs of a purpose at the end of a wish: "to look at", "to show my wife".
const PURPOSES: [&str; 16] = [
    "see",
    "watch",
    "study",
    "learn",
    "practise",
    "try",
    "enjoy",
    "show",
    "relax",
    "train",
    "read",
    "look",
    "impress",
    "teach",
    "celebrate",
    "warm",
];

/// Remarks beside a run that are looked at.
const MOST_REMARKS: usize = 4;

/// Verbs by which a part says what is to be, and no reason.
const DEMANDING: [&str; 10] =
    ["should", "must", "shall", "may", "will", "take", "takes", "play", "begin", "resign"];

/// The answer to a sentence without its reason, if that is the same wish with less that is named, or a clear one.
pub fn without(
    text: &str,
    split: &[Word],
    context: &Context,
    found: &Understood,
) -> Option<Understood> {
    let is_bench = found.intent.is_run() || found.intent.changes_runs();
    let is_one = found.intent != Intent::Move && found.others.is_empty();
    let is_open = found.confirm == Confirm::Always && !is_always_asked(found.intent);
    if !is_one || !(is_open || !found.unread.is_empty() || found.intent == Intent::Unknown) {
        return None;
    }
    let is_remark = |reason: &Range<usize>| {
        !is_bench
            || (is_apart(text, split, reason)
                && remark::is_one(&split[reason.clone()], found.intent))
    };
    let most = if is_bench { MOST_REMARKS } else { usize::MAX };
    candidates(text, split).into_iter().filter(is_remark).take(most).find_map(|reason| {
        let words = &split[reason.clone()];
        if split.len() == words.len() || !is_reason(text, words, context) {
            return None;
        }
        // What has a reason to be refused is refused.
        if !found.shown.is_empty() && found.unread.is_empty() && !is_apart(text, split, &reason) {
            return None;
        }
        let rest = without_range(text, split, &reason);
        let other = understand_part(&rest, context, false);
        let is_same = other.intent == found.intent && other.slots == found.slots;
        let is_clear = other.confidence >= LIKELY && other.unread.is_empty();
        // "That's where it went pear-shaped" is no engine.
        let has_compound = words.windows(2).any(|pair| pair[0].chunk == pair[1].chunk);
        let is_same =
            is_same || (is_bench && has_compound && is_clear && other.intent == found.intent);
        let is_better = other.unread.len() < found.unread.len()
            || (other.confirm != found.confirm && other.unread.len() <= found.unread.len());
        let is_found =
            found.intent == Intent::Unknown && is_clear && other.intent != Intent::Unknown;
        // "Talk to me, I can not see a thing": without its reason it is like another wish, and nothing of it is left over.
        let is_other = !matches!(other.intent, Intent::Unknown | Intent::Move)
            && is_clear
            && is_open
            && !is_bench
            && !found.unread.is_empty()
            && other.confidence >= found.confidence;
        // It may have another one.
        ((is_same && is_better) || is_found || is_other)
            .then(|| understand_part(&rest, context, true))
    })
}

/// Whether a sign or a conjunction stands before some words.
fn is_apart(text: &str, split: &[Word], words: &Range<usize>) -> bool {
    let first = split[words.start].text.as_str();
    let before = words.start.checked_sub(1).map(|at| split[at].chunk.1);
    let between = before.and_then(|at| text.get(at..split[words.start].chunk.0));
    clauses::CONJUNCTIONS.contains(&first)
        || first == "for"
        || first == "so"
        || between.is_some_and(|between| between.trim() != "")
}

/// Whether an intent is asked about however clear it is.
fn is_always_asked(intent: Intent) -> bool {
    matches!(intent, Intent::Resign | Intent::OfferDraw | Intent::MarkMove | Intent::CommentMove)
}

/// The text without some words, which stand at its beginning or reach to its end.
fn without_range(text: &str, split: &[Word], reason: &Range<usize>) -> String {
    let signs = [' ', ',', ';', '.', ':', '-', '!', '\u{2013}', '\u{2014}'];
    if reason.start == 0 {
        return text[split[reason.end].chunk.0..].to_owned();
    }
    let before = text[..split[reason.start].chunk.0].trim_end_matches(signs);
    let behind = split.get(reason.end).map_or("", |word| &text[word.chunk.0..]);
    format!("{before} {behind}").trim().to_owned()
}

/// Parts of a sentence that may be reasons.
fn candidates(text: &str, split: &[Word]) -> Vec<Range<usize>> {
    let word = |at: usize| split.get(at).map_or("", |word| word.text.as_str());
    let has_sign = |at: usize| {
        words::has_sign(text, split, at) || words::between(text, split, at).contains(" - ")
    };
    // "My brother is talking", but "turn my pieces".
    let is_state =
        |word: &str| matches!(word, "is" | "are" | "was" | "were" | "has" | "have" | "had");
    // "Turn that", "put it there".
    let is_pronoun = |word: &str| {
        clauses::PRONOUNS.contains(&word) && !matches!(word, "this" | "that" | "there")
    };
    let mut found = Vec::new();
    for at in 1..split.len() {
        let is_apart = has_sign(at)
            && (clauses::is_subject(word(at)) || clauses::CONJUNCTIONS.contains(&word(at)));
        let is_conjunction = clauses::CONJUNCTIONS.contains(&word(at))
            || (word(at) == "so" && matches!(word(at + 1), "that" | "i" | "we" | "my"))
            || (word(at) == "as" && matches!(word(at + 1), "i" | "my" | "it" | "we"));
        let is_purpose = word(at) == "for" && matches!(word(at + 1), "my" | "our");
        let is_within = (is_pronoun(word(at)) || word(at) == "my")
            && at > 1
            && at + 1 < split.len()
            && !BEFORE_PRONOUN.contains(&word(at - 1))
            && (word(at) != "my" || (at + 1..at + 4).any(|at| is_state(word(at))))
            // "Call it a draw", "its lines".
            && (word(at) != "it" || is_state(word(at + 1)))
            && !text[split[at].chunk.0..split[at].chunk.1].eq_ignore_ascii_case("its");
        // "The gambit our secretary always plays", "endings to chew on".
        let is_relative = at > 1
            && at + 2 < split.len()
            && matches!(word(at), "our" | "my" | "his" | "her")
            && (ordinary::is_listed(word(at + 1)) || !nearest::is_known(word(at + 1)))
            && !BEFORE_PRONOUN.contains(&word(at - 1));
        let is_for = word(at) == "to"
            && at > 1
            && split.len() - at < 5
            && at + 1 < split.len()
            && !BEFORE_INFINITIVE.contains(&word(at - 1))
            && (PURPOSES.contains(&word(at + 1))
                || (split.len() - at == 3
                    && matches!(word(at + 2), "on" | "with" | "from" | "over" | "about")));
        if is_apart || is_conjunction || is_purpose || is_within || is_relative || is_for {
            // A reason reaches to the next sign, or to the end.
            let end = (at + 1..split.len()).find(|end| has_sign(*end));
            found.extend(end.map(|end| at..end));
            found.push(at..split.len());
        }
    }
    // "My pupil sits there, please turn the board".
    let is_first = clauses::is_subject(word(0)) && !matches!(word(0), "the" | "so" | "for");
    let end = (2..split.len()).find(|at| has_sign(*at));
    found.extend(end.filter(|_| is_first).map(|end| 0..end));
    found
}

/// Whether words were joined by a hyphen alone: "pear-shaped".
pub fn is_compound(words: &[String]) -> bool {
    let is_spelt =
        |part: &str| part.len() > 2 && part.bytes().all(|byte| byte.is_ascii_lowercase());
    match words {
        [one] => one.contains('-') && one.split('-').all(is_spelt),
        words => words.iter().all(|word| is_spelt(word)),
    }
}

/// Whether words name an opening; pieces and the centre are in names, too.
pub fn names_opening(words: &[String]) -> bool {
    let is_of_board = |word: &String| {
        tags::is_piece(word)
            || tags::is_piece(word.trim_end_matches('s'))
            || matches!(&**word, "centre" | "game" | "games" | "attack")
    };
    names::mentions(words).iter().any(|mention| {
        mention.found.similarity > NAMED && !words[mention.from..mention.to].iter().all(is_of_board)
    })
}

/// Whether words say no detail and no wish of their own.
fn is_reason(text: &str, split: &[Word], context: &Context) -> bool {
    let words: Vec<String> = split.iter().map(|word| word.text.clone()).collect();
    // "I give up and delete it" wishes something else, too.
    let wishes = |at: usize| {
        words[at] == "and" && words.get(at + 1).is_some_and(|verb| clauses::is_command(verb))
    };
    if (0..words.len()).any(wishes) {
        return false;
    }
    // "I hold", "I am the defender": who has which side of an ending.
    let is_role = |at: usize| match words[at].as_str() {
        // "I can't hold this" gives up.
        "hold" => at == 1 && words[0] == "i",
        role => matches!(role, "defend" | "defending" | "defender" | "attacker" | "attacking"),
    };
    if (0..words.len()).any(is_role) {
        return false;
    }
    // "For my study in the Caro-Kann" names an opening.
    if names_opening(&words) {
        return false;
    }
    // "The second to last one" says which.
    // "We have both got trains to catch".
    let is_detail = |at: usize| {
        let is_both =
            words[at] == "both" && at > 0 && matches!(&*words[at - 1], "have" | "are" | "we");
        field::is_detail(&words[at]) && !is_both
    };
    if (0..words.len()).any(is_detail) || past::before_last(&words).is_some() {
        return false;
    }
    // "My pupil is eight years old".
    let is_age =
        |at: usize| words[at..].iter().take(3).any(|word| matches!(&**word, "years" | "year"));
    let is_token = |token: &tags::Tagged| {
        token.text.starts_with('{')
            && token.text != "{piece}"
            // "Where it went pear-shaped" is no branch.
            && !(token.text == "{rev}" && is_compound(&words[token.from..token.to]))
            && !(token.text == "{n}" && is_age(token.from))
    };
    let tagged = tags::tag(text, split, &words, context);
    let has_age = (0..words.len()).any(is_age);
    // "I promise I will not do it again".
    let demands_at = |at: usize| {
        DEMANDING.contains(&words[at].as_str())
            && words.get(at + 1).is_none_or(|next| next != "not")
    };
    // "I want zork".
    let wants = |at: usize| {
        matches!(&*words[at], "want" | "need" | "prefer")
            && at < 3
            && words.get(at + 1).is_some_and(|next| {
                matches!(&**next, "a" | "an" | "the" | "some" | "no" | "my" | "your")
                    || (at + 2 == words.len() && !matches!(&**next, "it" | "that" | "this"))
            })
    };
    // "So that it has no comments".
    let restricts = words[0] == "so"
        && words.iter().any(|word| matches!(&**word, "no" | "only" | "without" | "all" | "every"));
    let demands = restricts
        || (0..words.len().min(4)).any(demands_at)
        || (0..words.len()).any(wants)
        || words.iter().enumerate().any(|(at, word)| match word.as_str() {
            // "I can not see a thing without my glasses".
            "without" => !words[..at].iter().any(|word| word == "not") && !has_age,
            "except" | "instead" | "but" | "every" | "aside" | "apart" | "excluded"
            | "included" => !has_age,
            // "I am only warming up", "they only make me sad".
            "only" => {
                at == 0
                    || !matches!(&*words[at - 1], "am" | "i" | "we" | "you" | "they" | "he" | "she")
            }
            _ => false,
        });
    let has_number = |at: usize| words[at].bytes().any(|byte| byte.is_ascii_digit()) && !is_age(at);
    if tagged.iter().any(is_token) || demands || (0..words.len()).any(has_number) {
        return false;
    }
    let lead = words
        .iter()
        .take_while(|word| {
            matches!(&***word, "because" | "since" | "as" | "so" | "that" | "cause" | "cos" | "for")
        })
        .count();
    let Some((first, last)) = split.get(lead).zip(split.last()) else { return false };
    let said = &text[first.chunk.0..last.chunk.1];
    let is_wish = matches!(manner::of(text, &split[lead..]), Manner::Wish);
    let alone = understand_part(said, context, false);
    // "My son wants to try".
    let likely = if clauses::DETERMINERS.contains(&&*words[lead]) { COMPLETE } else { LIKELY };
    let acts = alone.intent.acts() || alone.intent.only_shows() || is_always_asked(alone.intent);
    let sets_up = matches!(alone.intent, Intent::EditPosition | Intent::PlayOpening);
    // "Your bishop is gone" is like a wish, and none.
    !(is_wish && (acts || sets_up) && alone.confidence >= likely && alone.unread.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::understand;
    use super::*;

    #[test]
    fn a_reason_is_not_named_and_a_detail_is() {
        for (text, intent) in [
            (
                "take away the white bishop of c4, I want to show the children the diagonal",
                Intent::EditPosition,
            ),
            ("please turn the board, my pupil sits on the other side", Intent::Flip),
            ("switch off the engine lines they confuse my screen reader", Intent::EngineOff),
            ("copy the game as PGN, I send it to my club", Intent::Export),
            ("can we play without a clock because it makes me nervous", Intent::NewGame),
            ("stop reading the moves aloud, my baby is asleep", Intent::SpeechOff),
            ("mate in five for my best pupil", Intent::Practice),
            ("play a bit weaker, I'm only eight years old", Intent::SetLevel),
            ("take back my last move i misheard the computer", Intent::TakeBack),
            ("give my move 12 two question marks, it lost a piece", Intent::MarkMove),
            ("the piece on f3 should go, I set it up by mistake", Intent::EditPosition),
            ("analyse with 4 lines, my trainer asked for it", Intent::EngineOn),
            ("show me the caro kann, my pupils like it", Intent::PlayOpening),
        ] {
            let found = understand(text, &Context::default());
            assert_eq!(found.intent, intent, "{text}: {found:?}");
            assert!(found.unread.is_empty(), "{text}: {found:?}");
        }
        for (text, named) in [
            ("new game as white, it should have a purple board", "purple"),
            ("copy the pgn, it must be without comments", "comments"),
            ("analyse with 4 lines, I want depth 20 for 3 minutes and arrows", "20|minutes|arrows"),
        ] {
            let found = understand(text, &Context::default());
            let is_named = |part: &String| named.split('|').any(|named| part.contains(named));
            assert!(
                found.intent == Intent::Unknown
                    || found.unread.iter().any(is_named)
                    || found.shown.contains("20"),
                "{text}: {found:?}"
            );
        }
    }

    /// Not each combination of them is read, which would not end, and the words that sound alike are looked for once.
    #[test]
    fn a_sentence_of_a_hundred_words_and_many_reasons_ends() {
        for (wish, reason) in [
            ("turn the board", ", because I was told"),
            ("show the sicilian", ", he is here"),
            ("frobnicate", " since we are here,"),
            ("put the zork on e9", ", my brother is talking"),
            ("not the bishop but the rook", ", I was wrong, not that"),
            ("read the moves allowed sweet", ", my brother is talking"),
            ("turn the bored", ", my brother is talking"),
        ] {
            let text = format!("{wish}{}", reason.repeat(96 / reason.split(' ').count()));
            let found = understand(&text, &Context::default());
            assert!(!found.intent.is_run(), "{text}: {found:?}");
        }
    }
}
