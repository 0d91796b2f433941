//! Building the engine of a git revision, once.
//!
//! Layout of a repository's folder in the cache:
//!
//! | path | what |
//! |---|---|
//! | `COMMIT-RECIPE/bin/ENGINE` | a finished build; it appears by one rename |
//! | `tree-HASH/bin/ENGINE` | a build of the working tree, by the hash of the program |
//! | `trees/STATE` | which of them the state of a working tree gave (`tree_state.rs`) |
//! | `checkout/` | the worktree of a build that runs |
//! | `target/` | cargo's target folder, shared so that dependencies are built once |
//! | `logs/` | output of the compilers |
//! | `lock` | held by the harness that builds |

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use miette::Diagnostic;
use thiserror::Error;

use super::hash::{sha256, short_hash};
use super::kept_files;
use super::recipe::{self, Recipe, RecipeError};
use super::tree_state::{self, TreeState};
use harness_base::config::Build;
use harness_base::git;
use harness_base::output;
use harness_base::platform::{self, Group};
use harness_base::secret;
use harness_base::session::{Interrupt, Session};
use harness_base::text;
use harness_base::text::path::{decode_path, encode_path};

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
        "say how in harness.yaml: `build: {{command: \"make EXE=engine\", binary: engine}}`, or for a \
         script `build: {{binary: uci.py, files: [.]}}`"
    ))]
    NoRecipe {
        /// As the user wrote it.
        revision: String,
        /// The programs found instead.
        reason: RecipeError,
    },
    /// The build command failed.
    #[error("building {revision} failed: `{command}` ended with {status}")]
    #[diagnostic(help("the end of {}:\n{log_end}", log.display()))]
    Failed {
        /// As the user wrote it.
        revision: String,
        /// The command.
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
    #[diagnostic(help("{}", missing_program_help(made, *is_configured, command)))]
    NoBinary {
        /// As the user wrote it.
        revision: String,
        /// The command.
        command: String,
        /// Where the program should be.
        binary: PathBuf,
        /// Programs that it left elsewhere, seen from the root of the sources.
        made: Vec<PathBuf>,
        /// The command is that of harness.yaml.
        is_configured: bool,
    },
    /// A file of the build that cannot be kept.
    #[error("building {revision}: cannot keep {}: {source}", path.display())]
    #[diagnostic(help(
        "`files` under `build` in harness.yaml are seen from the root of the repository, as they are \
         when the command has run"
    ))]
    NotKept {
        /// As the user wrote it.
        revision: String,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
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
        /// The action that failed.
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

/// Help for a build that left no program where it should.
fn missing_program_help(made: &[PathBuf], is_configured: bool, command: &str) -> String {
    let names: Vec<String> = made.iter().map(|path| path.display().to_string()).collect();
    let left = if names.is_empty() {
        "it left no other program either".to_owned()
    } else {
        format!("it left {}", names.join(", "))
    };
    if is_configured {
        return format!(
            "{left}; `binary` under `build` in harness.yaml is seen from the root of the repository"
        );
    }
    let ignores =
        if command.contains(" EXE=") { "; the Makefile does not heed `EXE=`" } else { "" };
    let command = command.split(" EXE=").next().unwrap_or(command);
    let binary = names.first().map_or("PROGRAM", String::as_str);
    format!(
        "{left}{ignores}. Say which one in harness.yaml:\n  build: {{ command: \"{command}\", \
         binary: {binary} }}"
    )
}

/// The revision to build, and how.
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
    let recipe = match order.recipe {
        // The text of builds without files is that of older builds, which are found again.
        Some(build) if build.files.is_empty() => {
            format!("{}\n{}", build.command, build.binary.display())
        }
        Some(build) => format!("{}\n{}\n{:?}", build.command, build.binary.display(), build.files),
        None => "detected".to_owned(),
    };
    let done = order.commit.map(|commit| {
        order.home.join(format!(
            "{}-{}",
            &commit[..16.min(commit.len())],
            short_hash(recipe.as_bytes())
        ))
    });
    let before = || {
        done.as_deref()
            .and_then(find_finished_build)
            .or_else(|| find_unchanged_build(order, &recipe, context))
    };
    if let Some(program) = before() {
        return Ok(program);
    }
    let logs = order.home.join("logs");
    fs::create_dir_all(&logs).map_err(files("create", &logs))?;
    let _lock = lock(order, context.quiet, &context.interrupt)?;
    if let Some(program) = before() {
        return Ok(program);
    }
    let label =
        order.commit.map_or("tree".to_owned(), |commit| commit[..12.min(commit.len())].to_owned());
    say(context, || format!("building {} ({label})", order.asked));
    let started = Instant::now();
    let log = logs.join(format!("{label}.log"));
    let checkout = order.home.join("checkout");
    let program = match order.commit {
        None => build_tree(order, &recipe, &log, context),
        Some(commit) => {
            remove_checkout(order, &checkout);
            let program = check_out(order, commit, &checkout)
                .and_then(|()| compile(order, &checkout, &log, context))
                .and_then(|made| keep(order, &checkout, &made, done.as_deref()));
            remove_checkout(order, &checkout);
            program
        }
    }?;
    report_built(context, order, started);
    Ok(program)
}

