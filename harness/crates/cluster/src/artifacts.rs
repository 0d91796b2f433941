//! Engines or their sources, and the files that options name, by SHA-256: published by a coordinator,
//! kept by workers.
//!
//! The files of a run are in a [`store`] with a name that cannot be guessed; it is in the run's jobs. A
//! worker reads the files of runs that it plays, and no others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use rand::Rng;
use sha2::{Digest, Sha256};

use super::builds::Builds;
use super::link::Link;
use super::manifest::{Artifacts, Sources, WrongBench};
use super::offer::Offer;
use super::sandbox::Sandbox;
use super::{ClusterError, benches, folders, store};
use harness_base::config::Config;
use harness_base::platform;
use harness_base::session::Interrupt;
use harness_base::sync::lock;
use harness_player::{BuildRecipe, EngineSpec, Program, Revision, sha256, with_sources};

/// A file for the store.
enum Content {
    File(PathBuf),
    /// A packed folder.
    Packed(Vec<u8>),
}

/// Publishes the programs of engines, their working folders, and the files that their options name;
/// notes which tablebases they and the rules of the games (`tables`) need. With `sources`, workers get the sources of revisions in
/// place of their programs. `benches` are those that workers check.
///
/// # Errors
/// When a file cannot be read, an option names a folder, a revision cannot be checked out, or the server
/// refuses.
pub fn publish(
    link: &Link,
    engines: &[EngineSpec],
    tables: Option<&str>,
    sources: bool,
    benches: BTreeMap<String, u64>,
    interrupt: &Interrupt,
) -> Result<Artifacts, ClusterError> {
    let mut contents = BTreeMap::new();
    let (mut files, mut dirs, mut tablebases, mut built) = Default::default();
    if let Some(folders) = tables {
        note_tablebases(folders, &mut tablebases);
    }
    for engine in engines {
        if let Program::Executable { path, sha256, dir, revision, .. } = &engine.program {
            match revision {
                Some(Revision { asked, commit: Some(commit) }) if sources => {
                    let (recipe, packed) = packed_sources(asked, commit, interrupt)?;
                    let folder = format!("{:x}", Sha256::digest(&packed));
                    contents.insert(folder.clone(), Content::Packed(packed));
                    BTreeMap::insert(&mut built, sha256.clone(), Sources { folder, recipe });
                }
                _ => {
                    contents.insert(sha256.clone(), Content::File(path.clone()));
                }
            }
            if let Some(dir) = dir {
                let packed = folders::pack(dir);
                let packed = packed.map_err(|source| ClusterError::file("send", dir, source))?;
                let hash = format!("{:x}", Sha256::digest(&packed));
                BTreeMap::insert(&mut dirs, dir.clone(), hash.clone());
                contents.insert(hash, Content::Packed(packed));
            }
        }
        for value in engine.options.values() {
            // A relative one would mean the worker's own folder.
            if value.starts_with('/') {
                note_tablebases(value, &mut tablebases);
            }
            let path = PathBuf::from(value);
            if path.is_absolute() && path.is_dir() && !tablebases.contains_key(value) {
                return Err(ClusterError::OnlyHere {
                    what: "an option that names a folder without tablebases",
                });
            }
            if !path.is_file() {
                continue;
            }
            let hash = sha256(&path).map_err(|source| ClusterError::file("read", &path, source))?;
            BTreeMap::insert(&mut files, value.clone(), hash.clone());
            contents.insert(hash, Content::File(path));
        }
    }
    let secret = format!("{:032x}", rand::rng().random::<u128>());
    let objects = store_all(link, &secret, contents)?;
    let folders = dirs;
    let sources = built;
    Ok(Artifacts { secret, objects, files, folders, tablebases, sources, benches })
}

