//! The lines of the root that an iteration finds (MultiPV), as they are reported.

use std::cmp::Reverse;

use super::drivers::{Algorithm, Iteration};
use super::game_line::GameLine;
use super::limits::Root;
use super::mates::{MateLimit, MateSearch};
use super::report::ScoreBound;
use super::score::{MATE, Value, is_mate};
use super::tree::Tree;
use super::tt::Bound;
use crate::board::Move;
use crate::eval::Evaluator;
use crate::params::Params;

/// Plies of a principal variation per ply of the iteration: the table may hold more of it.
const MAX_PV_DEPTHS: usize = 2;

/// A line of the root, as the last iteration that completed it left it.
#[derive(Clone, Debug, Default)]
pub(super) struct RootLine {
    /// The searched value, which the next iteration begins with.
    pub value: Value,
    /// The value to report: that of the tablebases for its first move if they know it, or of the mate
    /// that its moves lead to.
    pub reported: Value,
    pub bound: ScoreBound,
    /// Depth of the iteration, in plies.
    pub depth: i32,
    pub seldepth: usize,
    pub pv: Vec<Move>,
}

impl RootLine {
    fn head(&self) -> Option<Move> {
        self.pv.first().copied()
    }

    /// Whether the line is the mate that its score says.
    fn is_complete_mate(&self) -> bool {
        self.bound == ScoreBound::Exact
            && is_mate(self.reported)
            && self.pv.len() as Value == MATE - self.reported.abs()
    }
}

/// The lines as they are printed when an iteration is over: those that it found by their value, then
/// those of the iteration before whose first moves are not taken.
pub(super) fn with_earlier_lines(found: &[RootLine], earlier: &[RootLine]) -> Vec<RootLine> {
    let taken = |line: &RootLine| found.iter().any(|newer| newer.head() == line.head());
    let missing = earlier.len().saturating_sub(found.len());
    let left = earlier.iter().filter(|line| line.depth > 0 && !taken(line)).take(missing);
    found.iter().chain(left).cloned().collect()
}

