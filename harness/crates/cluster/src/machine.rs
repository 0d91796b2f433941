//! A worker's machine as its tasks see it: engines, files, tablebases and speed in place of the
//! coordinator's.

use super::ClusterError;
use super::artifacts::Cache;
use super::link::Link;
use super::manifest::Artifacts;
use harness_base::session::Interrupt;
use harness_player::{EngineSpec, Limit, Program};

/// A worker's machine, for the tasks of one run.
pub struct Machine<'a> {
    pub(super) link: &'a Link,
    pub(super) cache: &'a Cache,
    /// The files of the run.
    pub(super) artifacts: &'a Artifacts,
    /// Time limits are multiplied by this; `None`: they hold as they are.
    pub(super) time_factor: Option<f64>,
    pub(super) interrupt: &'a Interrupt,
}

impl Machine<'_> {
    /// A limit as it holds here.
    pub fn limit(&self, limit: Limit) -> Limit {
        self.time_factor.map_or(limit, |factor| limit.scaled(factor))
    }

    /// Replaces the files of an engine by those of this machine; what is not there is fetched, or built.
    ///
    /// # Errors
    /// When that fails, or the engine is another one here.
    pub fn set_engine(&self, engine: &mut EngineSpec) -> Result<(), ClusterError> {
        if engine.program != Program::Builtin || !engine.options.is_empty() {
            *engine = self.cache.engine(self.link, self.artifacts, engine, self.interrupt)?;
        }
        Ok(())
    }

    /// Replaces the folders of tablebases that decide games by those of this machine.
    pub fn set_tablebases(&self, folders: Option<&mut String>) {
        if let (Some(folders), Some(own)) = (folders, self.cache.tablebases()) {
            own.clone_into(folders);
        }
    }
}
