//! Plain slips of the fingers, put right before a sentence is read: `taht`, `mian`, `threee lines`, `level too`.

use rapidfuzz::distance::osa;

use super::coverage::{is_empty, stems};
use super::limits::PRESETS;
use super::tags::{ENGINES, REVISION_NOUNS, REVISIONS, SUITES};
use super::words::Word;
use super::{coverage, elsewhere, names, nearest, numbers, thesaurus};

/// Words beside numbers that few examples have, or none, but every sentence may.
const VOCABULARY: [&str; 29] = [
    "half",
    "quarter",
    "tenth",
    "second",
    "seconds",
    "minute",
    "minutes",
    "hour",
    "hours",
    "node",
    "nodes",
    "depth",
    "plies",
    "game",
    "games",
    "line",
    "lines",
    "thread",
    "threads",
    "hash",
    "megabytes",
    "increment",
    "level",
    "white",
    "black",
    "knight",
    "bishop",
    "rook",
    "queen",
];

/// Words that are right, though they are like commoner ones.
const RIGHT: [&str; 68] = [
    "harsh",
    "weaken",
    "man",
    "men",
    "ponder",
    "pondering",
    "hate",
    "late",
    "date",
    "love",
    "life",
    "live",
    "wait",
    "gift",
    "ruin",
    "room",
    "root",
    "roof",
    "cook",
    "hook",
    "wing",
    "ring",
    "sing",
    "lawn",
    "dawn",
    "shop",
    "step",
    "light",
    "fight",
    "sight",
    "tight",
    "tired",
    "voice",
    "noise",
    "sweet",
    "water",
    "paper",
    "coffee",
    "min",
    "mins",
    "sec",
    "secs",
    "inc",
    "pv",
    "pvs",
    "jobs",
    "ms",
    "gb",
    "mb",
    "nps",
    "form",
    "alpha",
    "beta",
    "fork",
    "tonight",
    "matter",
    "lot",
    "pins",
    "least",
    "fewer",
    "above",
    "below",
    "minimum",
    "unrated",
    "total",
    "exactly",
    "altogether",
    "every",
];

/// Words that sound like a number, where a number has to stand: "level too".
const SOUNDS: [(&str, &str); 6] = [
    ("too", "two"),
    ("to", "two"),
    ("for", "four"),
    ("fore", "four"),
    ("won", "one"),
    ("ate", "eight"),
];

/// Words before a number at the end of a part of a sentence.
const BEFORE_NUMBER: [&str; 6] = ["level", "run", "game", "move", "depth", "twenty"];

/// The words of a sentence without plain slips. A word that may be a name is left as it is.
pub fn corrected(text: &str, split: &[Word]) -> Vec<Word> {
    let mut split = split.to_vec();
    for at in 0..split.len() {
        let sound = sound(text, &split, at);
        let word = sound.map(str::to_owned).or_else(|| {
            let is_plain = !may_be_name(text, &split, at);
            is_plain.then(|| meant(&split[at].text)).flatten().map(str::to_owned)
        });
        if let Some(word) = word {
            split[at].text = word;
        }
    }
    split
}

/// The number of a word that sounds like it, at the end of a part of a sentence.
fn sound(text: &str, split: &[Word], at: usize) -> Option<&'static str> {
    let before = &split.get(at.checked_sub(1)?)?.text;
    let behind = text[split[at].chunk.1..].trim_start();
    let is_end = behind.is_empty() || behind.starts_with([',', ';', '.', '!', '?']);
    let (_, number) = SOUNDS.iter().find(|(said, _)| *said == split[at].text)?;
    (is_end && BEFORE_NUMBER.contains(&before.as_str())).then_some(*number)
}

/// Whether a word is known, or may be the name of something: one of several parts, with a capital within the
/// sentence, like an engine or an opening, or where an engine or a revision stands.
fn may_be_name(text: &str, split: &[Word], at: usize) -> bool {
    let word = &split[at];
    let typed = &text[word.chunk.0..word.chunk.1];
    let plain = word.text.bytes().all(|byte| byte.is_ascii_lowercase()) && word.text.len() > 2;
    let is_known = is_empty(&word.text)
        || stems(&word.text).any(|stem| nearest::is_known(stem) || is_right(stem))
        || numbers::at(std::slice::from_ref(&word.text), 0).is_some()
        || PRESETS.iter().any(|(known, _)| *known == word.text);
    let is_part = split.iter().filter(|other| other.chunk == word.chunk).count() > 1;
    let is_capital = at > 0 && typed.starts_with(char::is_uppercase);
    let neighbour =
        |at: Option<usize>| at.and_then(|at| split.get(at)).map_or("", |word| &word.text);
    let is_player =
        matches!(neighbour(at.checked_sub(1)), "against" | "between" | "branch" | "of" | "sprt")
            || matches!(neighbour(Some(at + 1)), "against" | "branch");
    let revisions = || REVISIONS.iter().chain(&REVISION_NOUNS);
    let is_revision = || revisions().any(|known| slip(&word.text, known).is_some());
    !plain
        || is_known
        || is_part
        || is_capital
        || (is_player && !is_revision())
        || ENGINES.iter().any(|engine| slip(&word.text, engine).is_some())
}

