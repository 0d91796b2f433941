//! A worker's key, by which its results and its status are signed (Ed25519).

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

use async_nats::HeaderMap;
use nkeys::KeyPair;

use super::ClusterError;
use super::message::{KEY, SIGNATURE};
use harness_base::files::write_private;

/// A worker's key pair.
pub struct WorkerKey {
    pair: KeyPair,
    /// The lock of its file, as long as it is in use.
    _held: Option<File>,
}

impl WorkerKey {
    /// A new one.
    pub fn random() -> WorkerKey {
        WorkerKey { pair: KeyPair::new_user(), _held: None }
    }

    /// The first one of a folder that no other process uses: workers that share a folder, as those of a cluster with one home
    /// for all machines, have different keys.
    ///
    /// # Errors
    /// When the folder or a file in it cannot be made, read or locked, or a file holds no key.
    pub fn of_folder(folder: &Path) -> Result<WorkerKey, ClusterError> {
        let mut number = 1;
        loop {
            let name = if number == 1 { "key".to_owned() } else { format!("key-{number}") };
            let path = folder.join(name);
            let held = locked(&path).map_err(|source| ClusterError::file("lock", &path, source))?;
            if held.is_some() {
                return Ok(WorkerKey { _held: held, ..WorkerKey::of_file(&path)? });
            }
            number += 1;
        }
    }

    /// The one in a file, which is made if it is not there; only its owner may read it.
    fn of_file(path: &Path) -> Result<WorkerKey, ClusterError> {
        let failed = |what, source| ClusterError::file(what, path, source);
        let seed = match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            read => read.map_err(|source| failed("read", source))?,
        };
        // An empty one was left by a full disk.
        if seed.trim().is_empty() {
            let key = WorkerKey::random();
            let seed = key.pair.seed().map_err(io::Error::other);
            let written = seed.and_then(|seed| write_private(path, format!("{seed}\n").as_bytes()));
            return written.map(|()| key).map_err(|source| failed("write", source));
        }
        let pair = KeyPair::from_seed(seed.trim()).map_err(|error| {
            let source = io::Error::new(io::ErrorKind::InvalidData, error.to_string());
            failed("read the key in", source)
        })?;
        Ok(WorkerKey { pair, _held: None })
    }

    /// The public key, in letters and digits.
    pub fn public(&self) -> String {
        self.pair.public_key()
    }

    /// The signature of a message, in hex.
    pub fn sign(&self, message: &[u8]) -> String {
        // Only a public key cannot sign, and this is a pair.
        let signature = self.pair.sign(message).expect("a key pair can sign");
        signature.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The headers of a message that it signs.
    pub fn headers(&self, message: &[u8]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(KEY, self.public());
        headers.insert(SIGNATURE, self.sign(message));
        headers
    }
}

/// Locks a key for this process, in a folder that is made if it is not there; `None` while another one has it.
fn locked(key: &Path) -> io::Result<Option<File>> {
    key.parent().map_or(Ok(()), fs::create_dir_all)?;
    let lock = File::create(key.with_extension("lock"))?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// The public key that a message claims to be signed with, and the signature.
pub fn claimed(headers: Option<&HeaderMap>) -> (&str, &str) {
    let header = |name| headers.and_then(|headers| headers.get(name)).map(|it| it.as_str());
    (header(KEY).unwrap_or("?"), header(SIGNATURE).unwrap_or_default())
}

/// Public keys that have signed before: reading one takes as long as a third of a check.
#[derive(Default)]
pub struct Keyring(BTreeMap<String, KeyPair>);

impl Keyring {
    /// Most keys that are kept; anybody with a worker's token can make new ones.
    const MAX_KEYS: usize = 100_000;

    /// Whether a signature in hex is that of a message by the owner of a public key.
    pub fn is_signed(&mut self, public: &str, message: &[u8], signature: &str) -> bool {
        let digits = |at: usize| u8::from_str_radix(signature.get(at..at + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> = (0..signature.len()).step_by(2).map(digits).collect();
        let Some(bytes) = bytes else { return false };
        if let Some(key) = self.0.get(public) {
            return key.verify(message, &bytes).is_ok();
        }
        let Ok(key) = KeyPair::from_public_key(public) else { return false };
        let is_signed = key.verify(message, &bytes).is_ok();
        if is_signed {
            if self.0.len() >= Keyring::MAX_KEYS {
                self.0.clear();
            }
            self.0.insert(public.to_owned(), key);
        }
        is_signed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_of_one_message_by_one_key() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("worker.key");
        let key = WorkerKey::of_file(&file).unwrap();
        assert_eq!(WorkerKey::of_file(&file).unwrap().public(), key.public());
        let signature = key.sign(b"a result");
        let mut keys = Keyring::default();
        let mut is_signed = |public: &str, message: &[u8], signature: &str| {
            keys.is_signed(public, message, signature)
        };
        assert!(is_signed(&key.public(), b"a result", &signature));
        assert!(!is_signed(&key.public(), b"another", &signature));
        assert!(!is_signed(&WorkerKey::random().public(), b"a result", &signature));
        for damaged in ["", "zz", &signature[1..], &signature[2..]] {
            assert!(!is_signed(&key.public(), b"a result", damaged));
        }
        fs::write(&file, "").unwrap();
        let again = WorkerKey::of_file(&file).unwrap();
        assert_eq!(WorkerKey::of_file(&file).unwrap().public(), again.public());
        let shared = folder.path().join("shared");
        let [first, second] = [0, 1].map(|_| WorkerKey::of_folder(&shared).unwrap());
        assert_ne!(first.public(), second.public());
        let public = first.public();
        drop(first);
        // A program that another test is just starting has the lock for a moment, too.
        let is_first = |_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            WorkerKey::of_folder(&shared).unwrap().public() == public
        };
        assert!((0..100).any(is_first));
        fs::write(&file, "no key").unwrap();
        assert!(WorkerKey::of_file(&file).is_err());
    }
}
