//! Permissions of files, and reads at a position, as far as a system has them.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Whether a file can be started. A system without such a permission goes by the ending of the name.
pub fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|facts| facts.is_file() && may_run(path, &facts))
}

#[cfg(unix)]
fn may_run(_path: &Path, facts: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    facts.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn may_run(path: &Path, _facts: &Metadata) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    ending.is_some_and(|ending| ["exe", "com", "bat", "cmd"].contains(&ending.as_str()))
}

/// Whether this system may start programs made for other ones, by handlers of Linux's binfmt_misc
/// (qemu-user, Wine).
pub fn runs_foreign_programs() -> bool {
    let handlers = std::fs::read_dir("/proc/sys/fs/binfmt_misc").into_iter().flatten().flatten();
    handlers.map(|entry| entry.file_name()).any(|name| name != "register" && name != "status")
}

/// Lets everybody read and start a file, and its owner write it.
///
/// # Errors
/// When the system refuses.
pub fn make_program(path: &Path) -> io::Result<()> {
    set_mode(path, 0o755)
}

/// Makes a link to a program; a copy where links need rights that users lack.
///
/// # Errors
/// When the system refuses.
pub fn link_program(program: &Path, link: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(program, link);
    #[cfg(not(unix))]
    return std::fs::copy(program, link).map(drop);
}

/// Lets everybody read a file, and its owner write it.
///
/// # Errors
/// When the system refuses.
pub fn make_readable(path: &Path) -> io::Result<()> {
    set_mode(path, 0o644)
}

/// Lets everybody write a file, or into a folder; a program can still be started.
///
/// # Errors
/// When the system refuses.
pub fn make_writable(path: &Path) -> io::Result<()> {
    set_mode(path, if path.is_dir() || is_program(path) { 0o777 } else { 0o666 })
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_path: &Path, _mode: u32) -> io::Result<()> {
    Ok(())
}

/// Options for a file that only its owner may read, where the system has such a permission; elsewhere
/// it has that of its folder, which in a user's profile is the user's own.
#[cfg(unix)]
pub fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(not(unix))]
pub fn private_file() -> OpenOptions {
    OpenOptions::new()
}

/// Options for a folder that only its owner may enter, and those on the way to it.
pub fn private_folder() -> DirBuilder {
    let mut options = DirBuilder::new();
    options.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut options, 0o700);
    options
}

/// Opens a plain file of a folder by its name: neither is a link to elsewhere.
///
/// # Errors
/// When one of them is a link, the name is a path, or it is no plain file.
pub fn open_beneath(folder: &Path, name: &str) -> io::Result<File> {
    let mut parts = Path::new(name).components();
    let is_name = matches!(parts.next(), Some(std::path::Component::Normal(_)));
    if !is_name || parts.next().is_some() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no name of a file"));
    }
    let file = open_without_links(folder, name)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file")),
    }
}

#[cfg(unix)]
fn open_without_links(folder: &Path, name: &str) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open, openat};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = open(folder, flags | OFlags::DIRECTORY, Mode::empty())?;
    // Else a named pipe would be waited for.
    Ok(File::from(openat(&folder, name, flags | OFlags::NONBLOCK, Mode::empty())?))
}

#[cfg(not(unix))]
fn open_without_links(folder: &Path, name: &str) -> io::Result<File> {
    let path = folder.join(name);
    if folder.symlink_metadata()?.is_symlink() || path.symlink_metadata()?.is_symlink() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a link"));
    }
    File::open(path)
}

/// Files that this process may have open at a time; `None`: not known.
pub fn max_open_files() -> Option<u64> {
    #[cfg(unix)]
    return rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    #[cfg(not(unix))]
    None
}

/// Files that a process started by this one may let itself open; `None`: not known, or no limit.
pub fn most_open_files() -> Option<u64> {
    #[cfg(unix)]
    return rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum;
    #[cfg(not(unix))]
    None
}

/// Whether only its owner may read a file; `true` where the system has no such permission.
pub fn is_private(facts: &Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::PermissionsExt::mode(&facts.permissions()) & 0o077 == 0;
    #[cfg(not(unix))]
    {
        let _ = facts;
        true
    }
}

/// Which file it is and in which state: it differs after every change of the content, as no program
/// sets the last two numbers, those of the change time. `None` where the system has no such numbers, and
/// for a file that was changed just now: clocks of file systems tick, and it may change again within a
/// tick.
pub fn file_state(facts: &Metadata) -> Option<[u64; 5]> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        use std::time::{Duration, SystemTime};

        /// Some file systems count in two seconds.
        const SETTLED: Duration = Duration::from_secs(3);
        let seconds = facts.ctime();
        let nanoseconds = facts.ctime_nsec();
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).ok()?);
        let is_settled = SystemTime::now().duration_since(changed).is_ok_and(|age| age > SETTLED);
        let numbers = [seconds, nanoseconds].map(i64::cast_unsigned);
        is_settled.then_some([facts.dev(), facts.ino(), facts.size(), numbers[0], numbers[1]])
    }
    #[cfg(not(unix))]
    {
        let _ = facts;
        None
    }
}

/// Reads at a position. Threads may read the same file at the same time.
///
/// # Errors
/// When it cannot be read.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, buffer, offset);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_read(file, buffer, offset);
}

/// Fills a buffer with what is at a position.
///
/// # Errors
/// When it cannot be read, or ends before.
pub fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match read_at(file, buffer, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(length) => {
                buffer = &mut buffer[length..];
                offset += length as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The path of these bytes; where paths are not bytes, of their text.
pub fn path_of_bytes(bytes: Vec<u8>) -> PathBuf {
    #[cfg(unix)]
    let path: std::ffi::OsString = std::os::unix::ffi::OsStringExt::from_vec(bytes);
    #[cfg(not(unix))]
    let path = std::ffi::OsString::from(String::from_utf8_lossy(&bytes).into_owned());
    PathBuf::from(path)
}

/// Names of the standard output.
pub const OUTPUTS: [&str; 3] = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// Folders of the files that processes have opened.
pub const OPEN_FILES: [&str; 2] = ["/dev/fd", "/proc"];

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_part_of_a_file_is_read_wherever_it_is() {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(b"0123456789").expect("written");
        let mut part = [0; 4];
        read_exact_at(&file, &mut part, 5).expect("read");
        assert_eq!(&part, b"5678");
        assert_eq!(read_at(&file, &mut part, 8).expect("read"), 2);
        assert!(read_exact_at(&file, &mut part, 8).is_err());
    }

    #[test]
    fn a_file_has_a_state_once_it_is_settled_and_another_one_after_a_change() {
        // The test's own program may have been linked a second ago.
        let old = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let settled = file_state(&std::fs::metadata(old).expect("facts"));
        assert_eq!(settled.is_some(), cfg!(unix));
        let fresh = tempfile::tempfile().expect("a file");
        assert_eq!(file_state(&fresh.metadata().expect("facts")), None);
    }

    #[test]
    fn a_private_file_is_private() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("secret");
        let file = private_file().write(true).create_new(true).open(&path).expect("made");
        assert!(is_private(&file.metadata().expect("facts")));
        assert!(!is_program(&path));
        make_program(&path).expect("its own file");
        assert_eq!(is_program(&path), cfg!(unix));
    }
}
