//! The faults of a suite that need no engine.

use std::collections::HashMap;

use shakmaty::{Move, Position};

use super::fault_of;
use crate::catalog::Scoring;
use crate::load::SuiteFile;
use crate::score::score_move;
use harness_notation::epd::{self, EpdPosition};
use harness_outcome::audit::{Finding, FindingKind};

/// The valid positions of a suite, and the faults that the file shows.
#[derive(Clone, Debug)]
pub struct Read {
    /// The valid lines.
    pub positions: Vec<EpdPosition>,
    /// How moves are scored.
    pub scoring: Scoring,
    /// Illegal, duplicate and unsolvable ones.
    pub findings: Vec<Finding>,
}

/// Reads a suite and finds the faults that need no engine.
pub fn read(file: &SuiteFile) -> Read {
    let (positions, errors) = epd::read_all(&file.name, &file.bytes);
    let scored = positions.iter().any(|position| !position.points.is_empty());
    let scoring = match &file.entry {
        Some(entry) => entry.scoring,
        None if scored => Scoring::ScoredMoves,
        None => Scoring::BestMove,
    };
    let mut findings = Vec::new();
    for error in errors {
        let id = error.id.unwrap_or_else(|| format!("line {}", error.line));
        let what = format!("column {}: {}", error.column, error.what);
        let kind = FindingKind::Illegal;
        findings.push(Finding { line: error.line, id, kind, what, fen: None, evidence: None });
    }
    let mut seen: HashMap<String, &EpdPosition> = HashMap::new();
    for position in &positions {
        if let Some(what) = &position.forgiven {
            findings.push(fault_of(position, FindingKind::Illegal, what.clone()));
        }
        match seen.get(key(position)) {
            Some(first) => {
                let what = same(position, first, scoring);
                findings.push(fault_of(position, FindingKind::Duplicate, what));
            }
            None => {
                seen.insert(key(position).to_owned(), position);
            }
        }
        if let Some(what) = unsolvable(position, scoring) {
            findings.push(fault_of(position, FindingKind::Unsolvable, what.to_owned()));
        }
    }
    Read { positions, scoring, findings }
}

/// The faults of a suite that no engine can get right: positions without a solving move, and those that stand in it twice
/// with other solutions. Each begins with the id, ` - ` behind it.
pub fn contradictions(file: &SuiteFile) -> Vec<String> {
    let found = read(file).findings.into_iter().filter(|finding| match finding.kind {
        FindingKind::Unsolvable => true,
        FindingKind::Duplicate => finding.what.ends_with(OTHER),
        _ => false,
    });
    found.map(|Finding { id, what, .. }| format!("{id} - {what}")).collect()
}

/// The end of the words on a duplicate that has not the solutions of the first.
const OTHER: &str = "with other solutions";

/// Board, side to move, castling rights and en passant square, if a capture there is legal.
fn key(position: &EpdPosition) -> &str {
    let end = position.fen.match_indices(' ').nth(3).map_or(position.fen.len(), |(at, _)| at);
    &position.fen[..end]
}

fn same(position: &EpdPosition, first: &EpdPosition, scoring: Scoring) -> String {
    let agree = sorted(position, scoring).0 == sorted(first, scoring).0;
    let solutions = if agree { "with the same solutions" } else { OTHER };
    format!("the position of {} (line {}), {solutions}", first.id, first.line)
}

fn unsolvable(position: &EpdPosition, scoring: Scoring) -> Option<&'static str> {
    if position.best.is_empty() && position.avoid.is_empty() && position.points.is_empty() {
        return Some("it has no move to find");
    }
    let (solving, _) = sorted(position, scoring);
    solving.is_empty().then_some("no legal move solves it")
}

/// The legal moves that solve a position, and those that do not.
pub(super) fn sorted(position: &EpdPosition, scoring: Scoring) -> (Vec<Move>, Vec<Move>) {
    let legal = position.position.legal_moves();
    legal.into_iter().partition(|&m| score_move(position, scoring, Some(m)).solved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_says_against_itself_is_found() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        let lines = ["bm e4; am e4; id \"a\"", "bm d4; id \"b\"", "bm d4; id \"c\""];
        let text: String = lines.map(|line| format!("{start} {line};\n")).concat();
        let name = "mine.epd".to_owned();
        let file = SuiteFile { name, bytes: text.into_bytes().into(), entry: None };
        let wanted = [
            "a - no legal move solves it",
            "b - the position of a (line 1), with other solutions",
            "c - the position of a (line 1), with other solutions",
        ];
        assert_eq!(contradictions(&file), wanted);
    }
}
