//! The architecture `nnueu`: few numbers, and a second layer chosen by the kings' squares.
//!
//! From Tal's Hand (C. Mieres): 640 inputs, all pieces but the kings as the side to move sees them,
//! make a few numbers, clipped to 0 to 1. The own king's square chooses one small block of weights
//! that they go through, the other king's square a second one; what comes of both, clipped, goes
//! through two more small layers. A king's move changes only which blocks are used, and of the two
//! sides' sums only those of the side to move are needed.

use std::fmt;

use super::accumulator::{Half, Pieces};
use super::dense::{
    Activated, Dense, MAX_OUTPUTS, NUMBER_ONE, WEIGHT_ONE, centipawns, clip, narrow,
};
use super::features::FeatureSet;
use super::first_layer::{FirstLayer, check_sums, inner};
use super::network::{Architecture, Asked, MOST_PIECES, NetworkError};
use super::shape::{Integer, Layer, Shape, Size, Weights, keep, multiple, scale, within};
use super::vectors::{LANE, Lane, Vectors};
use crate::board::{Color, Role, Square};

/// Inputs from one side's view.
pub const INPUTS: usize = 640;
/// Inner layers are so wide at most.
const MAX_HIDDEN: usize = 256;
/// Blocks of weights: one for each square of a king.
pub const KINGS: usize = 64;

/// Sizes and scales of a network of the architecture `nnueu`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Nnueu {
    /// Width of the inner layer, a multiple of 8.
    pub hidden: usize,
    /// Numbers that each king's block gives.
    pub block: usize,
    /// Width of the layer behind the blocks.
    pub second: usize,
    /// Centipawns of an output of 1.
    pub scale: i32,
}

impl Nnueu {
    /// What files and configurations call it.
    pub const NAME: &'static str = "nnueu";
    /// Names and kinds of its sizes.
    pub(super) const SIZES: &'static [Size] = &[
        ("hidden", Integer::I32),
        ("block", Integer::I32),
        ("second", Integer::I32),
        ("scale", Integer::I32),
    ];

    /// Tal's Hand's sizes for this width, which there is 8.
    pub fn new(hidden: usize) -> Nnueu {
        Nnueu { hidden, block: 4, second: 4, scale: 400 }
    }

    pub(super) fn layers(&self) -> Vec<Layer> {
        let Nnueu { hidden, block, second, .. } = *self;
        let by_king = |name| Layer { biases: block, ..narrow(name, hidden, KINGS * block) };
        vec![
            inner(INPUTS, hidden, NUMBER_ONE),
            by_king("own_king"),
            by_king("their_king"),
            narrow("second", 2 * block, second),
            narrow("output", second, 1),
        ]
    }

    pub(super) fn check(&self) -> Result<(), NetworkError> {
        keep([
            multiple("the width of the inner layer", self.hidden, 8, MAX_HIDDEN),
            within("the width of a king's block", self.block as i64, 1, MAX_OUTPUTS as i64 / 2),
            within("the width of the second layer", self.second as i64, 1, MAX_OUTPUTS as i64),
            scale(self.scale),
        ])
    }

    /// Its sizes, in the order of [`Nnueu::SIZES`].
    pub(super) fn sizes(&self) -> Vec<i64> {
        vec![self.hidden as i64, self.block as i64, self.second as i64, self.scale.into()]
    }

    /// With sizes in that order.
    pub(super) fn from_sizes(sizes: &[i64]) -> Nnueu {
        Nnueu {
            hidden: sizes[0] as usize,
            block: sizes[1] as usize,
            second: sizes[2] as usize,
            scale: sizes[3] as i32,
        }
    }
}

impl From<Nnueu> for Shape {
    fn from(shape: Nnueu) -> Shape {
        Shape::Nnueu(shape)
    }
}

impl fmt::Display for Nnueu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Nnueu { hidden, block, second, .. } = self;
        write!(f, "nnueu {INPUTS} -> {hidden} -> ({KINGS} x {block})x2 -> {second} -> 1")
    }
}

/// How a side sees all pieces but the kings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View {
    /// Who looks.
    pub side: Color,
}

impl View {
    /// A square as the side sees it.
    #[inline(always)]
    pub fn turned(self, square: Square) -> usize {
        square as usize ^ if self.side == Color::White { 0 } else { 56 }
    }
}

impl FeatureSet for View {
    const ROLES: &'static [Role] =
        &[Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

    #[inline(always)]
    fn way(self) -> usize {
        0
    }

    #[inline(always)]
    fn input(self, color: Color, role: Role, square: Square) -> usize {
        let theirs = usize::from(color != self.side);
        320 * theirs + 64 * (role as usize - 1) + self.turned(square)
    }
}

/// The layers of a network.
pub(super) struct Layers {
    shape: Nnueu,
    inner: FirstLayer,
    kings: [Dense; 2],
    second: Dense,
    output: Dense,
}

impl Layers {
    /// Layers of weights whose number and kind is right.
    pub fn new(shape: Nnueu, weights: &Weights) -> Result<Layers, NetworkError> {
        check_sums(&weights.0[0], INPUTS, MOST_PIECES)?;
        let layers = shape.layers();
        let dense = |number: usize| Dense::new(&layers[number], &weights.0[number], NUMBER_ONE);
        Ok(Layers {
            shape,
            inner: FirstLayer::new(&weights.0[0], shape.hidden),
            kings: [dense(1)?, dense(2)?],
            second: dense(3)?,
            output: dense(4)?,
        })
    }
}

impl Architecture for Layers {
    fn halves(&self, plies: usize) -> [Half; 2] {
        [(); 2].map(|()| Half::new(self.inner.bias(), plies, 1))
    }

    #[inline(always)]
    fn value<V: Vectors>(&self, vectors: V, asked: Asked<'_>) -> i32 {
        let Asked { halves, at, ply } = asked;
        let view = View { side: at.side() };
        let half = &mut halves[usize::from(at.side() == Color::Black)];
        half.refresh(vectors, &self.inner, view, &Pieces::of(at), ply);
        let mut numbers = [Lane([0; LANE]); MAX_HIDDEN / LANE];
        clip(half.sums(ply), &mut numbers);
        let mut seen: Activated = [Lane([0; LANE]); MAX_OUTPUTS / LANE];
        for (place, (layer, side)) in self.kings.iter().zip([at.side(), !at.side()]).enumerate() {
            let king = view.turned(at.king(side));
            let sums = layer.block_sums(vectors, &numbers, king);
            let block = self.shape.block;
            layer.activate(&sums[..block], 0, NUMBER_ONE, &mut seen, place * block);
        }
        let second = self.second.activated(vectors, &seen, 0, NUMBER_ONE);
        let sum = self.output.sums(vectors, &second)[0];
        centipawns(sum, WEIGHT_ONE * NUMBER_ONE, self.shape.scale)
    }

    fn weights(&self) -> Weights {
        let [own, theirs] = &self.kings;
        let dense = [own, theirs, &self.second, &self.output].map(Dense::weights);
        Weights([self.inner.weights()].into_iter().chain(dense).collect())
    }
}
