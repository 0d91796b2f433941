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

/// The list of formats, for help texts.
pub fn supported() -> String {
    let mut list = String::new();
    for Format(spec) in FORMATS {
        let [first, others @ ..] = spec.endings else { continue };
        list += &format!(".{first}");
        if !others.is_empty() {
            list += &format!(" (or .{})", others.join(", ."));
        }
        let read_only = matches!(spec.writes, Writes::Nothing(_));
        list += &format!(": {}{}; ", spec.name, if read_only { ", read only" } else { "" });
    }
    list + "each is read from .zst, .gz and .bz2, too"
}
