//! The output layer of the linked engine's network as options: offsets of its weights and biases.
//!
//! An offset of 0 is the network as it is. All are in the network's own integers:
//!
//! | option | what it is added to |
//! |---|---|
//! | `network.output.weight.I` | the weights of input `I`, in every output bucket |
//! | `network.output.bias.B` | the bias of bucket `B` |
//! | `network.output.B.weight.I` | the weight of input `I` in bucket `B` alone; of networks with several |
//!
//! No program has these options; the linked engine takes them beside its own ([`super::Builtin`]).

use std::collections::BTreeMap;

use engine::eval::nnue::{LayerWeights, Network, NetworkError, Weights};
use thiserror::Error;

use super::options::{DeclaredOption, OptionKind};

/// How the names begin; without the dot also the name of their group.
pub const PREFIX: &str = "network.output.";
/// Largest offset of a weight, as a share of the root mean square of the layer's weights: a tuner moves all
/// of them at once, by up to half of it.
const WEIGHT_SHARE: f64 = 0.25;
/// At least that many units, so that there is something to choose from.
const LEAST_SPAN: i64 = 2;
/// Largest offset of a bias, in centipawns.
const BIAS_CENTIPAWNS: i64 = 25;

/// Offsets that make no network.
#[derive(Debug, Error)]
pub enum OutputLayerError {
    /// A name that is none of theirs.
    #[error(
        "the output layer has no `{name}`: there are `{PREFIX}weight.0` to `.{}` and `{PREFIX}bias.0` to \
         `.{}`",
        inputs - 1,
        biases - 1
    )]
    Unknown {
        /// The name.
        name: String,
        /// Inputs of the layer.
        inputs: usize,
        /// Its biases.
        biases: usize,
    },
    /// A value that is no whole number, or beyond the range.
    #[error("`{name}` is a whole number from -{span} to {span}, not `{value}`")]
    Value {
        /// The option.
        name: String,
        /// Its largest value.
        span: i64,
        /// The value given.
        value: String,
    },
    /// The evaluation has no network.
    #[error("the hand-crafted evaluation has no output layer: `{0}` needs a network as `EvalFile`")]
    Classical(String),
    /// Weights that the engine cannot compute with.
    #[error("the network with these offsets: {0}")]
    Network(#[from] NetworkError),
}

/// An offset by what it is added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// An input, in every bucket.
    Shared(usize),
    /// A weight: its number in the layer.
    Own(usize),
    /// A bias.
    Bias(usize),
}

/// The size of an output layer, and the largest offsets.
#[derive(Clone, Copy, Debug)]
struct Size {
    inputs: usize,
    buckets: usize,
    biases: usize,
    /// Of weights.
    span: i64,
    /// Of biases.
    bias_span: i64,
    /// Largest absolute weight.
    most: i32,
}

impl Size {
    fn new(network: &Network, output: &LayerWeights) -> Size {
        let graph = network.shape().graph();
        let layer = graph.layers.last().expect("every graph has an output layer");
        let squares: f64 = output.weights.iter().map(|&weight| f64::from(weight).powi(2)).sum();
        let usual = (squares / output.weights.len().max(1) as f64).sqrt();
        let centipawn = i64::from(layer.bias.unit) / i64::from(network.shape().scale()).max(1);
        let of_kind = if layer.weight.integer.holds(i32::from(i16::MAX)) {
            i32::from(i16::MAX)
        } else {
            i32::from(i8::MAX)
        };
        // Squared activations leave less room in 16 bits.
        let most = match graph.output.input {
            Some(_) => of_kind,
            None => of_kind.min(i32::from(i16::MAX) / graph.unit.max(1)),
        };
        Size {
            inputs: layer.inputs,
            buckets: layer.outputs,
            biases: layer.biases,
            span: ((WEIGHT_SHARE * usual).round() as i64).max(LEAST_SPAN),
            bias_span: (BIAS_CENTIPAWNS * centipawn).max(LEAST_SPAN),
            most,
        }
    }

