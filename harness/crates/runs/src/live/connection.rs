//! The side of those who listen.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::Shutdown;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::message::{Message, Request};
use super::socket;
use harness_base::platform::{self, Stream};

/// The sockets of processes in a reports folder; one that was killed leaves its socket there.
pub fn running(reports: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(socket::folder(reports)) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(|path| path.extension().is_some_and(|end| end == socket::EXTENSION)).collect()
}

/// Asks the process of a run for something; `false` if no process tells of the run.
///
/// # Errors
/// When the process ends at this moment.
pub fn ask(reports: &Path, run: &str, request: Request) -> io::Result<bool> {
    for path in running(reports) {
        let Ok(mut connection) = Connection::open(&path) else { continue };
        connection.set_patience(HELLO_TIMEOUT)?;
        // It tells of its runs first.
        while let Some(message) = connection.receive() {
            if matches!(&message, Message::Run { run: known, .. } if known == run) {
                connection.handle()?.ask_last(request)?;
                // A process that cannot tell all that it has to tell, of a long run megabytes, takes
                // the connection for lost, and the request with it.
                while connection.receive().is_some() {}
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// How long a process may take to tell of its runs.
const HELLO_TIMEOUT: Duration = Duration::from_millis(500);

/// A connection to a process that executes a run.
pub struct Connection {
    reader: BufReader<Stream>,
}

impl Connection {
    /// Connects to the socket at a path. One without a listener is removed.
    ///
    /// # Errors
    /// When it has no listener.
    pub fn open(path: &Path) -> io::Result<Connection> {
        match platform::connect(path) {
            Ok(stream) => Ok(Connection { reader: BufReader::new(stream) }),
            Err(error) => {
                if error.kind() == io::ErrorKind::ConnectionRefused {
                    let _ = fs::remove_file(path);
                }
                Err(error)
            }
        }
    }

    /// The next message; waits for it. `None` once the process has ended.
    pub fn receive(&mut self) -> Option<Message> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            match serde_json::from_str(&line) {
                Ok(message) => return Some(message),
                // Another version tells more.
                Err(error) => tracing::debug!("an unknown message of a run: {error}"),
            }
        }
    }

    /// [`receive`](Self::receive) waits no longer than this.
    ///
    /// # Errors
    /// When the system refuses it.
    pub fn set_patience(&self, patience: Duration) -> io::Result<()> {
        self.reader.get_ref().set_read_timeout(Some(patience))
    }

    /// A handle for requests, and for the end of the connection.
    ///
    /// # Errors
    /// When the process has too many files open.
    pub fn handle(&self) -> io::Result<Handle> {
        Ok(Handle(self.reader.get_ref().try_clone()?))
    }
}

/// The other direction of a [`Connection`].
#[derive(Debug)]
pub struct Handle(Stream);

impl Handle {
    /// Asks for something.
    ///
    /// # Errors
    /// When the process has ended.
    pub fn ask(&self, request: Request) -> io::Result<()> {
        let mut line = serde_json::to_string(&request).map_err(io::Error::other)?;
        line.push('\n');
        (&self.0).write_all(line.as_bytes())
    }

    /// [`ask`](Self::ask) for the last time: the process ends the connection when it has heard it.
    ///
    /// # Errors
    /// When the process has ended.
    fn ask_last(&self, request: Request) -> io::Result<()> {
        self.ask(request)?;
        self.0.shutdown(Shutdown::Write)
    }

    /// Ends the connection.
    pub fn close(&self) {
        // It may have ended already.
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn who_asks_listens_to_the_end_of_a_long_story() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let (listener, _) = socket::listen(folder.path()).expect("listens");
        let run = |id: &str| Message::Run {
            run: id.to_owned(),
            command: "tune".to_owned(),
            title: "a long run ".repeat(1000),
            part_of: None,
        };
        let story = [run("this"), run("that")]
            .map(|message| serde_json::to_string(&message).expect("plain data") + "\n");
        let process = thread::spawn(move || {
            let mut stream = loop {
                match listener.accept() {
                    Some(stream) => break stream,
                    None => thread::yield_now(),
                }
            };
            stream.set_nonblocking(false).expect("set");
            stream.write_all(story[0].as_bytes()).expect("sent");
            for _ in 0..500 {
                stream.write_all(story[1].as_bytes()).expect("heard to the end");
            }
            let mut asked = String::new();
            BufReader::new(stream).read_line(&mut asked).expect("asked");
            asked
        });
        assert!(ask(folder.path(), "this", Request::Finish).expect("asks"));
        let asked = process.join().expect("it is heard to the end");
        assert_eq!(asked.trim(), r#"{"request":"finish"}"#);
    }
}
