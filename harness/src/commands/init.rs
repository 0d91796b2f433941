//! `harness init`: a `harness.yaml` for the repository of an engine, and a first trial of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use miette::Diagnostic;
use serde::Deserialize;
use serde_json::json;
use thiserror::Error;

use crate::config::{Config, FILE_NAME};
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::ledger::write_atomically;
use crate::player;

/// Looks at an engine's repository, writes harness.yaml, and tries the engine.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cd my-engine && harness init
  harness init --force          # writes harness.yaml anew
  harness init --dry-run        # prints it, builds nothing

Finds out how the engine is built (cargo, make, cmake, a Python script), writes a commented
harness.yaml, builds the working tree, runs `harness check` on it and prints what to do next.
The exit status is 1 when the engine fails a check.")]
pub struct InitArgs {
    /// Replace a harness.yaml that is there.
    #[arg(long)]
    force: bool,
    /// Print harness.yaml instead of writing it, and build nothing.
    #[arg(long)]
    dry_run: bool,
}

/// Why there is nothing to write.
#[derive(Debug, Error, Diagnostic)]
enum InitError {
    #[error("{} is there already", path.display())]
    #[diagnostic(help(
        "`harness init --force` replaces it; `--dry-run` shows what it would write"
    ))]
    Exists { path: PathBuf },
    #[error("cannot see how the engine in {} is built: {reason}", folder.display())]
    #[diagnostic(help(
        "write {FILE_NAME} by hand:\n  build: {{ command: \"make EXE=engine\", binary: engine }}\n\
         or, for a program that is there already:\n  engines: {{ mine: {{ cmd: ./engine }} }}"
    ))]
    NoRecipe { folder: PathBuf, reason: String },
    #[error("{} is not in a git repository", folder.display())]
    #[diagnostic(help(
        "revisions are built from git: `git init && git add -A && git commit -m start`; a program \
         needs no repository: `harness check ./my-engine`"
    ))]
    NoRepository { folder: PathBuf },
    #[error("cannot {what}: {reason}")]
    Failed { what: String, reason: String },
}

/// How the engine of a repository is started.
#[derive(Debug, PartialEq)]
enum Found {
    /// Built by this command, which the harness finds by itself.
    Built(String),
    /// A script of this path, seen from the root, for an interpreter.
    Script { interpreter: &'static str, path: PathBuf },
}

/// Runs the command.
///
/// # Errors
/// When nothing says how to build the engine, it does not build, or it cannot be started.
pub fn run(args: &InitArgs, context: &Context) -> Result<Exit, Failure> {
    let root = repository().or_usage()?;
    let file = root.join(FILE_NAME);
    if file.exists() && !args.force && !args.dry_run {
        return Err(InitError::Exists { path: file }).or_usage();
    }
    let found = find(&root).or_usage()?;
    let name = name_of(&root);
    let text = yaml(&name, &found);
    if args.dry_run {
        context.print(&text)?;
        return Ok(Exit::Good);
    }
    write_atomically(&file, text.as_bytes())
        .map_err(|error| InitError::Failed {
            what: format!("write {}", file.display()),
            reason: error.to_string(),
        })
        .or_failed()?;
    context.say(&format!("{} is written", file.display()));
    let engine = match &found {
        Found::Built(_) => ".".to_owned(),
        Found::Script { .. } => name,
    };
    // Builds the working tree, with the messages of any other build.
    let config = Config::read(&file)?;
    let spec = player::resolve(&engine, &config, context)?;
    context.say("checking whether it speaks UCI");
    let checked = check(&engine, &root).or_failed()?;
    if context.json {
        let engine = json!({ "engine": engine, "name": spec.name, "written": file });
        context.print(&format!("{}\n", merged(engine, &checked)))?;
    } else {
        context.print(&summary(&engine, &checked))?;
    }
    Ok(if checked.passed { Exit::Good } else { Exit::Bad })
}

/// The root of the git repository one stands in.
fn repository() -> Result<PathBuf, InitError> {
    let here = std::env::current_dir().map_err(|error| InitError::Failed {
        what: "see the current folder".to_owned(),
        reason: error.to_string(),
    })?;
    let output = Command::new("git")
        .args(["rev-parse", "--show-toplevel"])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| InitError::Failed {
            what: "run git".to_owned(),
            reason: error.to_string(),
        })?;
    match String::from_utf8(output.stdout) {
        Ok(root) if output.status.success() => Ok(PathBuf::from(root.trim_end())),
        _ => Err(InitError::NoRepository { folder: here }),
    }
}

fn find(root: &Path) -> Result<Found, InitError> {
    match player::detected_build(root) {
        Ok(command) => Ok(Found::Built(command)),
        Err(reason) => match python_engine(root) {
            Some(path) => Ok(Found::Script { interpreter: "python3", path }),
            None => Err(InitError::NoRecipe { folder: root.to_owned(), reason }),
        },
    }
}

