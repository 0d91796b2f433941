//! Reads a move as it is said, word by word: `knight f3`, `e takes d5`, "the rook of the f file takes on f6".

use super::super::names;
use super::super::similar::similarity;
use super::super::spelling::{Slip, slip};
use super::super::tags::is_move;
use super::super::words::Word;
use super::origin::{self, Origin};
use super::wings::{self, Line, Wing};
use super::{folded, piece_letter};

/// Words that say nothing about which move it is.
const FILLERS: &str = "a advance advances advancing ahead also an and as at bring bringing brings but by can \
    check checking checkmate chess convert develop develops do drop drops ending for forward forwards from get gets \
    give gives giving go goes going going have he her here his hop hopping hops i in instead into is it its jump \
    jumping jumps just land lands leap leaps let like mate mates move moved moves moving must my now of ok okay on one \
    only onto opponents out over piece places play plays please push pushes pushing put rather retreat retreats \
    return returns run runs safety send sends shall shift shifts should sit sits slide slides so spring springs edge \
    rim square squared squares step steps swing swings that the their then this through to too towards up us want \
    wants will with would your en passant ep \
    there second sac sack sacrifice sacrifices sacrificing field fields \
    thanks thank lot cheers thing chk corner anyway anyhow";

/// Words that capture.
const TAKING: [&str; 31] = [
    "hit",
    "hits",
    "smash",
    "smashes",
    "gobble",
    "gobbles",
    "take",
    "takes",
    "taking",
    "capture",
    "captures",
    "capturing",
    "x",
    "beat",
    "beats",
    "eat",
    "eats",
    "grab",
    "grabs",
    "snatch",
    "snatches",
    "recapture",
    "recaptures",
    "recapturing",
    "retake",
    "retakes",
    "captured",
    "exchange",
    "exchanges",
    "kill",
    "kills",
];

/// Words behind which the piece that moves is named, wherever they stand: "take on d8 with the knight".
const BEFORE_MOVER: [&str; 3] = ["with", "by", "using"];

/// Words behind which a piece of the opponent is named: "I take your rook".
pub const BEFORE_TAKEN: [&str; 5] = ["your", "his", "her", "their", "opponents"];

/// Words between one of those and the piece.
const ARTICLES: [&str; 5] = ["a", "an", "my", "the", "other"];

/// Parts of a spoken move.
#[derive(Clone, Debug, Default)]
pub struct SpokenMove {
    /// `N`, `P`, ...; the piece that moves.
    pub piece: Option<char>,
    /// A piece that is named behind the square: that which the pawn becomes, or the one that moves.
    pub later: Option<char>,
    /// The piece that is taken, if it is named.
    pub taken: Option<char>,
    /// Whether something is taken.
    pub takes: bool,
    /// Squares, in their order.
    pub squares: Vec<String>,
    /// A move as it is written, within a sentence: `exd8`, without its signs.
    pub written: Option<String>,
    /// A file from which a pawn takes.
    pub file: Option<char>,
    /// Where the piece comes from, or does not.
    pub origins: Vec<Origin>,
    /// A file or a rank to which it moves: "the knight to the h file".
    pub lines: Vec<Line>,
    /// Files of the side of the board from which it moves: "the queen's knight".
    pub wing: Option<Wing>,
    /// Ranks that a pawn advances.
    pub ranks: Option<u8>,
    /// A pawn advances as far as it can.
    pub farthest: bool,
    /// The piece that a pawn becomes.
    pub promotion: Option<char>,
    /// A pawn takes in passing.
    pub en_passant: bool,
    /// A pawn becomes something.
    pub promotes: bool,
    /// It becomes no queen.
    pub underpromotes: bool,
    /// "Make" and its like, which may be a promotion.
    pub makes: bool,
    /// `O-O` or `O-O-O`; castling of unknown side is empty.
    pub castling: Option<&'static str>,
    /// "Black castles": a side, which is no other one's piece only where it castles.
    pub names_side: bool,
}

