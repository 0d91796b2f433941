//! How to build an engine from its sources.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::cmake;
use harness_base::config::Build;
use harness_base::secret;

/// File name of the engine that a Makefile builds (`EXE`).
const EXE: &str = "engine-to-test";

/// How to build an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recipe {
    /// A shell command, and the program it leaves.
    Shell {
        /// The command, run at the root of the sources.
        command: String,
        /// The program, seen from there.
        #[serde(with = "harness_base::text::path")]
        binary: PathBuf,
        /// Files and folders that it needs beside it.
        #[serde(default, with = "harness_base::text::path", skip_serializing_if = "Vec::is_empty")]
        files: Vec<PathBuf>,
    },
    /// A binary of a Cargo package.
    Cargo {
        /// The package.
        package: String,
        /// Its binary.
        binary: String,
    },
    /// A Makefile in this folder that takes `EXE=`, as OpenBench requires.
    Make {
        /// Seen from the root of the sources.
        #[serde(with = "harness_base::text::path")]
        folder: PathBuf,
    },
    /// A `CMakeLists.txt` in this folder, of a repository of this name.
    CMake {
        /// Seen from the root of the sources.
        #[serde(with = "harness_base::text::path")]
        folder: PathBuf,
        /// The repository.
        repository: String,
    },
}

impl Recipe {
    /// The command of `harness.yaml`.
    pub(super) fn of_config(build: &Build) -> Recipe {
        Recipe::Shell {
            command: build.command.clone(),
            binary: build.binary.clone(),
            files: build.files.clone(),
        }
    }

    /// The command, to be run at the root of the sources.
    pub fn command(&self, root: &Path) -> Command {
        let mut command = match self {
            Recipe::Shell { command: text, .. } => {
                let mut command = Command::new("sh");
                command.arg("-c").arg(text);
                command
            }
            Recipe::Cargo { package, binary } => {
                let mut command = Command::new("cargo");
                command.args(["build", "--release", "-p", package, "--bin", binary]);
                command.arg("--message-format=json-render-diagnostics");
                command
            }
            Recipe::Make { folder } => {
                let jobs = std::thread::available_parallelism().map_or(1, usize::from);
                let mut command = Command::new("make");
                command.arg("-C").arg(folder).arg(format!("-j{jobs}")).arg(format!("EXE={EXE}"));
                command
            }
            Recipe::CMake { folder, .. } => {
                let mut command = Command::new("sh");
                command.arg("-c").arg(cmake::script(folder));
                command
            }
        };
        command.current_dir(root);
        command
    }

    /// Files and folders that are kept beside the program, seen from the root of the sources.
    pub fn files(&self) -> &[PathBuf] {
        match self {
            Recipe::Shell { files, .. } => files,
            _ => &[],
        }
    }

    /// Its products under a name of ours, `program` being the program: git need not see it.
    pub(super) fn leaves<'a>(&self, program: &'a Path) -> Option<&'a Path> {
        match self {
            Recipe::CMake { .. } => Some(Path::new(cmake::FOLDER)),
            _ => Some(program).filter(|program| program.ends_with(EXE)),
        }
    }

    /// Whether standard output carries cargo's messages.
    pub fn is_cargo(&self) -> bool {
        matches!(self, Recipe::Cargo { .. })
    }

    /// The program that the command left; `messages` is the file with what a cargo recipe printed on
    /// standard output.
    pub fn binary(&self, root: &Path, messages: &Path) -> PathBuf {
        match self {
            // Joining drops the `./` before a name.
            Recipe::Shell { binary, .. } => root.join(binary.components().as_path()),
            Recipe::Cargo { binary, .. } => {
                let messages = std::fs::read_to_string(messages).unwrap_or_default();
                let named = |path: &PathBuf| path.file_stem() == Some(OsStr::new(binary));
                messages
                    .lines()
                    .filter_map(|line| serde_json::from_str::<Message>(line).ok()?.executable)
                    .find(named)
                    .unwrap_or_else(|| root.join("target/release").join(binary))
            }
            Recipe::Make { folder } => {
                let beside = root.join(folder).join(EXE);
                // Some Makefiles below the root put the engine there.
                if beside.exists() { beside } else { root.join(EXE) }
            }
            Recipe::CMake { repository, .. } => cmake::program(root, repository)
                .unwrap_or_else(|| root.join(cmake::FOLDER).join(repository)),
        }
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Recipe::Shell { command, .. } if command.is_empty() => f.write_str("no command"),
            Recipe::Shell { command, .. } => f.write_str(command),
            Recipe::Cargo { package, binary } => {
                write!(f, "cargo build --release -p {package} --bin {binary}")
            }
            Recipe::Make { folder } => write!(f, "make -C {} EXE={EXE}", folder.display()),
            Recipe::CMake { folder, .. } => f.write_str(&cmake::script(folder)),
        }
    }
}

