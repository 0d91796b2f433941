//! Stochastic gradient descent by Adam on cross-entropy, with convolutions as matrix products.

use harness_picture::square::{CHANNELS, INPUTS};
use harness_picture::{
    CLASSES, CONVOLUTIONS, Convolution, LINEAR_INPUTS, Layer, Network, log_softmax, shapes,
};
use rand::Rng;
use rand_pcg::Pcg64Mcg;

/// A square with its class.
pub struct Example {
    pub input: Vec<f32>,
    pub class: usize,
}

/// Weights with the optimiser's moments.
pub struct Trainer {
    network: Network,
    /// The moving mean of the weights of the last steps, which is better than any of them.
    mean: Network,
    first: Vec<Layer>,
    second: Vec<Layer>,
    steps: i32,
}

/// What the forward pass of a convolution leaves for the backward pass.
struct Activation {
    patches: Vec<f32>,
    output: Vec<f32>,
    /// Where each pooled value came from; empty without pooling.
    sources: Vec<usize>,
}

fn zeros() -> Vec<Layer> {
    shapes()
        .into_iter()
        .map(|(fan_in, outputs)| Layer {
            weights: vec![0.0; fan_in * outputs],
            biases: vec![0.0; outputs],
        })
        .collect()
}

/// `c = a * b` (or `c += a * b`), with the transposes of `a` and `b` where it says so.
fn product(
    (rows, inner, columns): (usize, usize, usize),
    (a, a_transposed): (&[f32], bool),
    (b, b_transposed): (&[f32], bool),
    add: bool,
    c: &mut [f32],
) {
    assert!(a.len() == rows * inner && b.len() == inner * columns && c.len() == rows * columns);
    let strides = |transposed: bool, rows: usize, columns: usize| {
        if transposed { (1, rows as isize) } else { (columns as isize, 1) }
    };
    let (a_row, a_column) = strides(a_transposed, rows, inner);
    let (b_row, b_column) = strides(b_transposed, inner, columns);
    // SAFETY: the lengths are those of the shapes, as asserted, and the strides stay within them.
    unsafe {
        matrixmultiply::sgemm(
            rows,
            inner,
            columns,
            1.0,
            a.as_ptr(),
            a_row,
            a_column,
            b.as_ptr(),
            b_row,
            b_column,
            if add { 1.0 } else { 0.0 },
            c.as_mut_ptr(),
            columns as isize,
            1,
        );
    }
}

impl Trainer {
    /// Weights of He's distribution (K. He et al., 2015).
    pub fn new(rng: &mut Pcg64Mcg) -> Self {
        let mut layers = zeros();
        for (layer, (fan_in, _)) in layers.iter_mut().zip(shapes()) {
            let spread = (6.0 / fan_in as f32).sqrt();
            for weight in &mut layer.weights {
                *weight = rng.random_range(-spread..spread);
            }
        }
        Self::from_network(Network { layers })
    }

    /// Continues with weights that were stored.
    pub fn from_network(network: Network) -> Self {
        let mean = network.clone();
        Self { network, mean, first: zeros(), second: zeros(), steps: 0 }
    }

    /// The network that is used: the mean of the last steps.
    pub fn mean(&self) -> &Network {
        &self.mean
    }

    /// A step on a batch. Returns the mean loss (nats) and how many were right.
    pub fn step(&mut self, batch: &[Example], rate: f32) -> (f32, usize) {
        /// Squares that go through the layers together: their matrices fit the caches.
        const GROUP: usize = 8;
        let mut gradient = zeros();
        let (mut loss, mut right) = (0.0, 0);
        for group in batch.chunks(GROUP) {
            let (some, hits) = self.backward(group, &mut gradient);
            loss += some;
            right += hits;
        }
        self.update(&gradient, rate, batch.len() as f32);
        (loss / batch.len() as f32, right)
    }

