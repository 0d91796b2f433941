//! `games.pgn` in the folder of a run.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use miette::Diagnostic;
use thiserror::Error;

use super::{Ledger, LedgerError, Run, StoredGame};

use harness_base::hint::reports_command;

/// `games.pgn` cannot be written.
#[derive(Debug, Error, Diagnostic)]
#[error("cannot write {}: {source}", path.display())]
#[diagnostic(help(
    "the ledger has every game that was counted: free some space or change the permissions, \
     then {} writes the file again and continues",
    reports_command("resume", "last")
))]
pub struct GamesFileError {
    /// The file.
    path: PathBuf,
    /// Error of the operating system.
    source: io::Error,
}

/// The games of a run as a file.
#[derive(Debug)]
pub struct GamesFile {
    file: File,
    path: PathBuf,
}

impl GamesFile {
    /// Rewrites the file from the ledger: a killed harness may not have written all games. `visit`
    /// is called with each game.
    ///
    /// # Errors
    /// When the ledger cannot be read or the file not be written, or as `visit`. An existing file
    /// stays then.
    pub fn rewrite<E: From<LedgerError> + From<GamesFileError>>(
        ledger: &Ledger,
        run: &Run,
        mut visit: impl FnMut(&StoredGame) -> Result<(), E>,
    ) -> Result<GamesFile, E> {
        let path = run.folder().join("games.pgn");
        let failed = |source| GamesFileError { path: path.clone(), source };
        let part = run.folder().join("games.pgn.part");
        let mut writer = BufWriter::new(File::create(&part).map_err(failed)?);
        ledger.each_game(run.id(), |game| {
            writer.write_all(game.pgn.as_bytes()).map_err(failed)?;
            visit(&game)
        })?;
        writer.flush().map_err(failed)?;
        fs::rename(&part, &path).map_err(failed)?;
        let file = OpenOptions::new().append(true).open(&path).map_err(failed)?;
        Ok(GamesFile { file, path })
    }

    /// Adds games that the ledger has.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn append(&mut self, games: &[StoredGame]) -> Result<(), GamesFileError> {
        let text: String = games.iter().map(|game| game.pgn.as_str()).collect();
        let written = self.file.write_all(text.as_bytes());
        written.map_err(|source| GamesFileError { path: self.path.clone(), source })
    }
}
