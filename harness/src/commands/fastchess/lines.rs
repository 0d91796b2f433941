//! A run in the place of fastchess or cutechess-cli: their lines on standard output, and their exit status.

use std::path::Path;
use std::sync::Arc;

use miette::Diagnostic;
use thiserror::Error;

use super::{run_of_words, with_files_named};
use serde_json::json;

use crate::arena::{Leg, OutputChecks, Termination};
use crate::commands::watch::{ending_of, published};
use crate::compat::{
    Dialect, End, GameFiles, LineSettings, Saved, SavedRun, Stream, Task, Translation,
    USUAL_CONFIG, translate,
};
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::files::try_to_write;
use crate::kinds::{self, Outcome, RunEvent, RunSink};
use crate::ledger::{Ledger, LedgerError, StoredGame};
use crate::output;
use crate::player::OptionError;
use crate::runs::games::{Event, Fit, KeptGame, RefusedOption};
use crate::session::Session;

/// How a run stands in for the other program.
#[derive(Clone, Debug)]
pub struct StandIn {
    /// The name by which it was called.
    pub program: String,
    /// Nothing but the other program's lines: no report on standard error.
    pub is_silent: bool,
    /// Lines of cutechess-cli whatever the command line says.
    pub is_cutechess: bool,
}

impl StandIn {
    fn settings(&self, lines: &LineSettings) -> LineSettings {
        if self.is_cutechess { lines.clone().of_cutechess() } else { lines.clone() }
    }
}

/// A saved configuration that names no run.
#[derive(Debug, Error, Diagnostic)]
enum NotSaved {
    #[error("cannot read {file}: {source}")]
    #[diagnostic(help("`-config file=FILE discard=true` starts again"))]
    Unreadable { file: String, source: std::io::Error },
    #[error("{file} was not saved by this program")]
    #[diagnostic(help(
        "what it continues has to be in the reports folder; `-config file=FILE discard=true` starts \
         again"
    ))]
    Foreign { file: String },
}

/// Plays a translated command line; gives the exit status of the other program.
///
/// # Errors
/// When the run cannot be planned.
pub fn play(
    translation: &Translation,
    arguments: &[String],
    stand_in: &StandIn,
    context: &Context,
) -> Result<Exit, Failure> {
    if let Some(file) = &translation.continues {
        return resume(file, stand_in, context);
    }
    let mut settings = stand_in.settings(&translation.lines);
    let session = Session { probe: false, ..context.session.clone() };
    let here = Context { session, json: false, hooks: Arc::clone(&context.hooks) };
    let run = run_of_words(&translation.words, &here)?;
    let (run, fits) = run.without_misfits(&here)?;
    let run = run.checking_output(translation.check_mates);
    for refused in fits.iter().flat_map(|fit| &fit.refused) {
        here.print(&warning(refused))?;
    }
    complete(&mut settings, &fits);
    // The usual configuration is saved where it can be.
    let asked = Some(&translation.config_file).filter(|file| *file != Path::new(USUAL_CONFIG));
    let asked = asked.filter(|_| settings.dialect != Dialect::Cutechess);
    asked.map(|file| try_to_write(file)).transpose().or_usage()?;
    let files = translation.outputs.open(false).or_usage()?;
    let saved = saved(translation, arguments, &settings);
    let stream = Stream::new(settings, files, saved, here.interrupt.setter(), &output::result);
    let playing = |publisher: &RunSink<'_>| {
        run.start(&here, &|event| {
            publisher(&RunEvent::Games(event));
            show(event, &stream, &here);
        })
    };
    let played = published(&here, playing, kinds::games::ending);
    let outcome = played
        .and_then(|finished| kinds::games::outcome(&finished, &here))
        .map_err(|failure| with_files_named(failure, &translation.outputs));
    end(stream, outcome, stand_in, context)
}

/// Plays a run that prints our own report, with the files of the other program.
///
/// # Errors
/// Those of `play`; and when a file cannot be written.
pub fn with_files<T>(
    files: GameFiles,
    context: &Context,
    play: impl FnOnce(&Stream<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let settings = LineSettings { recovers: true, ..LineSettings::default() };
    let stream = Stream::new(settings, files, None, context.interrupt.setter(), &|_| Ok(()));
    let played = play(&stream);
    let end = if played.is_ok() { End::Played } else { End::Interrupted };
    let unwritten = stream.end(end, "");
    unwritten.game.map_or(Ok(()), Err).or_failed()?;
    played
}

/// Continues the run of a saved configuration.
fn resume(file: &Path, stand_in: &StandIn, context: &Context) -> Result<Exit, Failure> {
    let named = || file.display().to_string();
    let read = SavedRun::read(file)
        .map_err(|source| NotSaved::Unreadable { file: named(), source })
        .or_usage()?;
    let SavedRun { run, arguments, engines } =
        read.ok_or_else(|| NotSaved::Foreign { file: named() }).or_usage()?;
    context.print(&format!("Loading config file: {}\n", file.display()))?;
    let dialect = if stand_in.is_cutechess { Dialect::Cutechess } else { Dialect::Fastchess };
    let Task::Play(translation) = translate(&arguments, dialect).or_usage()? else {
        return Err(NotSaved::Foreign { file: named() }).or_usage();
    };
    let settings = stand_in.settings(&translation.lines);
    let ledger = Ledger::open_existing(&context.reports)?;
    let mut resumed = ledger.resume_run(&run)?;
    // They are not stored with the plan, as they change no result.
    resumed.plan["conduct"]["checks"] = json!(OutputChecks { mates: translation.check_mates });
    let files = translation.outputs.open(true).or_usage()?;
    let saved = saved(&translation, &arguments, &settings);
    let stream = Stream::new(settings, files, saved, context.interrupt.setter(), &output::result);
    ledger
        .each_game(&run, |game| {
            stream.count_earlier(&kept(&game, &engines));
            Ok::<_, LedgerError>(())
        })
        .or_failed()?;
    let playing = |publisher: &RunSink<'_>| {
        kinds::resume(&ledger, resumed, context, &|event| {
            publisher(event);
            if let RunEvent::Games(event) = event {
                show(event, &stream, context);
            }
        })
    };
    let outcome = published(context, playing, ending_of)
        .map_err(|failure| with_files_named(failure, &translation.outputs));
    end(stream, outcome, stand_in, context)
}

