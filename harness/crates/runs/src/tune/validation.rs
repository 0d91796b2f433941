//! The SPRT of the result of a tuning run against the start.

use super::{Event, Plan, Sink};
use crate::games::{self, GamesRun, Starting, of_whole};
use harness_arena::{Format, OpeningsSpec, Pairing, Plan as MatchPlan};
use harness_base::context::Session;
use harness_base::failure::{Failure, OrFail};
use harness_base::files::write_atomically;
use harness_ledger::{Ledger, Resumed, Run, Status};
use harness_outcome::{MatchSummary, TuneSummary};
use harness_stats::{Model, PLANNED_DRAWS, Sprt};

/// Plays the validation: a run of its own, whose id is in the tuning run's folder, so that it is
/// resumed with the tuning run.
pub fn validate(
    ledger: &Ledger,
    run: &Run,
    plan: &Plan,
    summary: &TuneSummary,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<Option<MatchSummary>, Failure> {
    if plan.validation.games < 2 || summary.best == summary.start {
        return Ok(None);
    }
    let sink = &|event: &games::Event<'_>| sink(&Event::Validation(event));
    let note = run.folder().join("validation");
    if let Ok(id) = std::fs::read_to_string(&note) {
        let facts = ledger.facts(id.trim()).or_failed()?;
        if facts.status == Status::Finished {
            let summary = ledger.summary(&facts.id).or_failed()?.unwrap_or_default();
            return serde_json::from_value(summary).map(Some).map_err(|error| {
                Failure::Failed(miette::miette!("the summary of `{}`: {error}", facts.id))
            });
        }
        let Resumed { run, plan, .. } = ledger.resume_run(&facts.id).or_failed()?;
        let finished = games::resume(ledger, &run, plan, session, sink)?;
        return Ok(Some(finished.summary));
    }
    let begun = &mut |validation: &Run| {
        write_atomically(&note, validation.id().as_bytes()).map_err(|error| {
            Failure::Failed(miette::miette!("cannot write {}: {error}", note.display()))
        })
    };
    let finished = planned(run, plan, summary)?.start_in(ledger, session, sink, begun);
    finished
        .map(|finished| Some(finished.summary))
        .map_err(|failure| of_whole(failure, run, session))
}

fn planned(run: &Run, plan: &Plan, summary: &TuneSummary) -> Result<GamesRun, Failure> {
    let named = |name: &str, values| {
        let mut engine = plan.engine.clone();
        engine.name = name.to_owned();
        engine.options.extend(plan.space.options(values));
        engine
    };
    let best = summary.parameters.iter().map(|parameter| parameter.best).collect();
    let bounds = plan.validation;
    let sprt = Sprt::new(Model::Normalized, bounds.elo0, bounds.elo1, 0.05, 0.05).or_usage()?;
    let sprt = sprt.with_bounds(bounds.bounds, PLANNED_DRAWS).or_usage()?;
    let match_plan = MatchPlan {
        engines: vec![named("tuned", &best), named("start", &plan.space.start())],
        limits: vec![plan.limit; 2],
        format: Format::Gauntlet,
        pairings: Vec::new(),
        rounds: bounds.games / 2,
        // Another seed: other games than those of the tuner.
        openings: OpeningsSpec {
            seed: plan.openings.seed.wrapping_add(1),
            ..plan.openings.clone()
        },
        conduct: plan.conduct.clone(),
        jobs: plan.jobs,
        event: format!("validation of {}", run.id()),
        pairing: Pairing::default(),
        shard: None,
        race: None,
    };
    GamesRun::of_plan(match_plan, Some(sprt), Starting::default())
}
