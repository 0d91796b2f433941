//! Whether a candidate is a puzzle: an engine decides.

use std::sync::Arc;

use shakmaty::Chess;

use super::Puzzle;
use super::candidates::Candidate;
use crate::boards::Engines;
use crate::boards::analysis::{LineView, Question, lines};
use crate::boards::engines::Cancel;
use crate::boards::scores::chances;
use harness_player::{Go, Score};

/// The engine that decides.
const ENGINE: &str = "builtin";

/// Nodes of the search that decides.
const SEARCH_NODES: u64 = 60_000;

/// Powers of two of nodes with which the move is searched for again, to rate the puzzle.
const RATING_POWERS: std::ops::Range<u32> = 4..16;

/// Minimum gap in percent between the winning chances of the best and the second best move.
const MIN_GAP: f64 = 25.0;

/// Minimum winning chances of the best move in percent.
const MIN_CHANCES: f64 = 65.0;

/// The puzzle of a candidate: it has one good move, and no second one that wins as well. `None` if it
/// is no puzzle.
///
/// # Errors
/// When the engine fails; in words for people.
pub fn puzzle_of(engines: &Engines, candidate: &Candidate) -> Result<Option<Puzzle>, String> {
    let found = search(engines, &candidate.fen, &candidate.position, 2, SEARCH_NODES)?;
    let Some((score, best)) = found.first() else { return Ok(None) };
    let Some(first) = best.moves.first() else { return Ok(None) };
    let second = found.get(1).map(|(score, _)| *score);
    let is_expected = candidate.best.is_empty() || candidate.best.contains(&first.uci);
    if !is_expected || !is_only_move(*score, second) {
        return Ok(None);
    }
    let mate_in = match score {
        Score::Mate(moves) if *moves > 0 => Some(moves.unsigned_abs()),
        _ => None,
    };
    let nodes = nodes_needed(engines, candidate, &first.uci)?;
    let id = candidate.id.clone();
    let fen = candidate.fen.clone();
    let best = first.uci.clone();
    Ok(Some(Puzzle { id, fen, best, mate_in, nodes }))
}

/// Whether the best move is good and the second best is not: by their scores.
fn is_only_move(best: Score, second: Option<Score>) -> bool {
    let mates_twice = matches!((best, second), (Score::Mate(one), Some(Score::Mate(other))) if one > 0 && other > 0);
    let gap = chances(best) - second.map_or(0.0, chances);
    chances(best) >= MIN_CHANCES && gap >= MIN_GAP && !mates_twice
}

/// The smallest power of two of nodes with which, and with every larger one, the move is found.
fn nodes_needed(engines: &Engines, candidate: &Candidate, best: &str) -> Result<u64, String> {
    let mut needed = SEARCH_NODES;
    for power in RATING_POWERS.rev() {
        let nodes = 1 << power;
        let found = search(engines, &candidate.fen, &candidate.position, 1, nodes)?;
        let first = found.first().and_then(|(_, line)| line.moves.first());
        if first.is_none_or(|first| first.uci != best) {
            break;
        }
        needed = nodes;
    }
    Ok(needed)
}

/// The best line of a position.
///
/// # Errors
/// When the engine fails; in words for people.
pub fn best_line(
    engines: &Engines,
    fen: &str,
    position: &Chess,
) -> Result<Option<(Score, LineView)>, String> {
    Ok(search(engines, fen, position, 1, SEARCH_NODES)?.into_iter().next())
}

fn search(
    engines: &Engines,
    fen: &str,
    position: &Chess,
    count: u32,
    nodes: u64,
) -> Result<Vec<(Score, LineView)>, String> {
    let question = Question {
        start: fen.to_owned(),
        moves: Vec::new(),
        position: position.clone(),
        chess960: false,
        lines: count,
    };
    lines(engines, ENGINE, &question, &Go::Nodes(nodes), &Arc::<Cancel>::default())
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;
    use shakmaty::fen::Fen;

    use super::*;

    #[test]
    fn one_good_move_makes_a_puzzle() {
        use Score::{Centipawns as Cp, Mate};
        for (best, second, expected) in [
            (Mate(2), None, true),
            (Mate(2), Some(Cp(0)), true),
            (Mate(1), Some(Mate(3)), false),
            (Mate(1), Some(Mate(-1)), true),
            (Cp(400), Some(Cp(0)), true),
            (Cp(400), Some(Cp(350)), false),
            (Cp(50), Some(Cp(-900)), false),
            (Mate(-3), Some(Mate(-2)), false),
        ] {
            assert_eq!(is_only_move(best, second), expected, "{best:?} {second:?}");
        }
    }

    #[test]
    fn the_engine_verifies_candidates() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let engines = Engines::new(folder.path().to_owned());
        let puzzle = |fen: &str, best: &[&str]| {
            let position = fen.parse::<Fen>().expect("a FEN").into_position(CastlingMode::Standard);
            let candidate = Candidate {
                id: "a".to_owned(),
                fen: fen.to_owned(),
                position: position.expect("legal"),
                best: best.iter().map(|best| (*best).to_owned()).collect(),
                of_game: false,
            };
            puzzle_of(&engines, &candidate).expect("the engine answers")
        };
        // Two knights and a bishop down: only the mate wins.
        let back_rank = "6k1/5ppp/8/8/6n1/n7/b4PPP/4R1K1 w - - 0 1";
        for best in [&["e1e8"][..], &[]] {
            let puzzle = puzzle(back_rank, best).expect("a puzzle");
            assert_eq!((puzzle.best.as_str(), puzzle.mate_in), ("e1e8", Some(1)));
            assert!(puzzle.nodes <= SEARCH_NODES, "{puzzle:?}");
        }
        // The suite names another move; two moves mate; nothing wins.
        assert_eq!(puzzle(back_rank, &["e1d1"]), None);
        assert_eq!(puzzle("6k1/5ppp/8/8/8/8/5PPP/RR4K1 w - - 0 1", &[]), None);
        assert_eq!(puzzle("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1", &[]), None);
    }
}
