//! What a network says of positions, how wrong it is, and the slope of that by every weight.
//!
//! Of the 768 inputs about thirty are on, so the first layer is sums of rows of weights, and its
//! slopes are sums of rows too: those of the inner layer, over the positions that have an input on.
//! Both are done over a small group of positions whose inner layers fit into the cache, in blocks
//! that fit into registers. The loops are plain and compiled for several kinds of processors; no
//! sum is reordered, so that all give the same numbers.

use super::network::Layout;
use super::rows::Kernel;

/// Positions whose inner layers are held at once.
pub const GROUP: usize = 128;

/// Sums that run side by side in a dot product.
const STRIPE: usize = 16;

/// Positions as a network sees them.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Inputs that are on: of each position those of the side to move, then those of the other.
    inputs: Vec<u16>,
    /// Where each list of inputs ends.
    ends: Vec<u32>,
    /// The output layer of each position.
    buckets: Vec<u8>,
    /// The expected result, 0 to 1, that each position is to have.
    targets: Vec<f32>,
}

impl Group {
    /// Forgets all positions.
    pub fn clear(&mut self) {
        self.inputs.clear();
        self.ends.clear();
        self.buckets.clear();
        self.targets.clear();
    }

    /// Adds a position.
    pub fn push(
        &mut self,
        own: impl Iterator<Item = u16>,
        theirs: impl Iterator<Item = u16>,
        bucket: usize,
        target: f32,
    ) {
        self.inputs.extend(own);
        self.ends.push(self.inputs.len() as u32);
        self.inputs.extend(theirs);
        self.ends.push(self.inputs.len() as u32);
        self.buckets.push(bucket as u8);
        self.targets.push(target);
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// The inputs of a list: twice the number of a position, and one more for the other side.
    fn list(&self, number: usize) -> &[u16] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.inputs[start..self.ends[number] as usize]
    }
}

/// Room for the work on a group.
#[derive(Default)]
pub struct Workspace {
    /// The inner layers of a group, side by side; later their slopes.
    hidden: Vec<f32>,
    /// What the network says of each position.
    outputs: Vec<f32>,
    /// Lists of a group by input, and where those of each input begin.
    lists: Vec<u16>,
    starts: Vec<u32>,
}

/// Adds the slopes of a group's squared errors to `gradient`, and gives the sum of the errors.
pub fn learn(
    layout: Layout,
    weights: &[f32],
    group: &Group,
    work: &mut Workspace,
    gradient: &mut [f32],
) -> f64 {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has AVX-512 F.
            return unsafe { learn_avx512(layout, weights, group, work, gradient) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { learn_avx2(layout, weights, group, work, gradient) };
        }
    }
    learn_plainly(layout, weights, group, work, gradient)
}