    /// The place of a name.
    fn place(&self, name: &str) -> Option<Place> {
        let name = name.to_ascii_lowercase();
        let number =
            |text: &str, below: usize| text.parse().ok().filter(|number: &usize| *number < below);
        match name.strip_prefix(PREFIX)?.split('.').collect::<Vec<_>>()[..] {
            ["weight", input] => Some(Place::Shared(number(input, self.inputs)?)),
            ["bias", bucket] => Some(Place::Bias(number(bucket, self.biases)?)),
            [bucket, "weight", input] if self.buckets > 1 => {
                let bucket = number(bucket, self.buckets)?;
                Some(Place::Own(bucket * self.inputs + number(input, self.inputs)?))
            }
            _ => None,
        }
    }

    fn span(&self, place: Place) -> i64 {
        match place {
            Place::Shared(_) | Place::Own(_) => self.span,
            Place::Bias(_) => self.bias_span,
        }
    }
}

/// The output layer of a network with its offsets.
#[derive(Clone)]
pub(super) struct OutputLayer {
    /// All weights of the network as it was loaded.
    weights: Weights,
    size: Size,
    shared: Vec<i32>,
    own: BTreeMap<usize, i32>,
    biases: Vec<i32>,
}

impl OutputLayer {
    /// That of a network, without offsets.
    pub fn new(network: &Network) -> OutputLayer {
        let weights = network.weights();
        let output = weights.0.last().expect("every network has an output layer");
        let size = Size::new(network, output);
        OutputLayer {
            shared: vec![0; size.inputs],
            own: BTreeMap::new(),
            biases: vec![0; size.biases],
            size,
            weights,
        }
    }

    /// Its options.
    pub fn declared(&self) -> Vec<DeclaredOption> {
        let Size { inputs, buckets, biases, span, bias_span, .. } = self.size;
        let option = |name: String, span: i64| DeclaredOption {
            name,
            kind: OptionKind::Spin { default: 0, min: -span, max: span },
        };
        let shared = (0..inputs).map(|input| option(format!("{PREFIX}weight.{input}"), span));
        let biases = (0..biases).map(|bucket| option(format!("{PREFIX}bias.{bucket}"), bias_span));
        let several = if buckets > 1 { 0..buckets } else { 0..0 };
        let own = several.flat_map(|bucket| (0..inputs).map(move |input| (bucket, input)));
        let own =
            own.map(|(bucket, input)| option(format!("{PREFIX}{bucket}.weight.{input}"), span));
        shared.chain(biases).chain(own).collect()
    }

    /// Sets an offset; whether it is another one than before.
    ///
    /// # Errors
    /// When there is none of that name, or it does not take the value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<bool, OutputLayerError> {
        let Size { inputs, biases, .. } = self.size;
        let place = self.size.place(name).ok_or_else(|| OutputLayerError::Unknown {
            name: name.to_owned(),
            inputs,
            biases,
        })?;
        let span = self.size.span(place);
        let number = value.trim().parse().ok().filter(|number| (-span..=span).contains(number));
        let number = number.and_then(|number: i64| i32::try_from(number).ok());
        let number = number.ok_or_else(|| OutputLayerError::Value {
            name: name.to_owned(),
            span,
            value: value.to_owned(),
        })?;
        let offset = match place {
            Place::Shared(input) => &mut self.shared[input],
            Place::Own(weight) => self.own.entry(weight).or_default(),
            Place::Bias(bias) => &mut self.biases[bias],
        };
        Ok(std::mem::replace(offset, number) != number)
    }

    /// The weights of a network with the offsets; weights stay within what the engine computes with.
    fn weights(&self) -> Weights {
        let mut weights = self.weights.clone();
        let output = weights.0.last_mut().expect("every network has an output layer");
        let most = self.size.most;
        for (number, weight) in output.weights.iter_mut().enumerate() {
            let own = self.own.get(&number).copied().unwrap_or(0);
            let offset = self.shared[number % self.size.inputs] + own;
            if offset != 0 {
                *weight = (*weight + offset).clamp(-most, most);
            }
        }
        for (bias, offset) in output.biases.iter_mut().zip(&self.biases) {
            *bias = bias.saturating_add(*offset);
        }
        weights
    }

    /// The network with the offsets; `like` is one of its shape.
    ///
    /// # Errors
    /// When the engine cannot compute with it.
    pub fn network(&self, like: &Network) -> Result<Network, OutputLayerError> {
        Ok(Network::new(*like.shape(), &self.weights())?.with_kernel(like.kernel()))
    }
}

