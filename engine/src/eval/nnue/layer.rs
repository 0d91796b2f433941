//! A layer as data: its widths, how its weights are quantised, where training starts, the weights.

/// An integer type.
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

    /// Whether a number is in range.
    pub fn holds(self, number: i32) -> bool {
        match self {
            Integer::I8 => i8::try_from(number).is_ok(),
            Integer::I16 => i16::try_from(number).is_ok(),
            Integer::I32 => true,
        }
    }
}

/// How weights become integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Quantisation {
    /// The integer type.
    pub integer: Integer,
    /// The integer that stands for 1.
    pub unit: i32,
}

/// Where the weights of a layer start in training, and their limits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounds {
    /// Weights start uniformly distributed up to this far from zero.
    pub spread: f32,
    /// Biases start here.
    pub bias: f32,
    /// Largest absolute weight.
    pub max_weight: f32,
    /// Largest absolute bias.
    pub max_bias: f32,
}

/// Largest absolute weight in 8 or 16 bits, so that sums fit: 127/64, the limit of public trainers.
const MAX_WEIGHT: f32 = 1.98;
/// Biases in 32 bits have room.
const MAX_WIDE_BIAS: f32 = 1e3;

impl Bounds {
    /// Of a first layer. About thirty features are active: their sum is spread by a third around
    /// the bias, within the range of the activation.
    pub const FIRST: Bounds =
        Bounds { spread: 0.1, bias: 0.25, max_weight: MAX_WEIGHT, max_bias: MAX_WEIGHT };

    /// Of a layer behind it: sums are as widely spread as the inputs.
    pub fn dense(inputs: usize, bias: f32) -> Bounds {
        let spread = (3.0 / inputs as f32).sqrt().min(MAX_WEIGHT);
        Bounds { spread, bias, max_weight: MAX_WEIGHT, max_bias: MAX_WIDE_BIAS }
    }
}

/// A layer: every output is a bias and a sum of weighted inputs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Layer {
    /// Its name in files and configurations.
    pub name: &'static str,
    /// Input width.
    pub inputs: usize,
    /// Output width, of all blocks together.
    pub outputs: usize,
    /// As many as outputs, or fewer where blocks of outputs share them.
    pub biases: usize,
    /// Whether weights are stored row by input rather than row by output.
    pub input_major: bool,
    /// Quantisation of the weights.
    pub weight: Quantisation,
    /// Quantisation of the biases.
    pub bias: Quantisation,
    /// Start and limits in training.
    pub bounds: Bounds,
}

impl Layer {
    /// A first layer: a row for each feature, in 16 bits.
    pub fn first(name: &'static str, inputs: usize, outputs: usize, unit: i32) -> Layer {
        let weight = Quantisation { integer: Integer::I16, unit };
        let bounds = Bounds::FIRST;
        Layer {
            name,
            inputs,
            outputs,
            biases: outputs,
            input_major: true,
            weight,
            bias: weight,
            bounds,
        }
    }

    /// A dense layer whose inputs have the unit `input_unit`.
    pub fn dense(
        name: &'static str,
        inputs: usize,
        outputs: usize,
        weight: Quantisation,
        input_unit: i32,
    ) -> Layer {
        let bias = Quantisation { integer: Integer::I32, unit: weight.unit * input_unit };
        let bounds = Bounds::dense(inputs, 0.25);
        Layer { name, inputs, outputs, biases: outputs, input_major: false, weight, bias, bounds }
    }

    /// The number of weights, without the biases.
    pub fn weights(&self) -> usize {
        self.inputs * self.outputs
    }

    /// Bytes in a file.
    pub fn bytes(&self) -> usize {
        self.weights() * self.weight.integer.bytes() + self.biases * self.bias.integer.bytes()
    }
}

/// The quantised weights of a layer, row by row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LayerWeights {
    /// The weights.
    pub weights: Vec<i32>,
    /// The biases.
    pub biases: Vec<i32>,
}

/// The quantised weights of a network, layer by layer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Weights(pub Vec<LayerWeights>);

impl Weights {
    /// All zero.
    pub fn zeros(layers: &[Layer]) -> Weights {
        let zeros = |layer: &Layer| LayerWeights {
            weights: vec![0; layer.weights()],
            biases: vec![0; layer.biases],
        };
        Weights(layers.iter().map(zeros).collect())
    }
}
