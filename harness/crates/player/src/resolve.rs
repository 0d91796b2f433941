//! Resolves what the user wrote to an engine that can be started.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use miette::{Diagnostic, Report};
use thiserror::Error;

use super::addresses::{Addresses, distinct};
use super::build::BuildError;
use super::executable;
use super::git::{self, GitTrouble};
use super::hash::sha256;
use super::revision;
use super::spec::{EngineSpec, Program, Protocol};
use harness_base::config::{Config, EngineEntry};
use harness_base::failure::Failure;
use harness_base::output;
use harness_base::platform::is_program;
use harness_base::session::Session;
use harness_base::system;
use harness_base::text::nearest;
use harness_base::text::path::decode_path;

/// Where Debian installs engines; some PATHs lack them.
const GAMES_FOLDERS: [&str; 2] = ["/usr/games", "/usr/local/games"];

/// The name of the linked engine.
const BUILTIN: &str = "builtin";

/// A `--option` of the command line: `NAME=VALUE` for all engines, `ENGINE.NAME=VALUE` for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionArg {
    /// The text before `=`; it may name an engine, which depends on the list of engines.
    pub name: String,
    /// The text after the first `=`.
    pub value: String,
}

/// An `--option` without a name or a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("write NAME=VALUE or ENGINE.NAME=VALUE, such as Hash=64")]
pub struct ParseOptionError;

impl FromStr for OptionArg {
    type Err = ParseOptionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() => {
                Ok(OptionArg { name: name.trim().to_owned(), value: value.trim().to_owned() })
            }
            _ => Err(ParseOptionError),
        }
    }
}

/// An engine that cannot be found, read or built.
#[derive(Debug, Error, Diagnostic)]
pub enum ResolveError {
    /// Nothing of that name anywhere.
    #[error("there is no engine `{text}`")]
    #[diagnostic(help("tried{}{}", bullets(tried), suggestion(near)))]
    NotFound {
        /// The text as written.
        text: String,
        /// Where it was looked for, in order.
        tried: Vec<String>,
        /// A name that may have been meant.
        near: Option<String>,
    },
    /// A name without a letter.
    #[error("the name of an engine is empty")]
    #[diagnostic(help("is a variable of the shell not set? `builtin` is the linked engine"))]
    NoName,
    /// A file that is no program.
    #[error("{} is no program: {}", .0.display(), .1)]
    #[diagnostic(help(
        "an engine is an executable file for this machine; `chmod +x` makes a built one executable"
    ))]
    NotExecutable(PathBuf, String),
    /// An engine of `harness.yaml` whose program is missing.
    #[error("engine `{name}`{}: there is no program `{cmd}`", of_file(file))]
    #[diagnostic(help(
        "`cmd` is a program on PATH, or a path seen from {}",
        if file.as_os_str().is_empty() { "this folder" } else { "the folder of that file" }
    ))]
    NoProgram {
        /// The engine's name.
        name: String,
        /// Its `cmd`.
        cmd: String,
        /// The `harness.yaml`; empty for an engine that a program described.
        file: PathBuf,
    },
    /// The linked engine with what only a program can have.
    #[error("engine `{name}`{}: the linked engine has no `{what}`", of_file(file))]
    #[diagnostic(help("it runs in this process; `cmd` and `options` are all that it takes"))]
    NoChild {
        /// The engine's name.
        name: String,
        /// The part that it cannot have.
        what: &'static str,
        /// The `harness.yaml`.
        file: PathBuf,
    },
    /// A git revision that cannot be had.
    #[error("there is no engine `{text}`: {}", trouble.reason)]
    #[diagnostic(help("{}", trouble.help))]
    NoRevision {
        /// The text as written.
        text: String,
        /// Why not.
        trouble: GitTrouble,
    },
    /// The program is there but cannot be read.
    #[error("cannot read {}: {}", .0.display(), .1)]
    #[diagnostic(help("it must be readable, too: what plays is known by the hash of the file"))]
    Unreadable(PathBuf, #[source] io::Error),
    /// A revision that does not build.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Build(#[from] BuildError),
}

impl ResolveError {
    /// Whether a revision was found and does not build.
    pub fn is_failed_build(&self) -> bool {
        matches!(self, ResolveError::Build(BuildError::Failed { .. } | BuildError::NoBinary { .. }))
    }

    /// Whether a revision was found, and nothing in it shows how to build it.
    pub fn has_no_recipe(&self) -> bool {
        matches!(self, ResolveError::Build(BuildError::NoRecipe { .. }))
    }