impl<P: Params, E: Evaluator> Tree<'_, P, E> {
    /// MultiPV: searches the best line, then the best one without its first move, and so on; sorts
    /// them by value. When the search is stopped there are fewer than in the iteration before; a
    /// single one may be a lower bound.
    pub fn search_lines(
        &mut self,
        algorithm: Algorithm,
        root: &Root,
        all_moves: &[Move],
        previous: &[RootLine],
    ) -> Vec<RootLine> {
        let depth = self.root_depth;
        let mut found: Vec<RootLine> = Vec::with_capacity(previous.len());
        for (number, before) in previous.iter().enumerate() {
            let taken: Vec<Move> = found.iter().filter_map(RootLine::head).collect();
            self.root_moves = all_moves.iter().copied().filter(|m| !taken.contains(m)).collect();
            if let Some(ranks) = self.root_ranks {
                ranks.keep_best(&mut self.root_moves);
            }
            self.seldepth = 0;
            self.root_best = None;
            let guess = before.value;
            let value = self.search_root(algorithm, root.position(), Iteration { depth, guess });
            let head = before.head().filter(|m| !taken.contains(m));
            let (value, bound) = match (self.stopped, self.root_best) {
                (false, _) => (value, ScoreBound::Exact),
                // Stopped, but another move has raised alpha, or there is no previous iteration with
                // a value.
                (true, Some((m, value))) if number == 0 && (head != Some(m) || depth == 1) => {
                    (value, ScoreBound::Lower)
                }
                // The lines before this one are complete.
                (true, _) => break,
            };
            let continued: &[Move] = match head {
                Some(_) => &before.pv,
                None => &self.root_moves[..self.root_moves.len().min(1)],
            };
            let pv = self.principal_variation(root, continued);
            let seldepth = self.seldepth;
            let mut line = RootLine { value, reported: value, bound, depth, seldepth, pv };
            line.reported = self.tablebase_value(&line);
            self.complete_mate(root, &mut line, previous);
            found.push(line);
            if bound == ScoreBound::Lower {
                return found;
            }
        }
        if found.len() == previous.len() {
            self.root_moves = all_moves.to_vec();
        }
        // Stable: of equal values the line that was searched among more moves comes first.
        found.sort_by_key(|line| Reverse(self.sort_key(line, line.value)));
        found
    }

    /// The key by which lines with values are sorted: tablebase rank, then value.
    pub fn sort_key(&self, line: &RootLine, value: Value) -> (i32, Value) {
        let rank = match (self.root_ranks, line.head()) {
            (Some(ranks), Some(m)) => ranks.rank(m),
            _ => 0,
        };
        (rank, value)
    }

    /// The value of the tablebases for the first move of a line if known, otherwise the searched one.
    fn tablebase_value(&self, line: &RootLine) -> Value {
        match (self.root_ranks, line.head()) {
            (Some(ranks), Some(m)) => ranks.value(m, line.value),
            _ => line.value,
        }
    }

    /// The principal variation up to the end of the game, extended from the transposition table where
    /// zero windows left it short. If the last window failed low, it is the previous one.
    fn principal_variation(&self, root: &Root, previous: &[Move]) -> Vec<Move> {
        let pv: Vec<Move> = match self.root_best {
            Some((m, _)) => {
                let line: Vec<Move> = self.pv_table[0].moves().collect();
                if line.first() == Some(&m) { line } else { vec![m] }
            }
            None => previous.to_vec(),
        };
        let (mut pv, mut game) = GameLine::new(root).play_to_the_end(&pv);
        let mut seen: Vec<u64> = game.keys_from(pv.len()).to_vec();
        while pv.len() < MAX_PV_DEPTHS * self.root_depth as usize
            && !seen.contains(&game.position().key())
            && !game.is_over()
        {
            let position = game.position();
            let entry = self.tt.probe(position.key(), 0);
            let Some(m) = entry
                .filter(|entry| entry.bound != Bound::Upper)
                .and_then(|entry| entry.best_move)
                .filter(|&m| position.is_legal(m))
            else {
                break;
            };
            seen.push(position.key());
            game.play(m);
            pv.push(m);
        }
        pv
    }

    /// Has a line with the score of a mate end with it: a shorter mate where the moves are one, and a
    /// bound where the mate is not found again.
    fn complete_mate(&self, root: &Root, line: &mut RootLine, previous: &[RootLine]) {
        let Some(head) = line.head().filter(|_| is_mate(line.reported)) else { return };
        let plies = (MATE - line.reported.abs()) as usize;
        let game = GameLine::new(root);
        if line.pv.len() == plies && game.clone().play_to_the_end(&line.pv).1.is_mate() {
            return;
        }
        let known = previous.iter().find(|earlier| {
            earlier.head() == Some(head)
                && earlier.is_complete_mate()
                && earlier.reported.signum() == line.reported.signum()
                && earlier.pv.len() <= plies
        });
        let found = match known {
            Some(earlier) => Some(earlier.pv.clone()),
            None => self.find_mate(game, line, previous.len()),
        };
        match found {
            Some(pv) => {
                line.reported = line.reported.signum() * (MATE - pv.len() as Value);
                line.pv = pv;
            }
            None if line.reported > 0 => line.bound = ScoreBound::Lower,
            None => line.bound = ScoreBound::Upper,
        }
    }

    /// The moves of the mate that a line has the score of; `lines` share the effort.
    fn find_mate(&self, game: GameLine, line: &RootLine, lines: usize) -> Option<Vec<Move>> {
        let is_over = || self.timer.must_stop();
        let limit = MateLimit::new(self.nodes, lines, &is_over);
        let head = line.head()?;
        let pv = MateSearch::new(self.tt, game.clone(), limit).line(head, line.reported)?;
        let (played, end) = game.play_to_the_end(&pv);
        (played.len() == pv.len() && end.is_mate()).then_some(pv)
    }
}
