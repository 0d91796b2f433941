//! The sizes and scales of a network.

use std::fmt;

use super::features::INPUTS;

/// Inner layers are so wide at most.
pub const MAX_HIDDEN: usize = 2_048;
/// As many output layers as make sense: one for each number of pieces.
pub const MAX_BUCKETS: usize = 31;
/// The most that 1 can be as an integer in the inner layer, so that sums in 32 bits are safe.
pub const MAX_INNER_ONE: i16 = 511;

/// A network of the kind `perspective`: 768 inputs, seen from both sides, each turned by the same
/// weights into `hidden` numbers; both lists, that of the side to move first, are squared after
/// clipping to 0 to 1 (SCReLU) and added up to one number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Width of the inner layer for one side, a multiple of [`LANE`](super::LANE).
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

impl Shape {
    /// The usual scales: 255, 64 and 400.
    pub fn new(hidden: usize) -> Shape {
        Shape { hidden, mirroring: false, buckets: 1, inner_one: 255, output_one: 64, scale: 400 }
    }

    /// Weights and biases of all layers.
    pub fn parameters(&self) -> usize {
        INPUTS * self.hidden + self.hidden + self.buckets * (2 * self.hidden + 1)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shape { hidden, buckets, .. } = self;
        write!(f, "perspective ({INPUTS} -> {hidden})x2 -> {buckets}")?;
        f.write_str(if self.mirroring { ", mirrored" } else { "" })
    }
}
