//! Building the engine of a git revision, once.
//!
//! Layout of a repository's folder in the cache:
//!
//! | path | what |
//! |---|---|
//! | `COMMIT-RECIPE/bin/ENGINE` | a finished build; it appears by one rename |
//! | `tree-HASH/bin/ENGINE` | a build of the working tree, by the hash of the program |
//! | `checkout/` | the worktree of a build that runs |
//! | `target/` | cargo's target folder, shared so that dependencies are built once |
//! | `logs/` | output of the compilers |
//! | `lock` | held by the harness that builds |

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use miette::Diagnostic;
use thiserror::Error;

use super::git::GIT_VARIABLES;
use super::hash::{sha256, short_hash};
use super::recipe::{self, Recipe, RecipeError};
use crate::config::Build;
use crate::output;
use crate::platform::{self, Group};
use crate::secret;
use crate::session::{Interrupt, Session};
use crate::text;

/// Interval at which a build checks the interrupt.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Lines of a failed build's log that are shown.
const LOG_LINES: usize = 20;

/// A revision that gives no engine.
#[derive(Debug, Error, Diagnostic)]
pub enum BuildError {
    /// It is not known how to build it.
    #[error("cannot build {revision}: {reason}")]
    #[diagnostic(help(
        "say how in harness.yaml: `build: {{command: \"make EXE=engine\", binary: engine}}`"
    ))]
    NoRecipe {
        /// As the user wrote it.
        revision: String,
        /// What was found instead.
        reason: RecipeError,
    },
    /// The build command failed.
    #[error("building {revision} failed: `{command}` ended with {status}")]
    #[diagnostic(help("the end of {}:\n{log_end}", log.display()))]
    Failed {
        /// As the user wrote it.
        revision: String,
        /// What was run.
        command: String,
        /// How it ended.
        status: String,
        /// The last lines of the log.
        log_end: String,
        /// The whole log.
        log: PathBuf,
    },
    /// The build command succeeded but left no program where it should.
    #[error("building {revision}: `{command}` left no program {}", binary.display())]
    #[diagnostic(help("`build.binary` in harness.yaml is seen from the root of the repository"))]
    NoBinary {
        /// As the user wrote it.
        revision: String,
        /// What was run.
        command: String,
        /// Where the program should be.
        binary: PathBuf,
    },
    /// Git would not check the revision out.
    #[error("git cannot check {revision} out: {reason}")]
    Checkout {
        /// As the user wrote it.
        revision: String,
        /// The message of git.
        reason: String,
    },
    /// The cache folder cannot be used.
    #[error("cannot {what} {}: {source}", path.display())]
    #[diagnostic(help(
        "builds are kept in the folder TENCH_CACHE, else in the user's cache folder; set it to one \
         that can be written: `export TENCH_CACHE=/var/tmp/tench`"
    ))]
    Files {
        /// What was to be done.
        what: &'static str,
        /// With which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is no folder to keep builds in.
    #[error("there is no folder to keep builds in: HOME is not set")]
    #[diagnostic(help("set TENCH_CACHE to a folder: `export TENCH_CACHE=/var/tmp/tench`"))]
    NoCache,
    /// The user asked to stop.
    #[error("interrupted while building")]
    Interrupted,
}

/// What to build.
pub(super) struct Order<'a> {
    /// As the user wrote it.
    pub(super) asked: &'a str,
    /// `None`: the working tree as it is.
    pub(super) commit: Option<&'a str>,
    /// Root of the repository.
    pub(super) root: &'a Path,
    /// The repository's folder in the cache.
    pub(super) home: &'a Path,
    /// The `build` of `harness.yaml`.
    pub(super) recipe: Option<&'a Build>,
}

