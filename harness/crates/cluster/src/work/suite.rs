//! Positions of a suite.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::kind::{Finished, Mismatch, Names, RemoteWork, Work};
use crate::ClusterError;
use crate::machine::Machine;
use harness_arena::Watch;
use harness_base::session::Interrupt;
use harness_notation::epd::{self, EpdPosition};
use harness_outcome::SuiteResult;
use harness_player::pool::{Hand, Seats};
use harness_player::{EngineSpec, Limit};
use harness_suite::{self as suite, Effort, Scoring, SearchError};

/// Shared configuration of the positions of a suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteSearch {
    /// How moves are scored.
    pub scoring: Scoring,
    /// Limit of a search.
    pub effort: Effort,
    /// Each position gets an engine that was started for it.
    pub restart: bool,
}

/// A position of a suite.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SuiteTask {
    /// Its number in the run.
    pub number: u64,
    /// The engine that searches, and its number.
    pub engine: Box<(usize, EngineSpec)>,
    /// Its id in the suite.
    pub id: String,
    /// Its line.
    pub epd: String,
    /// The line as it was read, where it was read already.
    #[serde(skip)]
    pub position: Option<Arc<EpdPosition>>,
}

impl SuiteTask {
    /// The position, with its id in the suite.
    fn position(&self) -> Result<Arc<EpdPosition>, SearchError> {
        if let Some(position) = &self.position {
            return Ok(Arc::clone(position));
        }
        let read = epd::read(&self.id, self.epd.as_bytes());
        let read = read.map_err(|error| SearchError::Unreadable(error.to_string()))?;
        let position = read.into_iter().next();
        let position = position.ok_or_else(|| SearchError::Unreadable("no position".to_owned()))?;
        Ok(Arc::new(EpdPosition { id: self.id.clone(), ..position }))
    }
}

impl Work for SuiteSearch {
    type Task = SuiteTask;
    type Answer = Box<SuiteResult>;
    type Tools<'a> = ();
    type Trouble = SearchError;

    fn number(task: &SuiteTask) -> u64 {
        task.number
    }

    fn tools(&self, _: Option<&Watch<'_>>, _: &Interrupt) -> Result<(), SearchError> {
        Ok(())
    }

    fn perform(
        &self,
        (): &(),
        seats: &mut Seats<'_>,
        task: &SuiteTask,
        hand: &Hand<'_, Box<SuiteResult>>,
    ) -> Result<(), SearchError> {
        let (number, engine) = &*task.engine;
        let how = (self.scoring, self.effort, self.restart);
        let result = suite::search(seats, *number, engine, &*task.position()?, how)?;
        // Without a receiver the run is over.
        let _ = hand(Box::new(result));
        Ok(())
    }
}

impl RemoteWork for SuiteSearch {
    const NAMES: Names = Names { rules: "suite", task: "position", answer: "position" };
    const IS_REVOCABLE: bool = true;

    fn hash_mib(task: &SuiteTask) -> u64 {
        task.engine.1.hash_mib()
    }

    fn limits(&self, _: &SuiteTask) -> Vec<Limit> {
        vec![self.effort.limit]
    }

    fn fingerprint(result: &Box<SuiteResult>) -> Vec<String> {
        vec![format!("{:?} {:?}", result.r#move, result.nodes)]
    }

    fn verify(&self, task: &SuiteTask, result: &Box<SuiteResult>) -> Result<(), Mismatch> {
        let position = task.position().map_err(|error| Mismatch(error.to_string()))?;
        let is_it = suite::is_result_of(&position, self.scoring, result);
        Mismatch::unless(is_it, || format!("it is no result of {}", task.id))
    }

    fn localise(&mut self, machine: &Machine<'_>) -> Result<(), ClusterError> {
        self.effort.limit = machine.limit(self.effort.limit);
        Ok(())
    }

    fn localise_task(task: &mut SuiteTask, machine: &Machine<'_>) -> Result<(), ClusterError> {
        machine.set_engine(&mut task.engine.1)
    }

    fn finished(result: &Box<SuiteResult>) -> Finished {
        Finished { all: 1, faults: usize::from(result.fault.is_some()) }
    }
}
