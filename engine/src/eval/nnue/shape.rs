//! What a network is: its architecture, its sizes and scales, and the layers that follow from them.

use std::fmt;

use super::halfkp::HalfKp;
use super::network::NetworkError;
use super::nnueu::Nnueu;
use super::perspective::Perspective;
use super::two_path_shape::TwoPath;

/// The architecture of a network with its sizes and scales.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// `perspective`: both sides' views, one layer, squared.
    Perspective(Perspective),
    /// `nnueu`: a few numbers, and a second layer chosen by the kings' squares.
    Nnueu(Nnueu),
    /// `halfkp`: pieces with the own king's square, two layers behind.
    HalfKp(HalfKp),
    /// `two-path`: averages of a wide path times factors that pawns and kings give.
    TwoPath(TwoPath),
}

/// A layer: every output is a bias and a sum of weighted inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layer {
    /// What it is called.
    pub name: &'static str,
    /// Numbers that come in.
    pub inputs: usize,
    /// Numbers that go out.
    pub outputs: usize,
    /// As many as outputs, or fewer where outputs share them.
    pub biases: usize,
    /// Whether the weights stand a row an input; else a row an output.
    pub by_input: bool,
    /// A weight of 1 as an integer.
    pub one: i32,
    /// A bias of 1 as an integer.
    pub bias_one: i32,
    /// The kind of integer of a weight.
    pub kind: Integer,
    /// The kind of integer of a bias.
    pub bias_kind: Integer,
}

impl Layer {
    /// Weights, without the biases.
    pub fn weights(&self) -> usize {
        self.inputs * self.outputs
    }

    /// Bytes in a file.
    pub fn bytes(&self) -> usize {
        self.weights() * self.kind.bytes() + self.biases * self.bias_kind.bytes()
    }
}

/// A kind of integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Integer {
    /// 8 bits.
    I8,
    /// 16 bits.
    I16,
    /// 32 bits.
    I32,
}

impl Integer {
    /// Bytes of one.
    pub fn bytes(self) -> usize {
        match self {
            Integer::I8 => 1,
            Integer::I16 => 2,
            Integer::I32 => 4,
        }
    }

    /// Whether it can be this number.
    pub fn holds(self, number: i32) -> bool {
        match self {
            Integer::I8 => i8::try_from(number).is_ok(),
            Integer::I16 => i16::try_from(number).is_ok(),
            Integer::I32 => true,
        }
    }
}

/// A size or scale of an architecture: its name, and how a file holds it.
pub(super) type Size = (&'static str, Integer);

/// The weights of a layer as integers, row by row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LayerWeights {
    /// Of the inputs.
    pub weights: Vec<i32>,
    /// Of the outputs.
    pub biases: Vec<i32>,
}

/// The weights of a network: one entry for each of [`Shape::layers`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Weights(pub Vec<LayerWeights>);

impl Weights {
    /// All zero.
    pub fn zeros(shape: &Shape) -> Weights {
        let zeros = |layer: Layer| LayerWeights {
            weights: vec![0; layer.weights()],
            biases: vec![0; layer.biases],
        };
        Weights(shape.layers().into_iter().map(zeros).collect())
    }
}

/// Names of all architectures, as files and configurations have them.
pub const ARCHITECTURES: [&str; 4] = [Perspective::NAME, Nnueu::NAME, HalfKp::NAME, TwoPath::NAME];