/// The options of a network's output layer, all 0.
pub fn output_options(network: &Network) -> Vec<DeclaredOption> {
    OutputLayer::new(network).declared()
}

/// A network with offsets of its output layer, by the names of their options; other names are passed
/// over.
///
/// # Errors
/// When an offset does not fit the network.
pub fn with_offsets(
    network: &Network,
    offsets: &BTreeMap<String, String>,
) -> Result<Network, OutputLayerError> {
    let mut layer = OutputLayer::new(network);
    for (name, value) in offsets.iter().filter(|(name, _)| is_offset(name)) {
        layer.set(name, value)?;
    }
    layer.network(network)
}

/// Whether an option is an offset of the output layer.
pub fn is_offset(name: &str) -> bool {
    name.get(..PREFIX.len()).is_some_and(|start| start.eq_ignore_ascii_case(PREFIX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::eval::EvalFile;

    fn network() -> std::sync::Arc<Network> {
        EvalFile::default_network().expect("the default is a network")
    }

    fn offsets(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    #[test]
    fn every_offset_changes_its_weights_and_none_is_the_network_itself() {
        let network = network();
        let before = network.weights();
        let same = with_offsets(&network, &BTreeMap::new()).expect("the network");
        assert_eq!(same.weights(), before);
        let given = [
            ("network.output.weight.7", "2"),
            ("Network.Output.bias.3", "-9"),
            ("network.output.5.weight.7", "-1"),
            ("lmr_base", "100"),
        ];
        let changed = with_offsets(&network, &offsets(&given)).expect("the network").weights();
        let (old, new) = (before.0.last().expect("a layer"), changed.0.last().expect("a layer"));
        assert_eq!(before.0[..before.0.len() - 1], changed.0[..changed.0.len() - 1]);
        let inputs = old.weights.len() / old.biases.len();
        for (number, (old, new)) in old.weights.iter().zip(&new.weights).enumerate() {
            let expected = match (number % inputs, number / inputs) {
                (7, 5) => 1,
                (7, _) => 2,
                _ => 0,
            };
            assert_eq!(new - old, expected, "{number}");
        }
        let moved: Vec<i32> = new.biases.iter().zip(&old.biases).map(|(a, b)| a - b).collect();
        assert_eq!(moved, [0, 0, 0, -9, 0, 0, 0, 0]);
    }

    #[test]
    fn all_options_take_their_ends_together_and_nothing_else() {
        let network = network();
        let mut layer = OutputLayer::new(&network);
        let declared = layer.declared();
        let shared = declared.iter().filter(|option| option.name.matches('.').count() == 3);
        assert_eq!(shared.count(), 512 + 8);
        for sign in [1, -1] {
            for DeclaredOption { name, kind } in &declared {
                let OptionKind::Spin { max, .. } = kind else { panic!("{name}") };
                assert!(layer.set(name, &(sign * max).to_string()).expect(name));
                assert!(layer.set(name, &(max + 1).to_string()).is_err(), "{name}");
            }
            layer.network(&network).expect("a network at the ends of all ranges");
        }
        for (name, value, reason) in [
            ("network.output.weight.512", "0", "`network.output.weight.0` to `.511`"),
            ("network.output.bias.8", "0", "to `.7`"),
            ("network.output.8.weight.0", "0", "has no"),
            ("network.output.width.0", "0", "has no"),
            ("network.output.", "0", "has no"),
            ("network.output.weight.0", "1.5", "whole number from -"),
        ] {
            let error = layer.set(name, value).expect_err(name).to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
