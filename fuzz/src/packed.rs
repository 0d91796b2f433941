//! Compressed files.

use std::io::{ErrorKind, Read};
use std::path::Path;

use harness_base::input::{Compression, unpacked};

use crate::choice;

/// Limit of the decompressed size.
const MAX_BYTES: u64 = 1 << 20;

/// Zstandard, gzip, bzip2 or a text, by the first byte: decompressed or refused, in bounded time. A text is left as
/// it is, unless it begins as a compressed file does.
pub fn packed(data: &[u8]) {
    let Some((kind, bytes)) = choice(data) else { return };
    let name = ["x.zst", "x.gz", "x.bz2", "x.txt"][kind % 4];
    let mut content = Vec::new();
    match unpacked(Path::new(name), bytes).take(MAX_BYTES).read_to_end(&mut content) {
        Ok(length) => assert_eq!(length, content.len()),
        Err(error) => assert_ne!(error.kind(), ErrorKind::Interrupted),
    }
    if kind % 4 == 3 && Compression::of_content(bytes).is_none() {
        assert_eq!(content, &bytes[..bytes.len().min(MAX_BYTES as usize)]);
    }
}
