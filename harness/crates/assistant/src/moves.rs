//! Moves in words: `knight f3`, `night to f three`, `castle short`, `e takes d5`.

use super::similar::similarity;
use super::words::Word;

/// Words that say nothing about which move it is.
const FILLERS: [&str; 40] = [
    "a",
    "and",
    "at",
    "capture",
    "captures",
    "capturing",
    "check",
    "do",
    "from",
    "go",
    "goes",
    "i",
    "into",
    "is",
    "it",
    "let",
    "make",
    "move",
    "moves",
    "my",
    "now",
    "of",
    "okay",
    "on",
    "piece",
    "play",
    "please",
    "push",
    "put",
    "square",
    "take",
    "takes",
    "taking",
    "the",
    "then",
    "to",
    "us",
    "will",
    "with",
    "x",
];

/// Parts of a spoken move.
#[derive(Debug, Default)]
struct SpokenMove {
    /// `N`, `P`, ...; the piece that moves.
    piece: Option<char>,
    /// Squares, in their order.
    squares: Vec<String>,
    /// A file from which a pawn takes.
    file: Option<char>,
    /// The piece that a pawn becomes.
    promotion: Option<char>,
    /// `O-O` or `O-O-O`; castling of unknown side is empty.
    castling: Option<&'static str>,
}

/// The legal move that a sentence names, as engines and as people write it.
pub fn legal_move(
    text: &str,
    split: &[Word],
    legal: &[(String, String)],
) -> Option<(String, String)> {
    let plain = |san: &str| san.replace(['+', '#', '!', '?', ' ', '-', '='], "").replace('0', "O");
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
    if let Some(found) = same(false).or_else(|| same(true)) {
        return Some(found.clone());
    }
    let read_move = read_move(split)?;
    let mut fitting = legal.iter().filter(|(uci, san)| fits(&read_move, uci, san));
    let first = fitting.next()?;
    let queen = |found: &(String, String)| found.1.contains("=Q");
    match fitting.next() {
        None => Some(first.clone()),
        // Without another word a pawn becomes a queen.
        Some(second) if read_move.promotion.is_none() && (queen(first) || queen(second)) => {
            Some(if queen(first) { first.clone() } else { second.clone() })
        }
        Some(_) => None,
    }
}

/// Reads a spoken move; `None` where a word is no part of one.
fn read_move(split: &[Word]) -> Option<SpokenMove> {
    let words: Vec<&str> = split.iter().map(|word| word.text.as_str()).collect();
    let mut read_move = SpokenMove::default();
    let mut at = 0;
    let mut promotes = false;
    while at < words.len() {
        let word = words[at];
        at += 1;
        if let Some((square, used)) = square(word, words.get(at).copied()) {
            read_move.squares.push(square);
            at += used;
        } else if word.len() == 4
            && square(&word[..2], None).is_some()
            && square(&word[2..], None).is_some()
        {
            read_move.squares.extend([word[..2].to_owned(), word[2..].to_owned()]);
        } else if let Some(piece) = piece(word) {
            if promotes {
                read_move.promotion = Some(piece);
            } else if read_move.piece.is_none() {
                read_move.piece = Some(piece);
            }
        } else if let [file @ b'a'..=b'h'] = word.as_bytes() {
            read_move.file.get_or_insert(char::from(*file));
        } else {
            match word {
                "promote" | "promotes" | "promoting" | "becomes" | "equals" => promotes = true,
                "castle" | "castles" | "castling" => {
                    read_move.castling.get_or_insert("");
                }
                "short" | "kingside" | "o-o" => read_move.castling = Some("O-O"),
                "long" | "queenside" | "o-o-o" => read_move.castling = Some("O-O-O"),
                "side" if read_move.piece == Some('K') => read_move.castling = Some("O-O"),
                "side" if read_move.piece == Some('Q') => read_move.castling = Some("O-O-O"),
                filler if FILLERS.contains(&filler) => {}
                _ => return None,
            }
        }
    }
    let enough = read_move.castling.is_some() || !read_move.squares.is_empty();
    enough.then_some(read_move)
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
    const NAMES: [(&str, char); 6] = [
        ("knight", 'N'),
        ("bishop", 'B'),
        ("rook", 'R'),
        ("queen", 'Q'),
        ("king", 'K'),
        ("pawn", 'P'),
    ];
    if word.len() < 3 || FILLERS.contains(&word) {
        return None;
    }
    let alike = |(name, piece): (&str, char)| (similarity(word, name), piece);
    let best = NAMES.map(alike).into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(alike, _)| *alike >= 0.78).map(|(_, piece)| piece)
}

fn fits(read_move: &SpokenMove, uci: &str, san: &str) -> bool {
    let castles = san.starts_with("O-O");
    if let Some(side) = read_move.castling {
        return castles && (side.is_empty() || san.trim_end_matches(['+', '#']) == side);
    }
    let Some(to) = read_move.squares.last() else { return false };
    let moved = san.chars().next().filter(char::is_ascii_uppercase).unwrap_or('P');
    let from_fits = read_move.squares.len() < 2 || uci.starts_with(read_move.squares[0].as_str());
    let promoted = san.split_once('=').and_then(|(_, piece)| piece.chars().next());
    !castles
        && uci.get(2..4) == Some(to)
        && from_fits
        && read_move.piece.is_none_or(|piece| piece == moved)
        && read_move.file.is_none_or(|file| uci.starts_with(file) || uci.get(2..3) == Some(&file.to_string()))
        && read_move.promotion.is_none_or(|piece| promoted == Some(piece))
        // `e4` is a move of the pawn, as in SAN.
        && (read_move.piece.is_some() || read_move.squares.len() > 1 || moved == 'P')
}
