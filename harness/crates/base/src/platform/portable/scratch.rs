//! Files that only this process uses.

use std::fs::File;
use std::io;

/// A file that is gone with this process, in the folder of temporary files.
///
/// # Errors
/// When it cannot be made there.
pub fn scratch_file() -> io::Result<File> {
    tempfile::tempfile()
}

/// Would start to read a part of a file into the system's cache; here the read itself fetches it.
pub fn read_ahead(_file: &File, _offset: u64, _length: u64) {}
