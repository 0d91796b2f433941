//! Lookup of the engines, suites and files of a command line before it is started.
//!
//! Nothing is built; engines that need no build are started once, for what they offer.

use std::fs;
use std::path::Path;

use miette::Diagnostic;

use crate::recipe::Recipe;
use harness_arena::{Openings, OpeningsSpec, Rules};
use harness_base::config::Config;
use harness_base::failure::{ErrorObject, Failure};
use harness_base::input;
use harness_base::session::Interrupt;
use harness_base::text::counted;
use harness_base::yaml::parse_text;
use harness_player::{self as player, DeclaredOption, EngineSpec, Program, StartSettings};
use harness_runs::{gate, loop_, tune};
use harness_stats::{Model, Sprt};
use harness_suite::Suite;
use harness_training::config as training;

/// Result of a lookup: the names found, and those that are wrong.
#[derive(Debug, Default)]
pub struct Lookup {
    /// One line each: `HEAD: revision 1a2b3c4, "Search: ..."`.
    pub found: Vec<String>,
    /// One paragraph each, with what to do.
    pub wrong: Vec<String>,
}

/// Flags that name a file to read.
const FILES: [&str; 3] = ["openings", "baseline", "config"];

/// Largest book that is read for a lookup, in bytes.
const MAX_BOOK_BYTES: u64 = 32 << 20;

/// Usual probability of each of the two errors of a test.
const ERROR_RATE: f64 = 0.05;

/// Names of the engines of a test, by their places.
const ROLES: [&str; 2] = ["new", "old"];

/// What is wrong with the pipes and devices of a command line: whoever reads one may wait without end, and who looks
/// into it takes from the run what is in it.
fn endless_files(recipe: &Recipe) -> Vec<String> {
    let values = recipe.flags.iter().flat_map(|(_, values)| values);
    let is_endless = |name: &&String| {
        let path = Path::new(name.as_str());
        path != Path::new("/dev/null") && input::is_plain(path).is_ok_and(|plain| !plain)
    };
    let endless = recipe.arguments.iter().chain(values).filter(is_endless);
    let text = |name| {
        format!(
            "`{name}` is a pipe or a device, which a page cannot wait for; write what comes from it into a file"
        )
    };
    endless.map(text).collect()
}

/// Looks up what a command line names.
pub fn look_up(recipe: &Recipe, interrupt: &Interrupt) -> Lookup {
    let wrong = endless_files(recipe);
    let mut lookup = Lookup { wrong, ..Lookup::default() };
    if !lookup.wrong.is_empty() {
        return lookup;
    }
    let config = match Config::find() {
        Ok(config) => config,
        Err(error) => {
            lookup.wrong.push(error.to_string());
            Config::default()
        }
    };
    let (engines, others) = named(recipe);
    match recipe.command.as_str() {
        "suite" => lookup.suite(others.first()),
        "sprt" => lookup.bounds(recipe),
        command @ ("tune run" | "gate" | "train" | "loop") => {
            lookup.configuration(command, others.first(), &config);
        }
        _ => {}
    }
    for (at, engine) in engines.iter().enumerate() {
        if !engines[..at].contains(engine) {
            lookup.engine(engine, recipe, &config, interrupt);
        }
    }
    for flag in FILES {
        for path in recipe.values(flag) {
            lookup.file(flag, path, recipe);
        }
    }
    for folder in recipe.values("tb").iter().flat_map(|list| list.split(':')) {
        if !folder.is_empty() && !Path::new(folder).is_dir() {
            lookup.wrong.push(format!("--tb: there is no folder `{folder}`"));
        }
    }
    lookup
}

/// The engines that a command line names, and its other arguments.
fn named(recipe: &Recipe) -> (Vec<String>, Vec<String>) {
    let arguments = recipe.arguments.clone();
    let flag = recipe.values("engine").to_vec();
    match recipe.command.as_str() {
        "match" | "sprt" => (arguments, Vec::new()),
        "race" => {
            (arguments.into_iter().chain(recipe.values("base").to_vec()).collect(), Vec::new())
        }
        "suite" => {
            let (suite, engines) = arguments.split_at(arguments.len().min(1));
            (engines.to_vec(), suite.to_vec())
        }
        _ => (flag, arguments),
    }
}

