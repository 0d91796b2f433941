//! Moves as people and programs write them, without a board.
//!
//! Standard and long algebraic notation, with or without signs of captures, figurines in place of
//! letters, promotions of all spellings, castling by letters and zeros, and the moves of UCI; then
//! any signs behind them.

use shakmaty::{CastlingSide, File, Rank, Role, Square};

use super::glyphs::{self, Nags};

/// One way to read a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The move.
    pub shape: Shape,
    /// The signs behind it.
    pub nags: Nags,
}

/// A move as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A piece goes to a square.
    Piece {
        /// Which; `None`: any, the square it comes from is known.
        role: Option<Role>,
        /// From this file.
        file: Option<File>,
        /// From this rank.
        rank: Option<Rank>,
        /// To this square.
        to: Square,
        /// Promotion.
        promotion: Option<Role>,
    },
    /// A pawn takes, of which the files alone are written: `exd`.
    PawnTakes {
        /// From this file.
        from: File,
        /// To this one.
        to: File,
    },
    /// Castling.
    Castle(CastlingSide),
}

/// A legal move, as far as shapes tell moves apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The piece.
    pub role: Role,
    /// From.
    pub from: Square,
    /// To; of castling, the rook's square.
    pub to: Square,
    /// Promotion of a pawn.
    pub promotion: Option<Role>,
    /// The side on which it castles.
    pub castles: Option<CastlingSide>,
}

impl Shape {
    /// Whether a move that is not castling is of this shape, or castling is that is written as such.
    pub fn fits(self, step: &Step) -> bool {
        match (self, step.castles) {
            (Shape::Castle(side), castles) => castles == Some(side),
            (Shape::Piece { .. } | Shape::PawnTakes { .. }, Some(_)) => false,
            (Shape::PawnTakes { from, to }, None) => {
                let files = (step.from.file(), step.to.file());
                step.role == Role::Pawn && files == (from, to) && step.promotion.is_none()
            }
            (Shape::Piece { role, file, rank, to, promotion }, None) => {
                role.is_none_or(|role| role == step.role)
                    && is_from(file, rank, step.from)
                    && to == step.to
                    && promotion == step.promotion
            }
        }
    }

    /// Whether castling is of this shape, written as a move of the king to its new square, or to
    /// that of the rook.
    pub fn fits_castling(self, step: &Step) -> bool {
        let (Shape::Piece { role, file, rank, to, promotion: None }, Some(side)) =
            (self, step.castles)
        else {
            return false;
        };
        let new = Square::from_coords(side.king_to_file(), step.from.rank());
        role.is_none_or(|role| role == Role::King)
            && is_from(file, rank, step.from)
            && (to == step.to || to == new)
    }
}

fn is_from(file: Option<File>, rank: Option<Rank>, from: Square) -> bool {
    file.is_none_or(|file| file == from.file()) && rank.is_none_or(|rank| rank == from.rank())
}

/// The ways to read a word, the most usual first.
pub fn readings(word: &str) -> impl Iterator<Item = Reading> {
    let castles = castling(word);
    let pieces = pieces(word).into_iter().flatten();
    let usual = castles.into_iter().chain(pieces.flat_map(|(role, rest)| squares(role, rest)));
    usual.chain(pawn_takes(word))
}

/// `ed`, `exd`, `e:d`.
fn pawn_takes(word: &str) -> Option<Reading> {
    let ((from, None), middle) = origin(word) else { return None };
    let middle = middle.strip_prefix(TAKES).unwrap_or(middle);
    let ((to, None), rest) = origin(middle) else { return None };
    let from = from?;
    let to = to?;
    let shape = Shape::PawnTakes { from, to };
    (from != to).then_some(Reading { shape, nags: glyphs::all(rest)? })
}

/// Signs of a capture.
const TAKES: [char; 4] = ['x', ':', '×', 'X'];

/// `O-O`, `0-0-0`, `o-o`, `OO`, and signs behind them.
fn castling(word: &str) -> Option<Reading> {
    let letter = |text: &str| text.strip_prefix(['O', '0', 'o']).map(str::len);
    let dash = |text: &str| text.trim_start_matches(DASHES).len();
    let mut rest = word;
    let mut letters = 0;
    while let Some(left) = letter(&rest[rest.len() - dash(rest)..]).filter(|_| letters < 3) {
        (rest, letters) = (&rest[rest.len() - left..], letters + 1);
    }
    let side = match letters {
        2 => CastlingSide::KingSide,
        3 => CastlingSide::QueenSide,
        _ => return None,
    };
    let starts_well = !word.starts_with(DASHES);
    let nags = glyphs::all(rest).filter(|_| starts_well)?;
    Some(Reading { shape: Shape::Castle(side), nags })
}

