//! Stochastic gradient descent by Adam on cross-entropy, with convolutions as matrix products.

use harness_picture::square::INPUTS;
use harness_picture::{
    CLASSES, CONVOLUTIONS, Convolution, Layer, Network, log_softmax, patches, shapes,
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
    pub network: Network,
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
        Self { network: Network { layers }, first: zeros(), second: zeros(), steps: 0 }
    }

    /// Continues with weights that were stored.
    pub fn from_network(network: Network) -> Self {
        Self { network, first: zeros(), second: zeros(), steps: 0 }
    }

    /// A step on a batch. Returns the mean loss (nats) and how many were right.
    pub fn step(&mut self, batch: &[Example], rate: f32) -> (f32, usize) {
        let mut gradient = zeros();
        let (mut loss, mut right) = (0.0, 0);
        for example in batch {
            let (one, hit) = self.backward(example, &mut gradient);
            loss += one;
            right += usize::from(hit);
        }
        self.update(&gradient, rate, batch.len() as f32);
        (loss / batch.len() as f32, right)
    }

    fn backward(&self, example: &Example, gradient: &mut [Layer]) -> (f32, bool) {
        debug_assert_eq!(example.input.len(), INPUTS);
        let mut activations: Vec<Activation> = Vec::new();
        for (shape, layer) in CONVOLUTIONS.iter().zip(&self.network.layers) {
            let input = activations.last().map_or(&example.input, |it| &it.output);
            let next = forward(shape, layer, input);
            activations.push(next);
        }
        let features = &activations[CONVOLUTIONS.len() - 1].output;
        let last = &self.network.layers[CONVOLUTIONS.len()];
        let mut logits = [0.0; CLASSES];
        for (at, logit) in logits.iter_mut().enumerate() {
            let weights = &last.weights[at * features.len()..(at + 1) * features.len()];
            *logit =
                last.biases[at] + weights.iter().zip(features).map(|(w, f)| w * f).sum::<f32>();
        }
        let logs = log_softmax(logits);
        let mut errors = logs.map(f32::exp);
        // Label smoothing (C. Szegedy et al., 2016) keeps confidences honest.
        const SMOOTHING: f32 = 0.01;
        for (at, error) in errors.iter_mut().enumerate() {
            let target = if at == example.class { 1.0 - SMOOTHING } else { 0.0 };
            *error -= target + SMOOTHING / CLASSES as f32;
        }
        let mut flow = vec![0.0; features.len()];
        let into = &mut gradient[CONVOLUTIONS.len()];
        for (at, error) in errors.iter().enumerate() {
            into.biases[at] += error;
            let range = at * features.len()..(at + 1) * features.len();
            let rows = into.weights[range.clone()].iter_mut().zip(&last.weights[range]);
            for (it, (slope, weight)) in rows.enumerate() {
                *slope += error * features[it];
                flow[it] += error * weight;
            }
        }
        for at in (0..CONVOLUTIONS.len()).rev() {
            let layer = &self.network.layers[at];
            flow =
                back(&CONVOLUTIONS[at], layer, &activations[at], &flow, &mut gradient[at], at > 0);
        }
        let best = (0..CLASSES).max_by(|&a, &b| logs[a].total_cmp(&logs[b]));
        (-logs[example.class], best == Some(example.class))
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
    }
}

fn forward(shape: &Convolution, layer: &Layer, input: &[f32]) -> Activation {
    let side = shape.output_side();
    let area = side * side;
    let patches = patches(shape, input);
    let mut output: Vec<f32> =
        layer.biases.iter().flat_map(|&bias| std::iter::repeat_n(bias, area)).collect();
    let sizes = (shape.outputs, shape.fan_in(), area);
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
        let four = [corner, corner + 1, corner + side, corner + side + 1];
        four.into_iter().max_by(|&a, &b| output[a].total_cmp(&output[b])).unwrap_or(corner)
    };
    let sources: Vec<usize> = (0..shape.outputs * half * half).map(source).collect();
    let pooled = sources.iter().map(|&at| output[at]).collect();
    Activation { patches, output: pooled, sources }
}

/// Adds a layer's gradient and returns that of its input.
fn back(
    shape: &Convolution,
    layer: &Layer,
    activation: &Activation,
    flow: &[f32],
    gradient: &mut Layer,
    inputs: bool,
) -> Vec<f32> {
    let side = shape.output_side();
    let area = side * side;
    let passed = |at: usize| if activation.output[at] > 0.0 { flow[at] } else { 0.0 };
    let mut errors = vec![0.0; shape.outputs * area];
    for at in 0..flow.len() {
        let target = activation.sources.get(at).copied().unwrap_or(at);
        errors[target] += passed(at);
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
    scatter(shape, &columns)
}

/// The transpose of [`patches`]: sums the values of all patches at their places.
fn scatter(shape: &Convolution, columns: &[f32]) -> Vec<f32> {
    let output = shape.output_side();
    let plane = shape.side * shape.side;
    let mut input = vec![0.0; shape.inputs * plane];
    let mut rows = columns.chunks_exact(output * output);
    for plane in input.chunks_exact_mut(plane) {
        for down in 0..shape.kernel {
            for right in 0..shape.kernel {
                let Some(row) = rows.next() else { return input };
                shape.each_line(down, right, |from, to| {
                    let targets = plane[to.start..to.end].iter_mut().step_by(shape.stride);
                    for (target, value) in targets.zip(&row[from]) {
                        *target += value;
                    }
                });
            }
        }
    }
    input
}
