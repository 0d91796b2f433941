//! The largest fall of a stored game, from its comments alone: to choose the games that are worth a look,
//! without playing through all of them.

use shakmaty::Color;

use super::comment::centipawns;
use super::swing::Falls;
use super::white_result;
use crate::data::pgn::engine_eval;
use crate::ledger::StoredGame;

/// The size of the largest fall, as [`falls`](super::falls) has it of the whole game; `None` without one.
pub fn largest_fall(game: &StoredGame) -> Option<i32> {
    let (tags, moves) = game.pgn.split_once("\n\n")?;
    let fen = tags.split_once("[FEN \"").map(|(_, fen)| fen);
    let white_begins = fen.and_then(|fen| fen.split(' ').nth(1)) != Some("b");
    let mut falls = Falls::new(white_result(game)?);
    let mut largest = None;
    let mut plies = 0usize;
    let mut rest = moves;
    loop {
        let (words, behind) = rest.split_once('{').unwrap_or((rest, ""));
        plies += words.split_ascii_whitespace().filter(|word| is_move(word)).count();
        let Some((comment, behind)) = behind.split_once('}') else { return largest };
        rest = behind;
        let (Some(ply), Some(eval)) = (plies.checked_sub(1), engine_eval(comment.as_bytes()))
        else {
            continue;
        };
        let mover = Color::from_white(ply.is_multiple_of(2) == white_begins);
        let fall = falls.add(ply, mover, centipawns(eval.score)).map(|fall| fall.size);
        largest = largest.max(fall);
    }
}

/// Whether a word is a move, and no number or result.
fn is_move(word: &str) -> bool {
    // `@e4` is the drop of a pawn.
    word.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '@')
}

#[cfg(test)]
mod tests {
    use super::super::{falls, view};
    use super::*;

    #[test]
    fn comments_alone_give_the_fall_that_the_whole_game_has() {
        let from_black = "[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1\"]\n";
        for (tags, moves) in [
            (
                "",
                "1. e4 {book} e5 {book} 2. Nf3 {+0.30/9 0.050s} Nc6 {-0.10/9 0.1s} 3. Bb5\n\
                  {-2.30/9 0.050s} a6 {+2.00/9 0.050s, White mates} 1-0",
            ),
            ("", "1. e4 {+0.30/9 0.050s} e5 2. Nf3 {+0.10/9 0.050s} Nc6 {-M4/9 0.050s} *"),
            (from_black, "1... e5 {+1.00/9 0.050s} 2. e4 {+0.50/9 0.1s} 2... Nc6 {-3.00/9 0.1s} *"),
            ("", "1. e4 {0.00/1 0.000s} e5 {0.00/1 0.000s} 1/2-1/2"),
            ("", "{White crashes} 0-1"),
        ] {
            for first_half_points in 0..=2 {
                let game = StoredGame {
                    pair: 0,
                    game: 0,
                    white: "a".to_owned(),
                    black: "b".to_owned(),
                    first_is_white: true,
                    first_half_points,
                    termination: "checkmate".to_owned(),
                    plies: 4,
                    milliseconds: 1,
                    pgn: format!("[Event \"?\"]\n{tags}\n{moves}\n\n"),
                    worker: None,
                };
                let whole = falls(&view(&game).expect("a game"), 0).first().map(|fall| fall.size);
                assert_eq!(largest_fall(&game), whole, "{first_half_points} {tags}{moves}");
            }
        }
    }
}
