//! The SPRT of a network: a run of its own, which the generation's folder names, so that it is
//! resumed.

use std::collections::BTreeMap;

use super::config::StoredPlan;
use super::event::{Event, Sink};
use super::folder::{Folder, NETWORK, TEST};
use crate::games::{self, GamesRun, Request};
use harness_arena::OpeningsSpec;
use harness_base::context::Session;
use harness_base::failure::{Failure, OrFail};
use harness_ledger::{Ledger, Resumed, Run, Status};
use harness_outcome::MatchSummary;
use harness_outcome::loop_summary::{Best, Tested, generation_name};
use harness_player::{EngineSpec, Limit, Program};
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
) -> Result<Tested, Failure> {
    let watch = |event: &games::Event<'_>| sink(&Event::Games(event));
    let folder = players.folder;
    let finished = match folder.read::<String>(TEST).or_failed()? {
        None => {
            let played = GamesRun::plan(request(run, kept, players)?)?;
            let begun = &mut |test: &Run| folder.write(TEST, &test.id()).or_failed();
            played.start_in(ledger, session, &watch, begun)?
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
                return Ok(Tested::from(&summary));
            }
            let Resumed { run, plan, .. } = ledger.resume_run(&id).or_failed()?;
            games::resume(ledger, &run, plan, session, &watch)?
        }
    };
    Ok(Tested::from(&finished.summary))
}

/// The match of the new network with the best one.
fn request(run: &Run, kept: &StoredPlan, players: &Players<'_>) -> Result<Request, Failure> {
    let Players { new, best, folder } = *players;
    let asked = &kept.config.test;
    let engine = |generation: u32, eval_file: String| EngineSpec {
        name: generation_name(generation),
        program: Program::Builtin,
        options: BTreeMap::from([("EvalFile".to_owned(), eval_file)]),
    };
    let engines = vec![
        engine(new, folder.file(NETWORK).display().to_string()),
        engine(best.generation, best.eval_file.clone()),
    ];
    // Other openings for each network.
    let seed = kept.openings.seed.wrapping_add(new.into());
    let sprt = Sprt::new(Model::Normalized, asked.elo0, asked.elo1, 0.05, 0.05).or_usage()?;
    let mut request = Request {
        games: asked.games / 2 * 2,
        sprt: Some(sprt.with_bounds(asked.bounds, PLANNED_DRAWS).or_usage()?),
        openings: OpeningsSpec { seed, ..kept.openings.clone() },
        jobs: Some(kept.jobs),
        event: Some(format!("test of {} of {}", generation_name(new), run.id())),
        ..Request::new(engines, Limit::Nodes(asked.nodes))
    };
    request.conduct.adjudication = asked.rules_of_adjudication().or_usage()?;
    Ok(request)
}