    /// Whether the repository has no such revision.
    pub fn is_no_revision(&self) -> bool {
        matches!(self, ResolveError::NoRevision { .. })
    }
}

/// A wrong name is a usage error; a valid one that cannot be had is a failure.
impl From<ResolveError> for Failure {
    fn from(error: ResolveError) -> Failure {
        match error {
            ResolveError::Build(BuildError::Interrupted) => {
                Failure::Interrupted("nothing was kept of the unfinished build".to_owned())
            }
            ResolveError::Build(BuildError::NoRecipe { .. } | BuildError::NoCache)
            | ResolveError::NoName
            | ResolveError::NotFound { .. }
            | ResolveError::NoRevision { .. }
            | ResolveError::NotExecutable(..)
            | ResolveError::NoProgram { .. }
            | ResolveError::NoChild { .. } => Failure::Usage(Report::new(error)),
            ResolveError::Unreadable(..) | ResolveError::Build(_) => {
                Failure::Failed(Report::new(error))
            }
        }
    }
}

fn of_file(file: &Path) -> String {
    if file.as_os_str().is_empty() { String::new() } else { format!(" of {}", file.display()) }
}

fn bullets(lines: &[String]) -> String {
    lines.iter().map(|line| format!("\n- {line}")).collect()
}

fn suggestion(near: &Option<String>) -> String {
    near.as_ref().map(|near| format!("\ndid you mean `{near}`?")).unwrap_or_default()
}

/// Finds one engine, and builds it if it is a revision that was not built before.
///
/// In this order: `builtin`, the working tree `.`, a name in `harness.yaml`, a path, a branch, a
/// tag or `HEAD` of the current git repository, a program on PATH or in the games folders,
/// any other revision. (Programs named `HEAD` and `test` are common, and are no engines.)
///
/// # Errors
/// When it cannot be found, read or built.
pub fn resolve(text: &str, config: &Config, context: &Session) -> Result<EngineSpec, ResolveError> {
    let found = find(text, config)?;
    say_of_revisions(std::iter::once(&found), context);
    Ok(found.engine(config, context)?)
}

/// Finds one engine as [`resolve`] does, and builds nothing: `None` is a revision, which is built when it
/// plays.
///
/// # Errors
/// When it cannot be found or read.
pub fn look_up(text: &str, config: &Config) -> Result<Option<EngineSpec>, ResolveError> {
    Ok(match find(text, config)? {
        ResolvedEngine::Ready(spec) => Some(spec),
        ResolvedEngine::Revision(_) => None,
    })
}

/// An engine that was found, if not built yet.
enum ResolvedEngine {
    Ready(EngineSpec),
    Revision(revision::FoundRevision),
}

impl ResolvedEngine {
    fn engine(self, config: &Config, context: &Session) -> Result<EngineSpec, BuildError> {
        match self {
            ResolvedEngine::Ready(spec) => Ok(spec),
            ResolvedEngine::Revision(found) => found.engine(config, context),
        }
    }
}

/// Warns of names that mean two revisions. Says which changes a run leaves out that plays the commit of the
/// working tree, unless it plays the working tree, too.
fn say_of_revisions<'a>(
    engines: impl Iterator<Item = &'a ResolvedEngine> + Clone,
    context: &Session,
) {
    let revisions = engines.filter_map(|found| match found {
        ResolvedEngine::Revision(revision) => Some(revision),
        ResolvedEngine::Ready(_) => None,
    });
    if context.quiet {
        return;
    }
    let ambiguous = revisions.clone().filter_map(revision::FoundRevision::ambiguity);
    ambiguous.for_each(|warning| output::message(&warning));
    if revisions.clone().any(revision::FoundRevision::is_working_tree) {
        return;
    }
    if let Some(note) = revisions.into_iter().find_map(revision::FoundRevision::uncommitted) {
        output::message(&note);
    }
}

