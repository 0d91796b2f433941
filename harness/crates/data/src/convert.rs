//! From one format to another.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::error::DataError;
use super::flaws::Flaws;
use super::formats::{self, Writer};
use super::game::Game;
use super::numbering::Numbering;
use super::record::Record;
use super::split::check;
use harness_base::context::Interrupt;

/// Counts of what was written, and of what was not, by reason.
#[derive(Debug, Default, Serialize)]
pub struct Converted {
    /// Games, in formats that hold games.
    pub games: u64,
    /// Positions.
    pub positions: u64,
    /// Left out.
    pub dropped: Dropped,
    /// Games of PGN that were dropped or corrected.
    #[serde(flatten)]
    pub flaws: Flaws,
    /// The games of all inputs.
    #[serde(skip)]
    numbering: Numbering,
}

/// Positions and games without the label that the new format needs.
#[derive(Debug, Default, Serialize)]
pub struct Dropped {
    /// Positions without a score.
    pub no_score: u64,
    /// Games or positions without a result.
    pub no_result: u64,
}

/// Writes what several files hold into one; `flaws` counts games of PGN that are dropped.
///
/// # Errors
/// When a file cannot be read or written, or the user interrupts.
pub fn convert(
    inputs: &[PathBuf],
    mut writer: Writer<'_>,
    flaws: Flaws,
    interrupt: &Interrupt,
) -> Result<Converted, DataError> {
    let mut converted = Converted::new(flaws);
    for input in inputs {
        if writer.format().has_games() {
            converted.games(input, &mut writer, interrupt, &mut |game| game)?;
        } else {
            converted.positions(input, &mut writer, interrupt, &mut Some)?;
        }
    }
    writer.finish()?;
    Ok(converted)
}

impl Converted {
    /// Nothing so far; `flaws` counts games of PGN that are dropped or corrected.
    pub fn new(flaws: Flaws) -> Converted {
        Converted { flaws, ..Converted::default() }
    }

    /// Writes the games of a file, each changed by `change`; those without a result are left out.
    ///
    /// # Errors
    /// When a file cannot be read or written, or the user interrupts.
    pub fn games(
        &mut self,
        input: &Path,
        writer: &mut Writer<'_>,
        interrupt: &Interrupt,
        change: &mut dyn FnMut(Game) -> Game,
    ) -> Result<(), DataError> {
        for game in formats::games(input, &self.flaws)? {
            check(interrupt)?;
            let game = change(game?);
            if game.result.is_none() {
                self.dropped.no_result += 1;
                continue;
            }
            self.games += 1;
            self.positions += game.turns.len() as u64;
            writer.game(&game)?;
        }
        Ok(())
    }

    /// Writes the positions of a file, each changed or dropped by `change`; those without the
    /// labels that the format needs are left out.
    ///
    /// # Errors
    /// When a file cannot be read or written, or the user interrupts.
    pub fn positions(
        &mut self,
        input: &Path,
        writer: &mut Writer<'_>,
        interrupt: &Interrupt,
        change: &mut dyn FnMut(Record) -> Option<Record>,
    ) -> Result<(), DataError> {
        let needs_label = writer.format().needs_label();
        for record in self.numbering.records(input, &self.flaws)? {
            check(interrupt)?;
            let Some(record) = change(record?) else { continue };
            match (record.score, record.result) {
                (None, _) if needs_label => self.dropped.no_score += 1,
                (_, None) if needs_label => self.dropped.no_result += 1,
                _ => {
                    self.positions += 1;
                    writer.record(&record)?;
                }
            }
        }
        Ok(())
    }
}
