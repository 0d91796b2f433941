//! Files without a name.

use std::fs::File;
use std::io;

/// A file that is gone with this process, in the folder of temporary files.
///
/// # Errors
/// When it cannot be made there.
pub fn scratch_file() -> io::Result<File> {
    tempfile::tempfile()
}
