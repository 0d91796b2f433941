//! Parts of data sets: a split by games, and random samples.

mod content;

use std::path::{Path, PathBuf};

use rand::Rng;
use serde::Serialize;

use content::Runs;

use super::error::DataError;
use super::flaws::Flaws;
use super::formats::{self, Format, Writer};
use super::numbering::Numbering;
use super::record::Record;
use super::sources::STRIDE;
use harness_base::context::Interrupt;
use harness_stats::random;

/// Positions written to the two files of a split.
#[derive(Debug, Default, Serialize)]
pub struct Split {
    /// Positions in each.
    pub positions: [u64; 2],
    /// Games that the files cannot hold, because they have no result.
    pub games_without_result: u64,
    /// Games of PGN that were dropped or corrected.
    #[serde(flatten)]
    pub flaws: Flaws,
}

/// Splits files in two by games, `share` of them into the second. Games stay games where both
/// files can hold them. Copies of a game come into the same file, since its content decides where;
/// in formats without games, positions that follow each other count as one.
///
/// # Errors
/// When a file cannot be read or written, or the user interrupts.
pub fn split(
    inputs: &[PathBuf],
    mut writers: [Writer<'_>; 2],
    share: f64,
    seed: u64,
    interrupt: &Interrupt,
) -> Result<Split, DataError> {
    let mut split = Split::default();
    let mut numbering = Numbering::default();
    for input in inputs {
        let side = |content: u64| {
            check(interrupt)?;
            let chance = random::stream("data split", seed, content).random::<f64>();
            Ok(usize::from(chance < share))
        };
        if Format::from_path(input)?.has_games() {
            split.games(input, &mut numbering, &mut writers, side)?;
        } else {
            split.runs(input, &mut writers, side)?;
        }
    }
    writers.into_iter().try_for_each(Writer::finish)?;
    Ok(split)
}

/// An error once the user interrupts.
pub(super) fn check(interrupt: &Interrupt) -> Result<(), DataError> {
    if interrupt.is_set() { Err(DataError::Stopped) } else { Ok(()) }
}

impl Split {
    /// Writes games, as their positions where a file cannot hold games.
    fn games(
        &mut self,
        input: &Path,
        numbering: &mut Numbering,
        writers: &mut [Writer<'_>; 2],
        side: impl Fn(u64) -> Result<usize, DataError>,
    ) -> Result<(), DataError> {
        let hold_games = writers.iter().all(|writer| writer.format().has_games());
        for game in formats::games(input, &self.flaws)? {
            let game = game?;
            let number = numbering.next_game();
            let side = side(content::of_game(&game))?;
            if hold_games && game.result.is_none() {
                self.games_without_result += 1;
            } else if hold_games {
                self.positions[side] += game.turns.len() as u64;
                writers[side].game(&game)?;
            } else {
                for record in game.records(number) {
                    self.positions[side] += 1;
                    writers[side].record(&record)?;
                }
            }
        }
        Ok(())
    }

    /// Writes the positions of runs.
    fn runs(
        &mut self,
        input: &Path,
        writers: &mut [Writer<'_>; 2],
        side: impl Fn(u64) -> Result<usize, DataError>,
    ) -> Result<(), DataError> {
        let mut runs = Runs::new(formats::records(input, &self.flaws)?);
        loop {
            let run = runs.next_run()?;
            if run.is_empty() {
                return Ok(());
            }
            let side = side(content::of_run(&run))?;
            self.positions[side] += run.len() as u64;
            run.iter().try_for_each(|record| writers[side].record(record))?;
        }
    }
}

/// Size of a random sample.
#[derive(Clone, Copy, Debug)]
pub enum SampleSize {
    /// This many positions, which are held in memory.
    Count(usize),
    /// Each position with this probability.
    Share(f64),
}

/// Positions read and written by a sample.
#[derive(Debug, Default, Serialize)]
pub struct Sampled {
    /// Positions read.
    pub read: u64,
    /// Positions written.
    pub written: u64,
    /// Games of PGN that were dropped or corrected.
    #[serde(flatten)]
    pub flaws: Flaws,
}

/// Writes positions chosen at random, each with the same probability, in their order.
///
/// # Errors
/// When a file cannot be read or written, or the user interrupts.
pub fn sample(
    inputs: &[PathBuf],
    mut writer: Writer<'_>,
    size: SampleSize,
    seed: u64,
    interrupt: &Interrupt,
) -> Result<Sampled, DataError> {
    let mut chance = random::stream("data sample", seed, 0);
    // Of a count: reservoir sampling (J. Vitter, 1985, algorithm R), with the places for the order.
    let mut held: Vec<(u64, Record)> = Vec::new();
    let mut sampled = Sampled::default();
    let mut numbering = Numbering::default();
    for input in inputs {
        for record in numbering.records(input, &sampled.flaws)? {
            let record = record?;
            sampled.read += 1;
            let read = sampled.read;
            if read.is_multiple_of(STRIDE) {
                check(interrupt)?;
            }
            match size {
                SampleSize::Share(share) => {
                    if chance.random::<f64>() < share {
                        sampled.written += 1;
                        writer.record(&record)?;
                    }
                }
                SampleSize::Count(count) if held.len() < count => held.push((read, record)),
                SampleSize::Count(count) => {
                    let place = chance.random_range(0..read) as usize;
                    if place < count {
                        held[place] = (read, record);
                    }
                }
            }
        }
    }
    held.sort_by_key(|(place, _)| *place);
    sampled.written += held.len() as u64;
    held.iter().try_for_each(|(_, record)| writer.record(record))?;
    writer.finish()?;
    Ok(sampled)
}

#[cfg(test)]
mod tests;
