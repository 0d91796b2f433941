//! `harness data import`: what others have, as our data; with scores of any engine.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use engine::board::Position;
use miette::Diagnostic;
use serde_json::json;
use thiserror::Error;

use super::convert::{self, ConvertArgs};
use super::generate::files;
use crate::config::Config;
use crate::context::Context;
use crate::data::analyse::{
    Analysts, Answer, Failed, Journal, JournalError, Labels, Recipe, Said, Stopped,
};
use crate::data::flaws::Flaws;
use crate::data::formats::{self, Format, FormatError, Writer};
use crate::failure::{Exit, Failure, OrFail};
use crate::player::pool::start_with;
use crate::player::{self, EngineSpec, FaultKind, Limit, OptionArg, StartSettings, parse_movetime};
use crate::report::Progress;
use crate::report::text::{duration, grouped};
use crate::runs::preflight;

/// Reads games or positions of others, and lets an engine say what they are worth.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness data import lichess_db_standard_rated_2024-01.pgn.zst -o lichess.games
  harness data import games.pgn.bz2 -o games.csv --engine stockfish --nodes 20000 --jobs 4
  harness data import games.pgn.bz2 -o games.csv --engine stockfish --nodes 20000 --resume
  harness data import positions.epd -o labelled.epd --engine ./other --depth 12 --option Hash=64

Without --engine it is `harness data convert`. With it every position gets the engine's score, depth
and move; results stay. Games written as .games or .vf keep their moves and get the engine's scores.
Each position is asked once, however often it comes, from an empty hash table, so that with --nodes
or --depth the answers do not depend on --jobs.

Answers are kept in OUT.answers as they come: Ctrl-C or a crash loses none, --resume goes on. What
the engine fails on and what is mate or stalemate is left out and counted. The inputs are read three
times, so that they may be larger than the memory; the answers must fit, at about 40 bytes each.
To ask about fewer positions, write them first: `harness data view games.pgn --keep all --unscored
--one-in 8 -o some.epd`.")]
pub struct ImportArgs {
    /// What to read.
    #[arg(value_name = "IN", required = true)]
    inputs: Vec<PathBuf>,
    /// What to write.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Who is asked: `builtin`, a program, a path, a name in harness.yaml, a git revision.
    #[arg(long, value_name = "ENGINE", requires = "limit")]
    engine: Option<String>,
    /// Nodes a position.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), group = "limit", requires = "engine")]
    nodes: Option<u64>,
    /// Depth a position, in plies.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..), group = "limit", requires = "engine")]
    depth: Option<u8>,
    /// Time a position: 1s, 100ms, or a number of milliseconds.
    #[arg(long, value_name = "TIME", value_parser = parse_movetime, group = "limit", requires = "engine")]
    movetime: Option<Duration>,
    /// Positions asked about at the same time [default: one a core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), requires = "engine")]
    jobs: Option<u16>,
    /// A UCI option of the engine.
    #[arg(long = "option", value_name = "NAME=VALUE", requires = "engine")]
    options: Vec<OptionArg>,
    /// Goes on with the answers of an earlier run.
    #[arg(long, requires = "engine")]
    resume: bool,
}

/// What ends the asking besides the engine.
#[derive(Debug, Error, Diagnostic)]
enum ImportError {
    /// What is read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Format(#[from] FormatError),
    /// What is kept.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Journal(#[from] JournalError),
}

/// Runs the command.
///
/// # Errors
/// When something cannot be read or written, the engine fails, or the user stops it.
pub fn run(args: &ImportArgs, context: &Context) -> Result<Exit, Failure> {
    let Some(engine) = &args.engine else {
        let (inputs, output) = (args.inputs.clone(), args.output.clone());
        return convert::run(&ConvertArgs { inputs, output }, context);
    };
    let started = Instant::now();
    let writes_games = check_formats(args).or_usage()?;
    let (spec, limit) = (spec(engine, args, context)?, limit(args)?);
    let recipe = Recipe { files: files(&spec).or_usage()?, engine: spec, limit: limit.to_string() };
    let (journal, answers) = Journal::open(&args.output, &recipe, args.resume).or_usage()?;
    let mut asking = Asking { args, context, recipe, limit, journal, answers };
    let (asked, known) = asking.ask()?;
    let Asking { journal, answers, .. } = asking;
    let mut labels = Labels::new(answers);
    let flaws = Flaws::default();
    let written = write(args, writes_games, &flaws, &mut labels).or_failed()?;
    journal.remove().or_failed()?;
    let seconds = started.elapsed().as_secs_f64();
    report(args, &labels, Counts { asked, known, written, flaws, seconds }, context)?;
    Ok(Exit::Good)
}

