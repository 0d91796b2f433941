//! Puzzles: positions with one good move, when to show them again, and the rating of who solves them.
//!
//! Candidates come from the suites, from the games of the ledger in which a mistake was made, and from
//! the positions that were picked from lost games. Whether one is a
//! puzzle an engine decides ([`verify`]); what was solved and when it is due again is kept in
//! `practice.db` ([`store`]).
//!
//! | module | subject |
//! |---|---|
//! | [`candidates`] | positions with a move to be found |
//! | [`verify`] | whether such a position is a puzzle |
//! | [`query`] | the kind of puzzle that is asked for |
//! | [`choose`], [`answer`] | the next puzzle; the verdict on an answer |
//! | [`schedule`] | spaced repetition |
//! | [`rating`] | the rating of the solver |
//! | [`store`] | puzzles, attempts and due times, kept |

pub mod answer;
pub mod candidates;
pub mod choose;
pub mod error;
pub mod query;
pub mod rating;
pub mod schedule;
pub mod store;
pub mod verify;

pub use candidates::GamePositions;
pub use query::PuzzleQuery;

use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Position, Role};

/// A position with one good move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Puzzle {
    /// Its name: that of the position in its suite.
    pub id: String,
    /// The position.
    pub fen: String,
    /// The move to be found.
    pub best: String,
    /// Moves to the mate that the move forces, if it does.
    pub mate_in: Option<u32>,
    /// Nodes after which the engine has found the move and keeps it.
    pub nodes: u64,
}

impl Puzzle {
    /// How hard it is, on the scale of the solver's rating.
    ///
    /// A convention, not a measurement on people: a move that is found at once is 800, and every
    /// doubling of the nodes adds 80.
    pub fn rating(&self) -> f64 {
        800.0 + 80.0 * (self.nodes.max(1) as f64).log2()
    }
}

/// An ending: besides kings and pawns each side has one piece at most, of this kind if one is named.
fn is_ending(position: &Chess, piece: &str) -> bool {
    let board = position.board();
    let pieces = board.occupied() & !board.pawns() & !board.kings();
    let few = [board.white(), board.black()].into_iter().all(|side| (pieces & side).count() <= 1);
    let role = match piece {
        "pawn" => return few && pieces.is_empty(),
        "rook" => Role::Rook,
        "queen" => Role::Queen,
        "bishop" => Role::Bishop,
        "knight" => Role::Knight,
        _ => return few,
    };
    few && !pieces.is_empty() && pieces == board.by_role(role)
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;
    use shakmaty::fen::Fen;

    use super::*;

    #[test]
    fn endings_are_told_by_their_pieces() {
        let position = |fen: &str| -> Chess {
            let fen: Fen = fen.parse().expect("a FEN");
            fen.into_position(CastlingMode::Standard).expect("legal")
        };
        let rooks = position("4k3/4p3/8/8/8/r7/4P3/R3K3 w - - 0 1");
        assert!(is_ending(&rooks, "rook") && is_ending(&rooks, "") && !is_ending(&rooks, "pawn"));
        let pawns = position("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1");
        assert!(is_ending(&pawns, "pawn") && !is_ending(&pawns, "rook"));
        assert!(!is_ending(&Chess::default(), ""));
    }

    #[test]
    fn a_move_that_needs_more_nodes_is_harder() {
        let puzzle = |nodes| Puzzle {
            id: "a".to_owned(),
            fen: String::new(),
            best: String::new(),
            mate_in: Some(2),
            nodes,
        };
        assert!(puzzle(4096).rating() > puzzle(64).rating());
        let query =
            PuzzleQuery { theme: "mate".to_owned(), mate_in: Some(2), ..PuzzleQuery::default() };
        assert!(query.is(&puzzle(1)));
        assert!(!PuzzleQuery { mate_in: Some(3), ..query }.is(&puzzle(1)));
    }
}
