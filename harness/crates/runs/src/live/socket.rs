//! The sockets of running processes: where they are, and how they are opened.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use harness_base::platform::{self, Listener};

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
pub fn listen(reports: &Path) -> io::Result<(Listener, PathBuf)> {
    let folder = folder(reports);
    if !folder.is_dir() {
        fs::create_dir_all(reports)?;
        platform::private_folder().create(&folder)?;
    }
    let path = folder.join(format!("{}.{EXTENSION}", std::process::id()));
    Ok((Listener::bind(&path)?, path))
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::live::running;

    #[test]
    fn a_socket_that_is_seen_can_be_connected_to() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let reports = folder.path();
        thread::scope(|scope| {
            let process = scope.spawn(|| {
                for _ in 0..2000 {
                    let (listener, path) = listen(reports).expect("listens");
                    while path.exists() {
                        let _ = listener.accept();
                    }
                }
            });
            while !process.is_finished() {
                for path in running(reports) {
                    platform::connect(&path).expect("it listens");
                    fs::remove_file(&path).expect("removed, so that the next one listens");
                }
            }
        });
    }

    #[test]
    fn a_socket_may_lie_in_a_deep_folder() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let reports = folder.path().join("a".repeat(100)).join("b".repeat(100));
        let (_listener, path) = listen(&reports).expect("listens");
        assert!(path.as_os_str().len() > 200 && path.exists());
        platform::connect(&path).expect("connects");
    }
}
