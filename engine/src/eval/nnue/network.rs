//! The weights of a network, checked so that no sum of them can overflow.

use std::fmt;

use thiserror::Error;

use super::features::{INPUTS, View, output_bucket};
use super::kernels::{Change, Kernel, LANE, Lane, Output};
use super::shape::{MAX_BUCKETS, MAX_HIDDEN, MAX_INNER_ONE, Shape};
use crate::board::Position;

/// Pieces on a board at most: as many inputs are on at once.
const MOST_PIECES: usize = 32;

/// Weights as integers, each layer row by row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Weights {
    /// A row of `hidden` for each of the 768 inputs, in units of 1/`inner_one`.
    pub inner: Vec<i16>,
    /// `hidden` of them, in the same units.
    pub inner_bias: Vec<i16>,
    /// A row of twice `hidden` for each output layer, own half first, in units of 1/`output_one`.
    pub output: Vec<i16>,
    /// One for each output layer, in units of 1/(`inner_one` * `output_one`).
    pub output_bias: Vec<i32>,
}

/// Weights that make no network.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NetworkError {
    /// A size or scale that cannot be.
    #[error("{what} is {value}, and must be {wanted}")]
    Shape {
        /// Which.
        what: &'static str,
        /// What it says.
        value: i64,
        /// What it may be.
        wanted: String,
    },
    /// A layer has more or fewer weights than the sizes ask for.
    #[error("{layer} has {found} weights instead of {wanted}")]
    Count {
        /// The layer.
        layer: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        wanted: usize,
    },
    /// The sum of one number of the inner layer could leave 16 bits.
    #[error("number {number} of the inner layer can become {sum}, which is beyond 16 bits")]
    InnerOverflow {
        /// Its place, from 0.
        number: usize,
        /// The greatest that its sum can be.
        sum: i64,
    },
    /// An output weight is so large that its product could leave 16 bits.
    #[error("output weight {number} is {weight}; more than {most} is too much")]
    OutputOverflow {
        /// Its place, from 0.
        number: usize,
        /// The weight.
        weight: i16,
        /// What is possible.
        most: i16,
    },
}

/// A network that can be asked.
pub struct Network {
    shape: Shape,
    kernel: Kernel,
    inner: Vec<Lane>,
    inner_bias: Vec<Lane>,
    output: Vec<Lane>,
    output_bias: Vec<i32>,
}

impl Network {
    /// A network of these weights.
    ///
    /// # Errors
    /// When sizes and counts do not fit together, or some position could make a sum overflow.
    pub fn new(shape: Shape, weights: &Weights) -> Result<Network, NetworkError> {
        check_shape(&shape)?;
        check_counts(&shape, weights)?;
        check_inner(&shape, weights)?;
        let most = i16::MAX / shape.inner_one;
        for (number, &weight) in weights.output.iter().enumerate() {
            if weight.unsigned_abs() > most.unsigned_abs() {
                return Err(NetworkError::OutputOverflow { number, weight, most });
            }
        }
        Ok(Network {
            shape,
            kernel: Kernel::best(),
            inner: lanes(&weights.inner),
            inner_bias: lanes(&weights.inner_bias),
            output: lanes(&weights.output),
            output_bias: weights.output_bias.clone(),
        })
    }

    /// Its sizes and scales.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The instructions that it uses.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The same network with other instructions.
    pub fn with_kernel(self, kernel: Kernel) -> Network {
        Network { kernel, ..self }
    }

    /// Its weights, as [`Network::new`] took them.
    pub fn weights(&self) -> Weights {
        let numbers = |lanes: &[Lane]| lanes.iter().flat_map(|lane| lane.0).collect();
        Weights {
            inner: numbers(&self.inner),
            inner_bias: numbers(&self.inner_bias),
            output: numbers(&self.output),
            output_bias: self.output_bias.clone(),
        }
    }

    /// The value of a position in centipawns for the side to move, computed from nothing.
    pub fn evaluate(&self, position: &Position) -> i32 {
        let mut own = self.inner_bias.clone();
        let mut theirs = self.inner_bias.clone();
        for (sums, side) in [(&mut own, position.side()), (&mut theirs, !position.side())] {
            let view = View::of(position, side, self.shape.mirroring);
            let added: Vec<u16> = view.inputs(position).map(|input| input as u16).collect();
            self.update(sums, 0, 0, Change { added: &added, removed: &[] });
        }
        self.output(position, &own, &theirs)
    }

    /// Blocks that hold the sums of one side.
    pub(super) fn blocks(&self) -> usize {
        self.inner_bias.len()
    }

