//! The space of a tuning: parameters with ranges, and the unit cube that the tuners work in.

use std::collections::{BTreeMap, HashSet};

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use harness_outcome::parameter::{Bound, Kind, Parameter, Scale};
pub use harness_outcome::tuned::Candidate;

/// Valid parameters. Tuners see the free ones, each mapped to 0..1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Parameter>", into = "Vec<Parameter>")]
pub struct Space {
    parameters: Vec<Parameter>,
}

/// An invalid space.
#[derive(Clone, Debug, PartialEq, Error, Diagnostic)]
pub enum SpaceError {
    /// Nothing to tune.
    #[error("there is no parameter to tune")]
    #[diagnostic(help("name at least one parameter that is not fixed"))]
    Empty,
    /// A duplicate name.
    #[error("parameter `{0}` is given twice")]
    Twice(String),
    /// NaN or infinity: the parameter, and which of its numbers.
    #[error("parameter `{0}`: {1} is not a finite number")]
    NotFinite(String, &'static str),
    /// An empty range: the parameter and its bounds.
    #[error("parameter `{0}`: min {1} is not below max {2}")]
    #[diagnostic(help("give it a range, or set `fixed: true`"))]
    NoRange(String, f64, f64),
    /// The start is outside the bounds: the parameter, its start and its bounds.
    #[error("parameter `{0}`: start {1} is outside {2} to {3}")]
    StartOutside(String, f64, f64, f64),
    /// An integer with a fractional number: the parameter, which of its numbers, and its value.
    #[error("parameter `{0}` is an integer, but its {1} is {2}")]
    NotWhole(String, &'static str, f64),
    /// A step outside the range: the parameter, its step and its range.
    #[error("parameter `{0}`: step {1} is not between 0 and the range {2}")]
    Step(String, f64, f64),
    /// A log scale with a range that includes zero: the parameter and its smallest value.
    #[error("parameter `{0}`: a log scale needs a min above 0, not {1}")]
    LogOfNothing(String, f64),
}

/// Checks the range, the start and the step of a parameter.
///
/// # Errors
/// When one of them is not.
pub fn check(parameter: &Parameter) -> Result<(), SpaceError> {
    let name = parameter.name.clone();
    let numbers = [
        ("min", parameter.min),
        ("max", parameter.max),
        ("start", parameter.start),
        ("step", parameter.step),
    ];
    for (field, value) in numbers {
        if !value.is_finite() {
            return Err(SpaceError::NotFinite(name, field));
        }
        if parameter.kind == Kind::Integer && field != "step" && value.fract() != 0.0 {
            return Err(SpaceError::NotWhole(name, field, value));
        }
    }
    let Parameter { min, max, start, step, .. } = *parameter;
    if min > max || (min == max && !parameter.fixed) {
        return Err(SpaceError::NoRange(name, min, max));
    }
    if !(min..=max).contains(&start) {
        return Err(SpaceError::StartOutside(name, start, min, max));
    }
    let leads_somewhere = step > 0.0 && step <= max - min;
    if !parameter.fixed && !leads_somewhere {
        return Err(SpaceError::Step(name, step, max - min));
    }
    if parameter.scale == Scale::Log && min <= 0.0 {
        return Err(SpaceError::LogOfNothing(name, min));
    }
    Ok(())
}

impl Space {
    /// Checks the parameters.
    ///
    /// # Errors
    /// When a range, a start or a step is invalid, a name is given twice, or no parameter is free.
    pub fn new(parameters: Vec<Parameter>) -> Result<Space, SpaceError> {
        let mut names = HashSet::new();
        for parameter in &parameters {
            check(parameter)?;
            if !names.insert(parameter.name.as_str()) {
                return Err(SpaceError::Twice(parameter.name.clone()));
            }
        }
        if parameters.iter().all(|parameter| parameter.fixed) {
            return Err(SpaceError::Empty);
        }
        Ok(Space { parameters })
    }

    /// All parameters, the fixed ones too, in their order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The parameters that are tuned, in their order: the axes of the unit cube.
    pub fn free(&self) -> impl Iterator<Item = &Parameter> + Clone {
        self.parameters.iter().filter(|parameter| !parameter.fixed)
    }

    /// Number of parameters that are tuned.
    pub fn dimension(&self) -> usize {
        self.free().count()
    }

    /// The candidate before tuning.
    pub fn start(&self) -> Candidate {
        self.parameters.iter().map(|parameter| parameter.start).collect()
    }

    /// A candidate as UCI options.
    pub fn options(&self, candidate: &Candidate) -> BTreeMap<String, String> {
        let option = |(parameter, value): (&Parameter, &f64)| match parameter.kind {
            Kind::Integer => (parameter.name.clone(), format!("{value:.0}")),
            Kind::Real => (parameter.name.clone(), value.to_string()),
        };
        self.parameters.iter().zip(candidate).map(option).collect()
    }

    /// The bounds of the free parameters in the unit cube: 0 and 1, or beyond where a run has widened the
    /// range.
    pub fn unit_bounds(&self) -> impl Iterator<Item = [f64; 2]> {
        self.free().map(Parameter::unit_bounds)
    }

    /// The ranges of all parameters.
    pub fn ranges(&self) -> Vec<[f64; 2]> {
        self.parameters.iter().map(|parameter| [parameter.min, parameter.max]).collect()
    }

    /// The space with the ranges that a run has widened to; no ranges: as it was planned.
    pub fn with_ranges(&self, ranges: &[[f64; 2]]) -> Space {
        let wide = |(index, parameter): (usize, &Parameter)| match ranges.get(index) {
            Some(range) => parameter.with_range(*range),
            None => parameter.clone(),
        };
        Space { parameters: self.parameters.iter().enumerate().map(wide).collect() }
    }

    /// The start in the unit cube.
    pub fn start_unit(&self) -> Vec<f64> {
        self.free().map(|parameter| parameter.to_unit(parameter.start)).collect()
    }

    /// The place of a candidate in the unit cube.
    pub fn to_unit(&self, candidate: &[f64]) -> Vec<f64> {
        let both = self.parameters.iter().zip(candidate);
        both.filter(|(parameter, _)| !parameter.fixed)
            .map(|(parameter, &value)| parameter.to_unit(value))
            .collect()
    }

    /// The candidate nearest to a place in the unit cube: integers rounded, fixed ones at start.
    pub fn candidate(&self, unit: &[f64]) -> Candidate {
        let mut unit = unit.iter();
        let value = |parameter: &Parameter| {
            let place = if parameter.fixed { None } else { unit.next() };
            place.map_or(parameter.start, |&place| parameter.rounded(parameter.of_unit(place)))
        };
        self.parameters.iter().map(value).collect()
    }
}

impl TryFrom<Vec<Parameter>> for Space {
    type Error = SpaceError;

    fn try_from(parameters: Vec<Parameter>) -> Result<Space, SpaceError> {
        Space::new(parameters)
    }
}

impl From<Space> for Vec<Parameter> {
    fn from(space: Space) -> Vec<Parameter> {
        space.parameters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(name: &str, min: f64, max: f64, start: f64) -> Parameter {
        Parameter::new(name.to_owned(), Kind::Integer, min, max, start)
    }

    #[test]
    fn unit_coordinates_round_trip() {
        let log = Parameter {
            scale: Scale::Log,
            ..Parameter::new("rate".into(), Kind::Real, 0.01, 100.0, 1.0)
        };
        assert!((log.to_unit(1.0) - 0.5).abs() < 1e-12);
        assert!((log.of_unit(0.75) - 10.0).abs() < 1e-9);
        let whole = integer("margin", -50.0, 150.0, 0.0);
        assert_eq!(whole.to_unit(50.0), 0.5);
        assert_eq!(whole.rounded(whole.of_unit(0.5024)), 50.0);
        assert_eq!(whole.rounded(whole.of_unit(0.5026)), 51.0);
    }

    #[test]
    fn a_fixed_parameter_uses_no_coordinate() {
        let fixed = Parameter { fixed: true, ..integer("b", 0.0, 10.0, 7.0) };
        let space =
            Space::new(vec![integer("a", 0.0, 10.0, 1.0), fixed, integer("c", 0.0, 100.0, 50.0)])
                .unwrap();
        assert_eq!(space.dimension(), 2);
        assert_eq!(space.candidate(&[1.0, 0.25]), [10.0, 7.0, 25.0]);
        assert_eq!(space.to_unit(&[10.0, 7.0, 25.0]), [1.0, 0.25]);
        assert_eq!(space.candidate(&space.start_unit()), space.start());
    }

    #[test]
    fn invalid_spaces_are_refused() {
        let good = integer("a", 0.0, 10.0, 1.0);
        let wrong = [
            Parameter { min: 20.0, ..good.clone() },
            Parameter { start: 11.0, ..good.clone() },
            Parameter { step: 0.0, ..good.clone() },
            Parameter { step: 11.0, ..good.clone() },
            Parameter { start: f64::NAN, ..good.clone() },
            Parameter { start: 1.5, ..good.clone() },
            Parameter { scale: Scale::Log, ..good.clone() },
            Parameter { fixed: true, ..good.clone() },
        ];
        for parameter in wrong {
            assert!(Space::new(vec![parameter.clone()]).is_err(), "{parameter:?}");
        }
        assert_eq!(
            Space::new(vec![good.clone(), good]).unwrap_err(),
            SpaceError::Twice("a".to_owned())
        );
    }
}
