//! Reading a file, whatever its format.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::FORMATS;
use super::bullet::{self, Packed};
use super::error::FormatError;
use super::format::{Format, Games, Items, Reads, Records, Source};
use crate::flaws::Flaws;
use harness_base::input;

/// The positions of a file; of games, every position. `flaws` counts games of PGN that
/// are dropped or corrected.
///
/// # Errors
/// When its name has no known format, or it cannot be opened.
pub fn records(path: &Path, flaws: &Flaws) -> Result<Records<'static>, FormatError> {
    let format = Format::from_path(path)?;
    Ok(records_from(format, &path.display().to_string(), open(path)?, flaws))
}

/// The records of a file of bulletformat as they are, checked by [`Packed::check`].
///
/// # Errors
/// When it cannot be opened.
pub fn packed(path: &Path) -> Result<Items<'static, Packed>, FormatError> {
    Ok(bullet::packed(&path.display().to_string(), open(path)?))
}

/// The positions of something that is read; `path` names it in errors.
pub fn records_from<'a>(
    format: Format,
    path: &str,
    source: impl Read + Send + 'a,
    flaws: &Flaws,
) -> Records<'a> {
    let source: Source<'a> = Box::new(source);
    match format.0.reads {
        Reads::Records(read) => read(path, source),
        Reads::Games(read) => flat(read(path, source, flaws)),
    }
}

/// The games of a file.
///
/// # Errors
/// When its format holds no games, or it cannot be opened.
pub fn games(path: &Path, flaws: &Flaws) -> Result<Games<'static>, FormatError> {
    let format = Format::from_path(path)?;
    games_from(format, &path.display().to_string(), open(path)?, flaws)
}

/// The games of something that is read; `path` names it in errors.
///
/// # Errors
/// When the format holds no games.
pub fn games_from<'a>(
    format: Format,
    path: &str,
    source: impl Read + Send + 'a,
    flaws: &Flaws,
) -> Result<Games<'a>, FormatError> {
    match format.0.reads {
        Reads::Games(read) => Ok(read(path, Box::new(source), flaws)),
        Reads::Records(_) => {
            Err(FormatError::unfit(path, "this format holds positions and no games"))
        }
    }
}

/// Opens a file, and decompresses it by its extension, unless the reader of its format does.
///
/// # Errors
/// When it cannot be opened.
pub fn open(path: &Path) -> Result<Box<dyn Read + Send>, FormatError> {
    let opened = if FORMATS.iter().any(|format| format.decompresses(path)) {
        File::open(path).map(|file| Box::new(file) as Box<dyn Read + Send>)
    } else {
        input::open(path)
    };
    opened.map_err(|reason| FormatError::Unreadable { path: path.display().to_string(), reason })
}

fn flat(games: Games<'_>) -> Records<'_> {
    Box::new((1..).zip(games).flat_map(|(number, game)| match game {
        Ok(game) => game.records(number).map(Ok).collect::<Vec<_>>(),
        Err(error) => vec![Err(error)],
    }))
}
