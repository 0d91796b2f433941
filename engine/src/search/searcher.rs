//! The searcher: what callers hold. It starts searches and keeps tables and histories between them.

use std::cmp::Reverse;
use std::collections::TryReserveError;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use super::drivers::Algorithm;
use super::limits::{Limits, Root};
use super::reduction_table::ReductionTable;
use super::report::{Progress, SearchResult};
use super::root_ranks::RootRanks;
use super::tablebase_options::TablebaseOptions;
use super::threads::{self, SharedContext, ThreadData};
use super::tt::TranspositionTable;
use super::weakness::Weakness;
use crate::board::Move;
use crate::eval::nnue::Network;
use crate::eval::{Evaluation, Evaluator};
use crate::params::{Params, Values};

/// A searcher: parameters, transposition table and the data of each thread.
pub struct Searcher<P, E = Evaluation> {
    params: P,
    reductions: ReductionTable,
    tt: TranspositionTable,
    algorithm: Algorithm,
    tb_options: TablebaseOptions,
    /// Mistakes of the latest search.
    weakness: Option<Weakness>,
    /// One element per thread; never empty.
    threads: Vec<ThreadData<E>>,
}

impl<P: Params> Searcher<P, Evaluation> {
    /// A searcher with the default evaluation and a transposition table of `hash_mib` MiB.
    pub fn new(params: P, hash_mib: usize) -> Self {
        Searcher {
            reductions: ReductionTable::new(&params),
            params,
            tt: TranspositionTable::new(hash_mib),
            algorithm: Algorithm::default(),
            tb_options: TablebaseOptions::default(),
            weakness: None,
            threads: vec![ThreadData::new(Evaluation::default())],
        }
    }

    /// Evaluates with a network, or with the hand-crafted evaluation if there is none. Starts a new
    /// game, since the transposition table holds evaluations.
    pub fn set_network(&mut self, network: Option<Arc<Network>>) {
        for thread in &mut self.threads {
            thread.evaluator = Evaluation::new(network.clone());
        }
        self.new_game();
    }
}

impl<P: Params, E: Evaluator + Send> Searcher<P, E> {
    /// Sets the search driver.
    pub fn set_algorithm(&mut self, algorithm: Algorithm) {
        self.algorithm = algorithm;
    }

    /// Sets the number of threads. The first keeps its histories, so that a single thread searches
    /// the same tree whether or not there were helpers before.
    pub fn set_threads(&mut self, threads: usize)
    where
        E: Clone,
    {
        let evaluator = self.threads[0].evaluator.clone();
        self.threads.resize_with(threads.max(1), || ThreadData::new(evaluator.clone()));
    }

    /// Sets the tablebases and when they are probed.
    pub fn set_tablebases(&mut self, options: TablebaseOptions) {
        self.tb_options = options;
    }

    /// The error of the first damaged tablebase file, returned once.
    pub fn tablebase_damage(&self) -> Option<&str> {
        self.tb_options.tablebases.as_ref()?.damage()
    }

    /// Replaces the transposition table by an empty one of `hash_mib` MiB.
    ///
    /// # Errors
    /// When memory does not suffice; the table then has the size it had, or the minimum size.
    pub fn resize_hash(&mut self, hash_mib: usize) -> Result<(), TryReserveError> {
        let before = self.hash_mib();
        // Free the old table first, so that both never exist at once.
        self.tt = TranspositionTable::new(0);
        let threads = self.threads.len();
        match TranspositionTable::allocate(hash_mib, threads) {
            Ok(table) => {
                self.tt = table;
                Ok(())
            }
            Err(error) => {
                if let Ok(table) = TranspositionTable::allocate(before, threads) {
                    self.tt = table;
                }
                Err(error)
            }
        }
    }

    /// Size of the transposition table in MiB.
    pub fn hash_mib(&self) -> usize {
        self.tt.mib()
    }

    /// Clears the transposition table.
    pub fn clear_hash(&mut self) {
        self.tt.clear(self.threads.len());
    }

    /// Clears the transposition table and all histories.
    pub fn new_game(&mut self) {
        self.clear_hash();
        for thread in &mut self.threads {
            thread.clear();
        }
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// The parameters.
    pub fn params(&self) -> &P {
        &self.params
    }

    /// The parameters, to change between searches.
    pub fn params_mut(&mut self) -> &mut P {
        &mut self.params
    }

    /// Searches until a limit is reached or `stop` is set. Calls `report` after each completed
    /// iteration; `Break` ends the search.
    ///
    /// The first iteration is completed whatever the limits, except for `nodes`; even then the
    /// outcome has a legal move if there is one.
    pub fn search(
        &mut self,
        root: &Root,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> SearchResult {
        self.search_with(root, limits, stop, report, &mut |_| ())
    }

    /// [`search`](Self::search) that calls `on_outcome` as soon as the outcome is known: the helper
    /// threads may need a while to end.
    pub fn search_with(
        &mut self,
        root: &Root,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
        on_outcome: &mut dyn FnMut(&SearchResult),
    ) -> SearchResult {
        // The transposition table holds evaluations and values with the mistakes.
        if self.weakness != limits.weakness {
            self.new_game();
            self.weakness = limits.weakness;
        }
        self.tt.new_search();
        self.reductions.update(&self.params);
        let legal = root.position().legal_moves();
        let wanted = |m: &Move| limits.search_moves.is_empty() || limits.search_moves.contains(m);
        let mut root_moves: Vec<Move> = legal.iter().copied().filter(wanted).collect();
        let root_ranks = RootRanks::new(&self.tb_options, root, &root_moves);
        if let Some(ranks) = &root_ranks {
            root_moves.sort_by_key(|&m| Reverse(ranks.rank(m)));
        }
        let probes_help = self.tb_options.tablebases.is_some()
            && root_ranks.as_ref().is_none_or(RootRanks::needs_probes);
        let tb_hits = if root_ranks.is_some() { root_moves.len() as u64 } else { 0 };
        let context = SharedContext {
            params: &self.params,
            tt: &self.tt,
            reductions: &self.reductions,
            algorithm: self.algorithm,
            root,
            limits,
            root_moves,
            tb_options: probes_help.then_some(&self.tb_options),
            root_ranks: root_ranks.as_ref(),
            tb_hits: AtomicU64::new(tb_hits),
        };
        // A limited strength is that of one thread, and reproducible.
        let count = if limits.weakness.is_some() { 1 } else { self.threads.len() };
        threads::search(&context, &mut self.threads[..count], stop, report, on_outcome)
    }
}

impl Searcher<Values> {
    /// [`search`](Self::search), compiled in this crate: otherwise each calling crate would compile
    /// a copy of the whole search with its own profile.
    pub fn search_tunable(
        &mut self,
        root: &Root,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> SearchResult {
        self.search(root, limits, stop, report)
    }
}
