//! The repository of an engine: how the engine is started, and a `harness.yaml` for it.

use std::fs;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

use crate as player;
use harness_base::config::FILE_NAME;
use harness_base::files::{Unwritable, write_file};
use harness_base::platform::is_program;
use harness_base::yaml::quoted;

/// Why there is no `harness.yaml`.
#[derive(Debug, Error, Diagnostic)]
pub enum ProjectError {
    /// The file is there.
    #[error("{} is there already", .0.display())]
    #[diagnostic(help(
        "`harness init --force` replaces it; `--dry-run` shows what it would write"
    ))]
    Exists(PathBuf),
    /// No known build system and no script.
    #[error("cannot see how the engine in {} is built: {}", .0.display(), .1)]
    #[diagnostic(help(
        "write {FILE_NAME} by hand:\n  build: {{ command: \"make EXE=engine\", binary: engine }}\n\
         or, for a script:\n  build: {{ binary: uci.py, files: [.] }}\n\
         or, for a program that is there already:\n  engines: {{ mine: {{ cmd: ./engine }} }}"
    ))]
    NoRecipe(PathBuf, String),
    /// There is no repository.
    #[error("{0}")]
    #[diagnostic(help(
        "revisions are built from git: `git init && git add -A && git commit -m start`; a program \
         needs no repository: `harness check ./my-engine`"
    ))]
    NoRepository(player::HistoryError),
}

/// The repository of an engine.
#[derive(Debug)]
pub struct Project {
    /// The `harness.yaml` at its root.
    pub file: PathBuf,
    /// A name for the engine.
    name: String,
    /// The content of the file as it was found.
    before: Option<Vec<u8>>,
    start: Start,
}

/// How the engine of a repository is started.
#[derive(Debug, PartialEq)]
enum Start {
    /// Built by this command, which the harness finds by itself.
    Built(String),
    /// A script of this path, seen from the root.
    Script(PathBuf),
}

impl Project {
    /// The repository of the current folder.
    ///
    /// # Errors
    /// When the current folder is in no repository; when there is a `harness.yaml`, unless
    /// `replace`; when it is not clear how the engine is built.
    pub fn find(replace: bool) -> Result<Project, ProjectError> {
        let root = player::repository_root().map_err(ProjectError::NoRepository)?;
        let file = root.join(FILE_NAME);
        let before = fs::read(&file).ok();
        if file.exists() && !replace {
            return Err(ProjectError::Exists(file));
        }
        let start = match (player::detected_build(&root), script_engine(&root)) {
            (Ok(command), _) => Start::Built(command),
            (Err(_), Some(path)) => Start::Script(path),
            (Err(reason), None) => return Err(ProjectError::NoRecipe(root, reason.to_string())),
        };
        Ok(Project { file, name: name_of(&root), before, start })
    }

    /// The commented `harness.yaml`.
    pub fn yaml(&self) -> String {
        yaml(&self.name, &self.start)
    }

    /// Writes the `harness.yaml`.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self) -> Result<(), Unwritable> {
        write_file(&self.file, self.yaml(), None)
    }

    /// Puts the `harness.yaml` back that was there before, or none: one that does not work is in the
    /// way of the next try.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn put_back(&self) -> Result<(), Unwritable> {
        match &self.before {
            Some(text) => write_file(&self.file, text, None),
            None => {
                // Where it cannot be removed, `--force` replaces it.
                let _ = fs::remove_file(&self.file);
                Ok(())
            }
        }
    }
}

/// The script at the root that answers `uci`, in Python or started by its first line: the one named like
/// the repository, else the first by name.
fn script_engine(root: &Path) -> Option<PathBuf> {
    let answers_uci = |path: &PathBuf| {
        let is_python = path.extension().is_some_and(|extension| extension == "py");
        harness_base::input::read_text(path).is_ok_and(|text| {
            text.contains("uciok") && (is_python || text.starts_with("#!") && is_program(path))
        })
    };
    let entries = fs::read_dir(root).ok()?;
    let files = entries.filter_map(Result::ok).filter(is_small_file);
    let mut scripts: Vec<PathBuf> = files.map(|entry| entry.path()).filter(answers_uci).collect();
    scripts.sort();
    let name = name_of(root);
    let named = |path: &&PathBuf| {
        path.file_stem().is_some_and(|stem| stem.to_string_lossy().eq_ignore_ascii_case(&name))
    };
    let chosen = scripts.iter().find(named).or(scripts.first())?;
    chosen.file_name().map(PathBuf::from)
}

