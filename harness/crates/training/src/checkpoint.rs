//! The checkpoint of an interrupted training: all that is needed to continue exactly.
//!
//! Numbers are little-endian: words of 64 bits (fractions by their bits), then the four lists of
//! weights in 32 bits, then the SHA-256 of all before.

use std::io;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::config::Config;
use super::optimiser::AdamW;
use super::trainer::{Epoch, State};
use harness_base::files::write_atomically;

const MAGIC: u64 = u64::from_le_bytes(*b"TENCHTR2");
const HASH: usize = 32;

/// The configuration and the data that a state belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    config: u64,
    data: u64,
}

impl Key {
    /// That of a configuration and of data with this fingerprint.
    pub fn new(config: &Config, data: u64) -> Key {
        let mut learning = config.learning;
        // Only rounding depends on the number of threads.
        learning.jobs = 1;
        let Config { network, start, freeze, .. } = config;
        let text = match start {
            None => format!("{network:?} {learning:?}"),
            Some(start) => format!("{network:?} {learning:?} {start:?} {freeze:?}"),
        };
        let digest = Sha256::digest(text.as_bytes());
        let config = digest.iter().take(8).fold(0, |word, &byte| word << 8 | u64::from(byte));
        Key { config, data }
    }
}

/// A checkpoint that cannot be used.
#[derive(Debug, Error, Diagnostic)]
pub enum CheckpointError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    #[diagnostic(help("without --resume the training begins again"))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// It cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// It is damaged or something else.
    #[error("{} is no checkpoint, or damaged", path.display())]
    #[diagnostic(help("without --resume the training begins again"))]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// It is of another training.
    #[error("{} is of a training with another {what}", path.display())]
    #[diagnostic(help("put back what was changed, or begin again without --resume"))]
    Other {
        /// The file.
        path: PathBuf,
        /// The property that differs.
        what: &'static str,
    },
}

/// Writes a state; the file is never half of one.
///
/// # Errors
/// When it cannot be written.
pub fn write(path: &Path, key: Key, state: &State) -> Result<(), CheckpointError> {
    let mut words = vec![
        MAGIC,
        key.config,
        key.data,
        state.step,
        state.errors.to_bits(),
        state.adam.steps,
        state.weights.len() as u64,
        state.epochs.len() as u64,
    ];
    for Epoch { number, train, validation, scores, rate } in &state.epochs {
        words.push(u64::from(*number));
        words.extend([train, validation, scores, rate].map(|fraction| fraction.to_bits()));
    }
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
    for list in [&state.weights, &state.adam.means, &state.adam.squares, &state.best] {
        bytes.extend(list.iter().flat_map(|weight| weight.to_le_bytes()));
    }
    bytes.extend(Sha256::digest(&bytes));
    write_atomically(path, &bytes)
        .map_err(|source| CheckpointError::Unwritable { path: path.to_owned(), source })
}

/// Reads a state that belongs to `key` and has this number of weights.
///
/// # Errors
/// When there is none in the file.
pub fn read(path: &Path, key: Key, weights: usize) -> Result<State, CheckpointError> {
    let bytes = std::fs::read(path)
        .map_err(|source| CheckpointError::Unreadable { path: path.to_owned(), source })?;
    let damaged = || CheckpointError::Damaged { path: path.to_owned() };
    let content = bytes.len().checked_sub(HASH).map(|end| bytes.split_at(end));
    let (content, hash) = content.ok_or_else(damaged)?;
    if Sha256::digest(content).as_slice() != hash {
        return Err(damaged());
    }
    let mut reader = Reader { bytes: content };
    if reader.word() != Some(MAGIC) {
        return Err(damaged());
    }
    let found = Key {
        config: reader.word().ok_or_else(damaged)?,
        data: reader.word().ok_or_else(damaged)?,
    };
    let other = |what| CheckpointError::Other { path: path.to_owned(), what };
    if found.config != key.config {
        return Err(other("configuration"));
    }
    if found.data != key.data {
        return Err(other("set of positions"));
    }
    reader.state(weights).ok_or_else(damaged)
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.bytes.split_first_chunk::<N>()?;
        self.bytes = rest;
        Some(*first)
    }

    fn word(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn fraction(&mut self) -> Option<f64> {
        self.word().map(f64::from_bits)
    }

    fn list(&mut self, length: usize) -> Option<Vec<f32>> {
        (0..length).map(|_| self.take().map(f32::from_le_bytes)).collect()
    }

    fn state(&mut self, weights: usize) -> Option<State> {
        let step = self.word()?;
        let errors = self.fraction()?;
        let steps = self.word()?;
        let length = self.word()?;
        let passes = self.word()?;
        if length != weights as u64 {
            return None;
        }
        let mut epochs = Vec::new();
        for _ in 0..passes {
            epochs.push(Epoch {
                number: u32::try_from(self.word()?).ok()?,
                train: self.fraction()?,
                validation: self.fraction()?,
                scores: self.fraction()?,
                rate: self.fraction()?,
            });
        }
        let now = self.list(weights)?;
        let adam = AdamW { means: self.list(weights)?, squares: self.list(weights)?, steps };
        let best = self.list(weights)?;
        self.bytes.is_empty().then_some(State { weights: now, adam, step, errors, epochs, best })
    }
}
