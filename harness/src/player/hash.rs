//! SHA-256 of programs and of short texts.

use std::fs::File;
use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};

/// SHA-256 of a file, in hex.
///
/// # Errors
/// When it cannot be read.
pub fn sha256(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    io::copy(&mut File::open(path)?, &mut hasher)?;
    Ok(format!("{:x}", hasher.finalize()))
}

/// Twelve hex digits that stand for a text.
pub(super) fn short_hash(text: &[u8]) -> String {
    format!("{:x}", Sha256::digest(text))[..12].to_owned()
}
