//! A network as JSON, to be read and changed by other programs.
//!
//! One object a layer, as in Sturddle's exports: `weights` with a row an input, `biases`,
//! `input_dim` and `output_dim`. All numbers are the integers of the network, so that nothing is
//! lost on the way there and back. Beside the layers stand the architecture's name, its sizes and
//! scales, and the note on where the network comes from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::features::INPUTS;
use super::format::{FileError, PERSPECTIVE};
use super::network::{Network, Weights, check_shape};
use super::shape::Shape;

/// What the member `format` says.
const FORMAT: &str = "tench-network-1";

/// JSON that is no network.
#[derive(Debug, Error)]
pub enum JsonError {
    /// It is no JSON, or has other members.
    #[error("it is no network in JSON: {0}")]
    Syntax(#[from] serde_json::Error),
    /// Another kind of document.
    #[error("its format is `{0}`; this engine reads `{FORMAT}`")]
    Format(String),
    /// A layer that the architecture needs is not there.
    #[error("it has no layer `{0}`")]
    Missing(&'static str),
    /// A layer that the architecture does not have.
    #[error("its architecture has no layer `{0}`")]
    Unknown(String),
    /// A layer of another size.
    #[error("layer `{layer}`: {what} is {found} and should be {wanted}")]
    Size {
        /// Its name.
        layer: &'static str,
        /// Which size.
        what: String,
        /// Its size.
        found: usize,
        /// What the sizes of the network ask for.
        wanted: usize,
    },
    /// A number that its layer cannot hold.
    #[error("layer `{layer}`: {number} is too large")]
    Number {
        /// The layer's name.
        layer: &'static str,
        /// The number.
        number: i64,
    },
}

/// A network of any architecture.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<S> {
    format: String,
    architecture: String,
    #[serde(default)]
    note: String,
    shape: S,
    layers: BTreeMap<String, Layer>,
}

/// The part that says how to read the rest.
#[derive(Deserialize)]
struct Head {
    format: String,
    architecture: String,
}

/// A layer of which every output depends on every input.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Layer {
    input_dim: usize,
    output_dim: usize,
    /// A row an input.
    weights: Vec<Vec<i64>>,
    /// One an output.
    biases: Vec<i64>,
}

/// The sizes and scales of `perspective`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PerspectiveShape {
    hidden: usize,
    mirroring: bool,
    buckets: usize,
    inner_one: i16,
    output_one: i16,
    scale: i32,
}

impl From<&Shape> for PerspectiveShape {
    fn from(shape: &Shape) -> PerspectiveShape {
        let Shape { hidden, mirroring, buckets, inner_one, output_one, scale } = *shape;
        PerspectiveShape { hidden, mirroring, buckets, inner_one, output_one, scale }
    }
}

impl From<PerspectiveShape> for Shape {
    fn from(shape: PerspectiveShape) -> Shape {
        let PerspectiveShape { hidden, mirroring, buckets, inner_one, output_one, scale } = shape;
        Shape { hidden, mirroring, buckets, inner_one, output_one, scale }
    }
}

impl Network {
    /// The network as JSON, with a note on where it comes from.
    pub fn to_json(&self, note: &str) -> String {
        let Shape { hidden, buckets, .. } = *self.shape();
        let Weights { inner, inner_bias, output, output_bias } = self.weights();
        // The engine has a row an output layer.
        let output = transposed(&output, 2 * hidden);
        let layers = [
            ("inner", layer([INPUTS, hidden], &inner, &inner_bias)),
            ("output", layer([2 * hidden, buckets], &output, &output_bias)),
        ];
        let document = Document {
            format: FORMAT.to_owned(),
            architecture: PERSPECTIVE.to_owned(),
            note: note.to_owned(),
            shape: PerspectiveShape::from(self.shape()),
            layers: layers.map(|(name, layer)| (name.to_owned(), layer)).into(),
        };
        serde_json::to_string(&document).expect("names and whole numbers can be written") + "\n"
    }

