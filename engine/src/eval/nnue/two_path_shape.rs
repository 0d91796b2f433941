//! Inputs, sizes and scales of the architecture `two-path`.

use std::fmt;

use super::dense::{self, MAX_OUTPUTS};
use super::features::FeatureSet;
use super::first_layer::inner;
use super::network::NetworkError;
use super::shape::{Integer, Layer, Shape, Size, keep, multiple, scale, within};
use super::vectors::LANE;
use crate::board::{Color, Role, Square};

/// Inputs of pieces: kind, colour and square, as Sturddle numbers them.
pub(super) const PIECE_INPUTS: usize = 768;
/// Of which the first are kings and pawns.
pub(super) const PAWN_INPUTS: usize = 256;
/// The input that is on when White is to move.
pub const TURN: usize = PIECE_INPUTS;
/// From here on are the squares that Black occupies, then those of White.
pub const SQUARES: usize = TURN + 1;
/// All inputs of the main path.
pub const MAIN_INPUTS: usize = SQUARES + 128;
/// The main path is so wide at most.
const MAX_HIDDEN: usize = 2_048;
/// So many averages are taken at most.
pub(super) const MAX_POOLED: usize = 512;
/// The path of pawns and kings is so wide at most.
pub(super) const MAX_PAWNS: usize = 128;
/// A number of 1 as an integer, as in Sturddle's first layers.
pub(super) const NUMBER_ONE: i32 = 1_024;
/// A weight of 1 as an integer behind the first layers.
pub(super) const WEIGHT_ONE: i32 = 256;

/// Sizes and scales of a network of the architecture `two-path`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TwoPath {
    /// Width of the main path, a multiple of [`LANE`].
    pub hidden: usize,
    /// So many of its numbers are averaged.
    pub pool: usize,
    /// Width of the path of pawns and kings, a multiple of [`LANE`].
    pub pawns: usize,
    /// Factors that it gives, repeated to as many as there are averages.
    pub attention: usize,
    /// Widths of the two layers behind.
    pub dense: [usize; 2],
    /// With more material than this ahead, in centipawns, material alone is the value.
    pub material_limit: i32,
    /// Centipawns of an output of 1.
    pub scale: i32,
}

impl TwoPath {
    /// What files and configurations call it.
    pub const NAME: &'static str = "two-path";
    /// Names and kinds of its sizes.
    pub(super) const SIZES: &'static [Size] = &[
        ("hidden", Integer::I32),
        ("pool", Integer::I32),
        ("pawns", Integer::I32),
        ("attention", Integer::I32),
        ("dense_1", Integer::I32),
        ("dense_2", Integer::I32),
        ("material_limit", Integer::I32),
        ("scale", Integer::I32),
    ];

    /// Sturddle's sizes for this width, which there is 640.
    pub fn new(hidden: usize) -> TwoPath {
        TwoPath {
            hidden,
            pool: 4,
            pawns: 64,
            attention: 32,
            dense: [16, 16],
            material_limit: 496,
            scale: 400,
        }
    }

    /// Averages of the main path.
    fn pooled(&self) -> usize {
        self.hidden / self.pool
    }

    pub(super) fn layers(&self) -> Vec<Layer> {
        let TwoPath { hidden, pawns, attention, dense: [first, second], .. } = *self;
        let sparse = |name, inputs, outputs| Layer { name, ..inner(inputs, outputs, NUMBER_ONE) };
        let behind = |name, inputs, outputs| {
            dense::behind(name, inputs, outputs, Integer::I16, WEIGHT_ONE, NUMBER_ONE)
        };
        vec![
            sparse("main", MAIN_INPUTS, hidden),
            sparse("pawns", PAWN_INPUTS, pawns),
            behind("attention", pawns, attention),
            behind("dense_1", self.pooled(), first),
            behind("dense_2", first, second),
            behind("output", second, 1),
        ]
    }

    pub(super) fn check(&self) -> Result<(), NetworkError> {
        let widest = MAX_OUTPUTS as i64;
        let [first, second] = self.dense.map(|width| width as i64);
        keep([
            multiple("the width of the main path", self.hidden, LANE, MAX_HIDDEN),
            within("the number of numbers that are averaged", self.pool as i64, 1, 64),
        ])?;
        let (averaged, attention) = (self.hidden.is_multiple_of(self.pool), self.attention);
        let wanted = format!("a divisor of the width of the main path, {}", self.hidden);
        let pool = ("the number of numbers that are averaged", self.pool as i64, averaged, wanted);
        let repeated = attention > 0 && self.pooled().is_multiple_of(attention);
        let wanted = format!("a divisor of the number of averages, {}", self.pooled());
        keep([
            pool,
            within("the number of averages", self.pooled() as i64, 1, MAX_POOLED as i64),
            multiple("the width of the path of pawns and kings", self.pawns, LANE, MAX_PAWNS),
            within("the number of factors", attention as i64, 1, widest),
            ("the number of factors", attention as i64, repeated, wanted),
            within("the width of the first dense layer", first, 1, widest),
            within("the width of the second dense layer", second, 1, widest),
            within("the limit of material", self.material_limit.into(), 0, i16::MAX.into()),
            scale(self.scale),
        ])
    }

    /// Its sizes, in the order of [`TwoPath::SIZES`].
    pub(super) fn sizes(&self) -> Vec<i64> {
        let TwoPath { hidden, pool, pawns, attention, dense: [first, second], .. } = *self;
        let widths = [hidden, pool, pawns, attention, first, second].map(|width| width as i64);
        widths.into_iter().chain([self.material_limit.into(), self.scale.into()]).collect()
    }

    /// With sizes in that order.
    pub(super) fn from_sizes(sizes: &[i64]) -> TwoPath {
        let width = |place: usize| sizes[place] as usize;
        TwoPath {
            hidden: width(0),
            pool: width(1),
            pawns: width(2),
            attention: width(3),
            dense: [width(4), width(5)],
            material_limit: sizes[6] as i32,
            scale: sizes[7] as i32,
        }
    }
}

impl From<TwoPath> for Shape {
    fn from(shape: TwoPath) -> Shape {
        Shape::TwoPath(shape)
    }
}

impl fmt::Display for TwoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TwoPath { hidden, pawns, attention, dense: [first, second], .. } = self;
        write!(f, "two-path ({MAIN_INPUTS} -> {hidden} -> {}) * ", self.pooled())?;
        write!(f, "({PAWN_INPUTS} -> {pawns} -> {attention}) -> {first} -> {second} -> 1")
    }
}

/// The pieces as White sees them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceView;

/// Pawns and kings alone, with the same inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PawnView;

/// Kings, pawns, knights and so on to queens, Black's before White's, h8 to a1.
#[inline(always)]
fn input(color: Color, role: Role, square: Square) -> usize {
    128 * (role as usize % 6) + 64 * usize::from(color == Color::White) + (63 - square as usize)
}

impl FeatureSet for PieceView {
    const ROLES: &'static [Role] = &Role::ALL;

    #[inline(always)]
    fn way(self) -> usize {
        0
    }

    #[inline(always)]
    fn input(self, color: Color, role: Role, square: Square) -> usize {
        input(color, role, square)
    }
}

impl FeatureSet for PawnView {
    const ROLES: &'static [Role] = &[Role::Pawn, Role::King];

    #[inline(always)]
    fn way(self) -> usize {
        0
    }

    #[inline(always)]
    fn input(self, color: Color, role: Role, square: Square) -> usize {
        input(color, role, square)
    }
}