/// The Python script at the root that answers `uci`: the one named like the repository, else the
/// first by name.
fn python_engine(root: &Path) -> Option<PathBuf> {
    let answers_uci = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "py")
            && fs::read_to_string(path).is_ok_and(|text| text.contains("uciok"))
    };
    let entries = fs::read_dir(root).ok()?;
    let mut scripts: Vec<PathBuf> =
        entries.filter_map(Result::ok).map(|entry| entry.path()).filter(answers_uci).collect();
    scripts.sort();
    let name = name_of(root);
    let named = |path: &&PathBuf| {
        path.file_stem().is_some_and(|stem| stem.to_string_lossy().eq_ignore_ascii_case(&name))
    };
    let chosen = scripts.iter().find(named).or(scripts.first())?;
    chosen.file_name().map(PathBuf::from)
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

/// The commented `harness.yaml`.
fn yaml(name: &str, found: &Found) -> String {
    const HEAD: &str = "\
# What the harness knows of this repository. `harness docs harness-yaml` prints every key.
";
    match found {
        Found::Built(command) => format!(
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
        Found::Script { interpreter, path } => format!(
            "{HEAD}
# Engines by name: any UCI program. A script is not built, so that revisions cannot be compared by
# name; `git worktree add ../old main` puts another version beside this one.
engines:
  {name}:
    cmd: {interpreter}
    args: [{}]
    dir: .
    options: {{}}
",
            path.display()
        ),
    }
}

/// What `harness check --json` prints.
#[derive(Debug, Deserialize)]
struct Checked {
    id: Option<String>,
    passed: bool,
    checks: Vec<CheckLine>,
}

#[derive(Debug, Deserialize)]
struct CheckLine {
    name: String,
    status: String,
    detail: String,
}

/// Runs `harness check` as a process of its own: an engine that takes the process down with it
/// takes the check down only.
fn check(engine: &str, root: &Path) -> Result<Checked, InitError> {
    let failed = |reason: String| InitError::Failed { what: "check the engine".to_owned(), reason };
    let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let output = Command::new(program)
        .args(["check", engine, "--json", "--quiet"])
        .current_dir(root)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed(error.to_string()))?;
    serde_json::from_slice(&output.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr);
        failed(format!("`harness check {engine}` ended with {}: {}", output.status, said.trim()))
    })
}

fn merged(mut object: serde_json::Value, checked: &Checked) -> serde_json::Value {
    object["passed"] = json!(checked.passed);
    object["checks"] = json!(checked.checks.len());
    object["failed"] = json!(failures(checked).map(|line| &line.name).collect::<Vec<_>>());
    object
}

fn failures(checked: &Checked) -> impl Iterator<Item = &CheckLine> {
    checked.checks.iter().filter(|line| line.status == "failed")
}

fn summary(engine: &str, checked: &Checked) -> String {
    let all = checked.checks.len();
    let warnings = checked.checks.iter().filter(|line| line.status == "warning").count();
    let mut text = format!(
        "{} passes {} of {all} checks{}\n",
        checked.id.as_deref().unwrap_or("The engine"),
        all - failures(checked).count(),
        match warnings {
            0 => String::new(),
            1 => ", one with a warning".to_owned(),
            several => format!(", {several} with a warning"),
        },
    );
    for line in failures(checked) {
        text += &format!("  ✗ {}: {}\n", line.name, line.detail);
    }
    if all > failures(checked).count() + warnings && !checked.passed {
        text +=
            "A failed check is a fault of the engine; what does not use it works all the same.\n";
    }
    let (suite, game, tune) = if engine == "." {
        ("harness suite wac .", "harness sprt . HEAD", "harness tune init . -o tune.yaml")
    } else {
        (
            "harness suite wac ENGINE",
            "harness match ENGINE builtin",
            "harness tune init ENGINE -o tune.yaml",
        )
    };
    let rows = [
        (format!("harness check {engine}"), "every check, with what was seen"),
        (format!("{} --movetime 100ms", suite.replace("ENGINE", engine)), "solves 300 positions"),
        (
            format!("{} --tc 2+0.02", game.replace("ENGINE", engine)),
            if engine == "." { "is the working tree better?" } else { "plays games" },
        ),
        (tune.replace("ENGINE", engine), "an experiment of its options"),
        ("harness gate init".to_owned(), "what a commit must pass"),
    ];
    let skipped = usize::from(checked.passed);
    let width = rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
    text += "\nNext:\n";
    for (command, does) in &rows[skipped..] {
        text += &format!("  {command:<width$}   # {does}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Config {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join(FILE_NAME);
        fs::write(&file, text).expect("it is written");
        Config::read(&file).expect("what is written can be read")
    }

    #[test]
    fn what_is_written_can_be_read_again() {
        let built = parsed(&yaml("mine", &Found::Built("make EXE=engine".to_owned())));
        assert!(built.engines.is_empty() && built.build.is_none());
        let script = Found::Script { interpreter: "python3", path: PathBuf::from("uci.py") };
        let script = parsed(&yaml("mine", &script));
        assert_eq!(script.engines["mine"].cmd, "python3");
        assert_eq!(script.engines["mine"].args, ["uci.py"]);
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
        assert_eq!(python_engine(folder.path()), None);
        write("tools.py", "print('readyok')");
        write("zoo.py", "print('uciok')");
        assert_eq!(python_engine(folder.path()), Some(PathBuf::from("zoo.py")));
    }
}
