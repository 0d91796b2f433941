//! The SPRT of a network: a run of its own, which the generation's folder names, so that it is
//! resumed.

use std::collections::BTreeMap;

use super::config::StoredPlan;
use super::event::{Event, Sink};
use super::folder::{Folder, NETWORK, TEST, of_training};
use crate::games::{self, GamesRun, Request};
use harness_arena::OpeningsSpec;
use harness_base::context::Session;
use harness_base::failure::{Failure, OrFail};
use harness_ledger::{Ledger, Resumed, Run, Status};
use harness_outcome::MatchSummary;
use harness_outcome::loop_summary::{Best, Tested, generation_name};
use harness_player::{EngineSpec, Limit, Program};
use harness_stats::race::RaceRule;
use harness_stats::{Model, PLANNED_DRAWS, Sprt};

/// The two networks.
pub struct Players<'a> {
    /// The generation of the new network.
    pub new: u32,
    /// The best network before it.
    pub best: &'a Best,
    /// The folder of the new network.
    pub folder: &'a Folder,
}

/// Plays what is missing of a test.
pub fn test(
    ledger: &Ledger,
    run: &Run,
    kept: &StoredPlan,
    players: &Players<'_>,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<(Tested, u32), Failure> {
    let watch = |event: &games::Event<'_>| sink(&Event::Games(event));
    let folder = players.folder;
    let finished = match folder.read::<String>(TEST).or_failed()? {
        None => {
            let played = GamesRun::plan(request(run, kept, players)?)?;
            let begun = &mut |test: &Run| folder.write(TEST, &test.id()).or_failed();
            played.start_in(ledger, run, session, &watch, begun)?
        }
        Some(id) => {
            let facts = ledger.facts(&id).or_failed()?;
            if facts.status == Status::Finished {
                let summary = facts.summary.unwrap_or_default();
                let summary: MatchSummary = serde_json::from_value(summary)
                    .map_err(|error| {
                        miette::miette!("the summary of `{id}` cannot be read: {error}")
                    })
                    .map_err(Failure::Failed)?;
                return Ok((Tested::from(&summary), chosen(&summary)));
            }
            let Resumed { run, plan, .. } = ledger.resume_run(&id).or_failed()?;
            games::resume(ledger, &run, plan, session, &watch)?
        }
    };
    Ok((Tested::from(&finished.summary), chosen(&finished.summary)))
}

/// The network that won the race, from 0: the best one of them, whether or not it is better than the best
/// before. The first one where there was no race.
fn chosen(summary: &MatchSummary) -> u32 {
    let Some(race) = &summary.race else { return 0 };
    let best = race.runners.iter().find(|runner| !runner.is_base);
    // The base is the first engine.
    let at = best.and_then(|best| race.engines.iter().position(|engine| *engine == best.name));
    at.map_or(0, |at| u32::try_from(at).unwrap_or(1).saturating_sub(1))
}

/// The match of the new network with the best one, or the race of several.
fn request(run: &Run, kept: &StoredPlan, players: &Players<'_>) -> Result<Request, Failure> {
    let Players { new, best, folder } = *players;
    let asked = &kept.config.test;
    let engine = |name: String, eval_file: String| EngineSpec {
        name,
        program: Program::Builtin,
        options: BTreeMap::from([("EvalFile".to_owned(), eval_file)]),
    };
    let old = engine(generation_name(best.generation), best.eval_file.clone());
    let file = |which| folder.file(&of_training(NETWORK, which)).display().to_string();
    let trainings = kept.config.training.trainings;
    // Other openings for each network.
    let seed = kept.openings.seed.wrapping_add(new.into());
    let test = Sprt::new(Model::Normalized, asked.elo0, asked.elo1, 0.05, 0.05).or_usage()?;
    let (engines, sprt, race) = match trainings {
        0 | 1 => {
            let test = test.with_bounds(asked.bounds, PLANNED_DRAWS).or_usage()?;
            (vec![engine(generation_name(new), file(0)), old], Some(test), None)
        }
        _ => {
            let name = |which| format!("{} ({})", generation_name(new), which + 1);
            let candidates = (0..trainings).map(|which| engine(name(which), file(which)));
            let rule = RaceRule::new(test, trainings as usize, asked.games / 2);
            let rule = rule.and_then(|rule| rule.with_bounds(asked.bounds, PLANNED_DRAWS));
            (std::iter::once(old).chain(candidates).collect(), None, Some(rule.or_usage()?))
        }
    };
    let mut request = Request {
        games: asked.games / 2 * 2,
        sprt,
        race,
        openings: OpeningsSpec { seed, ..kept.openings.clone() },
        jobs: Some(kept.jobs),
        event: Some(format!("test of {} of {}", generation_name(new), run.id())),
        ..Request::new(engines, Limit::Nodes(asked.nodes))
    };
    request.conduct.adjudication = asked.rules_of_adjudication().or_usage()?;
    Ok(request)
}
