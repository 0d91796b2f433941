//! `gate.yaml`: what is checked, and how strictly.

use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::error::CheckError;
use crate::rate::read_references;
use harness_base::yaml::{self, YamlError};
pub use harness_player::bench::BenchCommand as Bench;
use harness_stats::{self as stats, Shape, SprtError};
use harness_suite::{SuiteError, read_baseline};

/// The file's name.
pub const FILE_NAME: &str = "gate.yaml";

/// The file that `harness gate init` writes.
pub const TEMPLATE: &str = "\
# What `harness gate` checks before a change goes in. Take out what you do not want.
# How a revision is built stands in harness.yaml (`build:`); a cargo, make or cmake project needs
# nothing.

# What the change is compared with; default: where it left main, or the commit before.
# base: main

# `ENGINE bench` prints a node count: the signature of its search. It is the same as before, or
# the one that the newest commit message with a line `Bench: 1234567` declares.
# Another command: bench: { command: '\"$ENGINE\" bench 12', nodes: 'Total (\\d+)' }
bench: {}

# Nodes a second beside the base, in turns. Fails when the ratio is shown (at 1 %) to be below. While
# that is too noisy to say, up to `max_runs` are made (default: four times `runs`); too noisy then is
# `undecided`, which counts as pass, fail or undecided (exit status 3).
speed: { at_least: 0.97, runs: 10, undecided: pass }

# `harness check`: does it speak UCI? Faults of the base are known and pass, unless `strict: true`.
conformance: {}

# Test suites at fixed `nodes` (or `depth`) by the change and its base; or against an earlier result,
# `harness suite wac --nodes 20000 ENGINE --json > FILE`. Fails when significantly fewer are solved
# (McNemar's exact test, 5 %). `restart: true` restarts the engine for each position.
# suites:
#   - { suite: wac, nodes: 20000, baseline: reports/baseline/wac.json }

# Another build that must search the same nodes, such as one with tunable parameters.
# same_bench:
#   - { name: tuning, build: cargo build --release --features tuning, binary: target/release/x }

# Not weaker than the base: an SPRT in normalized Elo, with a budget of games, at fixed `nodes` (or
# `depth`, `movetime: 50ms`, `tc: 2+0.02`). `restart: true` restarts the engines for each game.
sprt: { nodes: 5000, elo0: -10, elo1: 0, max_games: 4000, undecided: pass }

# For a release: its rating on a known scale, by games with engines whose ratings are published
# (`harness rate`). Passes when the whole 95 % interval is at least `at_least`, fails when all of it is
# below. `references` is a file of such engines, `list` one of its rating lists.
# rating: { at_least: 2800, error: 30, tc: 8+0.08, max_games: 2000, undecided: undecided }
";

/// The file in error messages.
const KIND: yaml::Kind = yaml::Kind {
    forms: &[
        ("bench", "{}"),
        ("args", "[depth, '12']"),
        ("speed", "{ at_least: 0.97, runs: 10 }"),
        ("conformance", "{}"),
        ("suites", "[{ suite: wac, nodes: 20000, baseline: reports/baseline/wac.json }]"),
        ("same_bench", "[{ name: tuning, build: make tuning, binary: ./engine }]"),
        ("sprt", "{ nodes: 5000, elo0: -10, elo1: 0 }"),
        ("rating", "{ at_least: 2800, error: 30, tc: 8+0.08 }"),
    ],
    keys: &[],
    help: "`harness gate init` writes one that suits the engine; `harness gate init --template --output \
           -` shows all that one may hold",
};

/// The checks of a gate.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Revision that the change is compared with; `None`: where it left main.
    pub base: Option<String>,
    /// The signature.
    pub bench: Option<Bench>,
    /// Nodes a second.
    pub speed: Option<Speed>,
    /// UCI.
    pub conformance: Option<Conformance>,
    /// Test suites.
    pub suites: Vec<Suite>,
    /// Builds that must search the same nodes.
    pub same_bench: Vec<SameBench>,
    /// Strength.
    pub sprt: Option<Sprt>,
    /// A rating on a known scale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<Rating>,
}

