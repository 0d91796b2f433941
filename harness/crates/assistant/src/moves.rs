//! Moves in words: `knight f3`, `night to f three`, `castle short`, `e takes d5`.

mod wings;

use self::wings::Wing;
use super::names;
use super::similar::similarity;
use super::spelling::{Slip, slip};
use super::tags::is_move;
use super::words::Word;

/// Words that say nothing about which move it is.
const FILLERS: &str = "a advance advances advancing ahead also an and as at bring bringing \
    brings but by capture captures capturing check checkmate develop develops do for forward \
    forwards from get gets go goes going have here hop hopping hops i in instead into is it jump \
    jumping jumps just land lands leap leaps let like mate move moved moves moving my now of okay \
    on one only onto out over piece play please push pushes put rather shift shifts slide slides so \
    spring springs edge rim square squares step steps swing swings take takes taking that the then this to \
    too towards up us want wants will with would x";

fn is_filler(word: &str) -> bool {
    FILLERS.split_ascii_whitespace().any(|filler| filler == word)
}

/// Words behind which the piece that moves is named, wherever they stand: "take on d8 with the knight".
const BEFORE_MOVER: [&str; 3] = ["with", "by", "using"];

/// Words between one of those and the piece.
const ARTICLES: [&str; 4] = ["a", "an", "my", "the"];

/// The legal moves that a sentence may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// No move.
    None,
    /// A move, as engines and as people write it.
    One(String, String),
    /// One of these moves, and not which.
    Several(Vec<(String, String)>),
}

/// Parts of a spoken move.
#[derive(Clone, Debug, Default)]
struct SpokenMove {
    /// `N`, `P`, ...; the piece that moves.
    piece: Option<char>,
    /// A piece that is named behind the square: that which the pawn becomes, or the one that moves.
    later: Option<char>,
    /// Squares, in their order.
    squares: Vec<String>,
    /// A move as it is written, within a sentence: `exd8`, without its signs.
    written: Option<String>,
    /// A file from which a pawn takes.
    file: Option<char>,
    /// A file or a rank to which it moves: "the knight to the h file".
    line: Option<wings::Line>,
    /// Files of the side of the board from which it moves: "the queen's knight".
    wing: Option<Wing>,
    /// Ranks that a pawn advances.
    ranks: Option<u8>,
    /// A pawn advances as far as it can.
    farthest: bool,
    /// The piece that a pawn becomes.
    promotion: Option<char>,
    /// A pawn becomes something.
    promotes: bool,
    /// It becomes no queen.
    underpromotes: bool,
    /// "Make" and its like, which may be a promotion.
    makes: bool,
    /// `O-O` or `O-O-O`; castling of unknown side is empty.
    castling: Option<&'static str>,
}

/// A move without its signs, as moves are compared.
fn plain(san: &str) -> String {
    let signs = ['+', '#', '!', '?', ' ', '-', '=', '/', '(', ')'];
    san.replace(signs, "").replace('0', "O")
}

/// The same without `x` and in lower case, as it stands in a sentence.
fn folded(san: &str) -> String {
    plain(san).replace('x', "").to_lowercase()
}

/// The piece that a pawn becomes by a move.
fn promotion(san: &str) -> Option<char> {
    san.split_once('=')?.1.chars().next()
}

/// The legal move that a sentence names.
pub fn named_move(text: &str, split: &[Word], legal: &[(String, String)]) -> Named {
    let written = plain(text);
    let same = |ignoring_case: bool| {
        legal.iter().find(|(uci, san)| {
            if ignoring_case {
                plain(san).eq_ignore_ascii_case(&written) || uci.eq_ignore_ascii_case(text.trim())
            } else {
                plain(san) == written || *uci == text.trim()
            }
        })
    };
    if let Some((uci, san)) = same(false).or_else(|| same(true)) {
        return Named::One(uci.clone(), san.clone());
    }
    if let Some((uci, san)) = in_german(&written, legal) {
        return Named::One(uci.clone(), san.clone());
    }
    let Some(read_move) = read_move(split) else { return Named::None };
    let found = readings(&read_move);
    let mut found = found.iter().map(|reading| fitting(reading, legal));
    match found.find(|found| !found.is_empty()).as_deref() {
        None => Named::None,
        Some([(uci, san)]) => Named::One(uci.clone(), san.clone()),
        Some(several) => Named::Several(several.to_vec()),
    }
}

/// A legal move with German letters: `Sf3`, `Dxd5`, `Lb5`.
fn in_german<'a>(written: &str, legal: &'a [(String, String)]) -> Option<&'a (String, String)> {
    let letters = [('S', 'N'), ('L', 'B'), ('T', 'R'), ('D', 'Q')];
    let (_, letter) = letters.iter().find(|(german, _)| written.starts_with(*german))?;
    let san = format!("{letter}{}", &written[1..]);
    legal.iter().find(|(_, known)| plain(known) == san)
}

