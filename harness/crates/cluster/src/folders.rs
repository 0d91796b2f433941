//! Folders of engines and of tablebases on several machines.
//!
//! The working folder of an engine is sent as one file: a head in JSON that lists its files, and their
//! contents. Tablebases are too large for that: a worker has its own, and is used if the list of its
//! files is that of the coordinator.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use harness_base::platform;

/// The largest folder that is sent, in bytes.
pub const MAX_FOLDER_BYTES: u64 = 512 << 20;

/// A file of a folder.
#[derive(Serialize, Deserialize)]
struct Entry {
    /// Path from the folder.
    #[serde(with = "harness_base::text::path")]
    path: PathBuf,
    /// Whether it is a program.
    runs: bool,
    length: u64,
}

/// A folder as one file. Links and what is no file are left out, as is `.git`.
///
/// # Errors
/// When it cannot be read, or is larger than [`MAX_FOLDER_BYTES`].
pub fn pack(folder: &Path) -> io::Result<Vec<u8>> {
    let mut files = BTreeMap::new();
    collect(folder, folder, &mut files)?;
    let size: u64 = files.values().map(|entry| entry.length).sum();
    if size > MAX_FOLDER_BYTES {
        let text =
            format!("it has {} MB, and {} are sent at most", size >> 20, MAX_FOLDER_BYTES >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    let head = serde_json::to_vec(&files.values().collect::<Vec<_>>())?;
    let mut packed = (head.len() as u64).to_le_bytes().to_vec();
    packed.extend(head);
    for (path, entry) in &files {
        // It may grow meanwhile.
        let read = File::open(path)?.take(entry.length).read_to_end(&mut packed)?;
        if read as u64 != entry.length {
            return Err(io::Error::other(format!("{} was changed meanwhile", path.display())));
        }
    }
    Ok(packed)
}

/// Lists the files of a folder and those in it, by full path.
fn collect(top: &Path, folder: &Path, files: &mut BTreeMap<PathBuf, Entry>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let path = entry.path();
        if kind.is_dir() && entry.file_name() != ".git" {
            collect(top, &path, files)?;
        } else if kind.is_file() {
            let facts = entry.metadata()?;
            let runs = platform::is_program(&path);
            let inside = path.strip_prefix(top).map_err(io::Error::other)?.to_owned();
            let length = facts.len();
            files.insert(path, Entry { path: inside, runs, length });
        }
    }
    Ok(())
}

/// Writes the files of a packed folder.
///
/// # Errors
/// When it is damaged, names a file outside of the folder, or cannot be written.
pub fn unpack(packed: &[u8], folder: &Path) -> io::Result<()> {
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "it is damaged");
    let (length, rest) = packed.split_first_chunk::<8>().ok_or_else(damaged)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(io::Error::other)?;
    let (head, mut rest) = rest.split_at_checked(length).ok_or_else(damaged)?;
    let entries: Vec<Entry> = serde_json::from_slice(head)?;
    fs::create_dir_all(folder)?;
    for Entry { path, runs, length } in entries {
        let stays = path.components().all(|part| matches!(part, Component::Normal(_)));
        let length = usize::try_from(length).map_err(io::Error::other)?;
        let (content, after) =
            rest.split_at_checked(length).filter(|_| stays).ok_or_else(damaged)?;
        rest = after;
        let file = folder.join(&path);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        File::create(&file)?.write_all(content)?;
        // All may read them: an engine in a sandbox is another user.
        let allow = if runs { platform::make_program } else { platform::make_readable };
        allow(&file)?;
    }
    Ok(())
}

/// SHA-256 of the names and sizes of the Syzygy tables in folders that are separated as in PATH;
/// `None` if there are none with results (WDL).
pub fn tables_hash(folders: &str) -> Option<String> {
    let mut tables = BTreeMap::new();
    for folder in std::env::split_paths(folders) {
        for entry in fs::read_dir(folder).ok()?.flatten() {
            let path = entry.path();
            let is_table = path.extension().is_some_and(|it| it == "rtbw" || it == "rtbz");
            if let (true, Ok(facts)) = (is_table, fs::metadata(&path)) {
                tables.insert(entry.file_name().to_string_lossy().into_owned(), facts.len());
            }
        }
    }
    if !tables.keys().any(|name| name.ends_with(".rtbw")) {
        return None;
    }
    let list: String = tables.iter().map(|(name, size)| format!("{name} {size}\n")).collect();
    Some(format!("{:x}", Sha256::digest(list)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_arrives_as_it_was() {
        let place = tempfile::tempdir().expect("a folder");
        let (here, there) = (place.path().join("here"), place.path().join("there"));
        fs::create_dir_all(here.join("data/deep")).expect("a folder");
        fs::create_dir_all(here.join(".git")).expect("a folder");
        for (name, text) in
            [("run.sh", "#!/bin/sh\n"), ("data/deep/net", "bytes"), ("empty", ""), (".git/x", "x")]
        {
            fs::write(here.join(name), text).expect("a file");
        }
        platform::make_program(&here.join("run.sh")).expect("its own file");
        let packed = pack(&here).expect("packed");
        unpack(&packed, &there).expect("unpacked");
        assert_eq!(packed, pack(&there).expect("packed"));
        assert_eq!(fs::read_to_string(there.join("data/deep/net")).expect("a file"), "bytes");
        assert!(!there.join(".git").exists());
        for end in 0..packed.len() {
            assert!(unpack(&packed[..end], &place.path().join("cut")).is_err(), "{end}");
        }
    }

    #[test]
    fn no_file_is_written_outside_of_the_folder() {
        let place = tempfile::tempdir().expect("a folder");
        for path in ["../out", "/tmp/tench-out", "a/../../out"] {
            let entry = Entry { path: PathBuf::from(path), runs: false, length: 1 };
            let head = serde_json::to_vec(&[entry]).expect("plain data");
            let mut packed = (head.len() as u64).to_le_bytes().to_vec();
            packed.extend(head);
            packed.push(b'x');
            assert!(unpack(&packed, &place.path().join("in")).is_err(), "{path}");
            assert!(!place.path().join("out").exists());
        }
    }

    #[test]
    fn tablebases_are_alike_wherever_they_lie() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = |name: &str| {
            let folder = place.path().join(name);
            fs::create_dir_all(&folder).expect("a folder");
            folder
        };
        let (one, two, both) = (folder("one"), folder("two"), folder("both"));
        for (folder, name) in [(&one, "KQvK.rtbw"), (&two, "KRvK.rtbw")] {
            fs::write(folder.join(name), "table").expect("a file");
            fs::write(both.join(name), "table").expect("a file");
        }
        fs::write(both.join("readme.txt"), "text").expect("a file");
        let split = format!("{}:{}", one.display(), two.display());
        let hash = |folders: &str| tables_hash(folders);
        assert!(hash(&split).is_some());
        assert_eq!(hash(&split), hash(&both.display().to_string()));
        assert_ne!(hash(&split), hash(&one.display().to_string()));
        assert_eq!(hash(&folder("empty").display().to_string()), None);
        assert_eq!(hash("/missing"), None);
    }
}
