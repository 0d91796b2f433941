//! A square or a move that is taken back: "a black rook on h8 no h7", "rook e1 no rook f1", "g1f3 no b1c3", "on f5, no, silly
//! me, on e5".

use std::ops::Range;

use super::super::asides;
use super::super::tags::{is_move, is_piece};
use super::super::words::Word;
use super::{behind_remark, has_sign};

/// Words between what takes a square back and the one that is meant.
const FILLERS: [&str; 19] = [
    "on", "to", "the", "at", "from", "wait", "sorry", "rather", "i", "mean", "meant", "hang",
    "hold", "make", "it", "that", "no", "a", "an",
];

/// Words by which a square is taken back.
const MARKERS: [&str; 7] = ["no", "sorry", "nope", "correction", "oops", "rather", "actually"];

/// How far before the square its piece stands.
const NEAR: usize = 6;

/// The words that are not meant.
pub fn withdrawn(text: &str, split: &[Word]) -> Option<Range<usize>> {
    (1..split.len()).find_map(|at| of_marker(text, split, at))
}

fn word(split: &[Word], at: usize) -> &str {
    split.get(at).map_or("", |word| word.text.as_str())
}

fn is_side(word: &str) -> bool {
    matches!(word, "white" | "black")
}

fn of_marker(text: &str, split: &[Word], at: usize) -> Option<Range<usize>> {
    // "Uh no".
    let sounds = (1..at).rev().take_while(|at| asides::is_sound(word(split, *at))).count();
    let is_marker = MARKERS.contains(&word(split, at))
        && (word(split, at) == "no"
            || has_sign(text, split, at - sounds)
            || (is_move(word(split, at + 1)) && is_move(word(split, at - 1))));
    let is_first = is_marker && !MARKERS.contains(&word(split, at - 1));
    let (marker, at) = (at, at - sounds);
    // "Bishop f1 off, no, c1".
    let is_off = at > 1 && matches!(word(split, at - 1), "off" | "away");
    let square = at - 1 - usize::from(is_off);
    if !is_first || !is_move(word(split, square)) {
        return None;
    }
    let begin = behind_remark(text, split, marker + 1);
    // "A white rook on h7": where what is meant begins, and its square.
    let is_part = |at: usize| {
        let word = word(split, at);
        FILLERS.contains(&word)
            || is_piece(word)
            || is_side(word)
            || matches!(word, "takes" | "goes")
    };
    let meant = (begin..split.len()).find(|at| !is_part(*at))?;
    let said = begin..meant;
    // "Takes d5, no e4 first" is another wish.
    if !is_move(word(split, meant)) {
        return None;
    }
    let piece = said.clone().find(|at| is_piece(word(split, *at)));
    let side = said.clone().find(|at| is_side(word(split, *at)));
    let before = |is: fn(&str) -> bool| {
        (square.saturating_sub(NEAR)..square).rev().find(|at| is(word(split, *at)))
    };
    let Some(piece) = piece else {
        // The square alone, or a whole move: "g1f3 no b1c3".
        return (!is_off).then_some(square..meant);
    };
    match (side, before(is_side), before(is_piece)) {
        (Some(side), Some(other), Some(_)) => Some(other..side),
        (None, _, Some(other)) => Some(other..piece),
        (_, None, None) => Some(square..side.unwrap_or(piece)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::words;
    use super::*;

    #[test]
    fn a_square_that_is_taken_back_is_not_meant() {
        for (text, expected) in [
            ("put a black rook on h8 no h7", "put a black rook on h7"),
            ("put a white knight on f5, no, silly me, on e5", "put a white knight on e5"),
            ("put a black rook on h8 no a white rook on h7", "put a white rook on h7"),
            ("rook e1 no rook f1", "rook f1"),
            ("rook to e1, no, hang on, rook to d1", "rook to d1"),
            ("g1f3 no b1c3", "b1c3"),
            ("e4 no knight f3", "knight f3"),
            ("Qh5, no, Qf3", "qf3"),
            ("knight to d5 no wait to b5", "knight to b5"),
            ("um bishop to g7 uh no bishop to h6", "um bishop to h6"),
            ("put a white pawn on e4 sorry e5", "put a white pawn on e5"),
            ("take on d5, no queen please", "take on d5 no queen please"),
            ("e8 no queen", "e8 no queen"),
        ] {
            let mut split = words::split(text);
            if let Some(range) = withdrawn(text, &split) {
                split.drain(range);
            }
            let found: Vec<String> = split.into_iter().map(|word| word.text).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
