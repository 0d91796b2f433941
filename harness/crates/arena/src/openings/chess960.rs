//! The 960 start positions by number.

use super::super::record::Opening;

/// Places of the two knights on the five squares left (R. Scharnagl's table).
const KNIGHTS: [(usize, usize); 10] =
    [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];

/// The start position of a number below 960 (R. Scharnagl, 2004); 518 is the usual one.
pub fn opening(number: usize) -> Opening {
    let rank = rank(number);
    let black = rank.to_lowercase();
    let fen = format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{rank} w KQkq - 0 1");
    Opening { fen: Some(fen), moves: Vec::new() }
}

fn rank(number: usize) -> String {
    let mut files = [None; 8];
    let (number, light) = (number / 4, number % 4);
    files[2 * light + 1] = Some('B');
    let (number, dark) = (number / 4, number % 4);
    files[2 * dark] = Some('B');
    let knights = number / 6;
    let queen = number % 6;
    put(&mut files, queen, 'Q');
    let (first, second) = KNIGHTS[knights % KNIGHTS.len()];
    // The later one first: it does not move the free squares before it.
    put(&mut files, second, 'N');
    put(&mut files, first, 'N');
    for piece in ['R', 'K', 'R'] {
        put(&mut files, 0, piece);
    }
    files.into_iter().flatten().collect()
}

/// Puts a piece on the free square of this number, from the left.
fn put(files: &mut [Option<char>; 8], free: usize, piece: char) {
    if let Some(square) = files.iter_mut().filter(|square| square.is_none()).nth(free) {
        *square = Some(piece);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::super::referee::Referee;
    use super::*;

    #[test]
    fn all_960_are_different_and_legal_and_518_is_the_usual_one() {
        assert_eq!(rank(518), "RNBQKBNR");
        assert_eq!(rank(0), "BBQNNRKR");
        assert_eq!(rank(959), "RKRNNQBB");
        let ranks: HashSet<String> = (0..960).map(rank).collect();
        assert_eq!(ranks.len(), 960);
        for number in 0..960 {
            Referee::at(&opening(number), true).unwrap();
        }
    }
}
