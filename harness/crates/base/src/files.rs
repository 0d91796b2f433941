//! Atomic file writes.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

use crate::failure::Failure;
use crate::output;
use crate::platform::{OPEN_FILES, OUTPUTS, private_file};

/// Where content for a path goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A file that is replaced, or made: that of the path, symbolic links followed.
    File(PathBuf),
    /// The standard output of this process.
    Output,
    /// What is no regular file, and is written as it stands: a pipe, a device, an open file of a process.
    Stream,
}

/// Most symbolic links that are followed, as Linux does.
const MAX_LINKS: usize = 40;

impl Destination {
    /// That of a path.
    pub fn of(path: &Path) -> Destination {
        let mut place = path.to_owned();
        for _ in 0..MAX_LINKS {
            if OUTPUTS.iter().any(|output| place == Path::new(output)) {
                return Destination::Output;
            }
            // What is open has a link there, which may say a name that is gone or another file's.
            if OPEN_FILES.iter().any(|folder| place.starts_with(folder)) {
                return Destination::Stream;
            }
            let Ok(target) = fs::read_link(&place) else { break };
            place = place.parent().unwrap_or(Path::new("")).join(target);
        }
        match fs::metadata(&place) {
            Ok(found) if !found.is_file() && !found.is_dir() => Destination::Stream,
            _ => Destination::File(place),
        }
    }
}

/// Opens what is no regular file, to be written as it stands; `None` for a file, which is replaced.
///
/// # Errors
/// When it cannot be opened.
pub fn open_stream(path: &Path) -> io::Result<Option<Box<dyn Write + Send>>> {
    Ok(match Destination::of(path) {
        Destination::File(_) => None,
        Destination::Output => Some(Box::new(output::data())),
        // What another process has open is not emptied.
        Destination::Stream => Some(Box::new(File::options().append(true).open(path)?)),
    })
}

/// Where the content of a file waits until it is whole.
pub fn part_of(place: &Path) -> PathBuf {
    let mut part = place.as_os_str().to_owned();
    part.push(format!(".{}.part", std::process::id()));
    part.into()
}

/// Whether two paths name the same file, which need not be there.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| match Destination::of(path) {
        Destination::File(place) => {
            let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
            Some(folder.join(place.file_name()?))
        }
        Destination::Output | Destination::Stream => fs::canonicalize(path).ok(),
    };
    one == other || place(one).is_some_and(|place_of_one| Some(place_of_one) == place(other))
}

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

/// Whether a file that is there belongs to a ledger: the database, or what a run has in its folder and those within.
/// The page of a run may be made again.
fn is_of_ledger(place: &Path) -> bool {
    const DATABASE: &str = "ledger.db";
    let Ok(place) = fs::canonicalize(place) else { return false };
    let name = place.file_name().unwrap_or_default();
    let ends = ["", "-wal", "-shm", "-journal"];
    if ends.iter().any(|end| name == format!("{DATABASE}{end}").as_str()) {
        return true;
    }
    let is_run = |folder: &Path| {
        let runs = folder.parent().filter(|runs| runs.ends_with("runs"));
        let reports = runs.and_then(Path::parent);
        folder.join("run.yaml").is_file()
            && reports.is_some_and(|reports| reports.join(DATABASE).is_file())
    };
    let Some(run) = place.ancestors().skip(1).find(|folder| is_run(folder)) else { return false };
    place != run.join("report.html")
}

/// Refuses a file that belongs to a ledger or to a run in it: another content would destroy these.
///
/// # Errors
/// When it does.
pub fn refuse_of_ledger(path: &Path) -> Result<(), Unwritable> {
    match Destination::of(path) {
        Destination::File(place) if is_of_ledger(&place) => {
            let source = io::Error::other("it belongs to the ledger, or to a run in it");
            let help = Some("nothing was done: name another file".to_owned());
            Err(Unwritable { path: path.to_owned(), source, help })
        }
        _ => Ok(()),
    }
}

/// Checks that a file can be written, before there is something to write; one that is there stays.
/// Pipes and devices are not opened: the reader of a pipe would find its end.
///
/// # Errors
/// When the folder is missing, it or the file cannot be written, or the file belongs to a ledger.
pub fn try_to_write(path: &Path) -> Result<(), Unwritable> {
    refuse_of_ledger(path)?;
    let refused = |source| Unwritable {
        path: path.to_owned(),
        source,
        help: Some("nothing was done: name a file in a folder that can be written".to_owned()),
    };
    let place = match Destination::of(path) {
        Destination::File(place) => place,
        Destination::Output => return Ok(()),
        Destination::Stream => return fs::metadata(path).map(drop).map_err(refused),
    };
    let was_there = place.exists();
    File::options().create(true).append(true).open(&place).map_err(refused)?;
    if !was_there {
        // Another program may have removed it.
        let _ = fs::remove_file(&place);
    }
    // It is replaced by another file of its folder, which that of a link's target may not take.
    let part = part_of(&place);
    File::create(&part).map_err(refused)?;
    let _ = fs::remove_file(part);
    Ok(())
}

