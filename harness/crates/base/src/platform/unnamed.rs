//! Files without a name, in a folder on disk.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file for reading and writing, in a folder. It has no name: whatever ends the process, the system
/// frees its space.
///
/// # Errors
/// When it cannot be made there.
pub fn unnamed_file(folder: &Path) -> io::Result<File> {
    /// Tells the files of this process apart, which threads may make at the same time.
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!(".harness-{}-{number}.part", std::process::id()));
    let file = File::options().read(true).write(true).create(true).truncate(true).open(&path)?;
    fs::remove_file(path)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek, Write};

    use super::*;

    #[test]
    fn files_without_a_name_are_apart_and_leave_nothing_behind() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut files = ["one", "two"].map(|text| {
            let mut file = unnamed_file(folder.path()).expect("a file");
            file.write_all(text.as_bytes()).expect("written");
            file
        });
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
        let texts = files.each_mut().map(|file| {
            let mut text = String::new();
            file.rewind().expect("a file");
            file.read_to_string(&mut text).expect("read");
            text
        });
        assert_eq!(texts, ["one", "two"]);
        assert!(unnamed_file(&folder.path().join("missing")).is_err());
    }
}
