//! A match or an SPRT: from a plan to a summary.
//!
//! A [`Request`] is plain data; [`GamesRun::plan`] resolves it; [`GamesRun::start`] plays it with a
//! sink of [`Event`]s; [`resume`] continues a run that ended early. Every finished game is in the
//! ledger before it counts ([`record`]).

mod change;
mod cores;
mod earlier;
mod engines;
mod event;
mod facts;
mod finished;
mod memory;
mod node_limit;
mod pins;
mod play;
pub mod pool;
mod race;
mod record;
mod showing;
mod starting;
mod stored_plan;
pub mod stream;
mod tournament;
mod warnings;

use miette::Diagnostic;
use serde_json::{Value, json};
use thiserror::Error;

pub use change::{Changed, RuleChange, RuleChangeError, Underway, change_rule};
pub use cores::{cores, crowding, free_cores, hold_cores, most_threads, take_share_note};
use engines::try_engines;
pub use engines::{Fit, RefusedOption};
pub use event::{Event, KeptGame, RaceEvent, Sink};
use facts::facts;
pub use facts::{MATCH, RACE, SPRT};
pub use finished::{Finished, interruption, of_whole};
use play::Part;
pub use race::{RaceSoFar, race_so_far};
pub use record::counted;
pub use showing::{CalibrationShowing, RatingShowing, Showing};
pub use starting::Starting;
use stored_plan::StoredPlan;

use crate::preflight::may_start;
use crate::read_plan;
use harness_arena::{
    Conduct, Format, Openings, OpeningsSpec, OutputChecks, Pairing, Plan, RatingGoal, Schedule,
    Shard, TablebaseAdjudicator,
};
use harness_base::failure::{Failure, OrFail};
use harness_base::session::Session;
use harness_data::filter::Keep;
use harness_ledger::{Ledger, Run};
use harness_player::{self as player, EngineSpec, Limit, NamedFiles};
use harness_stats::Sprt;
use harness_stats::race::{BASE, RaceRule};

/// A match or an SPRT in plain data.
#[derive(Clone, Debug)]
pub struct Request {
    /// Two engines or more.
    pub engines: Vec<EngineSpec>,
    /// The limit of each engine.
    pub limits: Vec<Limit>,
    /// Pairings of the engines.
    pub format: Format,
    /// Pairings chosen one by one, by index; empty: those of the format.
    pub pairings: Vec<(usize, usize)>,
    /// Most games of each pairing; rounded up to pairs.
    pub games: u64,
    /// The test, if there is one.
    pub sprt: Option<Sprt>,
    /// The rule of a race of the other engines, with the first one as its base.
    pub race: Option<RaceRule>,
    /// The part of the pairs to play; `None`: all. A shard of a test is a match: all shards
    /// together are evaluated by [`pool`].
    pub shard: Option<Shard>,
    /// Published ratings of all engines but the first, which the games rate; at most `games` of them are
    /// played.
    pub rating: Option<RatingGoal>,
    /// Colours, openings and rounds of the format.
    pub pairing: Pairing,
    /// Where games start.
    pub openings: OpeningsSpec,
    /// How games are played.
    pub conduct: Conduct,
    /// Games at the same time; `None`: one a core, fewer if engines use several threads.
    pub jobs: Option<usize>,
    /// The name of the event in the PGN; `None`: the engines' names.
    pub event: Option<String>,
    /// How engines are started.
    pub starting: Starting,
    /// Flags of the display.
    pub showing: Showing,
    /// Engines whose scores are kept as training data.
    pub collect: Option<Keep>,
    /// The command that starts this run again; `None`: that of this process.
    pub command_line: Option<String>,
}

impl Request {
    /// A hundred games of each pairing, from the built-in openings, without adjudication.
    pub fn new(engines: Vec<EngineSpec>, limit: Limit) -> Request {
        Request {
            limits: vec![limit; engines.len()],
            engines,
            format: Format::Gauntlet,
            pairings: Vec::new(),
            games: 100,
            sprt: None,
            race: None,
            shard: None,
            rating: None,
            pairing: Pairing::default(),
            openings: OpeningsSpec::default(),
            conduct: Conduct::default(),
            jobs: None,
            event: None,
            starting: Starting::default(),
            showing: Showing::default(),
            collect: None,
            command_line: None,
        }
    }
}

