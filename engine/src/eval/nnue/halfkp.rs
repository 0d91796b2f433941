//! The architecture `halfkp`: every piece is seen together with the own king's square.
//!
//! The inputs are those of Y. Nasu's first networks for shogi ("half, king, piece"); sizes and
//! integers are those of Bread: 40960 inputs, for each side the square of its king
//! times all pieces but the kings, make `hidden` numbers of 16 bits a side with the same weights,
//! clipped to 0 to 1; both lists, that of the side to move first, go through two layers of 8-bit
//! weights to the output. When a king moves, that side's sums are made anew, from those that are
//! kept for each square of the king.

use std::fmt;

use super::accumulator::{Half, Pieces, refresh_both};
use super::dense::{Dense, MAX_OUTPUTS, NUMBER_ONE, WEIGHT_ONE, centipawns, clip, narrow};
use super::features::FeatureSet;
use super::first_layer::{FirstLayer, check_sums, inner};
use super::network::{Architecture, Asked, MOST_PIECES, NetworkError, by_side};
use super::nnueu;
use super::shape::{Integer, Layer, Shape, Size, Weights, keep, multiple, scale, within};
use super::vectors::{LANE, Lane, Vectors};
use crate::board::{Color, Position, Role, Square};

/// Squares of the own king, each with inputs of its own.
const KINGS: usize = 64;
/// Inputs from one side's view.
pub const INPUTS: usize = KINGS * nnueu::INPUTS;
/// Inner layers are so wide at most, for one side.
const MAX_HIDDEN: usize = 512;

/// Sizes and scales of a network of the architecture `halfkp`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HalfKp {
    /// Width of the inner layer for one side, a multiple of [`LANE`].
    pub hidden: usize,
    /// Widths of the two layers behind it.
    pub dense: [usize; 2],
    /// Centipawns of an output of 1.
    pub scale: i32,
}

impl HalfKp {
    /// What files and configurations call it.
    pub const NAME: &'static str = "halfkp";
    /// Names and kinds of its sizes.
    pub(super) const SIZES: &'static [Size] = &[
        ("hidden", Integer::I32),
        ("dense_1", Integer::I32),
        ("dense_2", Integer::I32),
        ("scale", Integer::I32),
    ];

    /// Bread's sizes for this width, which there is 256.
    pub fn new(hidden: usize) -> HalfKp {
        HalfKp { hidden, dense: [32, 32], scale: 400 }
    }

    pub(super) fn layers(&self) -> Vec<Layer> {
        let HalfKp { hidden, dense: [first, second], .. } = *self;
        vec![
            inner(INPUTS, hidden, NUMBER_ONE),
            narrow("dense_1", 2 * hidden, first),
            narrow("dense_2", first, second),
            narrow("output", second, 1),
        ]
    }

    pub(super) fn check(&self) -> Result<(), NetworkError> {
        let [first, second] = self.dense.map(|width| width as i64);
        keep([
            multiple("the width of the inner layer", self.hidden, LANE, MAX_HIDDEN),
            within("the width of the first dense layer", first, 1, MAX_OUTPUTS as i64),
            within("the width of the second dense layer", second, 1, MAX_OUTPUTS as i64),
            scale(self.scale),
        ])
    }

    /// Its sizes, in the order of [`HalfKp::SIZES`].
    pub(super) fn sizes(&self) -> Vec<i64> {
        let [first, second] = self.dense;
        vec![self.hidden as i64, first as i64, second as i64, self.scale.into()]
    }

    /// With sizes in that order.
    pub(super) fn from_sizes(sizes: &[i64]) -> HalfKp {
        HalfKp {
            hidden: sizes[0] as usize,
            dense: [sizes[1] as usize, sizes[2] as usize],
            scale: sizes[3] as i32,
        }
    }
}

impl From<HalfKp> for Shape {
    fn from(shape: HalfKp) -> Shape {
        Shape::HalfKp(shape)
    }
}

impl fmt::Display for HalfKp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HalfKp { hidden, dense: [first, second], .. } = self;
        write!(f, "halfkp ({INPUTS} -> {hidden})x2 -> {first} -> {second} -> 1")
    }
}

/// How a side whose king stands somewhere sees all pieces but the kings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View {
    pieces: nnueu::View,
    /// The king's square as the side sees it.
    king: usize,
}

impl View {
    /// The view of a side of a position.
    #[inline(always)]
    pub fn of(position: &Position, side: Color) -> View {
        let pieces = nnueu::View { side };
        View { pieces, king: pieces.turned(position.king(side)) }
    }
}

impl FeatureSet for View {
    const ROLES: &'static [Role] = nnueu::View::ROLES;

    #[inline(always)]
    fn way(self) -> usize {
        self.king
    }

    #[inline(always)]
    fn input(self, color: Color, role: Role, square: Square) -> usize {
        nnueu::INPUTS * self.king + self.pieces.input(color, role, square)
    }
}

/// The layers of a network.
pub(super) struct Layers {
    shape: HalfKp,
    inner: FirstLayer,
    dense: [Dense; 2],
    output: Dense,
}

impl Layers {
    /// Layers of weights whose number and kind is right.
    pub fn new(shape: HalfKp, weights: &Weights) -> Result<Layers, NetworkError> {
        // Both kings are on the board, and turn on no input.
        check_sums(&weights.0[0], nnueu::INPUTS, MOST_PIECES - 2)?;
        let layers = shape.layers();
        let dense = |number: usize| Dense::new(&layers[number], &weights.0[number], NUMBER_ONE);
        Ok(Layers {
            shape,
            inner: FirstLayer::new(&weights.0[0], shape.hidden),
            dense: [dense(1)?, dense(2)?],
            output: dense(3)?,
        })
    }
}

impl Architecture for Layers {
    fn halves(&self, plies: usize) -> [Half; 2] {
        [(); 2].map(|()| Half::new(self.inner.bias(), plies, KINGS))
    }

    #[inline(always)]
    fn value<V: Vectors>(&self, vectors: V, asked: Asked<'_>) -> i32 {
        let Asked { halves, at, ply } = asked;
        let pieces = Pieces::of(at);
        let views = [View::of(at, Color::White), View::of(at, Color::Black)];
        refresh_both(vectors, halves, &self.inner, views, &pieces, ply);
        let blocks = self.inner.blocks();
        let mut numbers = [Lane([0; LANE]); 2 * MAX_HIDDEN / LANE];
        for (half, numbers) in by_side(halves, at.side()).iter().zip(numbers.chunks_mut(blocks)) {
            clip(half.sums(ply), numbers);
        }
        let first = self.dense[0].activated(vectors, &numbers, 0, NUMBER_ONE);
        let second = self.dense[1].activated(vectors, &first, 0, NUMBER_ONE);
        let sum = self.output.sums(vectors, &second)[0];
        centipawns(sum, WEIGHT_ONE * NUMBER_ONE, self.shape.scale)
    }

    fn weights(&self) -> Weights {
        let [first, second] = &self.dense;
        let dense = [first, second, &self.output].map(Dense::weights);
        Weights([self.inner.weights()].into_iter().chain(dense).collect())
    }
}
