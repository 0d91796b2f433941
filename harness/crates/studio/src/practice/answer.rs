//! Whether the answer to a puzzle is right.

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, EnPassantMode, Position};

use super::Puzzle;
use super::candidates::Candidate;
use super::error::PracticeError;
use super::store::Store;
use super::verify::best_line;
use crate::boards::Engines;
use harness_player::Score;

/// Verdict on a move.
#[derive(Debug, PartialEq)]
pub enum Verdict {
    /// The puzzle is solved.
    Solved {
        /// The position after the move.
        after: Chess,
    },
    /// The move is right, and the puzzle continues.
    Right {
        /// The position after the reply.
        after: Chess,
        /// The reply.
        reply: String,
    },
    /// Another move was to be found.
    Wrong,
}

/// The puzzle of a name, with its candidate.
///
/// # Errors
/// When there is none, or the file of attempts cannot be read.
pub fn find(
    store: &Store,
    candidates: Vec<Candidate>,
    id: &str,
) -> Result<(Candidate, Puzzle), PracticeError> {
    let unknown = || PracticeError::UnknownPuzzle(id.to_owned());
    let mut candidates = candidates.into_iter();
    let candidate = candidates.find(|candidate| candidate.id == id).ok_or_else(unknown)?;
    let puzzle = store.checked(id, &candidate.fen)?.flatten().ok_or_else(unknown)?;
    Ok((candidate, puzzle))
}

/// Plays a move.
///
/// # Errors
/// When it is illegal.
pub fn play(position: &mut Chess, uci: &str) -> Result<(), PracticeError> {
    let illegal = || PracticeError::IllegalMove(uci.to_owned());
    let parsed: UciMove = uci.parse().map_err(|_| illegal())?;
    let legal = parsed.to_move(position).map_err(|_| illegal())?;
    position.play_unchecked(legal);
    Ok(())
}

/// The verdict on a move after `played` half moves of the solution. Of a mate every move that keeps it
/// in time is right; otherwise only the best one.
///
/// # Errors
/// When the move is illegal, or the engine fails.
pub fn verdict(
    engines: &Engines,
    puzzle: &Puzzle,
    position: &Chess,
    played: u32,
    uci: &str,
) -> Result<Verdict, PracticeError> {
    let mut after = position.clone();
    play(&mut after, uci)?;
    if after.is_checkmate() {
        return Ok(Verdict::Solved { after });
    }
    let Some(mate_in) = puzzle.mate_in else {
        let is_best = uci == puzzle.best;
        return Ok(if is_best { Verdict::Solved { after } } else { Verdict::Wrong });
    };
    // Each of the solver's moves so far was followed by a reply.
    let left = mate_in.saturating_sub(played / 2 + 1);
    let fen = Fen::from_position(&after, EnPassantMode::Legal).to_string();
    let found = best_line(engines, &fen, &after).map_err(PracticeError::Engine)?;
    let Some((Score::Mate(moves), line)) = found else { return Ok(Verdict::Wrong) };
    let in_time = moves <= 0 && moves.unsigned_abs() <= left;
    let Some(reply) = line.moves.first().filter(|_| in_time) else { return Ok(Verdict::Wrong) };
    play(&mut after, &reply.uci)?;
    Ok(Verdict::Right { after, reply: reply.uci.clone() })
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;

    #[test]
    fn answers_are_right_wrong_or_illegal() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let engines = Engines::new(folder.path().to_owned());
        let answer = |fen: &str, best: &str, mate_in: Option<u32>, uci: &str| {
            let position: Chess = fen
                .parse::<Fen>()
                .expect("a FEN")
                .into_position(CastlingMode::Standard)
                .expect("legal");
            let puzzle = Puzzle {
                id: "a".to_owned(),
                fen: fen.to_owned(),
                best: best.to_owned(),
                mate_in,
                nodes: 1,
            };
            match verdict(&engines, &puzzle, &position, 0, uci) {
                Ok(Verdict::Solved { .. }) => "solved",
                Ok(Verdict::Right { .. }) => "right",
                Ok(Verdict::Wrong) => "wrong",
                Err(PracticeError::IllegalMove(_)) => "illegal",
                Err(error) => panic!("{error}"),
            }
        };
        let back_rank = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
        // Two rooks mate in two moves, in more than one way.
        let rooks = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1";
        for (fen, best, mate_in, uci, expected) in [
            (back_rank, "a1a8", Some(1), "a1a8", "solved"),
            (back_rank, "a1a8", Some(1), "a1a7", "wrong"),
            (back_rank, "a1a8", None, "a1a7", "wrong"),
            (back_rank, "a1a7", None, "a1a7", "solved"),
            (back_rank, "a1a8", Some(1), "a1h8", "illegal"),
            (back_rank, "a1a8", Some(1), "nonsense", "illegal"),
            (rooks, "a2a7", Some(2), "a2a7", "right"),
            (rooks, "a2a7", Some(2), "b1b7", "right"),
            (rooks, "a2a7", Some(2), "g1f1", "wrong"),
        ] {
            assert_eq!(answer(fen, best, mate_in, uci), expected, "{fen} {uci}");
        }
    }
}
