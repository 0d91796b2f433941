//! The slots of a position that is set up: its FEN, pieces that are put or removed, and the side to move.

use serde_json::json;

use super::Filler;

/// Pieces as they are said, and their letters.
const PIECES: [(&str, char); 8] = [
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
const REMOVING: [&str; 8] =
    ["remove", "delete", "clear", "empty", "take", "erase", "without", "off"];

/// Words that put pieces.
const PUTTING: [&str; 7] = ["put", "place", "add", "set", "drop", "with", "have"];

impl Filler<'_> {
    /// The slots of a position that is set up: `edits` has white pieces as `Qd1`, black ones as `qd8`, and
    /// squares that are emptied as `-g1`.
    pub fn edit_position(&mut self) {
        let fen = self.unused("{fen}").into_iter().next();
        if let Some(token) = fen {
            let (from, _) = self.sentence.split[token.from].chunk;
            let (_, to) = self.sentence.split[token.to - 1].chunk;
            self.mark(token.from..token.to);
            self.set("fen", Some(&self.sentence.text[from..to]));
        }
        self.turn();
        let edits = self.edits();
        // Where single squares are emptied, other words have to say that all are.
        let preset = self.preset(edits.is_empty());
        self.set("preset", preset);
        if !edits.is_empty() {
            self.set("edits", Some(json!(edits)));
        }
    }

    /// "Black to move".
    fn turn(&mut self) {
        for side in ["white", "black"] {
            let said = [
                format!("{side} to move"),
                format!("{side} to play"),
                format!("{side} moves"),
                format!("{side}s turn"),
                format!("{side} turn"),
                format!("{side}s move"),
                format!("to move to {side}"),
            ];
            if said.iter().any(|phrase| self.phrase(phrase)) {
                self.set("turn", Some(side));
            }
        }
    }

    /// Changes of squares, in the order in which they are said. A piece without a side stays unread.
    fn edits(&mut self) -> Vec<String> {
        let mut edits = Vec::new();
        let (mut is_removing, mut side, mut piece) = (false, None, None);
        for at in 0..self.sentence.words.len() {
            let word = self.word(at).to_owned();
            let singular = word.strip_suffix('s').unwrap_or(&word);
            let named = PIECES.iter().find(|(name, _)| *name == singular);
            let is_putting = PUTTING.contains(&word.as_str());
            if is_putting || REMOVING.contains(&word.as_str()) {
                is_removing = !is_putting;
                self.mark(at..at + 1);
            } else if matches!(singular, "white" | "black") && !self.filled.used[at] {
                side = Some((at, singular == "white"));
                piece = None;
            } else if let Some((_, letter)) = named {
                piece = Some((at, *letter));
            } else if is_square(&word) {
                let Some(edit) = edit(&word, is_removing, side, piece) else { continue };
                let said = [side.map(|(at, _)| at), piece.map(|(at, _)| at), Some(at)];
                said.into_iter().flatten().for_each(|at| self.mark(at..at + 1));
                edits.push(edit);
            }
        }
        edits
    }
}

/// Change of a square; `None` if it is not said which piece is put there.
fn edit(
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

fn is_square(word: &str) -> bool {
    matches!(word.as_bytes(), [b'a'..=b'h', b'1'..=b'8'])
}
