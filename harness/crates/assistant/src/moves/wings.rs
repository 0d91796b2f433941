//! Moves by the side of the board that they come from, and by how far a pawn advances: "the queen's knight", "the pawn in
//! front of the king", "the king's pawn two squares". Letters as they are spelled on the radio are files.

/// The half of the board of a king or a queen, or the file of a piece of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wing {
    /// Whether it is that of the king.
    of_king: bool,
    /// The piece in whose file a pawn stands; `None`: that of the king or of the queen.
    piece: Option<char>,
}

impl Wing {
    /// The words that say a side before the piece that moves, and how many they are.
    pub fn at(words: &[&str], at: usize) -> Option<(Wing, usize)> {
        let word = |by: usize| words.get(at + by).copied().unwrap_or_default();
        let of_king = |word: &str| match word {
            "king" | "kings" | "kingside" => Some(true),
            "queen" | "queens" | "queenside" => Some(false),
            _ => None,
        };
        // "The pawn in front of the king", "before the queen".
        let front = match [word(0), word(1), word(2), word(3)] {
            ["in", "front", "of", "the" | "my"] => Some(4),
            ["before" | "ahead", "the" | "my", ..] => Some(2),
            _ => None,
        };
        if let Some(front) = front
            && let Some(of_king) = of_king(word(front))
        {
            return Some((Wing { of_king, piece: None }, front + 1));
        }
        let of_king = of_king(word(0))?;
        // "King side" castles.
        let side = usize::from(word(1) == "side");
        let piece = |by: usize| match word(by).trim_end_matches('s') {
            "knight" | "night" | "horse" => Some('N'),
            "bishop" => Some('B'),
            "rook" => Some('R'),
            _ => None,
        };
        let is_pawn = |by: usize| matches!(word(by), "pawn" | "pawns");
        match piece(1 + side) {
            Some(piece) if is_pawn(2 + side) => {
                Some((Wing { of_king, piece: Some(piece) }, 2 + side))
            }
            Some(_) => Some((Wing { of_king, piece: None }, 1 + side)),
            // "Queen the pawn" promotes.
            None => is_pawn(1 + side).then_some((Wing { of_king, piece: None }, 1 + side)),
        }
    }

    /// Whether a piece of a file belongs to it.
    pub fn has(self, moved: char, file: char) -> bool {
        let own = match (self.of_king, self.piece, moved) {
            (true, None, 'P') => "e",
            (false, None, 'P') => "d",
            (true, Some('B'), 'P') => "f",
            (false, Some('B'), 'P') => "c",
            (true, Some('N'), 'P') => "g",
            (false, Some('N'), 'P') => "b",
            (true, Some(_), 'P') => "h",
            (false, Some(_), 'P') => "a",
            (true, ..) => "efgh",
            (false, ..) => "abcd",
        };
        own.contains(file)
    }
}

/// A file or a rank to which a piece goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// A file by its letter.
    File(char),
    /// A rank by its number, as a sign.
    Rank(char),
    /// The last rank of either side.
    Last,
}

impl Line {
    /// Whether a move in the notation of engines ends on it.
    pub fn has(self, uci: &str) -> bool {
        let mut to = uci.chars().skip(2);
        match self {
            Line::File(file) => to.next() == Some(file),
            Line::Rank(rank) => to.nth(1) == Some(rank),
            Line::Last => matches!(to.nth(1), Some('1' | '8')),
        }
    }
}

/// "To the h file", "onto the fourth rank": the line, and how many words say it.
pub fn line(words: &[&str], at: usize) -> Option<(Line, usize)> {
    let word = |by: usize| words.get(at + by).copied().unwrap_or_default();
    if !matches!(word(0), "to" | "onto" | "on" | "into") {
        return None;
    }
    let name = 1 + usize::from(word(1) == "the");
    let (one, other) = (word(name), word(name + 1));
    // Where pawns are promoted.
    if other == "rank" && matches!(one, "last" | "final" | "back") {
        return Some((Line::Last, name + 2));
    }
    let (name_of_line, noun) = match (one, other) {
        ("file" | "rank", name) => (name, one),
        (name, "file" | "rank") => (name, other),
        _ => return None,
    };
    let line = match (noun, letter(name_of_line).as_bytes()) {
        ("file", [file @ b'a'..=b'h']) => Line::File(char::from(*file)),
        ("rank", _) => {
            let ranks =
                ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];
            let spoken = ranks.iter().position(|rank| *rank == name_of_line).map(|at| at + 1);
            let digits = name_of_line.trim_end_matches(|sign: char| sign.is_ascii_lowercase());
            let rank = spoken.or_else(|| digits.parse().ok())?;
            Line::Rank(char::from_digit(rank as u32, 10)?)
        }
        _ => return None,
    };
    Some((line, name + 2))
}

