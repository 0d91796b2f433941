//! The architecture `perspective`: the board as both sides see it, one inner layer, one output.
//!
//! 768 inputs, seen from both sides, each turned by the same weights into `hidden` numbers; both
//! lists, that of the side to move first, are squared after clipping to 0 to 1 (SCReLU) and added
//! up to one number.

use std::fmt;

use super::accumulator::{Half, Pieces, refresh_both};
use super::dense::behind;
use super::features::{INPUTS, View, output_bucket};
use super::first_layer::{FirstLayer, check_sums, inner, lanes, numbers};
use super::loops::squares;
use super::network::{Architecture, Asked, MOST_PIECES, NetworkError, by_side};
use super::shape::{
    Integer, Layer, LayerWeights, Shape, Size, Weights, keep, multiple, scale, within,
};
use super::vectors::{LANE, Lane, Vectors};
use crate::board::{Color, Position};

/// Inner layers are so wide at most.
const MAX_HIDDEN: usize = 2_048;
/// As many output layers as make sense: one for each number of pieces.
const MAX_BUCKETS: usize = 31;
/// The most that 1 can be as an integer in the inner layer, so that sums in 32 bits are safe.
pub(super) const MAX_INNER_ONE: i16 = 511;

/// Sizes and scales of a network of the architecture `perspective`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Perspective {
    /// Width of the inner layer for one side, a multiple of [`LANE`].
    pub hidden: usize,
    /// Left and right are exchanged so that one's own king is on the files a to d.
    pub mirroring: bool,
    /// Output layers, chosen by the number of pieces.
    pub buckets: usize,
    /// A weight or number of the inner layer of 1 as an integer (commonly called QA).
    pub inner_one: i16,
    /// A weight of the output layer of 1 as an integer (commonly called QB).
    pub output_one: i16,
    /// Centipawns of an output of 1.
    pub scale: i32,
}

impl Perspective {
    /// What files and configurations call it.
    pub const NAME: &'static str = "perspective";
    /// Names and kinds of its sizes.
    pub(super) const SIZES: &'static [Size] = &[
        ("hidden", Integer::I32),
        ("mirroring", Integer::I32),
        ("buckets", Integer::I32),
        ("inner_one", Integer::I16),
        ("output_one", Integer::I16),
        ("scale", Integer::I32),
    ];

    /// The usual scales: 255, 64 and 400.
    pub fn new(hidden: usize) -> Perspective {
        Perspective {
            hidden,
            mirroring: false,
            buckets: 1,
            inner_one: 255,
            output_one: 64,
            scale: 400,
        }
    }

    pub(super) fn layers(&self) -> Vec<Layer> {
        let (inner_one, output_one) = (i32::from(self.inner_one), i32::from(self.output_one));
        let (inputs, kind) = (2 * self.hidden, Integer::I16);
        let output = behind("output", inputs, self.buckets, kind, output_one, inner_one);
        vec![inner(INPUTS, self.hidden, inner_one), output]
    }

    pub(super) fn check(&self) -> Result<(), NetworkError> {
        let inner_one = self.inner_one.into();
        keep([
            multiple("the width of the inner layer", self.hidden, LANE, MAX_HIDDEN),
            within("the number of output layers", self.buckets as i64, 1, MAX_BUCKETS as i64),
            within("the unit of the inner layer", inner_one, 1, MAX_INNER_ONE.into()),
            within("the unit of the output", self.output_one.into(), 1, i16::MAX.into()),
            scale(self.scale),
        ])
    }

    /// Its sizes, in the order of [`Perspective::SIZES`].
    pub(super) fn sizes(&self) -> Vec<i64> {
        let Perspective { hidden, mirroring, buckets, inner_one, output_one, scale } = *self;
        vec![
            hidden as i64,
            mirroring.into(),
            buckets as i64,
            inner_one.into(),
            output_one.into(),
            scale.into(),
        ]
    }

    /// With sizes in that order.
    pub(super) fn from_sizes(sizes: &[i64]) -> Perspective {
        Perspective {
            hidden: sizes[0] as usize,
            mirroring: sizes[1] != 0,
            buckets: sizes[2] as usize,
            inner_one: sizes[3] as i16,
            output_one: sizes[4] as i16,
            scale: sizes[5] as i32,
        }
    }
}

