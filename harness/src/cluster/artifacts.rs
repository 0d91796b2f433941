//! Engines and the files that their options name, by SHA-256: published by a coordinator, kept by
//! workers.
//!
//! Each run has a bucket of the object store with a name that cannot be guessed; it is in the run's
//! jobs. A worker reads the files of runs that it plays, and no others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::jetstream::object_store;
use rand::Rng;
use tokio::io::AsyncReadExt;

use super::ClusterError;
use super::link::Link;
use super::message::Artifacts;
use crate::player::{EngineSpec, Program, sha256};

/// How long a bucket is kept whose coordinator was killed.
const KEPT: Duration = Duration::from_secs(14 * 24 * 3600);

/// Publishes the programs of engines, and the files that their options name.
///
/// # Errors
/// When a file cannot be read, an engine depends on its folder, or the server refuses.
pub fn publish(link: &Link, engines: &[EngineSpec]) -> Result<Artifacts, ClusterError> {
    let mut paths = BTreeMap::new();
    let mut files = BTreeMap::new();
    for engine in engines {
        if let Program::Executable { path, sha256, dir, .. } = &engine.program {
            if dir.is_some() {
                return Err(ClusterError::OnlyHere { what: "an engine with a `dir`" });
            }
            paths.insert(sha256.clone(), path.clone());
        }
        for value in engine.options.values() {
            let path = PathBuf::from(value);
            // A relative one would mean the worker's own folder.
            if path.is_absolute() && path.is_dir() {
                return Err(ClusterError::OnlyHere { what: "an option that names a folder" });
            }
            if !path.is_file() {
                continue;
            }
            let hash = sha256(&path).map_err(|source| ClusterError::file("read", &path, source))?;
            files.insert(value.clone(), hash.clone());
            paths.insert(hash, path);
        }
    }
    let bucket = format!("tench-{:032x}", rand::rng().random::<u128>());
    let objects = paths.keys().cloned().collect();
    if !paths.is_empty() {
        store(link, &bucket, &paths)?;
    }
    Ok(Artifacts { bucket, objects, files })
}

/// Makes a bucket with files, by their SHA-256.
fn store(link: &Link, bucket: &str, paths: &BTreeMap<String, PathBuf>) -> Result<(), ClusterError> {
    let failed = |error: String| ClusterError::request("store the engines", error);
    let config = object_store::Config {
        bucket: bucket.to_owned(),
        max_age: KEPT,
        ..object_store::Config::default()
    };
    let store = link.wait(link.jetstream.create_object_store(config));
    let store = store.map_err(|error| failed(error.to_string()))?;
    for (hash, path) in paths {
        let content = fs::read(path).map_err(|source| ClusterError::file("read", path, source))?;
        let put = link.wait(store.put(hash.as_str(), &mut content.as_slice()));
        put.map_err(|error| failed(error.to_string()))?;
    }
    Ok(())
}

/// Removes the files of a run. That they are gone already is no error, nor a server that does not
/// answer: it forgets them in time.
pub fn remove(link: &Link, artifacts: &Artifacts) {
    if !artifacts.objects.is_empty() {
        let removed = link.wait(link.jetstream.delete_object_store(&artifacts.bucket));
        if let Err(error) = removed {
            tracing::debug!("cannot remove the bucket of a run: {error}");
        }
    }
}

/// A worker's files, by SHA-256.
pub struct Cache {
    folder: PathBuf,
    /// Files with the right content when this process looked at them first.
    verified: Mutex<BTreeSet<String>>,
}

impl Cache {
    /// In a folder, which is made when it is needed.
    pub fn new(folder: PathBuf) -> Cache {
        Cache { folder, verified: Mutex::default() }
    }

    /// The engine of a job with the files of this machine; those that are not there are fetched.
    ///
    /// # Errors
    /// When a file is not among those of the run, or cannot be fetched.
    pub fn engine(
        &self,
        link: &Link,
        artifacts: &Artifacts,
        engine: &EngineSpec,
    ) -> Result<EngineSpec, ClusterError> {
        let mut engine = engine.clone();
        if let Program::Executable { path, sha256, .. } = &mut engine.program {
            *path = self.file(link, artifacts, sha256)?;
        }
        for value in engine.options.values_mut() {
            if let Some(hash) = artifacts.files.get(value) {
                *value = self.file(link, artifacts, hash)?.to_string_lossy().into_owned();
            }
        }
        Ok(engine)
    }

    fn verified(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.verified.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn file(
        &self,
        link: &Link,
        artifacts: &Artifacts,
        hash: &str,
    ) -> Result<PathBuf, ClusterError> {
        let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let failed = |reason: String| ClusterError::request("send a file of the run", reason);
        if !is_hash || !artifacts.objects.contains(hash) {
            return Err(failed(format!("{hash} is not among them")));
        }
        let path = self.folder.join(hash);
        let named = |source| ClusterError::file("keep", &path, source);
        if path.is_file() {
            if self.verified().contains(hash) {
                return Ok(path);
            }
            if sha256(&path).map_err(named)? == hash {
                self.verified().insert(hash.to_owned());
                return Ok(path);
            }
        }
        let content = link.wait(async {
            let store = link.jetstream.get_object_store(&artifacts.bucket).await;
            let store = store.map_err(|error| failed(error.to_string()))?;
            let object = store.get(hash).await;
            let mut object = object.map_err(|error| failed(error.to_string()))?;
            let mut content = Vec::new();
            let read = object.read_to_end(&mut content).await;
            read.map_err(|error| failed(error.to_string()))?;
            Ok::<_, ClusterError>(content)
        })?;
        fs::create_dir_all(&self.folder).map_err(named)?;
        let part = self.folder.join(format!("{hash}.{:016x}.part", rand::rng().random::<u64>()));
        let kept = fs::write(&part, &content)
            .and_then(|()| fs::set_permissions(&part, fs::Permissions::from_mode(0o755)))
            .and_then(|()| {
                if sha256(&part)? == hash {
                    fs::rename(&part, &path)
                } else {
                    Err(io::Error::new(io::ErrorKind::InvalidData, "it has another SHA-256"))
                }
            });
        if kept.is_err() {
            // The first error is reported.
            let _ = fs::remove_file(&part);
        }
        kept.map_err(named)?;
        self.verified().insert(hash.to_owned());
        Ok(path)
    }
}
