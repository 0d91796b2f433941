//! From what the network says of 64 squares to a position: rules of chess, orientation, doubts.

use serde::Serialize;

use crate::network::{CLASSES, LETTERS};

/// Class of the white king; that of the black one is six more.
const KING: usize = 6;
const PAWN: usize = 1;

/// Confidence below which a square is marked: of the squares that are read wrong, nearly all are
/// below it.
pub const SURE: f32 = 0.9;

/// A square as it was read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Square {
    /// Its name on the board as it was read, such as `e4`.
    pub square: String,
    /// Its piece as in a FEN; `.` if it is empty.
    pub piece: char,
    /// Probability of the piece, seen with all other squares, from 0 to 1.
    pub confidence: f32,
    /// Whether a user should look at it: the network is in doubt, or a rule of chess is broken.
    pub uncertain: bool,
    /// The next most likely content.
    pub alternative: char,
}

/// Classes of 64 squares in the picture's order, after the rules of chess.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Classes {
    /// The class of each square.
    pub classes: [usize; 64],
    /// Squares that break a rule, or were changed to keep it.
    pub doubted: [bool; 64],
}

/// Logarithms of probabilities by square and class.
pub(crate) type Logs = [[f32; CLASSES]; 64];

/// The most likely classes with one king of each colour and no pawns at both ends of the board.
pub(crate) fn decide(logs: &Logs) -> Classes {
    let mut decided =
        Classes { classes: logs.each_ref().map(|it| best(it, |_| true)), doubted: [false; 64] };
    for at in (0..8).chain(56..64) {
        if is_pawn(decided.classes[at]) {
            decided.classes[at] = best(&logs[at], |class| !is_pawn(class));
            decided.doubted[at] = true;
        }
    }
    if decided.classes.iter().all(|&class| class == 0) {
        return decided;
    }
    for king in [KING, KING + 6] {
        keep_one_king(logs, king, &mut decided);
    }
    decided
}

fn is_pawn(class: usize) -> bool {
    class == PAWN || class == PAWN + 6
}

/// The most likely of the classes that are allowed.
fn best(logs: &[f32; CLASSES], allowed: impl Fn(usize) -> bool) -> usize {
    let classes = (0..CLASSES).filter(|&class| allowed(class));
    classes.max_by(|&a, &b| logs[a].total_cmp(&logs[b])).unwrap_or(0)
}

/// Of several kings of a colour the likeliest stays; without one, the square that costs least
/// becomes it, if the network thinks it possible at all.
fn keep_one_king(logs: &Logs, king: usize, decided: &mut Classes) {
    /// Probability below which a square is not made a king.
    const POSSIBLE: f32 = 0.02;
    let is_king = |&at: &usize| decided.classes[at] == king;
    let kings: Vec<usize> = (0..64).filter(is_king).collect();
    if kings.is_empty() {
        let loss = |&at: &usize| logs[at][decided.classes[at]] - logs[at][king];
        let other = king % 12 + if king == KING { 6 } else { 0 };
        let candidates = (0..64).filter(|&at| decided.classes[at] != other);
        let nearest = candidates.min_by(|a, b| loss(a).total_cmp(&loss(b)));
        if let Some(at) = nearest.filter(|&at| logs[at][king].exp() > POSSIBLE) {
            decided.classes[at] = king;
            decided.doubted[at] = true;
        }
        return;
    }
    let likeliest = kings.iter().copied().max_by(|&a, &b| logs[a][king].total_cmp(&logs[b][king]));
    for at in kings.iter().copied().filter(|&at| Some(at) != likeliest) {
        decided.classes[at] = best(&logs[at], |class| class != king);
        decided.doubted[at] = true;
    }
    if let (Some(at), true) = (likeliest, kings.len() > 1) {
        decided.doubted[at] = true;
    }
}

