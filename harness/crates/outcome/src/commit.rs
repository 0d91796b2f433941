//! A commit of an engine's repository.

use serde::{Deserialize, Serialize};

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Its full hash.
    pub hash: String,
    /// The first line of its message.
    pub subject: String,
}

impl Commit {
    /// The first ten digits of its hash.
    pub fn short(&self) -> &str {
        self.hash.get(..10).unwrap_or(&self.hash)
    }
}
