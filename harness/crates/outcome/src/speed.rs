//! The speed of an engine.

use serde::Serialize;

use harness_stats::PairedRatio;

/// Speed of an engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Speed {
    /// Its name.
    pub engine: String,
    /// Nodes a second over all its searches.
    pub nodes_per_second: f64,
    /// The same over that of the first engine; `None` for the first itself.
    pub speed_ratio: Option<PairedRatio>,
    /// Geometric mean of the nodes of a search.
    pub nodes: f64,
    /// Geometric mean of the seconds of a search.
    pub seconds: f64,
    /// The same over that of the first engine; `None` for the first itself.
    pub time_ratio: Option<PairedRatio>,
    /// Searches that did not reach the depth in time: the true times are longer.
    pub stopped: usize,
}