#[derive(Deserialize)]
struct Message {
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

/// Sources of which it cannot be seen how to build them.
#[derive(Debug, Error)]
pub enum RecipeError {
    /// No build file.
    #[error(
        "there is no Cargo.toml, go.mod, Makefile or CMakeLists.txt, neither at the root nor in src"
    )]
    Nothing,
    /// Cargo is missing.
    #[error("cargo cannot be run: {0}")]
    NoCargo(std::io::Error),
    /// Cargo refuses the workspace; its message.
    #[error("cargo cannot read the workspace: {0}")]
    Workspace(String),
    /// Cargo's description of the workspace is not JSON as expected.
    #[error("cargo metadata cannot be read: {0}")]
    Metadata(#[from] serde_json::Error),
    /// A workspace of libraries.
    #[error("the Cargo workspace has no binary")]
    NoBinary,
    /// None of the binaries is obviously the engine.
    #[error("the Cargo workspace has several binaries: {}", .0.join(", "))]
    SeveralBinaries(Vec<String>),
    /// A Go module without a program, or none that is obviously the engine.
    #[error("the Go module has {}", programs(.0))]
    GoPrograms(Vec<String>),
}

fn programs(folders: &[String]) -> String {
    match folders {
        [] => "no folder with `package main`".to_owned(),
        several => format!("several programs: {}", several.join(", ")),
    }
}

/// The command that builds the engine of a repository, for people.
///
/// # Errors
/// When nothing shows how to build it.
pub fn detected_build(repository: &Path) -> Result<String, RecipeError> {
    detect(repository, repository).map(|recipe| recipe.to_string())
}

/// How to build the sources in a folder.
///
/// # Errors
/// When nothing shows it.
pub(super) fn detect(folder: &Path, repository: &Path) -> Result<Recipe, RecipeError> {
    if folder.join("Cargo.toml").exists() {
        return cargo(folder, repository);
    }
    // A Makefile beside it often makes programs for several systems, under names of its own.
    if folder.join("go.mod").exists() {
        return go(folder, repository);
    }
    let makefile = |sub: &Path| {
        ["Makefile", "makefile", "GNUmakefile"]
            .iter()
            .any(|name| folder.join(sub).join(name).exists())
    };
    for sub in [".", "src"] {
        if makefile(Path::new(sub)) {
            return Ok(Recipe::Make { folder: PathBuf::from(sub) });
        }
    }
    for sub in [".", "src"] {
        if folder.join(sub).join("CMakeLists.txt").exists() {
            let name = repository.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return Ok(Recipe::CMake { folder: PathBuf::from(sub), repository: name });
        }
    }
    Err(RecipeError::Nothing)
}

/// The binary of a Cargo workspace: the only one, or the one named like the repository, or the
/// only one of the package `engine`, or the only one that is named like its package.
fn cargo(folder: &Path, repository: &Path) -> Result<Recipe, RecipeError> {
    let mut cargo = Command::new("cargo");
    secret::remove_from(&mut cargo);
    let output = cargo
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(RecipeError::NoCargo)?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(RecipeError::Workspace(reason));
    }
    let metadata: Metadata = serde_json::from_slice(&output.stdout)?;
    let binaries: Vec<(&str, &str)> = metadata
        .packages
        .iter()
        .flat_map(|package| package.targets.iter().map(|target| (package.name.as_str(), target)))
        .filter(|(_, target)| target.kind.iter().any(|kind| kind == "bin"))
        .map(|(package, target)| (package, target.name.as_str()))
        .collect();
    let name = repository.file_name().unwrap_or_default().to_string_lossy();
    let choices = [
        binaries.clone(),
        binaries.iter().copied().filter(|&(_, binary)| binary == name).collect(),
        binaries.iter().copied().filter(|&(package, _)| package == "engine").collect(),
        binaries.iter().copied().filter(|&(package, binary)| package == binary).collect(),
    ];
    let only = choices.iter().find(|choice| choice.len() == 1).map(|choice| choice[0]);
    let (package, binary) = only.ok_or_else(|| match binaries.len() {
        0 => RecipeError::NoBinary,
        _ => RecipeError::SeveralBinaries(
            binaries.iter().map(|&(_, binary)| binary.to_owned()).collect(),
        ),
    })?;
    Ok(Recipe::Cargo { package: package.to_owned(), binary: binary.to_owned() })
}

