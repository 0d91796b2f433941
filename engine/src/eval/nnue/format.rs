//! A network as a file.
//!
//! All numbers are little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 4 | version of the format, 1 |
//! | 8 | checksum of everything after it (FNV-1a, 64 bits) |
//! | 16 | name of the architecture, padded with zeros: one of [`ARCHITECTURES`] |
//! | ... | its sizes and scales, those of [`Shape::sizes`] |
//! | 4, n | length of a note in UTF-8 on where the network comes from, and the note |
//! | ... | the layers, those of [`Shape::layers`], each its weights and then its biases |

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::file_error::{FileError, VERSION};
use super::layer::{Integer, Layer, LayerWeights, Weights};
use super::network::Network;
use super::shape::Shape;

/// How every file begins.
pub const MAGIC: [u8; 8] = *b"TENCHNET";
const NAME_BYTES: usize = 16;
/// What of a file shows whether it is a network.
const HEAD_BYTES: u64 = 1 << 12;
/// Longer notes are not written; a longer one in a file is damage.
const MAX_NOTE: usize = 1 << 16;

impl Network {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or holds no network that this engine can use.
    pub fn read(path: &Path) -> Result<Network, FileError> {
        Network::read_with_note(path).map(|(network, _)| network)
    }

    /// The same, with the note on where the network comes from. The content shows whether
    /// the file is binary or JSON.
    ///
    /// # Errors
    /// As [`Network::read`].
    pub fn read_with_note(path: &Path) -> Result<(Network, String), FileError> {
        let unreadable = |source| FileError::Unreadable { path: path.to_owned(), source };
        let mut file = File::open(path).map_err(unreadable)?;
        let mut bytes = Vec::new();
        file.by_ref().take(HEAD_BYTES).read_to_end(&mut bytes).map_err(unreadable)?;
        let is_json = bytes.trim_ascii_start().starts_with(b"{");
        // A device may have no end: what is no network is not read on.
        if is_json || bytes.starts_with(&MAGIC) {
            file.read_to_end(&mut bytes).map_err(unreadable)?;
        }
        if is_json { Network::from_json(&bytes) } else { Network::from_bytes(&bytes) }
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
        let Some(shape) = Shape::from_sizes(&name, |size| reader.integer(size.integer))? else {
            // A damaged name is damage rather than an architecture of the future.
            let damaged = FileError::Checksum { found, wanted };
            return Err(if found == wanted { FileError::Architecture(name) } else { damaged });
        };
        shape.check()?;
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
        name[..shape.name().len()].copy_from_slice(shape.name().as_bytes());
        let note = &note.as_bytes()[..note.floor_char_boundary(MAX_NOTE)];
        let mut content = Vec::with_capacity(shape.bytes() + note.len() + 64);
        content.extend(name);
        for (size, value) in shape.sizes() {
            put(&mut content, value as i32, size.integer);
        }
        content.extend((note.len() as u32).to_le_bytes());
        content.extend(note);
        for (layer, weights) in shape.layers().iter().zip(&self.weights().0) {
            weights
                .weights
                .iter()
                .for_each(|&weight| put(&mut content, weight, layer.weight.integer));
            weights.biases.iter().for_each(|&bias| put(&mut content, bias, layer.bias.integer));
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(checksum(&content).to_le_bytes());
        bytes.extend(content);
        bytes
    }
}

/// Writes a number that its kind of integer holds.
fn put(content: &mut Vec<u8>, number: i32, kind: Integer) {
    content.extend(&number.to_le_bytes()[..kind.bytes()]);
}

/// The number in the bytes of an integer, which is negative when the last bit is set.
fn number(bytes: &[u8]) -> i32 {
    let unsigned = bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
    let unused = 32 - 8 * bytes.len() as u32;
    (unsigned << unused).cast_signed() >> unused
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

    fn integer(&mut self, kind: Integer) -> Result<i64, FileError> {
        let number = match kind {
            Integer::I8 => number(&self.take::<1>()?),
            Integer::I16 => number(&self.take::<2>()?),
            Integer::I32 => number(&self.take::<4>()?),
        };
        Ok(number.into())
    }

    fn note(&mut self, shape: &Shape, sound: bool) -> Result<&'a [u8], FileError> {
        let length = u32::from_le_bytes(self.take()?) as usize;
        if length > MAX_NOTE && !sound {
            return Err(FileError::Note);
        }
        let end = self.at.saturating_add(length);
        let wanted = end.saturating_add(shape.bytes());
        let found = self.bytes.len();
        let note = self.bytes.get(self.at..end).ok_or(FileError::Size { found, wanted })?;
        self.at = end;
        Ok(note)
    }

    fn expect_end(&self, shape: &Shape) -> Result<(), FileError> {
        let found = self.bytes.len();
        let wanted = self.at + shape.bytes();
        if found == wanted { Ok(()) } else { Err(FileError::Size { found, wanted }) }
    }

    /// The weights of a file that is as long as they need.
    fn weights(mut self, shape: &Shape) -> Weights {
        let mut numbers = |count: usize, kind: Integer| {
            let bytes = &self.bytes[self.at..self.at + count * kind.bytes()];
            self.at += bytes.len();
            bytes.chunks_exact(kind.bytes()).map(number).collect()
        };
        let layer = |layer: Layer| LayerWeights {
            weights: numbers(layer.weights(), layer.weight.integer),
            biases: numbers(layer.biases, layer.bias.integer),
        };
        Weights(shape.layers().into_iter().map(layer).collect())
    }
}
