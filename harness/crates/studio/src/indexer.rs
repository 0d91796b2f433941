//! The index of games, brought up to date in the background.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;

use super::error::StudioError;
use super::games::GameIndex;
use super::games::index::{Facets, GamePage, GameQuery};
use harness_base::sync::{lock, unpoisoned};
use harness_ledger::Ledger;

/// Games that are taken over at a time; a page waits no longer than for these.
const BATCH_GAMES: usize = 500;

/// Games that a page takes over itself: it is complete then.
const MAX_PAGE_GAMES: usize = 1500;

/// Takes over the games of the runs that pages ask for.
pub struct Indexer {
    reports: PathBuf,
    index: Mutex<GameIndex>,
    wanted: Mutex<BTreeSet<String>>,
    more: Condvar,
    closed: AtomicBool,
}

impl Indexer {
    /// Opens the index; a thread waits for what is wanted.
    ///
    /// # Errors
    /// When not even memory can hold it.
    pub fn start(reports: &Path) -> Result<Arc<Indexer>, StudioError> {
        let indexer = Arc::new(Indexer {
            reports: reports.to_owned(),
            index: Mutex::new(GameIndex::open(reports)?),
            wanted: Mutex::default(),
            more: Condvar::new(),
            closed: AtomicBool::new(false),
        });
        let own = Arc::clone(&indexer);
        thread::spawn(move || own.work());
        Ok(indexer)
    }

    /// Ends the thread.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.more.notify_all();
    }

    /// Takes over some games of a run, and the rest in the background; gives how many are left.
    ///
    /// # Errors
    /// When there is no such run, or the games cannot be read.
    pub fn want(&self, ledger: &Ledger, run: &str) -> Result<u64, StudioError> {
        let mut index = self.index();
        if index.update(ledger, run, MAX_PAGE_GAMES)? < MAX_PAGE_GAMES {
            return Ok(0);
        }
        let left = ledger.count_games(run)?.saturating_sub(index.count(run)?);
        drop(index);
        self.wanted().insert(run.to_owned());
        self.more.notify_all();
        Ok(left)
    }

    /// The same for all runs: a few missing games are taken over at once, many in the background.
    ///
    /// # Errors
    /// As [`want`](Self::want).
    pub fn want_all(&self, ledger: &Ledger) -> Result<u64, StudioError> {
        let mut index = self.index();
        let mut runs = Vec::new();
        let mut left = 0;
        for run in ledger.with_games()? {
            let missing = ledger.count_games(&run)?.saturating_sub(index.count(&run)?);
            if missing > 0 {
                runs.push(run);
            }
            left += missing;
        }
        if left < MAX_PAGE_GAMES as u64 {
            for run in &runs {
                index.update(ledger, run, MAX_PAGE_GAMES)?;
            }
            return Ok(0);
        }
        // A page begins with something.
        if let Some(newest) = runs.first() {
            left -= (index.update(ledger, newest, BATCH_GAMES)? as u64).min(left);
        }
        drop(index);
        self.wanted().extend(runs);
        self.more.notify_all();
        Ok(left)
    }

    /// A part of the games, and what those of a run can be filtered by.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn page(
        &self,
        query: &GameQuery,
        run: Option<&str>,
    ) -> Result<(GamePage, Facets), StudioError> {
        let index = self.index();
        Ok((index.page(query)?, index.facets(run)?))
    }

    fn index(&self) -> MutexGuard<'_, GameIndex> {
        lock(&self.index)
    }

    fn wanted(&self) -> MutexGuard<'_, BTreeSet<String>> {
        lock(&self.wanted)
    }

    fn work(&self) {
        loop {
            let run = {
                let mut wanted = self.wanted();
                loop {
                    if self.closed.load(Ordering::Relaxed) {
                        return;
                    }
                    if let Some(run) = wanted.first().cloned() {
                        break run;
                    }
                    wanted = unpoisoned(self.more.wait(wanted));
                }
            };
            let taken = Ledger::open_to_read(&self.reports)
                .map_err(StudioError::from)
                .and_then(|ledger| Ok(self.index().update(&ledger, &run, BATCH_GAMES)?));
            match taken {
                Ok(taken) if taken > 0 => {}
                Ok(_) => drop(self.wanted().remove(&run)),
                Err(error) => {
                    tracing::warn!("the games of {run} cannot be read: {error}");
                    self.wanted().remove(&run);
                }
            }
        }
    }
}