/// Nouns that are counted when a pawn advances.
const RANKS: [&str; 8] = ["square", "squares", "step", "steps", "rank", "ranks", "field", "fields"];

/// "Two squares", "one step", "up one": how many ranks, and how many words say it.
pub fn ranks(words: &[&str], at: usize) -> Option<(u8, usize)> {
    // "Up one", "forward two squares".
    let is_ahead = |word: &str| matches!(word, "up" | "forward" | "forwards" | "ahead");
    if is_ahead(words.get(at)?) {
        let ranks = match *words.get(at + 1)? {
            "one" | "1" => 1,
            "two" | "2" => 2,
            _ => return None,
        };
        let is_noun = |word: &&&str| RANKS.contains(*word);
        return Some((ranks, 2 + usize::from(words.get(at + 2).filter(is_noun).is_some())));
    }
    let ranks = match *words.get(at)? {
        "one" | "1" | "a" | "single" => 1,
        "two" | "2" | "double" => 2,
        _ => return None,
    };
    let noun = words.get(at + 1).copied().unwrap_or_default();
    let is_noun = RANKS.contains(&noun) || (words[at] != "a" && is_ahead(noun));
    is_noun.then_some((ranks, 2))
}

/// "As far as it can go", "as far as possible": how many words say it.
pub fn farthest(words: &[&str], at: usize) -> Option<usize> {
    let rest = words.get(at..)?;
    let said: [&[&str]; 6] = [
        &["as", "far", "as", "it", "can", "go"],
        &["as", "far", "as", "it", "will", "go"],
        &["as", "far", "as", "it", "goes"],
        &["as", "far", "as", "it", "can"],
        &["as", "far", "as", "possible"],
        &["all", "the", "way"],
    ];
    said.iter().find(|said| rest.starts_with(said)).map(|said| said.len())
}

/// Ranks by which a move in the notation of engines goes straight ahead.
pub fn advance(uci: &str) -> Option<u8> {
    let [from, from_rank, to, to_rank, ..] = uci.as_bytes() else { return None };
    (from == to).then_some(from_rank.abs_diff(*to_rank))
}

/// The file of a letter that is spelled as on the radio; another word stays as it is.
pub fn letter(word: &str) -> &str {
    match word {
        "alpha" | "alfa" => "a",
        "bravo" => "b",
        "charlie" => "c",
        "delta" => "d",
        "echo" => "e",
        "foxtrot" => "f",
        "golf" => "g",
        "hotel" => "h",
        "bee" => "b",
        "cee" => "c",
        "dee" => "d",
        "eff" => "f",
        "gee" => "g",
        "aitch" => "h",
        word => word,
    }
}

/// The words of the end of the board to which a pawn comes.
pub fn last_rank(words: &[&str], at: usize) -> Option<usize> {
    let word = |by: usize| words.get(at + by).copied().unwrap_or_default();
    let links = (0..3).take_while(|by| matches!(word(*by), "to" | "the" | "at" | "on")).count();
    let is_end =
        matches!(word(links), "last" | "other" | "far" | "final" | "back" | "eighth" | "first")
            && matches!(word(links + 1), "end" | "rank" | "row" | "side" | "edge" | "line");
    if is_end {
        return Some(links + 2);
    }
    // "My pawn gets home".
    let before = at.checked_sub(1).map_or("", |at| words[at]);
    let comes = matches!(before, "gets" | "got" | "comes" | "is" | "made" | "finally");
    (comes && word(0) == "home").then_some(1)
}
