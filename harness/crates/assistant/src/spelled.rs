//! Squares that are spelled as on the radio, "hotel six", figures that stand for words, "back 2 the start", and what a
//! computer that writes down speech makes of other words: "a white night", "small dot yaml".

use super::words::Word;

/// Words before a figure that counts or numbers something.
const NUMBERED: [&str; 14] = [
    "level", "move", "game", "run", "depth", "hash", "against", "lines", "line", "elo", "in", "at",
    "threads", "plus",
];

/// Words behind a figure that stands for a word.
const BEHIND: [&str; 9] = ["the", "my", "a", "an", "me", "our", "your", "his", "her"];

/// Endings of files.
const ENDINGS: [&str; 7] = ["yaml", "yml", "pgn", "epd", "vf", "json", "nnue"];

/// Words behind a knight.
const KNIGHTLY: [&str; 12] =
    ["on", "to", "at", "from", "takes", "captures", "goes", "jumps", "moves", "back", "b", "f"];

/// A sentence with the files that are said in it as they are written: "small dot yaml".
pub fn with_files(text: &str) -> String {
    let dotted = |text: String, ending: &&str| {
        let (said, written) = (format!(" dot {ending}"), format!(".{ending}"));
        text.replace(&said, &written)
    };
    ENDINGS.iter().fold(text.to_owned(), dotted)
}

/// The words of a sentence with its spelled squares in one word each, and without figures that stand for words.
pub fn joined(split: &[Word]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::with_capacity(split.len());
    let mut at = 0;
    while at < split.len() {
        let word = &split[at];
        let next = split.get(at + 1);
        let before = words.last().map_or("", |word| word.text.as_str());
        let square = next.and_then(|next| Some((square(before, word, next)?, next)));
        if let Some((square, next)) = square {
            words.push(Word { text: square, chunk: (word.chunk.0, next.chunk.1) });
            at += 2;
            continue;
        }
        let texts = |count: usize| split[at..].iter().take(count).map(|word| word.text.as_str());
        let is_sign = |sign: &str| texts(4).eq([sign, "mark", sign, "mark"]);
        if is_sign("exclamation") || is_sign("question") {
            let chunk = (word.chunk.0, split[at + 3].chunk.1);
            let signs = ["two", word.text.as_str(), "marks"];
            words.extend(signs.map(|text| Word { text: text.to_owned(), chunk }));
            at += 4;
            continue;
        }
        let before = words.last().map_or("", |word| word.text.as_str());
        let is_mate = before == "in"
            && words.len() > 1
            && matches!(words[words.len() - 2].text.as_str(), "mate" | "checkmate");
        let next = next.map_or("", |next| next.text.as_str());
        let stands_for_word =
            !NUMBERED.contains(&before) && BEHIND.contains(&next) && !words.is_empty();
        let text = match word.text.as_str() {
            "2" if stands_for_word => "to",
            "4" if stands_for_word => "for",
            "to" | "too" if is_mate => "2",
            "for" if is_mate => "4",
            "night" if KNIGHTLY.contains(&next) || matches!(before, "white" | "black") => "knight",
            "1s" if matches!(before, "the" | "those") => "ones",
            text => text,
        };
        words.push(Word { text: text.to_owned(), chunk: word.chunk });
        at += 1;
    }
    words
}

/// The square that a letter as on the radio and a rank name; behind "on" also a plain letter and a rank in words.
fn square(before: &str, letter: &Word, rank: &Word) -> Option<String> {
    let is_placed = matches!(before, "on" | "at" | "from" | "to" | "square");
    let file = match letter.text.as_str() {
        "alpha" | "alfa" => 'a',
        "bravo" => 'b',
        "charlie" => 'c',
        "delta" => 'd',
        "echo" => 'e',
        "foxtrot" => 'f',
        "golf" => 'g',
        "hotel" => 'h',
        plain @ ("a" | "b" | "c" | "d" | "e" | "f" | "g" | "h") if is_placed => {
            plain.parse().ok()?
        }
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
    fn files_are_written_with_a_dot() {
        assert_eq!(with_files("train with small dot yaml"), "train with small.yaml");
        assert_eq!(with_files("a dot on e4"), "a dot on e4");
    }

    #[test]
    fn spelled_squares_are_one_word_and_figures_are_words() {
        for (text, expected) in [
            ("put a black knight on hotel six", "put a black knight on h6"),
            ("bishop charlie 4", "bishop c4"),
            ("golf two to golf four", "g2 to g4"),
            ("a king on g eight and a one", "a king on g8 and a one"),
            ("back 2 the start", "back to the start"),
            ("need the fen 4 my coach", "need the fen for my coach"),
            ("level 4 my friend", "level 4 my friend"),
            ("the 1s i failed", "the ones i failed"),
            ("play 2 games", "play 2 games"),
            ("mate in too please", "mate in 2 please"),
            ("put a white night on e4", "put a white knight on e4"),
            ("exclamation mark exclamation mark", "two exclamation marks"),
        ] {
            let found: Vec<String> =
                joined(&words::split(text)).into_iter().map(|word| word.text).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
