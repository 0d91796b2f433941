//! Moves in words: `knight f3`, `night to f three`, `castle short`, `e takes d5`.

mod agreeing;
mod origin;
mod sentence;
mod spoken;
mod wings;

pub use self::agreeing::{Agreeing, agreeing};
pub use self::sentence::{Said, said};
use self::spoken::{SpokenMove, read_move};
use self::wings::Wing;
use super::context::Context;
use super::words::Word;

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

/// "Put a second white queen on e2", "take back the pawn to a6": what is set up or taken back is no move.
fn is_no_move(words: &[&str]) -> bool {
    adds_piece(words) || takes_back(words)
}

/// "Take back only Black's pawn to a6", "undo my knight to c3": a move that is taken back.
pub fn takes_back<T: AsRef<str>>(words: &[T]) -> bool {
    let is_verb = |word: &T| matches!(word.as_ref(), "undo" | "retract" | "revert" | "unmake");
    let takes = |pair: &[T]| {
        matches!(pair[0].as_ref(), "take" | "taking") && matches!(pair[1].as_ref(), "back")
    };
    words.windows(2).any(takes) || words.iter().take(4).any(is_verb)
}

/// "Put a second white queen on e2": a position that is set up.
fn adds_piece(words: &[&str]) -> bool {
    const MORE: [&str; 4] = ["second", "another", "extra", "additional"];
    let is_side = |word: &str| matches!(word, "white" | "black");
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    (1..words.len()).any(|at| {
        let piece = at + 1 + usize::from(is_side(word(at + 1)));
        MORE.contains(&word(at))
            && crate::tags::is_piece(word(piece))
            && !matches!(word(at - 1), "my" | "the" | "his")
            && words[..at]
                .iter()
                .any(|verb| matches!(*verb, "put" | "add" | "place" | "set" | "give"))
    })
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
pub fn named_move(text: &str, split: &[Word], context: &Context) -> Named {
    let legal = context.legal.as_slice();
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
    let mut found = found.iter().map(|reading| fitting(reading, context));
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
fn fitting(read_move: &SpokenMove, context: &Context) -> Vec<(String, String)> {
    let takes_it =
        |uci: &str| match (read_move.taken, context.piece_on(uci.get(2..4).unwrap_or_default())) {
            (Some(taken), Some(there)) => there.to_ascii_uppercase() == taken,
            _ => true,
        };
    // What is taken in passing stands elsewhere.
    let passes = |uci: &str| {
        !read_move.en_passant || context.piece_on(uci.get(2..4).unwrap_or_default()).is_none()
    };
    let fits =
        |(uci, san): &&(String, String)| fits(read_move, uci, san) && takes_it(uci) && passes(uci);
    let fitting = context.legal.iter().filter(fits);
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

/// The letter of a piece by its name, as it is written or heard.
fn piece_letter(word: &str) -> Option<char> {
    Some(match word {
        "knight" | "night" | "nite" | "knights" | "horse" | "n" => 'N',
        "bishop" | "bishops" | "bish" => 'B',
        "rook" | "rooks" | "brook" | "ruck" | "r" => 'R',
        "queen" | "queens" | "quen" | "q" => 'Q',
        "king" | "kings" => 'K',
        "pawn" | "pawns" | "pond" | "pown" => 'P',
        _ => return None,
    })
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
    let from_side = |file: char| match read_move.takes {
        true => uci.starts_with(file),
        false => uci.starts_with(file) || uci.get(2..3) == Some(&file.to_string()),
    };
    // `e4` is a move of the pawn, as in SAN.
    let is_plain = read_move.piece.is_none() && squares.len() == 1;
    let wing_fits = |wing: Wing| wing.has(moved, uci.chars().next().unwrap_or_default());
    !castles
        && squares.last().is_none_or(|to| uci.get(2..4) == Some(to.as_str()))
        && from_fits
        && (!is_plain || moved == 'P')
        && read_move.written.as_ref().is_none_or(is_written)
        && read_move.piece.is_none_or(|piece| piece == moved)
        && read_move.file.is_none_or(from_side)
        && read_move.lines.iter().all(|line| line.has(uci))
        && read_move.origins.iter().all(|origin| origin.has(uci))
        && (!read_move.takes || san.contains('x'))
        && (!read_move.promotes || becomes.is_some())
        && read_move.wing.is_none_or(wing_fits)
        && read_move.ranks.is_none_or(|ranks| moved == 'P' && wings::advance(uci) == Some(ranks))
        && (!squares.is_empty()
            || read_move.written.is_some()
            || becomes.is_some()
            || read_move.ranks.is_some()
            || !read_move.lines.is_empty()
            || read_move.takes
            || (read_move.farthest && moved == 'P' && wings::advance(uci).is_some()))
        && read_move.promotion.is_none_or(|piece| becomes == Some(piece))
}
