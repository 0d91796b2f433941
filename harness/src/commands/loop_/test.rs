//! The test of a network: an SPRT of its own run, which the generation's folder names, so that it
//! is gone on with and not begun again.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Plan;
use super::shelf::{self, Shelf};
use super::text::name;
use crate::arena::{Adjudication, Conduct, Format, OpeningsSpec, Plan as MatchPlan, Strictness};
use crate::commands::play::watched;
use crate::context::Context;
use crate::failure::{Failure, OrFail};
use crate::ledger::{Ledger, Resumed, Run, Status};
use crate::outcome::MatchSummary;
use crate::outcome::loop_summary::{Best, Tested};
use crate::player::{EngineSpec, Limit, Program};
use crate::runs::games::{self, GamesRun};
use crate::stats::{Model, Sprt};

/// A search that takes longer is a hang.
const PATIENCE: Duration = Duration::from_secs(60);

/// Who plays whom.
pub struct Players<'a> {
    /// The generation of the new network.
    pub new: u32,
    /// The best one before it.
    pub best: &'a Best,
    /// Where the new one is.
    pub shelf: &'a Shelf,
}

/// Plays what is missing of a test.
///
/// # Errors
/// When a player fails, a result cannot be kept, or the user interrupts.
pub fn test(
    ledger: &Ledger,
    run: &Run,
    plan: &Plan,
    players: &Players<'_>,
    context: &Context,
) -> Result<Tested, Failure> {
    let note = players.shelf.test();
    let Some(id) = shelf::told::<String>(&note).or_failed()? else {
        let asked = &plan.config.test;
        let sprt = Sprt::new(Model::Normalized, asked.elo0, asked.elo1, 0.05, 0.05).or_usage()?;
        let played = GamesRun::test(match_plan(run, plan, players), sprt)?;
        let begun = &mut |test: &Run| shelf::tell(&note, &test.id()).or_failed();
        let finished = watched(context, |sink| played.start_in(ledger, context, sink, begun))?;
        return Ok(Tested::from(&finished.summary));
    };
    let facts = ledger.facts(&id).or_failed()?;
    if facts.status == Status::Finished {
        let summary: MatchSummary = serde_json::from_value(facts.summary.unwrap_or_default())
            .map_err(|error| {
                Failure::Failed(miette::miette!("the summary of `{id}` cannot be read: {error}"))
            })?;
        return Ok(Tested::from(&summary));
    }
    let resumed = ledger.resume_run(&id).or_failed()?;
    let Resumed { run, plan, .. } = resumed;
    let finished = watched(context, |sink| games::resume(ledger, &run, plan, context, sink))?;
    Ok(Tested::from(&finished.summary))
}

fn match_plan(run: &Run, plan: &Plan, players: &Players<'_>) -> MatchPlan {
    let Players { new, best, shelf } = *players;
    let asked = &plan.config.test;
    let engine = |generation: u32, eval_file: String| EngineSpec {
        name: name(generation),
        program: Program::Builtin,
        options: BTreeMap::from([("EvalFile".to_owned(), eval_file)]),
    };
    MatchPlan {
        engines: vec![
            engine(new, shelf.network().display().to_string()),
            engine(best.generation, best.eval_file.clone()),
        ],
        limits: vec![Limit::Nodes(asked.nodes); 2],
        format: Format::Gauntlet,
        rounds: asked.games / 2,
        // Other openings for each network.
        openings: OpeningsSpec {
            seed: plan.openings.seed.wrapping_add(new.into()),
            ..plan.openings.clone()
        },
        conduct: Conduct {
            chess960: false,
            adjudication: Adjudication {
                max_moves: Some(asked.max_moves),
                ..Adjudication::default()
            },
            strictness: Strictness { margin: None, watchdog: PATIENCE },
            restart: false,
        },
        jobs: plan.jobs,
        event: format!("test of {} of {}", name(new), run.id()),
    }
}
