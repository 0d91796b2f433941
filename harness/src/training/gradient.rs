//! What a network says of positions, how wrong it is, and the slope of that by every weight.
//!
//! Of the many inputs about thirty are on, so the first layer is sums of rows of weights, and its
//! slopes are sums of rows too: those of the inner layer, over the positions that have an input on.
//! Both are done over a small group of positions whose inner layers fit into the cache, in blocks
//! that fit into registers. The loops are plain and compiled for several kinds of processors; no
//! sum is reordered, so that all give the same numbers.

use super::aligned::Aligned;
use super::lists::Lists;
use super::models::{Head, Model, Pass, Seen, with_head};
use super::rows::{Kernel, RowSums};

/// Positions whose inner layers are held at once.
pub const GROUP: usize = 128;

/// Positions as a network sees them.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Inputs that are on, for each matrix of a first layer; a position may have several lists.
    pub lists: [Lists; 2],
    /// What else there is to know of each position.
    pub seen: Vec<Seen>,
    /// The expected result, 0 to 1, that each position is to have.
    pub targets: Vec<f32>,
}

impl Group {
    /// Forgets all positions.
    pub fn clear(&mut self) {
        self.lists.iter_mut().for_each(Lists::clear);
        self.seen.clear();
        self.targets.clear();
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }
}

/// Room for the work on a group.
#[derive(Default)]
pub struct Workspace {
    /// What the first layers give, position by position; later their slopes.
    numbers: [Aligned; 2],
    /// What is kept of each position.
    room: Vec<f32>,
    /// What the network says of each position.
    outputs: Vec<f32>,
    /// The lists of a group that have each input.
    by_input: Lists,
}

/// Adds the slopes of a group's squared errors to `gradient`, and gives the sum of the errors.
pub fn learn(
    model: &Model,
    weights: &[f32],
    group: &Group,
    work: &mut Workspace,
    gradient: &mut [f32],
) -> f64 {
    with_head!(model, head => learn_with(head, weights, group, work, gradient))
}

fn learn_with<H: Head>(
    head: &H,
    weights: &[f32],
    group: &Group,
    work: &mut Workspace,
    gradient: &mut [f32],
) -> f64 {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has AVX-512 F.
            return unsafe { learn_avx512(head, weights, group, work, gradient) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { learn_avx2(head, weights, group, work, gradient) };
        }
    }
    learn_plainly(head, weights, group, work, gradient)
}

/// What the network says of each position of a group: its output before the sigmoid.
pub fn judge<'w>(
    model: &Model,
    weights: &[f32],
    group: &Group,
    work: &'w mut Workspace,
) -> &'w [f32] {
    with_head!(model, head => forward(head, weights, group, work));
    &work.outputs
}

/// The squared error of an output, and its slope by the output.
pub fn error(output: f32, target: f32) -> (f32, f32) {
    let expected = 1.0 / (1.0 + (-output).exp());
    let error = expected - target;
    (error * error, 2.0 * error * expected * (1.0 - expected))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn learn_avx512<H: Head>(
    head: &H,
    weights: &[f32],
    group: &Group,
    work: &mut Workspace,
    gradient: &mut [f32],
) -> f64 {
    learn_plainly(head, weights, group, work, gradient)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn learn_avx2<H: Head>(
    head: &H,
    weights: &[f32],
    group: &Group,
    work: &mut Workspace,
    gradient: &mut [f32],
) -> f64 {
    learn_plainly(head, weights, group, work, gradient)
}

#[inline(always)]
fn learn_plainly<H: Head>(
    head: &H,
    weights: &[f32],
    group: &Group,
    work: &mut Workspace,
    gradient: &mut [f32],
) -> f64 {
    forward(head, weights, group, work);
    let (strides, kept) = (strides(head), head.room());
    let Workspace { numbers, room, outputs, .. } = &mut *work;
    let mut sum = 0.0;
    for (position, &seen) in group.seen.iter().enumerate() {
        let (loss, slope) = error(outputs[position], group.targets[position]);
        sum += f64::from(loss);
        let numbers = of_position(numbers, strides, position);
        let room = &mut room[position * kept..(position + 1) * kept];
        head.backward(Pass { weights, seen, numbers, room }, slope, gradient);
    }
    for (matrix, first) in head.first().into_iter().enumerate() {
        let Some((span, _)) = first else { continue };
        // A bias is the weight of an input that is always on, behind those of the others.
        group.lists[matrix].turn(span.inputs, &mut work.by_input);
        Kernel::best().add_rows(RowSums {
            sums: &mut gradient[span.weights().start..span.biases().end],
            start: None,
            matrix: &work.numbers[matrix],
            width: span.outputs,
            lists: &work.by_input,
        });
    }
    sum
}

/// Computes what the first layers give, and the outputs.
#[inline(always)]
fn forward<H: Head>(head: &H, weights: &[f32], group: &Group, work: &mut Workspace) {
    for (matrix, first) in head.first().into_iter().enumerate() {
        let Some((span, lists)) = first else { continue };
        let numbers = &mut work.numbers[matrix];
        numbers.resize(group.len() * lists * span.outputs);
        Kernel::best().add_rows(RowSums {
            sums: numbers,
            start: Some(&weights[span.biases()]),
            matrix: &weights[span.weights()],
            width: span.outputs,
            lists: &group.lists[matrix],
        });
    }
    let (strides, kept) = (strides(head), head.room());
    work.room.resize(group.len() * kept, 0.0);
    work.outputs.clear();
    for (position, &seen) in group.seen.iter().enumerate() {
        let numbers = of_position(&mut work.numbers, strides, position);
        let room = &mut work.room[position * kept..(position + 1) * kept];
        work.outputs.push(head.forward(Pass { weights, seen, numbers, room }));
    }
}

/// Numbers of a position, for each matrix.
#[inline(always)]
fn strides<H: Head>(head: &H) -> [usize; 2] {
    head.first().map(|first| first.map_or(0, |(span, lists)| lists * span.outputs))
}

#[inline(always)]
fn of_position(numbers: &mut [Aligned; 2], strides: [usize; 2], at: usize) -> [&mut [f32]; 2] {
    let [first, second] = numbers;
    let of = |stride: usize| at * stride..(at + 1) * stride;
    [&mut first[of(strides[0])], &mut second[of(strides[1])]]
}
