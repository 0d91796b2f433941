//! Sockets of the loopback interface, by which processes of one user talk with each other. Anybody on
//! the machine may connect to one; so a file that only the user can read has the port and a secret,
//! which has to be said first.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::time::Duration;

use rand::TryRngCore;
use rand::rngs::OsRng;

use super::wakeup::{SLICE, Wakeup};
use crate::platform::files::private_file;

/// A connection.
pub type Stream = TcpStream;

/// Bytes of the secret, in hex.
const SECRET: usize = 32;

/// Time for a new connection to send the secret.
const SECRET_TIMEOUT: Duration = Duration::from_millis(200);

/// Listens; a file says where.
pub struct Listener {
    listener: TcpListener,
    secret: String,
}

impl Listener {
    /// Listens, and writes the file at a path; what is there is replaced.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn bind(path: &Path) -> io::Result<Listener> {
        let mut bytes = [0; SECRET / 2];
        OsRng.try_fill_bytes(&mut bytes).map_err(io::Error::other)?;
        let secret: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        // A reader of an incomplete file would take the process for killed: it is renamed once complete.
        let temporary = path.with_extension("new");
        // Of a process with the same id that was killed.
        let _ = fs::remove_file(&temporary);
        let mut file = private_file().write(true).create_new(true).open(&temporary)?;
        file.write_all(format!("{port} {secret}").as_bytes())?;
        // Closed first: some systems do not rename an open file.
        drop(file);
        fs::rename(&temporary, path)?;
        Ok(Listener { listener, secret })
    }

    /// The next connection whose first bytes are the secret, if there is one.
    pub fn accept(&self) -> Option<Stream> {
        while let Ok((mut stream, _)) = self.listener.accept() {
            let mut said = [0; SECRET];
            let sent = stream
                .set_nonblocking(false)
                .and_then(|()| stream.set_read_timeout(Some(SECRET_TIMEOUT)))
                .and_then(|()| stream.read_exact(&mut said))
                .and_then(|()| stream.set_read_timeout(None))
                .and_then(|()| stream.set_nodelay(true));
            if sent.is_ok() && said == self.secret.as_bytes() {
                return Some(stream);
            }
        }
        None
    }

    /// Waits until the wake-up is set, at most this long; whether it was set. Returns early, since
    /// a client may have connected.
    pub fn wait(&self, wakeup: &Wakeup, at_most: Option<Duration>) -> bool {
        wakeup.is_set_within(at_most.map_or(SLICE, |at_most| at_most.min(SLICE)))
    }
}

/// Connects to the listener of the file at a path.
///
/// # Errors
/// Without a listener, or the file is not one of a listener.
pub fn connect(path: &Path) -> io::Result<Stream> {
    let text = fs::read_to_string(path)?;
    let (port, secret) = text.split_once(' ').ok_or(io::ErrorKind::InvalidData)?;
    let port: u16 = port.parse().map_err(io::Error::other)?;
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_nodelay(true)?;
    stream.write_all(secret.as_bytes())?;
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_know_the_secret_is_not_heard() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("1.sock");
        let listener = Listener::bind(&path).expect("listens");
        let text = fs::read_to_string(&path).expect("written");
        let port: u16 = text.split_once(' ').expect("two words").0.parse().expect("a port");
        let mut stranger = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("connects");
        stranger.write_all(&[b'0'; SECRET]).expect("sent");
        let mut friend = connect(&path).expect("connects");
        friend.write_all(b"hello").expect("sent");
        let mut heard = None;
        while heard.is_none() {
            heard = listener.accept();
        }
        let mut said = [0; 5];
        heard.expect("just seen").read_exact(&mut said).expect("read");
        assert_eq!(&said, b"hello");
    }
}
