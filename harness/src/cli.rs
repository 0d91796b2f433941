//! The command line: global flags and the list of commands.

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use clap::builder::NonEmptyStringValueParser;
use clap::{CommandFactory, Parser, Subcommand};

use crate::build;
use crate::cluster::ClusterError;
use crate::commands::install_as::Runner;
use crate::commands::{Called, Command};
use crate::config::{Config, DEFAULT_EVERY};
use crate::context::DEFAULT_REPORTS;
use crate::session::{ClusterAddress, NamedBy, Place, Remote, Scaling};
use crate::usage;

/// Where the help of a command lists the flags that all commands share.
const HEADING: &str = "For every command";

/// Where it lists those of runs on many machines.
const ON: &str = "With --on";

/// `--priority` and `--verify` unless given.
const USUAL_PRIORITY: f64 = 1.0;
const USUAL_VERIFY: f64 = 0.02;

/// With `--` before the `-v` of `fastchess -v`: it asks for the version there, and is no flag of ours.
fn version_of_runner(mut words: Vec<OsString>) -> Vec<OsString> {
    if let [command, flag] = &words[..]
        && command == "fastchess"
        && flag == "-v"
    {
        words.insert(1, "--".into());
    }
    words
}

/// A priority of a text.
fn priority(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.01..=100.0).contains(number));
    number.ok_or_else(|| "a priority is a number from 0.01 to 100; usual is 1".to_owned())
}

/// A share of a text.
fn share(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "a share is a number from 0 to 1, such as 0.02".to_owned())
}

/// A speed of a text, in nodes a second.
fn knps(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (1.0..=1e6).contains(number));
    number.map(|number| 1000.0 * number).ok_or_else(|| {
        "a speed is a number of thousand nodes a second, such as 800; `harness workers` shows them"
            .to_owned()
    })
}

/// The command line.
pub type Cli = CommandLine<Command>;

/// The test bench for chess engines.
#[derive(Debug, Parser)]
#[command(name = "harness", version, long_version = build::description(), propagate_version = true)]
pub struct CommandLine<C: Subcommand> {
    /// Folder of the ledger and of the runs.
    #[arg(long, global = true, help_heading = HEADING, value_name = "DIR", default_value = DEFAULT_REPORTS)]
    pub reports: PathBuf,
    /// Print exactly one JSON object on standard output; of an error `{"error": {...}}`.
    #[arg(long, global = true, help_heading = HEADING)]
    pub json: bool,
    /// Log more to standard error; twice for everything.
    #[arg(short, long, global = true, help_heading = HEADING, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Show results only, no progress.
    #[arg(short, long, global = true, help_heading = HEADING, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Play, search or tune without probing the engines first.
    #[arg(long, global = true, help_heading = HEADING)]
    pub no_probe: bool,
    /// Run a shell command at events of the run: it began, more is done, it ended; the event is on its
    /// input as JSON (`harness docs hooks`). `none`: not those of harness.yaml either.
    #[arg(long, global = true, help_heading = HEADING, hide_short_help = true, value_name = "COMMAND",
        value_parser = NonEmptyStringValueParser::new())]
    pub on_event: Vec<String>,
    /// Games, positions or other units between two events of progress.
    #[arg(long, global = true, help_heading = HEADING, hide_short_help = true, value_name = "N",
        default_value_t = DEFAULT_EVERY)]
    pub on_event_every: NonZeroU64,
    /// Let workers on other machines play, by way of a NATS server (`harness serve`); `here`: none
    /// [default: `on` of harness.yaml].
    #[arg(long, global = true, help_heading = HEADING, value_name = "URL")]
    pub on: Option<Place>,
    /// Share of the workers against other runs: one of 2 gets twice the cores of one of 1.
    #[arg(long, global = true, help_heading = ON, hide_short_help = true, value_name = "N",
        default_value_t = USUAL_PRIORITY, value_parser = priority)]
    pub priority: f64,
    /// Let each worker play time limits as they are, at its own speed.
    #[arg(long, global = true, help_heading = ON, hide_short_help = true)]
    pub no_scale: bool,
    /// Scale time limits to machines of this speed, in thousands of nodes a second of the linked
    /// engine on one core [default: this machine's].
    #[arg(long, global = true, help_heading = ON, hide_short_help = true, value_name = "KNPS",
        conflicts_with = "no_scale", value_parser = knps)]
    pub reference_speed: Option<f64>,
    /// Let each worker build engines of git revisions from their sources, for its own processor.
    #[arg(long, global = true, help_heading = ON, hide_short_help = true)]
    pub build_on_workers: bool,
    /// Play this share of the workers' pairs at fixed nodes or depth again on this machine, to find
    /// workers that lie; 0: none.
    #[arg(long, global = true, help_heading = ON, hide_short_help = true, value_name = "SHARE",
        default_value_t = USUAL_VERIFY, value_parser = share)]
    pub verify: f64,
    /// Start no engine on this machine, where it would be probed and its bench measured before workers
    /// play: they say what is wrong with it.
    #[arg(long, global = true, help_heading = ON, hide_short_help = true)]
    pub probe_on_workers: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: C,
}

