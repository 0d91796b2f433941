//! What a sentence says of a move: pieces and their parts in it, squares, captures, castling and promotion, and what is denied.

use super::super::folded;
use super::super::origin::{self, Origin};
use super::super::spoken::{BEFORE_TAKEN, is_filler, piece, promoting, square, takes};
use super::super::wings::{self, Line, Wing};
use crate::context::Context;
use crate::tags::is_move;

/// What a move has to have.
#[derive(Clone, Debug, PartialEq)]
pub enum Clue {
    /// A piece, and what it does if that is said.
    Piece(char, Part),
    /// A piece that moves neither, nor is taken, nor is what a pawn becomes.
    NoPiece(char),
    /// A square to which it goes (`Some(true)`), from which it comes, or either.
    Square(String, Option<bool>),
    /// No square of it.
    NoSquare(String),
    /// As it is written.
    Written(String),
    Origin(Origin),
    Line(Line),
    Wing(Wing),
    Ranks(u8),
    /// The side of the king, or that of the queen.
    Side(bool),
    Castles,
    Takes,
    Passes,
    Promotes,
    /// A pawn moves where no piece is named.
    Pushes,
    /// From the square on which the piece began.
    FromHome,
    /// To one of the four squares in the middle.
    Centre,
    /// From or to a corner.
    Corner,
    Mates,
}

/// What a piece does in a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// It is not said.
    Any,
    /// It moves, or a pawn becomes it.
    Own,
    Moves,
    Taken,
    Becomes,
}

/// Words between a preposition or an owner and a piece.
const ADJECTIVES: [&str; 23] = [
    "the",
    "a",
    "an",
    "that",
    "this",
    "other",
    "poor",
    "little",
    "loose",
    "hanging",
    "free",
    "dark",
    "light",
    "squared",
    "undefended",
    "advanced",
    "passed",
    "last",
    "good",
    "bad",
    "same",
    "own",
    "remaining",
];

/// Words before what only says where something is: "past his pawn".
const LANDMARKS: [&str; 14] = [
    "past",
    "over",
    "beside",
    "behind",
    "around",
    "round",
    "towards",
    "near",
    "attacking",
    "pinning",
    "threatening",
    "protecting",
    "defending",
    "guarding",
];

/// Words that say a move beside those of [`super::spoken`], and nothing about which it is.
const PLAIN: [&str; 20] = [
    "away", "still", "back", "which", "what", "meant", "hide", "hides", "he", "side", "now",
    "instead", "turn", "turns", "him", "her", "way", "falls", "fall", "simply",
];

/// What a sentence says of a move, and the words that say nothing of one.
pub fn clues(words: &[&str], context: &Context) -> (Vec<Clue>, Vec<usize>) {
    let (mut clues, mut rest, mut at) = (Vec::new(), Vec::new(), 0);
    while at < words.len() {
        if let Some(used) = landmark(words, at) {
            rest.extend(at..at + used);
            at += used;
        } else if let Some((found, used)) = phrase(words, at).or_else(|| word(words, at, context)) {
            clues.extend(found);
            at += used;
        } else {
            rest.push(at);
            at += 1;
        }
    }
    (clues, rest)
}

/// "Past his pawn": how many words say where something is.
fn landmark(words: &[&str], at: usize) -> Option<usize> {
    if !LANDMARKS.contains(&words[at]) {
        return None;
    }
    let is_between =
        |word: &&&str| ADJECTIVES.contains(*word) || BEFORE_TAKEN.contains(*word) || **word == "my";
    let between = words[at + 1..].iter().take_while(is_between).count();
    let named = words.get(at + 1 + between)?;
    let is_place = piece(named).is_some() || square(named, None).is_some();
    is_place.then_some(between + 2)
}

/// Words that belong together, and what they say.
fn phrase(words: &[&str], at: usize) -> Option<(Option<Clue>, usize)> {
    let word = |by: usize| words.get(at + by).copied().unwrap_or_default();
    let one = |clue: Clue, used: usize| Some((Some(clue), used));
    // "Back where it came from".
    if let ["where", _, "came" | "was" | "stood" | "started", ..] = words[at..] {
        return Some((None, 3 + usize::from(word(3) == "from")));
    }
    match [word(0), word(1)] {
        ["en", "passant"] => return one(Clue::Passes, 2),
        ["at" | "still", "home"] => return one(Clue::FromHome, 2),
        ["king" | "kings", "side"] if piece(word(2)).is_none() => return one(Clue::Side(true), 2),
        ["queen" | "queens", "side"] if piece(word(2)).is_none() => {
            return one(Clue::Side(false), 2);
        }
        ["short", "side" | "way"] => return one(Clue::Side(true), 2),
        ["long", "side" | "way"] => return one(Clue::Side(false), 2),
        ["not" | "without" | "no" | "never", _] => return refused(words, at),
        ["instead" | "rather", "of" | "than"] => {
            return refused(words, at + 1).map(|(clue, used)| (clue, used + 1));
        }
        _ => {}
    }
    // "The d pawn".
    let is_article =
        word(0) == "a" && !matches!(at.checked_sub(1).map(|at| words[at]), Some("the" | "my"));
    if let ([b'a'..=b'h'], "pawn") = (word(0).as_bytes(), word(1))
        && !is_article
    {
        return one(Clue::Origin(Origin::From(word(0).to_owned())), 1);
    }
    if let Some((origin, used)) = origin::at(words, at).filter(|_| word(0) != "of") {
        return Some((origin.map(Clue::Origin), used));
    }
    if let Some((line, used)) = wings::line(words, at) {
        return one(Clue::Line(line), used);
    }
    if let Some((wing, used)) = Wing::at(words, at) {
        return one(Clue::Wing(wing), used);
    }
    let (ranks, used) = wings::ranks(words, at)?;
    one(Clue::Ranks(ranks), used)
}

