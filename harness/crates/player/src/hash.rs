//! SHA-256 of programs and of short texts.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{LazyLock, Mutex};

use sha2::{Digest, Sha256};

use harness_base::platform;
use harness_base::sync::lock;

/// Hashes of this process by the state of the file: an engine may be named several times in a command,
/// and is looked at again by its parts.
static KNOWN: LazyLock<Mutex<HashMap<[u64; 5], String>>> = LazyLock::new(Mutex::default);

/// SHA-256 of a file, in hex.
///
/// # Errors
/// When it cannot be read.
pub fn sha256(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let state = platform::file_state(&file.metadata()?);
    let known = || lock(&KNOWN);
    if let Some(state) = state
        && let Some(hash) = known().get(&state)
    {
        return Ok(hash.clone());
    }
    let mut hasher = Sha256::new();
    io::copy(&mut file, &mut hasher)?;
    let hash = format!("{:x}", hasher.finalize());
    // A file that changed meanwhile has another state.
    if state.is_some() && state == platform::file_state(&file.metadata()?) {
        known().extend(state.map(|state| (state, hash.clone())));
    }
    Ok(hash)
}

/// Twelve hex digits that stand for a text.
pub(super) fn short_hash(text: &[u8]) -> String {
    format!("{:x}", Sha256::digest(text))[..12].to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_changes_has_another_hash_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("engine");
        let mut hashes = Vec::new();
        for content in ["one", "two", "one"] {
            fs::write(&path, content).expect("written");
            hashes.push(sha256(&path).expect("read"));
        }
        assert_eq!(hashes[0], hashes[2]);
        assert_ne!(hashes[0], hashes[1]);
        let program = std::env::current_exe().expect("this program");
        assert_eq!(sha256(&program).expect("read"), sha256(&program).expect("read again"));
    }
}
