//! `harness fastchess`: the command lines of fastchess and cutechess-cli, and their lines.

mod lines;

use std::path::Path;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use self::lines::StandIn;
use super::watch::watched;
use super::{check, match_, print, sprt};
use crate::compat::{Dialect, MAPPED, Outputs, Task, Translation, translate};
use crate::config::Config;
use crate::context::{Context, DEFAULT_REPORTS};
use crate::failure::{Exit, Failure, OrFail};
use crate::hint::reports_command;
use crate::kinds::RunSink;
use crate::kinds::games::{ending, outcome, show};
use crate::manual::{page, printed};
use crate::output;
use crate::platform::pin_this_thread;
use crate::runs::games::GamesRun;
use crate::text::shell_words;
use crate::usage::explain;

/// The page that maps every flag.
const PAGE: &str = "from-fastchess";

/// Takes a command line of fastchess or cutechess-cli.
#[derive(Debug, Args)]
#[command(disable_help_flag = true, disable_version_flag = true)]
pub struct FastchessArgs {
    /// Find engines and openings, print the run in our own words, and play nothing.
    #[arg(long)]
    dry_run: bool,
    /// Whose lines to print [default: fastchess's; our own with --json].
    #[arg(long, value_name = "PROGRAM")]
    output: Option<OutputLines>,
    /// The name by which this program is called in the other one's place.
    #[arg(long, hide = true, value_name = "NAME")]
    called: Option<String>,
    /// The other tool's arguments, as they are.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Whose lines are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OutputLines {
    /// Lines of fastchess, or those of its `-output format=cutechess`.
    Fastchess,
    /// Lines of cutechess-cli.
    Cutechess,
    /// Our own report.
    Tench,
}

impl FastchessArgs {
    fn output(&self, context: &Context) -> OutputLines {
        let usual = if context.json { OutputLines::Tench } else { OutputLines::Fastchess };
        self.output.unwrap_or(usual)
    }

    /// Whose command line it is.
    fn dialect(&self, context: &Context) -> Dialect {
        match self.output(context) {
            OutputLines::Cutechess => Dialect::Cutechess,
            OutputLines::Fastchess | OutputLines::Tench => Dialect::Fastchess,
        }
    }

    /// The version; in the place of another program that of the lines, too, by which its users tell whether
    /// they understand them.
    fn version(&self) -> String {
        let own = env!("CARGO_PKG_VERSION");
        match self.called.as_deref() {
            None => format!("harness {own}\n"),
            Some("cutechess-cli") => format!("cutechess-cli 1.5.1 (Tench {own} in its place)\n"),
            Some(_) => format!("fastchess 1.8.2 (Tench {own} in its place)\n"),
        }
    }

    fn stand_in(&self, translation: &Translation, context: &Context) -> StandIn {
        let called = self.called.clone();
        StandIn {
            is_silent: called.is_some() || translation.lines.one_line_warnings,
            program: called.unwrap_or_else(|| "harness fastchess".to_owned()),
            is_cutechess: self.dialect(context) == Dialect::Cutechess,
        }
    }
}

/// A translated command line.
#[derive(Debug, Parser)]
#[command(name = "harness")]
pub struct Ours {
    #[command(subcommand)]
    command: Command,
}

/// Tools whose command lines are translated.
#[derive(Debug, Subcommand)]
pub enum Command {
    Check(check::CheckArgs),
    Match(match_::MatchArgs),
    Sprt(sprt::SprtArgs),
}

/// Runs the command.
///
/// # Errors
/// When an argument is not understood, and as `match` and `sprt`.
pub fn run(args: &FastchessArgs, context: &Context) -> Result<Exit, Failure> {
    let ended = run_own(args, context);
    if args.called.is_some() { with_foreign_status(ended) } else { ended }
}

fn run_own(args: &FastchessArgs, context: &Context) -> Result<Exit, Failure> {
    if args.arguments.is_empty() {
        return help(context);
    }
    match translate(&args.arguments, args.dialect(context)).or_usage()? {
        Task::Help => help(context),
        Task::Version => context.print(&args.version()),
        Task::Engines => {
            let config = Config::find().or_usage()?;
            let names = config.engines.keys().map(|name| format!("{name}\n"));
            context.print(&names.collect::<String>())
        }
        Task::Check(engine) => {
            let words = ["check".to_owned(), engine];
            say(&[command(&words, context)], &[], context);
            let Command::Check(args) = ours_of(&words)? else {
                unreachable!("the first word is `check`")
            };
            check::run(&args, context)
        }
        Task::Play(translation) => play_translated(&translation, args, context),
    }
}

fn help(context: &Context) -> Result<Exit, Failure> {
    context.print(&printed(page(PAGE).or_failed()?))
}

