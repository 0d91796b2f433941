//! Squares that are spelled as on the radio, "hotel six", and figures that stand for words: "back 2 the start".

use super::words::Word;

/// Words before a figure that counts or numbers something.
const NUMBERED: [&str; 14] = [
    "level", "move", "game", "run", "depth", "hash", "against", "lines", "line", "elo", "in", "at",
    "threads", "plus",
];

/// Words behind a figure that stands for a word.
const BEHIND: [&str; 9] = ["the", "my", "a", "an", "me", "our", "your", "his", "her"];

/// The words of a sentence with its spelled squares in one word each, and without figures that stand for words.
pub fn joined(split: &[Word]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::with_capacity(split.len());
    let mut at = 0;
    while at < split.len() {
        let word = &split[at];
        let next = split.get(at + 1);
        if let Some((square, next)) = next.and_then(|next| Some((square(word, next)?, next))) {
            words.push(Word { text: square, chunk: (word.chunk.0, next.chunk.1) });
            at += 2;
            continue;
        }
        let before = words.last().map_or("", |word| word.text.as_str());
        let next = next.map_or("", |next| next.text.as_str());
        let stands_for_word =
            !NUMBERED.contains(&before) && BEHIND.contains(&next) && !words.is_empty();
        let text = match word.text.as_str() {
            "2" if stands_for_word => "to",
            "4" if stands_for_word => "for",
            "1s" if matches!(before, "the" | "those") => "ones",
            text => text,
        };
        words.push(Word { text: text.to_owned(), chunk: word.chunk });
        at += 1;
    }
    words
}

/// The square that a letter as on the radio and a rank name.
fn square(letter: &Word, rank: &Word) -> Option<String> {
    let file = match letter.text.as_str() {
        "alpha" | "alfa" => 'a',
        "bravo" => 'b',
        "charlie" => 'c',
        "delta" => 'd',
        "echo" => 'e',
        "foxtrot" => 'f',
        "golf" => 'g',
        "hotel" => 'h',
        _ => return None,
    };
    let ranks = ["one", "two", "three", "four", "five", "six", "seven", "eight"];
    let rank = match rank.text.as_str() {
        figure @ ("1" | "2" | "3" | "4" | "5" | "6" | "7" | "8") => figure.parse().ok()?,
        spoken => ranks.iter().position(|rank| *rank == spoken)? + 1,
    };
    Some(format!("{file}{rank}"))
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    #[test]
    fn spelled_squares_are_one_word_and_figures_are_words() {
        for (text, expected) in [
            ("put a black knight on hotel six", "put a black knight on h6"),
            ("bishop charlie 4", "bishop c4"),
            ("golf two to golf four", "g2 to g4"),
            ("back 2 the start", "back to the start"),
            ("need the fen 4 my coach", "need the fen for my coach"),
            ("level 4 my friend", "level 4 my friend"),
            ("the 1s i failed", "the ones i failed"),
            ("play 2 games", "play 2 games"),
        ] {
            let found: Vec<String> =
                joined(&words::split(text)).into_iter().map(|word| word.text).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