/// Whether games are written: that they can be is checked before anything is asked.
fn check_formats(args: &ImportArgs) -> Result<bool, FormatError> {
    if args.output.as_os_str() == "-" {
        let reason = "answers are kept beside the new file: give it a name";
        return Err(FormatError::unfit("standard output", reason));
    }
    // Nothing is written yet; the file comes into its place when it is finished.
    let writes_games = Writer::create(&args.output)?.format().has_games();
    for input in &args.inputs {
        if !Format::of(input)?.has_games() && writes_games {
            let reason = "this format holds positions, and the new file is to hold games";
            return Err(FormatError::unfit(input.display(), reason));
        }
    }
    Ok(writes_games)
}

fn spec(engine: &str, args: &ImportArgs, context: &Context) -> Result<EngineSpec, Failure> {
    let config = Config::find().or_usage()?;
    let specs = player::resolve_all(&[engine], &[], &args.options, &config, context);
    Ok(specs.or_usage()?.remove(0))
}

fn limit(args: &ImportArgs) -> Result<Limit, Failure> {
    let limit = args.nodes.map(Limit::Nodes).or(args.depth.map(Limit::Depth));
    let limit = limit.or(args.movetime.map(Limit::MoveTime));
    // Clap has seen to it.
    limit.ok_or_else(|| Failure::Usage(miette::miette!("give --nodes, --depth or --movetime")))
}

/// Everything that asking needs.
struct Asking<'a> {
    args: &'a ImportArgs,
    context: &'a Context,
    recipe: Recipe,
    limit: Limit,
    journal: Journal,
    answers: HashMap<u64, Option<Said>>,
}