/// Nodes a second beside the base.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Speed {
    /// Fails when the ratio is shown to be below this.
    pub at_least: f64,
    /// Runs of each before the first analysis; the next ones follow after twice and four times
    /// as many, while the interval is too wide.
    pub runs: u32,
    /// Most runs of each; default: four times `runs`.
    pub max_runs: Option<u32>,
    /// A 95 % interval of no more than this to either side is narrow enough to end.
    pub within: f64,
    /// Chance of a false alarm when the ratio is just `at_least`.
    pub alpha: f64,
    /// The verdict of an interval that is still too wide.
    pub undecided: Undecided,
}

impl Default for Speed {
    fn default() -> Speed {
        Speed {
            at_least: 0.97,
            runs: 10,
            max_runs: None,
            within: 0.01,
            alpha: 0.01,
            undecided: Undecided::Pass,
        }
    }
}

/// UCI conformance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Conformance {
    /// Faults that the base has as well fail, too.
    pub strict: bool,
}

/// A test suite against an earlier result.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Name or file.
    pub suite: String,
    /// Nodes a position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Or its depth, for an engine that does not respect a limit of nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
    /// The earlier result, seen from the file; without one the base is run on the suite, too.
    #[serde(default, with = "harness_base::text::path", skip_serializing_if = "Option::is_none")]
    pub baseline: Option<PathBuf>,
    /// Restart the engine for each position.
    #[serde(default)]
    pub restart: bool,
}

impl Suite {
    fn mistake(&self) -> Option<String> {
        let is_one = matches!((self.nodes, self.depth), (Some(1..), None) | (None, Some(1..)));
        (!is_one).then(|| format!("suite {}: `nodes: N` or `depth: N`, one of them", self.suite))
    }

    /// Its positions: those of a file, seen from a folder, or of a suite by its name.
    pub(super) fn positions(&self, folder: &Path) -> Result<harness_suite::Suite, SuiteError> {
        let file = folder.join(&self.suite);
        let place = if file.is_file() { file.display().to_string() } else { self.suite.clone() };
        harness_suite::Suite::load(&place)
    }

    /// The limit as a flag of `harness suite`.
    pub(super) fn limit(&self) -> (&'static str, String) {
        match (self.depth, self.nodes) {
            (Some(depth), _) => ("--depth", depth.to_string()),
            (None, nodes) => ("--nodes", nodes.unwrap_or_default().to_string()),
        }
    }
}

/// A build that must search the same nodes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SameBench {
    /// Its name in the report.
    pub name: String,
    /// A shell command, run where the file is.
    pub build: String,
    /// The engine that it leaves, seen from the file.
    #[serde(with = "harness_base::text::path")]
    pub binary: PathBuf,
}

/// The verdict of an SPRT that did not end within its budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Undecided {
    /// It passes.
    #[default]
    Pass,
    /// It fails.
    Fail,
    /// The gate is undecided (exit status 3).
    Undecided,
}

/// A rating by games with engines whose ratings are published.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Rating {
    /// Fails when the rating is shown to be below this.
    pub at_least: f64,
    /// Half of the 95 % interval that is narrow enough.
    #[serde(default = "Rating::default_error")]
    pub error: f64,
    /// Limit of a search: `tc`, `movetime`, `nodes` or `depth`, as of an SPRT.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Depth of a move in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
    /// Time a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub movetime: Option<String>,
    /// A clock; 8+0.08 unless another limit is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tc: Option<String>,
    /// Engines with published ratings, seen from the file; `None`: those that come with the harness.
    #[serde(default, with = "harness_base::text::path", skip_serializing_if = "Option::is_none")]
    pub references: Option<PathBuf>,
    /// The rating list; `None`: that of the first reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<String>,
    /// Most games.
    #[serde(default = "Rating::default_games")]
    pub max_games: u64,
    /// The verdict that counts if the interval has `at_least` in it.
    #[serde(default)]
    pub undecided: Undecided,
}

