//! A parameter that is tuned: its range, its scale, its step.

use std::fmt;
use std::ops::Not;

use serde::{Deserialize, Serialize};

/// Share of the range that counts as one step where a parameter names none.
const DEFAULT_STEP: f64 = 1.0 / 20.0;
/// Share of the range within which a value stands at a bound: the average of a path that ends there
/// does not reach it.
const AT_BOUND: f64 = 0.01;
/// Share of the planned range by which a range is widened.
const WIDENING: f64 = 0.5;

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

/// An end of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The smallest value.
    Lower,
    /// The largest value.
    Upper,
}

/// The mark of a value that stands at a bound: `▲` at the largest, `▼` at the smallest, nothing at none.
pub fn bound_mark(bound: Option<Bound>) -> &'static str {
    match bound {
        Some(Bound::Upper) => "▲",
        Some(Bound::Lower) => "▼",
        None => "",
    }
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
    /// Range that the engine declares, which no run leaves; `None`: `min` to `max`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<[f64; 2]>,
    /// Whether a run may widen the range, as far as the engine declares.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub widen: bool,
    /// The range before a run widened it, which the unit interval maps all the same: places of
    /// earlier results stay valid. `None`: `min` to `max`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<[f64; 2]>,
}

impl Parameter {
    /// A parameter on a linear scale with a step of a twentieth of its range.
    pub fn new(name: String, kind: Kind, min: f64, max: f64, start: f64) -> Parameter {
        let step = (max - min) * DEFAULT_STEP;
        let step = if kind == Kind::Integer { step.max(1.0) } else { step };
        Parameter {
            name,
            kind,
            min,
            max,
            start,
            step,
            scale: Scale::Linear,
            fixed: false,
            declared: None,
            widen: false,
            planned: None,
        }
    }

    /// The range that the unit interval maps.
    #[inline]
    fn unit_range(&self) -> [f64; 2] {
        self.planned.unwrap_or([self.min, self.max])
    }

    /// Coordinates of `min` and `max`: 0 and 1, or beyond where a run has widened the range.
    #[inline]
    pub fn unit_bounds(&self) -> [f64; 2] {
        match self.planned {
            None => [0.0, 1.0],
            Some(_) => [self.min, self.max].map(|bound| self.to_unit(bound)),
        }
    }

    /// Where a value lies between `min` (0) and `max` (1), before any widening.
    #[inline]
    pub fn to_unit(&self, value: f64) -> f64 {
        let value = value.clamp(self.min, self.max);
        let [low, high] = self.unit_range();
        match self.scale {
            Scale::Linear => (value - low) / (high - low),
            Scale::Log => (value / low).ln() / (high / low).ln(),
        }
    }

    /// The value at a place between `min` (0) and `max` (1), before any widening; not rounded.
    #[inline]
    pub fn of_unit(&self, unit: f64) -> f64 {
        let [first, last] = self.unit_bounds();
        let unit = unit.clamp(first, last);
        let [low, high] = self.unit_range();
        match self.scale {
            Scale::Linear => low + unit * (high - low),
            Scale::Log => low * (high / low).powf(unit),
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
            (Kind::Integer, Scale::Linear) => {
                let [low, high] = self.unit_range();
                1.0 / (high - low)
            }
            (Kind::Integer, Scale::Log) => {
                let value = self.of_unit(unit);
                let [low, high] = self.unit_range();
                ((value + 1.0) / value).ln() / (high / low).ln()
            }
        }
    }

    /// The bound that a value stands at, or within a hundredth of the range. `None` of a switch, whose
    /// two values are the bounds that the engine declares.
    pub fn bound_at(&self, value: f64) -> Option<Bound> {
        let is_switch = self.kind == Kind::Integer && self.max - self.min <= 1.0;
        if is_switch && self.declared.is_none_or(|declared| declared == [self.min, self.max]) {
            return None;
        }
        let [low, high] = self.unit_bounds();
        let place = self.to_unit(value);
        let near = AT_BOUND * (high - low);
        let rounded = self.rounded(value);
        match (
            rounded == self.min || place <= low + near,
            rounded == self.max || place >= high - near,
        ) {
            (true, true) if place - low <= high - place => Some(Bound::Lower),
            (_, true) => Some(Bound::Upper),
            (true, false) => Some(Bound::Lower),
            (false, false) => None,
        }
    }

    /// The value at a bound.
    pub fn bound(&self, bound: Bound) -> f64 {
        match bound {
            Bound::Lower => self.min,
            Bound::Upper => self.max,
        }
    }

    /// The farthest value on that side that the engine takes; `None` if it declares no range.
    pub fn declared_bound(&self, bound: Bound) -> Option<f64> {
        self.declared.map(|[low, high]| match bound {
            Bound::Lower => low,
            Bound::Upper => high,
        })
    }