/// The first field of a FEN for classes in the board's order, from a8.
pub(crate) fn fen_placement(classes: &[usize; 64]) -> String {
    let mut text = String::new();
    for row in classes.chunks_exact(8) {
        let mut empty = 0;
        for &class in row {
            if class == 0 {
                empty += 1;
                continue;
            }
            if empty > 0 {
                text.push_str(&empty.to_string());
            }
            empty = 0;
            text.push(LETTERS[class]);
        }
        if empty > 0 {
            text.push_str(&empty.to_string());
        }
        text.push('/');
    }
    text.pop();
    text
}

/// The name of a square by its number from a8.
pub(crate) fn name(at: usize) -> String {
    format!("{}{}", char::from(b'a' + (at % 8) as u8), 8 - at / 8)
}

/// The castling rights that kings and rooks at home allow; `-` without any.
pub(crate) fn castling(classes: &[usize; 64]) -> String {
    const ROOK: usize = 4;
    let at = |name: usize, class: usize| classes[name] == class;
    let mut rights = String::new();
    for (first, king, [short, long]) in [(56, KING, ['K', 'Q']), (0, KING + 6, ['k', 'q'])] {
        let rook = ROOK + king - KING;
        if at(first + 4, king) && at(first + 7, rook) {
            rights.push(short);
        }
        if at(first + 4, king) && at(first, rook) {
            rights.push(long);
        }
    }
    if rights.is_empty() { "-".to_owned() } else { rights }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Certain classes of a FEN's placement, in the board's order.
    fn certain(placement: &str) -> Logs {
        let mut classes = Vec::new();
        for letter in placement.chars().filter(|letter| *letter != '/') {
            match letter.to_digit(10) {
                Some(empty) => classes.extend(std::iter::repeat_n(0, empty as usize)),
                None => classes.extend(LETTERS.iter().position(|it| *it == letter)),
            }
        }
        std::array::from_fn(|at| {
            std::array::from_fn(|class| if class == classes[at] { -0.01 } else { -7.0 })
        })
    }

    #[test]
    fn a_position_within_the_rules_is_kept() {
        for placement in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
            "8/8/8/8/8/8/8/8",
            "4k3/8/8/8/8/8/8/4K3",
            "q6k/1P6/8/8/8/8/6p1/K6Q",
        ] {
            let decided = decide(&certain(placement));
            assert_eq!(fen_placement(&decided.classes), placement);
            assert_eq!(decided.doubted, [false; 64], "{placement}");
        }
    }

    #[test]
    fn what_breaks_a_rule_is_the_next_likely_piece_and_marked() {
        // Square, its two likeliest pieces, and what it must become.
        for (placement, at, second, expected) in [
            ("P3k3/8/8/8/8/8/8/4K3", 0, 'B', "B3k3/8/8/8/8/8/8/4K3"),
            ("4k3/8/8/8/8/8/8/p3K3", 56, 'b', "4k3/8/8/8/8/8/8/b3K3"),
            ("4k3/8/8/8/3K4/8/8/4K3", 35, 'Q', "4k3/8/8/8/3Q4/8/8/4K3"),
            ("4k3/8/8/8/8/8/8/4Q3", 60, 'K', "4k3/8/8/8/8/8/8/4K3"),
        ] {
            let mut logs = certain(placement);
            let class = LETTERS.iter().position(|it| *it == second).expect("a piece");
            logs[at][class] = -0.9;
            for value in &mut logs[at] {
                *value -= 0.1;
            }
            let decided = decide(&logs);
            assert_eq!(fen_placement(&decided.classes), expected, "{placement}");
            assert!(decided.doubted[at], "{placement}");
        }
    }

    #[test]
    fn castling_needs_king_and_rook_at_home() {
        for (placement, rights) in [
            ("r3k2r/8/8/8/8/8/8/R3K2R", "KQkq"),
            ("r3k3/8/8/8/8/8/8/4K2R", "Kq"),
            ("r2k3r/8/8/8/8/8/8/R3K1R1", "Q"),
            ("4k3/8/8/8/8/8/8/4K3", "-"),
        ] {
            assert_eq!(castling(&decide(&certain(placement)).classes), rights, "{placement}");
        }
    }
}
