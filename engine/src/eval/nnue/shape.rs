//! The architecture of a network with its sizes and scales.

use std::fmt;

use super::error::NetworkError;
use super::graph::Graph;
use super::layer::{Integer, Layer};

/// More sizes than any architecture has.
const MAX_SIZES: usize = 12;

/// A size or scale of an architecture.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Its name in files and configurations.
    pub name: &'static str,
    /// Its description, in error messages.
    pub what: &'static str,
    /// How a file holds it.
    pub integer: Integer,
    /// Its default.
    pub default: i64,
    /// Its possible values.
    pub rule: Rule,
}

/// The possible values of a size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Multiples of the first number up to the second.
    Multiple(i64, i64),
    /// From the first number to the second.
    Within(i64, i64),
    /// 0 or 1.
    Flag,
    /// A quantisation unit, from 1 on, that no configuration changes.
    Unit(i64),
}

impl Rule {
    /// The allowed values, for a message about a wrong one.
    fn broken(self, value: i64) -> Option<String> {
        let (allowed, wanted) = match self {
            Rule::Multiple(of, most) => {
                let allowed = value % of == 0 && (of..=most).contains(&value);
                (allowed, format!("a multiple of {of} up to {most}"))
            }
            Rule::Within(least, most) => {
                ((least..=most).contains(&value), format!("from {least} to {most}"))
            }
            Rule::Unit(most) => ((1..=most).contains(&value), format!("from 1 to {most}")),
            Rule::Flag => (true, String::new()),
        };
        (!allowed).then_some(wanted)
    }
}

impl Size {
    /// Every architecture has it: the centipawns of an output of 1.
    pub const SCALE: Size = Size::new("scale", "the scale", 400, Rule::Within(1, i16::MAX as i64));

    /// In 32 bits.
    pub const fn new(name: &'static str, what: &'static str, default: i64, rule: Rule) -> Size {
        let integer = if matches!(rule, Rule::Unit(_)) { Integer::I16 } else { Integer::I32 };
        Size { name, what, integer, default, rule }
    }
}

/// An architecture.
#[derive(Debug)]
pub struct Architecture {
    /// Its name in files and configurations.
    pub name: &'static str,
    /// Its sizes and scales, in the order of a file's header.
    pub sizes: &'static [Size],
    /// Further conditions on its sizes.
    pub(super) check: fn(&Shape) -> Result<(), NetworkError>,
    /// Its sizes in one line.
    pub(super) describe: fn(&Shape) -> String,
    /// The computation of a network of valid sizes.
    pub(super) graph: fn(&Shape) -> Graph,
}

/// The architecture of a network with its sizes and scales.
#[derive(Clone, Copy)]
pub struct Shape {
    architecture: &'static Architecture,
    sizes: [i64; MAX_SIZES],
}

impl PartialEq for Shape {
    fn eq(&self, other: &Shape) -> bool {
        self.name() == other.name() && self.sizes == other.sizes
    }
}

impl Eq for Shape {}

/// There is one architecture of each name.
impl PartialEq for Architecture {
    fn eq(&self, other: &Architecture) -> bool {
        self.name == other.name
    }
}

impl Architecture {
    /// Its default sizes.
    pub fn shape(&'static self) -> Shape {
        let mut sizes = [0; MAX_SIZES];
        for (size, &Size { default, .. }) in sizes.iter_mut().zip(self.sizes) {
            *size = default;
        }
        Shape { architecture: self, sizes }
    }

    /// The shape whose sizes `value` returns, in the order of [`Shape::sizes`].
    ///
    /// # Errors
    /// Those of `value`.
    pub(super) fn with_sizes<E>(
        &'static self,
        mut value: impl FnMut(&'static Size) -> Result<i64, E>,
    ) -> Result<Shape, E> {
        let mut shape = self.shape();
        for (place, size) in shape.sizes.iter_mut().zip(self.sizes) {
            let value = value(size)?;
            *place = if size.rule == Rule::Flag { (value != 0).into() } else { value };
        }
        Ok(shape)
    }
}

impl Shape {
    /// Its architecture.
    pub fn architecture(&self) -> &'static Architecture {
        self.architecture
    }

    /// The name of its architecture.
    pub fn name(&self) -> &'static str {
        self.architecture.name
    }

    /// A size by name.
    ///
    /// # Panics
    /// If the architecture has no such size.
    pub fn get(&self, name: &str) -> usize {
        self.find(name).expect("a size of the architecture") as usize
    }

    /// A size by name, if the architecture has it.
    pub fn find(&self, name: &str) -> Option<i64> {
        self.sizes().find_map(|(size, value)| (size.name == name).then_some(value))
    }

    /// The same with another size.
    ///
    /// # Panics
    /// If the architecture has no such size.
    pub fn with(mut self, name: &str, value: i64) -> Shape {
        assert!(self.set(name, value), "`{}` has no size `{name}`", self.name());
        self
    }

    /// Changes a size; whether the architecture has it.
    pub fn set(&mut self, name: &str, value: i64) -> bool {
        let place = self.architecture.sizes.iter().position(|size| size.name == name);
        place.inspect(|&place| self.sizes[place] = value).is_some()
    }

    /// Its sizes with their values, in the order of a file's header.
    pub fn sizes(&self) -> impl Iterator<Item = (&'static Size, i64)> {
        self.architecture.sizes.iter().zip(self.sizes)
    }

    /// Whether a network can have these sizes and scales.
    ///
    /// # Errors
    /// If not.
    pub fn check(&self) -> Result<(), NetworkError> {
        for (&Size { what, rule, .. }, value) in self.sizes() {
            if let Some(wanted) = rule.broken(value) {
                return Err(NetworkError::Shape { what, value, wanted });
            }
        }
        (self.architecture.check)(self)
    }

    /// The computation of a network of this shape.
    pub fn graph(&self) -> Graph {
        (self.architecture.graph)(self)
    }

    /// Its layers, from the inputs to the output.
    pub fn layers(&self) -> Vec<Layer> {
        self.graph().layers
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
        self.get(Size::SCALE.name) as i32
    }

    /// The same that evaluates all positions by the layers, as far as integers go.
    pub fn without_material_limit(mut self) -> Shape {
        self.set("material_limit", i16::MAX.into());
        self
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name(), (self.architecture.describe)(self))
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes = self.sizes().map(|(size, value)| (size.name, value));
        f.write_str(self.name())?;
        f.debug_map().entries(sizes).finish()
    }
}
