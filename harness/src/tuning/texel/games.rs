//! Labelled positions from games: each position before a quiet move, with the mover's score.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

use engine::board::Position;
use shakmaty::fen::Fen;
use shakmaty::{EnPassantMode, Position as _};

use super::dataset::{DataError, Reason, Sample, Sieve};
use crate::data::games::{self, Game, Thought};

/// Reads a file of games.
pub fn read(
    path: &Path,
    source: impl Read,
    sieve: &mut Sieve<'_>,
    told: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<(), DataError> {
    let bad = |game, reason| DataError::Game { path: path.to_owned(), game, reason };
    let mut number = 0;
    let mut failed = Ok(());
    let mut take_in = |game: Game| {
        number += 1;
        failed = take(&game, sieve).map_err(|reason| bad(number, reason));
        if failed.is_ok() && number % 16 == 0 && told().is_break() {
            failed = Err(DataError::Stopped);
        }
        if failed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    games::read(source, &mut take_in).map_err(|(game, reason)| bad(game, reason))?;
    failed
}

fn take(game: &Game, sieve: &mut Sieve<'_>) -> Result<(), String> {
    let is_quiet =
        |thought: &&Thought| !(thought.played.is_capture() || thought.played.is_promotion());
    let (quiet, tactical): (Vec<&Thought>, Vec<&Thought>) = game.moves.iter().partition(is_quiet);
    sieve.counts.drop(Reason::Tactical, tactical.len() as u64);
    let is_mate = |thought: &&Thought| thought.said.is_some_and(|said| said.score.is_none());
    let (mates, labelled): (Vec<&Thought>, Vec<&Thought>) = quiet.into_iter().partition(is_mate);
    sieve.counts.drop(Reason::Mate, mates.len() as u64);
    let Some(result) = game.result else {
        sieve.counts.drop(Reason::NoResult, labelled.len() as u64);
        return Ok(());
    };
    let number = sieve.next_game();
    for thought in labelled {
        let fen = Fen::from_position(&thought.before, EnPassantMode::Legal).to_string();
        let position = Position::from_fen(&fen).map_err(|error| error.to_string())?;
        let mover = if thought.before.turn().is_white() { 1 } else { -1 };
        let score = thought.said.and_then(|said| said.score).map(|score| mover * score);
        sieve.sift(Sample { position, score, result, game: number });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::dataset::{self, Counts, Filters};
    use super::*;

    fn read(pgn: &str) -> Result<(Counts, Vec<Sample>), DataError> {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("games.pgn");
        std::fs::write(&path, pgn).expect("written");
        let mut samples = Vec::new();
        let counts = dataset::read(
            &[path],
            &Filters { min_ply: 2, ..Filters::default() },
            true,
            1,
            &mut |sample| samples.push(sample),
            &mut |_| ControlFlow::Continue(()),
        )?;
        Ok((counts, samples))
    }

    const GAME: &str = "[Result \"1-0\"]\n[Termination \"normal\"]\n\n\
        1. e4 {+0.30/9 0.01s 99n} d5 {-0.45/9 0.01s} 2. exd5 {+0.50/9 0.01s} Qxd5 {-0.52/9 0.01s} \
        3. Nc3 {+0.55/10 0.01s} Qa5 {-0.61/10 0.01s} 4. b4 {+M5/10 0.01s} a6 {book} 1-0\n\n";

    #[test]
    fn quiet_moves_with_a_score_label_the_position_before_them() {
        let (counts, samples) = read(GAME).expect("a game");
        let labels: Vec<(String, Option<i32>)> =
            samples.iter().map(|sample| (sample.position.fen(false), sample.score)).collect();
        let third = "rnb1kbnr/ppp1pppp/8/3q4/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3";
        let answer = "rnb1kbnr/ppp1pppp/8/3q4/8/2N5/PPPP1PPP/R1BQKBNR b KQkq - 1 3";
        let wanted = [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 30),
            ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", 45),
            (third, 55),
            (answer, 61),
        ];
        assert_eq!(labels, wanted.map(|(fen, score)| (fen.to_owned(), Some(score))));
        assert!(samples.iter().all(|sample| sample.result == 1.0));
        assert_eq!(counts.dropped[&Reason::Tactical], 2);
        assert_eq!(counts.dropped[&Reason::Mate], 1);
        assert_eq!(counts.dropped[&Reason::NoScore], 1);
    }

    #[test]
    fn a_game_that_was_lost_on_time_teaches_nothing() {
        let (counts, samples) =
            read(&GAME.replace("\"normal\"", "\"time forfeit\"")).expect("a game");
        assert!(samples.is_empty());
        assert_eq!(counts.dropped[&Reason::NoResult], 5);
    }

    #[test]
    fn an_illegal_move_is_told_with_its_game() {
        let error = read(&format!("{GAME}{}", GAME.replace("b4", "b5"))).err().expect("illegal");
        let text = error.to_string();
        assert!(text.contains("game 2") && text.contains("`b5`"), "{text}");
    }
}
