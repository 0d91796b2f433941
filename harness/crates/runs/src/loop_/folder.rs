//! The folder of a generation. A step whose last file is there is done.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use harness_base::files::write_atomically;
use harness_base::hint::reports_command;
use harness_data::StateError;
use harness_ledger::Run;

/// Its games.
pub const GAMES: &str = "train.games";

/// Completes the files of positions: [`Played`](harness_outcome::loop_summary::Played).
pub const PLAYED: &str = "played.json";

/// Positions of the training set and of the validation set, without extension.
pub const POSITIONS: [&str; 2] = ["train", "validation"];

/// The same of all generations in use, while a network is trained.
pub const MERGED: [&str; 2] = ["all-train", "all-validation"];

/// Names of files of positions with those that earlier versions gave them.
const FORMER_NAMES: [[&str; 2]; 4] = [
    ["train", "learn"],
    ["validation", "judge"],
    ["all-train", "all-learn"],
    ["all-validation", "all-judge"],
];

/// The merged training set before it is shuffled.
pub const UNSHUFFLED: &str = "all-unshuffled";

/// The state of the training.
pub const CHECKPOINT: &str = "net.checkpoint";

/// The network.
pub const NETWORK: &str = "net.nnue";

/// Completes the network: [`Trained`](harness_outcome::loop_summary::Trained).
pub const TRAINED: &str = "net.json";

/// The id of the run of the test.
pub const TEST: &str = "test";

/// Its cost so far: [`Cost`](harness_outcome::loop_summary::Cost).
pub const COST: &str = "cost.json";

/// Completes the generation: [`Generation`](harness_outcome::loop_summary::Generation).
pub const DONE: &str = "generation.json";

/// The name of a file of one of several trainings, from 0: the first one has the plain name.
pub fn of_training(name: &str, training: u32) -> String {
    match (name.split_once('.'), training) {
        (Some((stem, ending)), 1..) => format!("{stem}-{}.{ending}", training + 1),
        _ => name.to_owned(),
    }
}

/// Where the folder of a generation is in that of its run.
pub fn path_of(run: &Path, generation: u32) -> PathBuf {
    // Absolute: networks in it become values of an engine's option.
    absolute(run).join(format!("generation-{generation:03}"))
}

/// The folder of a generation.
pub struct Folder {
    path: PathBuf,
    /// Extension of the files of positions.
    ending: &'static str,
}

impl Folder {
    /// The folder of a generation of a run, with files of positions of this extension.
    pub fn create(run: &Run, generation: u32, ending: &'static str) -> Result<Folder, StateError> {
        let path = path_of(run.folder(), generation);
        fs::create_dir_all(&path).map_err(unusable("make", &path))?;
        Ok(Folder { path, ending })
    }

    /// A file.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// A file of positions; under its former name where an earlier version wrote it.
    pub fn positions(&self, name: &str) -> PathBuf {
        let path = |name: &str| self.file(&format!("{name}.{}", self.ending));
        let usual = path(name);
        let former = FORMER_NAMES.iter().find(|[current, _]| *current == name);
        match former.map(|[_, former]| path(former)) {
            Some(former) if former.exists() && !usual.exists() => former,
            _ => usual,
        }
    }

    /// Reads a JSON file; `None` when it is not there.
    pub fn read<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, StateError> {
        let path = self.file(name);
        let text = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(unusable("read", &path))?,
        };
        let damaged = |reason| StateError::Json { path, reason };
        serde_json::from_slice(&text).map(Some).map_err(damaged)
    }

    /// Writes a JSON file, whole or not at all.
    pub fn write(&self, name: &str, content: &impl Serialize) -> Result<(), StateError> {
        write_json(&self.file(name), content)
    }
}

/// An error of the operating system with a file.
pub fn unusable(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StateError {
    let help = format!("what was finished is kept; {} continues", reports_command("resume", "RUN"));
    StateError::unusable_but(doing, path, Some(help))
}

/// The absolute path.
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Writes a JSON file, whole or not at all.
pub fn write_json(path: &Path, content: &impl Serialize) -> Result<(), StateError> {
    write(path, format!("{:#}\n", serde_json::json!(content)).as_bytes())
}

/// Writes a file, whole or not at all.
pub fn write(path: &Path, content: &[u8]) -> Result<(), StateError> {
    write_atomically(path, content).map_err(unusable("write", path))
}

/// Removes files that may be there.
pub fn remove(paths: &[PathBuf]) -> Result<(), StateError> {
    for path in paths {
        match fs::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => removed.map_err(unusable("remove", path))?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_an_earlier_version_are_found_and_new_ones_have_the_new_names() {
        let path = tempfile::tempdir().expect("a folder");
        let folder = Folder { path: path.path().to_owned(), ending: "bin" };
        for [current, former] in FORMER_NAMES {
            let [current_path, former_path] =
                [current, former].map(|name| folder.file(&format!("{name}.bin")));
            assert_eq!(folder.positions(current), current_path);
            fs::write(&former_path, "").expect("written");
            assert_eq!(folder.positions(current), former_path);
            fs::write(&current_path, "").expect("written");
            assert_eq!(folder.positions(current), current_path);
        }
        assert_eq!(folder.positions(UNSHUFFLED), folder.file("all-unshuffled.bin"));
    }
}
