//! Where positions come from: runs of the ledger, and files.

use std::path::Path;

use super::DataError;
use crate::context::Context;
use crate::data::chunks;
use crate::data::flaws::Flaws;
use crate::data::formats::{self, Format, FormatError};
use crate::data::game::Game;
use crate::data::pgn;
use crate::data::record::Record;
use crate::failure::{Failure, OrFail};
use crate::ledger::Ledger;
use crate::runs::games::cores;

/// Takes positions; an error ends the reading.
pub type Take<'a> = dyn FnMut(Record) -> Result<(), DataError> + 'a;

/// What a word on the command line names.
pub enum Source {
    /// A file.
    File(String),
    /// A run, by its id.
    Run(Ledger, String),
}

impl Source {
    /// Finds it.
    ///
    /// # Errors
    /// When there is neither such a file nor such a run.
    pub fn find(word: &str, context: &Context) -> Result<Source, Failure> {
        let path = Path::new(word);
        if path.is_file() || Format::of(path).is_ok() {
            Format::of(path).or_usage()?;
            std::fs::metadata(path)
                .map_err(|reason| DataError::Unreadable { path: path.to_owned(), reason })
                .or_usage()?;
            return Ok(Source::File(word.to_owned()));
        }
        let ledger = Ledger::open_to_read(&context.reports)?;
        let run = ledger.facts(word)?.id;
        Ok(Source::Run(ledger, run))
    }

    /// The file, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Source::File(path) => Some(Path::new(path)),
            Source::Run(..) => None,
        }
    }

    /// Whether its boards are turned so that White is to move: its scores and results are those of
    /// the side to move.
    pub fn turns_boards(&self) -> bool {
        self.path()
            .and_then(|path| Format::of(path).ok())
            .is_some_and(|format| !format.keeps_side_to_move())
    }

    /// All of them.
    ///
    /// # Errors
    /// For the first that is not there.
    pub fn find_all(words: &[String], context: &Context) -> Result<Vec<Source>, Failure> {
        words.iter().map(|word| Source::find(word, context)).collect()
    }

    /// Gives each of its positions to `take`; its games are counted on from `games`, and those of PGN
    /// that are dropped or corrected by `flaws`.
    ///
    /// # Errors
    /// When it cannot be read, or `take` says so.
    pub fn each(
        &self,
        games: &mut u64,
        flaws: &Flaws,
        take: &mut Take<'_>,
    ) -> Result<(), DataError> {
        match self {
            Source::File(path) if Format::of(Path::new(path))? == crate::data::pgn::FORMAT => {
                of_pgn(path, games, flaws, take)
            }
            Source::File(path) => {
                let before = *games;
                for record in formats::records(Path::new(path), flaws)? {
                    let mut record = record?;
                    record.game += before;
                    *games = record.game;
                    take(record)?;
                }
                Ok(())
            }
            Source::Run(ledger, run) => of_run(ledger, run, games, flaws, take),
        }
    }
}

/// Gives each position of a PGN to `take`; the games are read by as many threads as there are cores.
fn of_pgn(
    path: &str,
    games: &mut u64,
    flaws: &Flaws,
    take: &mut Take<'_>,
) -> Result<(), DataError> {
    let work = |chunk: &[u8]| {
        let mut reader = pgn::Reader::new(path, chunk, flaws);
        let games: Vec<Result<Game, FormatError>> = reader.by_ref().collect();
        (games, reader.number())
    };
    let mut number = 0;
    let take_all = |(chunk, read): (Vec<Result<Game, FormatError>>, u64)| {
        let before = number;
        number += read;
        for game in chunk {
            // The reader of a chunk counts from its beginning.
            let game = game.map_err(|error| error.counted_from(before))?;
            *games += 1;
            game.records(*games).try_for_each(&mut *take)?;
        }
        Ok(())
    };
    chunks::each(formats::open(Path::new(path))?, cores(), work, take_all)
}

/// Gives each position of a run's games to `take`.
///
/// # Errors
/// When the ledger cannot be read, or `take` says so.
pub fn of_run(
    ledger: &Ledger,
    run: &str,
    games: &mut u64,
    flaws: &Flaws,
    take: &mut Take<'_>,
) -> Result<(), DataError> {
    ledger.each_game(run, |game| {
        for read in pgn::Reader::new(run, game.pgn.as_bytes(), flaws) {
            let read = read?;
            *games += 1;
            read.records(*games).try_for_each(&mut *take)?;
        }
        Ok(())
    })
}
