//! A graph of the engine in floating point, forwards and backwards.
//!
//! A group of positions takes one step of the graph at a time. Activations of a first layer stay
//! where its sums are, and become their gradient.

use std::ops::Range;

use engine::board::Color;
use engine::eval::nnue::{Activation, FeatureSet, Graph, Neurons, Perspectives, Shape, Step};

use super::dense::{
    Dense, Span, clip, clip_gradient, pool_backward, pool_forward, product_backward,
    product_forward, spans, squared_backward, squared_forward,
};
use super::group::{Group, Workspace};
use super::packed::{Context, PackedPosition};
use super::sparse::SparseRows;

/// A network without its weights.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its function.
    pub graph: Graph,
    spans: Vec<Span>,
    is_relative: bool,
}

impl Model {
    /// That of a shape.
    pub fn new(shape: &Shape) -> Model {
        let graph = shape.graph();
        Model { spans: spans(&graph.layers), is_relative: graph.is_relative(), graph }
    }

    /// First layers: where their weights are, and how many accumulators a position has of each.
    pub fn firsts(&self) -> impl Iterator<Item = (Span, usize)> {
        self.spans.iter().zip(&self.graph.firsts).map(|(&span, first)| (span, first.lists()))
    }

    /// Adds the features of a position to a group.
    #[inline]
    pub fn add(&self, sample: &PackedPosition, group: &mut Group) {
        let context = sample.context();
        // Unpacked once for all perspectives.
        let mut pieces = [(0, 0); 64];
        let slots = pieces.iter_mut().zip(sample.pieces());
        slots.for_each(|(slot, (piece, square))| *slot = (piece as u8, square as u8));
        let pieces = &pieces[..sample.count()];
        for (first, rows) in self.graph.firsts.iter().zip(&mut group.rows) {
            let mut add = |side| add_row(&first.features, sample, pieces, side, rows);
            match first.perspectives {
                Perspectives::Both => {
                    add(Color::White);
                    add(Color::Black);
                }
                Perspectives::SideToMove => add(Color::White),
                Perspectives::White => add(Color::from_white(!context.black)),
            }
        }
        group.contexts.push(context);
    }

    /// The first layer whose activations neurons are.
    fn first_of(&self, neurons: Neurons) -> Option<usize> {
        self.graph.steps.iter().find_map(|step| match *step {
            Step::Activate { first, output, .. } if output == neurons => Some(first),
            _ => None,
        })
    }

    /// The outputs for the side to move, from the sums of the first layers.
    #[inline(always)]
    pub fn forward(&self, weights: &[f32], group: &Group, work: &mut Workspace) {
        let row = 2 * self.graph.neurons;
        work.neurons.resize(group.len() * row, 0.0);
        let Workspace { firsts, neurons, outputs, .. } = work;
        for step in &self.graph.steps {
            match *step {
                Step::Activate { first, activation, .. } => clip(&mut firsts[first], activation),
                Step::Product { first, output } => {
                    clip(&mut firsts[first], Activation::ClippedRelu);
                    let sums = firsts[first].chunks_exact(2 * output.len);
                    for (neurons, sums) in neurons.chunks_exact_mut(row).zip(sums) {
                        product_forward(
                            self.spans[first].outputs,
                            sums,
                            &mut neurons[range(output)],
                        );
                    }
                }
                Step::Pool { first, size, output } => {
                    clip(&mut firsts[first], Activation::Relu);
                    let sums = firsts[first].chunks_exact(size * output.len);
                    for (neurons, sums) in neurons.chunks_exact_mut(row).zip(sums) {
                        pool_forward(size, sums, &mut neurons[range(output)]);
                    }
                }
                Step::Gate { input, factors, output } => {
                    for neurons in neurons.chunks_exact_mut(row) {
                        let (before, products) = neurons.split_at_mut(output.start);
                        let factors = before[range(factors)].iter().cycle();
                        let pairs = before[range(input)].iter().zip(factors);
                        for (product, (neuron, factor)) in products.iter_mut().zip(pairs) {
                            *product = neuron * factor;
                        }
                    }
                }
                Step::Dense { layer, ref select, input, activation, output } => {
                    let dense = Dense(self.spans[layer]);
                    let first = self.first_of(input);
                    for (position, neurons) in neurons.chunks_exact_mut(row).enumerate() {
                        let (before, after) = neurons.split_at_mut(output.start);
                        let inputs = match first {
                            Some(first) => &firsts[first][position * input.len..][..input.len],
                            None => &before[range(input)],
                        };
                        let block = group.contexts[position].block(select);
                        dense.forward(weights, block, inputs, &mut after[..output.len]);
                        clip(&mut after[..output.len], activation);
                    }
                }
            }
        }
        let span = self.spans[self.graph.output.layer];
        let select = &self.graph.output.select;
        outputs.clear();
        for (position, context) in group.contexts.iter().enumerate() {
            let block = context.block(select);
            let mut output = [0.0];
            match self.graph.output.input {
                None => {
                    let inputs = &mut firsts[0][position * span.inputs..][..span.inputs];
                    output[0] = squared_forward(span, weights, block, inputs);
                }
                Some(input) => {
                    let inputs = &neurons[position * row..][range(input)];
                    Dense(span).forward(weights, block, inputs, &mut output);
                }
            }
            outputs.push(output[0] * self.sign(context));
        }
    }