    /// The parameter with its range widened at a bound by half of the planned range, as far as the engine
    /// declares. `None` where that is not allowed, or nothing is left to widen.
    pub fn widened(&self, bound: Bound) -> Option<Parameter> {
        let limit = self.declared_bound(bound).filter(|_| self.widen && !self.fixed)?;
        let [low, high] = self.unit_range();
        let old = self.bound(bound);
        let sign = if bound == Bound::Lower { -1.0 } else { 1.0 };
        let moved = match self.scale {
            Scale::Linear => old + sign * WIDENING * (high - low),
            Scale::Log => old * (high / low).powf(sign * WIDENING),
        };
        let moved = match self.kind {
            Kind::Integer => old + sign * (moved - old).abs().ceil(),
            Kind::Real => moved,
        };
        let planned = Some([low, high]);
        let wide = match bound {
            // A log scale of integers ends at 1.
            Bound::Lower if self.scale == Scale::Log && self.kind == Kind::Integer => {
                Parameter { min: moved.max(limit).max(1.0), planned, ..self.clone() }
            }
            Bound::Lower => Parameter { min: moved.max(limit), planned, ..self.clone() },
            Bound::Upper => Parameter { max: moved.min(limit), planned, ..self.clone() },
        };
        (wide.bound(bound) != old).then_some(wide)
    }

    /// The parameter with the range that a run has widened to.
    pub fn with_range(&self, [min, max]: [f64; 2]) -> Parameter {
        let planned = self.unit_range();
        let is_wider = planned != [min, max];
        Parameter { min, max, planned: is_wider.then_some(planned), ..self.clone() }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(kind: Kind, [min, max]: [f64; 2], declared: [f64; 2]) -> Parameter {
        let plain = Parameter::new("margin".to_owned(), kind, min, max, min);
        Parameter { declared: Some(declared), widen: true, ..plain }
    }

    #[test]
    fn a_value_at_the_end_of_its_range_stands_at_a_bound() {
        use Bound::{Lower, Upper};
        use Kind::{Integer, Real};
        for (kind, range, value, bound) in [
            (Integer, [0.0, 200.0], 0.0, Some(Lower)),
            (Integer, [0.0, 200.0], 2.0, Some(Lower)),
            (Integer, [0.0, 200.0], 3.0, None),
            (Integer, [0.0, 200.0], 199.6, Some(Upper)),
            (Integer, [1.0, 5.0], 4.4, None),
            (Integer, [1.0, 5.0], 4.6, Some(Upper)),
            (Integer, [3.0, 4.0], 3.4, Some(Lower)),
            (Integer, [3.0, 4.0], 3.6, Some(Upper)),
            (Real, [0.0, 1.0], 0.995, Some(Upper)),
            (Real, [0.0, 1.0], 0.98, None),
        ] {
            let wide = [range[0] - 10.0, range[1] + 10.0];
            assert_eq!(parameter(kind, range, wide).bound_at(value), bound, "{range:?} {value}");
        }
        // A switch has no other values.
        assert_eq!(parameter(Integer, [0.0, 1.0], [0.0, 1.0]).bound_at(1.0), None);
    }

    #[test]
    fn a_range_is_widened_as_far_as_the_engine_declares_and_places_stay() {
        let mut margin = parameter(Kind::Integer, [50.0, 151.0], [0.0, 230.0]);
        let place = margin.to_unit(100.0);
        for (bound, range) in [
            (Bound::Upper, [50.0, 202.0]),
            (Bound::Lower, [0.0, 202.0]),
            (Bound::Upper, [0.0, 230.0]),
        ] {
            margin = margin.widened(bound).expect("room");
            assert_eq!([margin.min, margin.max], range);
            assert_eq!(margin.to_unit(100.0), place);
            let [low, high] = margin.unit_bounds();
            assert_eq!([margin.of_unit(low), margin.of_unit(high)], range);
            assert_eq!([margin.of_unit(-9.0), margin.of_unit(9.0)], range);
        }
        assert_eq!((margin.widened(Bound::Lower), margin.widened(Bound::Upper)), (None, None));
        let planned = parameter(Kind::Integer, [50.0, 151.0], [0.0, 230.0]);
        assert_eq!(planned.with_range([0.0, 230.0]), margin);
        assert_eq!(planned.with_range([50.0, 151.0]), planned);
    }

    #[test]
    fn a_log_range_is_widened_by_ratios_and_stays_positive() {
        let rate =
            Parameter { scale: Scale::Log, ..parameter(Kind::Real, [1.0, 100.0], [0.0, 500.0]) };
        assert_eq!(rate.widened(Bound::Lower).expect("room").min, 0.1);
        assert_eq!(rate.widened(Bound::Upper).expect("room").max, 500.0);
        let whole =
            Parameter { scale: Scale::Log, ..parameter(Kind::Integer, [4.0, 64.0], [0.0, 500.0]) };
        assert_eq!(whole.widened(Bound::Lower).expect("room").min, 1.0);
        let one = Parameter { min: 1.0, planned: Some([4.0, 64.0]), ..whole };
        assert_eq!(one.widened(Bound::Lower), None);
    }

    #[test]
    fn nothing_is_widened_without_leave() {
        let free = parameter(Kind::Integer, [0.0, 10.0], [0.0, 20.0]);
        for other in [
            Parameter { widen: false, ..free.clone() },
            Parameter { fixed: true, ..free.clone() },
            Parameter { declared: None, ..free.clone() },
        ] {
            assert_eq!(other.widened(Bound::Upper), None);
        }
        assert!(free.widened(Bound::Upper).is_some() && free.widened(Bound::Lower).is_none());
    }
}
