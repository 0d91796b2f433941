//! People for whom or with whom a wish is: "let my pupil play white" is "let me play white", "show my class the Catalan"
//! is "show me the Catalan", "my pupil's clock" is "my clock"; "would you take a draw, mate?" has an address.

use super::context::Context;
use super::tags;
use super::words::{self, Word};

/// Whose person that is.
const OWNERS: [&str; 8] = ["my", "our", "the", "his", "her", "this", "these", "those"];

/// Words between the owner and the person.
const ADJECTIVES: [&str; 12] = [
    "little", "young", "younger", "old", "older", "best", "youngest", "oldest", "new", "whole",
    "poor", "dear",
];

/// People that take part; the opponent is none of them.
const PEOPLE: [&str; 59] = [
    "club",
    "team",
    "family",
    "pupil",
    "pupils",
    "student",
    "students",
    "class",
    "group",
    "boy",
    "boys",
    "girl",
    "girls",
    "kid",
    "kids",
    "child",
    "children",
    "son",
    "sons",
    "daughter",
    "daughters",
    "wife",
    "husband",
    "partner",
    "girlfriend",
    "boyfriend",
    "brother",
    "sister",
    "brothers",
    "sisters",
    "father",
    "mother",
    "dad",
    "mum",
    "mom",
    "grandson",
    "granddaughter",
    "grandpa",
    "grandma",
    "grandfather",
    "grandmother",
    "nephew",
    "niece",
    "cousin",
    "uncle",
    "aunt",
    "friend",
    "friends",
    "mate",
    "mates",
    "lads",
    "colleague",
    "colleagues",
    "neighbour",
    "neighbor",
    "guest",
    "guests",
    "beginners",
    "audience",
];

/// Words of address between two signs, or at an end.
const ADDRESSES: [&str; 28] = [
    "mate",
    "buddy",
    "pal",
    "dude",
    "bro",
    "man",
    "sir",
    "madam",
    "boss",
    "guys",
    "folks",
    "lads",
    "chap",
    "chaps",
    "darling",
    "honey",
    "love",
    "dear",
    "sweetheart",
    "friend",
    "friends",
    "old",
    "my",
    "computer",
    "champ",
    "chief",
    "sunshine",
    "fella",
];

/// Verbs with a person for whom something is done.
const GIVING: [&str; 10] =
    ["tell", "let", "show", "give", "teach", "help", "remind", "offer", "for", "get"];

/// Verbs of a wish of another person, and the same of oneself.
const WISHING: [(&str, &str); 6] = [
    ("would", "would"),
    ("wants", "want"),
    ("want", "want"),
    ("wishes", "want"),
    ("should", "should"),
    ("needs", "need"),
];

/// Verbs of a person with a position.
const DOING: [&str; 14] = [
    "can",
    "could",
    "may",
    "solved",
    "got",
    "missed",
    "failed",
    "blundered",
    "lost",
    "played",
    "did",
    "does",
    "has",
    "arrived",
];

/// Things of a person in a game.
const OWNED: [&str; 14] = [
    "clock", "time", "turn", "move", "moves", "pieces", "side", "last", "mistakes", "blunders",
    "errors", "view", "point", "mistake",
];

/// The words of a sentence with oneself in the place of others who take part, and without those who are spoken to.
pub fn left_out(text: &str, split: Vec<Word>, context: &Context) -> Vec<Word> {
    let mut kept: Vec<Word> = Vec::with_capacity(split.len());
    let split = without_addresses(text, split, context);
    let mut at = 0;
    while at < split.len() {
        let Some((end, said)) = person(text, &split, at) else {
            kept.push(split[at].clone());
            at += 1;
            continue;
        };
        let chunk = (split[at].chunk.0, split[end - 1].chunk.1);
        kept.extend(said.iter().map(|said| Word { text: (*said).to_owned(), chunk }));
        at = end;
    }
    kept
}

