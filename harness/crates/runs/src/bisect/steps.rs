//! The steps of a bisection, kept in a file of its run.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::posterior::Evidence;
use harness_base::files::write_atomically;
use harness_data::StateError;
use harness_stats::Pentanomial;

/// The name of the file.
const FILE: &str = "steps.json";

/// A step of a commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Number of the commit, from 0; `None`: the good one.
    pub commit: Option<usize>,
    /// Its result.
    pub result: StepResult,
}

/// The result of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepResult {
    /// Its games are being played.
    Begun {
        /// The run of the games.
        run: String,
    },
    /// Its games against the good commit.
    Pairs {
        /// The run of the games.
        run: String,
        /// The results, seen from the commit.
        pentanomial: Pentanomial,
    },
    /// It was tested without noise.
    Tested {
        /// The test failed.
        bad: bool,
    },
    /// It cannot be built, or the test says so.
    Skipped {
        /// Why.
        reason: String,
    },
}

/// The steps of a run.
pub struct Steps {
    path: PathBuf,
    list: Vec<Step>,
}

impl Steps {
    /// Reads the steps in the folder of a run; none of a new one.
    pub fn open(run: &Path) -> Result<Steps, StateError> {
        let path = run.join(FILE);
        let list = match std::fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(StateError::unusable("read", &path)(error)),
            Ok(text) => serde_json::from_slice(&text)
                .map_err(|reason| StateError::Json { path: path.clone(), reason })?,
        };
        Ok(Steps { path, list })
    }

    /// All, in their order.
    pub fn list(&self) -> &[Step] {
        &self.list
    }

    /// How many came to their end.
    pub fn finished(&self) -> usize {
        self.list.iter().filter(|step| !matches!(step.result, StepResult::Begun { .. })).count()
    }

    /// The games that have begun and did not come to their end.
    pub fn begun(&self) -> Option<(usize, &str)> {
        match self.list.last() {
            Some(Step { commit: Some(commit), result: StepResult::Begun { run } }) => {
                Some((*commit, run))
            }
            _ => None,
        }
    }

    /// Keeps a step; a begun one is replaced.
    pub fn keep(&mut self, step: Step) -> Result<(), StateError> {
        if self.begun().is_some() {
            self.list.pop();
        }
        self.list.push(step);
        let text = format!("{:#}\n", serde_json::json!(self.list));
        write_atomically(&self.path, text.as_bytes())
            .map_err(StateError::unusable("write", &self.path))
    }

    /// Evidence of each of `count` commits; the last one is built.
    pub fn evidence(&self, count: usize) -> Vec<Evidence> {
        let mut evidence = vec![Evidence::default(); count];
        for Step { commit, result } in &self.list {
            let Some(known) = commit.and_then(|commit| evidence.get_mut(commit)) else { continue };
            match result {
                StepResult::Begun { .. } => known.built = true,
                StepResult::Pairs { pentanomial, .. } => {
                    known.pairs += *pentanomial;
                    known.built = true;
                }
                StepResult::Tested { bad } => known.is_bad = Some(*bad),
                StepResult::Skipped { .. } => known.skipped = true,
            }
        }
        evidence
    }

    /// The runs of a commit's games, in their order, with those that have begun.
    pub fn runs(&self, commit: usize) -> Vec<String> {
        let of_commit = self.list.iter().filter(|step| step.commit == Some(commit));
        let runs = of_commit.filter_map(|step| match &step.result {
            StepResult::Begun { run } | StepResult::Pairs { run, .. } => Some(run.clone()),
            StepResult::Tested { .. } | StepResult::Skipped { .. } => None,
        });
        runs.collect()
    }

    /// Why a commit was skipped.
    pub fn skipped(&self, commit: usize) -> Option<&str> {
        self.list.iter().find_map(|step| match &step.result {
            StepResult::Skipped { reason } if step.commit == Some(commit) => Some(reason.as_str()),
            _ => None,
        })
    }

    /// Test results of a commit in their order: whether it is bad. `None` is the good commit.
    pub fn tests(&self, commit: Option<usize>) -> Vec<bool> {
        let of_commit = self.list.iter().filter(|step| step.commit == commit);
        let bad = of_commit.filter_map(|step| match step.result {
            StepResult::Tested { bad } => Some(bad),
            _ => None,
        });
        bad.collect()
    }

    /// Whether every test of a commit said good; `None` is the good commit.
    pub fn is_good(&self, commit: Option<usize>) -> bool {
        let tests = self.tests(commit);
        !tests.is_empty() && !tests.contains(&true)
    }
}
