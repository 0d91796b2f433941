//! Positions or games of others with scores of an engine: a run whose state is the journal of its
//! answers.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use engine::board::Position;
use serde::Serialize;

use crate::backend::{Keeper, Setup};
use crate::games::free_cores;
use crate::preflight;
use harness_base::context::{Interrupt, Session};
use harness_base::failure::{Failure, OrFail};
use harness_base::text::grouped;
use harness_cluster::work::{Question, Scores, ScoresTrouble, ScoringTask};
use harness_cluster::{Backend, BackendError};
use harness_data::analyse::{Answer, EngineAnswer, Journal, Labels, Recipe, Stopped};
use harness_data::convert::Converted;
use harness_data::flaws::Flaws;
use harness_data::formats::{self, Format, FormatError, Writer};
use harness_data::generate::named_files;
use harness_data::record::Record;
use harness_data::{DataError, StateError};
use harness_player::pool::start_with;
use harness_player::{EngineSpec, FaultKind, Limit, StartSettings};

/// Files to import, and the engine that scores their positions; nothing is started.
#[derive(Clone, Debug)]
pub struct ImportRun {
    /// Source.
    pub inputs: Vec<PathBuf>,
    /// Destination.
    pub output: PathBuf,
    /// The engine.
    pub engine: EngineSpec,
    /// Its limit for a position.
    pub limit: Limit,
    /// Positions searched at the same time; `None`: one a core.
    pub jobs: Option<usize>,
    /// Go on with the answers of an earlier run.
    pub resume: bool,
    /// Counts games of PGN that are dropped or corrected.
    pub flaws: Flaws,
}

/// Something that happened in an import.
pub enum Event<'a> {
    /// Something that makes the result worth less.
    Warning(&'a str),
    /// Positions were read.
    Read(u64),
    /// The searches begin.
    Started {
        /// Answers of an earlier run.
        known: u64,
        /// Positions, those with an answer included.
        total: u64,
    },
    /// The engine failed on a position.
    Failed(&'a str),
    /// Positions with an answer.
    Answered(u64),
}

/// Takes every event, one after the other.
pub type Sink<'a> = dyn Fn(&Event<'_>) + 'a;

/// Counts of what was written.
#[derive(Debug, Serialize)]
pub struct Imported {
    /// Games, in formats that hold games.
    pub games: u64,
    /// Positions.
    pub positions: u64,
    /// Positions searched by this process.
    pub asked: u64,
    /// Answers of an earlier run.
    pub known: u64,
    /// Left out.
    pub dropped: Dropped,
    /// Wall time of this process.
    pub seconds: f64,
    /// Games of PGN that were dropped or corrected.
    #[serde(flatten)]
    pub flaws: Flaws,
}

/// Filters of an import.
#[derive(Debug, Serialize)]
pub struct Dropped {
    /// Games or positions without a result.
    pub no_result: u64,
    /// Positions on which the engine failed.
    pub engine_failed: u64,
    /// Checkmates and stalemates.
    pub over: u64,
}

impl ImportRun {
    /// Searches the positions that have no answer yet, and writes the output.
    ///
    /// # Errors
    /// When something cannot be read or written, the engine fails, or the user interrupts.
    pub fn start(&self, session: &Session, sink: &Sink<'_>) -> Result<Imported, Failure> {
        let begun = Instant::now();
        let writes_games = self.check_formats().or_usage()?;
        let (engine, limit) = (self.engine.clone(), self.limit.to_string());
        let recipe = Recipe { files: named_files(&engine).or_usage()?, engine, limit };
        let (journal, answers) = Journal::open(&self.output, &recipe, self.resume).or_usage()?;
        let mut asking = Asking { run: self, session, sink, journal, answers };
        let (asked, known) = asking.ask()?;
        let Asking { journal, answers, .. } = asking;
        let mut labels = Labels::new(answers);
        let Converted { games, positions, dropped, flaws, .. } =
            self.write(&mut labels, writes_games, &session.interrupt)?;
        journal.remove().or_failed()?;
        let no_result = dropped.no_result;
        let dropped = Dropped { no_result, engine_failed: labels.failed, over: labels.over };
        let seconds = begun.elapsed().as_secs_f64();
        Ok(Imported { games, positions, asked, known, dropped, seconds, flaws })
    }

    fn write(
        &self,
        labels: &mut Labels,
        games: bool,
        interrupt: &Interrupt,
    ) -> Result<Converted, DataError> {
        let mut writer = Writer::create(&self.output)?;
        let mut converted = Converted::new(self.flaws.clone());
        for input in &self.inputs {
            if games {
                converted.games(input, &mut writer, interrupt, &mut |game| labels.game(&game))?;
            } else {
                let mut label = |record: Record| labels.record(&record);
                converted.positions(input, &mut writer, interrupt, &mut label)?;
            }
        }
        writer.finish()?;
        Ok(converted)
    }

    /// Whether games are written. That they can be is checked before any search.
    fn check_formats(&self) -> Result<bool, FormatError> {
        if self.output.as_os_str() == "-" {
            let reason = "answers are kept beside the new file: give it a name";
            return Err(FormatError::unfit("standard output", reason));
        }
        // Nothing is written yet; the file comes into its place when it is finished.
        let writes_games = Writer::create(&self.output)?.format().has_games();
        for input in &self.inputs {
            if !Format::from_path(input)?.has_games() && writes_games {
                let reason = "this format holds positions, and the new file is to hold games";
                return Err(FormatError::unfit(input.display(), reason));
            }
        }
        Ok(writes_games)
    }
}