    fn backward(&self, group: &[Example], gradient: &mut [Layer]) -> (f32, usize) {
        let count = group.len();
        let mut activations: Vec<Activation> = Vec::new();
        let inputs = interleaved(group);
        for (shape, layer) in CONVOLUTIONS.iter().zip(&self.network.layers) {
            let input = activations.last().map_or(&inputs, |it| &it.output);
            let next = forward(shape, layer, input, count);
            activations.push(next);
        }
        let places = LINEAR_INPUTS / CONVOLUTIONS[CONVOLUTIONS.len() - 1].outputs;
        let features = turned(&activations[CONVOLUTIONS.len() - 1].output, count, places);
        let last = &self.network.layers[CONVOLUTIONS.len()];
        let mut logits: Vec<f32> =
            last.biases.iter().flat_map(|&bias| std::iter::repeat_n(bias, count)).collect();
        let sizes = (CLASSES, LINEAR_INPUTS, count);
        product(sizes, (&last.weights, false), (&features, false), true, &mut logits);
        // Label smoothing (C. Szegedy et al., 2016) keeps confidences honest.
        const SMOOTHING: f32 = 0.01;
        let mut errors = vec![0.0; CLASSES * count];
        let (mut loss, mut right) = (0.0, 0);
        for (at, example) in group.iter().enumerate() {
            let logs: [f32; CLASSES] =
                log_softmax(std::array::from_fn(|class| logits[class * count + at]));
            for (class, log) in logs.iter().enumerate() {
                let target = if class == example.class { 1.0 - SMOOTHING } else { 0.0 };
                errors[class * count + at] = log.exp() - target - SMOOTHING / CLASSES as f32;
            }
            let best = (0..CLASSES).max_by(|&a, &b| logs[a].total_cmp(&logs[b]));
            loss -= logs[example.class];
            right += usize::from(best == Some(example.class));
        }
        let into = &mut gradient[CONVOLUTIONS.len()];
        for (bias, row) in into.biases.iter_mut().zip(errors.chunks_exact(count)) {
            *bias += row.iter().sum::<f32>();
        }
        let sizes = (CLASSES, count, LINEAR_INPUTS);
        product(sizes, (&errors, false), (&features, true), true, &mut into.weights);
        let mut flow = vec![0.0; LINEAR_INPUTS * count];
        let sizes = (LINEAR_INPUTS, CLASSES, count);
        product(sizes, (&last.weights, true), (&errors, false), false, &mut flow);
        let mut flow = turned_back(&flow, count, places);
        for at in (0..CONVOLUTIONS.len()).rev() {
            let (shape, layer) = (&CONVOLUTIONS[at], &self.network.layers[at]);
            flow = back(shape, layer, &activations[at], &flow, (&mut gradient[at], count), at > 0);
        }
        (loss, right)
    }

    fn update(&mut self, gradient: &[Layer], rate: f32, batch: f32) {
        self.steps += 1;
        let (beta1, beta2) = (0.9_f32, 0.999_f32);
        let correct1 = 1.0 - beta1.powi(self.steps);
        let correct2 = 1.0 - beta2.powi(self.steps);
        let moments = self.first.iter_mut().zip(&mut self.second);
        let layers = self.network.layers.iter_mut().zip(moments).zip(gradient);
        let decay = 1e-4;
        for ((layer, (first, second)), slopes) in layers {
            let parts = [
                (
                    &mut layer.weights,
                    &mut first.weights,
                    &mut second.weights,
                    &slopes.weights,
                    decay,
                ),
                (&mut layer.biases, &mut first.biases, &mut second.biases, &slopes.biases, 0.0),
            ];
            for (weights, first, second, slopes, decay) in parts {
                for (it, slope) in slopes.iter().enumerate() {
                    let slope = slope / batch;
                    first[it] = beta1 * first[it] + (1.0 - beta1) * slope;
                    second[it] = beta2 * second[it] + (1.0 - beta2) * slope * slope;
                    let step = first[it] / correct1 / ((second[it] / correct2).sqrt() + 1e-8);
                    weights[it] -= rate * (step + decay * weights[it]);
                }
            }
        }
        self.follow();
    }

    /// Moves the mean towards the weights; at first it is the mean of all.
    fn follow(&mut self) {
        /// Steps that it remembers.
        const MEMORY: f32 = 1000.0;
        let part = 1.0 / MEMORY.min(self.steps as f32);
        for (mean, layer) in self.mean.layers.iter_mut().zip(&self.network.layers) {
            for (mean, now) in
                [(&mut mean.weights, &layer.weights), (&mut mean.biases, &layer.biases)]
            {
                for (mean, now) in mean.iter_mut().zip(now) {
                    *mean += part * (now - *mean);
                }
            }
        }
    }
}

/// The inputs of a group, channel by channel.
fn interleaved(group: &[Example]) -> Vec<f32> {
    let plane = INPUTS / CHANNELS;
    let mut values = Vec::with_capacity(INPUTS * group.len());
    for channel in 0..CHANNELS {
        for example in group {
            values.extend_from_slice(&example.input[channel * plane..(channel + 1) * plane]);
        }
    }
    values
}

/// From channels of examples of places to a row of examples for each channel and place.
fn turned(values: &[f32], count: usize, places: usize) -> Vec<f32> {
    let mut rows = vec![0.0; values.len()];
    for (at, value) in values.iter().enumerate() {
        let (channel, example, place) = (at / places / count, at / places % count, at % places);
        rows[(channel * places + place) * count + example] = *value;
    }
    rows
}