/// An error with what to do.
pub fn with_help(error: &dyn Diagnostic) -> String {
    match error.help() {
        Some(help) => format!("{error}\n  {help}"),
        None => error.to_string(),
    }
}

/// Reads the file of a command as that command does; gives what it is.
///
/// # Errors
/// What the command would refuse, in words for people.
fn read_as(command: &str, path: &Path, text: &str) -> Result<&'static str, String> {
    match command {
        "tune run" => match tune::check_experiment(path, text) {
            Ok(()) => Ok("a tuning"),
            Err(failure) => Err(failure_text(&failure)),
        },
        "gate" => match gate::Config::parse(path, text) {
            Ok(_) => Ok("the checks of a gate"),
            Err(error) => Err(with_help(&error)),
        },
        "train" => match training::Config::read(path) {
            Ok(_) => Ok("a training"),
            Err(error) => Err(with_help(&error)),
        },
        _ => match loop_::config::Config::read(path) {
            Ok(_) => Ok("a loop"),
            Err(error) => Err(with_help(&error)),
        },
    }
}

/// A failure in words for people, with what to do.
pub fn failure_text(failure: &Failure) -> String {
    let ErrorObject { message, help, related, .. } = ErrorObject::from_failure(failure);
    let others = related.into_iter().chain(help).map(|line| format!("\n  {line}"));
    message + &others.collect::<String>()
}

impl Lookup {
    fn suite(&mut self, name: Option<&String>) {
        let Some(name) = name else { return };
        match Suite::load(name) {
            Ok(suite) => {
                let title = suite.title.unwrap_or_else(|| "a file".to_owned());
                self.found.push(format!(
                    "{name}: {title}, {}",
                    counted(suite.positions.len() as u64, "position", "positions")
                ));
            }
            Err(error) => self.wrong.push(with_help(&error)),
        }
    }

    /// The two hypotheses of a test, of which one may be the usual one.
    fn bounds(&mut self, recipe: &Recipe) {
        let elo = |flag: &str, usual: f64| match recipe.value(flag) {
            "" => Some(usual),
            text => text.parse().ok(),
        };
        let (Some(elo0), Some(elo1)) = (elo("elo0", 0.0), elo("elo1", 10.0)) else { return };
        if let Err(error) = Sprt::new(Model::Normalized, elo0, elo1, ERROR_RATE, ERROR_RATE) {
            self.wrong.push(format!("--elo0 {elo0} and --elo1 {elo1}: {error}"));
        }
    }

