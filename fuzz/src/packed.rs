//! Compressed files.

use std::io::{ErrorKind, Read};
use std::path::Path;

use harness_base::input::unpacked;

use crate::choice;

/// Limit of the decompressed size.
const MAX_BYTES: u64 = 1 << 20;

/// Zstandard, gzip or bzip2, by the first byte: decompressed or refused, in bounded time.
pub fn packed(data: &[u8]) {
    let Some((kind, bytes)) = choice(data) else { return };
    let name = ["x.zst", "x.gz", "x.bz2", "x.txt"][kind % 4];
    let mut content = Vec::new();
    match unpacked(Path::new(name), bytes).take(MAX_BYTES).read_to_end(&mut content) {
        Ok(length) => assert_eq!(length, content.len()),
        Err(error) => assert_ne!(error.kind(), ErrorKind::Interrupted),
    }
    if kind % 4 == 3 {
        assert_eq!(content, &bytes[..bytes.len().min(MAX_BYTES as usize)]);
    }
}
