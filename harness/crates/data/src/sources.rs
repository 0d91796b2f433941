//! Where positions come from: runs of the ledger, and files.

use std::ops::ControlFlow;
use std::path::Path;
use std::thread;

use super::chunks;
use super::error::DataError;
use super::flaws::Flaws;
use super::formats::{self, Format};
use super::numbering::Numbering;
use super::pgn;
use super::record::Record;
use harness_base::failure::{Failure, OrFail};
use harness_base::hint::reports_command;
use harness_ledger::{Ledger, LedgerError};

/// Receives positions; an error ends the reading.
pub type Take<'a> = dyn FnMut(Record) -> Result<(), DataError> + 'a;

/// Positions between two calls of a progress function.
pub const STRIDE: u64 = 4_096;

/// Turns the answer of a progress function into an error.
///
/// # Errors
/// [`DataError::Stopped`] when it breaks.
pub fn check_stopped(flow: ControlFlow<()>) -> Result<(), DataError> {
    if flow.is_break() { Err(DataError::Stopped) } else { Ok(()) }
}

/// A file of positions or games, or a run.
pub enum Source {
    /// A file.
    File(String),
    /// A run, by its id.
    Run(Ledger, String),
}

impl Source {
    /// Finds the source that a word names: a file, or a run of the ledger in the folder `reports`.
    ///
    /// # Errors
    /// When there is neither such a file nor such a run.
    pub fn find(word: &str, reports: &Path) -> Result<Source, Failure> {
        let path = Path::new(word);
        if path.is_file() || Format::from_path(path).is_ok() {
            Format::from_path(path).or_usage()?;
            std::fs::metadata(path)
                .map_err(|reason| DataError::NoSource { path: path.to_owned(), reason })?;
            return Ok(Source::File(word.to_owned()));
        }
        let missing = |error: LedgerError| {
            if path.exists() || word.contains('/') {
                let reason = std::fs::metadata(path).err();
                let reason = reason.unwrap_or_else(|| std::io::Error::other("it is a folder"));
                return DataError::NoSource { path: path.to_owned(), reason }.into();
            }
            if !error.is_usage() {
                return error.into();
            }
            Failure::Usage(miette::miette!(
                help = format!(
                    "{} lists all runs; `last` names the newest",
                    reports_command("runs", "")
                ),
                "there is no file `{word}`, and {error}"
            ))
        };
        let ledger = Ledger::open_to_read(reports).map_err(missing)?;
        let run = ledger.facts(word).map_err(missing)?.id;
        Ok(Source::Run(ledger, run))
    }

    /// Finds all of them.
    ///
    /// # Errors
    /// As [`find`](Source::find), for the first that is not there.
    pub fn find_all(words: &[String], reports: &Path) -> Result<Vec<Source>, Failure> {
        words.iter().map(|word| Source::find(word, reports)).collect()
    }

    /// The file, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Source::File(path) => Some(Path::new(path)),
            Source::Run(..) => None,
        }
    }

    /// Whether boards are flipped so that White is to move: scores and results are then those of
    /// the side to move.
    pub fn is_mover_relative(&self) -> bool {
        self.path()
            .and_then(|path| Format::from_path(path).ok())
            .is_some_and(|format| !format.keeps_side_to_move())
    }

    /// Passes each position to `take`. Games are numbered on from `games`; games of PGN that are
    /// dropped or corrected are counted by `flaws`.
    ///
    /// # Errors
    /// When it cannot be read, or `take` fails.
    pub fn each(
        &self,
        games: &mut u64,
        flaws: &Flaws,
        take: &mut Take<'_>,
    ) -> Result<(), DataError> {
        match self {
            Source::File(path) if Format::from_path(Path::new(path))? == pgn::FORMAT => {
                of_pgn(path, games, flaws, take)
            }
            Source::File(path) => {
                for record in Numbering::after(*games).records(Path::new(path), flaws)? {
                    let record = record?;
                    *games = record.game.max(*games);
                    take(record)?;
                }
                Ok(())
            }
            Source::Run(ledger, run) => of_run(ledger, run, games, flaws, take),
        }
    }
}

/// Passes each position of a PGN to `take`; a thread a core parses games.
fn of_pgn(
    path: &str,
    games: &mut u64,
    flaws: &Flaws,
    take: &mut Take<'_>,
) -> Result<(), DataError> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let source = formats::open(Path::new(path))?;
    chunks::games(
        source,
        threads,
        |chunk| pgn::Reader::of_chunk(path, chunk, flaws),
        |game| {
            *games += 1;
            game.records(*games).try_for_each(&mut *take)
        },
    )
}

/// Passes each position of a run's games to `take`.
///
/// # Errors
/// When the ledger cannot be read, or `take` fails.
pub fn of_run(
    ledger: &Ledger,
    run: &str,
    games: &mut u64,
    flaws: &Flaws,
    take: &mut Take<'_>,
) -> Result<(), DataError> {
    ledger.each_game(run, |game| {
        let path =
            format!("{run} game {}.{}", game.pair.saturating_add(1), game.game.saturating_add(1));
        for read in pgn::Reader::new(&path, game.pgn.as_bytes(), flaws) {
            let read = read?;
            *games += 1;
            read.records(*games).try_for_each(&mut *take)?;
        }
        Ok(())
    })
}