impl From<Perspective> for Shape {
    fn from(shape: Perspective) -> Shape {
        Shape::Perspective(shape)
    }
}

impl fmt::Display for Perspective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Perspective { hidden, buckets, .. } = self;
        write!(f, "perspective ({INPUTS} -> {hidden})x2 -> {buckets}")?;
        f.write_str(if self.mirroring { ", mirrored" } else { "" })
    }
}

/// The layers of a network.
pub(super) struct Layers {
    shape: Perspective,
    inner: FirstLayer,
    output: Vec<Lane>,
    output_bias: Vec<i32>,
}

impl Layers {
    /// Layers of weights whose number and kind is right.
    pub fn new(shape: Perspective, weights: &Weights) -> Result<Layers, NetworkError> {
        let [inner, output] = &weights.0[..] else { unreachable!("two layers, as counted") };
        check_sums(inner, INPUTS, MOST_PIECES)?;
        let most = i16::MAX / shape.inner_one;
        for (number, &weight) in output.weights.iter().enumerate() {
            if weight.unsigned_abs() > most.unsigned_abs().into() {
                return Err(NetworkError::OutputOverflow { number, weight, most });
            }
        }
        Ok(Layers {
            shape,
            inner: FirstLayer::new(inner, shape.hidden),
            output: lanes(&output.weights).collect(),
            output_bias: output.biases.clone(),
        })
    }

    /// The value in centipawns, from the sums of the side to move and of the other.
    #[inline(always)]
    fn output<V: Vectors>(
        &self,
        vectors: V,
        position: &Position,
        own: &[Lane],
        theirs: &[Lane],
    ) -> i32 {
        let shape = &self.shape;
        let bucket = output_bucket(position.occupied().count(), shape.buckets);
        let row = 2 * self.inner.blocks();
        let weights = &self.output[bucket * row..(bucket + 1) * row];
        let (own_weights, their_weights) = weights.split_at(own.len());
        let sum = squares(vectors, own, own_weights, shape.inner_one)
            + squares(vectors, theirs, their_weights, shape.inner_one);
        let (inner_one, output_one) = (i64::from(shape.inner_one), i64::from(shape.output_one));
        let sum = sum / inner_one + i64::from(self.output_bias[bucket]);
        // The sum is below 2^46 and the scale below 2^15: no overflow before the division.
        let value = sum * i64::from(shape.scale) / (inner_one * output_one);
        value.clamp(i32::MIN.into(), i32::MAX.into()) as i32
    }
}

impl Architecture for Layers {
    fn halves(&self, plies: usize) -> [Half; 2] {
        // One way to look at the board, or two when it is mirrored.
        [(); 2].map(|()| Half::new(self.inner.bias(), plies, 2))
    }

    #[inline(always)]
    fn value<V: Vectors>(&self, vectors: V, asked: Asked<'_>) -> i32 {
        let Asked { halves, at, ply } = asked;
        let pieces = Pieces::of(at);
        let view = |side| View::of(at, side, self.shape.mirroring);
        let views = [view(Color::White), view(Color::Black)];
        refresh_both(vectors, halves, &self.inner, views, &pieces, ply);
        let [own, theirs] = by_side(halves, at.side());
        self.output(vectors, at, own.sums(ply), theirs.sums(ply))
    }

    fn weights(&self) -> Weights {
        let output = LayerWeights {
            weights: numbers(&self.output, usize::MAX).collect(),
            biases: self.output_bias.clone(),
        };
        Weights(vec![self.inner.weights(), output])
    }
}