/// Builds the engine unless it was built before; returns the path of the program.
pub(super) fn build(order: &Order<'_>, context: &Session) -> Result<PathBuf, BuildError> {
    let done = order.commit.map(|commit| {
        let recipe = match order.recipe {
            Some(build) => format!("{}\n{}", build.command, build.binary.display()),
            None => "detected".to_owned(),
        };
        order.home.join(format!(
            "{}-{}",
            &commit[..16.min(commit.len())],
            short_hash(recipe.as_bytes())
        ))
    });
    if let Some(program) = done.as_deref().and_then(finished) {
        return Ok(program);
    }
    let logs = order.home.join("logs");
    fs::create_dir_all(&logs).map_err(files("create", &logs))?;
    let _lock = lock(order, context.quiet, &context.interrupt)?;
    if let Some(program) = done.as_deref().and_then(finished) {
        return Ok(program);
    }
    let label =
        order.commit.map_or("tree".to_owned(), |commit| commit[..12.min(commit.len())].to_owned());
    say(context, || format!("building {} ({label})", order.asked));
    let started = Instant::now();
    let log = logs.join(format!("{label}.log"));
    let checkout = order.home.join("checkout");
    let program = match order.commit {
        None => compile(order, order.root, &log, context),
        Some(commit) => {
            remove_checkout(order, &checkout);
            let program = check_out(order, commit, &checkout)
                .and_then(|()| compile(order, &checkout, &log, context))
                .and_then(|program| keep(order, &program, done.as_deref()));
            remove_checkout(order, &checkout);
            return program.inspect(|_| report_built(context, order, started));
        }
    }?;
    let program = keep(order, &program, None)?;
    report_built(context, order, started);
    Ok(program)
}

fn report_built(context: &Session, order: &Order<'_>, started: Instant) {
    say(context, || format!("built {} in {:.0} s", order.asked, started.elapsed().as_secs_f64()));
}

fn say(context: &Session, text: impl Fn() -> String) {
    if !context.quiet {
        output::message(&text());
    }
}

/// The program of a finished build.
fn finished(folder: &Path) -> Option<PathBuf> {
    let mut programs = fs::read_dir(folder.join("bin")).ok()?;
    programs.find_map(Result::ok).map(|program| program.path())
}

/// Checks the sources of a commit out; `take` gets their folder, and how to build them. The folder is
/// removed afterwards.
pub(super) fn with_sources<T>(
    order: &Order<'_>,
    commit: &str,
    interrupt: &Interrupt,
    take: impl FnOnce(&Path, Recipe) -> T,
) -> Result<T, BuildError> {
    fs::create_dir_all(order.home).map_err(files("create", order.home))?;
    let _lock = lock(order, true, interrupt)?;
    let folder = order.home.join("checkout");
    remove_checkout(order, &folder);
    let taken = check_out(order, commit, &folder)
        .and_then(|()| recipe(order, &folder))
        .map(|recipe| take(&folder, recipe));
    remove_checkout(order, &folder);
    taken
}

/// Waits for the lock of the repository's folder; closing the file gives it back.
fn lock(order: &Order<'_>, quiet: bool, interrupt: &Interrupt) -> Result<File, BuildError> {
    let path = order.home.join("lock");
    let say = || {
        if !quiet {
            let home = order.home.display();
            output::message(&format!("waiting: another harness builds in {home}"));
        }
    };
    let locked = super::lock::lock(&path, interrupt, say).map_err(files("lock", &path))?;
    locked.ok_or(BuildError::Interrupted)
}

fn check_out(order: &Order<'_>, commit: &str, checkout: &Path) -> Result<(), BuildError> {
    // A build runs no hooks of the repository.
    let mut git = git(order.root);
    git.args(["-c", "core.hooksPath=/dev/null", "worktree", "add", "--detach", "--force"]);
    run_git(order, git.arg(checkout).arg(commit))?;
    if checkout.join(".gitmodules").exists() {
        let mut git = self::git(checkout);
        run_git(order, git.args(["submodule", "update", "--init", "--recursive"]))?;
    }
    Ok(())
}