    /// A YAML file, and the engine that it names.
    fn configuration(&mut self, command: &str, path: Option<&String>, config: &Config) {
        let Some(path) = path else { return };
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => {
                self.wrong.push(format!(
                    "cannot read `{path}`: {error}\n  paths are seen from {}",
                    std::env::current_dir().unwrap_or_default().display()
                ));
                return;
            }
        };
        match parse_text::<serde_json::Value>(&text) {
            Err(error) => self.wrong.push(format!("`{path}` is no YAML: {error}")),
            Ok(value) => {
                match read_as(command, Path::new(path), &text) {
                    Ok(what) => self.found.push(format!("{path}: {what}")),
                    Err(wrong) => self.wrong.push(wrong),
                }
                if let Some(engine) = value.get("engine").and_then(|engine| engine.as_str())
                    && let Err(error) = player::look_up(engine, config)
                {
                    self.wrong.push(format!("`engine` of {path}: {}", with_help(&error)));
                }
            }
        }
    }

    fn engine(&mut self, name: &str, recipe: &Recipe, config: &Config, interrupt: &Interrupt) {
        match player::look_up(name, config) {
            Err(error) => self.wrong.push(with_help(&error)),
            Ok(None) => self.found.push(format!("{name}: {}", revision(name))),
            Ok(Some(spec)) => match declared(&spec, interrupt) {
                Err(reason) => self.wrong.push(format!("`{name}` does not start: {reason}")),
                Ok(options) => {
                    self.found.push(format!(
                        "{name}: an engine with {}",
                        counted(options.len() as u64, "option", "options")
                    ));
                    self.options(name, recipe, &options);
                }
            },
        }
    }

    /// The options of the command line that an engine is given.
    fn options(&mut self, engine: &str, recipe: &Recipe, declared: &[DeclaredOption]) {
        let at = recipe.arguments.iter().position(|argument| argument == engine).unwrap_or(0);
        let role = if recipe.command == "sprt" { ROLES.get(at).copied() } else { None };
        for option in recipe.values("option") {
            let Some((name, value)) = option.split_once('=') else { continue };
            let addressed = name.split_once('.').filter(|(whose, _)| {
                ROLES.contains(whose) || recipe.arguments.iter().any(|known| known == whose)
            });
            let name = match addressed {
                Some((whose, name)) if whose == engine || Some(whose) == role => name,
                Some(_) => continue,
                None => name,
            };
            if let Err(error) = player::check_option(declared, name.trim(), value.trim()) {
                self.wrong.push(format!("--option {option}, engine `{engine}`: {error}"));
            }
        }
    }

    fn file(&mut self, flag: &str, path: &str, recipe: &Recipe) {
        let bytes = match fs::metadata(path) {
            Ok(found) if found.is_file() => found.len(),
            Ok(_) => {
                self.wrong.push(format!("--{flag}: `{path}` is no file"));
                return;
            }
            Err(error) => {
                self.wrong.push(format!("--{flag}: cannot read `{path}`: {error}"));
                return;
            }
        };
        let size = format!("--{flag}: {path}, {} kB", bytes.div_ceil(1000));
        match book(flag, path, bytes, recipe) {
            Some(Ok(openings)) => {
                self.found.push(format!("{size}, {}", counted(openings, "opening", "openings")));
            }
            Some(Err(reason)) => self.wrong.push(format!("--{flag}: {reason}")),
            None => self.found.push(size),
        }
    }
}

/// The number of openings of a book, as a run reads it; `None` of other files, of a large book, and of one for a
/// variant.
fn book(flag: &str, path: &str, bytes: u64, recipe: &Recipe) -> Option<Result<u64, String>> {
    let is_variant = !recipe.values("variant").is_empty();
    if flag != "openings" || bytes > MAX_BOOK_BYTES || is_variant {
        return None;
    }
    let is_chess960 = recipe.value("chess960") == "true";
    let rules = if is_chess960 { Rules::Chess960 } else { Rules::Chess };
    let spec = OpeningsSpec { file: Some(path.into()), rules, ..OpeningsSpec::default() };
    let loaded = Openings::load(&spec).map_err(|error| with_help(&error));
    Some(loaded.map(|openings| openings.len() as u64))
}

/// A revision in words.
fn revision(name: &str) -> String {
    if name == "." {
        return "the working tree, which is built when the run starts".to_owned();
    }
    let found = player::git_here(&["log", "-1", "--format=%h, “%s”", name, "--"]);
    let found = found.map(|found| format!("revision {found}")).unwrap_or("a revision".to_owned());
    format!("{found}; it is built when the run starts, unless it was built before")
}

/// The options that an engine declares; it is started for that.
///
/// # Errors
/// When it does not start; in words for people.
pub fn declared(spec: &EngineSpec, interrupt: &Interrupt) -> Result<Vec<DeclaredOption>, String> {
    if matches!(spec.program, Program::Builtin) {
        return Ok(player::Builtin::declared());
    }
    let started = player::start(spec, &StartSettings::default(), interrupt);
    let player = started.map_err(|error| error.to_string())?;
    Ok(player.declared().to_vec())
}
