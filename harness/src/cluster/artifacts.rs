//! Engines and the files that their options name, by SHA-256: published by a coordinator, kept by
//! workers.
//!
//! Each run has a bucket of the object store with a name that cannot be guessed; it is in the run's
//! jobs. A worker reads the files of runs that it plays, and no others.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_nats::jetstream::object_store;
use rand::Rng;
use tokio::io::AsyncReadExt;

use super::ClusterError;
use super::link::Link;
use super::message::Shared;
use crate::player::{EngineSpec, Program, sha256};

/// How long a bucket is kept whose coordinator was killed.
const KEPT: Duration = Duration::from_secs(14 * 24 * 3600);

/// The files of a run in the object store. Removed by [`Published::remove`].
#[derive(Clone, Debug)]
pub struct Published {
    /// The bucket.
    pub bucket: String,
    /// Names of the objects, by the SHA-256 of the file.
    pub objects: BTreeMap<String, String>,
    /// SHA-256 of the files that options name, by the option's value.
    pub files: BTreeMap<String, String>,
}

impl Published {
    /// Publishes the programs of engines, and the files that their options name.
    ///
    /// # Errors
    /// When a file cannot be read, an engine depends on its folder, or the server refuses.
    pub fn new(link: &Link, engines: &[EngineSpec]) -> Result<Published, ClusterError> {
        let mut paths = BTreeMap::new();
        let mut files = BTreeMap::new();
        for engine in engines {
            if let Program::Executable { path, sha256, dir, .. } = &engine.program {
                if dir.is_some() {
                    return Err(ClusterError::OnlyHere { what: "an engine with a `dir`" });
                }
                paths.insert(sha256.clone(), path.clone());
            }
            for value in engine.options.values().filter(|value| Path::new(value).is_file()) {
                let path = PathBuf::from(value);
                let hash =
                    sha256(&path).map_err(|source| ClusterError::file("read", &path, source))?;
                files.insert(value.clone(), hash.clone());
                paths.insert(hash, path);
            }
        }
        let bucket = format!("tench-{:032x}", rand::rng().random::<u128>());
        let failed = |error: String| ClusterError::request("store the engines", error);
        let mut objects = BTreeMap::new();
        if !paths.is_empty() {
            let config = object_store::Config {
                bucket: bucket.clone(),
                max_age: KEPT,
                ..Default::default()
            };
            let store = link.wait(link.jetstream.create_object_store(config));
            let store = store.map_err(|error| failed(error.to_string()))?;
            for (hash, path) in paths {
                let content =
                    fs::read(&path).map_err(|source| ClusterError::file("read", &path, source))?;
                let put = link.wait(store.put(hash.as_str(), &mut content.as_slice()));
                put.map_err(|error| failed(error.to_string()))?;
                objects.insert(hash.clone(), hash);
            }
        }
        Ok(Published { bucket, objects, files })
    }

    /// Removes the bucket. That it is gone already is no error, nor a server that does not answer:
    /// it forgets the files in time.
    pub fn remove(&self, link: &Link) {
        if !self.objects.is_empty() {
            let removed = link.wait(link.jetstream.delete_object_store(&self.bucket));
            if let Err(error) = removed {
                tracing::debug!("cannot remove the bucket of a run: {error}");
            }
        }
    }
}

/// A worker's files, by SHA-256.
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// In a folder, which is made when it is needed.
    pub fn new(folder: PathBuf) -> Cache {
        Cache { folder }
    }

    /// Where files are kept.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The engine of a job with the files of this machine; those that are not there are fetched.
    ///
    /// # Errors
    /// When a file is not among those of the run, or cannot be fetched.
    pub fn engine(
        &self,
        link: &Link,
        shared: &Shared,
        engine: &EngineSpec,
    ) -> Result<EngineSpec, ClusterError> {
        let mut engine = engine.clone();
        if let Program::Executable { path, sha256, .. } = &mut engine.program {
            *path = self.file(link, shared, sha256)?;
        }
        for value in engine.options.values_mut() {
            if let Some(hash) = shared.files.get(value) {
                *value = self.file(link, shared, hash)?.to_string_lossy().into_owned();
            }
        }
        Ok(engine)
    }

    fn file(&self, link: &Link, shared: &Shared, hash: &str) -> Result<PathBuf, ClusterError> {
        let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let object = shared.objects.get(hash).filter(|_| is_hash);
        let failed = |reason: String| ClusterError::request("send a file of the run", reason);
        let object = object.ok_or_else(|| failed(format!("{hash} is not among them")))?;
        let path = self.folder.join(hash);
        let named = |source| ClusterError::file("keep", &path, source);
        if path.is_file() {
            // Written at once and never changed by us; another program may have.
            if sha256(&path).map_err(named)? == hash {
                return Ok(path);
            }
        }
        let content = link.wait(async {
            let store = link.jetstream.get_object_store(&shared.bucket).await;
            let store = store.map_err(|error| failed(error.to_string()))?;
            let object = store.get(object).await;
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
        Ok(path)
    }
}