/// Removes the worktree, also one that a killed build left; what is not there is no error.
fn remove_checkout(order: &Order<'_>, checkout: &Path) {
    if checkout.exists() {
        let mut git = git(order.root);
        let _ = run_git(order, git.args(["worktree", "remove", "--force"]).arg(checkout));
        let _ = fs::remove_dir_all(checkout);
        let _ = run_git(order, self::git(order.root).args(["worktree", "prune"]));
    }
}

fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).stdin(Stdio::null());
    for variable in GIT_VARIABLES {
        command.env_remove(variable);
    }
    secret::remove_from(&mut command);
    command
}

fn run_git(order: &Order<'_>, command: &mut Command) -> Result<(), BuildError> {
    let failed = |reason| BuildError::Checkout { revision: order.asked.to_owned(), reason };
    let output = command.output().map_err(|error| failed(error.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

/// How to build the sources in a folder.
fn recipe(order: &Order<'_>, folder: &Path) -> Result<Recipe, BuildError> {
    match order.recipe {
        Some(build) => Ok(Recipe::of_config(build)),
        None => recipe::detect(folder, order.root)
            .map_err(|reason| BuildError::NoRecipe { revision: order.asked.to_owned(), reason }),
    }
}

/// Runs the recipe in a folder; returns the program it left.
fn compile(
    order: &Order<'_>,
    folder: &Path,
    log: &Path,
    context: &Session,
) -> Result<PathBuf, BuildError> {
    let recipe = recipe(order, folder)?;
    let messages = log.with_extension("messages");
    let mut command = recipe.command(folder);
    if recipe.is_cargo() && order.commit.is_some() {
        command.env("CARGO_TARGET_DIR", order.home.join("target"));
    }
    let create = |path: &Path| File::create(path).map_err(files("create", path));
    let log_file = create(log)?;
    if recipe.is_cargo() {
        command.stdout(create(&messages)?);
    } else {
        command.stdout(log_file.try_clone().map_err(files("write", log))?);
    }
    command.stdin(Stdio::null()).stderr(log_file);
    for variable in GIT_VARIABLES {
        command.env_remove(variable);
    }
    secret::remove_from(&mut command);
    let failed = |status| BuildError::Failed {
        revision: order.asked.to_owned(),
        command: recipe.to_string(),
        status,
        log_end: end_of(log),
        log: log.to_owned(),
    };
    let (mut build, _) = Group::spawn(command).map_err(|error| failed(error.to_string()))?;
    let status = loop {
        if let Some(status) = build.wait(LOOK_EVERY) {
            break status;
        }
        if context.interrupt.is_set() {
            return Err(BuildError::Interrupted);
        }
    };
    if !status.success() {
        return Err(failed(status.to_string()));
    }
    let binary = recipe.binary(folder, &messages);
    if platform::is_program(&binary) {
        return Ok(binary);
    }
    let revision = order.asked.to_owned();
    Err(BuildError::NoBinary { revision, command: recipe.to_string(), binary })
}

fn end_of(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    text::last_lines(&String::from_utf8_lossy(&text), LOG_LINES)
}

/// Copies a program to where it stays, by one rename, so that a half copied one is never used.
fn keep(order: &Order<'_>, program: &Path, done: Option<&Path>) -> Result<PathBuf, BuildError> {
    let done = match done {
        Some(done) => done.to_owned(),
        None => {
            let hash = sha256(program).map_err(files("read", program))?;
            order.home.join(format!("tree-{}", &hash[..16]))
        }
    };
    let name = program.file_name().unwrap_or("engine".as_ref());
    let new = order.home.join("new");
    let _ = fs::remove_dir_all(&new);
    fs::create_dir_all(new.join("bin")).map_err(files("create", &new))?;
    let copy = new.join("bin").join(name);
    fs::copy(program, &copy).map_err(files("write", &copy))?;
    File::open(&copy).and_then(|file| file.sync_all()).map_err(files("write", &copy))?;
    if !done.exists() {
        fs::rename(&new, &done).map_err(files("create", &done))?;
    }
    Ok(done.join("bin").join(name))
}

fn files(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> BuildError {
    let path = path.to_owned();
    move |source| BuildError::Files { what, path, source }
}