impl Rating {
    const TC: &str = "8+0.08";

    fn default_error() -> f64 {
        30.0
    }

    fn default_games() -> u64 {
        2000
    }

    /// The limit as a flag of `harness rate`.
    pub(super) fn limit(&self) -> (&'static str, String) {
        match self {
            Rating { nodes: Some(nodes), .. } => ("--nodes", nodes.to_string()),
            Rating { depth: Some(depth), .. } => ("--depth", depth.to_string()),
            Rating { movetime: Some(time), .. } => ("--movetime", time.clone()),
            Rating { tc, .. } => ("--tc", tc.clone().unwrap_or_else(|| Self::TC.to_owned())),
        }
    }

    fn mistake(&self) -> Option<String> {
        let Rating { at_least, error, nodes, depth, movetime, tc, max_games, .. } = self;
        let limits = [nodes.is_some(), depth.is_some(), movetime.is_some(), tc.is_some()];
        let given = limits.into_iter().filter(|&given| given).count();
        if !(-1000.0..=6000.0).contains(at_least) {
            Some(format!("rating: at_least {at_least} is no rating"))
        } else if !(0.5..=1000.0).contains(error) {
            Some(format!("rating: error {error} is no width of an interval"))
        } else if given > 1 {
            Some("rating: one of nodes, depth, movetime and tc".to_owned())
        } else {
            (*max_games < 2).then(|| format!("rating: max_games {max_games} is no pair of games"))
        }
    }
}

/// An SPRT against the base.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sprt {
    /// Nodes a move; 5,000 unless another limit is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Depth of a move in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
    /// Time a move, as `harness sprt` takes it: `50ms`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movetime: Option<String>,
    /// A clock: `2+0.02`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tc: Option<String>,
    /// Restart the engines for each game.
    pub restart: bool,
    /// Lower bound in normalized Elo.
    pub elo0: f64,
    /// Upper bound in normalized Elo.
    pub elo1: f64,
    /// Most games.
    pub max_games: u64,
    /// The form of the bounds.
    pub bounds: Shape,
    /// Conditional power below which the test rejects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_futile: Option<f64>,
    /// The verdict that counts if there is no decision.
    pub undecided: Undecided,
}

impl Default for Sprt {
    fn default() -> Sprt {
        Sprt {
            nodes: None,
            depth: None,
            movetime: None,
            tc: None,
            restart: false,
            elo0: -10.0,
            elo1: 0.0,
            max_games: 4000,
            bounds: Shape::default(),
            stop_futile: None,
            undecided: Undecided::Pass,
        }
    }
}

impl Sprt {
    const NODES: u64 = 5000;

    /// The limit as a flag of `harness sprt`.
    pub(super) fn limit(&self) -> (&'static str, String) {
        match self {
            Sprt { tc: Some(tc), .. } => ("--tc", tc.clone()),
            Sprt { movetime: Some(time), .. } => ("--movetime", time.clone()),
            Sprt { depth: Some(depth), .. } => ("--depth", depth.to_string()),
            Sprt { nodes, .. } => ("--nodes", nodes.unwrap_or(Self::NODES).to_string()),
        }
    }

    /// The rule of the test as flags of `harness sprt`; none of what is the default there.
    pub(super) fn rule_flags(&self) -> Vec<String> {
        let bounds = (self.bounds != Shape::Wald).then(|| format!("--bounds={}", self.bounds));
        let futile = self.stop_futile.map(|level| format!("--stop-futile={level}"));
        bounds.into_iter().chain(futile).collect()
    }

    /// The test.
    ///
    /// # Errors
    /// When its hypotheses are in the wrong order, or too far apart for such bounds.
    pub(super) fn test(&self) -> Result<stats::Sprt, SprtError> {
        let (model, rate, draws) = (stats::Model::default(), 0.05, stats::PLANNED_DRAWS);
        let test = stats::Sprt::new(model, self.elo0, self.elo1, rate, rate)?;
        let test = test.with_bounds(self.bounds, draws)?;
        match self.stop_futile {
            Some(level) => test.with_futility(level, draws, self.max_games.div_ceil(2)),
            None => Ok(test),
        }
    }

