//! The plan of a tuning run, as the ledger keeps it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::engine::offer;
use crate::games::{self, free_cores};
use harness_arena::{Conduct, Openings, OpeningsSpec};
use harness_base::context::Session;
use harness_base::failure::{Failure, OrFail};
use harness_base::text::{self, shell_words};
use harness_data::filter::Filters;
use harness_player::{EngineSpec, Limit, NamedFiles};
use harness_tuning::experiment::{Experiment, Validation};
use harness_tuning::methods::{self, Method, UnknownMethod};
use harness_tuning::offer::StepFrom;
use harness_tuning::reach;
use harness_tuning::space::Space;

/// The command under which the ledger has the runs.
pub const COMMAND: &str = "tune";

/// An experiment, its engine, and what differs from the experiment.
pub struct TuneRequest {
    /// The experiment.
    pub experiment: Experiment,
    /// Its engine, without the experiment's options.
    pub engine: EngineSpec,
    /// The method.
    pub method: &'static Method,
    /// Another number of games.
    pub games: Option<u64>,
    /// Another seed.
    pub seed: Option<u64>,
    /// Another number of pairs played at the same time.
    pub jobs: Option<u16>,
    /// Test the result against the start, if the experiment says so.
    pub validate: bool,
}

/// The order of trials: 1 since the values found play the start, 2 since steps are shorter with many
/// parameters, 3 since `auto` takes a Gaussian process for few parameters and games, which learns from the
/// games against the start. A run continues in its own only.
const PROTOCOL: u32 = 3;
/// In version 1 the same with at most this many parameters, and this many times the root of the pairs.
const SAME_PARAMETERS: usize = 100;
const SAME_BY_PAIRS: f64 = 1.5;

/// Everything that decides a run: with it and the games in the ledger, the run is resumed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// Name of the method.
    pub method: String,
    /// The engine, with the options for every game.
    pub engine: EngineSpec,
    /// The files that its options name.
    #[serde(default, skip_serializing_if = "NamedFiles::is_empty")]
    pub files: NamedFiles,
    /// The limit of a search.
    pub limit: Limit,
    /// Games to play.
    pub games: u64,
    /// The run ends once the tuner expects that further games gain less Elo than this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_below: Option<f64>,
    /// Pairs of a batch.
    pub batch: usize,
    /// Pairs played at the same time.
    pub jobs: usize,
    /// Seed of the tuner.
    pub seed: u64,
    /// Where games start.
    pub openings: OpeningsSpec,
    /// How games are played.
    pub conduct: Conduct,
    /// The parameters.
    pub space: Space,
    /// The match of the result against the start.
    pub validation: Validation,
    /// Filters of the training data to keep of the games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collect: Option<Filters>,
    /// Parameters whose values changed no search before the first game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_effect: Vec<String>,
    /// [`PROTOCOL`] of the version that began the run; 0 of those before it was noted.
    #[serde(default)]
    pub protocol: u32,
    /// The command that starts this run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_line: Option<String>,
}

impl Plan {
    /// The plan of a request, and the source of each parameter's step.
    pub(super) fn new(
        request: TuneRequest,
        session: &Session,
    ) -> Result<(Plan, Vec<StepFrom>), Failure> {
        let TuneRequest { experiment, mut engine, method, .. } = request;
        engine.options.extend(experiment.options.clone());
        let (space, steps) = experiment.space(&offer(&engine, session)?).or_usage()?;
        let seed = request.seed.unwrap_or(experiment.seed);
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or(path.clone());
        let usual = games::Request::new(Vec::new(), experiment.limit);
        let openings = Openings::load(&OpeningsSpec {
            file: experiment.openings.as_ref().map(absolute),
            plies: experiment.opening_plies,
            seed,
            ..usual.openings
        });
        let mut validation = experiment.validation;
        if !request.validate {
            validation.games = 0;
        }
        let jobs = request.jobs.or(experiment.jobs);
        let plan = Plan {
            method: method.name.to_owned(),
            limit: experiment.limit,
            games: request.games.unwrap_or(experiment.games),
            stop_below: experiment.stop_below,
            batch: experiment.batch,
            jobs: jobs.map_or_else(free_cores, |jobs| usize::from(jobs).max(1)),
            seed,
            openings: openings.or_usage()?.spec().or_usage()?,
            conduct: Conduct { adjudication: experiment.adjudication.clone(), ..usual.conduct },
            space,
            validation,
            collect: experiment.collect,
            without_effect: Vec::new(),
            protocol: PROTOCOL,
            files: NamedFiles::new([&engine]),
            command_line: Some(shell_words(text::arguments())),
            engine,
        };
        Ok((plan, steps))
    }

    /// Text about the effects that the games can detect.
    pub fn detectable(&self) -> Option<String> {
        let method = Method::find(&self.method).ok()?;
        Some(reach::detectable(method, &self.space, self.games))
    }

    /// Whether this version's tuner gives the trials of the version that began the run.
    pub(super) fn has_our_trials(&self) -> bool {
        let few = SAME_BY_PAIRS * (self.games as f64 / 2.0).sqrt();
        let dimension = self.space.dimension();
        let has_same_steps = dimension <= SAME_PARAMETERS && dimension as f64 <= few;
        let ends_early = self.stop_below.is_some();
        match self.protocol {
            PROTOCOL => true,
            2 => has_same_process(&self.method, ends_early),
            1 => has_same_steps && has_same_process(&self.method, ends_early),
            _ => false,
        }
    }

    /// The method, as it was when the run began.
    pub(super) fn method(&self) -> Result<&'static Method, UnknownMethod> {
        const REGRESSION: &Method = &methods::REGRESSION;
        let method = Method::find(&self.method)?;
        let is_earlier = self.protocol < PROTOCOL && method.name == REGRESSION.name;
        Ok(if is_earlier { REGRESSION } else { method })
    }

    /// Warning about a run that is too short for some of its parameters; `None` if it is not.
    pub fn short_run_warning(&self) -> Option<String> {
        let method = Method::find(&self.method).ok()?;
        reach::short_run_warning(method, &self.space, self.games, self.seed)
    }
}

/// Whether a method did before version 3 what it does now: `bayes` did not learn from the games against the start, and
/// no method with a Gaussian process said what is left, by which a run may end early.
fn has_same_process(method: &str, ends_early: bool) -> bool {
    match method {
        "bayes" => false,
        "pso" | "nelder-mead" | "annealing" => !ends_early,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_an_earlier_version_go_on_where_their_method_is_the_same() {
        for method in methods::METHODS {
            let same = match method.name {
                "bayes" => [false, false],
                "pso" | "nelder-mead" | "annealing" => [true, false],
                _ => [true, true],
            };
            let found = [false, true].map(|ends_early| has_same_process(method.name, ends_early));
            assert_eq!(found, same, "{}", method.name);
        }
    }
}
