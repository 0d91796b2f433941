//! Files without a name.

use std::fs::File;
use std::io;

use rustix::fs::{MemfdFlags, memfd_create};

/// A file that is gone with this process, in memory: it needs no disk with room.
///
/// # Errors
/// When the system refuses one.
pub fn scratch_file() -> io::Result<File> {
    Ok(File::from(memfd_create("scratch", MemfdFlags::CLOEXEC)?))
}
