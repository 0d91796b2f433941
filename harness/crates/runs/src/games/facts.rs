//! Facts of a plan for reports.

use std::collections::BTreeMap;

use harness_arena::{Openings, Plan};
use harness_base::text::{self, shell_words};
use harness_outcome::{EngineFacts, MatchFacts};
use harness_player::{EngineSpec, Limit, Program, commit_words};
use harness_stats::Sprt;

/// The command under which the ledger has matches.
pub const MATCH: &str = "match";

/// The command under which the ledger has SPRTs.
pub const SPRT: &str = "sprt";

/// The command under which the ledger has races.
pub const RACE: &str = "race";

/// The command of a run with or without a test.
pub(super) fn command(plan: &Plan, sprt: Option<&Sprt>) -> &'static str {
    match (&plan.race, sprt) {
        (Some(_), _) => RACE,
        (None, Some(_)) => SPRT,
        (None, None) => MATCH,
    }
}

/// Of a match, an SPRT or a race.
pub(super) fn facts(plan: &Plan, sprt: Option<Sprt>, openings: &Openings) -> MatchFacts {
    MatchFacts {
        command: command(plan, sprt.as_ref()).to_owned(),
        engines: plan.engines.iter().map(engine_facts).collect(),
        limit: limit_text(&plan.engines, &plan.limits),
        games_asked: Some(plan.own_pairs().saturating_mul(2)),
        openings: Some(openings.title()),
        jobs: plan.jobs,
        seed: Some(plan.openings.seed),
        sprt,
        command_line: Some(shell_words(text::arguments())),
    }
}

fn engine_facts(engine: &EngineSpec) -> EngineFacts {
    let what = match &engine.program {
        Program::Builtin => "builtin".to_owned(),
        Program::Executable { path, revision, .. } => match revision {
            None => path.display().to_string(),
            Some(revision) => match &revision.commit {
                None => format!("working tree ({})", revision.asked),
                Some(commit) => commit_words(commit, Some(&revision.asked)),
            },
        },
    };
    EngineFacts {
        name: engine.name.clone(),
        what,
        options: engine.options.clone(),
        defaults: BTreeMap::new(),
    }
}

/// One limit if it is the same for all, else each engine's.
fn limit_text(engines: &[EngineSpec], limits: &[Limit]) -> String {
    match limits.split_first() {
        Some((first, others)) if others.iter().all(|other| other == first) => first.to_string(),
        _ => {
            let each = engines.iter().zip(limits);
            let each: Vec<String> =
                each.map(|(engine, limit)| format!("{}: {limit}", engine.name)).collect();
            each.join(", ")
        }
    }
}
