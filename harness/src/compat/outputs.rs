//! The files of `-pgnout` and `-epdout`, written after all games.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

use crate::arena::{OpeningError, pgn};
use crate::hint::reports_command;
use crate::ledger::{Ledger, LedgerError};

/// The files to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    /// The games.
    pub pgn: Option<Output>,
    /// The final positions.
    pub epd: Option<Output>,
    /// The tag `Site` of the games.
    pub site: Option<String>,
}

/// A file to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Its path; `None`: not written, as the run's folder has the games.
    pub file: Option<PathBuf>,
    /// Overwrite an existing file instead of appending to it.
    pub overwrite: bool,
    /// Without comments.
    pub minimal: bool,
}

/// A file that cannot be written.
#[derive(Debug, Error, Diagnostic)]
pub enum OutputError {
    /// Before any game was played.
    #[error("cannot write {}: {source}", path.display())]
    #[diagnostic(help("no game was played: name a file in a folder that can be written"))]
    Beforehand { path: PathBuf, source: io::Error },
    /// After all games.
    #[error("cannot write {}: {source}", path.display())]
    #[diagnostic(help(
        "the games are kept: {}",
        reports_command("report", format_args!("{run} --format {format} -o FILE"))
    ))]
    Afterwards { path: PathBuf, run: String, format: &'static str, source: io::Error },
    /// A game whose moves cannot be read.
    #[error("a stored game of round {pair} cannot be read: {error}")]
    #[diagnostic(help("the ledger was changed by another program"))]
    Damaged { pair: u64, error: OpeningError },
    /// The ledger.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Ledger(#[from] LedgerError),
}

impl Outputs {
    /// The requested outputs.
    pub fn all(&self) -> impl Iterator<Item = Output> + use<> {
        self.pgn.clone().into_iter().chain(self.epd.clone())
    }

    /// The same, each with the format of `harness report`.
    pub fn formats(&self) -> impl Iterator<Item = (&'static str, Output)> + use<> {
        let pgn = self
            .pgn
            .clone()
            .map(|output| (if output.minimal { "pgn-moves" } else { "pgn" }, output));
        pgn.into_iter().chain(self.epd.clone().map(|output| ("epd", output)))
    }

    /// Checks before the first game that the files can be written.
    ///
    /// # Errors
    /// When one cannot.
    pub fn try_out(&self) -> Result<(), OutputError> {
        for path in self.all().filter_map(|output| output.file) {
            let opened = OpenOptions::new().create(true).append(true).open(&path);
            opened.map_err(|source| OutputError::Beforehand { path, source })?;
        }
        Ok(())
    }

    /// Writes the games of a run.
    ///
    /// # Errors
    /// When a file cannot be written or the games cannot be read.
    pub fn write(&self, reports: &Path, run: &str) -> Result<(), OutputError> {
        let ledger = Ledger::open_existing(reports)?;
        if let Some(output) = &self.pgn {
            let format = if output.minimal { "pgn-moves" } else { "pgn" };
            write(&ledger, run, output, format, &|_, game| {
                let text =
                    if output.minimal { pgn::without_comments(game) } else { game.to_owned() };
                Ok(format!("{}\n\n", self.with_site(&text).trim_end()))
            })?;
        }
        if let Some(output) = &self.epd {
            write(&ledger, run, output, "epd", &|pair, game| {
                let epd = pgn::final_position(game)
                    .map_err(|error| OutputError::Damaged { pair: pair + 1, error })?;
                Ok(format!("{epd}\n"))
            })?;
        }
        Ok(())
    }

    fn with_site(&self, game: &str) -> String {
        let Some(site) = &self.site else { return game.to_owned() };
        let site = site.replace('\\', "\\\\").replace('"', "\\\"");
        game.replacen("[Site \"?\"]", &format!("[Site \"{site}\"]"), 1)
    }
}

/// Writes each game in a form.
fn write(
    ledger: &Ledger,
    run: &str,
    output: &Output,
    format: &'static str,
    form: &dyn Fn(u64, &str) -> Result<String, OutputError>,
) -> Result<(), OutputError> {
    let Some(path) = &output.file else { return Ok(()) };
    let failed = |source| OutputError::Afterwards {
        path: path.clone(),
        run: run.to_owned(),
        format,
        source,
    };
    let mut options = OpenOptions::new();
    options.create(true).append(!output.overwrite).write(true).truncate(output.overwrite);
    let mut file = BufWriter::new(options.open(path).map_err(failed)?);
    ledger.each_game(run, |game| {
        let text = form(game.pair, &game.pgn)?;
        file.write_all(text.as_bytes()).map_err(failed)
    })?;
    file.flush().map_err(failed)
}
