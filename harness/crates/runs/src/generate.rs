//! Games of an engine against itself, to train on: a run whose state is the file of its games.

use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::backend::{Keeper, Setup};
use crate::games::free_cores;
use crate::preflight;
use harness_base::context::Session;
use harness_base::failure::{Failure, OrFail};
use harness_base::text::grouped;
use harness_cluster::work::{Done, SelfPlay};
use harness_cluster::{Backend, BackendError};
use harness_data::StateError;
use harness_data::game::Game;
use harness_data::generate::{Card, Output, Recipe};
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
    /// The run begins, or continues.
    Started {
        /// Content of the file.
        card: &'a Card,
        /// Games wanted.
        games: u64,
        /// The file.
        path: &'a Path,
    },
    /// A game was added to the file.
    Added {
        /// Content of the file.
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
    /// Its content.
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
        preflight::probe_nodes(&recipe.engine, recipe.nodes, session, &warn)?;
        let mut output = Output::open(path, recipe.clone(), self.resume).or_usage()?;
        let (already, before) = (output.card().games, output.card().moves);
        if already > *games {
            let [there, wanted] = [already, *games].map(grouped);
            warn(&format!(
                "{} has {there} games already, more than the {wanted} wanted: none is added",
                path.display()
            ));
        }
        let started = Instant::now();
        let speed = |card: &Card| hourly(card.moves - before, started);
        sink(&Event::Started { card: output.card(), games: *games, path });
        let mut keep = |game| -> Result<ControlFlow<()>, StateError> {
            output.add(&game)?;
            let card = output.card();
            sink(&Event::Added { card, games: *games, speed: speed(card) });
            Ok(session.interrupt.flow())
        };
        let numbers = already..(*games).max(already);
        let played = self.play(numbers, session, &mut keep);
        let (speed, seconds) = (speed(output.card()), started.elapsed().as_secs_f64());
        // Finished games are kept, whatever ended the run.
        let card = output.finish().or_failed()?;
        let (kept, file) = (grouped(card.games), path.display());
        let kept = format!("{kept} games are in {file}; --resume continues");
        match played {
            _ if session.interrupt.is_finishing() => Err(Failure::Interrupted(kept)),
            Ok(()) => Ok(Generated { card, seconds, speed }),
            Err(reason) => Err(why(reason, kept)),
        }
    }

    /// Plays the games of these numbers; `keep` gets them in their order, so that the file is the same for
    /// any number of threads, and can be completed after an interruption.
    fn play(
        &self,
        numbers: Range<u64>,
        session: &Session,
        keep: &mut dyn FnMut(Game) -> Result<ControlFlow<()>, StateError>,
    ) -> Result<(), BackendError<Fault, StateError>> {
        let GenerateRun { recipe, path, jobs, .. } = self;
        let work = SelfPlay(recipe.clone());
        let start = start_with(StartSettings::default());
        let setup = Setup {
            work: &work,
            engines: std::slice::from_ref(&recipe.engine),
            limits: &[Limit::Nodes(recipe.nodes)],
            keeper: Keeper::File { kind: "data", path, settings: format!("{recipe:?}") },
            jobs: jobs.unwrap_or_else(free_cores),
            start: &start,
            settings: StartSettings::default(),
            watch: None,
        };
        let mut backend: Backend<'_, SelfPlay> = setup.backend(session)?;
        let mut order = InOrder::from(numbers.start);
        backend.run(&mut numbers.map(Ok), &mut |done| {
            for Done { number, answer, .. } in done {
                order.put(number, answer.into_game());
            }
            while let Some((_, game)) = order.take() {
                if keep(game)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        })
    }
}

fn why(reason: BackendError<Fault, StateError>, kept: String) -> Failure {
    let failed =
        |fault: &Fault, kept: String| Failure::Failed(miette::miette!(help = kept, "{fault}"));
    match reason {
        BackendError::Caller(error) => Failure::Failed(error.into()),
        BackendError::Here(fault) => failed(&fault, kept),
        BackendError::Interrupted => Failure::Interrupted(kept),
        BackendError::NotStarted(fault) if fault.kind == FaultKind::Setting => {
            Failure::Usage(miette::miette!("{fault}"))
        }
        BackendError::NotStarted(fault) => failed(&fault, "no game was played".to_owned()),
        BackendError::Elsewhere(error) => error.into(),
    }
}

fn hourly(moves: u64, started: Instant) -> u64 {
    (3_600.0 * moves as f64 / started.elapsed().as_secs_f64().max(1e-3)) as u64
}
