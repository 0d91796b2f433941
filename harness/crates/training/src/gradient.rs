//! The output of a network, its loss, and the gradient of the loss.
//!
//! About thirty features are active, so the first layer is sums of rows of weights, and its gradient
//! is sums of rows too: those of the accumulators' gradient, over the positions that have a feature.
//! Both are computed for a small group of positions whose accumulators fit into the cache, in blocks
//! that fit into registers. The loops are plain and compiled for several instruction sets; no sum is
//! reordered, so that all give the same numbers.

use super::aligned::Aligned;
use super::group::{Group, Workspace};
use super::model::Model;
use super::rows::{Kernel, RowSums};

/// A pass over a group, forwards and backwards.
pub struct Pass<'a> {
    /// The network.
    pub model: &'a Model,
    /// Its weights.
    pub weights: &'a [f32],
    /// The positions.
    pub group: &'a Group,
    /// Memory for the work.
    pub work: &'a mut Workspace,
    /// The sum to which the gradient is added.
    pub gradient: &'a mut [f32],
}

impl Pass<'_> {
    /// Adds the gradient of the group's loss, the sum of its positions'; returns the loss.
    pub fn run(self) -> f64 {
        let Pass { model, weights, group, work, gradient } = self;
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx512f") {
                // SAFETY: the processor has AVX-512 F.
                return unsafe { run_avx512(model, weights, group, work, gradient) };
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has AVX2.
                return unsafe { run_avx2(model, weights, group, work, gradient) };
            }
        }
        run_plainly(model, weights, group, work, gradient)
    }
}

// The parts of a pass one by one: only as parameters does the compiler know that they do not overlap.

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn run_avx512(
    model: &Model,
    weights: &[f32],
    group: &Group,
    work: &mut Workspace,
    gradient: &mut [f32],
) -> f64 {
    run_plainly(model, weights, group, work, gradient)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2(
    model: &Model,
    weights: &[f32],
    group: &Group,
    work: &mut Workspace,
    gradient: &mut [f32],
) -> f64 {
    run_plainly(model, weights, group, work, gradient)
}

#[inline(always)]
fn run_plainly(
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
        let (loss, delta) = group.loss.of(output, target);
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
