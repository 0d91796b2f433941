//! What a network says of positions, how wrong it is, and the slope of that by every weight.
//!
//! Of the many inputs about thirty are on, so the first layer is sums of rows of weights, and its
//! slopes are sums of rows too: those of the inner layer, over the positions that have an input on.
//! Both are done over a small group of positions whose inner layers fit into the cache, in blocks
//! that fit into registers. The loops are plain and compiled for several kinds of processors; no
//! sum is reordered, so that all give the same numbers.

use super::models::{Head, Model, Pass, Seen, Span, with_head};
use super::rows::Kernel;

/// Positions whose inner layers are held at once.
pub const GROUP: usize = 128;

/// Lists of inputs that are on.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    inputs: Vec<u16>,
    /// Where each list ends.
    ends: Vec<u32>,
}

impl Lists {
    fn clear(&mut self) {
        self.inputs.clear();
        self.ends.clear();
    }

    /// Adds a list.
    #[inline]
    pub fn push(&mut self, inputs: impl Iterator<Item = u16>) {
        self.inputs.extend(inputs);
        self.ends.push(self.inputs.len() as u32);
    }

    /// A list.
    fn get(&self, number: usize) -> &[u16] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.inputs[start..self.ends[number] as usize]
    }
}

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
    numbers: [Vec<f32>; 2],
    /// What is kept of each position.
    room: Vec<f32>,
    /// What the network says of each position.
    outputs: Vec<f32>,
    /// Lists of a group by input, and where those of each input begin.
    lists: Vec<u16>,
    starts: Vec<u32>,
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
        if let Some((span, _)) = first {
            by_input(span.inputs, &group.lists[matrix], work);
            backward_first(span, &work.numbers[matrix], &work.starts, &work.lists, gradient);
        }
    }
    sum
}

/// Computes what the first layers give, and the outputs.
#[inline(always)]
fn forward<H: Head>(head: &H, weights: &[f32], group: &Group, work: &mut Workspace) {
    let kernel = Kernel::best();
    for (matrix, first) in head.first().into_iter().enumerate() {
        let Some((span, lists)) = first else { continue };
        let (rows, bias) = (&weights[span.weights()], &weights[span.biases()]);
        let numbers = &mut work.numbers[matrix];
        numbers.resize(group.len() * lists * span.outputs, 0.0);
        for (number, sums) in numbers.chunks_exact_mut(span.outputs).enumerate() {
            sums.copy_from_slice(bias);
            kernel.add_rows(sums, rows, group.lists[matrix].get(number));
        }
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
fn of_position(numbers: &mut [Vec<f32>; 2], strides: [usize; 2], at: usize) -> [&mut [f32]; 2] {
    let [first, second] = numbers;
    let of = |stride: usize| at * stride..(at + 1) * stride;
    [&mut first[of(strides[0])], &mut second[of(strides[1])]]
}

/// Adds the slopes of a first layer, from those by the numbers of each list.
#[inline(always)]
fn backward_first(
    span: Span,
    numbers: &[f32],
    starts: &[u32],
    lists: &[u16],
    gradient: &mut [f32],
) {
    let kernel = Kernel::best();
    let bias = &mut gradient[span.biases()];
    for slopes in numbers.chunks_exact(span.outputs) {
        for (bias, slope) in bias.iter_mut().zip(slopes) {
            *bias += slope;
        }
    }
    let rows = &mut gradient[span.weights()];
    for (input, ends) in starts.windows(2).enumerate() {
        let lists = &lists[ends[0] as usize..ends[1] as usize];
        if !lists.is_empty() {
            let row = &mut rows[input * span.outputs..(input + 1) * span.outputs];
            kernel.add_rows(row, numbers, lists);
        }
    }
}

/// Sorts the lists of a group by the inputs that they have on.
#[inline(always)]
fn by_input(inputs: usize, group: &Lists, work: &mut Workspace) {
    let Workspace { lists, starts, .. } = work;
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
        for &input in group.get(number) {
            let place = &mut starts[usize::from(input) + 1];
            lists[*place as usize] = number as u16;
            *place += 1;
        }
    }
    starts.pop();
}