/// Prints commands that do the same when they are pasted into a shell, and what was left out.
fn say(commands: &[String], notes: &[String], context: &Context) {
    if !commands.is_empty() {
        context.say("the same in our own words:");
    }
    commands.iter().for_each(|command| context.say(command));
    if context.on.is_some() && !commands.is_empty() {
        context.say("note: `--on` and its flags are to be added, or the copy plays here");
    }
    notes.iter().for_each(|note| context.say(&format!("note: {note}")));
}

/// A command of ours with the flags of every command that this one was given, but for those of
/// `--on`: [`say`] tells of it.
fn command(words: &[String], context: &Context) -> String {
    let mut all = vec!["harness".to_owned()];
    if context.reports.as_path() != Path::new(DEFAULT_REPORTS) {
        all.extend(["--reports".to_owned(), context.reports.to_string_lossy().into_owned()]);
    }
    all.extend((!context.probe).then(|| "--no-probe".to_owned()));
    all.extend_from_slice(words);
    shell_words(all)
}

/// The commands that play the run and write its files.
fn commands(translation: &Translation, context: &Context) -> Vec<String> {
    let Translation { words, outputs, cpus, .. } = translation;
    let mut run = command(words, context);
    if !cpus.is_empty() {
        let cpus: Vec<String> = cpus.iter().map(ToString::to_string).collect();
        run = format!("taskset -c {} {run}", cpus.join(","));
    }
    let writing = outputs.formats().filter_map(|(format, output)| {
        let file = output.file?.to_string_lossy().into_owned();
        let words = ["report", "last", "--format", format].map(str::to_owned);
        let redirect = if output.overwrite { ">" } else { ">>" };
        Some(format!("{} {redirect} {}", command(&words, context), shell_words([file])))
    });
    std::iter::once(run).chain(writing).collect()
}

/// Our own words, understood.
fn ours_of(words: &[String]) -> Result<Command, Failure> {
    let line = std::iter::once("harness").chain(words.iter().map(String::as_str));
    let ours = Ours::try_parse_from(line).map_err(|error| {
        let error = explain(error, Ours::command(), words);
        Failure::Usage(miette::miette!(help = MAPPED, "{}", error.to_string().trim_end()))
    })?;
    Ok(ours.command)
}

fn play_translated(
    translation: &Translation,
    args: &FastchessArgs,
    context: &Context,
) -> Result<Exit, Failure> {
    let Translation { words, outputs, cpus, notes, .. } = translation;
    let stand_in = args.stand_in(translation, context);
    if translation.continues.is_some() {
        return lines::play(translation, &args.arguments, &stand_in, context);
    }
    let ours = if args.called.is_some() { Vec::new() } else { commands(translation, context) };
    say(&ours, notes, context);
    if args.dry_run {
        run_of_words(words, context)?;
        return Ok(Exit::Good);
    }
    stay_on(cpus);
    if args.output(context) != OutputLines::Tench {
        return lines::play(translation, &args.arguments, &stand_in, context);
    }
    let run = run_of_words(words, context)?;
    let files = outputs.open(false).or_usage()?;
    let played = lines::with_files(files, context, |stream| {
        let playing = |sink: &RunSink<'_>| {
            run.start(context, &|event| {
                stream.event(event);
                show(event, sink);
            })
        };
        watched(context, playing, ending)
    });
    let finished = played.map_err(|failure| with_files_named(failure, outputs))?;
    print::outcome(&outcome(&finished, context)?, context)
}

/// `harness resume` writes none of the files of the other program: where the games are is added.
fn with_files_named(failure: Failure, outputs: &Outputs) -> Failure {
    match failure {
        Failure::Interrupted(how) if outputs.all().any(|output| output.file.is_some()) => {
            let command = reports_command("report", "last --format pgn -o FILE");
            Failure::Interrupted(format!("{how}; then {command} writes all games"))
        }
        other => other,
    }
}

/// The run of our own words; nothing is started.
fn run_of_words(words: &[String], context: &Context) -> Result<GamesRun, Failure> {
    let config = Config::find().or_usage()?;
    match ours_of(words)? {
        Command::Match(args) => match_::plan_with(&args, &config, context),
        Command::Sprt(args) => sprt::plan_with(&args, &config, context),
        Command::Check(_) => unreachable!("the translation is a match or an SPRT"),
    }
}

/// A failure with the exit status of the other program: it is printed, and ends with 1.
fn with_foreign_status(ended: Result<Exit, Failure>) -> Result<Exit, Failure> {
    match ended {
        Err(Failure::Usage(report) | Failure::Failed(report)) => {
            output::styled_message(&format!("{report:?}"));
            Ok(Exit::Bad)
        }
        Err(Failure::Interrupted(how)) => {
            output::message(&format!("interrupted: {how}"));
            Ok(Exit::Bad)
        }
        ended => ended,
    }
}

/// Keeps this process, and what it starts, on some processors. Where the system refuses, games
/// run anywhere.
fn stay_on(cpus: &[usize]) {
    if !cpus.is_empty()
        && let Err(error) = pin_this_thread(cpus)
    {
        tracing::warn!("-use-affinity: the system refuses: {error}");
    }
}
