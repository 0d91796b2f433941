//! Parts of data sets: a split by games, and random samples.

use std::path::{Path, PathBuf};

use rand::Rng;
use serde::Serialize;

use super::error::DataError;
use super::flaws::Flaws;
use super::formats::{self, Format, Writer};
use super::record::Record;
use super::sources::STRIDE;
use crate::context::Interrupt;
use crate::random;

/// What was written to the two files of a split.
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
/// files can hold them.
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
    let mut before = 0;
    for input in inputs {
        let side = |game: u64| {
            check(interrupt)?;
            let chance = random::stream("data split", seed, before + game).random::<f64>();
            Ok(usize::from(chance < share))
        };
        let whole = |writer: &Writer<'_>| writer.format().has_games();
        before += if Format::of(input)?.has_games() && writers.iter().all(whole) {
            split.games(input, &mut writers, side)?
        } else {
            split.positions(input, &mut writers, side)?
        };
    }
    writers.into_iter().try_for_each(Writer::finish)?;
    Ok(split)
}

fn check(interrupt: &Interrupt) -> Result<(), DataError> {
    if interrupt.is_set() { Err(DataError::Stopped) } else { Ok(()) }
}

impl Split {
    /// Writes whole games; their number.
    fn games(
        &mut self,
        input: &Path,
        writers: &mut [Writer<'_>; 2],
        side: impl Fn(u64) -> Result<usize, DataError>,
    ) -> Result<u64, DataError> {
        let mut number = 0;
        for game in formats::games(input, &self.flaws)? {
            let game = game?;
            number += 1;
            let side = side(number)?;
            if game.result.is_none() {
                self.games_without_result += 1;
                continue;
            }
            self.positions[side] += game.turns.len() as u64;
            writers[side].game(&game)?;
        }
        Ok(number)
    }

    /// Writes the positions of games; the number of games.
    fn positions(
        &mut self,
        input: &Path,
        writers: &mut [Writer<'_>; 2],
        side: impl Fn(u64) -> Result<usize, DataError>,
    ) -> Result<u64, DataError> {
        let (mut last, mut at) = (0, 0);
        for record in formats::records(input, &self.flaws)? {
            let record = record?;
            if record.game != last {
                last = record.game;
                at = side(last)?;
            }
            self.positions[at] += 1;
            writers[at].record(&record)?;
        }
        Ok(last)
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

/// What was sampled.
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
    for input in inputs {
        for record in formats::records(input, &sampled.flaws)? {
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
