//! Squares and knights by their sound: "night bee dee to", "bishop be five", "golf two", and figures that stand for words,
//! "back 2 the start".

use crate::tags::is_move;
use crate::words::Word;

/// Words before a figure that counts or numbers something.
const NUMBERED: [&str; 14] = [
    "level", "move", "game", "run", "depth", "hash", "against", "lines", "line", "elo", "in", "at",
    "threads", "plus",
];

/// Words behind a figure that stands for a word.
const BEHIND: [&str; 9] = ["the", "my", "a", "an", "me", "our", "your", "his", "her"];

/// Words behind a knight.
const KNIGHTLY: [&str; 22] = [
    "on",
    "to",
    "at",
    "from",
    "takes",
    "captures",
    "goes",
    "jumps",
    "moves",
    "back",
    "b",
    "f",
    "c",
    "d",
    "e",
    "g",
    "fork",
    "forks",
    "ending",
    "endings",
    "endgame",
    "sacrifice",
];

/// Words behind a knight in the name of an opening.
const OPENINGS: [&str; 6] = ["defence", "variation", "attack", "gambit", "opening", "system"];

/// Words behind a square whose rank may sound like another word.
const BEHIND_SQUARE: [&str; 20] = [
    "and",
    "then",
    "please",
    "check",
    "mate",
    "checkmate",
    "takes",
    "captures",
    "promotes",
    "promote",
    "equals",
    "with",
    "becomes",
    "thanks",
    "no",
    "or",
    "instead",
    "castles",
    "not",
    "becoming",
];

/// Pieces as they are said and heard.
const PIECES: [(&str, char); 14] = [
    ("knight", 'N'),
    ("night", 'N'),
    ("nite", 'N'),
    ("horse", 'N'),
    ("bishop", 'B'),
    ("rook", 'R'),
    ("brook", 'R'),
    ("ruck", 'R'),
    ("tower", 'R'),
    ("castle", 'R'),
    ("queen", 'Q'),
    ("king", 'K'),
    ("pawn", 'P'),
    ("pond", 'P'),
];

/// Words between a piece and what it takes.
const TAKING: [&str; 6] = ["takes", "take", "captures", "capture", "x", "taking"];

/// The words of a sentence with its spoken squares in one word each, and without figures that stand for words.
pub fn joined(split: &[Word]) -> Vec<Word> {
    let texts: Vec<&str> = split.iter().map(|word| word.text.as_str()).collect();
    let mut words: Vec<Word> = Vec::with_capacity(split.len());
    let mut at = 0;
    while at < split.len() {
        let word = &split[at];
        if let Some((square, used)) = square(&texts, at).filter(|_| !is_rate(&texts[at..])) {
            words.push(Word { text: square, chunk: (word.chunk.0, split[at + used - 1].chunk.1) });
            at += used;
            continue;
        }
        if let Some(sign) = sign(&texts[at..]) {
            let chunk = (word.chunk.0, split[at + 3].chunk.1);
            words.extend(sign.map(|text| Word { text: text.to_owned(), chunk }));
            at += 4;
            continue;
        }
        let text = word_meant(&texts, at);
        words.push(Word { text: text.to_owned(), chunk: word.chunk });
        at += 1;
    }
    knights(&mut words);
    words
}

/// "Alpha one tenth", "alpha five percent": a rate of errors, and no square.
fn is_rate(texts: &[&str]) -> bool {
    const PARTS: [&str; 7] =
        ["tenth", "tenths", "twentieth", "twentieths", "hundredth", "hundredths", "percent"];
    texts.first() == Some(&"alpha") && texts.get(2).is_some_and(|part| PARTS.contains(part))
}

/// A word that a figure stands for, or a figure that a word sounds like.
fn word_meant<'a>(texts: &[&'a str], at: usize) -> &'a str {
    let word = |at: Option<usize>| at.and_then(|at| texts.get(at)).copied().unwrap_or_default();
    let (before, next) = (word(at.checked_sub(1)), word(Some(at + 1)));
    let is_mate =
        before == "in" && matches!(word(at.checked_sub(2)), "mate" | "mates" | "checkmate");
    // "Go 2 start".
    let goes = matches!(before, "go" | "back" | "jump" | "return")
        && matches!(next, "start" | "end" | "beginning");
    let stands_for_word =
        (goes || (!NUMBERED.contains(&before) && BEHIND.contains(&next))) && at > 0;
    match texts[at] {
        "2" if stands_for_word => "to",
        "4" if stands_for_word => "for",
        "to" | "too" if is_mate => "2",
        "for" | "fore" if is_mate => "4",
        "won" if is_mate => "1",
        // "Lemme c when he took".
        "c" if before == "me" && matches!(next, "when" | "where" | "how" | "what") => "see",
        "1s" if matches!(before, "the" | "those") => "ones",
        // "The next won please".
        "won" if matches!(before, "next" | "another" | "last" | "new") => "one",
        text => text,
    }
}

