//! The next puzzle: due ones first, then new ones.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::candidates::Candidate;
use super::error::PracticeError;
use super::store::Store;
use super::verify::puzzle_of;
use super::{Puzzle, PuzzleQuery};
use crate::boards::Engines;

/// How long candidates are verified until one fits a query.
const VERIFY_TIMEOUT: Duration = Duration::from_secs(20);

/// The next puzzle that fits a query, at a time in seconds.
///
/// # Errors
/// When none fits, the engine fails, or the file of attempts cannot be used.
pub fn next_puzzle(
    engines: &Engines,
    store: &Store,
    candidates: Vec<Candidate>,
    query: &PuzzleQuery,
    now: i64,
) -> Result<Puzzle, PracticeError> {
    let begun = Instant::now();
    for candidate in in_order(store, candidates, query, now)? {
        let puzzle = match store.checked(&candidate.id, &candidate.fen)? {
            Some(puzzle) => puzzle,
            None if begun.elapsed() > VERIFY_TIMEOUT => break,
            None => {
                let puzzle = puzzle_of(engines, &candidate).map_err(PracticeError::Engine)?;
                store.keep(&candidate.id, &candidate.fen, puzzle.as_ref())?;
                puzzle
            }
        };
        if let Some(puzzle) = puzzle.filter(|puzzle| query.is(puzzle)) {
            return Ok(puzzle);
        }
    }
    Err(PracticeError::NoneFits)
}

/// The candidates that may fit a query and are due or new, those that are due first.
fn in_order(
    store: &Store,
    mut candidates: Vec<Candidate>,
    query: &PuzzleQuery,
    now: i64,
) -> Result<Vec<Candidate>, PracticeError> {
    let (due, tried) = store.due(now)?;
    let mistakes = store.mistakes()?;
    let tried: BTreeSet<&String> = tried.iter().collect();
    let is_open = |candidate: &Candidate| {
        if query.theme == "mistakes" {
            mistakes.contains(&candidate.id)
        } else {
            due.contains(&candidate.id) || !tried.contains(&candidate.id)
        }
    };
    candidates.retain(|candidate| {
        is_open(candidate)
            && (query.theme != "games" || candidate.of_game)
            && query.may_be(&candidate.position)
    });
    candidates.sort_by_key(|candidate| !due.contains(&candidate.id));
    Ok(candidates)
}

#[cfg(test)]
mod tests {
    use shakmaty::Chess;

    use super::*;

    #[test]
    fn due_puzzles_come_before_new_ones_and_solved_ones_wait() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let store = Store::open(folder.path()).expect("opens");
        let candidate = |id: &str| Candidate {
            id: id.to_owned(),
            fen: String::new(),
            position: Chess::default(),
            best: Vec::new(),
            of_game: id == "game",
        };
        let all = || ["new", "game", "wrong", "solved"].map(candidate).to_vec();
        let puzzle = |id: &str| Puzzle {
            id: id.to_owned(),
            fen: String::new(),
            best: String::new(),
            mate_in: None,
            nodes: 1,
        };
        store.record(&puzzle("wrong"), false, 0).expect("recorded");
        store.record(&puzzle("solved"), true, 1_000).expect("recorded");
        let ids = |theme: &str, now: i64| {
            let query = PuzzleQuery { theme: theme.to_owned(), ..PuzzleQuery::default() };
            let found = in_order(&store, all(), &query, now).expect("read");
            found.into_iter().map(|candidate| candidate.id).collect::<Vec<_>>()
        };
        for (theme, now, expected) in [
            ("", 1, &["new", "game"][..]),
            ("", 86_400, &["wrong", "new", "game"]),
            ("", 40 * 86_400, &["wrong", "solved", "new", "game"]),
            ("mistakes", 1, &["wrong"]),
            ("games", 1, &["game"]),
            ("ending", 1, &[]),
        ] {
            assert_eq!(ids(theme, now), expected, "{theme} at {now}");
        }
    }
}
