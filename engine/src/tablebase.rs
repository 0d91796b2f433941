//! Syzygy endgame tables: what is known for certain where few men are left.
//!
//! Tables tell who wins with best play under the fifty-move rule (WDL), and how many plies it takes
//! to the next capture or pawn move that keeps the result (DTZ). They are read where they lie, by
//! the crate `shakmaty-syzygy`; a position is handed over to it only after its men are counted.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use shakmaty::Chess;
use shakmaty_syzygy::{SyzygyError, Tablebase};
use thiserror::Error;

pub use shakmaty_syzygy::Wdl;

use crate::board::Position;

/// The most men that any Syzygy table has.
pub const MOST_MEN: u32 = 7;

/// Tables of one or more folders.
pub struct Tables {
    tables: Tablebase<Chess>,
    count: usize,
    /// The first table that turned out to be damaged.
    damage: OnceLock<String>,
    /// Somebody was told of it.
    damage_told: AtomicBool,
}

/// A folder or a file of which no table could be had.
#[derive(Debug, Error)]
pub enum TableError {
    /// The folder cannot be listed.
    #[error("cannot look for tables in {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file has the name of a table and is none.
    #[error("{} is left out: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Tables {
    /// The tables of these folders, and what could not be had. Files are opened when they are
    /// needed first, so that damage inside them shows only then: see [`damage`](Tables::damage).
    ///
    /// `folders` is a list as in the variable PATH: with `:` between them, on Windows with `;`.
    pub fn open(folders: &str) -> (Tables, Vec<TableError>) {
        let mut tables = Tables {
            tables: Tablebase::new(),
            count: 0,
            damage: OnceLock::new(),
            damage_told: AtomicBool::new(false),
        };
        let mut errors = Vec::new();
        for folder in env::split_paths(folders).filter(|path| !path.as_os_str().is_empty()) {
            tables.add_folder(&folder, &mut errors);
        }
        (tables, errors)
    }

    fn add_folder(&mut self, folder: &Path, errors: &mut Vec<TableError>) {
        let failed = |source| TableError::Folder { path: folder.to_owned(), source };
        let entries = match folder.read_dir() {
            Ok(entries) => entries,
            Err(source) => return errors.push(failed(source)),
        };
        for entry in entries {
            let path = match entry {
                Ok(entry) => entry.path(),
                Err(source) => return errors.push(failed(source)),
            };
            match self.tables.add_file(&path) {
                Ok(()) => self.count += 1,
                // Not the name of a table.
                Err(source) if source.kind() == io::ErrorKind::InvalidInput => {}
                Err(source) => errors.push(TableError::File { path, source }),
            }
        }
    }

    /// Files found.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Men of the largest table; 0 without one.
    pub fn most_men(&self) -> u32 {
        self.tables.max_pieces() as u32
    }

    /// What is wrong with the first table that turned out to be damaged. Answered once.
    pub fn damage(&self) -> Option<&str> {
        let damage = self.damage.get()?;
        (!self.damage_told.swap(true, Ordering::Relaxed)).then_some(damage)
    }

    /// Who wins, for the side to move, if the last move was a capture or a pawn move; `None` where
    /// the tables do not say.
    pub fn wdl(&self, position: &Position) -> Option<Wdl> {
        if !self.may_know(position) {
            return None;
        }
        self.wdl_of(&position.to_shakmaty()?)
    }

    /// The same of shakmaty's position.
    pub fn wdl_of(&self, position: &Chess) -> Option<Wdl> {
        self.heard(self.tables.probe_wdl_after_zeroing(position))
    }

    /// Plies to the next capture or pawn move with best play, for the side to move: positive in a
    /// won position, negative in a lost one, 0 in a drawn one; beyond ±100 the fifty-move rule
    /// makes a draw of it. It may be one too near to zero, since tables may count full moves.
    /// `None` where the tables do not say.
    pub fn dtz(&self, position: &Position) -> Option<i32> {
        if !self.may_know(position) {
            return None;
        }
        let dtz = self.heard(self.tables.probe_dtz(&position.to_shakmaty()?))?;
        Some(dtz.ignore_rounding().0)
    }

    /// Tables know of no castling.
    fn may_know(&self, position: &Position) -> bool {
        position.occupied().count() as u32 <= self.most_men()
            && position.castling_rights().is_empty()
    }

    /// What was answered; damage is noted.
    fn heard<T>(&self, answer: Result<T, SyzygyError>) -> Option<T> {
        match answer {
            Ok(answer) => Some(answer),
            Err(error @ SyzygyError::ProbeFailed { .. }) => {
                self.damage.get_or_init(|| error.to_string());
                None
            }
            // Not every ending is there.
            Err(_) => None,
        }
    }
}