/// "Exclamation mark question mark": a sign of two.
fn sign(texts: &[&str]) -> Option<[&'static str; 3]> {
    let is_mark = |word: &str| matches!(word, "mark" | "point");
    let [first, mark, second, last] = texts.get(..4)? else { return None };
    if !is_mark(mark) || !is_mark(last) {
        return None;
    }
    match (*first, *second) {
        ("exclamation", "exclamation") => Some(["two", "exclamation", "marks"]),
        ("question", "question") => Some(["two", "question", "marks"]),
        ("exclamation", "question") => Some(["exclamation", "question", "mark"]),
        ("question", "exclamation") => Some(["question", "exclamation", "mark"]),
        _ => None,
    }
}

/// "Night" where a knight is meant.
fn knights(words: &mut [Word]) {
    let is_board = words.iter().any(|word| is_move(&word.text) || word.text.starts_with("promot"));
    let text = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", |word| &*word.text);
    let is_knight = |at: &usize| {
        let (before, next) = (text(at.checked_sub(1)), text(Some(at + 1)));
        let is_other =
            matches!(before, "good" | "last" | "all" | "over" | "every" | "at" | "one" | "per");
        matches!(words[*at].text.as_str(), "night" | "nite" | "nights")
            && !is_other
            && (KNIGHTLY.contains(&next)
                || OPENINGS.contains(&next)
                || (words[*at].text == "nights" && next == "game")
                || matches!(
                    before,
                    "two" | "three" | "four" | "queens" | "kings" | "queen" | "king"
                )
                || is_move(next)
                || matches!(before, "white" | "black")
                || (is_board
                    && matches!(
                        before,
                        "a" | "the" | "my" | "his" | "your" | "takes" | "to" | "other"
                    )))
    };
    let found: Vec<usize> = (0..words.len()).filter(is_knight).collect();
    for at in found {
        words[at].text = if words[at].text == "nights" { "knights" } else { "knight" }.to_owned();
    }
}

/// How sure it is that a word is a letter or a rank.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sure {
    /// It is nothing else.
    Yes,
    /// A letter as it is written, or a number.
    Plain,
    /// It is also an ordinary word.
    No,
}

/// The file of a word.
fn file(word: &str) -> Option<(char, Sure)> {
    Some(match word {
        "alpha" | "alfa" => ('a', Sure::Yes),
        "bravo" | "bee" => ('b', Sure::Yes),
        "charlie" | "cee" => ('c', Sure::Yes),
        "delta" | "dee" => ('d', Sure::Yes),
        "echo" | "ee" => ('e', Sure::Yes),
        "foxtrot" | "eff" => ('f', Sure::Yes),
        "golf" | "gee" => ('g', Sure::Yes),
        "hotel" | "aitch" => ('h', Sure::Yes),
        "eh" | "ay" => ('a', Sure::No),
        "be" => ('b', Sure::No),
        "see" | "sea" => ('c', Sure::No),
        "de" => ('d', Sure::No),
        "he" => ('e', Sure::No),
        "ef" => ('f', Sure::No),
        "age" => ('h', Sure::No),
        plain @ ("a" | "b" | "c" | "d" | "e" | "f" | "g" | "h") => {
            (plain.chars().next()?, Sure::Plain)
        }
        _ => return None,
    })
}

/// The rank of a word.
fn rank(word: &str) -> Option<(usize, Sure)> {
    const RANKS: [&str; 8] = ["one", "two", "three", "four", "five", "six", "seven", "eight"];
    if let Some(at) = RANKS.iter().position(|rank| *rank == word) {
        return Some((at + 1, Sure::Plain));
    }
    Some(match word {
        "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" => (word.parse().ok()?, Sure::Plain),
        "won" => (1, Sure::No),
        "to" | "too" => (2, Sure::No),
        "tree" => (3, Sure::No),
        "for" | "fore" => (4, Sure::No),
        "fife" => (5, Sure::No),
        "sicks" | "sex" => (6, Sure::No),
        "ate" => (8, Sure::No),
        _ => return None,
    })
}

/// Whether a word is a piece as it is said or heard.
pub fn is_piece(word: &str) -> bool {
    PIECES.iter().any(|(name, _)| *name == word.trim_end_matches('s'))
}

/// The square that is said at a place and how many words say it; also a file before a square or a capture, "bee takes".
fn square(texts: &[&str], at: usize) -> Option<(String, usize)> {
    let word = |at: Option<usize>| at.and_then(|at| texts.get(at)).copied().unwrap_or_default();
    let (letter, sure) = file(texts[at])?;
    let (before, next) = (word(at.checked_sub(1)), word(Some(at + 1)));
    // "Knight b d2", "be takes c6".
    let is_file = sure != Sure::Plain
        && ((is_piece(before) && is_square_at(texts, at + 1))
            || (TAKING[..3].contains(&next) && (at == 0 || is_piece(before))));
    if is_file && !is_square_at(texts, at) {
        return Some((letter.to_string(), 1));
    }
    let is_said = is_square_at(texts, at);
    is_said.then(|| rank(next)).flatten().map(|(rank, _)| (format!("{letter}{rank}"), 2))
}