/// How a commit is built, and its sources as one file.
fn packed_sources(
    asked: &str,
    commit: &str,
    interrupt: &Interrupt,
) -> Result<(BuildRecipe, Vec<u8>), ClusterError> {
    // What is wrong with it was said when the engine was built here.
    let config = Config::find().unwrap_or_default();
    with_sources(asked, commit, &config, interrupt, |folder, recipe| {
        let packed = folders::pack(folder);
        packed.map(|packed| (recipe, packed)).map_err(|it| ClusterError::file("send", folder, it))
    })?
}

/// Notes folders if there are tablebases in them.
fn note_tablebases(folders: &str, tablebases: &mut BTreeMap<String, String>) {
    if let Some(hash) = folders::tables_hash(folders) {
        tablebases.insert(folders.to_owned(), hash);
    }
}

/// Stores files, by their SHA-256; gives the bytes of each.
fn store_all(
    link: &Link,
    secret: &str,
    contents: BTreeMap<String, Content>,
) -> Result<BTreeMap<String, u64>, ClusterError> {
    let mut objects = BTreeMap::new();
    if contents.is_empty() {
        return Ok(objects);
    }
    store::make(link, secret)?;
    for (hash, content) in contents {
        let content = match content {
            Content::Packed(packed) => packed,
            Content::File(path) => {
                fs::read(&path).map_err(|source| ClusterError::file("read", &path, source))?
            }
        };
        objects.insert(hash.clone(), content.len() as u64);
        store::put(link, secret, &hash, &content)?;
    }
    Ok(objects)
}

/// Removes the files of a run from the server, if it has any.
pub fn remove(link: &Link, artifacts: &Artifacts) {
    if !artifacts.objects.is_empty() {
        store::remove(link, &artifacts.secret);
    }
}

/// A worker's files, by SHA-256.
pub struct Cache {
    folder: PathBuf,
    /// Files with the right content when this process looked at them first.
    verified: Mutex<BTreeSet<String>>,
    /// Folders of tablebases on this machine, separated as in PATH.
    tablebases: Option<String>,
    /// Hash of their list.
    tables_hash: Option<String>,
    sandbox: Sandbox,
    builds: Builds,
    /// Programs whose bench is another one than the coordinator's.
    refused: Mutex<BTreeMap<(PathBuf, u64), WrongBench>>,
}

impl Cache {
    /// The cache of a worker.
    pub fn new(offer: &Offer) -> Cache {
        let folder = offer.cache.clone();
        let tablebases = offer.syzygy.clone();
        let tables_hash = tablebases.as_deref().and_then(folders::tables_hash);
        let sandbox = offer.sandbox.clone();
        let builds = Builds::new(folder.clone(), sandbox.clone(), offer.build_network);
        let (verified, refused) = Default::default();
        Cache { folder, verified, tablebases, tables_hash, sandbox, builds, refused }
    }

    /// Whether the tablebases of a run are here.
    pub fn has_tablebases(&self, artifacts: &Artifacts) -> bool {
        artifacts.tablebases.values().all(|hash| Some(hash) == self.tables_hash.as_ref())
    }

    /// The folders of tablebases on this machine.
    pub fn tablebases(&self) -> Option<&str> {
        self.tablebases.as_deref()
    }

    /// The working folder of an engine; it is fetched if it is not there.
    fn folder(
        &self,
        link: &Link,
        artifacts: &Artifacts,
        dir: &Path,
        interrupt: &Interrupt,
    ) -> Result<PathBuf, ClusterError> {
        let failed = |what: &str| ClusterError::request("send a folder of the run", what);
        let hash = artifacts.folders.get(dir).ok_or_else(|| failed("it is not among them"))?;
        let packed = self.file(link, artifacts, hash, interrupt)?;
        let unpacked = self.folder.join(format!("{hash}.folder"));
        let named = |source| ClusterError::file("keep", &unpacked, source);
        if unpacked.is_dir() {
            return Ok(unpacked);
        }
        let part = self.folder.join(format!("{hash}.{:016x}.part", rand::rng().random::<u64>()));
        let content = fs::read(packed).map_err(named)?;
        folders::unpack(&content, &part).map_err(named)?;
        // Another core may have been faster.
        if fs::rename(&part, &unpacked).is_err() {
            fs::remove_dir_all(&part).map_err(named)?;
        }
        Ok(unpacked)
    }