impl Shape {
    /// The name of its architecture, as files and configurations have it.
    pub fn name(&self) -> &'static str {
        match self {
            Shape::Perspective(_) => Perspective::NAME,
            Shape::Nnueu(_) => Nnueu::NAME,
            Shape::HalfKp(_) => HalfKp::NAME,
            Shape::TwoPath(_) => TwoPath::NAME,
        }
    }

    /// Its layers, from the inputs to the output.
    pub fn layers(&self) -> Vec<Layer> {
        match self {
            Shape::Perspective(shape) => shape.layers(),
            Shape::Nnueu(shape) => shape.layers(),
            Shape::HalfKp(shape) => shape.layers(),
            Shape::TwoPath(shape) => shape.layers(),
        }
    }

    /// Weights and biases of all layers.
    pub fn parameters(&self) -> usize {
        self.layers().iter().map(|layer| layer.weights() + layer.biases).sum()
    }

    /// Bytes of all weights in a file.
    pub fn bytes(&self) -> usize {
        self.layers().iter().map(Layer::bytes).sum()
    }

    /// Centipawns of an output of 1.
    pub fn scale(&self) -> i32 {
        match self {
            Shape::Perspective(shape) => shape.scale,
            Shape::Nnueu(shape) => shape.scale,
            Shape::HalfKp(shape) => shape.scale,
            Shape::TwoPath(shape) => shape.scale,
        }
    }

    /// The same without a short cut past the layers, as far as numbers go.
    pub fn without_short_cut(self) -> Shape {
        match self {
            Shape::TwoPath(shape) => TwoPath { material_limit: i16::MAX.into(), ..shape }.into(),
            shape => shape,
        }
    }

    /// Whether the output is that of the side to move rather than White's.
    pub fn is_relative(&self) -> bool {
        !matches!(self, Shape::TwoPath(_))
    }

    /// Whether a network can have these sizes and scales.
    ///
    /// # Errors
    /// When it cannot.
    pub fn check(&self) -> Result<(), NetworkError> {
        match self {
            Shape::Perspective(shape) => shape.check(),
            Shape::Nnueu(shape) => shape.check(),
            Shape::HalfKp(shape) => shape.check(),
            Shape::TwoPath(shape) => shape.check(),
        }
    }

    /// Its sizes and scales by name, in the order of a file's header.
    pub fn sizes(&self) -> Vec<(&'static str, i64, Integer)> {
        let (names, sizes) = match self {
            Shape::Perspective(shape) => (Perspective::SIZES, shape.sizes()),
            Shape::Nnueu(shape) => (Nnueu::SIZES, shape.sizes()),
            Shape::HalfKp(shape) => (HalfKp::SIZES, shape.sizes()),
            Shape::TwoPath(shape) => (TwoPath::SIZES, shape.sizes()),
        };
        names.iter().zip(sizes).map(|(&(name, kind), size)| (name, size, kind)).collect()
    }

    /// The shape of an architecture with sizes and scales that `size` tells when asked by name, in
    /// the order of [`Shape::sizes`]; nothing when there is no such architecture.
    ///
    /// # Errors
    /// What `size` gives.
    pub fn from_sizes<E>(
        name: &str,
        mut size: impl FnMut(&'static str, Integer) -> Result<i64, E>,
    ) -> Result<Option<Shape>, E> {
        let mut all = |sizes: &[Size]| {
            sizes.iter().map(|&(name, kind)| size(name, kind)).collect::<Result<Vec<i64>, E>>()
        };
        Ok(Some(match name {
            Perspective::NAME => Perspective::from_sizes(&all(Perspective::SIZES)?).into(),
            Nnueu::NAME => Nnueu::from_sizes(&all(Nnueu::SIZES)?).into(),
            HalfKp::NAME => HalfKp::from_sizes(&all(HalfKp::SIZES)?).into(),
            TwoPath::NAME => TwoPath::from_sizes(&all(TwoPath::SIZES)?).into(),
            _ => return Ok(None),
        }))
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Perspective(shape) => shape.fmt(f),
            Shape::Nnueu(shape) => shape.fmt(f),
            Shape::HalfKp(shape) => shape.fmt(f),
            Shape::TwoPath(shape) => shape.fmt(f),
        }
    }
}

/// One rule for a size or scale: what it is, what it says, what it may be.
pub(super) type Rule = (&'static str, i64, bool, String);

/// The first rule that is broken.
pub(super) fn keep(rules: impl IntoIterator<Item = Rule>) -> Result<(), NetworkError> {
    match rules.into_iter().find(|(_, _, fine, _)| !fine) {
        None => Ok(()),
        Some((what, value, _, wanted)) => Err(NetworkError::Shape { what, value, wanted }),
    }
}

/// The rule that a size is between two ends.
pub(super) fn within(what: &'static str, size: i64, least: i64, most: i64) -> Rule {
    (what, size, (least..=most).contains(&size), format!("from {least} to {most}"))
}

/// The rule that a size is a multiple of a number, and not above another.
pub(super) fn multiple(what: &'static str, size: usize, of: usize, most: usize) -> Rule {
    let fine = size.is_multiple_of(of) && (of..=most).contains(&size);
    (what, size as i64, fine, format!("a multiple of {of} up to {most}"))
}

/// The rule of every scale.
pub(super) fn scale(scale: i32) -> Rule {
    within("the scale", scale.into(), 1, i16::MAX.into())
}
