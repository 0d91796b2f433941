//! What each architecture does between its first layer's sums and its output, with the slopes.

mod dense;
mod halfkp;
mod nnueu;
mod perspective;
mod two_path;

use std::ops::Range;

use engine::eval::nnue::{Layer, Shape};

use super::gradient::Group;
use super::sample::Sample;

/// Where the weights of a layer are in the list of all: as many of them, then the biases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    start: usize,
    /// Numbers that come in.
    pub inputs: usize,
    /// Numbers that go out.
    pub outputs: usize,
    biases: usize,
}

impl Span {
    /// The weights.
    pub fn weights(self) -> Range<usize> {
        self.start..self.start + self.inputs * self.outputs
    }

    /// The biases.
    pub fn biases(self) -> Range<usize> {
        let start = self.weights().end;
        start..start + self.biases
    }
}

/// Where the weights of each layer are.
pub fn spans(shape: &Shape) -> Vec<Span> {
    let mut start = 0;
    let span = |Layer { inputs, outputs, biases, .. }: Layer| {
        let span = Span { start, inputs, outputs, biases };
        start = span.biases().end;
        span
    };
    shape.layers().into_iter().map(span).collect()
}

/// What of a position the layers behind the first need to know.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// The output layer.
    pub bucket: u8,
    /// The squares of the own and of the other king, as the side to move sees the board.
    pub kings: [u8; 2],
    /// Black is to move.
    pub black: bool,
}

/// How the weights of a layer start, and how far from zero they may be.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Weights are spread evenly so far around zero.
    pub spread: f32,
    /// All biases.
    pub bias: f32,
    /// No weight is farther from zero.
    pub most: f32,
    /// No bias is farther from zero.
    pub most_bias: f32,
}

/// A position on its way through a network.
pub struct Pass<'a> {
    /// Of the network.
    pub weights: &'a [f32],
    /// What there is to know of the position beside its inputs.
    pub seen: Seen,
    /// What the first layers give: of each matrix of weights all its lists of inputs, one after the
    /// other.
    pub numbers: [&'a mut [f32]; 2],
    /// What is kept from [`Head::forward`] for [`Head::backward`].
    pub room: &'a mut [f32],
}

/// An architecture.
pub trait Head: Copy + Sync {
    /// First layers: where their weights are, and how many lists of inputs a position has for each.
    fn first(&self) -> [Option<(Span, usize)>; 2];

    /// Adds the inputs that a position turns on.
    fn see(&self, sample: &Sample, group: &mut Group);

    /// The length of [`Pass::room`].
    fn room(&self) -> usize;

    /// The output for the side to move; sums become the numbers that go into the next layer.
    fn forward(&self, pass: Pass) -> f32;

    /// Adds the slopes of the layers behind the first, when that of the output is `slope`; numbers
    /// become their slopes.
    fn backward(&self, pass: Pass, slope: f32, gradient: &mut [f32]);

    /// Starts and limits, layer by layer.
    fn bounds(&self) -> Vec<Bounds>;
}

/// One of all architectures.
#[derive(Clone, Copy, Debug)]
pub enum Model {
    /// `perspective`.
    Perspective(perspective::Perspective),
    /// `nnueu`.
    Nnueu(nnueu::Nnueu),
    /// `halfkp`.
    HalfKp(halfkp::HalfKp),
    /// `two-path`.
    TwoPath(two_path::TwoPath),
}

impl Model {
    /// The one of a shape.
    pub fn new(shape: &Shape) -> Model {
        let spans = spans(shape);
        match shape {
            Shape::Perspective(shape) => {
                Model::Perspective(perspective::Perspective::new(*shape, &spans))
            }
            Shape::Nnueu(_) => Model::Nnueu(nnueu::Nnueu::new(&spans)),
            Shape::HalfKp(_) => Model::HalfKp(halfkp::HalfKp::new(&spans)),
            Shape::TwoPath(shape) => Model::TwoPath(two_path::TwoPath::new(*shape, &spans)),
        }
    }
}

/// Evaluates an expression with the head of whichever model it is.
macro_rules! with_head {
    ($model:expr, $head:ident => $value:expr) => {
        match $model {
            $crate::training::models::Model::Perspective($head) => $value,
            $crate::training::models::Model::Nnueu($head) => $value,
            $crate::training::models::Model::HalfKp($head) => $value,
            $crate::training::models::Model::TwoPath($head) => $value,
        }
    };
}
pub(super) use with_head;

/// Farther from zero no weight goes that is kept in 8 or 16 bits, so that it and its sums fit:
/// 127/64, the limit of public trainers.
const MOST: f32 = 1.98;
/// A bias in 32 bits has room.
const MOST_WIDE_BIAS: f32 = 1e3;
/// About thirty inputs are on: their sum is spread by a third around the bias, between the ends of
/// the clipping.
const FIRST: Bounds = Bounds { spread: 0.1, bias: 0.25, most: MOST, most_bias: MOST };

/// A layer behind the first: sums are spread as widely as the numbers that go in.
fn behind(inputs: usize, bias: f32) -> Bounds {
    let spread = (3.0 / inputs as f32).sqrt().min(MOST);
    Bounds { spread, bias, most: MOST, most_bias: MOST_WIDE_BIAS }
}

/// Clips numbers below 0 and above a limit.
#[inline(always)]
fn clip(numbers: &mut [f32], most: f32) {
    numbers.iter_mut().for_each(|number| *number = number.clamp(0.0, most));
}

/// Slopes are 0 where numbers were clipped.
#[inline(always)]
fn unclip(slopes: &mut [f32], clipped: &[f32], most: f32) {
    for (slope, &number) in slopes.iter_mut().zip(clipped) {
        *slope = if number > 0.0 && number < most { *slope } else { 0.0 };
    }
}

/// Splits room into parts of these sizes.
#[inline(always)]
fn split<const N: usize>(mut room: &mut [f32], sizes: [usize; N]) -> [&mut [f32]; N] {
    sizes.map(|size| {
        let (part, rest) = std::mem::take(&mut room).split_at_mut(size);
        room = rest;
        part
    })
}
