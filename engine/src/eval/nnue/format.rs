//! A network as a file.
//!
//! All numbers are little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 4 | version of the format, 1 |
//! | 8 | checksum of everything after it (FNV-1a, 64 bits) |
//! | 16 | name of the architecture, padded with zeros: `perspective` |
//! | 4 | width of the inner layer |
//! | 4 | 1 if the board is mirrored by the king's file, else 0 |
//! | 4 | output layers |
//! | 2, 2, 4 | units of the inner and of the output layer, scale |
//! | 4, n | length of a note in UTF-8 on where the network comes from, and the note |
//! | ... | inner weights, inner biases and output weights of 2 bytes, output biases of 4 |

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::features::INPUTS;
use super::json::JsonError;
use super::network::{Network, NetworkError, Weights, check_shape};
use super::shape::Shape;

/// How every file begins.
pub const MAGIC: [u8; 8] = *b"TENCHNET";
const VERSION: u32 = 1;
/// The one architecture so far.
pub(super) const PERSPECTIVE: &str = "perspective";
const NAME_BYTES: usize = 16;
/// Longer notes are not written; a longer one in a file is damage.
const MOST_NOTE: usize = 1 << 16;

/// A file that holds no network.
#[derive(Debug, Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// It begins otherwise.
    #[error("it is no network of ours: it does not begin with TENCHNET, and is no JSON")]
    Foreign,
    /// Another version of the format.
    #[error("its format has version {0}; this engine reads version {VERSION}")]
    Version(u32),
    /// An architecture that this engine does not have.
    #[error("its architecture is `{0}`; this engine has `{PERSPECTIVE}`")]
    Architecture(String),
    /// It ends too early, or goes on too long.
    #[error("it has {found} bytes and should have {wanted}")]
    Size {
        /// Bytes in the file.
        found: usize,
        /// Bytes that it should have.
        wanted: usize,
    },
    /// Its content is not what was written.
    #[error("it is damaged: its checksum is {found:016x} and should be {wanted:016x}")]
    Checksum {
        /// Of the content.
        found: u64,
        /// The file's own.
        wanted: u64,
    },
    /// It is JSON, but no network.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// Its note is not text.
    #[error("its note is no text")]
    Note,
    /// Its weights make no network.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

impl Network {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or holds no network that this engine can use.
    pub fn read(path: &Path) -> Result<Network, FileError> {
        Network::read_with_note(path).map(|(network, _)| network)
    }

    /// The same, with the note on where the network comes from. Whether the file is a network as
    /// bytes or as JSON is told by its content.
    ///
    /// # Errors
    /// As [`Network::read`].
    pub fn read_with_note(path: &Path) -> Result<(Network, String), FileError> {
        let bytes = fs::read(path)
            .map_err(|source| FileError::Unreadable { path: path.to_owned(), source })?;
        if bytes.trim_ascii_start().starts_with(b"{") {
            return Network::from_json(&bytes);
        }
        Network::from_bytes(&bytes)
    }

    /// The network in the content of a file, and the note on where it comes from.
    ///
    /// # Errors
    /// When there is none that this engine can use.
    pub fn from_bytes(bytes: &[u8]) -> Result<(Network, String), FileError> {
        let mut reader = Reader { bytes, at: 0 };
        if !bytes.starts_with(&MAGIC) {
            return Err(FileError::Foreign);
        }
        reader.at = MAGIC.len();
        let version = u32::from_le_bytes(reader.take()?);
        if version != VERSION {
            return Err(FileError::Version(version));
        }
        let wanted = u64::from_le_bytes(reader.take()?);
        let found = checksum(&bytes[reader.at..]);
        let name = reader.take::<NAME_BYTES>()?;
        let name = String::from_utf8_lossy(&name).trim_end_matches('\0').to_owned();
        if name != PERSPECTIVE {
            // A damaged name is damage rather than an architecture of the future.
            let damaged = FileError::Checksum { found, wanted };
            return Err(if found == wanted { FileError::Architecture(name) } else { damaged });
        }
        let shape = reader.shape()?;
        let note = reader.note(&shape, found == wanted)?;
        reader.expect_end(&shape)?;
        if found != wanted {
            return Err(FileError::Checksum { found, wanted });
        }
        let note = String::from_utf8(note.to_vec()).map_err(|_| FileError::Note)?;
        Ok((Network::new(shape, &reader.weights(&shape))?, note))
    }