/// Writes a file atomically: a reader sees the old content or the new one, after a loss of power, too.
/// A symbolic link stays, and its target is written; so are pipes and devices, as they stand.
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

/// As [`write_atomically`], a file that only its owner may read; a link is replaced by it.
///
/// # Errors
/// As [`write_atomically`].
pub fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    let part = part_of(path);
    // One that was left may be readable for others.
    let _ = fs::remove_file(&part);
    let made = private_file().write(true).create_new(true).open(&part);
    let written = made
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_data()))
        .and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}

fn replace(
    path: &Path,
    content: &[u8],
    finish: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<()> {
    let place = match Destination::of(path) {
        Destination::File(place) => place,
        Destination::Output | Destination::Stream => {
            let stream = open_stream(path)?;
            let mut stream = stream.ok_or_else(|| io::Error::other("it is a file by now"))?;
            return stream.write_all(content).and_then(|()| stream.flush());
        }
    };
    place.file_name().ok_or_else(|| io::Error::other("the path names no file"))?;
    let temporary = part_of(&place);
    let written = File::create(&temporary)
        .and_then(|mut file| file.write_all(content).and_then(|()| finish(&file)))
        .and_then(|()| fs::rename(&temporary, &place));
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
    fn files_of_a_ledger_and_of_its_runs_are_no_outputs() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("runs/20261130-070000-match");
        fs::create_dir_all(&run).unwrap();
        for file in ["ledger.db", "ledger.db-wal", "runs/notes.txt", "mine.csv", "ledger.db.csv"] {
            fs::write(folder.path().join(file), file).unwrap();
        }
        fs::create_dir_all(run.join("generation-1")).unwrap();
        for file in ["run.yaml", "games.pgn", "report.html", "generation-1/net.nnue"] {
            fs::write(run.join(file), file).unwrap();
        }
        let refused = |path: &Path| try_to_write(path).is_err();
        for file in ["ledger.db", "ledger.db-wal"] {
            assert!(refused(&folder.path().join(file)), "{file}");
        }
        for file in ["run.yaml", "games.pgn", "generation-1/net.nnue"] {
            assert!(refused(&run.join(file)), "{file}");
            assert!(refused(&run.join("../20261130-070000-match").join(file)), "{file}");
        }
        for file in ["report.html", "games.csv"] {
            assert!(!refused(&run.join(file)), "{file}");
        }
        for file in ["mine.csv", "runs/notes.txt", "ledger.csv", "ledger.db.csv"] {
            assert!(!refused(&folder.path().join(file)), "{file}");
        }
        // A folder with a file of that name is not a run of a ledger.
        fs::remove_file(folder.path().join("ledger.db")).unwrap();
        assert!(!refused(&run.join("games.pgn")));
    }

    #[test]
    #[cfg(unix)]
    fn a_private_file_is_whole_and_its_owners() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        fs::write(part_of(&path), "left by another").unwrap();
        for content in ["one", "two"] {
            write_private(&path, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write_private(&folder.path().join("no/key"), b"x").is_err());
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

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_its_target_is_replaced() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("below")).expect("made");
        std::os::unix::fs::symlink("below/target", at("link")).expect("made");
        std::os::unix::fs::symlink("link", at("second")).expect("made");
        // The target is not there yet, then it is.
        for content in ["first", "second, longer"] {
            try_to_write(&at("second")).expect("writable");
            write_atomically(&at("second"), content.as_bytes()).expect("written");
            assert_eq!(fs::read_to_string(at("below/target")).expect("readable"), content);
        }
        assert!(at("link").is_symlink() && at("second").is_symlink());
        assert_eq!(fs::read_dir(at("below")).expect("readable").count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_has_many_paths() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("below")).expect("made");
        std::os::unix::fs::symlink("new", at("link")).expect("made");
        fs::write(at("there"), "").expect("written");
        for (one, other, same) in [
            ("new", "./new", true),
            ("new", "below/../new", true),
            ("new", "link", true),
            ("there", "below/.././there", true),
            ("new", "there", false),
            ("new", "below/new", false),
        ] {
            assert_eq!(is_same_file(&at(one), &at(other)), same, "{one} {other}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_written_as_they_stand() {
        use std::os::fd::AsRawFd;

        for path in ["/dev/null", "/dev/stdout", "/proc/self/fd/2"] {
            assert!(!matches!(Destination::of(Path::new(path)), Destination::File(_)), "{path}");
        }
        try_to_write(Path::new("/dev/null")).expect("a device");
        write_atomically(Path::new("/dev/null"), b"gone").expect("written");
        let (mut reader, writer) = io::pipe().expect("a pipe");
        let folder = tempfile::tempdir().expect("temporary folder");
        let link = folder.path().join("link");
        let of_pipe = format!("/dev/fd/{}", writer.as_raw_fd());
        std::os::unix::fs::symlink(&of_pipe, &link).expect("made");
        for path in [Path::new(&of_pipe), &link] {
            try_to_write(path).expect("a pipe");
            write_atomically(path, b"line\n").expect("written");
        }
        drop(writer);
        assert_eq!(io::read_to_string(&mut reader).expect("text"), "line\nline\n");
        assert!(link.is_symlink());
    }
}
