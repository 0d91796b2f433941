//! The sockets of running processes: where they are, and how they are opened.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// Ending of the name of a socket; before it stands the process.
pub const EXTENSION: &str = "sock";

/// The folder of the sockets of a reports folder.
pub fn folder(reports: &Path) -> PathBuf {
    reports.join("live")
}

/// Listens at the socket of this process. Only the user may enter the folder: who connects may stop
/// the run.
///
/// # Errors
/// When the folder cannot be made, or holds no sockets (on some network disks).
pub fn listen(reports: &Path) -> io::Result<(UnixListener, PathBuf)> {
    let folder = folder(reports);
    if !folder.is_dir() {
        fs::create_dir_all(reports)?;
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    }
    let path = folder.join(format!("{}.{EXTENSION}", std::process::id()));
    // A process of the same number was killed.
    let _ = fs::remove_file(&path);
    let listener = short(&path, |path| UnixListener::bind(path))?;
    Ok((listener, path))
}

/// Connects to the socket at a path.
///
/// # Errors
/// When nobody listens.
pub fn connect(path: &Path) -> io::Result<UnixStream> {
    short(path, |path| UnixStream::connect(path))
}

/// Calls `open` with a short name of a path: the path of a socket has at most 107 bytes, and folders
/// may be deep. The name leads by way of the open folder, where the system has such names.
fn short<T>(path: &Path, open: impl Fn(&Path) -> io::Result<T>) -> io::Result<T> {
    const LONGEST: usize = 100;
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return open(path) };
    if path.as_os_str().len() <= LONGEST {
        return open(path);
    }
    let folder = File::open(folder)?;
    open(&Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_may_lie_in_a_deep_folder() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let reports = folder.path().join("a".repeat(100)).join("b".repeat(100));
        let (_listener, path) = listen(&reports).expect("listens");
        assert!(path.as_os_str().len() > 200 && path.exists());
        connect(&path).expect("connects");
    }
}
