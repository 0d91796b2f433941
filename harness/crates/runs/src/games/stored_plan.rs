//! The plan of a match as the ledger keeps it.

use serde::{Deserialize, Serialize};

use super::change::Changed;
use super::showing::Showing;
use super::starting::Starting;
use harness_arena::Plan;
use harness_data::filter::Keep;
use harness_outcome::MatchFacts;
use harness_player::NamedFiles;
use harness_stats::Sprt;

/// The plan as the ledger keeps it.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredPlan {
    /// For reports.
    pub facts: MatchFacts,
    /// For playing.
    #[serde(flatten)]
    pub plan: Plan,
    /// Files that its engines' options name.
    #[serde(default, skip_serializing_if = "NamedFiles::is_empty")]
    pub files: NamedFiles,
    /// For starting engines.
    #[serde(default)]
    pub starting: Starting,
    /// For the commands that show it.
    #[serde(default)]
    pub showing: Showing,
    /// Engines whose scores are kept as training data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collect: Option<Keep>,
    /// The test of all shards together; of a shard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pooled_sprt: Option<Sprt>,
    /// Changes of the test's rule while it was under way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Changed>,
}
