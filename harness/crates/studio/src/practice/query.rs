//! The kind of puzzle that a form or an address asks for.

use shakmaty::Chess;

use super::{Puzzle, is_ending};
use crate::form::Form;

/// Themes, with their names for people; the first is any.
pub const THEMES: [(&str, &str); 6] = [
    ("", "any"),
    ("mate", "mate"),
    ("ending", "ending"),
    ("tactics", "tactics"),
    ("mistakes", "mistakes"),
    ("games", "from games played here"),
];

/// Pieces of endings; the first is any.
pub const PIECES: [&str; 6] = ["", "pawn", "knight", "bishop", "rook", "queen"];

/// The longest mate that can be asked for, in moves.
pub const LONGEST_MATE: u32 = 9;

/// Kind of puzzle that a solver requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PuzzleQuery {
    /// `mate`, `ending`, `tactics`, `mistakes`, `games`; empty for any.
    pub theme: String,
    /// Moves to the mate.
    pub mate_in: Option<u32>,
    /// The piece of an ending.
    pub piece: String,
}

impl PuzzleQuery {
    /// From fields; with what of them is not understood, in words, which is left out.
    pub fn read(sent: &Form) -> (PuzzleQuery, Vec<String>) {
        let mut faults = Vec::new();
        let theme = sent.get("theme");
        let is_theme = THEMES.iter().any(|(known, _)| *known == theme);
        if !is_theme {
            faults.push(format!("there is no theme `{theme}`"));
        }
        let piece = sent.get("piece");
        let is_piece = PIECES.contains(&piece);
        if !is_piece {
            faults.push(format!("there are no endings of the piece `{piece}`"));
        }
        let asked = sent.get("mate_in").trim();
        let mut mate_in = asked.parse().ok().filter(|moves| (1..=LONGEST_MATE).contains(moves));
        if mate_in.is_none() && !asked.is_empty() {
            faults.push(format!(
                "`{asked}` is no number of moves to a mate, from 1 to {LONGEST_MATE}"
            ));
        }
        if theme == "tactics" && mate_in.is_some() {
            faults.push("a puzzle of `tactics` is no mate".to_owned());
            mate_in = None;
        }
        let theme = if is_theme { theme.to_owned() } else { String::new() };
        let piece = if is_piece { piece.to_owned() } else { String::new() };
        (PuzzleQuery { theme, mate_in, piece }, faults)
    }

    /// Can this position be what is wished for, before an engine has seen it?
    pub fn may_be(&self, position: &Chess) -> bool {
        let wants_ending = self.theme == "ending" || !self.piece.is_empty();
        !wants_ending || is_ending(position, &self.piece)
    }

    /// Is this puzzle what is wished for?
    pub fn is(&self, puzzle: &Puzzle) -> bool {
        let is_length = self.mate_in.is_none_or(|wanted| puzzle.mate_in == Some(wanted));
        is_length
            && match self.theme.as_str() {
                "mate" => puzzle.mate_in.is_some(),
                "tactics" => puzzle.mate_in.is_none(),
                _ => true,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(fields: &[(&str, &str)]) -> (PuzzleQuery, Vec<String>) {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        PuzzleQuery::read(&Form::new(fields.collect()))
    }

    #[test]
    fn what_of_a_wish_is_not_understood_is_said_and_left_out() {
        for (name, value) in [
            ("mate_in", "-3"),
            ("mate_in", "0"),
            ("mate_in", "99"),
            ("mate_in", "abc"),
            ("theme", "foo"),
            ("piece", "king"),
        ] {
            let (query, faults) = read(&[(name, value)]);
            assert_eq!(query, PuzzleQuery::default(), "{name}={value}");
            assert_eq!(faults.len(), 1, "{name}={value}");
            assert!(faults[0].contains(&format!("`{value}`")), "{faults:?}");
        }
        let (query, faults) = read(&[("theme", "mate"), ("mate_in", " 3 "), ("piece", "rook")]);
        assert_eq!((query.theme.as_str(), query.mate_in, faults.len()), ("mate", Some(3), 0));
        let (query, faults) = read(&[("theme", "tactics"), ("mate_in", "3")]);
        assert_eq!((query.mate_in, faults.len()), (None, 1));
    }

    #[test]
    fn a_length_and_a_piece_are_asked_for_without_a_theme_too() {
        let mate = |moves| Puzzle {
            id: String::new(),
            fen: String::new(),
            best: String::new(),
            mate_in: moves,
            nodes: 1,
        };
        let (query, _) = read(&[("mate_in", "2")]);
        assert!(query.is(&mate(Some(2))) && !query.is(&mate(Some(3))) && !query.is(&mate(None)));
        let (query, _) = read(&[("piece", "rook")]);
        assert!(!query.may_be(&Chess::default()));
        assert!(PuzzleQuery::default().may_be(&Chess::default()));
    }
}