/// The inverse of [`turned`].
fn turned_back(rows: &[f32], count: usize, places: usize) -> Vec<f32> {
    let mut values = vec![0.0; rows.len()];
    for (at, value) in values.iter_mut().enumerate() {
        let (channel, example, place) = (at / places / count, at / places % count, at % places);
        *value = rows[(channel * places + place) * count + example];
    }
    values
}

/// A row for each weight of the kernel, with the outputs of all examples.
fn patches(shape: &Convolution, input: &[f32], count: usize) -> Vec<f32> {
    let area = shape.output_side() * shape.output_side();
    let plane = shape.side * shape.side;
    let mut patches = vec![0.0; shape.fan_in() * count * area];
    each_row(shape, |row, channel, down, right| {
        for example in 0..count {
            let to = &mut patches[(row * count + example) * area..][..area];
            let from = &input[(channel * count + example) * plane..][..plane];
            shape.each_line(down, right, |outputs, inputs| {
                let sources = from[inputs].iter().step_by(shape.stride);
                for (value, source) in to[outputs].iter_mut().zip(sources) {
                    *value = *source;
                }
            });
        }
    });
    patches
}

/// Row, channel and place in the kernel of each weight.
fn each_row(shape: &Convolution, mut row: impl FnMut(usize, usize, usize, usize)) {
    let kernel = shape.kernel;
    for at in 0..shape.fan_in() {
        row(at, at / (kernel * kernel), at / kernel % kernel, at % kernel);
    }
}

fn forward(shape: &Convolution, layer: &Layer, input: &[f32], count: usize) -> Activation {
    let side = shape.output_side();
    let area = side * side;
    let patches = patches(shape, input, count);
    let biases = layer.biases.iter();
    let mut output: Vec<f32> =
        biases.flat_map(|&bias| std::iter::repeat_n(bias, area * count)).collect();
    let sizes = (shape.outputs, shape.fan_in(), area * count);
    product(sizes, (&layer.weights, false), (&patches, false), true, &mut output);
    for value in &mut output {
        *value = value.max(0.0);
    }
    if !shape.pools {
        return Activation { patches, output, sources: Vec::new() };
    }
    let half = side / 2;
    let source = |at: usize| {
        let (plane, cell) = (at / (half * half), at % (half * half));
        let corner = plane * area + cell / half * 2 * side + cell % half * 2;
        let mut best = corner;
        for other in [corner + 1, corner + side, corner + side + 1] {
            if output[other] > output[best] {
                best = other;
            }
        }
        best
    };
    let sources: Vec<usize> = (0..shape.outputs * count * half * half).map(source).collect();
    let pooled = sources.iter().map(|&at| output[at]).collect();
    Activation { patches, output: pooled, sources }
}

/// Adds a layer's gradient and returns that of its input.
fn back(
    shape: &Convolution,
    layer: &Layer,
    activation: &Activation,
    flow: &[f32],
    (gradient, count): (&mut Layer, usize),
    inputs: bool,
) -> Vec<f32> {
    let side = shape.output_side();
    let area = side * side * count;
    let mut errors = vec![0.0; shape.outputs * area];
    for at in 0..flow.len() {
        if activation.output[at] > 0.0 {
            errors[activation.sources.get(at).copied().unwrap_or(at)] = flow[at];
        }
    }
    for (bias, plane) in gradient.biases.iter_mut().zip(errors.chunks_exact(area)) {
        *bias += plane.iter().sum::<f32>();
    }
    let sizes = (shape.outputs, area, shape.fan_in());
    product(sizes, (&errors, false), (&activation.patches, true), true, &mut gradient.weights);
    if !inputs {
        return Vec::new();
    }
    let mut columns = vec![0.0; shape.fan_in() * area];
    let sizes = (shape.fan_in(), shape.outputs, area);
    product(sizes, (&layer.weights, true), (&errors, false), false, &mut columns);
    scatter(shape, &columns, count)
}

/// The transpose of [`patches`]: sums the values of all patches at their places.
fn scatter(shape: &Convolution, columns: &[f32], count: usize) -> Vec<f32> {
    let area = shape.output_side() * shape.output_side();
    let plane = shape.side * shape.side;
    let mut input = vec![0.0; shape.inputs * count * plane];
    each_row(shape, |row, channel, down, right| {
        for example in 0..count {
            let from = &columns[(row * count + example) * area..][..area];
            let to = &mut input[(channel * count + example) * plane..][..plane];
            shape.each_line(down, right, |outputs, inputs| {
                let targets = to[inputs].iter_mut().step_by(shape.stride);
                for (target, value) in targets.zip(&from[outputs]) {
                    *target += value;
                }
            });
        }
    });
    input
}
