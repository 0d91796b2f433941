//! `gate.yaml`: what is checked, and how strictly.

use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The file's name.
pub const FILE_NAME: &str = "gate.yaml";

/// What `harness gate init` writes.
pub const TEMPLATE: &str = "\
# What `harness gate` checks before a change goes in. Take out what you do not want.
# How a revision is built stands in harness.yaml (`build:`); a Rust, make or meson project needs
# nothing.

# What the change is compared with; default: where it left main.
# base: main

# `ENGINE bench` prints a node count: the signature of its search. It is the same as before, or
# the one that the newest commit message tells that has a line `Bench: 1234567`.
bench: {}

# Nodes a second beside the base, in turns. Fails when the ratio is shown (at 1 %) to be below.
speed: { at_least: 0.97, runs: 10 }

# `harness check`: does it speak UCI?
conformance: {}

# Test suites at fixed nodes against an earlier result (`harness suite wac --nodes 20000 ENGINE
# --json > FILE`). Fails when significantly fewer are solved (McNemar's exact test, 5 %).
# suites:
#   - { suite: wac, nodes: 20000, baseline: reports/baseline/wac.json }

# Another build that must search the same nodes, such as one with tunable parameters.
# same_bench:
#   - { name: tuning, build: cargo build --release --features tuning, binary: target/release/x }

# Not weaker than the base: an SPRT at fixed nodes, in normalized Elo, with a budget of games.
sprt: { nodes: 5000, elo0: -10, elo1: 0, max_games: 4000, undecided: pass }
";

/// What is checked.
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
}

/// The signature of the search.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Bench {
    /// Arguments after `bench`.
    pub args: Vec<String>,
}

/// Nodes a second beside the base.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Speed {
    /// Fails when the ratio is shown to be below this.
    pub at_least: f64,
    /// Runs of each.
    pub runs: u32,
    /// Chance of a false alarm when the ratio is just `at_least`.
    pub alpha: f64,
}

impl Default for Speed {
    fn default() -> Speed {
        Speed { at_least: 0.97, runs: 10, alpha: 0.01 }
    }
}

/// UCI conformance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Conformance {}

/// A test suite against an earlier result.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Name or file.
    pub suite: String,
    /// Nodes a position.
    pub nodes: u64,
    /// The earlier result, seen from the file.
    pub baseline: PathBuf,
}

/// A build that must search the same nodes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SameBench {
    /// What it is called in the report.
    pub name: String,
    /// A shell command, run where the file is.
    pub build: String,
    /// The engine that it leaves, seen from the file.
    pub binary: PathBuf,
}

/// What an SPRT that did not end within its budget counts as.
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

/// An SPRT against the base.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sprt {
    /// Nodes a move.
    pub nodes: u64,
    /// Lower bound in normalized Elo.
    pub elo0: f64,
    /// Upper bound in normalized Elo.
    pub elo1: f64,
    /// Most games.
    pub max_games: u64,
    /// What no decision counts as.
    pub undecided: Undecided,
}

impl Default for Sprt {
    fn default() -> Sprt {
        Sprt { nodes: 5000, elo0: -10.0, elo1: 0.0, max_games: 4000, undecided: Undecided::Pass }
    }
}

/// A `gate.yaml` that is of no use.
#[derive(Debug, Error, Diagnostic)]
pub enum ConfigError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    #[diagnostic(help("`harness gate init` writes one"))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// It is not what a `gate.yaml` holds.
    #[error("{}: {reason}", path.display())]
    #[diagnostic(help("`harness gate init --output -` shows one with all that it may hold"))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column.
        reason: String,
    },
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or understood, or asks for nothing.
    pub fn read(path: &Path) -> Result<Config, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ConfigError::Unreadable { path: path.to_owned(), source })?;
        let invalid = |reason| ConfigError::Invalid { path: path.to_owned(), reason };
        let config: Config =
            serde_yaml::from_str(&text).map_err(|error| invalid(error.to_string()))?;
        config.check().map_err(invalid)?;
        Ok(config)
    }

    fn check(&self) -> Result<(), String> {
        if let Some(speed) = self.speed {
            if !(speed.at_least > 0.0 && speed.at_least <= 1.5) {
                return Err(format!("speed: at_least {} is no sensible ratio", speed.at_least));
            }
            if speed.runs < 3 {
                return Err(format!("speed: {} runs are too few to know an error", speed.runs));
            }
            if !(speed.alpha > 0.0 && speed.alpha < 0.5) {
                return Err(format!("speed: alpha {} is no error rate", speed.alpha));
            }
        }
        if let Some(sprt) = self.sprt
            && sprt.elo0.partial_cmp(&sprt.elo1) != Some(std::cmp::Ordering::Less)
        {
            return Err(format!("sprt: elo0 {} is not below elo1 {}", sprt.elo0, sprt.elo1));
        }
        let nothing = Config { base: self.base.clone(), ..Config::default() };
        if *self == nothing {
            return Err("it asks for no check".to_owned());
        }
        Ok(())
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
        assert_eq!(config.sprt, Some(Sprt::default()));
        assert_eq!(config.bench, Some(Bench::default()));
        let all = TEMPLATE.replace("# suites:", "suites:").replace("#   - ", "  - ");
        let all = all.replace("# same_bench:", "same_bench:");
        let config = read(&all).expect("understood");
        assert_eq!((config.suites.len(), config.same_bench.len()), (1, 1));
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        for (text, says) in [
            ("bench: {}\nspeeed: {}\n", "line 2"),
            ("speed: { at_least: fast }\n", "line 1"),
            ("speed: { at_least: 97 }\n", "97"),
            ("speed: { runs: 1 }\n", "1 runs"),
            ("sprt: { elo0: 5, elo1: 0 }\n", "elo0 5"),
            ("base: main\n", "no check"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
