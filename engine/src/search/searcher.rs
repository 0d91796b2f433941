//! What callers hold: starts a search, and keeps what was learnt between searches.

use std::cmp::Reverse;
use std::collections::TryReserveError;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

use super::drivers::Algorithm;
use super::limits::{Limits, Root};
use super::reductions::Reductions;
use super::score::Score;
use super::table::Table;
use super::tables::{RootRanks, TableUse};
use super::threads::{self, Mind, Task};
use crate::board::Move;
use crate::eval::nnue::Network;
use crate::eval::{Evaluation, Evaluator};
use crate::params::{Params, Values};

/// A player: parameters, and what its threads learnt so far.
pub struct Searcher<P, E = Evaluation> {
    params: P,
    reductions: Reductions,
    table: Table,
    algorithm: Algorithm,
    table_use: TableUse,
    /// One a thread; never empty.
    minds: Vec<Mind<E>>,
}

/// How a reported score relates to the truth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bounded {
    /// It is the value of a finished iteration.
    #[default]
    Exact,
    /// The iteration was cut off after a move was found that is worth at least this.
    AtLeast,
}

/// What is known after an iteration.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Place of the line among those that were asked for, from 1.
    pub line: u32,
    /// Depth of the iteration in plies.
    pub depth: u32,
    /// Deepest ply reached.
    pub seldepth: u32,
    /// Score for the side to move.
    pub score: Score,
    /// Whether the score is a bound only.
    pub bounded: Bounded,
    /// Nodes visited by all threads since the search began; those of the others as they last told.
    pub nodes: u64,
    /// Positions looked up in endgame tables since the search began.
    pub table_hits: u64,
    /// Time since the search began.
    pub time: Duration,
    /// Share of the table filled by this search, in thousandths.
    pub permille_full: u32,
    /// The best line; its first move is the best move.
    pub pv: Vec<Move>,
}

/// The end of a search.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// `None` only when there is no legal move.
    pub best_move: Option<Move>,
    /// The expected answer.
    pub ponder: Option<Move>,
    /// The last thing reported of the best line.
    pub last: Progress,
    /// What each thread came to.
    pub accounts: Vec<Account>,
    /// The thread whose line this is.
    pub elected: usize,
}

/// What a thread came to.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    /// Nodes that it visited.
    pub nodes: u64,
    /// The last iteration that it finished, in plies.
    pub depth: u32,
    /// Its score for the side to move.
    pub score: Score,
    /// Its best move.
    pub best_move: Option<Move>,
}

/// A report for those who look at the end only.
pub fn unreported(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

impl<P: Params> Searcher<P, Evaluation> {
    /// A searcher with the default evaluation and a table of so many MiB.
    pub fn new(params: P, hash_mib: usize) -> Self {
        Searcher {
            reductions: Reductions::new(&params),
            params,
            table: Table::new(hash_mib),
            algorithm: Algorithm::default(),
            table_use: TableUse::default(),
            minds: vec![Mind::new(Evaluation::default())],
        }
    }

    /// Evaluates by a network, or by hand-crafted terms without one, and forgets everything learnt:
    /// the table keeps evaluations.
    pub fn set_network(&mut self, network: Option<Arc<Network>>) {
        for mind in &mut self.minds {
            mind.evaluator = Evaluation::new(network.clone());
        }
        self.new_game();
    }
}

impl<P: Params, E: Evaluator + Send> Searcher<P, E> {
    /// How iterations ask for the value of the root.
    pub fn set_algorithm(&mut self, algorithm: Algorithm) {
        self.algorithm = algorithm;
    }

    /// Searches with so many threads from now on. The first keeps what it has learnt, so that a
    /// single thread searches the same whether or not it ever had company.
    pub fn set_threads(&mut self, threads: usize)
    where
        E: Clone,
    {
        let evaluator = self.minds[0].evaluator.clone();
        self.minds.resize_with(threads.max(1), || Mind::new(evaluator.clone()));
    }

    /// Whether and where endgame tables are asked.
    pub fn set_tables(&mut self, table_use: TableUse) {
        self.table_use = table_use;
    }

    /// What is wrong with the first endgame table that turned out to be damaged. Answered once.
    pub fn table_damage(&self) -> Option<&str> {
        self.table_use.tables.as_ref()?.damage()
    }

    /// Replaces the table by an empty one of so many MiB.
    ///
    /// # Errors
    /// When there is not so much memory; the table is then a small one.
    pub fn resize_hash(&mut self, hash_mib: usize) -> Result<(), TryReserveError> {
        // The old one goes first, so that both are never held.
        self.table = Table::new(0);
        self.table = Table::allocate(hash_mib, self.minds.len())?;
        Ok(())
    }

    /// Forgets the transposition table.
    pub fn clear_hash(&mut self) {
        self.table.clear(self.minds.len());
    }

    /// Forgets everything learnt.
    pub fn new_game(&mut self) {
        self.clear_hash();
        for mind in &mut self.minds {
            mind.forget();
        }
    }

    /// How many threads search.
    pub fn threads(&self) -> usize {
        self.minds.len()
    }

    /// The parameters.
    pub fn params(&self) -> &P {
        &self.params
    }

    /// The parameters, to be set between searches.
    pub fn params_mut(&mut self) -> &mut P {
        &mut self.params
    }

    /// Searches until a limit is reached or `stop` is set, and reports each finished iteration;
    /// a report that breaks off is the last one.
    ///
    /// The first iteration is always finished, whatever the limits, unless `nodes` forbids it;
    /// even then a legal move is given if there is one.
    pub fn search(
        &mut self,
        root: &Root,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Outcome {
        self.search_and_answer(root, limits, stop, report, &mut |_| ())
    }

    /// The same, telling `answer` the outcome as soon as it is known: other threads may take a
    /// while to come to their end.
    pub fn search_and_answer(
        &mut self,
        root: &Root,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
        answer: &mut dyn FnMut(&Outcome),
    ) -> Outcome {
        self.table.new_search();
        self.reductions.follow(&self.params);
        let legal = root.position().legal_moves();
        let wanted = |m: &Move| limits.search_moves.is_empty() || limits.search_moves.contains(m);
        let mut root_moves: Vec<Move> = legal.iter().copied().filter(wanted).collect();
        let ranks = RootRanks::new(&self.table_use, root, &root_moves);
        if let Some(ranks) = &ranks {
            root_moves.sort_by_key(|&m| Reverse(ranks.rank(m)));
        }
        let table_hits = if ranks.is_some() { root_moves.len() as u64 } else { 0 };
        let task = Task {
            params: &self.params,
            table: &self.table,
            reductions: &self.reductions,
            algorithm: self.algorithm,
            root,
            limits,
            root_moves,
            table_use: self.table_use.inside(ranks.as_ref()),
            ranks: ranks.as_ref(),
            table_hits: AtomicU64::new(table_hits),
        };
        threads::search(&task, &mut self.minds, stop, report, answer)
    }
}

impl Searcher<Values> {
    /// [`search`](Self::search), compiled in this crate: a caller in another one would otherwise
    /// compile a copy of the whole search, with that crate's profile.
    pub fn search_tunable(
        &mut self,
        root: &Root,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Outcome {
        self.search(root, limits, stop, report)
    }
}
