//! Numbers that are said: "run forty one", "game thirty to", "my last to moves", "elo zero equals zero"; moves with their
//! numbers, "eighteen dot dot dot queen takes g two".

use super::rewritten::Tokens;
use super::squares;
use crate::numbers;

/// Words that sound like a figure.
const SOUNDS: [(&str, u32); 8] = [
    ("won", 1),
    ("to", 2),
    ("too", 2),
    ("for", 4),
    ("fore", 4),
    ("ate", 8),
    ("tree", 3),
    ("sicks", 6),
];

/// Nouns that are counted.
const COUNTED: [&str; 22] = [
    "moves",
    "games",
    "lines",
    "threads",
    "minutes",
    "seconds",
    "rounds",
    "hours",
    "levels",
    "jobs",
    "cores",
    "megabytes",
    "variations",
    "steps",
    "squares",
    "plies",
    "workers",
    "pairs",
    "nodes",
    "positions",
    "engines",
    "puzzles",
];

/// Words before a number of things, where "to" and "for" are numbers.
const BEFORE_COUNT: [&str; 18] = [
    "undo", "back", "last", "next", "first", "my", "the", "these", "by", "with", "than", "me",
    "show", "give", "only", "just", "see", "previous",
];

/// Words whose number stands behind them.
const NUMBERED: [&str; 7] = ["run", "game", "move", "level", "number", "position", "depth"];

/// Words behind a number that ends there.
const BEHIND: [&str; 20] = [
    "of", "in", "at", "from", "and", "please", "with", "against", "lost", "again", "as", "now",
    "then", "no", "colon", "says", "was", "is", "failed", "because",
];

/// Writes numbers.
pub fn write(tokens: &mut Tokens) {
    let mut at = 0;
    while at < tokens.len() {
        at = barred_clock(tokens, at)
            .or_else(|| tens(tokens, at))
            .or_else(|| counted(tokens, at))
            .or_else(|| rating(tokens, at))
            .or_else(|| bound(tokens, at))
            .unwrap_or(at + 1);
    }
    let mut at = 0;
    while at < tokens.len() {
        at = run(tokens, at).or_else(|| numbered_move(tokens, at)).unwrap_or(at + 1);
    }
}

/// The value of a figure, in digits or in a word.
pub fn figure(word: &str) -> Option<u32> {
    let words = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    let spoken = words.iter().position(|spoken| *spoken == word).map(|at| at as u32);
    spoken.or_else(|| word.parse().ok().filter(|_| word.len() < 4))
}

/// The value of a word that sounds like a figure.
pub fn at_sound(tokens: &Tokens, at: usize) -> Option<u32> {
    SOUNDS.iter().find(|(said, _)| *said == tokens.word(at)).map(|(_, value)| *value)
}

/// `15|10`: a clock of minutes and seconds, as servers write it.
fn barred_clock(tokens: &mut Tokens, at: usize) -> Option<usize> {
    let (base, increment) = tokens.word(at).split_once('|')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let clock = format!("{base}+{increment}");
    (is_number(base) && is_number(increment)).then(|| {
        tokens.replace(at, at + 1, &clock);
        at + 1
    })
}

/// "Game thirty to of the match".
fn tens(tokens: &mut Tokens, at: usize) -> Option<usize> {
    const TENS: [(&str, u32); 8] = [
        ("twenty", 20),
        ("thirty", 30),
        ("forty", 40),
        ("fifty", 50),
        ("sixty", 60),
        ("seventy", 70),
        ("eighty", 80),
        ("ninety", 90),
    ];
    let (_, tens) = TENS.iter().find(|(said, _)| *said == tokens.word(at))?;
    let unit = at_sound(tokens, at + 1)?;
    let is_end = tokens.ends(at + 1) || BEHIND.contains(&tokens.word(at + 2));
    let is_numbered = NUMBERED.contains(&tokens.before(at));
    (is_end && is_numbered && !tokens.ends(at)).then(|| {
        tokens.replace(at, at + 2, &(tens + unit).to_string());
        at + 1
    })
}

/// "My last to moves", "for engine lines", "too more threads".
fn counted(tokens: &mut Tokens, at: usize) -> Option<usize> {
    let number = at_sound(tokens, at).filter(|_| tokens.word(at) != "won")?;
    let next = at + 1 + usize::from(matches!(tokens.word(at + 1), "engine" | "more" | "fewer"));
    let is_noun = COUNTED.contains(&tokens.word(next));
    let is_sure = matches!(tokens.word(at), "too" | "fore" | "ate");
    // "Is there a win for White", "the best for games".
    let is_counted =
        is_noun && !tokens.ends(at) && (is_sure || BEFORE_COUNT.contains(&tokens.before(at)));
    is_counted.then(|| {
        tokens.replace(at, at + 1, &number.to_string());
        at + 1
    })
}