/// Reads a spoken move; `None` where a word is no part of one.
pub fn read_move(split: &[Word]) -> Option<SpokenMove> {
    let words: Vec<&str> = split.iter().flat_map(|word| promotion_words(&word.text)).collect();
    let words: Vec<&str> = words.into_iter().map(wings::letter).collect();
    let mut read_move = SpokenMove::default();
    let mut at = 0;
    while at < words.len() {
        let used = read_move.read_phrase(&words, at).or_else(|| read_move.read_word(&words, at))?;
        at += used;
    }
    let names_other_side = read_move.names_side && read_move.castling.is_none();
    // "Make the knight on c3 a bishop" is no move.
    let makes_other = read_move.makes
        && read_move.later.is_some()
        && read_move.piece.is_some_and(|piece| piece != 'P');
    (!makes_other && !names_other_side && read_move.is_enough(&words)).then_some(read_move)
}

/// Whether all words are some that a move is said with.
pub fn is_of_move(split: &[Word]) -> bool {
    let words: Vec<&str> = split.iter().map(|word| wings::letter(&word.text)).collect();
    let mut read_move = SpokenMove::default();
    let mut at = 0;
    while at < words.len() {
        match read_move.read_phrase(&words, at).or_else(|| read_move.read_word(&words, at)) {
            Some(used) => at += used,
            None => return false,
        }
    }
    // "And that is it" is no part of one.
    words.iter().any(|word| !is_filler(word))
}

impl SpokenMove {
    /// Reads several words that belong together, and says how many they are.
    fn read_phrase(&mut self, words: &[&str], at: usize) -> Option<usize> {
        if matches!(words[at..], ["en", "passant", ..]) || words[at] == "enpassant" {
            (self.en_passant, self.takes) = (true, true);
            self.piece.get_or_insert('P');
            return Some(1 + usize::from(words[at] == "en"));
        }
        // "My pawn got to the other end", "reached the last rank".
        if let Some(used) = wings::last_rank(words, at).filter(|_| self.piece == Some('P')) {
            self.promotes = true;
            return Some(used);
        }
        if let Some((side, used)) = origin::castling(words, at) {
            self.castling = Some(side);
            return Some(used);
        }
        if let Some((origin, used)) = origin::at(words, at) {
            self.origins.extend(origin);
            return Some(used);
        }
        if let Some((line, used)) = wings::line(words, at) {
            self.lines.push(line);
            return Some(used);
        }
        if let Some((wing, used)) = Wing::at(words, at) {
            self.wing = Some(wing);
            return Some(used);
        }
        if let Some((ranks, used)) = wings::ranks(words, at) {
            self.ranks = Some(ranks);
            return Some(used);
        }
        if let Some(used) = wings::farthest(words, at) {
            self.farthest = true;
            return Some(used);
        }
        let (square, used) = square(words[at], words.get(at + 1).copied())?;
        self.squares.push(square);
        Some(1 + used)
    }

    /// Reads a word.
    fn read_word(&mut self, words: &[&str], at: usize) -> Option<usize> {
        let word = words[at];
        if word.len() == 4
            && word.is_ascii()
            && square(&word[..2], None).is_some()
            && square(&word[2..], None).is_some()
        {
            self.squares.extend([word[..2].to_owned(), word[2..].to_owned()]);
        } else if let Some(under) = promoting(word) {
            self.promotes = true;
            self.underpromotes |= under;
        } else if let Some(piece) = piece(word) {
            self.take_piece(piece, &words[..at]);
        } else if let [file @ b'a'..=b'h'] = word.as_bytes() {
            if word != "a" || names_file(words, at) {
                self.take_file(char::from(*file));
            }
        } else if is_move(word) && !word.starts_with('o') {
            self.written = Some(folded(word));
        } else {
            match word {
                "castle" | "castles" | "castling" => {
                    self.castling.get_or_insert("");
                }
                "short" | "kingside" | "o-o" => self.castling = Some("O-O"),
                "long" | "queenside" | "o-o-o" => self.castling = Some("O-O-O"),
                "small" | "little" if words.contains(&"castling") => self.castling = Some("O-O"),
                "big" | "large" | "great"
                    if self.castling.is_some() || words.contains(&"castling") =>
                {
                    self.castling = Some("O-O-O");
                }
                "side" if self.piece == Some('K') => self.castling = Some("O-O"),
                "side" if self.piece == Some('Q') => self.castling = Some("O-O-O"),
                "side" if self.castling.is_some() => {}
                "white" | "black" => self.names_side = true,
                "make" | "makes" | "making" => self.makes = true,
                // "Turn my pawn into a queen", but "turn the pawn on e4 into a queen" is no move.
                "turn" | "turns" | "change" | "convert"
                    if words.contains(&"into") && !words.iter().any(|word| is_move(word)) =>
                {
                    self.makes = true;
                }
                "finally" | "has" | "got" | "reached" | "reaches" | "reach" | "made" | "gets"
                    if self.piece == Some('P') => {}
                "me" | "rest" | "prefer" if self.promotes => {}
                "under" => self.underpromotes = true,
                // "Go back to e7"; "take back e4" takes a move back.
                "back" | "home"
                    if at.checked_sub(1).is_none_or(|before| words[before] != "take") => {}
                "back" if words.get(at + 1) == Some(&"on") => self.takes = true,
                // "Take the knight to f3" captures nothing.
                taking if TAKING.contains(&taking) || is_misspelt_taking(taking) => {
                    self.takes |= !(taking.starts_with("tak") && words[at..].contains(&"to"));
                }
                filler if is_filler(filler) || BEFORE_MOVER.contains(&filler) => {}
                // "The other rook": which one that is, the position says.
                "other" if words.get(at + 1).is_some_and(|next| piece(next).is_some()) => {}
                // "The English move with the c pawn".
                name if words.get(at + 1) == Some(&"move") && names::is_of_opening(name) => {}
                _ => return None,
            }
        }
        Some(1)
    }

