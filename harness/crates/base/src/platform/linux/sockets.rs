//! Unix sockets, by which processes of one user talk with each other.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};

use super::timespec::timespec;
use super::wakeup::Wakeup;

/// A connection.
pub type Stream = UnixStream;

/// Listens at a path.
pub struct Listener(UnixListener);

impl Listener {
    /// Listens at a path; what is there is replaced. Only who may enter the folder can connect.
    ///
    /// # Errors
    /// When the folder holds no sockets (on some network disks).
    pub fn bind(path: &Path) -> io::Result<Listener> {
        // `bind` creates the file before the socket listens. A connection in between is refused, as after
        // a kill, and whoever is refused removes the file: it is renamed once the socket listens.
        let temporary = path.with_extension("new");
        // Of a process with the same id that was killed.
        let _ = fs::remove_file(&temporary);
        let listener = short(&temporary, |path| UnixListener::bind(path))?;
        listener.set_nonblocking(true)?;
        fs::rename(&temporary, path)?;
        Ok(Listener(listener))
    }

    /// The next connection, if there is one.
    pub fn accept(&self) -> Option<Stream> {
        self.0.accept().ok().map(|(stream, _)| stream)
    }

    /// Waits until a client connects or the wake-up is set, at most this long; whether it was set. May
    /// return early.
    pub fn wait(&self, wakeup: &Wakeup, at_most: Option<Duration>) -> bool {
        let mut ends = [
            PollFd::from_borrowed_fd(wakeup.fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(self.0.as_fd(), PollFlags::IN),
        ];
        let at_most = at_most.map(timespec);
        let _ = poll(&mut ends, at_most.as_ref());
        !ends[0].revents().is_empty()
    }
}

/// Connects to the listener at a path.
///
/// # Errors
/// Without a listener.
pub fn connect(path: &Path) -> io::Result<Stream> {
    short(path, |path| UnixStream::connect(path))
}

/// Calls `open` with a short name of a path: the path of a socket has at most 107 bytes, and folders
/// may be deep. The name leads by way of the open folder.
fn short<T>(path: &Path, open: impl Fn(&Path) -> io::Result<T>) -> io::Result<T> {
    const MAX_PATH_BYTES: usize = 100;
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return open(path) };
    if path.as_os_str().len() <= MAX_PATH_BYTES {
        return open(path);
    }
    let folder = File::open(folder)?;
    open(&Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name))
}
