//! The slots of a position that is set up: its FEN, pieces that are put or removed, and the side to move.

use serde_json::json;

use super::Filler;
use crate::spelling::{Slip, slip};
use crate::{nearest, numbers};

/// Pieces as they are said, and their letters.
pub(super) const PIECES: [(&str, char); 8] = [
    ("king", 'k'),
    ("queen", 'q'),
    ("rook", 'r'),
    ("castle", 'r'),
    ("bishop", 'b'),
    ("knight", 'n'),
    ("horse", 'n'),
    ("pawn", 'p'),
];

/// Words that take pieces away. The editor empties squares by these, and puts pieces by all others.
pub(super) const REMOVING: [&str; 24] = [
    "remove",
    "delete",
    "clear",
    "empty",
    "take",
    "erase",
    "without",
    "off",
    "wipe",
    "lift",
    "pull",
    "strip",
    "kick",
    "vanish",
    "disappear",
    "away",
    "throw",
    "rid",
    "sweep",
    "bin",
    "scrap",
    "ditch",
    "discard",
    "banish",
];

/// Words that put pieces.
pub(super) const PUTTING: [&str; 8] =
    ["put", "place", "add", "set", "drop", "with", "have", "stick"];

/// Words between a verb and the whole board.
const OF_BOARD: [&str; 9] =
    ["the", "this", "whole", "entire", "full", "complete", "all", "of", "my"];

/// A square is emptied behind one of these: "drop the pawn from a7".
const BEFORE_EMPTIED: [&str; 2] = ["from", "off"];

/// Whether a word takes pieces away, if need be with a plain slip: "delte".
pub(super) fn removes(word: &str) -> bool {
    let is_slip = |known: &&str| {
        known.len() > 4
            && matches!(slip(word, known), Some(Slip::Exchanged | Slip::LeftOutOrDoubled))
    };
    REMOVING.contains(&word) || (!nearest::is_known(word) && REMOVING.iter().any(is_slip))
}

/// Whether a word is a piece.
pub(super) fn is_piece(word: &str) -> bool {
    let singular = word.strip_suffix('s').unwrap_or(word);
    PIECES.iter().any(|(name, _)| *name == singular)
}