impl Command {
    /// The server whose workers play: that of `--on`, else of harness.yaml.
    ///
    /// # Errors
    /// When `--on` names one, and the command is for this machine only.
    fn server(&self, on: Option<&Place>) -> Result<Option<ClusterAddress>, ClusterError> {
        Ok(match on {
            Some(Place::Here) => None,
            Some(Place::Server(_)) if !self.plays_elsewhere() => {
                return Err(ClusterError::OnlyHere { what: "this command" });
            }
            Some(Place::Server(given)) => Some(given.clone().into()),
            // A command that needs the file reports what is wrong with it.
            None if self.plays_elsewhere() => Config::find().ok().and_then(|config| {
                let named_by = NamedBy::File;
                config.on.map(|server| ClusterAddress { server, credentials: None, named_by })
            }),
            None => None,
        })
    }
}

impl Cli {
    /// The flags of `--on` that were given and change nothing on this machine alone.
    pub fn unused_without_workers(&self) -> Vec<&'static str> {
        let given = [
            ("--priority", self.priority != USUAL_PRIORITY),
            ("--no-scale", self.no_scale),
            ("--reference-speed", self.reference_speed.is_some()),
            ("--build-on-workers", self.build_on_workers),
            ("--verify", self.verify != USUAL_VERIFY),
            ("--probe-on-workers", self.probe_on_workers),
        ];
        given.into_iter().filter_map(|(flag, is_given)| is_given.then_some(flag)).collect()
    }

    /// The server whose workers play: that of `--on`, else of harness.yaml.
    ///
    /// # Errors
    /// When `--on` names one, and the command is for this machine only.
    pub fn server(&self) -> Result<Option<Remote>, ClusterError> {
        let scaling = match (self.no_scale, self.reference_speed) {
            (true, _) => Scaling::Off,
            (false, Some(speed)) => Scaling::To(speed),
            (false, None) => Scaling::Here,
        };
        let address = self.command.server(self.on.as_ref())?;
        let priority = self.priority;
        let sources = self.build_on_workers;
        let (verify, starts_here) = (self.verify, !self.probe_on_workers);
        Ok(address.map(|address| Remote {
            address,
            priority,
            scaling,
            sources,
            verify,
            starts_here,
        }))
    }

    /// The command line of this process.
    ///
    /// # Errors
    /// When it is `--help`, or the words are not understood.
    pub fn of_process() -> Result<Cli, clap::Error> {
        let mut words = std::env::args_os();
        let program = words.next().unwrap_or_default();
        // In the place of another runner, whose name it has.
        let runner = Runner::of_program(Path::new(&program));
        let own = runner.map(Runner::words).unwrap_or_default();
        let words = own.into_iter().map(OsString::from).chain(words);
        let words = usage::join_numbers(version_of_runner(words.collect()));
        let line = || std::iter::once(&program).chain(&words);
        if let Ok(called) = CommandLine::<Called>::try_parse_from(line()) {
            return Ok(called.into());
        }
        Cli::try_parse_from(line()).map_err(|error| {
            let words = words.iter().map(|word| word.to_string_lossy().into_owned());
            usage::explain(error, Cli::command(), &words.collect::<Vec<_>>())
        })
    }
}

impl From<CommandLine<Called>> for Cli {
    fn from(line: CommandLine<Called>) -> Cli {
        let CommandLine { reports, json, verbose, quiet, no_probe, on, priority, .. } = line;
        let CommandLine { no_scale, reference_speed, build_on_workers, verify, .. } = line;
        let CommandLine { probe_on_workers, command, on_event, on_event_every, .. } = line;
        CommandLine {
            reports,
            json,
            verbose,
            quiet,
            no_probe,
            on_event,
            on_event_every,
            on,
            priority,
            no_scale,
            reference_speed,
            build_on_workers,
            verify,
            probe_on_workers,
            command: command.into(),
        }
    }
}

#[cfg(test)]
mod tests;
