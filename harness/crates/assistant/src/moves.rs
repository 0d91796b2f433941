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

/// What was said of a move.
#[derive(Debug, Default)]
struct Said {
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
        legal.iter().find(|(uci, san)| match ignoring_case {
            false => plain(san) == written || *uci == text.trim(),
            true => {
                plain(san).eq_ignore_ascii_case(&written) || uci.eq_ignore_ascii_case(text.trim())
            }
        })
    };
    if let Some(found) = same(false).or_else(|| same(true)) {
        return Some(found.clone());
    }
    let said = said(split)?;
    let mut fitting = legal.iter().filter(|(uci, san)| fits(&said, uci, san));
    let first = fitting.next()?;
    let queen = |found: &(String, String)| found.1.contains("=Q");
    match fitting.next() {
        None => Some(first.clone()),
        // Without another word a pawn becomes a queen.
        Some(second) if said.promotion.is_none() && (queen(first) || queen(second)) => {
            Some(if queen(first) { first.clone() } else { second.clone() })
        }
        Some(_) => None,
    }
}

/// What the words say of a move; `None` where a word says something else.
fn said(split: &[Word]) -> Option<Said> {
    let words: Vec<&str> = split.iter().map(|word| word.text.as_str()).collect();
    let mut said = Said::default();
    let mut at = 0;
    let mut promotes = false;
    while at < words.len() {
        let word = words[at];
        at += 1;
        if let Some((square, used)) = square(word, words.get(at).copied()) {
            said.squares.push(square);
            at += used;
        } else if word.len() == 4
            && square(&word[..2], None).is_some()
            && square(&word[2..], None).is_some()
        {
            said.squares.extend([word[..2].to_owned(), word[2..].to_owned()]);
        } else if let Some(piece) = piece(word) {
            if promotes {
                said.promotion = Some(piece);
            } else if said.piece.is_none() {
                said.piece = Some(piece);
            }
        } else if let [file @ b'a'..=b'h'] = word.as_bytes() {
            said.file.get_or_insert(char::from(*file));
        } else {
            match word {
                "promote" | "promotes" | "promoting" | "becomes" | "equals" => promotes = true,
                "castle" | "castles" | "castling" => {
                    said.castling.get_or_insert("");
                }
                "short" | "kingside" | "o-o" => said.castling = Some("O-O"),
                "long" | "queenside" | "o-o-o" => said.castling = Some("O-O-O"),
                "side" if said.piece == Some('K') => said.castling = Some("O-O"),
                "side" if said.piece == Some('Q') => said.castling = Some("O-O-O"),
                filler if FILLERS.contains(&filler) => {}
                _ => return None,
            }
        }
    }
    let enough = said.castling.is_some() || !said.squares.is_empty();
    enough.then_some(said)
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

fn fits(said: &Said, uci: &str, san: &str) -> bool {
    let castles = san.starts_with("O-O");
    if let Some(side) = said.castling {
        return castles && (side.is_empty() || san.trim_end_matches(['+', '#']) == side);
    }
    let Some(to) = said.squares.last() else { return false };
    let moved = san.chars().next().filter(char::is_ascii_uppercase).unwrap_or('P');
    let from_fits = said.squares.len() < 2 || uci.starts_with(said.squares[0].as_str());
    let promoted = san.split_once('=').and_then(|(_, piece)| piece.chars().next());
    !castles
        && uci.get(2..4) == Some(to)
        && from_fits
        && said.piece.is_none_or(|piece| piece == moved)
        && said.file.is_none_or(|file| uci.starts_with(file) || uci.get(2..3) == Some(&file.to_string()))
        && said.promotion.is_none_or(|piece| promoted == Some(piece))
        // `e4` is a move of the pawn, as in SAN.
        && (said.piece.is_some() || said.squares.len() > 1 || moved == 'P')
}
