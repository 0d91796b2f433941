//! Reading a file, whatever its format.

use std::io::Read;
use std::path::Path;

use super::bullet;
use super::error::FormatError;
use super::format::{Format, Reads, Source};
use crate::data::flaws::Flaws;
use crate::data::game::Game;
use crate::data::record::Record;
use crate::input;

/// Iterator over positions; an error ends it.
pub type Records<'a> = Box<dyn Iterator<Item = Result<Record, FormatError>> + Send + 'a>;

/// Iterator over games; an error ends it.
pub type Games<'a> = Box<dyn Iterator<Item = Result<Game, FormatError>> + Send + 'a>;

/// The positions of a file; of games, every position. `flaws` counts games of PGN that
/// are dropped or corrected.
///
/// # Errors
/// When its name has no known format, or it cannot be opened.
pub fn records(path: &Path, flaws: &Flaws) -> Result<Records<'static>, FormatError> {
    let format = Format::of(path)?;
    Ok(records_from(format, &path.display().to_string(), open(path)?, flaws))
}

/// The records of a file of bulletformat as they are, checked by [`bullet::Packed::check`].
///
/// # Errors
/// When it cannot be opened.
pub fn packed(
    path: &Path,
) -> Result<impl Iterator<Item = Result<bullet::Packed, FormatError>> + use<>, FormatError> {
    Ok(bullet::PackedReader::new(&path.display().to_string(), open(path)?))
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
    let format = Format::of(path)?;
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
            let reason = "this format holds positions and no games";
            Err(FormatError::Unfit { path: path.to_owned(), reason })
        }
    }
}

/// Opens a file, and decompresses it by its extension.
///
/// # Errors
/// When it cannot be opened.
pub fn open(path: &Path) -> Result<Box<dyn Read + Send>, FormatError> {
    input::open(path)
        .map_err(|reason| FormatError::Unreadable { path: path.display().to_string(), reason })
}

/// Ends after the first error.
pub fn fused<'a, T>(
    mut inner: impl Iterator<Item = Result<T, FormatError>> + Send + 'a,
) -> Box<dyn Iterator<Item = Result<T, FormatError>> + Send + 'a> {
    let mut failed = false;
    Box::new(std::iter::from_fn(move || {
        let next = if failed { None } else { inner.next() };
        failed = matches!(next, Some(Err(_)));
        next
    }))
}

fn flat(games: Games<'_>) -> Records<'_> {
    Box::new((1..).zip(games).flat_map(|(number, game)| match game {
        Ok(game) => game.records(number).map(Ok).collect::<Vec<_>>(),
        Err(error) => vec![Err(error)],
    }))
}