    /// A piece behind these words: one that moves, one that a pawn becomes, or one that is taken.
    fn take_piece(&mut self, piece: char, before: &[&str]) {
        let before = before.iter().rev().find(|word| {
            !ARTICLES.contains(word) && !matches!(**word, "dark" | "light" | "squared")
        });
        let before = before.copied().unwrap_or_default();
        let moves = BEFORE_MOVER.contains(&before);
        let has_target = !self.squares.is_empty() || self.written.is_some();
        let is_after_taking =
            TAKING.contains(&before) && (self.piece.is_some() || before != "take");
        if moves {
            self.taken = self.taken.or(self.piece.filter(|_| self.takes));
            self.piece = Some(piece);
        } else if BEFORE_TAKEN.contains(&before) || is_after_taking {
            self.taken = Some(piece);
        } else if piece != 'P' && (self.promotes || (self.makes && self.piece == Some('P'))) {
            self.promotes = true;
            self.promotion = Some(piece);
        } else if has_target {
            self.later.get_or_insert(piece);
        } else if self.piece == Some('Q') && piece == 'P' && !self.takes {
            // "Queen the pawn".
            (self.promotes, self.promotion) = (true, self.piece.replace(piece));
        } else {
            self.piece.get_or_insert(piece);
        }
    }

    /// A file: that of the pawn that takes, or the one on which it takes.
    fn take_file(&mut self, file: char) {
        match self.file {
            Some(_) if self.takes && self.squares.is_empty() => self.lines.push(Line::File(file)),
            _ => {
                self.file.get_or_insert(file);
            }
        }
    }

    /// Whether it may name a move: where it has no square it is a promotion, a capture or castling.
    fn is_enough(&self, words: &[&str]) -> bool {
        // "Make a rook move" makes no rook.
        let makes = self.makes && self.piece.is_some() && !words.contains(&"move");
        let names_square = !self.squares.is_empty() || self.written.is_some();
        // "Push the king's pawn two squares", "the e pawn one forward".
        let is_pawn = self.piece.is_none_or(|piece| piece == 'P');
        let goes_to_line = self.piece.is_some() && !self.lines.is_empty();
        let advances = is_pawn
            && (self.ranks.is_some() || self.farthest)
            && (self.wing.is_some() || self.file.is_some());
        // "C takes b", "my rook captures his queen", "recapture with the king".
        let is_capture = self.takes
            && (!self.lines.is_empty() || (self.piece.is_some() && self.has_mover(words)));
        self.castling.is_some()
            || self.en_passant
            || names_square
            || self.promotes
            || makes
            || advances
            || goes_to_line
            || is_capture
    }

    /// Whether the piece of a capture is the one that moves: "take the knight" says which one is taken.
    fn has_mover(&self, words: &[&str]) -> bool {
        self.taken.is_some() || words.iter().any(|word| BEFORE_MOVER.contains(word))
    }