/// Whether a word is right as it is, though few examples have it.
pub fn is_right(word: &str) -> bool {
    // A word that narrows a sentence is no slip of another: "at least" is not "at last".
    thesaurus::has(word)
        || fixed()
            .chain(&RIGHT)
            .chain(&coverage::TURNING)
            .chain(&coverage::TIMES)
            .any(|known| *known == word)
}

/// Words that are right as they are: of this module, of revisions, suites and commands.
fn fixed() -> impl Iterator<Item = &'static &'static str> {
    VOCABULARY
        .iter()
        .chain(numbers::words())
        .chain(&REVISIONS)
        .chain(&SUITES)
        .chain(&REVISION_NOUNS)
        .chain(elsewhere::words())
}

/// The shortest word of the examples that is corrected, unless two of its letters are exchanged: "fork" is no slip
/// of "work".
const SHORTEST: usize = 5;

/// The known word of which a word is a slip, the likeliest; of several a number, a unit or the like before a word of
/// the examples, and the commonest of these. A word like one of the name of an opening is no slip of an example.
fn meant(word: &str) -> Option<&'static str> {
    let is_of_opening = names::is_of_opening(word);
    let examples = nearest::words().filter(|(_, count)| *count > 1 && !is_of_opening);
    let known = fixed().map(|known| (*known, u32::MAX)).chain(examples);
    let mut best: Option<(Slip, u32, &'static str)> = None;
    for (known, count) in known {
        let Some(slip) = slip(word, known) else { continue };
        let is_sure = word.len() >= SHORTEST || slip == Slip::Exchanged || known == "the";
        // "Matter" is no "master".
        let is_wrong = slip == Slip::Wrong && fixed().any(|fixed| *fixed == known);
        // "Mix" is no "mic".
        let is_fixed = count == u32::MAX && (word.len() > 3 || slip != Slip::NextKey);
        if !is_wrong
            && (is_fixed || is_sure)
            && best.is_none_or(|(least, most, _)| slip < least || (slip == least && count > most))
        {
            best = Some((slip, count, known));
        }
    }
    best.map(|(_, _, known)| known)
}

/// Kinds of slips, the likeliest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slip {
    Exchanged,
    LeftOutOrDoubled,
    NextKey,
    Wrong,
}

/// The rows of a keyboard, each half a key to the right of the one above.
const KEYS: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

/// Whether the one letter in which two words differ is beside the other on the keyboard.
fn is_next_key(word: &str, meant: &str) -> bool {
    let differ = word.chars().zip(meant.chars()).find(|(one, other)| one != other);
    let place = |letter: char| {
        KEYS.iter().enumerate().find_map(|(row, keys)| Some((row, keys.find(letter)?)))
    };
    let Some((Some(one), Some(other))) = differ.map(|(one, other)| (place(one), place(other)))
    else {
        return false;
    };
    let (upper, lower) = if one.0 <= other.0 { (one, other) } else { (other, one) };
    match lower.0 - upper.0 {
        0 => upper.1.abs_diff(lower.1) == 1,
        1 => upper.1 == lower.1 || upper.1 == lower.1 + 1,
        _ => false,
    }
}

/// The slip that makes one word of another.
pub fn slip(word: &str, meant: &str) -> Option<Slip> {
    if word.len().abs_diff(meant.len()) > 1 || meant.len() < 3 || word == meant {
        return None;
    }
    let sorted = |word: &str| {
        let mut letters = word.as_bytes().to_vec();
        letters.sort_unstable();
        letters
    };
    let same_first = word.as_bytes()[0] == meant.as_bytes()[0];
    if osa::distance(word.bytes(), meant.bytes()) != 1 {
        return None;
    }
    match word.len() == meant.len() {
        true if sorted(word) == sorted(meant) => Some(Slip::Exchanged),
        true if is_next_key(word, meant) => Some(Slip::NextKey),
        true => (same_first && meant.len() > 4).then_some(Slip::Wrong),
        false => (same_first && meant.len() > 3).then_some(Slip::LeftOutOrDoubled),
    }
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    #[test]
    fn plain_slips_are_put_right_and_names_are_left() {
        let corrected = |text: &str| {
            let split = corrected(text, &words::split(text));
            split.into_iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
        };
        for (text, expected) in [
            ("show teh board", "show the board"),
            ("undo threee moves", "undo three moves"),
            ("sprt hed against mian", "sprt head against main"),
            ("level too", "level two"),
            ("a tactic with a fork", "a tactic with a fork"),
            ("colour does not matter", "colour does not matter"),
            ("match komodo against stockfish", "match komodo against stockfish"),
            ("go two levels down", "go two levels down"),
        ] {
            assert_eq!(corrected(text), expected, "{text}");
        }
    }
}
