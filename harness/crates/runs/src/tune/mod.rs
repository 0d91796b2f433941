//! A tuning run: from an experiment to the values found, and the SPRT that tests them.
//!
//! [`TuneRequest`] is an experiment with its engine; [`TuneRun::plan`] resolves it;
//! [`TuneRun::start`] plays it with a sink of [`Event`]s; [`resume`] continues a run that ended
//! early. [`replay`] reconstructs a run from the ledger, finished or not.

mod engine;
mod event;
mod init;
mod network;
mod plan;
mod play;
mod replay;
mod state;
mod validation;

use std::path::Path;

use serde_json::{Value, json};

pub use self::engine::tunable;
pub use self::event::{Event, Sink};
pub use self::init::{InitRequest, init};
pub use self::network::{NetworkFileError, write_tuned_network};
pub use self::plan::{COMMAND, Plan, TuneRequest};
pub use self::replay::{FoundValues, ReplayError, found, replay, running};
use crate::stored::shown_games;
use crate::{preflight, read_plan, write_page};
use harness_arena::Rules;
use harness_base::context::Session;
use harness_base::failure::{Failure, OrFail};
use harness_data::view::Collected;
use harness_ledger::{Ledger, Run};
use harness_outcome::TuneSummary;
use harness_player::probe::{Effects, Probe, TunedOption, effects};
use harness_player::{self as player, FaultKind, StartSettings, is_offset};
use harness_report::html::tune_page;
use harness_tuning::experiment::Experiment;
use harness_tuning::offer::StepFrom;
use harness_tuning::space::{Parameter, Space};

/// Result of a tuning run.
pub struct TuneOutcome {
    /// The values found, their validation, and the path.
    pub summary: TuneSummary,
    /// Training data of the games, if requested.
    pub collected: Option<Collected>,
}

/// A planned tuning run: everything is known, nothing is played.
pub struct TuneRun {
    /// The plan.
    pub plan: Plan,
    /// The source of each parameter's step.
    pub steps: Vec<StepFrom>,
}

impl TuneRun {
    /// Resolves the parameters and openings of a request; starts the engine to read its options.
    ///
    /// # Errors
    /// When the engine does not start, or does not have what the experiment names.
    pub fn plan(request: TuneRequest, session: &Session) -> Result<TuneRun, Failure> {
        let (plan, steps) = Plan::new(request, session)?;
        Ok(TuneRun { plan, steps })
    }

    /// Probes the engine, starts a run in the ledger, plays its trials and validates the result.
    ///
    /// # Errors
    /// When the engine fails, a result cannot be kept, or the user interrupts.
    pub fn start(&self, session: &Session, sink: &Sink<'_>) -> Result<TuneOutcome, Failure> {
        probe(&self.plan, session, sink)?;
        let without_effect = without_effect(&self.plan, session, sink)?;
        let plan = Plan { without_effect, ..self.plan.clone() };
        let ledger = Ledger::open(&session.reports).or_failed()?;
        let run = ledger.start_run(COMMAND, &json!(plan)).or_failed()?;
        play_games(&ledger, &run, &plan, session, sink)
    }
}

/// Resumes a run that ended early.
///
/// # Errors
/// As [`TuneRun::start`]; and when the engine is not what it was.
pub fn resume(
    ledger: &Ledger,
    run: &Run,
    plan: Value,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<TuneOutcome, Failure> {
    let plan: Plan = read_plan(run, plan)?;
    player::check_unchanged([&plan.engine], &plan.files).or_usage()?;
    probe(&plan, session, sink)?;
    play_games(ledger, run, &plan, session, sink)
}

/// Probes the limit and both ends of each parameter's range.
fn probe(plan: &Plan, session: &Session, sink: &Sink<'_>) -> Result<(), Failure> {
    let ranges = options(&plan.space).into_iter().map(|option| (option.name, option.ends));
    let asked = Probe {
        ranges: ranges.collect(),
        chess960: plan.conduct.rules == Rules::Chess960,
        keeps_process: !plan.conduct.restart,
        limit: plan.limit,
    };
    let warn = |text: &str| sink(&Event::Warning(text));
    preflight::probe_all([(&plan.engine, asked)], session, &warn).map(drop)
}

/// Warns of parameters whose value changes no search, and returns them.
fn without_effect(plan: &Plan, session: &Session, sink: &Sink<'_>) -> Result<Vec<String>, Failure> {
    if !session.probe || !plan.engine.is_uci() || !preflight::may_start(session) {
        return Ok(Vec::new());
    }
    let mut options = options(&plan.space);
    options.retain(|option| option.ends[0] != option.ends[1]);
    let is_960 = plan.conduct.rules == Rules::Chess960;
    let settings = StartSettings::default();
    let start = || preflight::start(&plan.engine, &settings, session);
    let effects = effects(&options, plan.limit, is_960, &start);
    let effects = effects.map_err(|fault| match fault.kind {
        FaultKind::Interrupted => Failure::Interrupted("nothing was played".to_owned()),
        _ => engine::cannot_start(&fault),
    })?;
    if let Some(warning) = effects.warning(plan.limit) {
        sink(&Event::Warning(&warning));
    }
    Ok(match effects {
        // By the clock, other searches are played than were compared.
        Effects::Compared { without, .. } if plan.limit.time().is_none() => without,
        Effects::Compared { .. } | Effects::Unknown(_) => Vec::new(),
    })
}

/// The options of a space with the ends of their ranges; of a fixed parameter both are its start. Offsets
/// of a network are left out: hundreds of them, and that the linked engine takes them is known.
fn options(space: &Space) -> Vec<TunedOption> {
    let values = |of: fn(&Parameter) -> f64| {
        let value = |one: &Parameter| if one.fixed { one.start } else { of(one) };
        space.options(&space.parameters().iter().map(value).collect())
    };
    let of: [fn(&Parameter) -> f64; 3] = [|one| one.start, |one| one.min, |one| one.max];
    let [start, least, most] = of.map(values);
    let rows = start.into_iter().zip(least.into_values()).zip(most.into_values());
    rows.map(|(((name, start), least), most)| TunedOption { name, start, ends: [least, most] })
        .filter(|option| !is_offset(&option.name))
        .collect()
}

fn play_games(
    ledger: &Ledger,
    run: &Run,
    plan: &Plan,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<TuneOutcome, Failure> {
    let mut summary = play::play(plan, ledger, run, session, sink)?;
    sink(&Event::Tuned(&summary));
    summary.validation = validation::validate(ledger, run, plan, &summary, session, sink)?;
    validation::adopt_winner(plan, &mut summary);
    summary.decide();
    summary.network = network::keep_network(run, plan, &summary)?;
    let collected = Collected::of_run(ledger, run, plan.collect.as_ref()).or_failed()?;
    ledger.finish(run, &json!(summary)).or_failed()?;
    let facts = ledger.facts(run.id()).or_failed()?;
    let games = shown_games(ledger, run.id()).or_failed()?;
    write_page(run, &tune_page(&replay(ledger, &facts).or_failed()?, &games))?;
    Ok(TuneOutcome { summary, collected })
}

/// The tuning methods: name, and what it is for.
pub fn methods() -> Vec<(&'static str, &'static str)> {
    harness_tuning::methods::METHODS.iter().map(|method| (method.name, method.about)).collect()
}

/// Checks the text of an experiment; errors name `path`, and paths in it are seen from its folder.
///
/// # Errors
/// When it is invalid, as far as that can be said without the engine.
pub fn check_experiment(path: &Path, text: &str) -> Result<(), Failure> {
    Experiment::parse(path, text).or_usage()?.method(None).map(drop).or_usage()
}
