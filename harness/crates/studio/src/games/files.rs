//! PGN files that the studio shows: listed once, read game by game.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

use super::positions::Positions;
use harness_base::input::Compression;
use harness_base::sync::lock;
use harness_games::list::PgnList;
use harness_games::pasted::read_pasted;

/// Files that are kept open; the one that was used longest ago is closed.
const MAX_FILES: usize = 3;

/// Longest name of an uploaded file, in bytes.
const MAX_NAME: usize = 200;

/// Bytes of a file in which a game has to begin.
const LOOKED_AT: u64 = 64 * 1024;

/// A listed PGN file.
pub struct PgnFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its games.
    pub list: PgnList,
    stamp: Stamp,
    positions: OnceLock<Positions>,
}

/// Version of a file.
type Stamp = (u64, Option<SystemTime>);

/// The PGN files of a studio.
pub struct PgnFiles {
    folder: PathBuf,
    open: Mutex<Vec<Arc<PgnFile>>>,
}

/// A file of the folder.
pub struct UploadedFile {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
}

impl PgnFiles {
    /// Those in `pgn` of the reports folder; others by their path.
    pub fn new(reports: &Path) -> PgnFiles {
        PgnFiles { folder: reports.join("pgn"), open: Mutex::default() }
    }

    /// The files of the folder, in the order of their names.
    pub fn uploaded(&self) -> Vec<UploadedFile> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut files: Vec<UploadedFile> = entries
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let bytes = entry.metadata().ok().filter(fs::Metadata::is_file)?.len();
                is_pgn(&name).then_some(UploadedFile { name, bytes })
            })
            .collect();
        files.sort_by(|a, b| a.name.cmp(&b.name));
        files
    }

    /// Where a new file of the folder is; `None` if not every system can have this name.
    pub fn place(&self, name: &str) -> Option<PathBuf> {
        let letter = |c: char| !c.is_control() && !"<>:\"|?*".contains(c);
        let plain = name.len() <= MAX_NAME && name.chars().all(letter);
        self.listed(name).filter(|_| plain)
    }

    /// Where a file of the folder is that may be there already, by its name in the list; `None` of a path.
    pub fn listed(&self, name: &str) -> Option<PathBuf> {
        let is_path = name.starts_with('.') || name.contains(['/', '\\', '\0']);
        (is_pgn(name) && !is_path).then(|| self.folder.join(name))
    }

    /// The folder, which is made if it is not there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn folder(&self) -> io::Result<&Path> {
        fs::create_dir_all(&self.folder)?;
        Ok(&self.folder)
    }

    /// A file, listed.
    ///
    /// # Errors
    /// When it cannot be read, or is compressed; in words for people.
    pub fn get(&self, path: &Path) -> Result<Arc<PgnFile>, String> {
        let wrong = |error: io::Error| format!("{}: {error}", path.display());
        let facts = fs::metadata(path).map_err(wrong)?;
        // The reader of a pipe may wait without end.
        if !facts.is_file() {
            return Err(format!("{}: this is no plain file", path.display()));
        }
        let stamp: Stamp = (facts.len(), facts.modified().ok());
        let known = |open: &mut Vec<Arc<PgnFile>>| {
            let index = open.iter().position(|file| file.path == path && file.stamp == stamp)?;
            let file = open.remove(index);
            open.push(Arc::clone(&file));
            Some(file)
        };
        if let Some(file) = known(&mut lock(&self.open)) {
            return Ok(file);
        }
        if compression(path).map_err(wrong)?.is_some() {
            let help = "a game is read from its place, so unpack it first, or upload it";
            return Err(format!("{}: the file is compressed; {help}", path.display()));
        }
        holds_games(path).map_err(|reason| format!("{}: {reason}", path.display()))?;
        let list = PgnList::read(path).map_err(wrong)?;
        let path = path.to_owned();
        let file = Arc::new(PgnFile { path, list, stamp, positions: OnceLock::new() });
        let mut open = lock(&self.open);
        open.retain(|other| other.path != file.path);
        open.push(Arc::clone(&file));
        if open.len() > MAX_FILES {
            open.remove(0);
        }
        Ok(file)
    }
}

/// Whether a file begins with a game or a position.
///
/// # Errors
/// When it does not; in words for people.
pub fn holds_games(path: &Path) -> Result<(), String> {
    let mut begin = Vec::new();
    let file = fs::File::open(path).map_err(|error| error.to_string())?;
    file.take(LOOKED_AT).read_to_end(&mut begin).map_err(|error| error.to_string())?;
    read_pasted(&begin, 1).map(drop).map_err(String::from)
}