/// The searches of an import.
struct Asking<'a> {
    run: &'a ImportRun,
    session: &'a Session,
    sink: &'a Sink<'a>,
    journal: Journal,
    answers: HashMap<u64, Option<EngineAnswer>>,
}

impl Asking<'_> {
    /// Searches the positions without an answer; their number, and the number of earlier answers.
    fn ask(&mut self) -> Result<(u64, u64), Failure> {
        let mut wanted = self.wanted()?;
        let (total, known) = (wanted.len() as u64, self.answers.len() as u64);
        if wanted.is_empty() {
            return Ok((0, known));
        }
        let ImportRun { inputs, output, engine, limit, jobs, .. } = self.run;
        let (session, sink) = (self.session, self.sink);
        let warn = |text: &str| sink(&Event::Warning(text));
        preflight::probe_one(engine, *limit, session, &warn)?;
        let work = Scores { engine: Box::new(engine.clone()), limit: *limit };
        let start = start_with(StartSettings::default());
        let setup = Setup {
            work: &work,
            engines: std::slice::from_ref(engine),
            limits: std::slice::from_ref(limit),
            // What is asked under a number depends on what is known.
            keeper: Keeper::File {
                kind: "import",
                path: output,
                settings: format!("{known}:{engine:?}:{limit}"),
            },
            jobs: jobs.unwrap_or_else(free_cores).min(wanted.len()),
            start: &start,
            settings: StartSettings::default(),
            watch: None,
        };
        let backend = setup.backend(session).map_err(|reason| self.not_done(reason, 0));
        let mut backend: Backend<'_, Scores> = backend?;
        sink(&Event::Started { known, total: total + known });
        let mut asked = 0;
        let mut keep = |key, answer: Answer| -> Result<ControlFlow<()>, StateError> {
            self.journal.add(key, &answer)?;
            if let Answer::Failed(reason) = &answer {
                sink(&Event::Failed(reason));
            }
            let said = if let Answer::Searched(said) = answer { Some(said) } else { None };
            self.answers.insert(key, said);
            asked += 1;
            sink(&Event::Answered(known + asked));
            Ok(session.interrupt.flow())
        };
        let positions = inputs.iter().flat_map(|input| positions(input, &self.run.flaws));
        let asked_for = positions.filter(|position| match position {
            Ok(position) => wanted.remove(&position.key()),
            Err(_) => true,
        });
        // Here each answer is kept as it comes.
        let size = if session.on.is_some() { POSITIONS_PER_TASK } else { 1 };
        let mut tasks = Tasks { positions: asked_for, size, number: 0, error: None };
        let done = backend.run(&mut tasks, &mut |done| {
            for (key, answer) in done.into_iter().flat_map(|done| done.answer.0) {
                if keep(key, answer)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        });
        match done {
            _ if session.interrupt.is_finishing() => Err(Failure::Interrupted(self.kept())),
            Ok(()) => Ok((asked, known)),
            Err(reason) => Err(self.not_done(reason, asked)),
        }
    }

    /// Keys of the positions to search: each once, no checkmates and stalemates.
    fn wanted(&self) -> Result<HashSet<u64>, Failure> {
        let mut wanted = HashSet::new();
        let positions = self.run.inputs.iter().flat_map(|input| positions(input, &self.run.flaws));
        for (read, position) in (1..).zip(positions) {
            let position = position?;
            (self.sink)(&Event::Read(read));
            if self.session.interrupt.is_set() {
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
        format!("{answers} answers are in {file}; --resume continues")
    }

    /// Why not all positions were searched, of which this number was.
    fn not_done(&self, reason: BackendError<ScoresTrouble, StateError>, asked: u64) -> Failure {
        match reason {
            BackendError::Interrupted => Failure::Interrupted(self.kept()),
            BackendError::NotStarted(fault) => self.ended(Stopped::Player(fault), asked),
            BackendError::Here(ScoresTrouble::Engine(ended)) => self.ended(ended, asked),
            BackendError::Here(damaged) => Failure::Failed(damaged.into()),
            BackendError::Elsewhere(error) => error.into(),
            BackendError::Caller(error) => Failure::Failed(error.into()),
        }
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

/// Positions of a task of a worker.
const POSITIONS_PER_TASK: usize = 8;

/// Positions as tasks of some positions each; one that cannot be read ends them.
struct Tasks<I> {
    positions: I,
    /// Positions of a task.
    size: usize,
    /// The number of the next task.
    number: u64,
    /// Read after the positions of the last task.
    error: Option<StateError>,
}

impl<I: Iterator<Item = Result<Position, StateError>>> Iterator for Tasks<I> {
    type Item = Result<ScoringTask, StateError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut positions: Vec<Question> = Vec::new();
        while self.error.is_none() && positions.len() < self.size {
            match self.positions.next() {
                Some(Ok(position)) => positions.push(position.into()),
                Some(Err(error)) => self.error = Some(error),
                None => break,
            }
        }
        if positions.is_empty() {
            return self.error.take().map(Err);
        }
        let number = self.number;
        self.number += 1;
        Some(Ok(ScoringTask { number, positions }))
    }
}

/// The positions of a file.
fn positions(
    input: &Path,
    flaws: &Flaws,
) -> Box<dyn Iterator<Item = Result<Position, StateError>> + Send> {
    // Flaws are counted when the output is written.
    let flaws = if flaws.are_errors() { Flaws::strict() } else { Flaws::default() };
    match formats::records(input, &flaws) {
        Ok(records) => Box::new(records.map(|record| Ok(record.map(|record| record.position)?))),
        Err(error) => Box::new(std::iter::once(Err(error.into()))),
    }
}
