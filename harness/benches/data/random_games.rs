//! PGN of games of random moves.

use std::fmt::Write;

use shakmaty::san::SanPlus;
use shakmaty::{Chess, Position};

/// Games of random moves with comments as the harness writes them.
pub fn games(count: usize) -> String {
    let mut text = String::new();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for number in 0..count {
        let mut position = Chess::default();
        text += &format!("[Event \"bench\"]\n[White \"a\"]\n[Black \"b\"]\n[Round \"{number}\"]\n");
        text += "[Result \"1/2-1/2\"]\n[Termination \"normal\"]\n\n";
        for ply in 0..120 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let played = moves[random as usize % moves.len()];
            let san = SanPlus::from_move_and_play_unchecked(&mut position, played);
            let score = (random >> 20) % 300;
            // Writing to a `String` cannot fail.
            let _ = match ply % 2 {
                0 => write!(
                    text,
                    "{}. {san} {{+{}.{:02}/9 0.050s}} ",
                    ply / 2 + 1,
                    score / 100,
                    score % 100
                ),
                _ => write!(text, "{san} {{-{}.{:02}/9 0.050s}} ", score / 100, score % 100),
            };
            if ply % 4 == 3 {
                text.push('\n');
            }
        }
        text += "1/2-1/2\n\n";
    }
    text
}
