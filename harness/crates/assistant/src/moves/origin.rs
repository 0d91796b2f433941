//! Where a piece comes from, and where it does not: "the rook of the f file", "not the one on f1", "the dark-squared
//! bishop"; and the wing on which it is not castled.

use super::piece_letter as piece;
use super::spoken::square;

/// A restriction of where a piece comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A square or its file.
    From(String),
    /// Not from there.
    NotFrom(String),
    /// Squares of one colour.
    Dark(bool),
}

impl Origin {
    /// Whether a move in the notation of engines begins there.
    pub fn has(&self, uci: &str) -> bool {
        match self {
            Origin::From(place) => uci.starts_with(place.as_str()),
            Origin::NotFrom(place) => !uci.starts_with(place.as_str()),
            Origin::Dark(dark) => {
                let sum: u32 = uci.bytes().take(2).map(u32::from).sum();
                // `a1` is dark.
                sum.is_multiple_of(2) == *dark
            }
        }
    }
}

/// The words at a place that say or refuse an origin, and how many they are; `None` of words that refuse a piece
/// without a place: "not the other knight".
pub fn at(words: &[&str], at: usize) -> Option<(Option<Origin>, usize)> {
    let word = |by: usize| words.get(at + by).copied().unwrap_or_default();
    match word(0) {
        "dark" | "black" if word(1) == "squared" || word(1) == "square" => {
            Some((Some(Origin::Dark(true)), 2))
        }
        "light" | "white" if word(1) == "squared" || word(1) == "square" => {
            Some((Some(Origin::Dark(false)), 2))
        }
        "dark" | "light" if piece(word(1)).is_some() => {
            Some((Some(Origin::Dark(word(0) == "dark")), 1))
        }
        "not" | "no" => refused(words, at),
        "from" | "of" => {
            let (place, used) = place(words, at + 1)?;
            Some((Some(Origin::From(place)), 1 + used))
        }
        // "The pawn on e2 goes two squares".
        "on" | "at" => {
            let (place, used) = place(words, at + 1)?;
            // "The rook on the a-file should go to d1".
            let modal =
                matches!(word(1 + used), "should" | "must" | "can" | "will" | "may" | "shall");
            let is_verb = matches!(
                word(1 + used + usize::from(modal)),
                "goes" | "go" | "moves" | "jumps" | "takes" | "captures" | "advances" | "steps"
            );
            // "The queen on d8 should go" is taken off.
            let goes = words.get(at + 2 + used + usize::from(modal)).is_some();
            let has_piece = goes && at.checked_sub(1).is_some_and(|at| piece(words[at]).is_some());
            (is_verb && has_piece).then_some((Some(Origin::From(place)), 1 + used))
        }
        // "The one on f1", "the a rook".
        "one" if matches!(word(1), "on" | "at") => {
            let (place, used) = place(words, at + 2)?;
            Some((Some(Origin::From(place)), 2 + used))
        }
        // "The c-file rook".
        file if is_file(file) && matches!(word(1), "file" | "line") && piece(word(2)).is_some() => {
            Some((Some(Origin::From(file.to_owned())), 2))
        }
        // A file before its piece.
        file if is_file(file) && matches!(piece(word(1)), Some('R' | 'N' | 'B' | 'Q')) => {
            (file != "a" || at.checked_sub(1).is_some_and(|at| matches!(words[at], "the" | "my")))
                .then(|| (Some(Origin::From(file.to_owned())), 1))
        }
        _ => None,
    }
}

/// "Not on the queenside": the wing on which it is castled instead.
pub fn castling(words: &[&str], at: usize) -> Option<(&'static str, usize)> {
    let rest = words.get(at..)?;
    // "Queenside instead of kingside".
    let (rest, refusing) = match rest {
        ["not" | "than", rest @ ..] => (rest, 1),
        ["instead", "of", rest @ ..] | ["rather", "than", rest @ ..] => (rest, 2),
        _ => return None,
    };
    let link = rest.iter().take_while(|word| matches!(**word, "on" | "to" | "the" | "at")).count();
    let side = match rest.get(link..)? {
        ["queenside" | "long", ..] | ["queen" | "queens", "side", ..] => "O-O",
        ["kingside" | "short", ..] | ["king" | "kings", "side", ..] => "O-O-O",
        _ => return None,
    };
    let used = if matches!(rest[link], "king" | "kings" | "queen" | "queens") { 2 } else { 1 };
    Some((side, refusing + link + used))
}

/// "Not the one on f1", "not the a-rook", "not the other knight", "not to c4", "no queen".
fn refused(words: &[&str], at: usize) -> Option<(Option<Origin>, usize)> {
    let is_link = |word: &str| {
        matches!(
            word,
            "the"
                | "one"
                | "other"
                | "that"
                | "a"
                | "an"
                | "on"
                | "my"
                | "which"
                | "stands"
                | "is"
                | "standing"
        )
    };
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    // "The a rook".
    let is_article =
        |at: usize| word(at) != "a" || piece(word(at + 1)).is_none() || word(at - 1) != "the";
    let mut end = at + 1;
    // "Not to c4", but "not the other one, to e5".
    let is_goal = |at: usize, end: usize| end == at + 1 && word(end) == "to";
    while is_goal(at, end) || (is_link(word(end)) && is_article(end)) {
        end += 1;
    }
    let goes = words[at + 1..end].contains(&"to");
    let mut origin = None;
    if is_file(word(end)) && piece(word(end + 1)).is_some() {
        origin = Some(Origin::NotFrom(word(end).to_owned()));
        end += 2;
    } else if piece(word(end)).is_some() {
        end += 1;
    }
    let from = end + usize::from(matches!(word(end), "from" | "on" | "of" | "at"));
    if let Some((place, used)) = place(words, from).filter(|_| origin.is_none()) {
        let is_origin = !goes
            && (from > end
                || words[at + 1..end].contains(&"one")
                || words[at + 1..end].contains(&"on"));
        origin = is_origin.then_some(Origin::NotFrom(place));
        end = from + used;
    }
    // "Not" before something else refuses more than a piece.
    let is_one = end > at + 1
        && (piece(word(end - 1)).is_some() || word(end - 1) == "one" || origin.is_some() || goes);
    is_one.then_some((origin, end - at))
}

/// A square, or a file with its noun, and how many words say it.
fn place(words: &[&str], at: usize) -> Option<(String, usize)> {
    let articles =
        words.get(at..)?.iter().take_while(|word| matches!(**word, "the" | "my")).count();
    let word = |by: usize| words.get(at + articles + by).copied().unwrap_or_default();
    if is_file(word(0)) && matches!(word(1), "file" | "line" | "column") {
        return Some((word(0).to_owned(), articles + 2));
    }
    let (square, used) = square(word(0), words.get(at + articles + 1).copied())?;
    Some((square, articles + 1 + used))
}

fn is_file(word: &str) -> bool {
    matches!(word.as_bytes(), [b'a'..=b'h'])
}
