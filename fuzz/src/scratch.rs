//! Files for the readers that want a path, in memory where the system has a place for that.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

thread_local! {
    static FOLDER: RefCell<Option<TempDir>> = const { RefCell::new(None) };
}

/// The path of a file of this name in a folder of this thread.
pub fn path(name: &str) -> PathBuf {
    FOLDER.with_borrow_mut(|folder| {
        let folder = folder.get_or_insert_with(|| {
            let memory = Path::new("/dev/shm");
            let made =
                if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
            made.expect("a temporary folder")
        });
        folder.path().join(name)
    })
}

/// Writes a file of this name, in place of the one before.
pub fn file(name: &str, content: &[u8]) -> PathBuf {
    let path = path(name);
    fs::write(&path, content).expect("a temporary file can be written");
    path
}
