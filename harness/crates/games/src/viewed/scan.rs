//! The largest fall of a stored game, from its comments alone: to choose the games that are worth a look,
//! without playing through all of them.

use shakmaty::Color;

use super::comment::centipawns;
use super::swing::Falls;
use super::white_result;
use crate::{engine_eval, tagged_for_mover};
use harness_base::text::fen::is_black_to_move;
use harness_ledger::StoredGame;
use harness_notation::pgn::{Event, Lexer};

/// The size of the largest fall, as [`falls`](super::falls) has it of the whole game; `None` without one.
pub fn largest_fall(game: &StoredGame) -> Option<i32> {
    let mut falls = Falls::new(white_result(game)?);
    let mut lexer = Lexer::new(game.pgn.as_bytes()).main_line();
    let mut plies = 0usize;
    let mut is_white_first = true;
    let mut largest = None;
    while let Ok(Some(event)) = lexer.next_event() {
        match event {
            Event::Tag(tag) if tag.name == b"FEN" => {
                is_white_first = !is_black_to_move(&tag.text())
            }
            Event::Move(_) => plies += 1,
            Event::Comment(comment) => {
                let Some(ply) = plies.checked_sub(1) else { continue };
                let mover = Color::from_white(ply.is_multiple_of(2) == is_white_first);
                let tagged = || tagged_for_mover(comment.bytes, mover);
                let Some(eval) = engine_eval(comment.bytes).or_else(tagged) else { continue };
                let fall = falls.add(ply, mover, centipawns(eval.score)).map(|fall| fall.size);
                largest = largest.max(fall);
            }
            Event::End { .. } => break,
            _ => {}
        }
    }
    largest
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
            (
                "",
                "1. e4 {[%clk 0:03:00] +0.30/9 0.1s} e5 {[%eval 0.20,4] [%clk 0:03:00]} 2. Nf3 {[%eval -3.1]} Nc6 {[%eval #-2,9]} *",
            ),
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
