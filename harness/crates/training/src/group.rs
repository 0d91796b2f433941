//! A group of positions as the inputs of a network, and memory for the work on it.

use super::aligned::Aligned;
use super::loss::{Loss, Target};
use super::packed::Context;
use super::sparse::SparseRows;

/// Positions whose accumulators are held at once.
pub const GROUP: usize = 128;

/// Positions as the inputs of a network.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Active features, for each first layer; a position may have several rows.
    pub rows: Vec<SparseRows>,
    /// Further properties of each position that the network uses.
    pub contexts: Vec<Context>,
    /// The target of each position.
    pub targets: Vec<Target>,
    /// How far an output is from its target.
    pub loss: Loss,
}

impl Group {
    /// Removes all positions, to add those of a model with this number of first layers.
    pub fn clear(&mut self, firsts: usize) {
        self.rows.resize_with(firsts, SparseRows::default);
        self.rows.iter_mut().for_each(SparseRows::clear);
        self.contexts.clear();
        self.targets.clear();
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.contexts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.contexts.is_empty()
    }
}

/// Memory for the work on a group.
#[derive(Default)]
pub struct Workspace {
    /// Of each first layer: the accumulators, position by position; then their activations, then
    /// their gradient.
    pub(super) firsts: Vec<Aligned>,
    /// Of each position: the neurons of all steps, then their gradient.
    pub(super) neurons: Vec<f32>,
    /// The output of each position.
    pub(super) outputs: Vec<f32>,
    /// The derivative of the loss by each output.
    pub(super) deltas: Vec<f32>,
    /// The positions of a group that have each feature.
    pub(super) by_feature: SparseRows,
}