    /// The content of a file with this network and a note on where it comes from.
    pub fn to_bytes(&self, note: &str) -> Vec<u8> {
        let shape = self.shape();
        let mut name = [0; NAME_BYTES];
        name[..PERSPECTIVE.len()].copy_from_slice(PERSPECTIVE.as_bytes());
        let note = &note.as_bytes()[..note.floor_char_boundary(MOST_NOTE)];
        let mut content = Vec::with_capacity(rest(shape) + note.len() + 64);
        content.extend(name);
        content.extend((shape.hidden as u32).to_le_bytes());
        content.extend(u32::from(shape.mirroring).to_le_bytes());
        content.extend((shape.buckets as u32).to_le_bytes());
        content.extend(shape.inner_one.to_le_bytes());
        content.extend(shape.output_one.to_le_bytes());
        content.extend(shape.scale.to_le_bytes());
        content.extend((note.len() as u32).to_le_bytes());
        content.extend(note);
        let Weights { inner, inner_bias, output, output_bias } = self.weights();
        for layer in [inner, inner_bias, output] {
            content.extend(layer.into_iter().flat_map(i16::to_le_bytes));
        }
        content.extend(output_bias.into_iter().flat_map(i32::to_le_bytes));
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(checksum(&content).to_le_bytes());
        bytes.extend(content);
        bytes
    }
}

/// Bytes of the weights.
fn rest(shape: &Shape) -> usize {
    let Shape { hidden, buckets, .. } = *shape;
    2 * (INPUTS * hidden + hidden + buckets * 2 * hidden) + 4 * buckets
}

/// FNV-1a of 64 bits (G. Fowler, L. C. Noll, K.-P. Vo): finds damage, not intent.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], FileError> {
        let wanted = self.at + N;
        let found = self.bytes.len();
        let slice = self.bytes.get(self.at..wanted).ok_or(FileError::Size { found, wanted })?;
        self.at = wanted;
        Ok(slice.try_into().expect("as long as asked for"))
    }

    fn shape(&mut self) -> Result<Shape, FileError> {
        let hidden = u32::from_le_bytes(self.take()?) as usize;
        let mirroring = u32::from_le_bytes(self.take()?) != 0;
        let buckets = u32::from_le_bytes(self.take()?) as usize;
        let inner_one = i16::from_le_bytes(self.take()?);
        let output_one = i16::from_le_bytes(self.take()?);
        let scale = i32::from_le_bytes(self.take()?);
        let shape = Shape { hidden, mirroring, buckets, inner_one, output_one, scale };
        check_shape(&shape)?;
        Ok(shape)
    }

    fn note(&mut self, shape: &Shape, sound: bool) -> Result<&'a [u8], FileError> {
        let length = u32::from_le_bytes(self.take()?) as usize;
        if length > MOST_NOTE && !sound {
            return Err(FileError::Note);
        }
        let end = self.at.saturating_add(length);
        let wanted = end.saturating_add(rest(shape));
        let found = self.bytes.len();
        let note = self.bytes.get(self.at..end).ok_or(FileError::Size { found, wanted })?;
        self.at = end;
        Ok(note)
    }

    fn expect_end(&self, shape: &Shape) -> Result<(), FileError> {
        let (found, wanted) = (self.bytes.len(), self.at + rest(shape));
        if found == wanted { Ok(()) } else { Err(FileError::Size { found, wanted }) }
    }

    /// The weights of a file that is as long as they need.
    fn weights(mut self, shape: &Shape) -> Weights {
        let Shape { hidden, buckets, .. } = *shape;
        let mut layer = |count: usize| {
            let bytes = &self.bytes[self.at..self.at + 2 * count];
            self.at += 2 * count;
            bytes.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect()
        };
        let inner = layer(INPUTS * hidden);
        let inner_bias = layer(hidden);
        let output = layer(buckets * 2 * hidden);
        let bias = self.bytes[self.at..].chunks_exact(4);
        let output_bias =
            bias.map(|four| i32::from_le_bytes(four.try_into().expect("four bytes"))).collect();
        Weights { inner, inner_bias, output, output_bias }
    }
}