/// A game of the ledger as an event has it. `engines` are the names in their order.
fn kept<'a>(game: &'a StoredGame, engines: &[String]) -> KeptGame<'a> {
    let index = |name: &str| engines.iter().position(|engine| engine == name).unwrap_or(0);
    let first = game.score().unwrap_or(crate::stats::GameScore::Draw);
    KeptGame {
        pair: game.pair,
        leg: Leg::from_index(game.game).unwrap_or(Leg::First),
        white: index(&game.white),
        black: index(&game.black),
        result: if game.first_is_white { first } else { first.reversed() },
        termination: Termination::from_key(&game.termination).unwrap_or(Termination::VariantEnd),
        reason: "",
        pgn: &game.pgn,
    }
}

/// The configuration to save; cutechess-cli saves none.
fn saved(
    translation: &Translation,
    arguments: &[String],
    settings: &LineSettings,
) -> Option<Saved> {
    (settings.dialect != Dialect::Cutechess).then(|| {
        let file = translation.config_file.clone();
        Saved::new(file, translation.saved.clone(), arguments)
    })
}

/// Takes an event of the run: its lines, and what our own reports say beside them.
fn show(event: &Event<'_>, stream: &Stream<'_>, context: &Context) {
    stream.event(event);
    match event {
        Event::Warning(text) => context.warn(text),
        Event::Broken { engine, games } => {
            context.say(&format!("{engine} lost {games} games in a row by its faults"));
        }
        _ => {}
    }
}

/// Prints the last lines and, unless it is unwanted, our own report; gives the exit status.
fn end(
    stream: Stream<'_>,
    outcome: Result<Outcome, Failure>,
    stand_in: &StandIn,
    context: &Context,
) -> Result<Exit, Failure> {
    let is_broken = stream.is_broken();
    let end = match &outcome {
        // It was to end, and its last game ended before.
        Ok(_) if is_broken => End::Interrupted,
        Ok(_) => End::Played,
        Err(Failure::Interrupted(_)) => End::Interrupted,
        Err(_) => End::Failed,
    };
    let unwritten = stream.end(end, &stand_in.program);
    if let Some(error) = unwritten.game {
        return Err(error).or_failed();
    }
    if let Some(error) = unwritten.line {
        return Err(error).or_failed();
    }
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(Failure::Interrupted(how)) => {
            if !is_broken && !stand_in.is_silent {
                context.say(&format!("interrupted: {how}"));
            }
            // cutechess-cli ends well when it is interrupted.
            let is_good = stand_in.is_cutechess && !is_broken;
            return Ok(if is_good { Exit::Good } else { Exit::Bad });
        }
        Err(failure) => return Err(failure),
    };
    if !stand_in.is_silent {
        context.say(outcome.text.trim_end());
    }
    outcome.warnings.iter().for_each(|warning| context.warn(warning));
    Ok(if is_broken { Exit::Bad } else { Exit::Good })
}

/// The line about an option that is not set.
fn warning(refused: &RefusedOption) -> String {
    let RefusedOption { engine, option, value, error } = refused;
    match error {
        OptionError::Unknown { .. } => {
            format!("Warning; {engine} doesn't have option {option}\n")
        }
        _ => format!("Warning; Invalid value for option {option}; {value}\n"),
    }
}

/// Completes the heading of blocks by what engines declare.
fn complete(settings: &mut LineSettings, fits: &[Fit]) {
    let heading = &mut settings.heading;
    for (index, fit) in fits.iter().take(2).enumerate() {
        let is_refused = |name: &str| {
            fit.refused.iter().any(|refused| refused.option.eq_ignore_ascii_case(name))
        };
        let value = |given: Option<String>, default: Option<i64>, name: &str| {
            let given = given.filter(|_| !is_refused(name));
            default.map(|default| given.unwrap_or_else(|| default.to_string()))
        };
        heading.threads[index] = value(heading.threads[index].take(), fit.threads, "Threads");
        heading.hash[index] = value(heading.hash[index].take(), fit.hash, "Hash");
    }
}