/// The program of a Go module: the one at the root, or the only one, or the one in a folder named like
/// the repository or its module.
fn go(folder: &Path, repository: &Path) -> Result<Recipe, RecipeError> {
    let mut folders = Vec::new();
    go_programs(folder, Path::new(""), 3, &mut folders);
    folders.sort();
    let module = std::fs::read_to_string(folder.join("go.mod")).unwrap_or_default();
    let module = module.lines().find_map(|line| line.trim().strip_prefix("module "));
    let module = module.and_then(|path| path.trim().rsplit('/').next().map(str::to_owned));
    let names = [repository.file_name().map(|name| name.to_string_lossy().into_owned()), module];
    let is_named = |folder: &&PathBuf| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        names.iter().flatten().any(|known| known.eq_ignore_ascii_case(&name))
    };
    let chosen = match &folders[..] {
        [only] => Some(only),
        several => several
            .iter()
            .find(|folder| folder.as_os_str().is_empty())
            .or_else(|| several.iter().find(is_named)),
    };
    let chosen = chosen.ok_or_else(|| {
        let shown = folders.iter().map(|folder| folder.display().to_string());
        RecipeError::GoPrograms(shown.collect())
    })?;
    let package = harness_base::text::shell_words([format!("./{}", chosen.display())]);
    let command = format!("go build -o {EXE} {package}");
    Ok(Recipe::Shell { command, binary: PathBuf::from(EXE), files: Vec::new() })
}

/// Folders with a Go program, at most `depth` below this one.
fn go_programs(root: &Path, folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
    let mut is_program = false;
    for entry in entries {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        // Go passes over these, too.
        if name.starts_with(['.', '_']) || matches!(name.as_str(), "testdata" | "vendor") {
            continue;
        }
        if path.is_dir() && depth > 0 {
            go_programs(root, &folder.join(&name), depth - 1, found);
        }
        is_program |= name.ends_with(".go")
            && !name.ends_with("_test.go")
            && std::fs::read_to_string(&path)
                .is_ok_and(|text| text.lines().any(|line| line.trim_end() == "package main"));
    }
    if is_program {
        found.push(folder.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_of_a_go_module_is_found() {
        let main = "package main\n\nfunc main() {}\n";
        for (files, built) in [
            (&["main.go"][..], "go build -o engine-to-test ./"),
            (&["blunder/main.go", "engine/search.go"], "go build -o engine-to-test ./blunder"),
            (
                &["cmd/blunder/main.go", "cmd/tuner/main.go"],
                "go build -o engine-to-test ./cmd/blunder",
            ),
            (
                &["cmd/MyModule/main.go", "tuner/main.go"],
                "go build -o engine-to-test ./cmd/MyModule",
            ),
            (&["main.go", "tuner/main.go", "Makefile"], "go build -o engine-to-test ./"),
            (&["one/main.go", "two/main.go"], "the Go module has several programs: one, two"),
            (
                &["engine/search.go", "main_test.go"],
                "the Go module has no folder with `package main`",
            ),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            std::fs::write(folder.path().join("go.mod"), "module example.org/x/mymodule\n")
                .expect("go.mod");
            for file in files {
                let path = folder.path().join(file);
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
                let text = if file.ends_with("search.go") { "package engine\n" } else { main };
                std::fs::write(path, text).expect("written");
            }
            let found = detect(folder.path(), Path::new("/somewhere/Blunder"));
            let shown = found.map_or_else(|error| error.to_string(), |recipe| recipe.to_string());
            assert_eq!(shown, built, "{files:?}");
        }
    }

    #[test]
    fn of_several_binaries_the_engine_is_chosen() {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap();
        let recipe = detect(workspace, Path::new("/somewhere/else")).unwrap();
        assert_eq!(recipe.to_string(), "cargo build --release -p tench --bin tench");
    }
}
