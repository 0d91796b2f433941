//! Files that only this process uses.

use std::fs::File;
use std::io;
use std::num::NonZeroU64;

use rustix::fs::{Advice, MemfdFlags, fadvise, memfd_create};

/// A file that is gone with this process, in memory: it needs no disk with room.
///
/// # Errors
/// When the system refuses one.
pub fn scratch_file() -> io::Result<File> {
    Ok(File::from(memfd_create("scratch", MemfdFlags::CLOEXEC)?))
}

/// Starts to read a part of a file into the system's cache, and does not wait for it: a read of this part
/// a little later finds it there.
pub fn read_ahead(file: &File, offset: u64, length: u64) {
    // Advice only: where the file system takes none, the read itself fetches the part.
    let _ = fadvise(file, offset, NonZeroU64::new(length), Advice::WillNeed);
}