/// "Sixteen hundred five minutes": a rating, and a clock.
fn rating(tokens: &mut Tokens, at: usize) -> Option<usize> {
    if tokens.word(at + 1) != "hundred" {
        return None;
    }
    let words = tokens.from(at);
    let hundreds = numbers::at(&words[..1], 0)?.count().filter(|count| (7..30).contains(count))?;
    let clock = numbers::at(&words[2..], 0).filter(|number| number.value < 100.0)?;
    let is_time = matches!(tokens.word(at + 2 + clock.words), "minute" | "minutes" | "seconds");
    is_time.then(|| {
        let sign = if tokens.ends(at + 1) { "" } else { "," };
        tokens.replace(at, at + 2, &format!("{}{sign}", hundreds * 100));
        at + 1
    })
}

/// "Elo zero equals zero": `elo0 0`.
fn bound(tokens: &mut Tokens, at: usize) -> Option<usize> {
    let name = match (tokens.word(at), tokens.word(at + 1)) {
        ("elo", "zero" | "0") => "elo0",
        ("elo", "one" | "1") => "elo1",
        _ => return None,
    };
    let link = usize::from(matches!(tokens.word(at + 2), "equals" | "is" | "equal"));
    let is_minus = matches!(tokens.word(at + 2 + link), "minus" | "negative");
    let value = numbers::at(&tokens.from(at + 2 + link + usize::from(is_minus)), 0);
    // "Elo one thousand" is a rating.
    let is_bound = link > 0 || (0..tokens.len()).any(|at| tokens.says(at, &["elo", "zero"]));
    value.filter(|_| is_bound && !tokens.ends(at + 1)).map(|_| {
        tokens.replace(at, at + 2 + link, name);
        if is_minus {
            let sign = format!("-{}", tokens.word(at + 2));
            let value = figure(tokens.word(at + 2)).map_or(sign, |figure| format!("-{figure}"));
            tokens.replace(at + 1, at + 3, &value);
        } else if let Some(value) =
            figure(tokens.word(at + 1)).filter(|_| tokens.word(at + 2) != "point")
        {
            tokens.replace(at + 1, at + 2, &value.to_string());
        }
        at + 2
    })
}

/// "Run forty one": its id in digits.
fn run(tokens: &mut Tokens, at: usize) -> Option<usize> {
    if !matches!(tokens.word(at), "run" | "runs") || tokens.ends(at) {
        return None;
    }
    let words = tokens.from(at + 1);
    let number =
        numbers::at(&words, 0).filter(|_| !words[0].starts_with(|c: char| c.is_ascii_digit()))?;
    let count = number.count()?;
    let end = at + 1 + number.words;
    // "Run two games", "run a hundred games".
    let is_id = !matches!(&*words[0], "a" | "an" | "half")
        && (tokens.ends(end - 1) || !COUNTED.contains(&tokens.word(end)))
        && !matches!(tokens.word(end), "more" | "thousand" | "games" | "game" | "engine" | "tests");
    is_id.then(|| {
        tokens.replace(at + 1, end, &count.to_string());
        end
    })
}

/// "Eighteen dot dot dot queen takes g two": `18...Qxg2`.
fn numbered_move(tokens: &mut Tokens, at: usize) -> Option<usize> {
    let words = tokens.from(at);
    let number =
        numbers::at(&words, 0).filter(|number| !words[0].contains('.') && number.words < 3)?;
    let count = number.count().filter(|count| (1..400).contains(count))?;
    let dots = (at + number.words..tokens.len()).take_while(|at| tokens.word(*at) == "dot").count();
    // "The position before eighteen bishop takes h seven".
    let is_place = matches!(tokens.before(at), "before" | "after" | "behind")
        && squares::is_piece(&words[number.words.min(words.len() - 1)]);
    if !(matches!(dots, 1 | 3) || (dots == 0 && is_place)) {
        return None;
    }
    let begin = number.words + dots;
    let (san, used) = squares::notation(&words[begin.min(words.len())..])?;
    let dots = if dots == 3 { "..." } else { "." };
    tokens.replace(at, at + begin + used, &format!("{count}{dots}{san}"));
    Some(at + 1)
}