    /// The program of an engine, fetched or built here, with the bench that it should have.
    fn program(
        &self,
        link: &Link,
        artifacts: &Artifacts,
        (engine, sha256): (&str, &str),
        interrupt: &Interrupt,
    ) -> Result<PathBuf, ClusterError> {
        let program = match artifacts.sources.get(sha256) {
            Some(sources) => {
                let packed = self.file(link, artifacts, &sources.folder, interrupt)?;
                self.builds.program(engine, sources, &packed, interrupt)?
            }
            None => self.file(link, artifacts, sha256, interrupt)?,
        };
        let Some(&expected) = artifacts.benches.get(sha256) else { return Ok(program) };
        // One core runs it; those that wait find that it did.
        let mut refused = lock(&self.refused);
        let key = (program, expected);
        if let Some(wrong) = refused.get(&key) {
            return Err(ClusterError::WrongBench(wrong.clone()));
        }
        let checked = benches::check(&key.0, (engine, sha256), expected, &self.sandbox, interrupt);
        if let Err(ClusterError::WrongBench(wrong)) = &checked {
            refused.insert(key.clone(), wrong.clone());
        }
        checked.map(|()| key.0)
    }

    /// The engine of a job with the files of this machine; those that are not there are fetched, or built.
    ///
    /// # Errors
    /// When a file is not among those of the run, cannot be fetched or built, or is another engine here.
    pub fn engine(
        &self,
        link: &Link,
        artifacts: &Artifacts,
        engine: &EngineSpec,
        interrupt: &Interrupt,
    ) -> Result<EngineSpec, ClusterError> {
        let mut engine = engine.clone();
        if let Program::Executable { path, sha256, dir, .. } = &mut engine.program {
            *path = self.program(link, artifacts, (&engine.name, sha256), interrupt)?;
            if let Some(dir) = dir {
                *dir = self.folder(link, artifacts, dir, interrupt)?;
            }
        }
        for value in engine.options.values_mut() {
            if artifacts.tablebases.contains_key(value) {
                // The same tables, as the worker has found.
                *value = self.tablebases.clone().unwrap_or_default();
            } else if let Some(hash) = artifacts.files.get(value) {
                let file = self.file(link, artifacts, hash, interrupt)?;
                *value = file.to_string_lossy().into_owned();
            }
        }
        Ok(engine)
    }

    fn verified(&self) -> MutexGuard<'_, BTreeSet<String>> {
        lock(&self.verified)
    }

    fn file(
        &self,
        link: &Link,
        artifacts: &Artifacts,
        hash: &str,
        interrupt: &Interrupt,
    ) -> Result<PathBuf, ClusterError> {
        let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let failed = |reason: String| ClusterError::request("send a file of the run", reason);
        if !is_hash || !artifacts.objects.contains_key(hash) {
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
        fs::create_dir_all(&self.folder).map_err(named)?;
        let part = self.folder.join(format!("{hash}.{:016x}.part", rand::rng().random::<u64>()));
        let kept = store::fetch(link, artifacts, hash, &part, interrupt).and_then(|()| {
            let kept = platform::make_program(&part).and_then(|()| {
                if sha256(&part)? == hash {
                    fs::rename(&part, &path)
                } else {
                    Err(io::Error::new(io::ErrorKind::InvalidData, "it has another SHA-256"))
                }
            });
            kept.map_err(named)
        });
        if kept.is_err() {
            // The first error is reported.
            let _ = fs::remove_file(&part);
        }
        kept?;
        self.verified().insert(hash.to_owned());
        Ok(path)
    }
}