const DASHES: [char; 6] = ['-', '–', '—', '‐', '‑', '−'];

/// The pieces that a word may begin with, and what follows; without one it is a pawn's move, or one
/// of UCI. A small letter names a piece where it cannot be a file, and `b` where no pawn fits.
fn pieces(word: &str) -> [Option<(Option<Role>, &str)>; 2] {
    let mut characters = word.chars();
    let first = characters.next();
    let rest = characters.as_str();
    match first.and_then(piece) {
        Some(role) => [Some((Some(role), rest.trim_start_matches(SELECTORS))), None],
        None => {
            let bishop = (first == Some('b')).then_some((Some(Role::Bishop), rest));
            [Some((None, word)), bishop]
        }
    }
}

/// Behind a figurine: it is shown as text, or as a picture.
const SELECTORS: [char; 2] = ['\u{fe0e}', '\u{fe0f}'];

fn piece(letter: char) -> Option<Role> {
    Some(match letter {
        'P' | 'p' | '♙' | '♟' => Role::Pawn,
        'N' | 'n' | '♘' | '♞' => Role::Knight,
        'B' | '♗' | '♝' => Role::Bishop,
        'R' | 'r' | '♖' | '♜' => Role::Rook,
        'Q' | 'q' | '♕' | '♛' => Role::Queen,
        'K' | 'k' | '♔' | '♚' => Role::King,
        _ => return None,
    })
}

/// The ways to read what follows the letter of a piece.
fn squares(role: Option<Role>, text: &str) -> impl Iterator<Item = Reading> + '_ {
    let (from, middle) = origin(text);
    let separated = middle.strip_prefix(TAKES).or(middle.strip_prefix(DASHES));
    let target = square(separated.unwrap_or(middle));
    let (file, rank, to, rest) = match (target, from) {
        (Some((to, rest)), (file, rank)) => (file, rank, Some(to), rest),
        // One square: it is where the piece goes.
        (None, (Some(file), Some(rank))) => {
            (None, None, Some(Square::from_coords(file, rank)), middle)
        }
        (None, _) => (None, None, None, middle),
    };
    // Without a letter only a known square tells that it is no pawn.
    let pawn = (!(file.is_some() && rank.is_some())).then_some(Role::Pawn);
    let role = role.or(pawn);
    // Some write the sign of a capture behind the square.
    let is_before = separated.is_some() && target.is_some();
    let rest = rest.strip_prefix(TAKES).filter(|_| !is_before).unwrap_or(rest);
    let ends = to.into_iter().flat_map(move |to| ends(rest).map(move |end| (to, end)));
    ends.map(move |(to, (promotion, nags))| Reading {
        shape: Shape::Piece { role, file, rank, to, promotion },
        nags,
    })
}

/// A file, a rank, or both, at the beginning of a text.
fn origin(text: &str) -> ((Option<File>, Option<Rank>), &str) {
    let mut characters = text.chars();
    let file = characters.clone().next().and_then(File::from_char);
    if file.is_some() {
        characters.next();
    }
    let rank = characters.clone().next().and_then(Rank::from_char);
    if rank.is_some() {
        characters.next();
    }
    ((file, rank), characters.as_str())
}

/// The square that a text begins with.
fn square(text: &str) -> Option<(Square, &str)> {
    match origin(text) {
        ((Some(file), Some(rank)), rest) => Some((Square::from_coords(file, rank), rest)),
        _ => None,
    }
}

/// The ways to read what follows the square: a promotion and signs, or signs alone.
fn ends(text: &str) -> impl Iterator<Item = (Option<Role>, Nags)> + '_ {
    let promoted = promotion(text).and_then(|(role, rest)| Some((Some(role), glyphs::all(rest)?)));
    let plain = glyphs::all(text).map(|nags| (None, nags));
    promoted.into_iter().chain(plain)
}

/// `=Q`, `Q`, `q`, `(Q)`, `/Q`.
fn promotion(text: &str) -> Option<(Role, &str)> {
    let (inner, closing) = match text.strip_prefix(['=', '/']) {
        Some(rest) => (rest, ""),
        None => text.strip_prefix('(').map_or((text, ""), |rest| (rest, ")")),
    };
    let mut characters = inner.chars();
    let letter = characters.next()?;
    let role = piece(if letter == 'b' { 'B' } else { letter })?;
    let rest = characters.as_str().trim_start_matches(SELECTORS).strip_prefix(closing)?;
    (!matches!(role, Role::Pawn | Role::King)).then_some((role, rest))
}