fn find(text: &str, config: &Config) -> Result<ResolvedEngine, ResolveError> {
    if text.trim().is_empty() {
        return Err(ResolveError::NoName);
    }
    let mut tried = vec![format!("`{BUILTIN}`, the linked engine")];
    if text == BUILTIN {
        return Ok(ResolvedEngine::Ready(EngineSpec::builtin(text)));
    }
    if text != "."
        && let Some(spec) = ready_made(text, config, &mut tried)?
    {
        return Ok(ResolvedEngine::Ready(spec));
    }
    let near = || near(text, config);
    let no_revision = |trouble| ResolveError::NoRevision { text: text.to_owned(), trouble };
    tried.push(match git::find_repository() {
        Ok(root) => match revision::find_in(&root, text) {
            Some(found) => return Ok(ResolvedEngine::Revision(found)),
            None if revision::is_like_one(text) && near().is_none() => {
                return Err(no_revision(git::missing_revision(&root, text)));
            }
            None if git::is_shallow(&root) => format!(
                "a revision of the git repository {}, a shallow clone: {}",
                root.display(),
                git::UNSHALLOW
            ),
            None => format!("a revision of the git repository {}", root.display()),
        },
        Err(trouble) if revision::is_like_one(text) => return Err(no_revision(trouble)),
        Err(trouble) => format!("a git revision ({})", trouble.reason),
    });
    // Nothing else is meant, and it is said why it cannot be used.
    let path = Path::new(text);
    if path.exists() {
        return executable(stem(path), path).map(ResolvedEngine::Ready);
    }
    Err(ResolveError::NotFound { text: text.to_owned(), tried, near: near() })
}

/// An engine that need not be built; `None` also where a name is better taken as a revision.
fn ready_made(
    text: &str,
    config: &Config,
    tried: &mut Vec<String>,
) -> Result<Option<EngineSpec>, ResolveError> {
    if let Some(entry) = config.engines.get(text) {
        return configured(text, entry, config).map(Some);
    }
    tried.push(match &config.file {
        Some(file) => format!("a name under `engines:` in {}", file.display()),
        None => "a name under `engines:` in harness.yaml (there is none here or above)".into(),
    });
    let path = Path::new(text);
    if text.contains('/') {
        tried.push("a file of that path".to_owned());
        return path.exists().then(|| executable(stem(path), path)).transpose();
    }
    // libwww-perl installs a program HEAD, which is no engine.
    if text == "HEAD" {
        return Ok(None);
    }
    let program = on_path(text);
    if revision::is_named(text) {
        if let Some(path) = program {
            let path = path.display();
            tracing::warn!("`{text}` is taken as the git revision; for the program say {path}");
        }
        return Ok(None);
    }
    if let Some(path) = program {
        return executable(text.to_owned(), &path).map(Some);
    }
    tried.push(format!("a program on PATH, in {}", GAMES_FOLDERS.join(" or ")));
    if is_program(path) {
        return executable(stem(path), path).map(Some);
    }
    tried.push("an executable file in this folder".to_owned());
    Ok(None)
}

/// Finds several engines, gives them distinct names and sets the options of the command line.
///
/// `roles` are further names by which options may address the engines, in the same order
/// (`new`, `old`); it may be shorter. An option that addresses no engine is for all of them.
///
/// # Errors
/// As [`resolve`], at the first that fails.
pub fn resolve_all<S: AsRef<str>>(
    texts: &[S],
    roles: &[&str],
    options: &[OptionArg],
    config: &Config,
    context: &Session,
) -> Result<Vec<EngineSpec>, ResolveError> {
    // All are found before any is built: a branch may move meanwhile.
    let mut found = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        // A program against itself is read (and hashed) once.
        let known = texts[..index].iter().position(|earlier| earlier.as_ref() == text.as_ref());
        found.push(match known {
            Some(earlier) => Err(earlier),
            None => Ok(find(text.as_ref(), config)?),
        });
    }
    say_of_revisions(found.iter().flatten(), context);
    let mut specs: Vec<EngineSpec> = Vec::with_capacity(texts.len());
    for found in found {
        specs.push(match found {
            Ok(found) => found.engine(config, context)?,
            Err(earlier) => specs[earlier].clone(),
        });
    }
    make_names_distinct(&mut specs);
    let addresses = Addresses::new(&specs, texts, roles);
    // General ones first: in `--option new.Hash=1 --option Hash=2` the first one wins for `new`.
    let (particular, general): (Vec<_>, Vec<_>) =
        options.iter().partition(|option| addresses.split(&option.name).is_some());
    let mut targets: Vec<(Option<usize>, &str, &str)> = Vec::with_capacity(options.len());
    targets.extend(general.iter().map(|option| (None, &*option.name, &*option.value)));
    targets.extend(particular.iter().filter_map(|option| {
        let (index, name) = addresses.split(&option.name)?;
        Some((Some(index), name, &*option.value))
    }));
    for (at, &(index, name, value)) in targets.iter().enumerate() {
        // As in other runners, whose command lines are taken, the last one counts.
        let is_again = targets[..at].iter().any(|&(other, known, before)| {
            other == index && known.eq_ignore_ascii_case(name) && before != value
        });
        if is_again && !context.quiet {
            output::message(&format!(
                "note: `--option {name}` is given twice: the last one counts, {value}"
            ));
        }
        match index {
            Some(index) => set(&mut specs[index], name, value),
            None => specs.iter_mut().for_each(|spec| set(spec, name, value)),
        }
    }
    Ok(specs)
}