/// Whether a square is said at a place.
fn is_square_at(texts: &[&str], at: usize) -> bool {
    let word = |at: Option<usize>| at.and_then(|at| texts.get(at)).copied().unwrap_or_default();
    let Some((letter, letter_sure)) = file(word(Some(at))) else { return false };
    let Some((_, rank_sure)) = rank(word(Some(at + 1))) else { return false };
    let (before, behind) = (word(at.checked_sub(1)), word(Some(at + 2)));
    let earlier = word(at.checked_sub(2));
    let goes = before == "to"
        && (is_piece(earlier)
            || is_move(earlier)
            || rank(earlier).is_some()
            || matches!(
                earlier,
                "goes" | "go" | "moves" | "move" | "jumps" | "over" | "it" | "back"
            ));
    // "Knight bee dee two".
    let is_file_before = file(before).is_some() && is_piece(earlier);
    let is_placed = goes
        || is_file_before
        || is_piece(before)
        || TAKING.contains(&before)
        || matches!(before, "on" | "at" | "from" | "square" | "onto" | "no" | "to" | "off")
            && (before != "to" || letter_sure != Sure::No);
    let ends = behind.is_empty() || BEHIND_SQUARE.contains(&behind) || is_move(behind);
    let is_article = letter == 'a'
        && letter_sure == Sure::Plain
        && !(ends
            || is_piece(behind)
            || matches!(
                behind,
                "to" | "from" | "on" | "is" | "should" | "white" | "black" | "the" | "a"
            ));
    match (letter_sure, rank_sure) {
        _ if is_article => false,
        (Sure::Yes, Sure::Plain | Sure::Yes) => true,
        // "Knight b to d2".
        (_, Sure::No) if is_move(behind) => false,
        (Sure::Yes, Sure::No) => ends,
        (Sure::Plain | Sure::No, Sure::Plain | Sure::Yes) => is_placed,
        (Sure::Plain | Sure::No, Sure::No) => is_placed && ends && before != "at",
    }
}

/// The notation of a move that is said from a place on, and how many words say it: "queen takes g two" is `Qxg2`.
pub fn notation(words: &[String]) -> Option<(String, usize)> {
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    let piece = PIECES.iter().find(|(name, _)| Some(name) == texts.first());
    let from_file = file(texts.first()?).filter(|_| TAKING.contains(texts.get(1).unwrap_or(&"")));
    let mut at = usize::from(piece.is_some() || from_file.is_some());
    let mut san = match (piece, from_file) {
        (Some((_, 'P')), _) => String::new(),
        (Some((_, letter)), _) => letter.to_string(),
        (None, Some((file, _))) => file.to_string(),
        (None, None) => String::new(),
    };
    if TAKING.contains(texts.get(at)?) {
        san.push('x');
        at += 1;
    }
    let word = *texts.get(at)?;
    if is_move(word) {
        return Some((format!("{san}{word}"), at + 1));
    }
    let (file, _) = file(word)?;
    let (rank, _) = rank(texts.get(at + 1)?)?;
    Some((format!("{san}{file}{rank}"), at + 2))
}

#[cfg(test)]
mod tests {
    use super::super::super::words;
    use super::*;

    #[test]
    fn spoken_squares_are_one_word_and_figures_are_words() {
        for (text, expected) in [
            ("put a black knight on hotel six", "put a black knight on h6"),
            ("bishop charlie 4", "bishop c4"),
            ("golf two to golf four", "g2 to g4"),
            ("a king on g eight and a one", "a king on g8 and a one"),
            ("night sea six", "knight c6"),
            ("bishop be five", "bishop b5"),
            ("pawn to e for", "pawn to e4"),
            ("night bee dee to", "knight b d2"),
            ("king to gee ate", "king to g8"),
            ("be takes see three", "b takes c3"),
            ("a white night on sea three", "a white knight on c3"),
            ("remove the pawn on eh two", "remove the pawn on a2"),
            ("a white rook on a one black rook on h8", "a white rook on a1 black rook on h8"),
            ("knight b to d2", "knight b to d2"),
            ("i want to see four lines", "i want to see four lines"),
            ("it should be five games", "it should be five games"),
            ("at a one minute game", "at a one minute game"),
            ("is this won", "is this won"),
            ("promote on e eight to a night", "promote on e8 to a knight"),
            ("last night", "last night"),
            ("the two nights defence", "the two knights defence"),
            ("back 2 the start", "back to the start"),
            ("need the fen 4 my coach", "need the fen for my coach"),
            ("level 4 my friend", "level 4 my friend"),
            ("the 1s i failed", "the ones i failed"),
            ("play 2 games", "play 2 games"),
            ("mate in too please", "mate in 2 please"),
            ("exclamation mark exclamation mark", "two exclamation marks"),
            ("exclamation mark question mark", "exclamation question mark"),
        ] {
            let found: Vec<String> =
                joined(&words::split(text)).into_iter().map(|word| word.text).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
