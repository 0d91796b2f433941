//! Everyday words for pieces and moves, as beginners say them: a tower or a castle, the
//! lady, the long way of castling; "wk g1" and "the dark ones" are pieces, too.

use super::tags::{is_move, is_piece};
use super::words::Word;

/// Names of pieces that are nothing else.
const PIECES: [(&str, &str); 11] = [
    ("cavalier", "knight"),
    ("cavaliers", "knights"),
    ("tower", "rook"),
    ("towers", "rooks"),
    ("horsie", "knight"),
    ("horsey", "knight"),
    ("horsy", "knight"),
    ("horsies", "knights"),
    ("pony", "knight"),
    ("ponies", "knights"),
    ("footsoldier", "pawn"),
];

/// Names of pieces that are also other words: behind an article or a side, in a sentence about squares.
const PEOPLE: [(&str, &str); 14] = [
    ("lady", "queen"),
    ("dame", "queen"),
    ("ladies", "queens"),
    ("runner", "bishop"),
    ("runners", "bishops"),
    ("jumper", "knight"),
    ("springer", "knight"),
    ("soldier", "pawn"),
    ("soldiers", "pawns"),
    ("peasant", "pawn"),
    ("peasants", "pawns"),
    ("farmer", "pawn"),
    ("farmers", "pawns"),
    ("footman", "pawn"),
];

/// Words before the name of a piece.
const BEFORE: [&str; 17] = [
    "the",
    "my",
    "his",
    "her",
    "your",
    "a",
    "white",
    "black",
    "that",
    "this",
    "which",
    "other",
    "opponents",
    "of",
    "only",
    "their",
    "our",
];

/// Sizes that say nothing about a piece.
const SIZES: [&str; 5] = ["little", "small", "tiny", "big", "poor"];

/// Words that castle to a side.
const WINGS: [&str; 7] = ["short", "long", "kingside", "queenside", "side", "o-o", "o-o-o"];

/// The words of a sentence with the names of pieces that players use.
pub fn named(split: Vec<Word>) -> Vec<Word> {
    let texts: Vec<&str> = split.iter().map(|word| word.text.as_str()).collect();
    let about = About {
        squares: texts.iter().any(|word| is_move(word) || word.starts_with("promot"))
            || texts.iter().any(|word| {
                matches!(
                    *word,
                    "takes"
                        | "eats"
                        | "captures"
                        | "take"
                        | "step"
                        | "steps"
                        | "square"
                        | "squares"
                )
            }),
        wings: texts.iter().any(|word| WINGS.contains(word)),
        texts: &texts,
    };
    let mut words: Vec<Word> = Vec::with_capacity(split.len());
    let mut at = 0;
    while at < split.len() {
        let (said, used) = about.meant(at).unwrap_or((vec![texts[at]], 1));
        let chunk = (split[at].chunk.0, split[at + used - 1].chunk.1);
        words.extend(said.into_iter().map(|text| Word { text: text.to_owned(), chunk }));
        at += used;
    }
    words
}

/// Whether a word says that a pawn takes.
fn takes(word: &str) -> bool {
    matches!(word, "take" | "takes" | "taking" | "capture" | "captures" | "pawn")
}

/// A sentence, and whether it is about squares and castling.
struct About<'a> {
    texts: &'a [&'a str],
    squares: bool,
    wings: bool,
}

