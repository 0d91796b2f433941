//! The engine's evaluation: a graph executed in integers, from the accumulators to the output.

use super::accumulator::{Accumulators, Line, Ready};
use super::dense::centipawns;
use super::features::{Perspectives, View};
use super::first_layer::FirstLayer;
use super::graph::{Activation, MAX_ACTIVATION, Neurons, PRODUCT_UNIT, Step};
use super::loops::{Rows, Squares, combine, read};
use super::network::Network;
use super::pieces::feature;
use super::vectors::{LANE, Lane, Vectors};
use crate::board::{Color, Placed, Position, Role};

/// The memory of a thread, from evaluation to evaluation.
#[derive(Clone)]
pub(super) struct State {
    pub line: Line,
    /// Of each first layer.
    accumulators: Vec<Accumulators>,
    /// The neurons of all steps.
    neurons: Vec<Lane>,
}

impl State {
    /// With accumulators for a number of plies.
    pub fn new(network: &Network, plies: usize) -> State {
        let accumulators =
            |first: &FirstLayer| Accumulators::new(first.bias(), plies, first.features.views());
        State {
            line: Line::new(plies),
            accumulators: network.firsts.iter().map(accumulators).collect(),
            neurons: vec![Lane([0; LANE]); network.graph.neurons.div_ceil(LANE)],
        }
    }
}

/// The accumulators of a position: those that a first layer sees, that of the side to move first.
#[derive(Clone, Copy)]
struct Sums<'a> {
    accumulators: [&'a [Lane]; 2],
    /// Added when White is to move.
    side_to_move: &'a [Lane],
}

impl Network {
    /// The value of a position in centipawns for the side to move.
    #[inline(always)]
    pub(super) fn value<V: Vectors>(
        &self,
        vectors: V,
        state: &mut State,
        position: &Position,
        ply: usize,
    ) -> i32 {
        let side = position.side();
        if let Some(limit) = self.graph.material_limit {
            let material = material(position);
            if material.abs() > limit {
                return if side == Color::White { material } else { -material };
            }
        }
        self.update(vectors, state, position, ply);
        let State { accumulators, neurons, .. } = state;
        let sums = |first: usize| self.sums(accumulators, first, side, ply);
        let flip = if side == Color::White { 0 } else { 56 };
        let kings = || [side, !side].map(|color| position.king(color) as usize ^ flip);
        let count = || position.occupied().count();
        for step in &self.graph.steps {
            match *step {
                Step::Activate { first, output, .. } => {
                    let neurons = &mut neurons[lanes(output)];
                    sums(first).clipped(vectors, output.max, |number, block| {
                        vectors.store(block, &mut neurons[number]);
                    });
                }
                Step::Product { first, output } => {
                    product(vectors, sums(first), &mut neurons[lanes(output)]);
                }
                Step::Pool { first, size, output } => {
                    pool(vectors, sums(first), size, &mut neurons[lanes(output)]);
                }
                Step::Gate { input, factors, output } => {
                    gate(neurons, [input, factors, output], self.graph.unit);
                }
                Step::Dense { layer, select, input, activation, output } => {
                    let least = if activation == Activation::Linear { -output.max } else { 0 };
                    let (inputs, outputs) = neurons.split_at_mut(output.start / LANE);
                    self.dense[layer - self.firsts.len()].activate(
                        vectors,
                        &inputs[input.start / LANE..],
                        select.block(count, kings),
                        [least, output.max],
                        outputs,
                        output.start % LANE,
                    );
                }
            }
        }
        let output = &self.graph.output;
        let dense = &self.dense[self.dense.len() - 1];
        let input = output.input.map_or(0, |input| input.start / LANE);
        let block = output.select.block(count, kings);
        let sum = i64::from(dense.sums(vectors, &neurons[input..], block)[0]);
        let value = centipawns(sum, self.output_unit, self.scale);
        if self.is_relative || side == Color::White { value } else { -value }
    }
}

