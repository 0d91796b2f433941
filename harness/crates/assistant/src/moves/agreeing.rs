//! Legal moves that agree with all that a sentence names, whatever its verb: "tuck my king away on the short side", "c8 falls
//! to my pawn, which turns into a bishop, not a queen". What is no part of it is named.

use super::super::context::Context;
use super::super::words::{self, Word};
use super::origin::{self, Origin};
use super::spoken::{BEFORE_TAKEN, is_filler, piece, promoting, square, takes};
use super::wings::{self, Line, Wing};
use super::{folded, promotion};
use crate::tags::is_move;

/// What a move has to have.
#[derive(Clone, Debug, PartialEq)]
enum Clue {
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
enum Part {
    /// It is not said.
    Any,
    /// It moves, or a pawn becomes it.
    Own,
    Moves,
    Taken,
    Becomes,
}

/// The moves that agree with a sentence.
pub struct Agreeing {
    /// Legal moves, as engines and as people write them.
    pub moves: Vec<(String, String)>,
    /// What is no part of the move, as it was typed.
    pub unread: Vec<String>,
}

/// More moves than this are no answer.
const MOST: usize = 4;

/// What a sentence has to say of a move at least.
const ENOUGH: usize = 3;

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

/// The legal moves that agree with all that a sentence names; `None` where it names too little, or none or many agree.
pub fn agreeing(text: &str, split: &[Word], context: &Context) -> Option<Agreeing> {
    let said: Vec<&str> = split.iter().map(|word| wings::letter(&word.text)).collect();
    if states(&said) {
        return None;
    }
    let (clues, rest) = clues(&said, context);
    let weight: usize = clues.iter().map(weight).sum();
    if weight < ENOUGH {
        return None;
    }
    let mut moves: Vec<(String, String)> =
        context.legal.iter().filter(|legal| agrees(&clues, legal, context)).cloned().collect();
    // "Finish him": of several moves that which mates.
    if clues.contains(&Clue::Mates) && moves.iter().any(|(_, san)| san.ends_with('#')) {
        moves.retain(|(_, san)| san.ends_with('#'));
    }
    // A square alone is that of a pawn, as in a move that is written.
    let names_piece = clues.iter().any(|clue| matches!(clue, Clue::Piece(..) | Clue::Takes));
    let of_pawn = |(_, san): &(String, String)| !san.starts_with(char::is_uppercase);
    if !names_piece && moves.iter().any(of_pawn) {
        moves.retain(of_pawn);
    }
    if moves.is_empty() || moves.len() > MOST {
        return None;
    }
    Some(Agreeing { moves, unread: typed(text, split, &rest) })
}

/// "My queen is trapped on d1" says how something stands, "d4 is what I meant" and "the knight that is at home" do not.
fn states(words: &[&str]) -> bool {
    let before = |at: usize| words[at.saturating_sub(1)];
    (1..words.len()).any(|at| {
        matches!(words[at], "is" | "are" | "was" | "looks" | "seems")
            && !matches!(before(at), "that" | "which")
            && words.get(at + 1) != Some(&"what")
    })
}

/// The words at these places, those beside each other together.
fn typed(text: &str, split: &[Word], places: &[usize]) -> Vec<String> {
    let together =
        places.chunk_by(|one, next| one + 1 == *next && !words::has_sign(text, split, *next));
    together
        .map(|part| text[split[part[0]].chunk.0..split[part[part.len() - 1]].chunk.1].to_owned())
        .collect()
}

/// How much a clue says.
fn weight(clue: &Clue) -> usize {
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

/// What a sentence says of a move, and the words that say nothing of one.
fn clues(words: &[&str], context: &Context) -> (Vec<Clue>, Vec<usize>) {
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

/// Whether a legal move has all that is said.
fn agrees(clues: &[Clue], (uci, san): &(String, String), context: &Context) -> bool {
    let (Some(from), Some(to)) = (uci.get(..2), uci.get(2..4)) else { return false };
    let castles = san.starts_with("O-O");
    let is_short = castles && !san.starts_with("O-O-O");
    let moved = if castles {
        'K'
    } else {
        san.chars().next().filter(char::is_ascii_uppercase).unwrap_or('P')
    };
    let captures = san.contains('x');
    // What is taken in passing stands elsewhere; where the position is not known, it may be any piece.
    let taken = captures.then(|| match context.piece_on(to) {
        Some(there) => there.to_ascii_uppercase(),
        None if context.fen.is_empty() => '?',
        None => 'P',
    });
    let becomes = promotion(san);
    let is_said = |wanted: &Clue| clues.contains(wanted);
    let names_king =
        clues.iter().any(|clue| matches!(clue, Clue::Piece('K', _))) || is_said(&Clue::Castles);
    let names_new = clues.iter().any(|clue| matches!(clue, Clue::Piece(_, Part::Becomes)));
    let names_other = |letter: char| {
        clues.iter().any(|clue| matches!(clue, Clue::Piece(other, _) if *other == letter))
    };
    let agrees = |clue: &Clue| match clue {
        Clue::Piece(..) => true,
        Clue::NoPiece(letter) => {
            moved != *letter && taken != Some(*letter) && becomes != Some(*letter)
        }
        Clue::Square(square, Some(true)) => to == square,
        Clue::Square(square, Some(false)) => from == square,
        Clue::Square(square, None) => to == square || from == square,
        Clue::NoSquare(square) => to != square && from != square,
        Clue::Written(written) => *written == folded(san) || *written == folded(uci),
        Clue::Origin(origin) => origin.has(uci),
        Clue::Line(line) => line.has(uci),
        Clue::Wing(wing) => wing.has(moved, from.chars().next().unwrap_or_default()),
        Clue::Ranks(ranks) => moved == 'P' && wings::advance(uci) == Some(*ranks),
        Clue::Side(of_king) if castles => is_short == *of_king,
        // "The king hides on the queen's side" is castling.
        Clue::Side(of_king) => {
            !names_king && from.starts_with(|file| "efgh".contains(file) == *of_king)
        }
        Clue::Castles => castles,
        Clue::Takes => captures,
        Clue::Passes => captures && context.piece_on(to).is_none() && moved == 'P',
        Clue::Promotes => becomes.is_some(),
        Clue::Pushes => moved == 'P' || clues.iter().any(|clue| matches!(clue, Clue::Piece(..))),
        Clue::FromHome => is_home(moved, from),
        Clue::Centre => ["d4", "e4", "d5", "e5"].contains(&to),
        Clue::Corner => [from, to].iter().any(|square| ["a1", "a8", "h1", "h8"].contains(square)),
        Clue::Mates => true,
    };
    // Nothing else is said of castling than the king, the rook and the side.
    let is_castled = !castles
        || clues
            .iter()
            .any(|clue| matches!(clue, Clue::Side(_) | Clue::Castles | Clue::Square(..)))
            && (names_king || names_other('R') || is_said(&Clue::Castles));
    let squares = clues.iter().filter(|clue| matches!(clue, Clue::Square(..))).count();
    is_castled
        && squares < 3
        && (becomes.is_none_or(|piece| piece == 'Q')
            || names_new
            || becomes.is_some_and(names_other))
        && clues.iter().all(agrees)
        && pieces_agree(clues, moved, taken, becomes, castles)
}

/// Whether each piece that is named has a part in the move of its own.
fn pieces_agree(
    clues: &[Clue],
    moved: char,
    taken: Option<char>,
    becomes: Option<char>,
    castles: bool,
) -> bool {
    let mut free = [
        (Part::Moves, Some(moved)),
        (Part::Taken, taken),
        (Part::Becomes, becomes),
        (Part::Any, castles.then_some('R')),
    ];
    let mut named: Vec<(char, Part)> = clues
        .iter()
        .filter_map(|clue| match clue {
            Clue::Piece(letter, part) => Some((*letter, *part)),
            _ => None,
        })
        .collect();
    // Those of which more is said choose first.
    named.sort_by_key(|(_, part)| matches!(part, Part::Any));
    named.into_iter().all(|(letter, part)| {
        let fits = |(of, there): &(Part, Option<char>)| {
            let is_part = match part {
                Part::Any => true,
                Part::Own => *of != Part::Taken,
                part => *of == part,
            };
            is_part && (*there == Some(letter) || (*there == Some('?') && *of == Part::Taken))
        };
        let Some(place) = free.iter().position(fits) else { return false };
        free[place].1 = None;
        true
    })
}

/// Whether a piece begins a game on a square.
fn is_home(moved: char, from: &str) -> bool {
    let (file, rank) = from.split_at(1);
    match moved {
        'P' => matches!(rank, "2" | "7"),
        'N' => matches!(file, "b" | "g") && matches!(rank, "1" | "8"),
        'B' => matches!(file, "c" | "f") && matches!(rank, "1" | "8"),
        'R' => matches!(file, "a" | "h") && matches!(rank, "1" | "8"),
        'Q' => file == "d" && matches!(rank, "1" | "8"),
        _ => file == "e" && matches!(rank, "1" | "8"),
    }
}
