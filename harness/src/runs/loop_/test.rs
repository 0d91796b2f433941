//! The SPRT of a network: a run of its own, which the generation's folder names, so that it is
//! resumed.

use std::collections::BTreeMap;
use std::time::Duration;

use super::folder::{Folder, NETWORK, TEST};
use super::{Event, Kept, Sink};
use crate::arena::{Adjudication, Conduct, Format, OpeningsSpec, Plan as MatchPlan, Strictness};
use crate::context::Session;
use crate::failure::{Failure, OrFail};
use crate::ledger::{Ledger, Resumed, Run, Status};
use crate::outcome::MatchSummary;
use crate::outcome::loop_summary::{Best, Tested, generation_name};
use crate::player::{EngineSpec, Limit, Program};
use crate::runs::games::{self, GamesRun};
use crate::stats::{Model, Sprt};

/// A search that takes longer is a hang.
const PATIENCE: Duration = Duration::from_secs(60);

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
    kept: &Kept,
    players: &Players<'_>,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<Tested, Failure> {
    let watch = |event: &games::Event<'_>| sink(&Event::Games(event));
    let folder = players.folder;
    let finished = match folder.read::<String>(TEST).or_failed()? {
        None => {
            let asked = &kept.config.test;
            let sprt = Sprt::new(Model::Normalized, asked.elo0, asked.elo1, 0.05, 0.05);
            let played = GamesRun::test(match_plan(run, kept, players), sprt.or_usage()?)?;
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

fn match_plan(run: &Run, kept: &Kept, players: &Players<'_>) -> MatchPlan {
    let Players { new, best, folder } = *players;
    let asked = &kept.config.test;
    let engine = |generation: u32, eval_file: String| EngineSpec {
        name: generation_name(generation),
        program: Program::Builtin,
        options: BTreeMap::from([("EvalFile".to_owned(), eval_file)]),
    };
    MatchPlan {
        engines: vec![
            engine(new, folder.file(NETWORK).display().to_string()),
            engine(best.generation, best.eval_file.clone()),
        ],
        limits: vec![Limit::Nodes(asked.nodes); 2],
        format: Format::Gauntlet,
        rounds: asked.games / 2,
        // Other openings for each network.
        openings: OpeningsSpec {
            seed: kept.openings.seed.wrapping_add(new.into()),
            ..kept.openings.clone()
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
        jobs: kept.jobs,
        event: format!("test of {} of {}", generation_name(new), run.id()),
    }
}