impl Filler<'_> {
    /// The slots of a position that is set up: `edits` has white pieces as `Qd1`, black ones as `qd8`, and
    /// squares that are emptied as `-g1`.
    pub fn edit_position(&mut self) {
        let fen = self.fen();
        self.set("fen", fen);
        self.turn();
        for at in self.places(&["goes", "stands", "belongs", "sits"]) {
            if !matches!(self.word(at + 1), "off" | "away" | "out") {
                self.mark(at..at + 1);
            }
        }
        if let Some(edit) = self.becomes() {
            self.set("edits", Some(json!([edit])));
            return;
        }
        if let Some(removed) = self.all_but_kept() {
            self.set("edits", Some(json!(removed)));
            return;
        }
        if let Some(edit) = self.replaced() {
            self.set("edits", Some(json!([edit])));
            return;
        }
        let rest = [
            "leave the rest alone",
            "leave the rest as it is",
            "leave everything else as it is",
            "leave everything else",
            "everything else stays",
            "everything else remains",
            "while everything else remains as it is",
            "the rest stays",
        ];
        rest.iter().any(|said| self.phrase(said));
        self.name_excepted();
        let (edits, is_emptied) = self.edits();
        let mut edits = edits;
        if edits.is_empty() {
            edits = self.removed_kinds();
        }
        self.castling_rights();
        // Where single squares are emptied or rights taken away, other words have to say that all pieces are.
        let takes_rights = self.filled.slots.contains_key("rights");
        let preset = self.preset(edits.is_empty() && !takes_rights);
        if preset == Some("empty") {
            ["no pieces at all", "no pieces"].iter().any(|said| self.phrase(said));
        }
        self.set("preset", if is_emptied { Some("empty") } else { preset });
        if !edits.is_empty() {
            self.set("edits", Some(json!(edits)));
        }
    }

    /// A FEN, as it was typed.
    pub(super) fn fen(&mut self) -> Option<String> {
        let token = self.unused("{fen}").into_iter().next()?;
        let (from, _) = self.sentence.split[token.from].chunk;
        let (_, to) = self.sentence.split[token.to - 1].chunk;
        self.mark(token.from..token.to);
        // "From the FEN 8/...".
        if let Some(before) = token.from.checked_sub(1).filter(|at| self.word(*at) == "fen") {
            self.mark(before..token.from);
        }
        Some(self.sentence.text[from..to].to_owned())
    }

    /// Changes of squares, in the order in which they are said, and whether the board is emptied before. A piece
    /// without a side stays unread.
    fn edits(&mut self) -> (Vec<String>, bool) {
        let mut edits = Vec::new();
        let mut is_emptied = false;
        // "The piece on f3 should go".
        let goes = ["should", "must", "has to", "have to", "can", "may"].iter().any(|modal| {
            ["go", "vanish", "disappear", "leave", "be removed", "be gone"]
                .iter()
                .any(|verb| self.phrase(&format!("{modal} {verb}")))
        });
        if goes {
            self.has(&["piece", "away"]);
        }
        let goes = goes
            || self.takes_it_away()
            || ["goes off", "goes away", "comes off", "gets off", "goes out"]
                .iter()
                .any(|said| self.phrase(said));
        // "On h3 a black knight": the square stands before its piece.
        let mut empty_square: Option<(usize, String)> = None;
        let (mut is_removing, mut side, mut piece) = (goes, None, None);
        edits.extend(self.both_kings());
        // Pieces whose side is said behind them: their edits, and the words of those that are read only then.
        let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
        for at in 0..self.sentence.words.len() {
            // "Take the rook off a8 and put a knight there": on the square before.
            let there = edits
                .last()
                .filter(|_| self.word(at) == "there")
                .map(|edit: &String| edit.get(edit.len() - 2..).unwrap_or_default().to_owned());
            let is_there = there.is_some();
            let word = there.unwrap_or_else(|| self.word(at).to_owned());
            let singular = word.strip_suffix('s').unwrap_or(&word);
            let named = PIECES.iter().find(|(name, _)| *name == singular);
            let is_putting = PUTTING.contains(&word.as_str());
            if is_putting {
                is_removing = false;
                self.mark(at..at + 1);
            } else if let Some(whole) = self.whole_board(at) {
                is_removing = false;
                is_emptied = true;
                self.mark(at..whole + 1);
            } else if removes(&word) {
                is_removing = true;
                self.mark(at..at + 1);
            } else if matches!(singular, "white" | "black")
                && at > 0
                && self.word(at - 1) == "for"
                && !open.is_empty()
            {
                // "Kg1 Rf1 for white, Kg8 pawn g7 for black".
                for (index, words) in open.drain(..) {
                    edits[index] = of_a_side(&edits[index], singular);
                    words.into_iter().for_each(|at| self.mark(at..at + 1));
                }
                self.mark(at - 1..at + 1);
            } else if matches!(singular, "white" | "black") && !self.filled.used[at] {
                side = Some((at, singular == "white"));
                piece = None;
            } else if word == "one"
                && side.is_some_and(|(said, _)| said + 1 == at)
                && let Some(last) = edits.last().and_then(|edit: &String| edit.chars().next())
                && last.is_ascii_alphabetic()
            {
                // "A black pawn at c6 and a white one at d5".
                piece = Some((at, last.to_ascii_lowercase()));
            } else if let Some((_, letter)) = named.filter(|_| !self.filled.used[at]) {
                piece = Some((at, *letter));
                if let Some((place, square)) = empty_square.take()
                    && let Some(edit) = edit(&square, false, side, piece)
                {
                    let said = [side.map_or(at, |(at, _)| at), at, place];
                    said.into_iter().for_each(|at| self.mark(at..at + 1));
                    edits.push(edit);
                    (side, piece) = (None, None);
                }
            } else if let Some(written) = self.written_piece(at) {
                self.mark(at..at + 1);
                // "White: Kg1, Qd1; black: Kg8".
                edits.push(match side {
                    Some((said, is_white)) if self.is_titled(said) || self.lists(said, at) => {
                        self.mark(said..said + 1);
                        of_a_side(&written, if is_white { "white" } else { "black" })
                    }
                    _ => {
                        open.push((edits.len(), Vec::new()));
                        written
                    }
                });
            } else if is_square(&word) && !self.filled.used[at] {
                let is_emptied = is_removing || self.is_behind_emptying(at);
                if !is_emptied && (side.is_none() || piece.is_none()) {
                    empty_square = Some((at, word.clone()));
                }
                let Some(edit) = edit(&word, is_emptied, side, piece) else {
                    if let Some((place, letter)) = piece.filter(|_| self.side_is_behind(at)) {
                        open.push((edits.len(), vec![place, at]));
                        edits.push(format!("{letter}{word}"));
                        empty_square = None;
                    }
                    continue;
                };
                let said = [side.map(|(at, _)| at), piece.map(|(at, _)| at), Some(at)];
                said.into_iter().flatten().for_each(|at| self.mark(at..at + 1));
                // "Bin my c3 horse".
                let names_piece = is_emptied && is_piece(self.word(at + 1));
                if names_piece && !self.is_apart(at + 1) && !is_square(self.word(at + 2)) {
                    self.mark(at + 1..at + 2);
                }
                edits.push(edit);
                if is_there {
                    self.has(&["instead"]);
                }
            }
        }
        // "Against a lone black king": nothing else stands there.
        let has_kings =
            ['K', 'k'].iter().all(|king| edits.iter().any(|edit| edit.starts_with(*king)));
        let is_alone = has_kings && self.has(&["lone", "bare", "alone"]);
        let others = [
            "nothing more on the board",
            "nothing else on the board",
            "no other pieces",
            "no other piece",
            "no more pieces",
            "otherwise empty",
            "nothing more",
            "and nothing else",
            "nothing else",
            "everything else empty",
            "everything else is empty",
            "all else empty",
            "rest empty",
        ];
        let is_alone = is_alone || others.iter().any(|said| self.phrase(said));
        if is_alone {
            self.has(&["rest"]);
        }
        self.mark_counted(&edits);
        if !edits.is_empty() {
            self.has(&["plus"]);
        }
        (edits, is_emptied || is_alone)
    }

    /// Whether the side of a piece is said behind a list of pieces: "Kg8, pawn g7 for Black".
    fn side_is_behind(&self, at: usize) -> bool {
        let is_of_list = |at: &usize| {
            let word = self.word(*at);
            is_square(word)
                || is_piece(word)
                || self.written_piece(*at).is_some()
                || matches!(word, "and" | "on" | "at" | "a" | "the")
        };
        let end = (at + 1..).find(|at| !is_of_list(at)).unwrap_or(at);
        self.word(end) == "for" && matches!(self.word(end + 1), "white" | "black")
    }

    /// "Kings on e1 and e8": that of White is the one that is nearer to its side.
    fn both_kings(&mut self) -> Vec<String> {
        let Some(at) = (0..self.sentence.words.len()).find(|at| self.word(*at) == "kings") else {
            return Vec::new();
        };
        let first = at + 1 + usize::from(matches!(self.word(at + 1), "on" | "at" | "to"));
        let second = first + 1 + usize::from(self.word(first + 1) == "and");
        let has_side = at > 0 && matches!(self.word(at - 1), "white" | "black");
        if has_side || !is_square(self.word(first)) || !is_square(self.word(second)) {
            return Vec::new();
        }
        let mut squares = [self.word(first).to_owned(), self.word(second).to_owned()];
        squares.sort_by_key(|square| square.as_bytes()[1]);
        self.mark(at..second + 1);
        vec![format!("K{}", squares[0]), format!("k{}", squares[1])]
    }

    /// "Three white pawns: f2, g2 and h2": a number that only counts what is put.
    fn mark_counted(&mut self, edits: &[String]) {
        for token in self.unused("{n}") {
            let side = matches!(self.word(token.to), "white" | "black");
            let noun = self.word(token.to + usize::from(side));
            let singular = noun.strip_suffix('s').unwrap_or(noun);
            let letter =
                PIECES.iter().find(|(name, _)| *name == singular).map(|(_, letter)| *letter);
            let is_one = |edit: &&String| edit.to_lowercase().chars().next() == letter;
            let count =
                numbers::at(self.sentence.words, token.from).and_then(|number| number.count());
            if letter.is_some() && count == Some(edits.iter().filter(is_one).count() as u32) {
                self.mark(token.from..token.to);
            }
        }
    }

    /// "The rook on h1 does not belong there, take it off": what stands before the verb is removed.
    fn takes_it_away(&mut self) -> bool {
        let belongs = ["does not belong there", "does not belong here", "should not be there"]
            .iter()
            .any(|said| self.phrase(said));
        let removes = ["take", "lift", "get", "pull", "throw", "kick", "remove", "delete", "erase"]
            .iter()
            .find_map(|verb| self.place_of(&format!("{verb} it")));
        let squares = (0..self.sentence.words.len()).filter(|at| is_square(self.word(*at)));
        let last = squares.max();
        let Some(place) = removes.filter(|place| last.is_some_and(|last| last < place.start))
        else {
            return belongs;
        };
        let away = usize::from(matches!(self.word(place.end), "off" | "away" | "out"));
        let board = ["the board", "from the board", "of the board"]
            .iter()
            .find_map(|said| self.place_of(said))
            .filter(|board| board.start == place.end + away);
        self.mark(place.start..board.map_or(place.end + away, |board| board.end));
        true
    }

    /// Whether a colon stands behind a word.
    fn is_titled(&self, at: usize) -> bool {
        self.sentence.text[self.sentence.split[at].chunk.1..].starts_with(':')
    }

    /// "White Kg1 Ra1 Rb1, black Kg8": pieces behind their side.
    fn lists(&self, side: usize, at: usize) -> bool {
        (side + 1..at).all(|at| self.written_piece(at).is_some())
    }

    /// `Ke1` and `kg8`, a piece of White and one of Black on their squares.
    fn written_piece(&self, at: usize) -> Option<String> {
        let typed = self.sentence.split.get(at).map(|_| self.typed(at))?;
        let typed = typed.trim_matches([',', '.', ';']);
        let (piece, square) = typed.split_at_checked(1)?;
        ("KQRBNPkqrbnp".contains(piece) && is_square(square)).then(|| typed.to_owned())
    }

    /// "Clear the whole board": the word `board` behind a word that empties.
    fn whole_board(&self, at: usize) -> Option<usize> {
        if !REMOVING.contains(&self.word(at)) || matches!(self.word(at), "off" | "without") {
            return None;
        }
        let noun = (at + 1..).find(|at| !OF_BOARD.contains(&self.word(*at)))?;
        let is_all = (at + 1..noun).any(|at| self.word(at) == "all");
        // "Clear the board of white pawns" leaves the others.
        let is_of_some = self.word(noun + 1) == "of";
        let is_whole = match self.word(noun) {
            "board" | "everything" => !is_of_some,
            "pieces" => is_all,
            _ => false,
        };
        is_whole.then_some(noun)
    }

    /// Whether a square is emptied by the word before it: "from a7", "off the h1 square".
    fn is_behind_emptying(&self, at: usize) -> bool {
        let before = (0..at).rev().find(|at| !matches!(self.word(*at), "the" | "square" | "of"));
        before.is_some_and(|at| BEFORE_EMPTIED.contains(&self.word(at)))
    }
}

/// Change of a square; `None` if it is not said which piece is put there.
pub(super) fn edit(
    square: &str,
    is_removing: bool,
    side: Option<(usize, bool)>,
    piece: Option<(usize, char)>,
) -> Option<String> {
    if is_removing {
        return Some(format!("-{square}"));
    }
    let ((_, is_white), (_, letter)) = (side?, piece?);
    let letter = if is_white { letter.to_ascii_uppercase() } else { letter };
    Some(format!("{letter}{square}"))
}

/// A piece on its square as one of this side.
fn of_a_side(edit: &str, side: &str) -> String {
    let (piece, square) = edit.split_at(1);
    let piece = if side == "white" { piece.to_uppercase() } else { piece.to_lowercase() };
    format!("{piece}{square}")
}

pub fn is_square(word: &str) -> bool {
    matches!(word.as_bytes(), [b'a'..=b'h', b'1'..=b'8'])
}
