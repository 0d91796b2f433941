//! A run beside others: the parts of its result that can be compared.

use std::collections::BTreeMap;

use serde_json::Value;

/// Points of a curve over games.
pub type Curve = Vec<(f64, f64)>;

/// The parts of a result that a kind of run has; each is compared with that of other runs.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The result in a line.
    pub result: String,
    /// Its settings, where its plan has none.
    pub settings: Option<Value>,
    /// Games won, drawn and lost.
    pub score: Option<[u64; 3]>,
    /// Elo over games.
    pub elo: Option<Curve>,
    /// Log-likelihood ratio over games.
    pub llr: Option<Curve>,
    /// Expected gain over games.
    pub gain: Option<Curve>,
    /// Validation loss of a training over its epochs, in thousandths.
    pub loss: Option<Curve>,
    /// The same by scores alone, where labels have more parts.
    pub scores_loss: Option<Curve>,
    /// Positions of a suite, of each engine that was asked.
    pub solved: Vec<SolvedPositions>,
    /// Parameters, with their values for people.
    pub values: Option<BTreeMap<String, String>>,
}

/// The positions of a suite that an engine was asked.
#[derive(Clone, Debug, Default)]
pub struct SolvedPositions {
    /// The engine.
    pub engine: String,
    /// The run.
    pub run: String,
    /// Whether each was solved, by its id.
    pub positions: BTreeMap<String, bool>,
}
