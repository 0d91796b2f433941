//! The file of a board, which several studios of one folder may write.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use harness_base::files::write_atomically;
use harness_base::platform::file_state;
use sha2::{Digest, Sha256};

/// The file that studios lock while one of them changes a board.
const LOCK: &str = "lock";

/// The file of a board, and what this studio knows of it.
pub struct BoardFile {
    path: PathBuf,
    /// Of the content that was read or written last; `None` before it is written.
    digest: Option<[u8; 32]>,
    /// Where the system tells it, so that a file that stays is not read again.
    state: Option<[u64; 5]>,
}

/// What another studio has made of the file since.
pub enum Found {
    /// It is as this studio knows it.
    Same,
    /// It has another content.
    Other(Vec<u8>),
    /// It was deleted.
    Gone,
}

impl BoardFile {
    /// Of a board; nothing is known of it yet.
    pub fn new(path: PathBuf) -> BoardFile {
        BoardFile { path, digest: None, state: None }
    }

    /// Where it is.
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Locks the boards of the folder against other studios, as long as the value lives.
    ///
    /// # Errors
    /// When the folder cannot be written, or its file system has no locks.
    pub fn lock(&self) -> io::Result<File> {
        let path = self.path.with_file_name(LOCK);
        let file = File::options().create(true).write(true).truncate(false).open(path)?;
        file.lock()?;
        Ok(file)
    }

    /// What it is now; from then on this is known.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn look(&mut self) -> io::Result<Found> {
        if self.digest.is_none() {
            return Ok(Found::Same);
        }
        let content = match fs::metadata(&self.path) {
            Ok(facts) => {
                let state = file_state(&facts);
                if state.is_some() && state == self.state {
                    return Ok(Found::Same);
                }
                self.state = state;
                fs::read(&self.path)
            }
            Err(error) => Err(error),
        };
        match content {
            Ok(content) if self.know(&content) => Ok(Found::Other(content)),
            Ok(_) => Ok(Found::Same),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Found::Gone),
            Err(error) => Err(error),
        }
    }

    /// Reads it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&mut self) -> io::Result<Vec<u8>> {
        let content = fs::read(&self.path)?;
        self.know(&content);
        Ok(content)
    }

    /// Writes it.
    ///
    /// # Errors
    /// When it cannot be written; the old content stays.
    pub fn write(&mut self, content: &[u8]) -> io::Result<()> {
        write_atomically(&self.path, content)?;
        self.know(content);
        self.state = None;
        Ok(())
    }

    /// Removes it.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }

    /// Takes note of a content; whether it is another one.
    fn know(&mut self, content: &[u8]) -> bool {
        let digest: [u8; 32] = Sha256::digest(content).into();
        self.digest.replace(digest) != Some(digest)
    }
}
