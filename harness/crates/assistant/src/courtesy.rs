//! Politeness at the beginning of a sentence, which says nothing about what is wanted: "I would be delighted if we could
//! have a game", "would you be so kind as to turn the board".

use super::words::Word;

/// How one would be, or how it would be.
const PLEASED: [&str; 17] = [
    "delighted",
    "happy",
    "glad",
    "grateful",
    "pleased",
    "thankful",
    "obliged",
    "nice",
    "great",
    "lovely",
    "good",
    "kind",
    "wonderful",
    "fantastic",
    "helpful",
    "awesome",
    "cool",
];

/// How many words at the beginning are only polite.
pub fn length(split: &[Word]) -> usize {
    let said: Vec<&str> = split.iter().map(|word| word.text.as_str()).collect();
    let length = of_words(&said);
    // "It would be great": nothing is wished.
    if split.len() > length + 1 { length } else { 0 }
}

fn of_words(said: &[&str]) -> usize {
    match said {
        ["i" | "we" | "it", "would" | "should", "be", rest @ ..] => {
            let degree = usize::from(matches!(rest, ["very" | "most" | "really" | "so", ..]));
            match &rest[degree..] {
                [pleased, rest @ ..] if PLEASED.contains(pleased) => {
                    let behind =
                        condition(rest).or(usize::from(rest.first() == Some(&"to")).into());
                    behind.filter(|count| *count > 0).map_or(0, |count| 4 + degree + count)
                }
                _ => 0,
            }
        }
        [
            "would" | "could" | "can",
            "you",
            "be",
            "so" | "very",
            "kind" | "good" | "nice",
            "as",
            "to",
            ..,
        ]
        | ["would" | "could", "you", "please", "be", "so", "kind", "to", ..] => 7,
        ["would" | "could" | "can", "you", "be", "kind" | "good", "enough", "to", ..] => 6,
        ["be", "so", "kind" | "good", "as", "to", ..] => 5,
        // "I was asked to run an SPRT".
        ["i" | "we", "was" | "were" | "am" | "are", bidden, "to", ..] if is_bidden(bidden) => 4,
        ["i" | "we", "have" | "had", "been", bidden, "to", ..] if is_bidden(bidden) => 5,
        ["they" | "he" | "she" | "someone", bidden, "me" | "us", "to", ..]
            if is_bidden(bidden) || bidden.starts_with("want") =>
        {
            4
        }
        ["my" | "our", _, bidden, "me" | "us", "to", ..]
            if is_bidden(bidden) || bidden.starts_with("want") =>
        {
            5
        }
        // "Would you mind running wac".
        ["mind", verb, ..] if verb.ends_with("ing") => 1,
        ["would" | "do", "you", "mind", verb, ..] if verb.ends_with("ing") => 3,
        ["may" | "could" | "might", "i" | "we", "ask" | "trouble", "you", "to", ..] => 5,
        ["i" | "we", "was" | "were" | "am", "wondering" | "hoping", rest @ ..] => {
            condition(rest).map_or(0, |count| 3 + count)
        }
        _ => 0,
    }
}

/// Whether a word says that another person wants something.
fn is_bidden(word: &str) -> bool {
    matches!(word, "asked" | "supposed" | "meant" | "advised" | "instructed" | "ordered")
        // The glossary has another word for it in the sources.
        || word.strip_prefix("to") == Some("ld")
}

/// "If we could", "whether you might".
fn condition(said: &[&str]) -> Option<usize> {
    let is_one = matches!(
        said,
        ["if" | "whether" | "that", "i" | "we" | "you", "could" | "can" | "would" | "might", ..]
    );
    // Who does it stays: "if you would take white".
    is_one.then_some(1)
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    #[test]
    fn politeness_is_no_wish_and_the_wish_stays() {
        for (text, expected) in [
            ("I would be delighted if we could have a game", 5),
            ("I'd be very happy if you could turn the board", 6),
            ("it would be great to see the runs", 5),
            ("would you be so kind as to flip the board", 7),
            ("could you be kind enough to stop run 7", 6),
            ("I was wondering if you could analyse this", 4),
            ("it would be great", 0),
            ("I would be happy if you did not resign", 0),
            ("would you play e4", 0),
            ("would you mind running wac with toga2", 3),
            ("do you mind", 0),
        ] {
            assert_eq!(length(&words::split(text)), expected, "{text}");
        }
    }
}