impl Network {
    /// The value of a position, where only an output layer of squared accumulators of both
    /// perspectives is behind the first: they are read while they are updated. `None` if the
    /// accumulators are not known and more than one simple move away.
    #[inline(always)]
    pub(super) fn squared_value<V: Vectors>(
        &self,
        vectors: V,
        state: &mut State,
        position: &Position,
        ply: usize,
    ) -> Option<i32> {
        let first = &self.firsts[0];
        let dense = &self.dense[0];
        let State { line, accumulators, .. } = state;
        let accumulators = &mut accumulators[0];
        let key = position.key();
        let view = |side| first.features.view(side, position.king(side));
        let views = [view(Color::White), view(Color::Black)];
        let ready = accumulators.ready(line, key, views, ply)?;

        let block = self.graph.output.select.block(|| position.occupied().count(), || [0; 2]);
        let (row, bias) = dense.block(block);
        let (own, theirs) = row.split_at(first.lanes());
        let rows = if position.side().is_white() { [own, theirs] } else { [theirs, own] };
        let unit = self.graph.unit as i16;
        let mut whites = Squares::new(vectors, rows[0], unit);
        let mut blacks = Squares::new(vectors, rows[1], unit);
        match ready {
            Ready::Known => {
                read(vectors, accumulators.sums(ply, 0), &mut whites);
                read(vectors, accumulators.sums(ply, 1), &mut blacks);
            }
            Ready::AfterMove(from, to, captured) => {
                if !first.features.sees_all() {
                    return None;
                }
                let (before, [white, black]) = accumulators.after_move(key, views, ply);
                if let Some(captured) = captured {
                    let rows = moved_rows(first, views[0], [from, to], Some(captured));
                    combine(vectors, before[0], white, rows, &mut whites);
                    let rows = moved_rows(first, views[1], [from, to], Some(captured));
                    combine(vectors, before[1], black, rows, &mut blacks);
                } else {
                    let rows = moved_rows(first, views[0], [from, to], None);
                    combine(vectors, before[0], white, rows, &mut whites);
                    let rows = moved_rows(first, views[1], [from, to], None);
                    combine(vectors, before[1], black, rows, &mut blacks);
                }
            }
        }
        let sum = self.unit.divide(whites.total(vectors, blacks, dense.is_small));
        Some(centipawns(sum + i64::from(bias[0]), self.output_unit, self.scale))
    }

    /// Makes the accumulators of a ply that the first layers see those of a position.
    #[inline(always)]
    pub(super) fn update<V: Vectors>(
        &self,
        vectors: V,
        state: &mut State,
        position: &Position,
        ply: usize,
    ) {
        let State { line, accumulators, .. } = state;
        line.reach(ply, position.key());
        for (first, accumulators) in self.firsts.iter().zip(accumulators) {
            for (number, side) in [Color::White, Color::Black].into_iter().enumerate() {
                let used = match first.perspectives {
                    Perspectives::Both => true,
                    Perspectives::SideToMove => side == position.side(),
                    Perspectives::White => side == Color::White,
                };
                if used {
                    let view = first.features.view(side, position.king(side));
                    accumulators.update(vectors, first, line, (number, view), (position, ply));
                }
            }
        }
    }

    /// The accumulators of a ply that a first layer sees.
    #[inline(always)]
    fn sums<'a>(
        &'a self,
        accumulators: &'a [Accumulators],
        first: usize,
        side: Color,
        ply: usize,
    ) -> Sums<'a> {
        let accumulators = &accumulators[first];
        let first = &self.firsts[first];
        let [white, black] = [0, 1].map(|side| accumulators.sums(ply, side));
        let accumulators: [&[Lane]; 2] = match (first.perspectives, side) {
            (Perspectives::Both, Color::White) => [white, black],
            (Perspectives::Both, Color::Black) => [black, white],
            (Perspectives::SideToMove, Color::Black) => [black, &[]],
            _ => [white, &[]],
        };
        let side_to_move = if side == Color::White { first.side_to_move() } else { &[] };
        Sums { accumulators, side_to_move }
    }
}