    /// Nodes or depth of a move; `None` where a clock ends the searches.
    pub(super) fn fixed(&self) -> Option<(Option<u64>, Option<u8>)> {
        match self {
            Sprt { tc: Some(_), .. } | Sprt { movetime: Some(_), .. } => None,
            Sprt { depth: Some(depth), .. } => Some((None, Some(*depth))),
            Sprt { nodes, .. } => Some((Some(nodes.unwrap_or(Self::NODES)), None)),
        }
    }

    fn mistake(&self) -> Option<String> {
        let Sprt { elo0, elo1, nodes, depth, movetime, tc, .. } = self;
        if elo0.partial_cmp(elo1) != Some(std::cmp::Ordering::Less) {
            return Some(format!("sprt: elo0 {elo0} is not below elo1 {elo1}"));
        }
        if let Some(level) = self.stop_futile.filter(|level| !(*level > 0.0 && *level < 1.0)) {
            return Some(format!("sprt: stop_futile {level} does not lie between 0 and 1"));
        }
        if self.max_games < 2 {
            return Some(format!("sprt: max_games {} is no pair of games", self.max_games));
        }
        let limits = [nodes.is_some(), depth.is_some(), movetime.is_some(), tc.is_some()];
        let given = limits.into_iter().filter(|&given| given).count();
        (given > 1).then(|| "sprt: one of nodes, depth, movetime and tc".to_owned())
    }
}

/// An invalid `gate.yaml`.
#[derive(Debug, Error, Diagnostic)]
pub enum ConfigError {
    /// It cannot be read, is not YAML, or has other keys.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Yaml(#[from] YamlError),
    /// A value that makes no sense.
    #[error("{}: {reason}", path.display())]
    #[diagnostic(help("`harness gate init --template --output -` shows all that it may hold"))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: String,
    },
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or understood, or lists no check.
    pub fn read(path: &Path) -> Result<Config, ConfigError> {
        Config::parse(path, &yaml::read_text(path, KIND)?)
    }

    /// Reads a text; errors name `path`.
    ///
    /// # Errors
    /// When it is invalid.
    pub fn parse(path: &Path, text: &str) -> Result<Config, ConfigError> {
        let config: Config = yaml::parse(path, text, KIND)?;
        match config.mistake() {
            Some(reason) => Err(ConfigError::Invalid { path: path.to_owned(), reason }),
            None => Ok(config),
        }
    }

    /// Checks that the suites, the earlier results and the engines with known ratings that it names can be read, seen
    /// from a folder.
    ///
    /// # Errors
    /// For the first that cannot.
    pub fn check_files(&self, folder: &Path) -> Result<(), CheckError> {
        for suite in &self.suites {
            let name = || suite.suite.clone();
            suite.positions(folder).map_err(|error| CheckError::Suite(name(), error))?;
            let baseline = suite.baseline.as_ref().map(|file| read_baseline(&folder.join(file)));
            baseline.transpose().map_err(|error| CheckError::Baseline(name(), error))?;
        }
        if let Some(file) = self.rating.as_ref().and_then(|rating| rating.references.as_ref()) {
            read_references(Some(&folder.join(file)))?;
        }
        Ok(())
    }

    /// The fault of the values.
    fn mistake(&self) -> Option<String> {
        let nothing = Config { base: self.base.clone(), ..Config::default() };
        (self.bench.as_ref().and_then(Bench::mistake))
            .or_else(|| self.speed.as_ref().and_then(Speed::mistake))
            .or_else(|| self.suites.iter().find_map(Suite::mistake))
            .or_else(|| self.sprt.as_ref().and_then(Sprt::mistake))
            .or_else(|| self.rating.as_ref().and_then(Rating::mistake))
            .or_else(|| (*self == nothing).then(|| "it asks for no check".to_owned()))
    }
}

