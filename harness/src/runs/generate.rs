//! Games of an engine against itself, to train on: a run whose state is the file of its games.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use crate::context::Session;
use crate::data::StateError;
use crate::data::generate::{Card, Failed, Output, Recipe, generate};
use crate::failure::{Failure, OrFail};
use crate::player::pool::start_with;
use crate::player::{Fault, FaultKind, Limit, StartSettings};
use crate::runs::{games::cores, preflight};
use crate::text::grouped;

/// Games to generate into a file; everything is known, nothing is started.
#[derive(Clone, Debug)]
pub struct GenerateRun {
    /// The settings of the games.
    pub recipe: Recipe,
    /// The file.
    pub path: PathBuf,
    /// Games in the file at the end.
    pub games: u64,
    /// Games played at the same time; `None`: one a core.
    pub jobs: Option<usize>,
    /// Go on with a file that is there.
    pub resume: bool,
}

/// Something that happened while games were generated.
pub enum Event<'a> {
    /// Something that makes the result worth less.
    Warning(&'a str),
    /// The run begins, or goes on.
    Started {
        /// What is in the file.
        card: &'a Card,
        /// Games wanted.
        games: u64,
    },
    /// A game was added to the file.
    Added {
        /// What is in the file.
        card: &'a Card,
        /// Games wanted.
        games: u64,
        /// Positions an hour since the start.
        speed: u64,
    },
}

/// Takes every event, one after the other.
pub type Sink<'a> = dyn Fn(&Event<'_>) + 'a;

/// A complete file of games.
pub struct Generated {
    /// What is in it.
    pub card: Card,
    /// Wall time of this process, in seconds.
    pub seconds: f64,
    /// Positions an hour.
    pub speed: u64,
}

impl GenerateRun {
    /// Plays the games that the file lacks.
    ///
    /// # Errors
    /// When the engine fails, the file has other settings or cannot be written, or the user
    /// interrupts.
    pub fn start(&self, session: &Session, sink: &Sink<'_>) -> Result<Generated, Failure> {
        let GenerateRun { recipe, path, games, .. } = self;
        let warn = |text: &str| sink(&Event::Warning(text));
        preflight::probe_one(&recipe.engine, Limit::Nodes(recipe.nodes), session, &warn)?;
        let mut output = Output::open(path, recipe.clone(), self.resume).or_usage()?;
        let (already, before) = (output.card().games, output.card().moves);
        let started = Instant::now();
        let speed = |card: &Card| hourly(card.moves - before, started);
        sink(&Event::Started { card: output.card(), games: *games });
        let mut keep = |game| -> Result<ControlFlow<()>, StateError> {
            output.add(&game)?;
            let card = output.card();
            sink(&Event::Added { card, games: *games, speed: speed(card) });
            Ok(session.interrupt.flow())
        };
        let start = start_with(StartSettings::default());
        let jobs = self.jobs.unwrap_or_else(cores);
        let numbers = already..(*games).max(already);
        let played = generate(recipe, numbers, jobs, &start, &session.interrupt, &mut keep);
        let (speed, seconds) = (speed(output.card()), started.elapsed().as_secs_f64());
        // Finished games are kept, whatever ended the run.
        let card = output.finish().or_failed()?;
        let (kept, file) = (grouped(card.games), path.display());
        let kept = format!("{kept} games are in {file}; --resume goes on");
        match played {
            _ if session.interrupt.is_set() => Err(Failure::Interrupted(kept)),
            Ok(()) => Ok(Generated { card, seconds, speed }),
            Err(Failed::Keeper(error)) => Err(error).or_failed(),
            Err(Failed::Player(fault)) => Err(failed(&fault, kept)),
            Err(Failed::Interrupted) => Err(Failure::Interrupted(kept)),
            Err(Failed::NotStarted(fault)) if fault.kind == FaultKind::Setting => {
                Err(Failure::Usage(miette::miette!("{fault}")))
            }
            Err(Failed::NotStarted(fault)) => Err(failed(&fault, "no game was played".to_owned())),
        }
    }
}

fn hourly(moves: u64, started: Instant) -> u64 {
    (3_600.0 * moves as f64 / started.elapsed().as_secs_f64().max(1e-3)) as u64
}

fn failed(fault: &Fault, kept: String) -> Failure {
    Failure::Failed(miette::miette!(help = kept, "{fault}"))
}
