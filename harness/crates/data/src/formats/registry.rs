//! Formats by the names of files.

use std::fmt;
use std::path::Path;

use super::FORMATS;
use super::error::FormatError;
use super::format::{Format, Writes};
use harness_base::input;

impl Format {
    /// The format of a file by its name.
    ///
    /// # Errors
    /// When the extension is not known.
    pub fn from_path(path: &Path) -> Result<Format, FormatError> {
        let ending = input::ending(path);
        let named = |format: &&Format| format.0.endings.contains(&&*ending);
        let unknown = || FormatError::unfit(path.display(), "unknown format");
        let own = FORMATS.iter().find(|format| format.decompresses(path));
        own.or_else(|| FORMATS.iter().find(named)).copied().ok_or_else(unknown)
    }
}

impl FormatError {
    /// A file whose format does not support the operation.
    pub fn unfit(path: impl fmt::Display, reason: &'static str) -> FormatError {
        FormatError::Unfit { path: path.to_string(), reason, supported: supported() }
    }
}

/// The list of formats, for errors.
pub fn supported() -> String {
    let list: String = FORMATS.iter().map(|format| format!("{}; ", described(*format))).collect();
    list + "each is read from .zst, .gz and .bz2, too"
}

/// A paragraph on the formats, for help texts: those of positions, then those of games.
pub fn formats_help() -> String {
    let list = |of_games: bool| {
        let formats = FORMATS.iter().filter(|format| format.has_games() == of_games);
        formats.map(|format| described(*format)).collect::<Vec<_>>().join("; ")
    };
    format!(
        "The extension of a file is its format. Of positions: {}. Of games: {}. Each is read from .zst, \
         .gz and .bz2, too.",
        list(false),
        list(true)
    )
}

/// The usual extensions of the formats for which `holds` is true: `.a, .b and .c`.
pub fn endings_of(holds: impl Fn(Format) -> bool) -> String {
    let formats = FORMATS.iter().filter(|format| holds(**format));
    let endings: Vec<String> =
        formats.filter_map(|format| Some(format!(".{}", format.0.endings.first()?))).collect();
    match endings.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => endings.concat(),
    }
}

/// `.bin (or .bullet, .data): bulletformat`
fn described(Format(spec): Format) -> String {
    let [first, others @ ..] = spec.endings else { return spec.name.to_owned() };
    let others = match others {
        [] => String::new(),
        others => format!(" (or .{})", others.join(", .")),
    };
    let read_only = if matches!(spec.writes, Writes::Nothing(_)) { ", read only" } else { "" };
    format!(".{first}{others}: {}{read_only}", spec.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_and_errors_name_every_format_with_all_its_extensions() {
        for text in [formats_help(), supported()] {
            for Format(spec) in FORMATS {
                assert!(text.contains(spec.name), "{}: {text}", spec.name);
                for ending in spec.endings {
                    assert!(text.contains(&format!(".{ending}")), "{ending}: {text}");
                }
            }
        }
    }

    #[test]
    fn extensions_are_listed_by_a_property_of_their_format() {
        assert_eq!(endings_of(|format| !format.keeps_side_to_move()), ".bin");
        let games = endings_of(Format::has_games);
        assert_eq!(games, ".vf, .games, .pgn, .binpack, .leela and .tar");
        assert_eq!(endings_of(|_| false), "");
    }
}
