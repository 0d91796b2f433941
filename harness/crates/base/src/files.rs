//! Atomic file writes.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

use crate::failure::Failure;

/// A file that cannot be written.
#[derive(Debug, Error, Diagnostic)]
#[error("cannot write {}: {source}", path.display())]
pub struct Unwritable {
    path: PathBuf,
    source: io::Error,
    #[help]
    help: Option<String>,
}

impl From<Unwritable> for Failure {
    fn from(error: Unwritable) -> Failure {
        Failure::Failed(error.into())
    }
}

/// As [`write_atomically`], with an error that names the file and says what to do.
///
/// # Errors
/// When the folder cannot be written or is full; the old content then stays.
pub fn write_file(
    path: &Path,
    content: impl AsRef<[u8]>,
    help: Option<&str>,
) -> Result<(), Unwritable> {
    write_atomically(path, content.as_ref()).map_err(|source| {
        let help = help.unwrap_or("name a file in a folder that can be written and has room");
        let path = path.to_owned();
        let help = Some(help.to_owned());
        Unwritable { path, source, help }
    })
}

/// Checks that a file can be written, before there is something to write; one that is there stays.
///
/// # Errors
/// When the folder is missing, or it or the file cannot be written.
pub fn try_to_write(path: &Path) -> Result<(), Unwritable> {
    let was_there = path.exists();
    let opened = File::options().create(true).append(true).open(path);
    opened.map_err(|source| Unwritable {
        path: path.to_owned(),
        source,
        help: Some("nothing was done: name a file in a folder that can be written".to_owned()),
    })?;
    if !was_there {
        // Another program may have removed it.
        let _ = fs::remove_file(path);
    }
    Ok(())
}

/// Writes a file atomically: a reader sees the old content or the new one, after a loss of power, too.
///
/// # Errors
/// When the folder cannot be written or is full; the old content then stays.
pub fn write_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    replace(path, content, File::sync_data)
}

/// As [`write_atomically`], for what is written again and again: it does not wait for the disk, and a loss of
/// power may leave neither.
///
/// # Errors
/// As [`write_atomically`].
pub fn replace_often(path: &Path, content: &[u8]) -> io::Result<()> {
    replace(path, content, |_| Ok(()))
}

fn replace(
    path: &Path,
    content: &[u8],
    finish: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let name = path.file_name().ok_or_else(|| io::Error::other("the path names no file"))?;
    let mut temporary = name.to_owned();
    temporary.push(format!(".{}.part", std::process::id()));
    let temporary = folder.unwrap_or(Path::new(".")).join(temporary);
    let written = File::create(&temporary)
        .and_then(|mut file| file.write_all(content).and_then(|()| finish(&file)))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is reported; a leftover temporary file is harmless.
        let _ = fs::remove_file(&temporary);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("summary.json");
        for content in ["first", "second, longer"] {
            write_atomically(&path, content.as_bytes()).expect("written");
            assert_eq!(fs::read_to_string(&path).expect("readable"), content);
        }
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 1);
    }

    #[test]
    fn a_failed_write_keeps_the_old_content() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("taken");
        fs::create_dir(&path).expect("made");
        assert!(write_atomically(&path, b"new").is_err());
        assert!(path.is_dir());
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 1);
    }
}