/// Whether a file may be a script: others, such as networks, are not read.
fn is_small_file(entry: &fs::DirEntry) -> bool {
    entry.metadata().is_ok_and(|facts| facts.is_file() && facts.len() < 1 << 20)
}

/// A name for the engine: that of its repository, as a plain YAML word.
fn name_of(root: &Path) -> String {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let plain: String = name
        .chars()
        .map(
            |letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' },
        )
        .collect();
    let plain = plain.trim_matches('-');
    match plain.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => plain.to_owned(),
        _ => format!("engine-{plain}").trim_end_matches('-').to_owned(),
    }
}

const HEAD: &str = "\
# What the harness knows of this repository. `harness docs harness-yaml` prints every key.
";

/// The commented `harness.yaml`.
fn yaml(name: &str, start: &Start) -> String {
    match start {
        Start::Built(command) => format!(
            "{HEAD}
# A git revision (`HEAD`, `main`, a tag, a hash; `.` is the working tree) is built by
#   {command}
# which was found without being said. To build it in another way, take off the signs:
# build:
#   command: make EXE=engine      # run by sh at the root of a checkout
#   binary: engine                # the program that it leaves, seen from there

# Other engines by name, for `harness match . NAME`: any UCI program.
engines: {{}}
#   sf:
#     cmd: stockfish              # on PATH, or a path seen from this file
#     args: []
#     options: {{ Hash: 64, Threads: 1 }}
"
        ),
        Start::Script(path) => {
            let script = path.to_string_lossy();
            let is_python = path.extension().is_some_and(|extension| extension == "py");
            let (cmd, args) = if is_python {
                ("python3".to_owned(), quoted(&script))
            } else {
                (quoted(&format!("./{script}")), String::new())
            };
            let script = quoted(&script);
            format!(
                "{HEAD}
# A git revision (`HEAD`, `main`, a tag, a hash; `.` is the working tree) of a script is not built:
# its files are kept, and the script is started among them.
build:
  command: \"\"                   # what has to be run first, by sh at the root of a checkout
  binary: {script}
  files: [.]                    # all; or the script's own modules and data

# Engines by name, for `harness match . NAME`: any UCI program.
engines:
  {name}:
    cmd: {cmd}
    args: [{args}]
    dir: .
    options: {{}}
"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_base::config::Config;

    fn parsed(text: &str) -> Config {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join(FILE_NAME);
        fs::write(&file, text).expect("it is written");
        Config::read(&file).expect("what is written can be read")
    }

    #[test]
    fn what_is_written_can_be_read_again() {
        let built = parsed(&yaml("mine", &Start::Built("make EXE=engine".to_owned())));
        assert!(built.engines.is_empty() && built.build.is_none());
        for (file, cmd, args) in [("uci.py", "python3", &["uci.py"][..]), ("go.sh", "./go.sh", &[])]
        {
            let script = parsed(&yaml("mine", &Start::Script(PathBuf::from(file))));
            assert_eq!(script.engines["mine"].cmd, cmd);
            assert_eq!(script.engines["mine"].args, args);
            let build = script.build.expect("revisions of it can be had");
            assert_eq!((build.command.as_str(), build.binary.as_path()), ("", Path::new(file)));
            assert_eq!(build.files, [Path::new(".")]);
        }
    }

    #[test]
    fn an_engine_is_named_like_its_repository() {
        let cases = [
            ("Weiss", "weiss"),
            ("my engine", "my-engine"),
            ("1.2", "engine-1-2"),
            ("é", "engine"),
        ];
        for (folder, name) in cases {
            assert_eq!(name_of(&Path::new("/somewhere").join(folder)), name, "{folder}");
        }
    }

    #[test]
    fn of_several_scripts_the_one_that_answers_uci_is_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect(name);
        assert_eq!(script_engine(folder.path()), None);
        write("tools.py", "print('readyok')");
        write("zoo.py", "print('uciok')");
        assert_eq!(script_engine(folder.path()), Some(PathBuf::from("zoo.py")));
    }
}