/// Where it is noted which build the state of a working tree gave.
fn note_path(order: &Order<'_>, recipe: &str, state: &TreeState) -> PathBuf {
    order.home.join("trees").join(state.key(order.root, recipe))
}

/// The program of the working tree, if it was built and nothing has changed since.
fn find_unchanged_build(order: &Order<'_>, recipe: &str, context: &Session) -> Option<PathBuf> {
    if order.commit.is_some() {
        return None;
    }
    let state = TreeState::read(order.root, &context.reports)?;
    let kept = fs::read_to_string(note_path(order, recipe, &state)).ok()?;
    find_finished_build(&order.home.join(kept.trim()))
}

/// Builds the working tree, and notes the state in which it is left.
fn build_tree(
    order: &Order<'_>,
    recipe: &str,
    log: &Path,
    context: &Session,
) -> Result<PathBuf, BuildError> {
    let state = || TreeState::read(order.root, &context.reports);
    let before = state();
    let made = compile(order, order.root, log, context)?;
    let left = made.program.strip_prefix(order.root).unwrap_or(&made.program);
    if let Some(name) = made.recipe.leaves(left) {
        tree_state::let_git_ignore(order.root, name);
    }
    let program = keep(order, order.root, &made, None)?;
    let after = state();
    if let (Some(before), Some(after)) = (before, after) {
        note_state(order, recipe, [&before, &after], &program);
    }
    Ok(program)
}

/// Notes which program the state after a build has, if the sources stayed as they were. Without the
/// note the next command builds again.
fn note_state(order: &Order<'_>, recipe: &str, [before, after]: [&TreeState; 2], program: &Path) {
    let note = note_path(order, recipe, after);
    let products = order.home.join("trees").join("products");
    let known = fs::read_to_string(&products).unwrap_or_default();
    let known: BTreeSet<PathBuf> = known.lines().map(decode_path).collect();
    let _ = note.parent().map(fs::create_dir_all);
    let has_unchanged_sources = after.has_sources_of(before, &known);
    if has_unchanged_sources
        && let Some(kept) = program.ancestors().nth(2).and_then(Path::file_name)
    {
        let _ = fs::write(note, kept.as_encoded_bytes());
    }
    let all = known.into_iter().chain(after.products_since(before));
    let all: Vec<String> = all.map(|path| encode_path(&path)).collect();
    let _ = fs::write(products, all.join("\n"));
}

fn report_built(context: &Session, order: &Order<'_>, started: Instant) {
    say(context, || format!("built {} in {:.0} s", order.asked, started.elapsed().as_secs_f64()));
}

fn say(context: &Session, text: impl Fn() -> String) {
    if !context.quiet {
        output::message(&text());
    }
}

/// The file of a finished build that has the hash of its program.
const HASH_FILE: &str = "sha256";

/// The program of a finished build, as it was built: one that is gone, empty or another one is built again.
fn find_finished_build(folder: &Path) -> Option<PathBuf> {
    let mut programs = fs::read_dir(folder.join("bin")).ok()?;
    let program = programs.find_map(Result::ok)?.path();
    // Builds of earlier versions have no hash.
    let is_whole = match fs::read_to_string(folder.join(HASH_FILE)) {
        Ok(hash) => sha256(&program).ok()? == hash,
        Err(_) => fs::metadata(&program).ok()?.len() > 0,
    };
    is_whole.then_some(program)
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
    let mut git = git::command(order.root);
    git.args(["-c", "core.hooksPath=/dev/null", "worktree", "add", "--detach", "--force"]);
    run_git(order, git.arg(checkout).arg(commit))?;
    if checkout.join(".gitmodules").exists() {
        let mut git = git::command(checkout);
        run_git(order, git.args(["submodule", "update", "--init", "--recursive"]))?;
    }
    Ok(())
}

