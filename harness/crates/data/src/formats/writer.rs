//! Writing a file, whatever its format.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::error::FormatError;
use super::format::{Format, Sink, Writes};
use super::{bullet, csv};
use crate::game::Game;
use crate::record::Record;
use harness_base::files::{Destination, open_stream, part_of};
use harness_base::input;
use harness_base::output;

/// Bytes of games that make a block.
const BLOCK: usize = 1 << 20;

/// A file that is written; it is there under its name once it is finished, and not before.
pub struct Writer<'a> {
    path: String,
    format: Format,
    sink: Sink<'a>,
    /// Positions written.
    records: u64,
    /// Games that are not yet a whole block.
    block: Vec<u8>,
    /// The temporary file and its final name; gone when it has that.
    part: Option<[PathBuf; 2]>,
}

impl<'a> Writer<'a> {
    /// Begins a file; `-` is CSV on standard output.
    ///
    /// # Errors
    /// When its name has no writable format, or it cannot be created.
    pub fn create(path: &Path) -> Result<Writer<'a>, FormatError> {
        if path.as_os_str() == "-" {
            return Writer::to(csv::FORMAT, "standard output", BufWriter::new(output::data()));
        }
        let format = Format::from_path(path)?;
        let name = path.display().to_string();
        if input::is_compressed(path) {
            return Err(FormatError::unfit(name, "compressed files are read, and not written"));
        }
        if let Writes::Nothing(reason) = format.0.writes {
            return Err(FormatError::unfit(name, reason));
        }
        // A pipe or a device is no file to be put in place.
        let part = match Destination::of(path) {
            Destination::File(place) => Some([part_of(&place), place]),
            Destination::Output | Destination::Stream => None,
        };
        if needs_file(format) && part.is_none() {
            let reason = "this format is written as a file; this is a pipe or a device";
            return Err(FormatError::unfit(name, reason));
        }
        let opened = match &part {
            Some([part, _]) => {
                File::create(part).map(|file| Box::new(file) as Box<dyn Write + Send>)
            }
            None => open_stream(path)
                .and_then(|stream| stream.ok_or_else(|| io::Error::other("it is a file by now"))),
        };
        let file =
            opened.map_err(|reason| FormatError::Unwritable { path: name.clone(), reason })?;
        let sink = BufWriter::with_capacity(1 << 16, file);
        let mut writer = Writer::begin(format, &name, Box::new(sink))?;
        writer.part = part;
        Ok(writer)
    }

    /// Begins a file of a format in something that is written; `path` names it in errors.
    ///
    /// # Errors
    /// When it cannot be written, or the format needs a file of its own.
    pub fn to(
        format: Format,
        path: &str,
        sink: impl Write + Send + 'a,
    ) -> Result<Writer<'a>, FormatError> {
        if needs_file(format) {
            return Err(FormatError::unfit(path, "this format is written as a file of its own"));
        }
        Writer::begin(format, path, Box::new(sink))
    }

    fn begin(format: Format, path: &str, mut sink: Sink<'a>) -> Result<Writer<'a>, FormatError> {
        let begun = match format.0.writes {
            Writes::Records { head, .. } | Writes::Games { head, .. } => head(&mut sink),
            Writes::Nothing(_) | Writes::Blocks { .. } => Ok(()),
        };
        let path = path.to_owned();
        let block = Vec::new();
        let writer = Writer { path, format, sink, records: 0, block, part: None };
        writer.checked(begun)?;
        Ok(writer)
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Writes a position.
    ///
    /// # Errors
    /// When the format cannot hold it, or the file cannot be written.
    pub fn record(&mut self, record: &Record) -> Result<(), FormatError> {
        let Writes::Records { record: write, .. } = self.format.0.writes else {
            let reason = "this format holds games, and single positions do not make one";
            return Err(FormatError::unfit(&self.path, reason));
        };
        let written = write(record, &mut self.sink);
        self.records += 1;
        self.checked(written)
    }

    /// Writes a packed position.
    ///
    /// # Errors
    /// When the file cannot be written, or is of another format.
    pub fn packed(&mut self, packed: &bullet::Packed) -> Result<(), FormatError> {
        if self.format != bullet::FORMAT {
            let reason = "packed positions are written as bulletformat only";
            return Err(FormatError::unfit(&self.path, reason));
        }
        let written = self.sink.write_all(&packed.0);
        self.checked(written)
    }

    /// Writes a game.
    ///
    /// # Errors
    /// When the format cannot hold it, or the file cannot be written.
    pub fn game(&mut self, game: &Game) -> Result<(), FormatError> {
        let written = match self.format.0.writes {
            Writes::Games { game: write, .. } => write(game, &mut self.sink),
            Writes::Blocks { game: write, .. } => write(game, &mut self.block),
            Writes::Records { .. } | Writes::Nothing(_) => {
                let reason = "this format holds positions and no games";
                return Err(FormatError::unfit(&self.path, reason));
            }
        };
        self.checked(written)?;
        if self.block.len() < BLOCK { Ok(()) } else { self.end_block() }
    }

    /// Writes the games that are not yet written.
    fn end_block(&mut self) -> Result<(), FormatError> {
        let Writes::Blocks { block: write, .. } = self.format.0.writes else { return Ok(()) };
        let block = std::mem::take(&mut self.block);
        let written = if block.is_empty() { Ok(()) } else { write(&block, &mut self.sink) };
        self.checked(written)
    }

    /// Flushes, and renames the temporary file to its final name.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(mut self) -> Result<(), FormatError> {
        self.end_block()?;
        let flushed = self.sink.flush();
        self.checked(flushed)?;
        match &self.part {
            None => Ok(()),
            Some([part, path]) => {
                if let Writes::Records { finish: Some(finish), .. } = self.format.0.writes {
                    let file = File::options().write(true).open(part);
                    self.checked(file.and_then(|file| finish(self.records, file)))?;
                }
                let renamed = fs::rename(part, path);
                self.checked(renamed)?;
                self.part = None;
                Ok(())
            }
        }
    }

    fn checked(&self, written: io::Result<()>) -> Result<(), FormatError> {
        match written {
            // The reader closed the pipe (`| head`): not an error.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            other => {
                other.map_err(|reason| FormatError::Unwritable { path: self.path.clone(), reason })
            }
        }
    }
}

/// Whether a format is completed once everything is written, for which it must be a file.
fn needs_file(format: Format) -> bool {
    matches!(format.0.writes, Writes::Records { finish: Some(_), .. })
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        if let Some([part, _]) = &self.part {
            // A leftover temporary file is useless but harmless.
            let _ = fs::remove_file(part);
        }
    }
}
