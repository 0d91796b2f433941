//! Games of an engine against itself, to train on: a run whose state is the file of its games.

use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::time::Instant;

use crate::games::{cores, most_threads};
use crate::{executor, preflight};
use harness_base::context::Session;
use harness_base::failure::{Failure, OrFail};
use harness_base::session::{Interrupt, Remote};
use harness_base::text::grouped;
use harness_cluster::coordinator::{Done, Unfinished};
use harness_cluster::message::{Outcome, Rules, Task};
use harness_cluster::{ClusterError, Common, Coordinator, game_from_text};
use harness_data::StateError;
use harness_data::game::Game;
use harness_data::generate::{Card, Failed, Output, Recipe, generate};
use harness_player::pool::{InOrder, start_with};
use harness_player::{Fault, FaultKind, Limit, StartSettings};

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
        let numbers = already..(*games).max(already);
        let played = match &session.on {
            Some(remote) => {
                let file = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                // Results of an earlier run that wrote this file with other settings do not count.
                let what = format!("{}:{recipe:?}", file.display());
                let run = format!("data-{}", executor::hash_here(&what));
                generate_elsewhere(recipe, numbers, remote, run, &session.interrupt, &mut keep)
            }
            None => {
                let start = start_with(StartSettings::default());
                let jobs = self.jobs.unwrap_or_else(cores);
                generate(recipe, numbers, jobs, &start, &session.interrupt, &mut keep)
                    .map_err(NotPlayed::Here)
            }
        };
        let (speed, seconds) = (speed(output.card()), started.elapsed().as_secs_f64());
        // Finished games are kept, whatever ended the run.
        let card = output.finish().or_failed()?;
        let (kept, file) = (grouped(card.games), path.display());
        let kept = format!("{kept} games are in {file}; --resume goes on");
        match played {
            _ if session.interrupt.is_finishing() => Err(Failure::Interrupted(kept)),
            Ok(()) => Ok(Generated { card, seconds, speed }),
            Err(NotPlayed::Here(reason)) => Err(why(reason, kept)),
            Err(NotPlayed::Elsewhere(error)) => Err(error.into()),
        }
    }
}

/// Why not all games were played.
enum NotPlayed {
    Here(Failed<StateError>),
    Elsewhere(ClusterError),
}

fn why(reason: Failed<StateError>, kept: String) -> Failure {
    let failed =
        |fault: &Fault, kept: String| Failure::Failed(miette::miette!(help = kept, "{fault}"));
    match reason {
        Failed::Keeper(error) => Failure::Failed(error.into()),
        Failed::Player(fault) => failed(&fault, kept),
        Failed::Interrupted => Failure::Interrupted(kept),
        Failed::NotStarted(fault) if fault.kind == FaultKind::Setting => {
            Failure::Usage(miette::miette!("{fault}"))
        }
        Failed::NotStarted(fault) => failed(&fault, "no game was played".to_owned()),
    }
}

/// As [`generate`], by workers on other machines.
fn generate_elsewhere(
    recipe: &Recipe,
    numbers: Range<u64>,
    remote: &Remote,
    run: String,
    interrupt: &Interrupt,
    keep: &mut dyn FnMut(Game) -> Result<ControlFlow<()>, StateError>,
) -> Result<(), NotPlayed> {
    let engines = std::slice::from_ref(&recipe.engine);
    let common = Common {
        run,
        engines,
        rules: Rules::SelfPlay(Box::new(recipe.clone())),
        settings: &StartSettings::default(),
        threads: most_threads(engines),
        reference: None,
        contributors: BTreeSet::new(),
    };
    let coordinator = Coordinator::new(remote, &common, interrupt);
    let mut coordinator = coordinator.map_err(NotPlayed::Elsewhere)?;
    let mut order = InOrder::from(numbers.start);
    let mut kept = Ok(());
    let mut keep_all = |done: Vec<Done>| {
        for Done { number, outcome, .. } in done {
            if let Outcome::Game(text) = &outcome
                && let Some(game) = game_from_text(text)
            {
                order.put(number, game);
            }
        }
        while let Some((_, game)) = order.take() {
            if keep(game)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    };
    let ended = coordinator.run(&mut numbers.map(Task::Game), &mut |done| {
        keep_all(done).unwrap_or_else(|error| {
            kept = Err(NotPlayed::Here(Failed::Keeper(error)));
            ControlFlow::Break(())
        })
    });
    kept?;
    ended.map_err(|reason| match reason {
        Unfinished::Interrupted => NotPlayed::Here(Failed::Interrupted),
        Unfinished::Failed(error) => NotPlayed::Elsewhere(error),
    })
}

fn hourly(moves: u64, started: Instant) -> u64 {
    (3_600.0 * moves as f64 / started.elapsed().as_secs_f64().max(1e-3)) as u64
}
