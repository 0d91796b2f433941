//! The output of a network, its loss, and the gradient of the loss.
//!
//! About thirty features are active, so the first layer is sums of rows of weights, and its gradient
//! is sums of rows too: those of the accumulators' gradient, over the positions that have a feature.
//! Both are computed for a small group of positions whose accumulators fit into the cache, in blocks
//! that fit into registers. The loops are plain and compiled for several instruction sets; no sum is
//! reordered, so that all give the same numbers.

use super::aligned::Aligned;
use super::model::{Context, Model};
use super::rows::{Kernel, RowSums};
use super::sparse::SparseRows;

/// Positions whose accumulators are held at once.
pub const GROUP: usize = 128;

/// Positions as the inputs of a network.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Active features, for each first layer; a position may have several rows.
    pub rows: Vec<SparseRows>,
    /// What else the network uses of each position.
    pub contexts: Vec<Context>,
    /// The expected score, 0 to 1, that is the target of each position.
    pub targets: Vec<f32>,
}

impl Group {
    /// Removes all positions, to add those of a model.
    pub fn clear(&mut self, model: &Model) {
        self.rows.resize_with(model.graph.firsts.len(), SparseRows::default);
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
    deltas: Vec<f32>,
    /// The positions of a group that have each feature.
    by_feature: SparseRows,
}

/// Adds the gradient of a group's loss, the sum of squared errors, to `gradient`; returns the loss.
pub fn learn(
    model: &Model,
    weights: &[f32],
    group: &Group,
    work: &mut Workspace,
    gradient: &mut [f32],
) -> f64 {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has AVX-512 F.
            return unsafe { learn_avx512(model, weights, group, work, gradient) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { learn_avx2(model, weights, group, work, gradient) };
        }
    }
    learn_plainly(model, weights, group, work, gradient)
}

/// The output of each position of a group, before the sigmoid.
pub fn outputs<'w>(
    model: &Model,
    weights: &[f32],
    group: &Group,
    work: &'w mut Workspace,
) -> &'w [f32] {
    forward(model, weights, group, work);
    &work.outputs
}

/// The squared error of an output, and its derivative by the output.
pub fn error(output: f32, target: f32) -> (f32, f32) {
    let expected = 1.0 / (1.0 + (-output).exp());
    let error = expected - target;
    (error * error, 2.0 * error * expected * (1.0 - expected))
}

/// Compiles [`learn_plainly`] for an instruction set.
#[cfg(target_arch = "x86_64")]
macro_rules! compiled {
    ($($name:ident with $features:literal)*) => {$(
        #[target_feature(enable = $features)]
        fn $name(
            model: &Model,
            weights: &[f32],
            group: &Group,
            work: &mut Workspace,
            gradient: &mut [f32],
        ) -> f64 {
            learn_plainly(model, weights, group, work, gradient)
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
compiled! {
    learn_avx512 with "avx512f"
    learn_avx2 with "avx2"
}

#[inline(always)]
fn learn_plainly(
    model: &Model,
    weights: &[f32],
    group: &Group,
    work: &mut Workspace,
    gradient: &mut [f32],
) -> f64 {
    forward(model, weights, group, work);
    let mut deltas = std::mem::take(&mut work.deltas);
    deltas.clear();
    let mut sum = 0.0;
    for (&output, &target) in work.outputs.iter().zip(&group.targets) {
        let (loss, delta) = error(output, target);
        sum += f64::from(loss);
        deltas.push(delta);
    }
    model.backward(weights, group, work, &deltas, gradient);
    work.deltas = deltas;
    for ((span, _), (rows, sums)) in model.firsts().zip(group.rows.iter().zip(&work.firsts)) {
        // A bias is the weight of a feature that is always active, behind the others.
        rows.transpose(span.inputs, &mut work.by_feature);
        Kernel::best().add_rows(RowSums {
            sums: &mut gradient[span.weights().start..span.biases().end],
            start: None,
            matrix: sums,
            width: span.outputs,
            rows: &work.by_feature,
        });
    }
    sum
}

/// Computes the accumulators and the outputs.
#[inline(always)]
fn forward(model: &Model, weights: &[f32], group: &Group, work: &mut Workspace) {
    work.firsts.resize_with(model.graph.firsts.len(), Aligned::default);
    for ((span, lists), (rows, sums)) in model.firsts().zip(group.rows.iter().zip(&mut work.firsts))
    {
        sums.resize(group.len() * lists * span.outputs);
        Kernel::best().add_rows(RowSums {
            sums,
            start: Some(&weights[span.biases()]),
            matrix: &weights[span.weights()],
            width: span.outputs,
            rows,
        });
    }
    model.forward(weights, group, work);
}