/// "Not a queen", "not to e3": a piece or a square that the move has not.
fn refused(words: &[&str], at: usize) -> Option<(Option<Clue>, usize)> {
    let is_link = |word: &&&str| {
        ADJECTIVES.contains(*word) || matches!(**word, "with" | "to" | "on" | "into" | "my")
    };
    let links = words[at + 1..].iter().take_while(is_link).count();
    let named = words.get(at + 1 + links)?;
    let clue = match square(named, None) {
        Some((square, _)) => Clue::NoSquare(square),
        None => Clue::NoPiece(piece(named)?),
    };
    Some((Some(clue), links + 2))
}

/// A word, and what it says.
fn word(words: &[&str], at: usize, context: &Context) -> Option<(Option<Clue>, usize)> {
    let word = words[at];
    let clue = match word {
        "kingside" | "short" => Some(Clue::Side(true)),
        "queenside" | "long" => Some(Clue::Side(false)),
        "undeveloped" | "unmoved" => Some(Clue::FromHome),
        "centre" | "center" | "middle" => Some(Clue::Centre),
        "corner" => Some(Clue::Corner),
        "mate" | "checkmate" | "mates" | "checkmates" | "finish" => Some(Clue::Mates),
        "push" | "pushes" | "advance" | "advances" | "march" | "marches" => Some(Clue::Pushes),
        _ if word.starts_with("castl") => Some(Clue::Castles),
        _ if takes(word) => Some(Clue::Takes),
        _ if promoting(word).is_some() => Some(Clue::Promotes),
        _ => None,
    };
    if let Some(clue) = clue {
        // What finishes the game has a word of its own.
        return (word != "finish").then_some((Some(clue), 1));
    }
    let before = words[..at].iter().rev().find(|word| !ADJECTIVES.contains(word));
    let before = before.copied().unwrap_or_default();
    if let Some((square, used)) = square(word, words.get(at + 1).copied()) {
        let goal = match before {
            "to" | "onto" | "into" => Some(true),
            // "Back where it came from, g1".
            "from" if words[..at].ends_with(&["came", "from"]) => None,
            "from" | "off" | "leaves" => Some(false),
            _ => None,
        };
        return Some((Some(Clue::Square(square, goal)), 1 + used));
    }
    if is_move(word) && word.len() > 2 {
        return Some((Some(Clue::Written(folded(word))), 1));
    }
    if matches!(word, "white" | "black")
        && words.get(at + 1).is_some_and(|next| piece(next).is_some())
    {
        return Some((None, 1));
    }
    if let Some(letter) = piece(word).filter(|_| !is_filler(word)) {
        let mover = context.fen.split(' ').nth(1).unwrap_or_default();
        let part = match before {
            "with" | "by" | "using" => Part::Moves,
            "my" | "our" => Part::Own,
            "into" | "becomes" | "become" | "becoming" | "equals" | "make" | "makes" | "making" => {
                Part::Becomes
            }
            "white" | "black" if !mover.is_empty() => {
                if before.starts_with(mover) {
                    Part::Own
                } else {
                    Part::Taken
                }
            }
            owner if BEFORE_TAKEN.contains(&owner) => Part::Taken,
            verb if takes(verb) || verb == "off" => Part::Taken,
            _ => Part::Any,
        };
        return Some((Some(Clue::Piece(letter, part)), 1));
    }
    (is_filler(word)
        || PLAIN.contains(&word)
        || ADJECTIVES.contains(&word)
        || BEFORE_TAKEN.contains(&word)
        || matches!(word, "my" | "i" | "and" | "with"))
    .then_some((None, 1))
}

/// How much a clue says.
pub fn weight(clue: &Clue) -> usize {
    match clue {
        Clue::NoPiece(_) | Clue::NoSquare(_) | Clue::Mates => 0,
        Clue::Piece(_, Part::Taken)
        | Clue::Square(..)
        | Clue::Side(_)
        | Clue::Promotes
        | Clue::Line(_)
        | Clue::Ranks(_) => 2,
        Clue::Written(_) | Clue::Passes | Clue::Castles => 3,
        _ => 1,
    }
}