/// Whether words name a piece and where it goes, or two squares, whether or not that is legal.
pub fn is_spoken(split: &[Word]) -> bool {
    let is_whole = |read_move: SpokenMove| {
        let squares = read_move.squares.len();
        squares == 2 || (squares == 1 && read_move.piece.is_some())
    };
    read_move(split).is_some_and(is_whole)
}

/// The ways to read a spoken move, the likeliest first.
fn readings(read_move: &SpokenMove) -> Vec<SpokenMove> {
    let mut readings = Vec::new();
    let promotion = read_move.promotion.or(read_move.later);
    readings.push(SpokenMove { promotion, ..read_move.clone() });
    if read_move.later.is_some() {
        // "f3 knight"; of "bishop takes e8 queen" the second piece is the one that is taken.
        let piece = read_move.piece.or(read_move.later);
        readings.push(SpokenMove { piece, ..read_move.clone() });
    }
    // "A bishop on e8", "queen the pawn".
    if let Some(piece @ ('N' | 'B' | 'R' | 'Q')) = read_move.piece
        && promotion.is_none()
    {
        let promotion = Some(piece);
        readings.push(SpokenMove { piece: None, promotion, promotes: true, ..read_move.clone() });
    }
    readings
}

/// The legal moves that a reading fits. A pawn becomes a queen where nothing else is said.
fn fitting(read_move: &SpokenMove, legal: &[(String, String)]) -> Vec<(String, String)> {
    let fitting = legal.iter().filter(|(uci, san)| fits(read_move, uci, san));
    let wanted = |(_, san): &&(String, String)| match (read_move.promotion, promotion(san)) {
        // `exd8=n` says it.
        (None, Some(_)) if read_move.written.as_ref() == Some(&folded(san)) => true,
        (None, Some(piece)) => (piece == 'Q') != read_move.underpromotes,
        _ => true,
    };
    let mut fitting: Vec<_> = fitting.filter(wanted).cloned().collect();
    if read_move.farthest {
        let ranks = |(uci, _): &(String, String)| wings::advance(uci);
        let most = fitting.iter().filter_map(ranks).max();
        fitting.retain(|found| ranks(found) == most);
    }
    fitting
}

/// Reads a spoken move; `None` where a word is no part of one.
fn read_move(split: &[Word]) -> Option<SpokenMove> {
    let words: Vec<&str> = split.iter().flat_map(|word| promotion_words(&word.text)).collect();
    let words: Vec<&str> = words.into_iter().map(wings::letter).collect();
    let mut read_move = SpokenMove::default();
    let mut at = 0;
    while at < words.len() {
        let word = words[at];
        at += 1;
        if let Some((line, used)) = wings::line(&words, at - 1) {
            read_move.line = Some(line);
            at = at - 1 + used;
        } else if let Some((wing, used)) = Wing::at(&words, at - 1) {
            read_move.wing = Some(wing);
            at = at - 1 + used;
        } else if let Some((ranks, used)) = wings::ranks(&words, at - 1) {
            read_move.ranks = Some(ranks);
            at = at - 1 + used;
        } else if let Some(used) = wings::farthest(&words, at - 1) {
            read_move.farthest = true;
            at = at - 1 + used;
        } else if let Some((square, used)) = square(word, words.get(at).copied()) {
            read_move.squares.push(square);
            at += used;
        } else if word.len() == 4
            && square(&word[..2], None).is_some()
            && square(&word[2..], None).is_some()
        {
            read_move.squares.extend([word[..2].to_owned(), word[2..].to_owned()]);
        } else if let Some(under) = promoting(word) {
            read_move.promotes = true;
            read_move.underpromotes |= under;
        } else if let Some(piece) = piece(word) {
            take_piece(&mut read_move, piece, &words[..at - 1]);
        } else if let [file @ b'a'..=b'h'] = word.as_bytes() {
            if word != "a" || names_file(&words, at - 1) {
                read_move.file.get_or_insert(char::from(*file));
            }
        } else if is_move(word) && !word.starts_with('o') {
            read_move.written = Some(folded(word));
        } else {
            match word {
                "castle" | "castles" | "castling" => {
                    read_move.castling.get_or_insert("");
                }
                "short" | "kingside" | "o-o" => read_move.castling = Some("O-O"),
                "long" | "queenside" | "o-o-o" => read_move.castling = Some("O-O-O"),
                "side" if read_move.piece == Some('K') => read_move.castling = Some("O-O"),
                "side" if read_move.piece == Some('Q') => read_move.castling = Some("O-O-O"),
                "make" | "makes" | "making" => read_move.makes = true,
                "under" => read_move.underpromotes = true,
                filler if is_filler(filler) || BEFORE_MOVER.contains(&filler) => {}
                // "The English move with the c pawn".
                name if words.get(at) == Some(&"move") && names::is_of_opening(name) => {}
                _ => return None,
            }
        }
    }
    read_move.is_enough(&words).then_some(read_move)
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
        Some(&("take" | "takes" | "capture" | "captures" | "x")) => true,
        Some(&"pawn") => matches!(before, Some(&("the" | "my"))),
        _ => false,
    }
}