/// Where the words of a person end, and what is said instead.
fn person(text: &str, split: &[Word], at: usize) -> Option<(usize, Vec<&'static str>)> {
    let word = |at: usize| split.get(at).map_or("", |word| word.text.as_str());
    let before = |by: usize| at.checked_sub(by).map_or("", word);
    if !OWNERS.contains(&word(at)) {
        return None;
    }
    let noun = at + 1 + usize::from(ADJECTIVES.contains(&word(at + 1)));
    let typed = split.get(noun).map_or("", |word| &text[word.chunk.0..word.chunk.1]);
    let is_owner = typed.contains(['\'', '\u{2019}']);
    let person = if is_owner { word(noun).trim_end_matches('s') } else { word(noun) };
    let is_old_man = word(noun - 1) == "old" && word(noun) == "man";
    if !PEOPLE.contains(&person) && !PEOPLE.contains(&word(noun)) && !is_old_man {
        return None;
    }
    let end = noun + 1;
    // "My pupil's clock", but "my friend's engine" is no own one.
    if is_owner {
        return OWNED.contains(&word(end)).then(|| (end, vec!["my"]));
    }
    // "For the group" is a purpose, "run it for my friend's sake" none.
    if GIVING.contains(&before(1)) {
        // "For my pupil has understood it".
        let is_clause = before(1) == "for"
            && (matches!(word(end), "is" | "are" | "was" | "were") || DOING.contains(&word(end)));
        return (!is_clause).then(|| (end, vec!["me"]));
    }
    // "Me or the old man".
    if before(1) == "or" && matches!(before(2), "me" | "i") {
        return Some((end, vec!["him"]));
    }
    let is_first = (0..at).all(|at| matches!(word(at), "please" | "so" | "ok" | "now" | "well"));
    if is_first && let Some((_, own)) = WISHING.iter().find(|(said, _)| *said == word(end)) {
        return Some((end + 1, vec!["i", own]));
    }
    let is_behind =
        matches!(before(1), "that" | "which" | "where" | "positions" | "puzzles" | "ones");
    (is_behind && DOING.contains(&word(end))).then(|| (end, vec!["i"]))
}

/// The words without those by which a person is spoken to; an engine of such a name is none.
fn without_addresses(text: &str, split: Vec<Word>, context: &Context) -> Vec<Word> {
    let is_said = |word: &Word| ADDRESSES.contains(&word.text.as_str());
    if !split.iter().any(is_said) {
        return split;
    }
    let words: Vec<String> = split.iter().map(|word| word.text.clone()).collect();
    let mut is_engine = vec![false; split.len()];
    for token in tags::tag(text, &split, &words, context) {
        is_engine[token.from..token.to].fill(token.text == "{engine}");
    }
    let is_apart = |at: usize| words::has_sign(text, &split, at);
    let behind = split.last().map_or("", |last| &text[last.chunk.1..]);
    let is_address = |at: usize| is_said(&split[at]) && !is_engine[at];
    // "A puzzle, mate" may be what is wanted.
    let about_mates = split.iter().any(|word| {
        matches!(
            &*word.text,
            "puzzle" | "puzzles" | "practise" | "tactics" | "ending" | "endings" | "in"
        )
    });
    let mut left = vec![false; split.len()];
    // "Mate, turn the board".
    if split.len() > 2 && is_apart(1) && is_address(0) && !(about_mates && split[0].text == "mate")
    {
        left[0] = true;
    }
    let mut at = 1;
    while at < split.len() {
        let end = (at + 1..split.len()).find(|end| is_apart(*end)).unwrap_or(split.len());
        let words = at..end;
        let is_one = is_apart(at)
            && words.len() < 3
            && words.clone().all(is_address)
            && !matches!(&*split[end - 1].text, "my" | "old")
            && !(about_mates && words.clone().any(|at| split[at].text == "mate"))
            && (end < split.len() || !behind.contains(['#', '+']));
        if is_one && split.len() > words.len() + 1 {
            left[words.clone()].fill(true);
        }
        at = (at + 1..split.len()).find(|next| is_apart(*next)).unwrap_or(split.len());
    }
    let mut places = left.into_iter();
    split.into_iter().filter(|_| !places.next().unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_who_take_part_are_oneself() {
        for (text, expected) in [
            ("let my pupil play white", "let me play white"),
            ("show my class the catalan", "show me the catalan"),
            ("give the kids a mate in two", "give me a mate in two"),
            ("my pupil would like to castle", "i would like to castle"),
            ("what is on my pupil's clock", "what is on my clock"),
            ("positions that my pupil solved wrongly", "positions that i solved wrongly"),
            ("who is better, me or the old man", "who is better me or him"),
            (
                "match my engine against my friend's engine",
                "match my engine against my friends engine",
            ),
            ("a game against my brother", "a game against my brother"),
            ("my boss wants a graph", "my boss wants a graph"),
            ("would you take a draw, mate?", "would you take a draw"),
            ("take it back, my friend, please", "take it back please"),
            ("a puzzle, mate", "a puzzle mate"),
            ("show me tactics, mate in 2", "show me tactics mate in 2"),
            ("the queen takes f7, mate!", "the queen takes f7"),
        ] {
            let found = left_out(text, words::split(text), &Context::default());
            let found: Vec<String> = found.into_iter().map(|word| word.text).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
