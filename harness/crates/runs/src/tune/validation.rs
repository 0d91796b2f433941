//! The SPRT of the result of a tuning run against the start, or the race of its last values for it.

use super::{Event, Plan, Sink};
use crate::games::{self, GamesRun, Starting, of_whole};
use harness_arena::{Format, OpeningsSpec, Pairing, Plan as MatchPlan};
use harness_base::context::Session;
use harness_base::failure::{Failure, OrFail};
use harness_base::files::write_atomically;
use harness_ledger::{Ledger, Resumed, Run, Status};
use harness_outcome::{MatchSummary, ParameterSummary, TuneSummary};
use harness_player::EngineSpec;
use harness_stats::race::RaceRule;
use harness_stats::{Model, PLANNED_DRAWS, Sprt};
use harness_tuning::space::Candidate;

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
    let finished = planned(run, plan, summary)?.start_in(ledger, run, session, sink, begun);
    finished
        .map(|finished| Some(finished.summary))
        .map_err(|failure| of_whole(failure, run, session))
}

/// The engine of the values found, as games of the validation name it.
const TUNED: &str = "tuned";

/// The values that race: those found, and earlier ones of the second half of the run as far as they differ; each
/// with the name of its engine.
fn candidates(plan: &Plan, summary: &TuneSummary) -> Vec<(String, Candidate)> {
    let best: Candidate = summary.parameters.iter().map(|parameter| parameter.best).collect();
    let start = plan.space.options(&plan.space.start());
    let mut known = vec![start, plan.space.options(&best)];
    let mut candidates = vec![(TUNED.to_owned(), best)];
    let played = summary.steps.last().copied().unwrap_or(0) as f64;
    let earlier = plan.validation.candidates.saturating_sub(1);
    for back in 1..=earlier {
        let until = played * (1.0 - 0.5 * f64::from(back) / f64::from(earlier));
        let Some(at) = summary.steps.iter().rposition(|&games| games as f64 <= until) else {
            continue;
        };
        let value = |parameter: &ParameterSummary| match parameter.fixed {
            true => Some(parameter.start),
            false => parameter.path.get(at).copied(),
        };
        let Some(values) = summary.parameters.iter().map(value).collect::<Option<Candidate>>()
        else {
            continue;
        };
        let options = plan.space.options(&values);
        if !known.contains(&options) {
            known.push(options);
            candidates.push((format!("{TUNED} after {} games", summary.steps[at]), values));
        }
    }
    candidates
}

/// Recommends the values that won the race of the validation, where those at the end of the run did not.
pub fn adopt_winner(plan: &Plan, summary: &mut TuneSummary) {
    let race = summary.validation.as_ref().and_then(|validation| validation.race.as_ref());
    let Some(leader) = race.and_then(|race| race.leader.clone()).filter(|leader| leader != TUNED)
    else {
        return;
    };
    let found = candidates(plan, summary).into_iter().find(|(name, _)| *name == leader);
    let Some((_, values)) = found else { return };
    summary.best = plan.space.options(&values);
    summary.candidate = summary.best.clone();
    for (parameter, value) in summary.parameters.iter_mut().zip(values) {
        parameter.best = value;
        parameter.candidate = Some(value);
    }
    // Those are of other values.
    (summary.gain, summary.left, summary.gain_of_twice) = (None, None, None);
}

fn planned(run: &Run, plan: &Plan, summary: &TuneSummary) -> Result<GamesRun, Failure> {
    let named = |name: &str, values: &Candidate| {
        let mut engine = plan.engine.clone();
        engine.name = name.to_owned();
        engine.options.extend(plan.space.options(values));
        engine
    };
    let candidates = candidates(plan, summary);
    let bounds = plan.validation;
    let test = Sprt::new(Model::Normalized, bounds.elo0, bounds.elo1, 0.05, 0.05).or_usage()?;
    let values = plan.space.start();
    let start = named("start", &values);
    let tuned = candidates.iter().map(|(name, values)| named(name, values));
    let (engines, sprt, race): (Vec<EngineSpec>, _, _) = if candidates.len() > 1 {
        let rule = RaceRule::new(test, candidates.len(), bounds.games / 2);
        let rule = rule.and_then(|rule| rule.with_bounds(bounds.bounds, PLANNED_DRAWS));
        // The base of a race comes first.
        (std::iter::once(start).chain(tuned).collect(), None, Some(rule.or_usage()?))
    } else {
        let test = test.with_bounds(bounds.bounds, PLANNED_DRAWS).or_usage()?;
        (tuned.chain([start]).collect(), Some(test), None)
    };
    let match_plan = MatchPlan {
        limits: vec![plan.limit; engines.len()],
        engines,
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
        rating: None,
        race,
    };
    GamesRun::of_plan(match_plan, sprt, Starting::default())
}