impl Asking<'_> {
    /// Asks what was not asked before; how many were, and how many answers there were already.
    fn ask(&mut self) -> Result<(u64, u64), Failure> {
        let mut wanted = self.wanted()?;
        let (total, known) = (wanted.len() as u64, self.answers.len() as u64);
        if wanted.is_empty() {
            return Ok((0, known));
        }
        preflight::probe_one(&self.recipe.engine, self.limit, self.context, &|text| {
            self.context.warn(text)
        })?;
        let (spec, interrupt) = (self.recipe.engine.clone(), &self.context.interrupt);
        let jobs =
            self.args.jobs.map_or_else(crate::runs::games::cores, usize::from).min(wanted.len());
        let start = start_with(StartSettings::default());
        let analysts = Analysts::start(&spec, self.limit, jobs, &start, interrupt);
        let mut analysts = analysts.map_err(|fault| self.ended(Stopped::Player(fault), 0))?;
        let mut progress = Progress::start(Some(total + known), known, self.context.quiet);
        let mut asked = 0;
        let mut keep = |key, answer: Answer| -> Result<ControlFlow<()>, ImportError> {
            self.journal.add(key, &answer)?;
            if let Answer::Failed(reason) = &answer {
                progress.note(reason);
            }
            self.answers
                .insert(key, if let Answer::Said(said) = answer { Some(said) } else { None });
            asked += 1;
            progress.show(known + asked, |pace| {
                let left = pace.seconds_left.map(|left| format!(", {} left", duration(left)));
                let speed = pace.per_minute.map(|speed| format!(", {:.0}/s", speed / 60.0));
                let (done, all) = (grouped(known + asked), grouped(known + total));
                let (speed, left) = (speed.unwrap_or_default(), left.unwrap_or_default());
                format!("{done} of {all} positions{speed}{left}")
            });
            let stop = self.context.interrupt.is_set();
            Ok(if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        let positions = self.args.inputs.iter().flat_map(|input| positions(input));
        let done = analysts.ask(positions, &mut wanted, &mut keep);
        drop(progress);
        match done {
            _ if self.context.interrupt.is_set() => Err(Failure::Interrupted(self.kept())),
            Ok(()) => Ok((asked, known)),
            Err(Failed::Interrupted) => Err(Failure::Interrupted(self.kept())),
            Err(Failed::Ended(ended)) => Err(self.ended(ended, asked)),
            Err(Failed::Other(error)) => Err(error).or_failed(),
        }
    }

    /// Keys of the positions that have to be asked about: each once, and none that is over.
    fn wanted(&self) -> Result<HashSet<u64>, Failure> {
        let mut wanted = HashSet::new();
        let mut progress = Progress::start(None, 0, self.context.quiet);
        let mut read = 0;
        for position in self.args.inputs.iter().flat_map(|input| positions(input)) {
            let position = position.or_failed()?;
            read += 1;
            progress.show(read, |_| format!("{} positions read", grouped(read)));
            if self.context.interrupt.is_set() {
                return Err(Failure::Interrupted(self.kept()));
            }
            let key = position.key();
            let is_new = !self.answers.contains_key(&key) && !wanted.contains(&key);
            if is_new && !position.legal_moves().is_empty() {
                wanted.insert(key);
            }
        }
        Ok(wanted)
    }

    fn kept(&self) -> String {
        let (answers, file) = (grouped(self.answers.len() as u64), self.journal.path().display());
        format!("{answers} answers are in {file}; --resume goes on")
    }

    fn ended(&self, ended: Stopped, asked: u64) -> Failure {
        match ended {
            Stopped::Player(fault) if fault.kind == FaultKind::Interrupted => {
                Failure::Interrupted(self.kept())
            }
            Stopped::Player(fault) if fault.kind == FaultKind::Setting => {
                Failure::Usage(miette::miette!("{fault}"))
            }
            ended if asked == 0 => Failure::Failed(ended.into()),
            ended => Failure::Failed(miette::miette!(help = self.kept(), "{ended}")),
        }
    }
}

/// The positions of a file.
fn positions(input: &Path) -> Box<dyn Iterator<Item = Result<Position, ImportError>> + Send> {
    // Counted when they are written.
    match formats::records(input, &Flaws::default()) {
        Ok(records) => Box::new(records.map(|record| Ok(record.map(|record| record.position)?))),
        Err(error) => Box::new(std::iter::once(Err(error.into()))),
    }
}

/// How much was written, and left out for want of a result.
struct Written {
    games: u64,
    positions: u64,
    without_result: u64,
}

fn write(
    args: &ImportArgs,
    writes_games: bool,
    flaws: &Flaws,
    labels: &mut Labels,
) -> Result<Written, FormatError> {
    let mut writer = Writer::create(&args.output)?;
    let needs_label = writer.format().needs_label();
    let mut written = Written { games: 0, positions: 0, without_result: 0 };
    for input in &args.inputs {
        if writes_games {
            for game in formats::games(input, flaws)? {
                let game = labels.game(&game?);
                if game.result.is_none() {
                    written.without_result += 1;
                    continue;
                }
                written.games += 1;
                written.positions += game.turns.len() as u64;
                writer.game(&game)?;
            }
            continue;
        }
        for record in formats::records(input, flaws)? {
            let Some(record) = labels.record(&record?) else { continue };
            if needs_label && record.result.is_none() {
                written.without_result += 1;
                continue;
            }
            written.positions += 1;
            writer.record(&record)?;
        }
    }
    writer.finish()?;
    Ok(written)
}

struct Counts {
    asked: u64,
    known: u64,
    written: Written,
    flaws: Flaws,
    seconds: f64,
}

fn report(
    args: &ImportArgs,
    labels: &Labels,
    counts: Counts,
    context: &Context,
) -> Result<(), Failure> {
    let Counts { asked, known, written, flaws, seconds } = counts;
    let Written { games, positions, without_result } = written;
    if context.json {
        let dropped = json!({
            "no_result": without_result, "engine_failed": labels.failed, "over": labels.over,
        });
        let mut told = json!({
            "games": games, "positions": positions, "asked": asked, "known": known,
            "dropped": dropped, "seconds": seconds,
        });
        flaws.add_to(&mut told);
        return context.print(&format!("{told}\n"));
    }
    let [asked_text, known_text] = [asked, known].map(grouped);
    context.print(&format!(
        "{} positions in {}; {asked_text} asked in {}, {known_text} known from before\n",
        grouped(positions),
        args.output.display(),
        duration(seconds)
    ))?;
    for (count, what) in [
        (labels.failed, "on which the engine failed"),
        (labels.over, "that are mate or stalemate"),
        (without_result, "without a result of the board"),
    ] {
        if count > 0 {
            context.print(&format!("left out: {} {what}\n", grouped(count)))?;
        }
    }
    context.print(&flaws.to_string())
}