/// Sets an option; names are compared without case, as UCI has it.
fn set(spec: &mut EngineSpec, name: &str, value: &str) {
    spec.options.retain(|known, _| !known.eq_ignore_ascii_case(name));
    spec.options.insert(name.to_owned(), value.to_owned());
}

/// Adds variants of an engine: the engine of that index with further options, which its name says.
pub fn add_variants(specs: &mut Vec<EngineSpec>, of: usize, variants: &[Vec<(&str, &str)>]) {
    for options in variants {
        let mut variant = specs[of].clone();
        for (name, value) in options {
            set(&mut variant, name, value);
            let shown =
                Path::new(value).file_name().map_or((*value).into(), |name| name.to_string_lossy());
            variant.name += &format!(" {name}={shown}");
        }
        specs.push(variant);
    }
    make_names_distinct(specs);
}

/// Gives engines names that are unlike.
fn make_names_distinct(specs: &mut [EngineSpec]) {
    let names: Vec<String> = specs.iter().map(|spec| spec.name.clone()).collect();
    for (spec, name) in specs.iter_mut().zip(distinct(names)) {
        spec.name = name;
    }
}

fn configured(
    name: &str,
    entry: &EngineEntry,
    config: &Config,
) -> Result<EngineSpec, ResolveError> {
    let file = || config.file.clone().unwrap_or_default();
    if entry.cmd == BUILTIN {
        let foreign = [
            ("args", !entry.args.is_empty()),
            ("dir", entry.dir.is_some()),
            ("init", !entry.init.is_empty()),
            ("proto", entry.proto != Protocol::Uci),
        ];
        if let Some((what, _)) = foreign.into_iter().find(|(_, said)| *said) {
            return Err(ResolveError::NoChild { name: name.to_owned(), what, file: file() });
        }
        return Ok(EngineSpec { options: entry.options.clone(), ..EngineSpec::builtin(name) });
    }
    let folder = config.folder();
    let seen_from_file = folder.join(decode_path(&entry.cmd));
    let path = if entry.cmd.contains('/') {
        seen_from_file.exists().then_some(seen_from_file)
    } else {
        on_path(&entry.cmd).or_else(|| is_program(&seen_from_file).then_some(seen_from_file))
    };
    let path = path.ok_or_else(|| ResolveError::NoProgram {
        name: name.to_owned(),
        cmd: entry.cmd.clone(),
        file: file(),
    })?;
    let mut spec = executable(name.to_owned(), &path)?;
    if let Program::Executable { args, protocol, init, dir, .. } = &mut spec.program {
        *args = entry.args.clone();
        *protocol = entry.proto;
        init.clone_from(&entry.init);
        *dir = entry.dir.as_ref().map(|dir| folder.join(dir));
    }
    spec.options = entry.options.clone();
    Ok(spec)
}

fn executable(name: String, path: &Path) -> Result<EngineSpec, ResolveError> {
    let unreadable = |source| ResolveError::Unreadable(path.to_owned(), source);
    let unfit = |reason: String| ResolveError::NotExecutable(path.to_owned(), reason);
    if path.is_dir() {
        return Err(unfit("it is a folder; name the program in it".to_owned()));
    }
    if !path.is_file() {
        return Err(unfit("it is not a file".to_owned()));
    }
    if !is_program(path) {
        return Err(unfit("it lacks the permission to be executed".to_owned()));
    }
    if let Some(reason) = executable::unfit(path).map_err(unreadable)? {
        return Err(unfit(reason));
    }
    let path = std::path::absolute(path).map_err(unreadable)?;
    let sha256 = sha256(&path).map_err(unreadable)?;
    let program = Program::uci(path, sha256, None);
    Ok(EngineSpec { name, program, options: BTreeMap::new() })
}

