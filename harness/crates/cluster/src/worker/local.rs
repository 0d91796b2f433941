//! A run on this machine: its engines, its files, its speed.

use super::Worker;
use super::play::NotDone;
use crate::ClusterError;
use crate::message::{Reference, Rules, Shared, Task, WhyReturned};
use harness_base::session::Interrupt;
use harness_player::{EngineSpec, Limit, Program};

impl Worker<'_> {
    /// Why no time limits are played here, if the speed varies too much.
    pub(super) fn is_too_noisy(&self) -> Option<WhyReturned> {
        let noise = self.speed.dispersion();
        (noise > self.offer.most_noise).then(|| {
            WhyReturned::CannotPlay(format!(
                "its speed varies by {:.0} %, which is too much for time limits (`harness work \
                 --max-noise`); fixed nodes it plays",
                100.0 * noise
            ))
        })
    }

    /// What time limits are multiplied by here; `None`: they hold as they are.
    fn time_factor(&self, shared: &Shared) -> Option<f64> {
        let factor = |reference: Reference| reference.nps / self.speed.nodes_a_second().max(1.0);
        shared.reference.map(factor)
    }

    /// A task with the engines and files of this machine.
    pub(super) fn localised(
        &self,
        shared: &Shared,
        task: &Task,
        interrupt: &Interrupt,
    ) -> Result<Task, NotDone> {
        let mut task = task.clone();
        match &mut task {
            Task::Pair(job) => {
                let factor = self.time_factor(shared);
                for side in &mut job.sides {
                    side.limit = scaled(side.limit, factor);
                    self.localise(shared, &mut side.engine, interrupt)?;
                }
            }
            Task::Position { engine, .. } => self.localise(shared, &mut engine.1, interrupt)?,
            Task::Game(_) | Task::Positions { .. } => {}
        }
        Ok(task)
    }

    /// What the tasks of a run have in common, with the engines and files of this machine.
    pub(super) fn localised_rules(
        &self,
        shared: &Shared,
        interrupt: &Interrupt,
    ) -> Result<Shared, NotDone> {
        let mut localised = shared.clone();
        self.cache.localise(&mut localised.rules);
        match &mut localised.rules {
            Rules::SelfPlay(recipe) => self.localise(shared, &mut recipe.engine, interrupt)?,
            Rules::Suite { effort, .. } => {
                effort.limit = scaled(effort.limit, self.time_factor(shared));
            }
            Rules::Scores { engine, limit } => {
                self.localise(shared, engine, interrupt)?;
                *limit = scaled(*limit, self.time_factor(shared));
            }
            Rules::Games { .. } => {}
        }
        Ok(localised)
    }

    fn localise(
        &self,
        shared: &Shared,
        engine: &mut EngineSpec,
        interrupt: &Interrupt,
    ) -> Result<(), ClusterError> {
        if engine.program != Program::Builtin || !engine.options.is_empty() {
            *engine = self.cache.engine(self.link, &shared.artifacts, engine, interrupt)?;
        }
        Ok(())
    }
}

fn scaled(limit: Limit, factor: Option<f64>) -> Limit {
    factor.map_or(limit, |factor| limit.scaled(factor))
}
