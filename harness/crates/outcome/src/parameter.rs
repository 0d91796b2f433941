//! A parameter that is tuned: its range, its scale, its step.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Share of the range that counts as one step where a parameter names none.
const DEFAULT_STEP: f64 = 1.0 / 20.0;

/// Values that a parameter may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Whole numbers.
    #[serde(rename = "int", alias = "integer")]
    Integer,
    /// All numbers.
    #[serde(rename = "float", alias = "real")]
    Real,
}

/// Scale of a parameter: the map from values to the unit interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Equal differences count equally.
    #[default]
    Linear,
    /// Equal ratios count equally; the range must be positive.
    Log,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name, as the engine calls it.
    pub name: String,
    /// Whole numbers or all.
    pub kind: Kind,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Value before tuning.
    pub start: f64,
    /// Step of a parameter: a change that a match might notice; fishtest's `c_end`.
    pub step: f64,
    /// How values are spread.
    #[serde(default)]
    pub scale: Scale,
    /// Whether it keeps its start value.
    #[serde(default)]
    pub fixed: bool,
}

impl Parameter {
    /// A parameter on a linear scale with a step of a twentieth of its range.
    pub fn new(name: String, kind: Kind, min: f64, max: f64, start: f64) -> Parameter {
        let step = (max - min) * DEFAULT_STEP;
        let step = if kind == Kind::Integer { step.max(1.0) } else { step };
        Parameter { name, kind, min, max, start, step, scale: Scale::Linear, fixed: false }
    }

    /// Where a value lies between `min` (0) and `max` (1).
    #[inline]
    pub fn to_unit(&self, value: f64) -> f64 {
        let value = value.clamp(self.min, self.max);
        match self.scale {
            Scale::Linear => (value - self.min) / (self.max - self.min),
            Scale::Log => (value / self.min).ln() / (self.max / self.min).ln(),
        }
    }

    /// The value at a place between `min` (0) and `max` (1); not rounded.
    #[inline]
    pub fn of_unit(&self, unit: f64) -> f64 {
        let unit = unit.clamp(0.0, 1.0);
        match self.scale {
            Scale::Linear => self.min + unit * (self.max - self.min),
            Scale::Log => self.min * (self.max / self.min).powf(unit),
        }
    }

    /// The nearest value that the parameter may take; halves go up.
    #[inline]
    pub fn rounded(&self, value: f64) -> f64 {
        let value = match self.kind {
            Kind::Integer => (value + 0.5).floor(),
            Kind::Real => value,
        };
        value.clamp(self.min, self.max)
    }

    /// Smallest difference in unit coordinates, near `unit`, that makes another value: one whole
    /// number for integers, nothing for reals.
    #[inline]
    pub fn resolution(&self, unit: f64) -> f64 {
        match (self.kind, self.scale) {
            (Kind::Real, _) => 0.0,
            (Kind::Integer, Scale::Linear) => 1.0 / (self.max - self.min),
            (Kind::Integer, Scale::Log) => {
                let value = self.of_unit(unit);
                ((value + 1.0) / value).ln() / (self.max / self.min).ln()
            }
        }
    }
}

/// Source of a parameter's step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepFrom {
    /// `step` in the experiment.
    Experiment,
    /// The list that the engine prints.
    Engine,
    /// A twentieth of the range, at least 1.
    Range,
}

impl fmt::Display for StepFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StepFrom::Experiment => "the experiment",
            StepFrom::Engine => "the engine's list",
            StepFrom::Range => "range / 20",
        })
    }
}
