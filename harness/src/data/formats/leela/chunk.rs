//! Chunks, alone and in archives.

use std::io::{BufReader, Cursor};
use std::path::Path;

use super::records::Records;
use super::replay::{Replay, Step};
use super::sample::Sample;
use super::tar::Members;
use crate::data::formats::error::{FormatError, Place};
use crate::data::formats::format::{Format, Reads, Source, Spec, Writes, fused};
use crate::data::formats::reader;
use crate::data::game::Game;

/// Chunks.
pub const CHUNK: Format = Format(&Spec::new(
    "chunks of Leela's training data, also .gz without another ending",
    &["leela"],
    Reads::Games(|path, source, _| fused(Chunks::of_file(path, source))),
    Writes::Nothing(READ_ONLY),
));

/// Archives of chunks.
pub const TAR: Format = Format(&Spec::new(
    "archives of such chunks",
    &["tar"],
    Reads::Games(|path, source, _| fused(Chunks::of_archive(path, source))),
    Writes::Nothing(READ_ONLY),
));

const READ_ONLY: &str =
    "Leela's training data are read, and not written: they hold the visits of every move";

/// What each record is given to, with its place in the game.
pub type Take<'a> = dyn FnMut(&Sample<'_>, &Step) + 'a;

/// Passes each record of a file, chunk or archive, to `take`.
///
/// # Errors
/// When it cannot be read, or a record is refused.
pub fn each(path: &Path, take: &mut Take<'_>) -> Result<(), FormatError> {
    let name = path.display().to_string();
    let source = reader::open(path)?;
    let mut chunks = if Format::of(path)? == TAR {
        Chunks::of_archive(&name, source)
    } else {
        Chunks::of_file(&name, source)
    };
    while chunks.game(take)?.is_some() {}
    Ok(())
}

/// Reads chunks one after the other.
struct Chunks<'a> {
    path: String,
    /// The members that follow, in an archive.
    members: Option<Members<BufReader<Source<'a>>>>,
    records: Records<'a>,
    replay: Replay,
}

impl<'a> Chunks<'a> {
    fn of_file(path: &str, source: Source<'a>) -> Chunks<'a> {
        let records = Records::new(path.to_owned(), source);
        Chunks { path: path.to_owned(), members: None, records, replay: Replay::default() }
    }

    fn of_archive(path: &str, source: Source<'a>) -> Chunks<'a> {
        let members = Members::new(BufReader::with_capacity(1 << 16, source));
        let nothing: Source<'_> = Box::new(std::io::empty());
        Chunks { members: Some(members), ..Chunks::of_file(path, nothing) }
    }

    /// The next game; its records are given to `take`.
    fn game(&mut self, take: &mut Take<'_>) -> Result<Option<Game>, FormatError> {
        loop {
            let Some(record) = self.records.record()? else {
                if let Some(game) = self.replay.finish() {
                    return Ok(Some(game));
                }
                if self.next_member()? {
                    continue;
                }
                return Ok(None);
            };
            let step = Sample::new(record).and_then(|sample| {
                let step = self.replay.push(&sample)?;
                take(&sample, &step);
                Ok(step)
            });
            if let Some(game) = step.map_err(|error| self.records.refused(&error))?.ended {
                return Ok(Some(game));
            }
        }
    }

    /// Begins the next member of an archive; false if there is none.
    fn next_member(&mut self) -> Result<bool, FormatError> {
        let Some(members) = &mut self.members else { return Ok(false) };
        let at = members.offset;
        let member = members.member().map_err(|error| FormatError::Bad {
            path: self.path.clone(),
            place: Place::Byte(at),
            reason: error.to_string(),
        })?;
        let Some(member) = member else { return Ok(false) };
        let name = format!("{}, {}", self.path, member.name);
        self.records.restart(name, Box::new(Cursor::new(member.content)));
        self.replay = Replay::default();
        Ok(true)
    }
}

impl Iterator for Chunks<'_> {
    type Item = Result<Game, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.game(&mut |_, _| {}).transpose()
    }
}