/// A planned match or SPRT; nothing is started.
pub struct GamesRun {
    kept: StoredPlan,
    schedule: Schedule,
    /// The id of the run that it is a part of.
    part_of: Option<String>,
}

/// A shard of a tournament whose pairings depend on its results.
#[derive(Debug, Error, Diagnostic)]
#[error("a race, a rating, and a knockout or Swiss tournament, cannot be played in shards")]
#[diagnostic(help(
    "its pairings depend on all results; `--on nats://HOST` plays it on many machines"
))]
struct NoShards;

impl GamesRun {
    /// Resolves the openings, tablebases and jobs of a request.
    ///
    /// # Errors
    /// When the openings or tablebases cannot be read.
    pub fn plan(request: Request) -> Result<GamesRun, Failure> {
        let Request { engines, limits, format, pairings, games, .. } = request;
        let Request { sprt, conduct, event, .. } = request;
        let openings = Openings::load(&request.openings).or_usage()?;
        let is_adaptive =
            request.race.is_some() || request.rating.is_some() || format.depends_on_results();
        if is_adaptive && request.shard.is_some() {
            return Err(NoShards).or_usage();
        }
        let names: Vec<&str> = engines.iter().map(|engine| engine.name.as_str()).collect();
        let ponders = conduct.ponder;
        let plan = Plan {
            event: event.unwrap_or_else(|| names.join(" vs ")),
            limits,
            format,
            pairings,
            rounds: games.div_ceil(2),
            openings: openings.spec().or_usage()?,
            conduct,
            jobs: request.jobs.unwrap_or_else(|| cores::default_jobs(&engines, ponders)),
            pairing: request.pairing,
            shard: request.shard,
            rating: request.rating,
            race: request.race,
            engines,
        };
        let plan = with_equals_of_base(plan);
        // They are opened again for playing; here, before there is a run, an error costs nothing.
        plan.conduct
            .adjudication
            .tablebases
            .as_ref()
            .map(TablebaseAdjudicator::open)
            .transpose()
            .or_usage()?;
        let mut run = GamesRun::with_openings(plan, sprt, openings);
        if request.command_line.is_some() {
            run.kept.facts.command_line = request.command_line;
        }
        let Request { starting, showing, collect, .. } = request;
        run.kept = StoredPlan { starting, showing, collect, ..run.kept };
        Ok(run)
    }

    /// A match as a plan has it, or an SPRT of its first engine against the second.
    ///
    /// # Errors
    /// When the openings cannot be read.
    pub fn of_plan(
        plan: Plan,
        sprt: Option<Sprt>,
        starting: Starting,
    ) -> Result<GamesRun, Failure> {
        let openings = Openings::load(&plan.openings).or_usage()?;
        let mut run = GamesRun::with_openings(plan, sprt, openings);
        run.kept.starting = starting;
        Ok(run)
    }

    /// The same without the options that its engines do not have or whose values they do not take; of each
    /// engine what was found. Each is started once.
    ///
    /// # Errors
    /// When an engine cannot be started.
    pub fn without_misfits(mut self, session: &Session) -> Result<(GamesRun, Vec<Fit>), Failure> {
        if !may_start(session) {
            return Ok((self, Vec::new()));
        }
        let fits = engines::drop_misfits(&mut self.kept, session)?;
        if fits.iter().any(|fit| !fit.refused.is_empty()) {
            let openings = Openings::load(&self.kept.plan.openings).or_usage()?;
            self.schedule = Schedule::new(&self.kept.plan, openings);
            self.kept.files = NamedFiles::new(&self.kept.plan.engines);
        }
        Ok((self, fits))
    }

