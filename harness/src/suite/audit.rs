//! Faults of a suite itself, with the evidence.
//!
//! The file alone shows illegal positions and moves, duplicates, and positions that no move solves.
//! An engine shows the others: in a sound position the best move that solves it scores clearly
//! better than the best one that does not.

mod search;
mod text;

use std::collections::HashMap;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use shakmaty::{Move, Position};

pub use search::{AuditStopped, search_all};
pub use text::text;

use super::catalog::Scoring;
use super::epd::{self, EpdPosition};
use super::load::SuiteFile;
use super::score::score_move;
use crate::player::Score;

/// The audit of a suite.
#[derive(Clone, Debug, Serialize)]
pub struct Audit {
    /// The name in the catalogue, or the file.
    pub suite: String,
    /// The engine.
    pub engine: String,
    /// Nodes a search.
    pub nodes: u64,
    /// Valid positions.
    pub positions: usize,
    /// How many findings there are of each kind.
    #[serde(flatten)]
    pub counts: Counts,
    /// By line.
    pub findings: Vec<Finding>,
    /// Wall time.
    pub seconds: f64,
}

/// How many findings there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// [`FindingKind::Illegal`].
    pub illegal: usize,
    /// [`FindingKind::Duplicate`].
    pub duplicate: usize,
    /// [`FindingKind::Unsolvable`].
    pub unsolvable: usize,
    /// [`FindingKind::Unsound`].
    pub unsound: usize,
    /// [`FindingKind::Ambiguous`].
    pub ambiguous: usize,
}

/// Kind of a fault of a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// The line cannot be read, or its position or a move of it is illegal.
    Illegal,
    /// An earlier line has the same position.
    Duplicate,
    /// No move solves it.
    Unsolvable,
    /// The move to find is clearly worse than another, or the move to avoid is as good as any.
    Unsound,
    /// A move that does not solve it is as good as those that do, or nearly.
    Ambiguous,
}

/// A fault of a suite.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// Line in the file, from 1.
    pub line: usize,
    /// The position's id; `line N` where there is none.
    pub id: String,
    /// Its kind.
    pub kind: FindingKind,
    /// In words.
    pub what: String,
    /// The position, if it could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fen: Option<String>,
    /// Scores of the engine, if it searched.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// The best solving and the best failing move of an engine.
#[derive(Clone, Debug, Serialize)]
pub struct Evidence {
    /// Nodes of each search.
    pub nodes: u64,
    /// The best move that solves the position.
    pub solving: Opinion,
    /// The best move that does not.
    pub failing: Opinion,
}

/// Score of a move.
#[derive(Clone, Debug, Serialize)]
pub struct Opinion {
    /// The move, in UCI notation.
    pub r#move: String,
    /// The move, in SAN.
    pub san: String,
    /// For the side to move.
    #[serde(flatten, serialize_with = "cp_or_mate")]
    pub score: Score,
    /// Depth of the last iteration in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

impl Counts {
    /// Counts findings.
    pub fn of(findings: &[Finding]) -> Counts {
        let mut counts = Counts::default();
        for finding in findings {
            *match finding.kind {
                FindingKind::Illegal => &mut counts.illegal,
                FindingKind::Duplicate => &mut counts.duplicate,
                FindingKind::Unsolvable => &mut counts.unsolvable,
                FindingKind::Unsound => &mut counts.unsound,
                FindingKind::Ambiguous => &mut counts.ambiguous,
            } += 1;
        }
        counts
    }

    /// Whether there are faults that make results of the suite wrong: not the ambiguous positions.
    pub fn is_bad(self) -> bool {
        self.illegal + self.duplicate + self.unsolvable + self.unsound > 0
    }
}

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
            findings.push(finding(position, FindingKind::Illegal, what.clone()));
        }
        match seen.get(key(position)) {
            Some(first) => {
                let what = same(position, first, scoring);
                findings.push(finding(position, FindingKind::Duplicate, what));
            }
            None => {
                seen.insert(key(position).to_owned(), position);
            }
        }
        if let Some(what) = unsolvable(position, scoring) {
            findings.push(finding(position, FindingKind::Unsolvable, what.to_owned()));
        }
    }
    Read { positions, scoring, findings }
}

fn finding(position: &EpdPosition, kind: FindingKind, what: String) -> Finding {
    let (line, id, fen) = (position.line, position.id.clone(), Some(position.fen.clone()));
    Finding { line, id, kind, what, fen, evidence: None }
}

/// Board, side to move, castling rights and en passant square, if a capture there is legal.
fn key(position: &EpdPosition) -> &str {
    let end = position.fen.match_indices(' ').nth(3).map_or(position.fen.len(), |(at, _)| at);
    &position.fen[..end]
}

fn same(position: &EpdPosition, first: &EpdPosition, scoring: Scoring) -> String {
    let agree = sorted(position, scoring).0 == sorted(first, scoring).0;
    let solutions = if agree { "the same" } else { "other" };
    format!("the position of {} (line {}), with {solutions} solutions", first.id, first.line)
}

fn unsolvable(position: &EpdPosition, scoring: Scoring) -> Option<&'static str> {
    if position.best.is_empty() && position.avoid.is_empty() && position.points.is_empty() {
        return Some("it has no move to find");
    }
    let (solving, _) = sorted(position, scoring);
    solving.is_empty().then_some("no legal move solves it")
}

/// The legal moves that solve a position, and those that do not.
fn sorted(position: &EpdPosition, scoring: Scoring) -> (Vec<Move>, Vec<Move>) {
    let legal = position.position.legal_moves();
    legal.into_iter().partition(|&m| score_move(position, scoring, Some(m)).solved)
}

/// `"cp": 35` or `"mate": 3`.
fn cp_or_mate<S: Serializer>(score: &Score, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    match score {
        Score::Centipawns(cp) => map.serialize_entry("cp", cp)?,
        Score::Mate(moves) => map.serialize_entry("mate", moves)?,
    }
    map.end()
}