/// Is it the name of a PGN file?
fn is_pgn(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".pgn")
}

/// The compression that the first bytes of a file name.
fn compression(path: &Path) -> io::Result<Option<Compression>> {
    let mut begin = Vec::new();
    fs::File::open(path)?.take(Compression::MARK as u64).read_to_end(&mut begin)?;
    Ok(Compression::of_content(&begin))
}

/// The name that a file has when it is unpacked: `a.pgn` of `a.pgn.gz`.
pub fn unpacked_name(name: &str) -> &str {
    let packed = Compression::of_name(Path::new(name));
    packed.and_then(|_| name.rsplit_once('.')).map_or(name, |(stem, _)| stem)
}

/// Unpacks a file in its place, if it is compressed.
///
/// # Errors
/// When it is damaged, has more than `most` bytes, or cannot be written.
pub fn unpack_in_place(path: &Path, most: u64) -> io::Result<()> {
    let Some(compression) = compression(path)? else { return Ok(()) };
    let plain = path.with_extension("plain");
    let copied = fs::File::open(path).and_then(|packed| {
        let mut unpacked = compression.unpack(packed).take(most + 1);
        io::copy(&mut unpacked, &mut fs::File::create(&plain)?)
    });
    match copied {
        Ok(bytes) if bytes <= most => fs::rename(&plain, path),
        other => {
            let _ = fs::remove_file(&plain);
            let most = most >> 30;
            let too_large = || {
                let help = "unpack it and open it by its path";
                io::Error::other(format!("unpacked it is larger than {most} GiB; {help}"))
            };
            Err(other.err().unwrap_or_else(too_large))
        }
    }
}

impl PgnFile {
    /// The positions of its games, read when they are asked for first.
    ///
    /// # Errors
    /// When the file cannot be read; in words for people.
    pub fn positions(&self) -> Result<&Positions, String> {
        if let Some(positions) = self.positions.get() {
            return Ok(positions);
        }
        let read = Positions::of_file(&self.path, &self.list)
            .map_err(|error| format!("{}: {error}", self.path.display()))?;
        Ok(self.positions.get_or_init(|| read))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_are_files_of_the_folder() {
        let files = PgnFiles::new(Path::new("reports"));
        for name in
            ["my games (1).pgn", "KÄMPFE.PGN", "Carlsen, M. [2024].pgn", "a%20b $1; {x}.pgn"]
        {
            assert!(files.place(name).is_some(), "{name}");
        }
        for name in ["../x.pgn", "a/b.pgn", ".hidden.pgn", "x.txt", "", "C:\\x.pgn", "\0.pgn"] {
            assert_eq!(files.place(name), None, "{name}");
            assert_eq!(files.listed(name), None, "{name}");
        }
        // A file that lies in the folder is opened by its name.
        assert_eq!(files.place("a \"b\" <i>.pgn"), None);
        assert!(files.listed("a \"b\" <i>.pgn").is_some());
    }

    #[test]
    fn a_file_that_has_changed_is_listed_again() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("a.pgn");
        fs::write(&path, "[White \"a\"]\n\n1. e4 *\n\n").expect("written");
        let files = PgnFiles::new(folder.path());
        let first = files.get(&path).expect("read");
        assert!(Arc::ptr_eq(&first, &files.get(&path).expect("read")));
        let position = shakmaty::Chess::default();
        let explored = first.positions().expect("read").explore(&position, false);
        assert_eq!(explored.moves[0].san, "e4");
        fs::write(&path, "[White \"a\"]\n\n1. e4 *\n\n[White \"b\"]\n\n1. d4 *\n\n")
            .expect("written");
        assert_eq!(files.get(&path).expect("read").list.len(), 2);
        fs::write(&path, "root:x:0:0:root:/root:/bin/bash\n").expect("written");
        assert!(files.get(&path).is_err_and(|error| error.contains("neither a game")));
        fs::write(&path, b"\x28\xb5\x2f\xfd\x00").expect("written");
        assert!(files.get(&path).is_err_and(|error| error.contains("compressed")));
        assert!(files.get(&folder.path().join("none.pgn")).is_err());
        let device = files.get(Path::new("/dev/zero"));
        assert!(device.is_err_and(|error| error.contains("no plain file")));
    }
}