    /// Adds the gradient of the layers behind the first ones, from that of the outputs (`deltas`);
    /// the activations of the first layers become the gradient of their sums.
    #[inline(always)]
    pub fn backward(
        &self,
        weights: &[f32],
        group: &Group,
        work: &mut Workspace,
        deltas: &[f32],
        gradient: &mut [f32],
    ) {
        self.output_backward(weights, group, work, deltas, gradient);
        let width = self.graph.neurons;
        let row = 2 * self.graph.neurons;
        let Workspace { firsts, neurons, .. } = work;
        for step in self.graph.steps.iter().rev() {
            match *step {
                Step::Activate { first, activation, output } => {
                    let sums = firsts[first].chunks_exact_mut(output.len);
                    for (neurons, sums) in neurons.chunks_exact_mut(row).zip(sums) {
                        let deltas = &mut neurons[width..][range(output)];
                        clip_gradient(deltas, sums, activation);
                        sums.copy_from_slice(deltas);
                    }
                }
                Step::Product { first, output } => {
                    let sums = firsts[first].chunks_exact_mut(2 * output.len);
                    for (neurons, sums) in neurons.chunks_exact(row).zip(sums) {
                        let deltas = &neurons[width..][range(output)];
                        product_backward(self.spans[first].outputs, sums, deltas);
                    }
                }
                Step::Pool { first, size, output } => {
                    let sums = firsts[first].chunks_exact_mut(size * output.len);
                    for (neurons, sums) in neurons.chunks_exact(row).zip(sums) {
                        pool_backward(size, sums, &neurons[width..][range(output)]);
                    }
                }
                Step::Gate { input, factors, output } => {
                    for neurons in neurons.chunks_exact_mut(row) {
                        let (values, deltas) = neurons.split_at_mut(width);
                        let (deltas, by_product) = deltas.split_at_mut(output.start);
                        for (at, delta) in by_product[..output.len].iter().enumerate() {
                            let input = input.start + at;
                            let factor = factors.start + at % factors.len;
                            deltas[factor] += delta * values[input];
                            deltas[input] += delta * values[factor];
                        }
                    }
                }
                Step::Dense { layer, ref select, input, activation, output } => {
                    let dense = Dense(self.spans[layer]);
                    let first = self.first_of(input);
                    for (position, neurons) in neurons.chunks_exact_mut(row).enumerate() {
                        let (values, deltas) = neurons.split_at_mut(width);
                        let (deltas, by_output) = deltas.split_at_mut(output.start);
                        let by_output = &mut by_output[..output.len];
                        clip_gradient(by_output, &values[range(output)], activation);
                        let inputs = match first {
                            Some(first) => &firsts[first][position * input.len..][..input.len],
                            None => &values[range(input)],
                        };
                        let block = group.contexts[position].block(select);
                        let deltas = &mut deltas[range(input)];
                        dense.backward(weights, block, inputs, by_output, deltas, gradient);
                    }
                }
            }
        }
    }

    /// The part of [`Self::backward`] of the output layer.
    #[inline(always)]
    fn output_backward(
        &self,
        weights: &[f32],
        group: &Group,
        work: &mut Workspace,
        deltas: &[f32],
        gradient: &mut [f32],
    ) {
        let width = self.graph.neurons;
        let row = 2 * self.graph.neurons;
        let Workspace { firsts, neurons, .. } = work;
        let span = self.spans[self.graph.output.layer];
        let select = &self.graph.output.select;
        for (position, (context, &delta)) in group.contexts.iter().zip(deltas).enumerate() {
            let block = context.block(select);
            let delta = delta * self.sign(context);
            match self.graph.output.input {
                None => {
                    let inputs = &mut firsts[0][position * span.inputs..][..span.inputs];
                    squared_backward(span, weights, block, inputs, delta, gradient);
                }
                Some(input) => {
                    let neurons = &mut neurons[position * row..][..row];
                    let (values, deltas) = neurons.split_at_mut(width);
                    deltas.fill(0.0);
                    let inputs = &values[range(input)];
                    let deltas = &mut deltas[range(input)];
                    Dense(span).backward(weights, block, inputs, &[delta], deltas, gradient);
                }
            }
        }
    }

    /// The sign of the output for the side to move.
    #[inline(always)]
    fn sign(&self, context: &Context) -> f32 {
        if context.black && !self.is_relative { -1.0 } else { 1.0 }
    }
}

/// Adds the active features of a position from a side's perspective; the side to move is White.
#[inline(always)]
fn add_row(
    features: &FeatureSet,
    sample: &PackedPosition,
    pieces: &[(u8, u8)],
    side: Color,
    rows: &mut SparseRows,
) {
    let view = features.view(side, sample.king(side));
    rows.push(|row| {
        let mut count = 0;
        for &(piece, square) in pieces {
            let piece = usize::from(piece);
            row[count] = view.feature(piece, square.into());
            count += usize::from(view.sees(piece));
        }
        if let Some(side_to_move) = features.side_to_move() {
            for place in (0..count).rev() {
                let feature = row[place];
                row[2 * place] = feature;
                let occupied = features.occupied(feature.into()).unwrap_or_default();
                row[2 * place + 1] = occupied as u16;
            }
            count *= 2;
            row[count] = side_to_move as u16;
            count += usize::from(!sample.context().black);
        }
        count
    });
}

#[inline(always)]
fn range(neurons: Neurons) -> Range<usize> {
    neurons.start..neurons.start + neurons.len
}