fn stem(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn on_path(program: &str) -> Option<PathBuf> {
    system::program(program, &GAMES_FOLDERS)
}

fn near(text: &str, config: &Config) -> Option<String> {
    let mut names: Vec<String> = vec![BUILTIN.to_owned()];
    names.extend(config.engines.keys().cloned());
    names.extend(git::names());
    for folder in GAMES_FOLDERS {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        names.extend(files.map(|file| file.file_name().to_string_lossy().into_owned()));
    }
    if let Some((folder, _)) = text.rsplit_once('/') {
        let files = std::fs::read_dir(if folder.is_empty() { "/" } else { folder });
        let files = files.into_iter().flatten().flatten();
        names.extend(files.map(|file| format!("{folder}/{}", file.file_name().to_string_lossy())));
    }
    nearest(text, names.iter().map(String::as_str)).map(str::to_owned)
}

#[cfg(test)]
mod tests {

    use super::*;
    use harness_base::session::Interrupt;

    fn context() -> Session {
        let interrupt = Interrupt::manual().unwrap().0;
        Session { reports: PathBuf::from("reports"), quiet: true, probe: true, on: None, interrupt }
    }

    fn options(texts: &[&str]) -> Vec<OptionArg> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn options_address_all_engines_or_one_by_name_or_by_role() {
        let given = options(&["new.Hash=1", "Hash=2", "builtin#2.Algorithm=negamax"]);
        let specs = resolve_all(
            &["builtin", "builtin"],
            &["new", "old"],
            &given,
            &Config::default(),
            &context(),
        )
        .unwrap();
        assert_eq!(specs[0].name, "builtin");
        assert_eq!(specs[1].name, "builtin#2");
        assert_eq!(specs[0].options["Hash"], "1");
        assert_eq!(specs[1].options["Hash"], "2");
        assert_eq!(specs[1].options["Algorithm"], "negamax");
        assert!(!specs[0].options.contains_key("Algorithm"));
    }

    #[test]
    fn an_option_without_a_value_is_refused() {
        assert!("Hash".parse::<OptionArg>().is_err());
        assert!("=3".parse::<OptionArg>().is_err());
        assert_eq!("Path=a=b".parse::<OptionArg>().unwrap().value, "a=b");
    }

    #[test]
    fn an_unknown_engine_error_lists_what_was_tried_and_what_is_near() {
        let error = resolve("bultin", &Config::default(), &context()).unwrap_err();
        let help = error.help().unwrap().to_string();
        assert!(help.contains("harness.yaml") && help.contains("PATH"), "{help}");
        assert!(help.contains("did you mean `builtin`?"), "{help}");
    }

    #[test]
    fn a_file_without_execute_permission_is_named_as_such() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = resolve(file.path().to_str().unwrap(), &Config::default(), &context());
        assert!(matches!(error, Err(ResolveError::NotExecutable(..))), "{error:?}");
    }

    #[test]
    fn an_engine_of_harness_yaml_is_found_beside_the_file_and_keeps_its_options() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("fish");
        std::fs::write(&program, "#!/bin/sh\n").unwrap();
        harness_base::platform::make_program(&program).unwrap();
        let file = folder.path().join(harness_base::config::FILE_NAME);
        std::fs::write(&file, "engines: {f: {cmd: ./fish, args: [-x], options: {Hash: 8}}}")
            .unwrap();
        let config = Config::read(&file).unwrap();
        let given = options(&["hash=32"]);
        let specs = resolve_all(&["f"], &[], &given, &config, &context()).unwrap();
        let Program::Executable { path, args, sha256, .. } = &specs[0].program else { panic!() };
        assert!(path.ends_with("fish") && path.is_absolute());
        assert_eq!(args, &["-x"]);
        assert_eq!(sha256.len(), 64);
        // The command line wins over the file, whatever the case.
        assert_eq!(specs[0].options, BTreeMap::from([("hash".to_owned(), "32".to_owned())]));
    }

    #[test]
    fn harness_yaml_names_the_linked_engine_with_options_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(harness_base::config::FILE_NAME);
        let text = "engines: {old: {cmd: builtin, options: {EvalFile: classical}}, \
                    odd: {cmd: builtin, args: [-x]}}";
        std::fs::write(&file, text).unwrap();
        let config = Config::read(&file).unwrap();
        let specs = resolve_all(&["old", "builtin"], &[], &[], &config, &context()).unwrap();
        assert!(specs.iter().all(|spec| spec.program == Program::Builtin));
        assert_eq!((specs[0].name.as_str(), specs[1].name.as_str()), ("old", "builtin"));
        assert_eq!(specs[0].options["EvalFile"], "classical");
        assert!(specs[1].options.is_empty());
        let error = resolve("odd", &config, &context()).unwrap_err().to_string();
        assert!(error.contains("has no `args`"), "{error}");
    }
}