/// The rows of a piece that moves from one square to another and perhaps captures.
#[inline(always)]
#[expect(clippy::manual_map, reason = "a closure may not be inlined into the code of a processor")]
fn moved_rows<'a>(
    first: &'a FirstLayer,
    view: View<'_>,
    [from, to]: [Placed; 2],
    captured: Option<Placed>,
) -> Rows<'a> {
    let captured = match captured {
        Some(captured) => Some(feature(captured, view)),
        None => None,
    };
    first.rows([feature(from, view), feature(to, view)], captured)
}

/// The blocks of numbers that hold neurons.
#[inline(always)]
fn lanes(neurons: Neurons) -> std::ops::Range<usize> {
    neurons.start / LANE..(neurons.start + neurons.len).div_ceil(LANE)
}

impl Sums<'_> {
    /// Passes the accumulators clipped to 0 to `max`, block by block with its number, on.
    #[inline(always)]
    fn clipped<V: Vectors>(self, vectors: V, max: i32, mut pass: impl FnMut(usize, V::Block)) {
        let mut number = 0;
        for sums in self.accumulators {
            for sums in sums {
                let mut block = vectors.load(sums);
                if let Some(side_to_move) = self.side_to_move.get(number) {
                    block = vectors.add(block, vectors.load(side_to_move));
                }
                pass(number, vectors.clip(block, max as i16));
                number += 1;
            }
        }
    }
}

/// The products of both halves of the accumulators, each clipped, perspective by perspective.
#[inline(always)]
fn product<V: Vectors>(vectors: V, sums: Sums<'_>, neurons: &mut [Lane]) {
    let half = sums.accumulators[0].len() / 2;
    let clipped = |lane: &Lane| vectors.clip(vectors.load(lane), PRODUCT_UNIT as i16);
    for (sums, neurons) in sums.accumulators.iter().zip(neurons.chunks_mut(half)) {
        for (number, neurons) in neurons.iter_mut().enumerate() {
            let first = clipped(&sums[number]);
            let second = clipped(&sums[half + number]);
            vectors.store(vectors.scaled_product(first, second), neurons);
        }
    }
}

/// The means of `size` neighbouring accumulators, rounded.
#[inline(always)]
fn pool<V: Vectors>(vectors: V, sums: Sums<'_>, size: usize, neurons: &mut [Lane]) {
    let mut place = 0;
    let mut sum = 0;
    let mut left = size;
    sums.clipped(vectors, MAX_ACTIVATION, |_, block| {
        let mut lane = Lane([0; LANE]);
        vectors.store(block, &mut lane);
        for &number in &lane.0 {
            sum += i32::from(number);
            left -= 1;
            if left == 0 {
                let mean = (sum + size as i32 / 2) / size as i32;
                neurons[place / LANE].0[place % LANE] = mean as i16;
                (place, sum, left) = (place + 1, 0, size);
            }
        }
    });
}

/// Neurons times factors, rounded.
#[inline(always)]
fn gate(neurons: &mut [Lane], [input, factors, output]: [Neurons; 3], unit: i32) {
    let at = |neurons: &[Lane], place: usize| i32::from(neurons[place / LANE].0[place % LANE]);
    let mut factor = 0;
    for number in 0..input.len {
        let product = at(neurons, input.start + number) * at(neurons, factors.start + factor);
        let rounded = (product + unit / 2) >> unit.ilog2();
        let place = output.start + number;
        neurons[place / LANE].0[place % LANE] = rounded.clamp(-output.max, output.max) as i16;
        factor = if factor + 1 == factors.len { 0 } else { factor + 1 };
    }
}

/// White's material minus Black's, in centipawns.
#[inline(always)]
fn material(position: &Position) -> i32 {
    let values = [
        (Role::Pawn, 100),
        (Role::Knight, 300),
        (Role::Bishop, 300),
        (Role::Rook, 500),
        (Role::Queen, 900),
    ];
    let difference = |role| {
        let count = |color| position.pieces(color, role).count() as i32;
        count(Color::White) - count(Color::Black)
    };
    values.into_iter().map(|(role, value)| value * difference(role)).sum()
}
