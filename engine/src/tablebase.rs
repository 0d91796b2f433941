//! Syzygy endgame tablebases: the results of positions with few men.
//!
//! Tablebases hold the result with best play under the fifty-move rule (WDL: win, draw, loss), and
//! the plies to the next capture or pawn move that keeps it (DTZ: distance to zeroing). They are read
//! by the crate `shakmaty-syzygy`; a position is converted for it only if its number of men fits.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use shakmaty::Chess;
use shakmaty_syzygy::{SyzygyError, Tablebase};
use thiserror::Error;

pub use shakmaty_syzygy::{Dtz, Wdl};

use crate::board::Position;

/// Plies without a capture or pawn move after which a draw can be claimed.
pub const FIFTY_MOVES: i32 = 100;

/// The most men of any Syzygy tablebase.
pub const MAX_MEN: u32 = 7;

/// The tablebases of one or more folders.
pub struct Tablebases {
    tables: Tablebase<Chess>,
    /// Files of results, `.rtbw`.
    wdl_count: usize,
    /// Files of distances, `.rtbz`, which are of no use without those of results.
    dtz_count: usize,
    /// The most men of a file of results.
    max_men: u32,
    /// The error of the first damaged file.
    damage: OnceLock<String>,
    /// The error was returned.
    damage_reported: AtomicBool,
}

/// A folder or a file that gives no tablebase.
#[derive(Debug, Error)]
pub enum TablebaseError {
    /// The folder cannot be listed.
    #[error("cannot look for tables in {}: {}", .0.display(), .1)]
    Folder(PathBuf, #[source] io::Error),
    /// The file has the name of a tablebase and cannot be used.
    #[error("{} is left out: {}", .0.display(), .1)]
    File(PathBuf, #[source] io::Error),
}

impl Tablebases {
    /// The tablebases of these folders, and the errors. Files are opened at their first probe, so
    /// damage inside them shows only then: see [`damage`](Tablebases::damage).
    ///
    /// `folders` is a list as in the variable PATH, separated by `:`, on Windows by `;`.
    pub fn open(folders: impl AsRef<OsStr>) -> (Tablebases, Vec<TablebaseError>) {
        let mut tables = Tablebases {
            tables: Tablebase::new(),
            wdl_count: 0,
            dtz_count: 0,
            max_men: 0,
            damage: OnceLock::new(),
            damage_reported: AtomicBool::new(false),
        };
        let mut errors = Vec::new();
        for folder in env::split_paths(&folders).filter(|path| !path.as_os_str().is_empty()) {
            tables.add_folder(&folder, &mut errors);
        }
        (tables, errors)
    }

    fn add_folder(&mut self, folder: &Path, errors: &mut Vec<TablebaseError>) {
        let failed = |source| TablebaseError::Folder(folder.to_owned(), source);
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
                Ok(()) => self.count_file(&path),
                // Not the name of a tablebase.
                Err(source) if source.kind() == io::ErrorKind::InvalidInput => {}
                Err(source) => errors.push(TablebaseError::File(path, source)),
            }
        }
    }

    fn count_file(&mut self, path: &Path) {
        if path.extension().is_some_and(|ending| ending == "rtbz") {
            self.dtz_count += 1;
            return;
        }
        self.wdl_count += 1;
        // `KQvKR.rtbw`: a capital letter a man.
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let men = name.bytes().filter(u8::is_ascii_uppercase).count() as u32;
        self.max_men = self.max_men.max(men);
    }

    /// The number of files with results (WDL, `.rtbw`), without which nothing is known.
    pub fn count(&self) -> usize {
        self.wdl_count
    }

    /// The number of files with distances (DTZ, `.rtbz`).
    pub fn dtz_count(&self) -> usize {
        self.dtz_count
    }

    /// The most men of a tablebase with results here; 0 without one.
    pub fn max_men(&self) -> u32 {
        self.max_men
    }

    /// Files that are missing: half of them are of little use without the other half.
    pub fn missing(&self) -> Option<&'static str> {
        match (self.wdl_count, self.dtz_count) {
            (0, 1..) => Some(
                "the files of results (WDL, *.rtbw) are missing; those of distances \
                              (DTZ, *.rtbz) are of no use without them",
            ),
            (1.., 0) => Some(
                "the files of distances (DTZ, *.rtbz) are missing: results are known, \
                              and not the way to them",
            ),
            _ => None,
        }
    }

    /// The error of the first damaged file, returned once.
    pub fn damage(&self) -> Option<&str> {
        let damage = self.damage.get()?;
        (!self.damage_reported.swap(true, Ordering::Relaxed)).then_some(damage)
    }

    /// The result for the side to move if the last move was a capture or a pawn move; `None` if it
    /// is unknown.
    pub fn probe_wdl(&self, position: &Position) -> Option<Wdl> {
        if !self.covers(position) {
            return None;
        }
        self.probe_wdl_of(&position.to_shakmaty()?)
    }

    /// [`probe_wdl`](Tablebases::probe_wdl) of shakmaty's position.
    pub fn probe_wdl_of(&self, position: &Chess) -> Option<Wdl> {
        self.result(self.tables.probe_wdl_after_zeroing(position))
    }

    /// Plies to the next capture or pawn move with best play, for the side to move: positive for a
    /// win, negative for a loss, 0 for a draw; beyond ±100 the fifty-move rule makes it a draw. It
    /// may be one too near to zero, since some tablebases count full moves. `None` if it is unknown.
    pub fn probe_dtz(&self, position: &Position) -> Option<i32> {
        if !self.covers(position) {
            return None;
        }
        let dtz = self.result(self.tables.probe_dtz(&position.to_shakmaty()?))?;
        Some(dtz.ignore_rounding().0)
    }

    /// DTZ of the move that led to `child`, for the side that moved: plies to the next capture or pawn
    /// move, counted from before the move; negative for a loss, 0 for a draw. After a capture or pawn
    /// move only the result counts. `None` if it is unknown.
    pub fn dtz_of_move(&self, child: &Position) -> Option<i32> {
        if child.halfmove_clock() == 0 {
            return Some(Dtz::before_zeroing(-self.probe_wdl(child)?).0);
        }
        let dtz = -self.probe_dtz(child)?;
        Some(dtz + dtz.signum())
    }

    /// Whether the position may be in a tablebase: they hold no castling rights.
    fn covers(&self, position: &Position) -> bool {
        position.occupied().count() as u32 <= self.max_men()
            && position.castling_rights().is_empty()
    }

    /// The result of a probe; damage is noted.
    fn result<T>(&self, probe: Result<T, SyzygyError>) -> Option<T> {
        match probe {
            Ok(result) => Some(result),
            Err(error @ SyzygyError::ProbeFailed { .. }) => {
                self.damage.get_or_init(|| error.to_string());
                None
            }
            // The endgame is missing.
            Err(_) => None,
        }
    }
}