    /// Whether it has a piece and where it goes, or two squares, whether or not that is legal.
    pub fn is_whole(&self) -> bool {
        let squares = self.squares.len();
        let mover = self.piece.is_some() || self.file.is_some();
        squares == 2
            || self.written.is_some()
            || self.castling.is_some()
            || (squares == 1 && (mover || self.takes || self.promotes || self.later.is_some()))
            || (!self.lines.is_empty() && mover)
            || (self.takes && self.piece.is_some())
            || (self.promotes && self.promotion.is_some())
            || self.ranks.is_some()
    }
}

/// "Tkes", "captuers".
fn is_misspelt_taking(word: &str) -> bool {
    let is_slip =
        |known: &str| matches!(slip(word, known), Some(Slip::Exchanged | Slip::LeftOutOrDoubled));
    word.len() > 3 && ["takes", "captures", "capture"].into_iter().any(is_slip)
}

/// Whether a word says that something is taken.
pub fn takes(word: &str) -> bool {
    TAKING.contains(&word) || is_misspelt_taking(word)
}

/// Whether a word says nothing about which move it is.
pub fn is_filler(word: &str) -> bool {
    FILLERS.split_ascii_whitespace().any(|filler| filler == word)
}

/// The words of `e8=bishop`; another word stays as it is.
fn promotion_words(word: &str) -> Vec<&str> {
    match word.split_once('=') {
        Some((way, piece)) if is_move(way) && piece.len() > 1 => vec![way, "equals", piece],
        _ => vec![word],
    }
}

/// Whether the word "a" is a file: "a takes b5", "the a pawn". Elsewhere it is an article.
fn names_file(words: &[&str], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    match words.get(at + 1) {
        Some(&("take" | "takes" | "capture" | "captures" | "x" | "file")) => true,
        Some(&"pawn") => matches!(before, Some(&("the" | "my"))),
        _ => false,
    }
}

/// Whether a word says that a pawn becomes something, and if so, whether it is no queen.
pub fn promoting(word: &str) -> Option<bool> {
    let like = |names: [&str; 4]| names.iter().any(|name| similarity(word, name) >= 0.82);
    if matches!(word, "become" | "becomes" | "becoming" | "equals") {
        return Some(false);
    }
    if word.len() < 5 {
        return None;
    }
    if like(["underpromote", "underpromotes", "underpromoting", "underpromotion"]) {
        return Some(true);
    }
    like(["promote", "promotes", "promoting", "promotion"]).then_some(false)
}

/// A square, and whether it takes the next word.
pub fn square(word: &str, next: Option<&str>) -> Option<(String, usize)> {
    let is_file = |byte: u8| (b'a'..=b'h').contains(&byte);
    match word.as_bytes() {
        [file, b'1'..=b'8'] if is_file(*file) => Some((word.to_owned(), 0)),
        [file] if is_file(*file) => {
            let ranks = ["one", "two", "three", "four", "five", "six", "seven", "eight"];
            let next = next?;
            let spoken = ranks.iter().position(|rank| *rank == next).map(|index| index + 1);
            let rank =
                spoken.or_else(|| next.parse().ok().filter(|rank| (1..=8).contains(rank)))?;
            Some((format!("{word}{rank}"), 1))
        }
        _ => None,
    }
}

/// The letter of a piece as it is typed or heard.
pub fn piece(word: &str) -> Option<char> {
    piece_letter(word).or_else(|| misspelt(word))
}

/// The letter of a piece whose name is misspelt.
fn misspelt(word: &str) -> Option<char> {
    const NAMES: [(&str, char); 8] = [
        ("knight", 'N'),
        ("night", 'N'),
        ("horse", 'N'),
        ("bishop", 'B'),
        ("rook", 'R'),
        ("queen", 'Q'),
        ("king", 'K'),
        ("pawn", 'P'),
    ];
    let is_other = matches!(word, "right" | "might" | "light" | "fight" | "tight" | "sight");
    if word.len() < 3 || is_filler(word) || TAKING.contains(&word) || is_other {
        return None;
    }
    // Two letters exchanged, or one left out, are a slip whatever the word sounds like: "nigth", "rok".
    let is_slip =
        |name: &str| matches!(slip(word, name), Some(Slip::Exchanged | Slip::LeftOutOrDoubled));
    let alike = |(name, piece): (&str, char)| match is_slip(name) {
        true => (1.0, piece),
        false => (similarity(word, name), piece),
    };
    let best = NAMES.map(alike).into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(alike, _)| *alike >= 0.78).map(|(_, piece)| piece)
}