/// Removes the worktree, also one that a killed build left; what is not there is no error.
fn remove_checkout(order: &Order<'_>, checkout: &Path) {
    if checkout.exists() {
        let mut git = git::command(order.root);
        let _ = run_git(order, git.args(["worktree", "remove", "--force"]).arg(checkout));
        let _ = fs::remove_dir_all(checkout);
        let _ = run_git(order, git::command(order.root).args(["worktree", "prune"]));
    }
}

fn run_git(order: &Order<'_>, command: &mut Command) -> Result<(), BuildError> {
    let failed = |reason| BuildError::Checkout { revision: order.asked.to_owned(), reason };
    git::run(command).map(drop).map_err(|error| failed(error.to_string()))
}

/// How to build the sources in a folder.
fn recipe(order: &Order<'_>, folder: &Path) -> Result<Recipe, BuildError> {
    match order.recipe {
        Some(build) => Ok(Recipe::of_config(build)),
        None => recipe::detect(folder, order.root)
            .map_err(|reason| BuildError::NoRecipe { revision: order.asked.to_owned(), reason }),
    }
}

/// Products of a recipe.
struct BuildProduct {
    program: PathBuf,
    recipe: Recipe,
}

/// Runs the recipe in a folder.
fn compile(
    order: &Order<'_>,
    folder: &Path,
    log: &Path,
    context: &Session,
) -> Result<BuildProduct, BuildError> {
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
    for variable in git::HOOK_VARIABLES {
        command.env_remove(variable);
    }
    secret::remove_from(&mut command);
    let failed = |status| BuildError::Failed {
        revision: order.asked.to_owned(),
        command: recipe.to_string(),
        status,
        log_end: log_tail(log),
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
    let is_script = !recipe.files().is_empty() && kept_files::is_program(&binary);
    if is_script || platform::is_program(&binary) {
        return Ok(BuildProduct { program: binary, recipe });
    }
    Err(BuildError::NoBinary {
        revision: order.asked.to_owned(),
        command: recipe.to_string(),
        // A checkout is removed again.
        binary: binary.strip_prefix(folder).unwrap_or(&binary).to_owned(),
        made: kept_files::made_programs(folder),
        is_configured: order.recipe.is_some(),
    })
}

fn log_tail(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    text::last_lines(&String::from_utf8_lossy(&text), LOG_LINES)
}

/// Copies what a build left to where it stays, by one rename, so that a half copied one is never used.
fn keep(
    order: &Order<'_>,
    folder: &Path,
    made: &BuildProduct,
    done: Option<&Path>,
) -> Result<PathBuf, BuildError> {
    let program = &made.program;
    let new = order.home.join("new");
    let _ = fs::remove_dir_all(&new);
    fs::create_dir_all(new.join("bin")).map_err(files("create", &new))?;
    let (copy, hash) = match made.recipe.files() {
        [] => {
            let copy = new.join("bin").join(program.file_name().unwrap_or("engine".as_ref()));
            fs::copy(program, &copy).map_err(files("write", &copy))?;
            let hash = sha256(&copy).map_err(files("read", &copy))?;
            let note = new.join(HASH_FILE);
            fs::write(&note, &hash).map_err(files("write", &note))?;
            (copy, hash)
        }
        entries => {
            let not_kept = |(path, source)| {
                let revision = order.asked.to_owned();
                BuildError::NotKept { revision, path, source }
            };
            kept_files::keep(folder, program, entries, order.commit.is_none(), &new)
                .map_err(not_kept)?
        }
    };
    File::open(&copy).and_then(|file| file.sync_all()).map_err(files("write", &copy))?;
    let done =
        done.map_or_else(|| order.home.join(format!("tree-{}", &hash[..16])), Path::to_owned);
    if find_finished_build(&done).is_none() {
        // What is there is damaged.
        let _ = fs::remove_dir_all(&done);
        fs::rename(&new, &done).map_err(files("create", &done))?;
    }
    let name = copy.file_name().unwrap_or("engine".as_ref());
    Ok(done.join("bin").join(name))
}

fn files(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> BuildError {
    let path = path.to_owned();
    move |source| BuildError::Files { what, path, source }
}