impl Speed {
    fn mistake(&self) -> Option<String> {
        let Speed { at_least, runs, max_runs, within, alpha, .. } = *self;
        let is_between = |value: f64, low: f64, high: f64| value > low && value < high;
        Some(if !(at_least > 0.0 && at_least <= 1.5) {
            format!("speed: at_least {at_least} is no sensible ratio")
        } else if !(3..=10_000).contains(&runs) {
            format!("speed: {runs} runs; 3 are the fewest that show an error, 10000 the most")
        } else if !is_between(alpha, 0.0, 0.5) {
            format!("speed: alpha {alpha} is no error rate")
        } else if !is_between(within, 0.0, 1.0) {
            format!("speed: within {within} is no width of an interval")
        } else {
            let most = max_runs.filter(|most| !(runs..=100_000).contains(most))?;
            format!("speed: max_runs {most} is less than runs {runs}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config, ConfigError> {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join(FILE_NAME);
        std::fs::write(&path, text).expect("written");
        Config::read(&path)
    }

    #[test]
    fn what_init_writes_is_understood() {
        let config = read(TEMPLATE).expect("understood");
        assert_eq!(config.speed, Some(Speed::default()));
        assert_eq!(config.sprt, Some(Sprt { nodes: Some(5000), ..Sprt::default() }));
        assert_eq!(config.bench, Some(Bench::default()));
        let all = TEMPLATE.replace("# suites:", "suites:").replace("#   - ", "  - ");
        let all = all.replace("# same_bench:", "same_bench:").replace("# rating:", "rating:");
        let config = read(&all).expect("understood");
        assert_eq!((config.suites.len(), config.same_bench.len()), (1, 1));
    }

    #[test]
    fn suites_and_baselines_are_looked_for_before_anything_is_built() {
        let folder = tempfile::tempdir().expect("temporary folder");
        std::fs::write(folder.path().join("own.epd"), "8/8/8/8/8/k7/8/K6R w - - bm Rh3+; id a;\n")
            .expect("written");
        for (suite, says) in [
            ("wac, nodes: 5", None),
            ("own.epd, nodes: 5", None),
            ("wacc, nodes: 5", Some("wacc")),
            ("wac, nodes: 5, baseline: kept.json", Some("kept.json")),
        ] {
            let config = read(&format!("suites: [{{ suite: {suite} }}]\n")).expect("understood");
            let error = config.check_files(folder.path()).err().map(|error| error.to_string());
            assert_eq!(error.is_some(), says.is_some(), "{suite}: {error:?}");
            assert!(says.is_none_or(|says| error.unwrap_or_default().contains(says)), "{suite}");
        }
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        for (text, says) in [
            ("bench: {}\nspeeed: {}\n", "gate.yaml:2:1"),
            ("speed: { at_least: fast }\n", "gate.yaml:1:"),
            ("speed: { at_least: 97 }\n", "97"),
            ("speed: { runs: 1 }\n", "1 runs"),
            ("speed: { within: 0 }\n", "within 0"),
            ("speed: { runs: 9, max_runs: 5 }\n", "max_runs 5"),
            ("suites: [{ suite: wac }]\n", "one of them"),
            ("suites: [{ suite: wac, nodes: 5, depth: 5 }]\n", "one of them"),
            ("sprt: { nodes: 5, tc: 1+0.1 }\n", "one of nodes"),
            ("sprt: { elo0: 5, elo1: 0 }\n", "elo0 5"),
            ("sprt: { max_games: 1 }\n", "max_games 1"),
            ("rating: { error: 30 }\n", "at_least"),
            ("rating: { at_least: 99999 }\n", "99999"),
            ("rating: { at_least: 2000, error: 0 }\n", "error 0"),
            ("rating: { at_least: 2000, tc: 1+0.1, nodes: 5 }\n", "one of nodes"),
            ("rating: { at_least: 2000, max_games: 1 }\n", "max_games 1"),
            ("base: main\n", "no check"),
            ("bench: { nodes: '(' }\n", "nodes: regex parse error"),
            ("bench: { command: x bench, args: ['5'] }\n", "belong into `command`"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
