//! The board and the runs that a sentence is about.

/// Names and moves that a sentence may mention.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// Legal moves of the position: as engines write them, as people do.
    pub legal: Vec<(String, String)>,
    /// Names of engines.
    pub engines: Vec<String>,
    /// Ids of runs, the newest first.
    pub runs: Vec<String>,
}