/// What the network says of each position of a group: its output before the sigmoid.
pub fn judge<'w>(
    layout: Layout,
    weights: &[f32],
    group: &Group,
    work: &'w mut Workspace,
) -> &'w [f32] {
    forward(layout, weights, group, work);
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
fn learn_avx512(
    layout: Layout,
    weights: &[f32],
    group: &Group,
    work: &mut Workspace,
    gradient: &mut [f32],
) -> f64 {
    learn_plainly(layout, weights, group, work, gradient)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn learn_avx2(
    layout: Layout,
    weights: &[f32],
    group: &Group,
    work: &mut Workspace,
    gradient: &mut [f32],
) -> f64 {
    learn_plainly(layout, weights, group, work, gradient)
}

#[inline(always)]
fn learn_plainly(
    layout: Layout,
    weights: &[f32],
    group: &Group,
    work: &mut Workspace,
    gradient: &mut [f32],
) -> f64 {
    let kernel = Kernel::best();
    forward(layout, weights, group, work);
    let width = layout.hidden;
    let mut sum = 0.0;
    for (number, hidden) in work.hidden.chunks_exact_mut(2 * width).enumerate() {
        let (loss, slope) = error(work.outputs[number], group.targets[number]);
        sum += f64::from(loss);
        let bucket = usize::from(group.buckets[number]);
        let row = layout.output(bucket);
        gradient[layout.output_bias(bucket)] += slope;
        backward_output(slope, hidden, &weights[row.clone()], &mut gradient[row]);
        let bias = &mut gradient[layout.inner_bias()];
        for half in hidden.chunks_exact(width) {
            for (bias, hidden) in bias.iter_mut().zip(half) {
                *bias += hidden;
            }
        }
    }
    by_input(group, work);
    let Workspace { hidden, lists, starts, .. } = work;
    for (input, ends) in starts.windows(2).enumerate() {
        let lists = &lists[ends[0] as usize..ends[1] as usize];
        if !lists.is_empty() {
            let row = &mut gradient[input * width..(input + 1) * width];
            kernel.add_rows(row, hidden, lists);
        }
    }
    sum
}

/// Computes the clipped inner layers and the outputs.
#[inline(always)]
fn forward(layout: Layout, weights: &[f32], group: &Group, work: &mut Workspace) {
    let (kernel, width) = (Kernel::best(), layout.hidden);
    work.hidden.resize(2 * group.len() * width, 0.0);
    work.outputs.clear();
    let (inner, bias) = (&weights[..layout.inner_bias().start], &weights[layout.inner_bias()]);
    for (number, hidden) in work.hidden.chunks_exact_mut(2 * width).enumerate() {
        for (half, hidden) in hidden.chunks_exact_mut(width).enumerate() {
            hidden.copy_from_slice(bias);
            kernel.add_rows(hidden, inner, group.list(2 * number + half));
        }
        let bucket = usize::from(group.buckets[number]);
        let output = clip_and_dot(hidden, &weights[layout.output(bucket)]);
        work.outputs.push(output + weights[layout.output_bias(bucket)]);
    }
}

/// Clips the numbers of an inner layer to 0 to 1, and adds up their squares times the weights.
#[inline(always)]
fn clip_and_dot(hidden: &mut [f32], weights: &[f32]) -> f32 {
    let mut sums = [0.0; STRIPE];
    for (hidden, weights) in hidden.chunks_exact_mut(STRIPE).zip(weights.chunks_exact(STRIPE)) {
        for lane in 0..STRIPE {
            let clipped = hidden[lane].clamp(0.0, 1.0);
            hidden[lane] = clipped;
            sums[lane] += clipped * clipped * weights[lane];
        }
    }
    sums.iter().sum()
}

/// The slopes of an output by its weights, and by the inner layer, in its place.
#[inline(always)]
fn backward_output(slope: f32, hidden: &mut [f32], weights: &[f32], gradient: &mut [f32]) {
    for ((hidden, weight), gradient) in hidden.iter_mut().zip(weights).zip(gradient) {
        let clipped = *hidden;
        *gradient += slope * clipped * clipped;
        // Flat where it was clipped; from below its slope is 0 anyway.
        let inside = if clipped < 1.0 { 2.0 * clipped } else { 0.0 };
        *hidden = slope * weight * inside;
    }
}

/// Sorts the lists of a group by the inputs that they have on.
#[inline(always)]
fn by_input(group: &Group, work: &mut Workspace) {
    let Workspace { lists, starts, .. } = work;
    let inputs = engine::eval::nnue::INPUTS;
    starts.clear();
    starts.resize(inputs + 2, 0);
    for &input in &group.inputs {
        starts[usize::from(input) + 2] += 1;
    }
    for input in 2..starts.len() {
        starts[input] += starts[input - 1];
    }
    lists.resize(group.inputs.len(), 0);
    for number in 0..group.ends.len() {
        for &input in group.list(number) {
            let place = &mut starts[usize::from(input) + 1];
            lists[*place as usize] = number as u16;
            *place += 1;
        }
    }
    starts.pop();
}
