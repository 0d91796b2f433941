//! Engines that a worker builds itself, each once.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use rand::Rng;
use sha2::{Digest, Sha256};

use super::manifest::Sources;
use super::sandbox::{BUILD, Sandbox};
use super::{ClusterError, folders};
use harness_base::platform;
use harness_base::session::Interrupt;
use harness_base::sync::lock;
use harness_base::text;
use harness_player::{self as player, CaptureError, capture};

/// A build that takes longer counts as hung.
const BUILD_TIMEOUT: Duration = Duration::from_secs(3600);

/// Last lines of a failed build that are sent to the coordinator.
const LOG_LINES: usize = 8;

/// Builds engines in a sandbox, and keeps them by sources, recipe and features of the processor.
pub struct Builds {
    /// Where programs are kept.
    folder: PathBuf,
    sandbox: Sandbox,
    /// Whether builds may use the network.
    network: bool,
    /// Why there is no program, by its file name: a build is not tried again.
    failed: Mutex<BTreeMap<String, String>>,
}

impl Builds {
    /// In the folder of a worker's files.
    pub fn new(folder: PathBuf, sandbox: Sandbox, network: bool) -> Builds {
        let builds = Builds { folder, sandbox, network, failed: Mutex::default() };
        builds.remove_left();
        builds
    }

    /// Removes the folders of builds that ended with their worker. What another worker builds is locked.
    fn remove_left(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let file = name.strip_suffix(".build").and_then(|name| name.rsplit_once('.'));
            let Some((file, _)) = file else { continue };
            let lock = fs::File::create(self.folder.join(format!("{file}.lock")));
            let Some(_locked) = lock.ok().filter(|lock| lock.try_lock().is_ok()) else { continue };
            if let Err(error) = fs::remove_dir_all(entry.path()) {
                tracing::warn!("cannot remove {}: {error}", entry.path().display());
            }
        }
    }

    fn failed(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        lock(&self.failed)
    }

    /// The program of an engine of this name; it is built from a packed folder if it was not before.
    ///
    /// # Errors
    /// When it cannot be built, now or earlier, or an interrupt ends the build.
    pub fn program(
        &self,
        engine: &str,
        sources: &Sources,
        packed: &Path,
        interrupt: &Interrupt,
    ) -> Result<PathBuf, ClusterError> {
        let file = file_name(sources);
        let program = self.folder.join(&file);
        let named = |source| ClusterError::file("keep", &program, source);
        let lock = self.folder.join(format!("{file}.lock"));
        // Another core, or another worker with the same folder, may be building it.
        let locked = player::lock(&lock, interrupt, || ())
            .map_err(|source| ClusterError::file("lock", &lock, source))?;
        let _locked = locked.ok_or(ClusterError::Interrupted)?;
        let not_built = |reason| ClusterError::NotBuilt { engine: engine.to_owned(), reason };
        if program.is_file() {
            return Ok(program);
        }
        if let Some(reason) = self.failed().get(&file) {
            return Err(not_built(reason.clone()));
        }
        tracing::info!("building {engine}");
        let folder = self.folder.join(format!("{file}.{:016x}.build", rand::rng().random::<u64>()));
        let built = self.build(sources, packed, &folder, interrupt).and_then(|built| {
            let part = folder.join("program");
            fs::copy(built, &part)?;
            platform::make_program(&part)?;
            Ok(fs::rename(&part, &program)?)
        });
        let removed = fs::remove_dir_all(&folder);
        match built {
            Ok(()) => removed.map(|()| program.clone()).map_err(named),
            Err(NotBuilt::Interrupted) => Err(ClusterError::Interrupted),
            Err(NotBuilt::Failed(reason)) => {
                self.failed().insert(file, reason.clone());
                Err(not_built(reason))
            }
            Err(NotBuilt::Files(source)) => Err(named(source)),
        }
    }

    /// Builds in a folder; gives the program that is left in it.
    fn build(
        &self,
        sources: &Sources,
        packed: &Path,
        folder: &Path,
        interrupt: &Interrupt,
    ) -> Result<PathBuf, NotBuilt> {
        if !sources.recipe.files().is_empty() {
            return Err(NotBuilt::Failed(
                "its build keeps files beside the program (`files` in harness.yaml), and workers keep \
                 the program alone: play it in one process, with `--on here`"
                    .to_owned(),
            ));
        }
        let tree = folder.join("tree");
        folders::unpack(&fs::read(packed)?, &tree)?;
        share(&tree)?;
        let crates = self.folder.join("crates");
        if self.network {
            fs::create_dir_all(&crates)?;
            platform::make_writable(&crates)?;
        }
        let command = sources.recipe.command(&tree);
        let command = self.sandbox.around_build(command, &tree, self.network.then_some(&*crates));
        let done = capture(command, BUILD_TIMEOUT, interrupt, &mut |_| ());
        let done = done.map_err(|error| match error {
            CaptureError::Interrupted => NotBuilt::Interrupted,
            error => NotBuilt::Failed(error.to_string()),
        })?;
        let recipe = &sources.recipe;
        if !done.status.success() {
            let printed = if recipe.is_cargo() { "" } else { &*done.stdout };
            let end = text::last_lines(&format!("{printed}\n{}", done.stderr), LOG_LINES);
            return Err(NotBuilt::Failed(format!("`{recipe}` ended with {}:\n{end}", done.status)));
        }
        // Cargo names the program as it sees it.
        let seen = format!("\"{BUILD}/");
        let messages = folder.join("messages");
        fs::write(&messages, done.stdout.replace(&seen, &format!("\"{}/", tree.display())))?;
        let program = recipe.binary(&tree, &messages);
        if !platform::is_program(&program) {
            let missing = program.strip_prefix(&tree).unwrap_or(&program).display();
            return Err(NotBuilt::Failed(format!("`{recipe}` left no program {missing}")));
        }
        Ok(program)
    }
}

/// Why there is no program.
enum NotBuilt {
    Interrupted,
    Failed(String),
    Files(io::Error),
}

impl From<io::Error> for NotBuilt {
    fn from(error: io::Error) -> NotBuilt {
        NotBuilt::Files(error)
    }
}

/// Under which name the program is kept.
fn file_name(sources: &Sources) -> String {
    let Sources { folder, recipe } = sources;
    let recipe = serde_json::to_string(recipe).expect("a recipe is plain data");
    let what = format!("{folder}\n{recipe}\n{}", platform::processor_features());
    format!("built-{:.32}", format!("{:x}", Sha256::digest(what)))
}

/// Lets a build write the folder and what is in it: in a sandbox it may be another user.
fn share(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { share(&path)? } else { platform::make_writable(&path)? }
    }
    platform::make_writable(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_builds_that_ended_are_removed_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["built-a.01.build", "built-b.02.build", "strange.build", "built-c"] {
            fs::create_dir_all(at(name).join("tree/target")).unwrap();
        }
        let lock = fs::File::create(at("built-b.lock")).unwrap();
        lock.lock().unwrap();
        Builds::new(folder.path().to_owned(), Sandbox::None, false);
        let left = |name: &str| at(name).exists();
        assert!(!left("built-a.01.build") && left("built-b.02.build"));
        assert!(left("strange.build") && left("built-c"));
    }
}
