//! A network as JSON, to be read and changed by other programs.
//!
//! One object a layer, as in Sturddle's exports: `weights` with a row an input, `biases`,
//! `input_dim` and `output_dim`. All numbers are the integers of the network, so that nothing is
//! lost on the way there and back. Beside the layers stand the architecture's name, its sizes and
//! scales, and the note on where the network comes from.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::file_error::{FORMAT, FileError, JsonError};
use super::layer::{self, Integer, LayerWeights, Weights};
use super::network::Network;
use super::shape::{Shape, Size};

/// A network of any architecture.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: String,
    architecture: String,
    #[serde(default)]
    note: String,
    /// Sizes and scales by name.
    shape: BTreeMap<String, Value>,
    layers: BTreeMap<String, Layer>,
}

/// The part that says how to read the rest.
#[derive(Deserialize)]
struct Head {
    format: String,
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

impl Network {
    /// The network as JSON, with a note on where it comes from.
    pub fn to_json(&self, note: &str) -> String {
        let shape = self.shape();
        let size = |(size, value): (&Size, i64)| (size.name.to_owned(), value.into());
        let layers = shape.layers();
        let weights = self.weights().0;
        let layer = |(layer, weights): (&layer::Layer, &LayerWeights)| {
            (layer.name.to_owned(), layer_to_json(layer, weights))
        };
        let document = Document {
            format: FORMAT.to_owned(),
            architecture: shape.name().to_owned(),
            note: note.to_owned(),
            shape: shape.sizes().map(size).collect(),
            layers: layers.iter().zip(&weights).map(layer).collect(),
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
        let mut document: Document = serde_json::from_slice(text).map_err(JsonError::Syntax)?;
        let shape = shape_of(&document.architecture, &mut document.shape)?;
        shape.check()?;
        let layers = &mut document.layers;
        let weights = shape.layers().into_iter().map(|layer| take(layers, &layer));
        let weights = Weights(weights.collect::<Result<_, _>>()?);
        if let Some((name, _)) = layers.first_key_value() {
            return Err(JsonError::Unknown(name.clone()).into());
        }
        Ok((Network::new(shape, &weights)?, document.note))
    }
}

/// The shape of an architecture with these sizes, which must be all that there are.
fn shape_of(name: &str, sizes: &mut BTreeMap<String, Value>) -> Result<Shape, FileError> {
    let shape = Shape::from_sizes(name, |&Size { name, integer, .. }| {
        let size = match sizes.remove(name) {
            Some(Value::Bool(on)) => Some(on.into()),
            Some(value) => value.as_i64().and_then(|size| i32::try_from(size).ok()),
            None => None,
        };
        let size = size.filter(|&size| integer.holds(size)).ok_or(JsonError::NoSize(name))?;
        Ok::<i64, JsonError>(size.into())
    })?;
    let shape = shape.ok_or_else(|| FileError::Architecture(name.to_owned()))?;
    match sizes.first_key_value() {
        None => Ok(shape),
        Some((name, _)) => Err(JsonError::UnknownSize(name.clone()).into()),
    }
}

/// A layer with a row an input.
fn layer_to_json(layer: &layer::Layer, LayerWeights { weights, biases }: &LayerWeights) -> Layer {
    let numbers = |row: &[i32]| row.iter().map(|&weight| weight.into()).collect();
    let input_major: Cow<[i32]> =
        if layer.input_major { weights.into() } else { transposed(weights, layer.inputs).into() };
    Layer {
        input_dim: layer.inputs,
        output_dim: layer.outputs,
        weights: input_major.chunks_exact(layer.outputs).map(numbers).collect(),
        biases: numbers(biases),
    }
}

/// Takes out a layer, which must have the sizes that it should have.
fn take(
    layers: &mut BTreeMap<String, Layer>,
    wanted: &layer::Layer,
) -> Result<LayerWeights, JsonError> {
    let name = wanted.name;
    let inputs = wanted.inputs;
    let outputs = wanted.outputs;
    let layer = layers.remove(name).ok_or(JsonError::Missing(name))?;
    let size = |what: &dyn Fn() -> String, found, wanted| {
        let wrong = || JsonError::Size { layer: name, what: what(), found, wanted };
        if found == wanted { Ok(()) } else { Err(wrong()) }
    };
    size(&|| "input_dim".to_owned(), layer.input_dim, inputs)?;
    size(&|| "output_dim".to_owned(), layer.output_dim, outputs)?;
    size(&|| "the number of biases".to_owned(), layer.biases.len(), wanted.biases)?;
    size(&|| "the number of rows of weights".to_owned(), layer.weights.len(), inputs)?;
    let mut weights = Vec::with_capacity(inputs * outputs);
    for (number, row) in layer.weights.iter().enumerate() {
        size(&|| format!("the length of row {number} of the weights"), row.len(), outputs)?;
        for &weight in row {
            weights.push(fitting(name, weight, wanted.weight.integer)?);
        }
    }
    if !wanted.input_major {
        weights = transposed(&weights, outputs);
    }
    let biases = layer.biases.iter().map(|&bias| fitting(name, bias, wanted.bias.integer));
    Ok(LayerWeights { weights, biases: biases.collect::<Result<_, _>>()? })
}

fn fitting(layer: &'static str, number: i64, kind: Integer) -> Result<i32, JsonError> {
    let fitting = i32::try_from(number).ok().filter(|&number| kind.holds(number));
    fitting.ok_or(JsonError::Number { layer, number })
}

/// Rows as columns.
fn transposed<T: Copy>(rows: &[T], width: usize) -> Vec<T> {
    (0..width).flat_map(|column| rows[column..].iter().step_by(width).copied()).collect()
}