    /// The sums of an empty board.
    pub(super) fn bias(&self) -> &[Lane] {
        &self.inner_bias
    }

    /// Computes the sums at `to` from those at `from`.
    #[inline]
    pub(super) fn update(&self, sums: &mut [Lane], from: usize, to: usize, change: Change<'_>) {
        self.kernel.update(sums, from, to, &self.inner, self.blocks(), change);
    }

    /// The value in centipawns, from the sums of the side to move and of the other.
    #[inline]
    pub(super) fn output(&self, position: &Position, own: &[Lane], theirs: &[Lane]) -> i32 {
        let shape = &self.shape;
        let bucket = output_bucket(position.occupied().count(), shape.buckets);
        let row = 2 * self.blocks();
        let weights = &self.output[bucket * row..(bucket + 1) * row];
        let sum = self.kernel.output(Output { own, theirs, weights }, shape);
        let (inner_one, output_one) = (i64::from(shape.inner_one), i64::from(shape.output_one));
        let sum = sum / inner_one + i64::from(self.output_bias[bucket]);
        // The sum is below 2^46 and the scale below 2^15: no overflow before the division.
        let value = sum * i64::from(shape.scale) / (inner_one * output_one);
        value.clamp(i32::MIN.into(), i32::MAX.into()) as i32
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Network {}, {}", self.shape, self.kernel)
    }
}

fn lanes(numbers: &[i16]) -> Vec<Lane> {
    let blocks = numbers.chunks_exact(LANE);
    blocks.map(|block| Lane(block.try_into().expect("as long as a block"))).collect()
}

/// Whether the sizes and scales are such that a network can have them.
pub(super) fn check_shape(shape: &Shape) -> Result<(), NetworkError> {
    let hidden = shape.hidden;
    let rules: [(&'static str, i64, bool, String); 5] = [
        (
            "the width of the inner layer",
            hidden as i64,
            hidden.is_multiple_of(LANE) && (LANE..=MAX_HIDDEN).contains(&hidden),
            format!("a multiple of {LANE} up to {MAX_HIDDEN}"),
        ),
        (
            "the number of output layers",
            shape.buckets as i64,
            (1..=MAX_BUCKETS).contains(&shape.buckets),
            format!("from 1 to {MAX_BUCKETS}"),
        ),
        (
            "the unit of the inner layer",
            shape.inner_one.into(),
            (1..=MAX_INNER_ONE).contains(&shape.inner_one),
            format!("from 1 to {MAX_INNER_ONE}"),
        ),
        (
            "the unit of the output",
            shape.output_one.into(),
            shape.output_one >= 1,
            "above 0".into(),
        ),
        (
            "the scale",
            shape.scale.into(),
            (1..=i32::from(i16::MAX)).contains(&shape.scale),
            format!("from 1 to {}", i16::MAX),
        ),
    ];
    match rules.into_iter().find(|(_, _, fine, _)| !fine) {
        None => Ok(()),
        Some((what, value, _, wanted)) => Err(NetworkError::Shape { what, value, wanted }),
    }
}

fn check_counts(shape: &Shape, weights: &Weights) -> Result<(), NetworkError> {
    let Shape { hidden, buckets, .. } = *shape;
    let layers = [
        ("the inner layer", weights.inner.len(), INPUTS * hidden),
        ("the inner bias", weights.inner_bias.len(), hidden),
        ("the output layer", weights.output.len(), buckets * 2 * hidden),
        ("the output bias", weights.output_bias.len(), buckets),
    ];
    match layers.into_iter().find(|(_, found, wanted)| found != wanted) {
        None => Ok(()),
        Some((layer, found, wanted)) => Err(NetworkError::Count { layer, found, wanted }),
    }
}

/// No position turns on more than 32 inputs: the bias and the 32 greatest weights of either sign
/// bound every sum.
fn check_inner(shape: &Shape, weights: &Weights) -> Result<(), NetworkError> {
    for number in 0..shape.hidden {
        let mut column: Vec<i64> =
            weights.inner[number..].iter().step_by(shape.hidden).map(|&w| w.into()).collect();
        column.sort_unstable();
        let bias = i64::from(weights.inner_bias[number]);
        let least: i64 = column.iter().take(MOST_PIECES).filter(|&&w| w < 0).sum();
        let most: i64 = column.iter().rev().take(MOST_PIECES).filter(|&&w| w > 0).sum();
        for sum in [bias + least, bias + most] {
            if i16::try_from(sum).is_err() {
                return Err(NetworkError::InnerOverflow { number, sum });
            }
        }
    }
    Ok(())
}
