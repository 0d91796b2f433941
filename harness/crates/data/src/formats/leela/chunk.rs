//! Chunks, alone and in archives.

use std::io::{BufReader, ErrorKind};
use std::path::Path;

use super::records::Records;
use super::replay::{Replay, Step};
use super::sample::Sample;
use super::tar::Members;
use crate::formats::error::{FormatError, Place};
use crate::formats::format::{Format, Reads, Source, Spec, Writes, fused};
use crate::formats::reader;
use crate::game::Game;
use harness_base::input;

/// Chunks.
pub const CHUNK: Format = Format(&Spec {
    decompresses: Some(is_compressed_chunk),
    ..Spec::new(
        "chunks of Leela's training data, also .gz without another ending",
        &["leela"],
        Reads::Games(|path, source, _| fused(Chunks::of_file(path, source))),
        Writes::Nothing(READ_ONLY),
    )
});

/// Archives of chunks.
pub const TAR: Format = Format(&Spec::new(
    "archives of such chunks",
    &["tar"],
    Reads::Games(|path, source, _| fused(Chunks::of_archive(path, source))),
    Writes::Nothing(READ_ONLY),
));

const READ_ONLY: &str =
    "Leela's training data are read, and not written: they hold the visits of every move";

/// A file in archives that is no chunk; lczero-training leaves it out as well, by this name
/// (`csrc/loader/chunk_source/tar_chunk_source.cc`).
const LICENSE: &str = "LICENSE";

/// Whether a file is a compressed chunk by its name: `.leela.gz`, or a name as lc0 and its server
/// give them, `game_000001.gz` and `training.123.gz`. The reader of chunks decompresses it, which is
/// faster than as a stream.
fn is_compressed_chunk(path: &Path) -> bool {
    let last = path.extension().map(|text| text.to_string_lossy().to_lowercase());
    let ending = input::ending(path);
    last.is_some_and(|last| last == "gz")
        && (ending == "leela" || ending.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Called for each record with its position and moves.
pub type Take<'a> = dyn FnMut(&Sample<'_>, &Step) + 'a;

/// Calls `take` with each record of a file, chunk or archive.
///
/// # Errors
/// When it cannot be read, or a record is refused.
pub fn each(path: &Path, take: &mut Take<'_>) -> Result<(), FormatError> {
    let name = path.display().to_string();
    let source = reader::open(path)?;
    let mut chunks = if Format::from_path(path)? == TAR {
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
    /// Buffer of a member.
    content: Vec<u8>,
    records: Records<'a>,
    replay: Replay,
}

impl<'a> Chunks<'a> {
    fn of_file(path: &str, source: Source<'a>) -> Chunks<'a> {
        let records = Records::new(path.to_owned(), source);
        let path = path.to_owned();
        let content = Vec::new();
        Chunks { path, members: None, content, records, replay: Replay::default() }
    }

    fn of_archive(path: &str, source: Source<'a>) -> Chunks<'a> {
        let members = Members::new(BufReader::with_capacity(1 << 16, source));
        let nothing: Source<'_> = Box::new(std::io::empty());
        Chunks { members: Some(members), ..Chunks::of_file(path, nothing) }
    }

    /// The next game; `take` is called with its records.
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
        loop {
            let at = members.offset;
            let path = &self.path;
            let member = members.member(&mut self.content).map_err(|error| match error.kind() {
                ErrorKind::UnexpectedEof => {
                    FormatError::Short { path: path.clone(), offset: members.offset }
                }
                _ => {
                    let path = path.clone();
                    let reason = error.to_string();
                    FormatError::Bad { path, place: Place::Byte(at), reason }
                }
            })?;
            let Some(name) = member else { return Ok(false) };
            if Path::new(&name).file_name().is_some_and(|name| name == LICENSE) {
                continue;
            }
            self.records.restart(format!("{path}, {name}"), &mut self.content);
            self.replay = Replay::default();
            return Ok(true);
        }
    }
}

impl Iterator for Chunks<'_> {
    type Item = Result<Game, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.game(&mut |_, _| {}).transpose()
    }
}

#[cfg(test)]
mod tests;