/// A piece behind these words: one that moves, one that a pawn becomes, or one that is taken.
fn take_piece(read_move: &mut SpokenMove, piece: char, before: &[&str]) {
    let before = before.iter().rev().find(|word| !ARTICLES.contains(word));
    let moves = before.is_some_and(|word| BEFORE_MOVER.contains(word));
    let has_target = !read_move.squares.is_empty() || read_move.written.is_some();
    if moves {
        read_move.piece = Some(piece);
    } else if read_move.promotes && piece != 'P' {
        read_move.promotion = Some(piece);
    } else if has_target {
        read_move.later.get_or_insert(piece);
    } else if read_move.piece == Some('Q') && piece == 'P' {
        // "Queen the pawn".
        (read_move.promotes, read_move.promotion) = (true, read_move.piece.replace(piece));
    } else {
        read_move.piece.get_or_insert(piece);
    }
}

impl SpokenMove {
    /// Whether it may name a move: where it has no square it is a promotion.
    fn is_enough(&self, words: &[&str]) -> bool {
        // "Make a rook move" makes no rook.
        let makes = self.makes && self.piece.is_some() && !words.contains(&"move");
        let names_square = !self.squares.is_empty() || self.written.is_some();
        // "Push the king's pawn two squares", "the e pawn one forward".
        let is_pawn = self.piece.is_none_or(|piece| piece == 'P');
        let goes_to_line = self.piece.is_some() && self.line.is_some();
        let advances = is_pawn
            && (self.ranks.is_some() || self.farthest)
            && (self.wing.is_some() || self.file.is_some());
        self.castling.is_some()
            || names_square
            || self.promotes
            || makes
            || advances
            || goes_to_line
    }
}

/// Whether a word says that a pawn becomes something, and if so, whether it is no queen.
fn promoting(word: &str) -> Option<bool> {
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
fn square(word: &str, next: Option<&str>) -> Option<(String, usize)> {
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
fn piece(word: &str) -> Option<char> {
    Some(match word {
        "knight" | "night" | "nite" | "knights" | "horse" | "n" => 'N',
        "bishop" | "bishops" | "bish" => 'B',
        "rook" | "rooks" | "brook" | "ruck" => 'R',
        "queen" | "queens" | "quen" => 'Q',
        "king" | "kings" => 'K',
        "pawn" | "pawns" | "pond" | "pown" => 'P',
        other => return misspelt(other),
    })
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
    if word.len() < 3 || is_filler(word) {
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

fn fits(read_move: &SpokenMove, uci: &str, san: &str) -> bool {
    let castles = san.starts_with("O-O");
    if let Some(side) = read_move.castling {
        return castles && (side.is_empty() || san.trim_end_matches(['+', '#']) == side);
    }
    let becomes = promotion(san);
    let without_promotion = san.split('=').next().unwrap_or_default();
    let is_written =
        |written: &String| *written == folded(san) || *written == folded(without_promotion);
    let moved = san.chars().next().filter(char::is_ascii_uppercase).unwrap_or('P');
    let squares = read_move.squares.as_slice();
    let from_fits = squares.len() < 2 || uci.starts_with(squares[0].as_str());
    // `e4` is a move of the pawn, as in SAN.
    let is_plain = read_move.piece.is_none() && squares.len() == 1;
    let wing_fits = |wing: Wing| wing.has(moved, uci.chars().next().unwrap_or_default());
    let from_file = |file: char| uci.starts_with(file) || uci.get(2..3) == Some(&file.to_string());
    !castles
        && squares.last().is_none_or(|to| uci.get(2..4) == Some(to.as_str()))
        && from_fits
        && (!is_plain || moved == 'P')
        && read_move.written.as_ref().is_none_or(is_written)
        && read_move.piece.is_none_or(|piece| piece == moved)
        && read_move.file.is_none_or(from_file)
        && read_move.line.is_none_or(|line| line.has(uci))
        && (!read_move.promotes || becomes.is_some())
        && read_move.wing.is_none_or(wing_fits)
        && read_move.ranks.is_none_or(|ranks| moved == 'P' && wings::advance(uci) == Some(ranks))
        && (!squares.is_empty()
            || read_move.written.is_some()
            || becomes.is_some()
            || read_move.ranks.is_some()
            || read_move.line.is_some()
            || (read_move.farthest && moved == 'P' && wings::advance(uci).is_some()))
        && read_move.promotion.is_none_or(|piece| becomes == Some(piece))
}