impl<'a> About<'a> {
    fn word(&self, at: usize) -> &'a str {
        self.texts.get(at).copied().unwrap_or_default()
    }

    fn before(&self, at: usize) -> &'a str {
        at.checked_sub(1).map_or("", |at| self.word(at))
    }

    /// What is meant by the words at a place, and how many they are.
    fn meant(&self, at: usize) -> Option<(Vec<&'a str>, usize)> {
        if let Some(used) = self.castling(at) {
            return Some((vec!["castle"], used));
        }
        if let Some((wing, used)) = self.wing(at) {
            return Some((vec![wing], used));
        }
        if let Some(piece) = self.piece(at) {
            return Some((vec![piece], 1));
        }
        // "The dark-squared one": a bishop.
        let is_coloured =
            at > 1 && matches!(self.word(at - 2), "dark" | "light" | "white" | "black");
        if self.word(at) == "one" && self.before(at) == "squared" && is_coloured {
            return Some((vec!["bishop"], 1));
        }
        // "Undo my horse to c3 n his a6".
        if self.word(at) == "n" && at > 0 && self.is_and(at) {
            return Some((vec!["and"], 1));
        }
        // "Capture in passing".
        if [self.word(at), self.word(at + 1)] == ["in", "passing"]
            && self.texts.iter().any(|word| takes(word))
        {
            return Some((vec!["en", "passant"], 2));
        }
        let word = self.word(at);
        if word == "foot" && matches!(self.word(at + 1), "soldier" | "soldiers") {
            return Some((vec!["pawn"], 2));
        }
        // "The little horse": the horse.
        if SIZES.contains(&word) && (self.is_piece(at + 1) || self.piece(at + 1).is_some()) {
            let piece = self.piece(at + 1).unwrap_or(self.word(at + 1));
            return Some((vec![piece], 2));
        }
        // "My last go": my last move.
        if word == "go" && matches!(self.before(at), "last" | "previous" | "latest") {
            return Some((vec!["move"], 1));
        }
        // "One second per turn".
        if word == "turn" && matches!(self.before(at), "per" | "every" | "each") {
            return Some((vec!["move"], 1));
        }
        // "Clock of three seconds on top".
        let is_second = matches!(self.before(at), "second" | "seconds" | "sec" | "secs" | "s")
            || (!self.before(at).is_empty()
                && self.before(at).bytes().all(|byte| byte.is_ascii_digit()));
        if word == "on" && self.word(at + 1) == "top" && is_second {
            return Some((vec!["increment"], 2));
        }
        // "The little one in front of the king".
        let sized = at + usize::from(SIZES.contains(&word));
        let is_one = matches!(self.word(sized), "one" | "guy" | "man" | "fellow" | "thing");
        if is_one && [self.word(sized + 1), self.word(sized + 2)] == ["in", "front"] {
            return Some((vec!["pawn"], sized + 1 - at));
        }
        // "The pawn that stands before my queen".
        let is_relative = matches!(word, "that" | "which" | "standing" | "sitting");
        if is_relative && self.is_piece(at.wrapping_sub(1)) {
            let verb = usize::from(matches!(self.word(at + 1), "stands" | "is" | "sits"));
            let place = at + usize::from(matches!(word, "that" | "which")) * verb + 1;
            if matches!(self.word(place), "in" | "before") && (verb > 0 || word.ends_with("ing")) {
                return Some((vec![self.word(place)], place + 1 - at));
            }
        }
        self.side(at).or_else(|| self.short_piece(at))
    }

    /// Whether an "n" links two parts and is no knight: neither a square nor the verb of a move stands behind it.
    fn is_and(&self, at: usize) -> bool {
        let next = self.word(at + 1);
        let is_of_knight = is_move(next)
            || takes(next)
            || next.len() < 2
            || matches!(next, "to" | "on" | "at" | "from" | "goes" | "x" | "back");
        !is_of_knight && !next.starts_with(|sign: char| sign.is_ascii_digit())
    }

    fn is_piece(&self, at: usize) -> bool {
        is_piece(self.word(at))
    }

    /// The name of a piece among players.
    fn piece(&self, at: usize) -> Option<&'static str> {
        let word = self.word(at);
        let known = |names: &[(&str, &'static str)]| {
            names.iter().find(|(name, _)| *name == word).map(|(_, piece)| *piece)
        };
        let before = self.before(at);
        let before = if SIZES.contains(&before) { self.before(at - 1) } else { before };
        let is_one = BEFORE.contains(&before);
        let is_owned = matches!(before, "my" | "his" | "her" | "your" | "white" | "black");
        let is_of_board = is_one && (self.squares || is_owned);
        known(&PIECES).or_else(|| known(&PEOPLE).filter(|_| is_of_board)).or_else(|| {
            let next = self.word(at + 1);
            let is_placed = is_move(next) || matches!(next, "on" | "at" | "in" | "from");
            let is_moved = is_one || matches!(before, "and" | "with" | "no" | "two" | "both");
            // "White castles", "the castle on the short side".
            let is_noun = match before {
                "white" | "black" => is_placed && (self.squares || !self.wings),
                "no" | "and" | "with" => word == "castles" && !self.wings,
                _ => is_moved && (!self.wings || is_move(next)),
            };
            match word {
                "castle" if is_noun && !WINGS.contains(&next) => Some("rook"),
                "castles" if is_noun && !WINGS.contains(&next) => Some("rooks"),
                _ => None,
            }
        })
    }

    /// "King and tower swap places", "the king hides behind the castle": how many words say castling.
    fn castling(&self, at: usize) -> Option<usize> {
        let is_rook = |at: usize| matches!(self.word(at), "rook" | "tower" | "castle");
        let is_article = |at: usize| matches!(self.word(at), "the" | "my" | "his" | "a");
        let swaps = |word: &str| {
            matches!(
                word,
                "swap" | "swaps" | "switch" | "exchange" | "change" | "trade" | "swapped"
            )
        };
        // "Swap the king with the tower".
        if swaps(self.word(at)) {
            let king = at + 1 + usize::from(is_article(at + 1));
            let rook = king + 2 + usize::from(is_article(king + 2));
            let links = matches!(self.word(king + 1), "and" | "with");
            let is_said = self.word(king) == "king" && links && is_rook(rook);
            return is_said.then_some(rook + 1 - at);
        }
        if self.word(at) != "king" {
            return None;
        }
        let links = matches!(self.word(at + 1), "and" | "with");
        let rook = at + 2 + usize::from(is_article(at + 2));
        if links && is_rook(rook) && swaps(self.word(rook + 1)) {
            let noun = matches!(self.word(rook + 2), "places" | "place" | "positions");
            return Some(rook + 2 + usize::from(noun) - at);
        }
        let is_verb = matches!(
            self.word(at + 1),
            "hides" | "hide" | "goes" | "go" | "runs" | "jumps" | "hops" | "moves"
        );
        let is_behind = matches!(self.word(at + 2), "behind" | "over" | "past" | "round");
        let rook = at + 3 + usize::from(is_article(at + 3));
        (is_verb && is_behind && is_rook(rook)).then_some(rook + 1 - at)
    }

    /// "The short one", "the long way": a side to castle to.
    fn wing(&self, at: usize) -> Option<(&'a str, usize)> {
        let castles = self.texts.iter().any(|word| {
            matches!(*word, "castle" | "castling" | "castles") || word.starts_with("swap")
        });
        let wing = self.word(at);
        let is_said = matches!(wing, "short" | "long")
            && matches!(self.word(at + 1), "one" | "way" | "version");
        (castles && is_said).then_some((wing, 2))
    }

    /// "The dark ones", "the light pieces": a side.
    fn side(&self, at: usize) -> Option<(Vec<&'a str>, usize)> {
        let noun = matches!(
            self.word(at + 1),
            "pieces" | "side" | "ones" | "player" | "army" | "men" | "figures" | "stones"
        );
        // "The dark side's turn".
        if self.word(at + 1) == "sides" && matches!(self.word(at + 2), "turn" | "move") {
            return match self.word(at) {
                "dark" => Some((vec!["blacks"], 2)),
                "light" => Some((vec!["whites"], 2)),
                _ => None,
            };
        }
        // "The white bits".
        let is_slang = matches!(
            self.word(at + 1),
            "bits" | "stones" | "guys" | "lads" | "chaps" | "crew" | "team"
        );
        match self.word(at) {
            side @ ("white" | "black") if is_slang => Some((vec![side, "pieces"], 2)),
            "dark" if is_slang => Some((vec!["black", "pieces"], 2)),
            "light" if is_slang => Some((vec!["white", "pieces"], 2)),
            "dark" if noun => Some((vec!["black", self.word(at + 1)], 2)),
            "light" if noun => Some((vec!["white", self.word(at + 1)], 2)),
            _ => None,
        }
    }

    /// "Wk g1": the white king on a square.
    fn short_piece(&self, at: usize) -> Option<(Vec<&'a str>, usize)> {
        let mut letters = self.word(at).chars();
        let (Some(side), Some(piece), None) = (letters.next(), letters.next(), letters.next())
        else {
            return None;
        };
        let next = at + 1 + usize::from(matches!(self.word(at + 1), "on" | "at" | "to"));
        let is_square = is_move(self.word(next)) && self.word(next).len() == 2;
        let side = match side {
            'w' => "white",
            'b' => "black",
            _ => return None,
        };
        let piece = match piece {
            'k' => "king",
            'q' => "queen",
            'r' => "rook",
            'b' => "bishop",
            'n' => "knight",
            'p' => "pawn",
            _ => return None,
        };
        is_square.then(|| (vec![side, piece], 1))
    }
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    #[test]
    fn everyday_names_are_those_of_pieces() {
        for (text, expected) in [
            ("the castle in the corner goes to d1", "the rook in the corner goes to d1"),
            ("castle on the short side", "castle on the short side"),
            ("white castles long", "white castles long"),
            ("white castle e1, black king g8", "white rook e1 black king g8"),
            (
                "push the soldier to a8 and make it a castle",
                "push the pawn to a8 and make it a rook",
            ),
            ("take the thing on e5 with the tower", "take the thing on e5 with the rook"),
            ("the lady takes on f7", "the queen takes on f7"),
            ("ladies first", "ladies first"),
            ("move the little horse to c3", "move the horse to c3"),
            ("king and tower swap, the long way please", "castle the long please"),
            ("the king hides behind the castle, the short one", "the castle the short"),
            (
                "the little one in front of the king goes two steps",
                "the pawn in front of the king goes two steps",
            ),
            ("the pawn that stands before my queen, one step", "the pawn before my queen one step"),
            ("endings with only castles and kings", "endings with only rooks and kings"),
            ("the one with the dark pieces begins", "the one with the black pieces begins"),
            ("the dark squared bishop", "the dark squared bishop"),
            ("wk g1 bk g8", "white king g1 black king g8"),
        ] {
            let found: Vec<String> =
                named(words::split(text)).into_iter().map(|word| word.text).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