    /// The same with the checks of what engines print during searches; `mates`: the moves behind an announced
    /// mate have to lead there, too.
    #[must_use]
    pub fn checking_output(mut self, mates: bool) -> GamesRun {
        self.kept.plan.conduct.checks = Some(OutputChecks { mates });
        self
    }

    /// The plan, and how its engines are started, for [`of_plan`](Self::of_plan).
    pub fn into_plan(self) -> (Plan, Starting) {
        (self.kept.plan, self.kept.starting)
    }

    fn with_openings(plan: Plan, sprt: Option<Sprt>, openings: Openings) -> GamesRun {
        let (sprt, pooled_sprt) = if plan.shard.is_some() { (None, sprt) } else { (sprt, None) };
        let facts = facts(&plan, sprt, &openings);
        let schedule = Schedule::new(&plan, openings);
        let files = NamedFiles::new(&plan.engines);
        let (starting, showing) = (Starting::default(), Showing::default());
        let (collect, changes) = (None, Vec::new());
        let kept =
            StoredPlan { facts, plan, files, starting, showing, collect, pooled_sprt, changes };
        GamesRun { kept, schedule, part_of: None }
    }

    /// The same as a part of another run, given by its id.
    #[must_use]
    pub fn as_part_of(self, whole: Option<&str>) -> GamesRun {
        GamesRun { part_of: whole.map(str::to_owned), ..self }
    }

    /// Probes the engines, starts a run in the ledger and plays it.
    ///
    /// # Errors
    /// When an engine cannot be started, a result cannot be kept, or the user interrupts.
    pub fn start(mut self, session: &Session, sink: &Sink<'_>) -> Result<Finished, Failure> {
        let warnings = try_engines(&mut self.kept, session, sink)?;
        let ledger = Ledger::open(&session.reports).or_failed()?;
        let (whole, command) = (self.part_of.as_deref(), &self.kept.facts.command);
        let run = ledger.start_part(whole, command, &json!(self.kept)).or_failed()?;
        let part = Part { ledger: &ledger, run: &run, kept: &self.kept, schedule: &self.schedule };
        part.play_rest(warnings, session, sink)
    }

    /// As [`start`](Self::start), as a part of the run `whole`: without a probe, in its ledger;
    /// `begun` is called with the run before it is played.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_in(
        &self,
        ledger: &Ledger,
        whole: &Run,
        session: &Session,
        sink: &Sink<'_>,
        begun: &mut dyn FnMut(&Run) -> Result<(), Failure>,
    ) -> Result<Finished, Failure> {
        let (whole, command) = (Some(whole.id()), &self.kept.facts.command);
        let run = ledger.start_part(whole, command, &json!(self.kept)).or_failed()?;
        begun(&run)?;
        let part = Part { ledger, run: &run, kept: &self.kept, schedule: &self.schedule };
        part.play_rest(Vec::new(), session, sink)
    }
}

/// Notes which candidates of a race are the base itself.
fn with_equals_of_base(mut plan: Plan) -> Plan {
    let Plan { engines, limits, race, .. } = &mut plan;
    if let Some(race) = race {
        let is_base = |&other: &usize| {
            engines[other].is_same_player(&engines[BASE]) && limits[other] == limits[BASE]
        };
        race.equals = (BASE + 1..engines.len()).filter(is_base).collect();
    }
    plan
}

/// Resumes a run that ended early.
///
/// # Errors
/// As [`GamesRun::start`]; and when an engine or the openings are not what they were.
pub fn resume(
    ledger: &Ledger,
    run: &Run,
    plan: Value,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<Finished, Failure> {
    let mut kept: StoredPlan = read_plan(run, plan)?;
    player::check_unchanged(&kept.plan.engines, &kept.files).or_usage()?;
    let openings = Openings::load(&kept.plan.openings).or_usage()?;
    let schedule = Schedule::new(&kept.plan, openings);
    let tried =
        try_engines(&mut kept, session, sink).map_err(|failure| of_whole(failure, run, session));
    Part { ledger, run, kept: &kept, schedule: &schedule }.play_rest(tried?, session, sink)
}