    /// The network in a JSON document, and the note on where it comes from.
    ///
    /// # Errors
    /// When there is none that this engine can use.
    pub fn from_json(text: &[u8]) -> Result<(Network, String), FileError> {
        let head: Head = serde_json::from_slice(text).map_err(JsonError::Syntax)?;
        if head.format != FORMAT {
            return Err(JsonError::Format(head.format).into());
        }
        if head.architecture != PERSPECTIVE {
            return Err(FileError::Architecture(head.architecture));
        }
        let mut document: Document<PerspectiveShape> =
            serde_json::from_slice(text).map_err(JsonError::Syntax)?;
        let shape = Shape::from(document.shape);
        check_shape(&shape)?;
        let Shape { hidden, buckets, .. } = shape;
        let layers = &mut document.layers;
        let (inner, inner_bias) = take(layers, "inner", [INPUTS, hidden])?;
        let (output, output_bias) = take(layers, "output", [2 * hidden, buckets])?;
        nothing_left(layers)?;
        let output = transposed(&output, buckets);
        let weights = Weights { inner, inner_bias, output, output_bias };
        Ok((Network::new(shape, &weights)?, document.note))
    }
}

/// A layer of the sizes `[inputs, outputs]`, with a row an input.
fn layer<W, B>([input_dim, output_dim]: [usize; 2], weights: &[W], biases: &[B]) -> Layer
where
    W: Copy + Into<i64>,
    B: Copy + Into<i64>,
{
    let row = |row: &[W]| row.iter().map(|&weight| weight.into()).collect();
    Layer {
        input_dim,
        output_dim,
        weights: weights.chunks_exact(output_dim).map(row).collect(),
        biases: biases.iter().map(|&bias| bias.into()).collect(),
    }
}

/// Takes out the layer of a name, which must be of the sizes `[inputs, outputs]`: its weights with
/// a row an input, and its biases.
fn take<W: TryFrom<i64>, B: TryFrom<i64>>(
    layers: &mut BTreeMap<String, Layer>,
    name: &'static str,
    [inputs, outputs]: [usize; 2],
) -> Result<(Vec<W>, Vec<B>), JsonError> {
    let layer = layers.remove(name).ok_or(JsonError::Missing(name))?;
    let size = |what: &dyn Fn() -> String, found, wanted| {
        let wrong = || JsonError::Size { layer: name, what: what(), found, wanted };
        if found == wanted { Ok(()) } else { Err(wrong()) }
    };
    size(&|| "input_dim".to_owned(), layer.input_dim, inputs)?;
    size(&|| "output_dim".to_owned(), layer.output_dim, outputs)?;
    size(&|| "the number of biases".to_owned(), layer.biases.len(), outputs)?;
    size(&|| "the number of rows of weights".to_owned(), layer.weights.len(), inputs)?;
    let mut weights = Vec::with_capacity(inputs * outputs);
    for (number, row) in layer.weights.iter().enumerate() {
        size(&|| format!("the length of row {number} of the weights"), row.len(), outputs)?;
        for &weight in row {
            weights.push(fitting(name, weight)?);
        }
    }
    let biases = layer.biases.iter().map(|&bias| fitting(name, bias)).collect::<Result<_, _>>()?;
    Ok((weights, biases))
}

fn fitting<T: TryFrom<i64>>(layer: &'static str, number: i64) -> Result<T, JsonError> {
    T::try_from(number).map_err(|_| JsonError::Number { layer, number })
}

fn nothing_left(layers: &BTreeMap<String, Layer>) -> Result<(), JsonError> {
    match layers.first_key_value() {
        None => Ok(()),
        Some((name, _)) => Err(JsonError::Unknown(name.clone())),
    }
}

/// Rows as columns.
fn transposed<T: Copy>(rows: &[T], width: usize) -> Vec<T> {
    (0..width).flat_map(|column| rows[column..].iter().step_by(width).copied()).collect()
}
