//! Synthetic landscapes of playing strength with a known optimum, and the games played on them.
//!
//! They benchmark tuners: the strength of a candidate is known exactly, and a hundred thousand
//! games take a moment. The model of a game pair has a draw rate, opening biases and a correlation
//! within the pair as engines have them with unbalanced openings.

use std::borrow::Cow;
use std::path::PathBuf;

use miette::Diagnostic;
use rand::Rng;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::space::{Candidate, Kind, Parameter, Space, SpaceError};
use harness_stats::Pentanomial;

/// The built-in landscapes.
const BUILT_IN: &str = include_str!("landscapes.json");

/// A set of landscapes with the model of the games played on them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Landscapes {
    /// How differences of strength become results.
    pub model: DrawModel,
    /// The landscapes.
    pub landscapes: Vec<Landscape>,
}

/// The strength of every candidate of a synthetic engine, 0 Elo at the optimum.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Landscape {
    /// Its name.
    pub name: String,
    /// Loss, in Elo, at which the quadratic bowl becomes a cone.
    #[serde(rename = "S")]
    pub softening: f64,
    /// The most Elo that the bowl loses, which it approaches far away; 0: without limit.
    #[serde(default)]
    pub ceiling: f64,
    /// One axis a parameter.
    pub params: Vec<Axis>,
    /// Pairs of parameters that interact.
    #[serde(default)]
    pub interactions: Vec<Interaction>,
    /// The loss as a quadratic form of the distances, in place of `k` and the interactions: the
    /// rows of a symmetric matrix. Empty: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub form: Vec<Vec<f64>>,
    /// Further optima.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Optimum>,
    /// Values beyond which the engine breaks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cliffs: Vec<Cliff>,
    /// Elo of the best candidate in the ranges: below 0 where the optimum is outside.
    #[serde(default)]
    pub best: f64,
    /// Change of the draw range across the first parameter's range, as a share.
    #[serde(default)]
    pub draw_slope: f64,
}

/// A local optimum beside the global one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Optimum {
    /// Its values.
    pub place: Vec<f64>,
    /// Elo below the global optimum.
    pub below: f64,
    /// Curvature relative to the global optimum's.
    pub curvature: f64,
}

/// A value beyond which an engine breaks.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Cliff {
    /// The parameter's index.
    pub parameter: usize,
    /// The value.
    pub value: f64,
    /// Whether the larger values are the broken ones.
    pub above: bool,
    /// Elo lost beyond it.
    pub drop: f64,
}

/// One parameter of a landscape.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Whether only integers are allowed.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Value before tuning.
    pub start: f64,
    /// Best value.
    pub opt: f64,
    /// Curvature: Elo lost at a whole range from the optimum if the loss were quadratic.
    pub k: f64,
    /// Asymmetry: steepness of one side relative to the other.
    #[serde(default)]
    pub skew: f64,
    /// Factors of the distance below the optimum and above it: `[1, 0]` only hurts below.
    #[serde(default = "same_sides")]
    pub sides: [f64; 2],
    /// Half-width, in ranges, of the plateau around the optimum.
    #[serde(default)]
    pub dead: f64,
    /// Shift of the optimum with the square of another parameter.
    #[serde(default)]
    pub bend: f64,
    /// The parameter that bends this one; -1 for none.
    #[serde(default = "no_bend")]
    pub bend_from: i64,
}

/// A correlation between two parameters of a landscape.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Interaction {
    /// The one parameter's index.
    pub i: usize,
    /// The other's.
    pub j: usize,
    /// Correlation, -1 to 1.
    pub rho: f64,
}

/// Model of game pair results from a difference of strength.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DrawModel {
    /// Half-width of the draw range, in Elo (BayesElo's `drawelo`).
    pub drawelo: f64,
    /// Advantages of White in the openings, in Elo.
    pub bias: Vec<f64>,
    /// Frequencies of the biases.
    pub bias_p: Vec<f64>,
    /// Scales Elo so that the derivative at equality is that of logistic Elo.
    pub scale: f64,
}

/// An invalid file of landscapes.
#[derive(Debug, Error, Diagnostic)]
pub enum LandscapeError {
    /// The file cannot be read.
    #[error("cannot read landscapes from {}: {}", .0.display(), .1)]
    Read(PathBuf, #[source] std::io::Error),
    /// The file (or its description) is not a file of landscapes.
    #[error("{0} is not a file of landscapes: {1}")]
    #[diagnostic(help("`landscapes.json` is one; its `doc` describes the fields"))]
    Parse(String, #[source] serde_json::Error),
    /// An invalid landscape: its name and the reason.
    #[error("landscape `{0}`: {1}")]
    Nonsense(String, String),
    /// A landscape with invalid parameters: its name and the reason.
    #[error("landscape `{0}`: {1}")]
    Space(String, #[source] SpaceError),
}

fn no_bend() -> i64 {
    -1
}

fn same_sides() -> [f64; 2] {
    [1.0; 2]
}

impl Landscapes {
    /// The landscapes that come with the harness.
    pub fn built_in() -> Landscapes {
        Landscapes::parse(BUILT_IN, "landscapes.json")
            .expect("a test reads the landscapes that are compiled in")
    }

    /// Reads landscapes from a file.
    ///
    /// # Errors
    /// When the file cannot be read or is invalid.
    pub fn read(path: &std::path::Path) -> Result<Landscapes, LandscapeError> {
        let text = harness_base::input::read_text(path)
            .map_err(|source| LandscapeError::Read(path.to_owned(), source))?;
        Landscapes::parse(&text, &path.display().to_string())
    }

    /// Reads landscapes from JSON; `origin` is for error messages.
    ///
    /// # Errors
    /// When the text is invalid.
    pub fn parse(text: &str, origin: &str) -> Result<Landscapes, LandscapeError> {
        let landscapes: Landscapes = serde_json::from_str(text)
            .map_err(|source| LandscapeError::Parse(origin.to_owned(), source))?;
        landscapes.model.check()?;
        landscapes.landscapes.iter().try_for_each(Landscape::check)?;
        Ok(landscapes)
    }
}

impl Landscape {
    /// Strength of a candidate in Elo: 0 at the optimum, negative elsewhere.
    ///
    /// Defined in the `doc` of `landscapes.json`: dead zone, skew and bend turn the distance
    /// from the optimum into `y`, the loss near the optimum is a quadratic form of `y`, and a
    /// pseudo-Huber function makes it linear far away.
    pub fn elo(&self, values: &[f64]) -> f64 {
        let distance = |axis: &Axis, value: f64, opt: f64| axis.distance(value, opt);
        let global: Vec<f64> = self
            .params
            .iter()
            .zip(values)
            .map(|(axis, &value)| distance(axis, value, axis.opt))
            .collect();
        let mut elo = -self.softened(self.loss(&global));
        for other in &self.others {
            let from: Vec<f64> = self
                .params
                .iter()
                .zip(values)
                .zip(&other.place)
                .map(|((axis, &value), &opt)| distance(axis, value, opt))
                .collect();
            elo = elo.max(-other.below - self.softened(other.curvature * self.loss(&from)));
        }
        for cliff in &self.cliffs {
            let value = values[cliff.parameter];
            if (value > cliff.value) == cliff.above && value != cliff.value {
                elo -= cliff.drop;
            }
        }
        elo
    }

    /// Elo that a candidate lacks to the best one in the ranges.
    pub fn gap(&self, values: &[f64]) -> f64 {
        self.best - self.elo(values)
    }

    /// The best candidate in the ranges, by coordinate search from the clamped optimum.
    pub fn optimum(&self) -> Candidate {
        let mut values: Candidate =
            self.params.iter().map(|axis| axis.opt.clamp(axis.min, axis.max)).collect();
        let mut top = self.elo(&values);
        let mut step = 0.1;
        while top < 0.0 && step > 1e-4 {
            let before = top;
            for (i, axis) in self.params.iter().enumerate() {
                for way in [-step, step] {
                    let by = match (axis.kind, way * (axis.max - axis.min)) {
                        (Kind::Integer, by) => by.signum() * by.abs().max(1.0).round(),
                        (Kind::Real, by) => by,
                    };
                    let old = values[i];
                    values[i] = (old + by).clamp(axis.min, axis.max);
                    match self.elo(&values) {
                        elo if elo > top => top = elo,
                        _ => values[i] = old,
                    }
                }
            }
            if top - before < 1e-6 {
                step *= 0.5;
            }
        }
        values
    }

    /// Whether the optimum of a parameter is a single value.
    pub fn is_unique(&self, parameter: usize) -> bool {
        let axis = &self.params[parameter];
        let curvature = self.form.get(parameter).map_or(axis.k, |row| row[parameter]);
        axis.dead == 0.0 && curvature > 0.0 && !axis.sides.contains(&0.0)
    }

    /// The draw model of games between two candidates, where it depends on the place.
    pub fn draw_model(
        &self,
        model: &DrawModel,
        first: &[f64],
        second: &[f64],
    ) -> Option<DrawModel> {
        let axis = self.params.first().filter(|_| self.draw_slope != 0.0)?;
        let middle = (0.5 * (first[0] + second[0]) - axis.min) / (axis.max - axis.min);
        let drawelo = model.drawelo * (1.0 + self.draw_slope * (middle - 0.5));
        Some(DrawModel { drawelo, ..model.clone() })
    }

    /// A pseudo-Huber function: quadratic near 0, linear far away; below the ceiling, if there is one.
    fn softened(&self, loss: f64) -> f64 {
        let loss = self.softening * ((1.0 + 2.0 * loss / self.softening).max(0.0).sqrt() - 1.0);
        if self.ceiling > 0.0 { self.ceiling * -(-loss / self.ceiling).exp_m1() } else { loss }
    }

    /// The quadratic form of the distances from an optimum, bent valleys included.
    fn loss(&self, distance: &[f64]) -> f64 {
        let y: Vec<f64> = self
            .params
            .iter()
            .zip(distance)
            .map(|(axis, w)| match usize::try_from(axis.bend_from) {
                Ok(from) => w + axis.bend * distance[from].powi(2),
                Err(_) => *w,
            })
            .collect();
        let form = self.quadratic_form();
        let rows = form.iter().zip(&y);
        rows.map(|(row, y_i)| y_i * row.iter().zip(&y).map(|(f, y_j)| f * y_j).sum::<f64>()).sum()
    }

    /// The loss near the optimum as a quadratic form of the distances, in Elo a squared range.
    pub fn quadratic_form(&self) -> Cow<'_, [Vec<f64>]> {
        if !self.form.is_empty() {
            return Cow::Borrowed(&self.form);
        }
        let count = self.params.len();
        let mut form = vec![vec![0.0; count]; count];
        for (i, axis) in self.params.iter().enumerate() {
            form[i][i] = axis.k;
        }
        for &Interaction { i, j, rho } in &self.interactions {
            let shared = rho * (self.params[i].k * self.params[j].k).sqrt();
            form[i][j] += shared;
            form[j][i] += shared;
        }
        Cow::Owned(form)
    }

    /// The space of its parameters, without the optimum.
    ///
    /// # Errors
    /// When a range is invalid.
    pub fn space(&self) -> Result<Space, SpaceError> {
        let parameter = |axis: &Axis| {
            Parameter::new(axis.name.clone(), axis.kind, axis.min, axis.max, axis.start)
        };
        Space::new(self.params.iter().map(parameter).collect())
    }

    fn check(&self) -> Result<(), LandscapeError> {
        let wrong = |reason: String| Err(LandscapeError::Nonsense(self.name.clone(), reason));
        let count = self.params.len();
        self.space().map_err(|source| LandscapeError::Space(self.name.clone(), source))?;
        if !(self.softening.is_finite() && self.softening > 0.0) {
            return wrong(format!("S is {}, but must be above 0", self.softening));
        }
        if !(self.ceiling.is_finite() && self.ceiling >= 0.0) {
            return wrong(format!("ceiling is {}, but must not be negative", self.ceiling));
        }
        for axis in &self.params {
            let shape = [axis.opt, axis.k, axis.skew, axis.dead, axis.bend];
            if shape.iter().any(|number| !number.is_finite()) || axis.k < 0.0 || axis.dead < 0.0 {
                return wrong(format!("parameter `{}` has no minimum", axis.name));
            }
            if axis.sides.iter().any(|side| !side.is_finite() || *side < 0.0) {
                return wrong(format!("parameter `{}` has a negative side", axis.name));
            }
            if axis.bend_from >= count as i64 {
                return wrong(format!("parameter `{}` is bent by none of the {count}", axis.name));
            }
        }
        for &Interaction { i, j, rho } in &self.interactions {
            if i >= count || j >= count || i == j || !(-1.0..=1.0).contains(&rho) {
                return wrong(format!("interaction {{i: {i}, j: {j}, rho: {rho}}} is none"));
            }
        }
        Ok(())
    }
}

impl Axis {
    /// Distance from an optimum in ranges, with plateau and skew.
    fn distance(&self, value: f64, opt: f64) -> f64 {
        let value = value.clamp(self.min, self.max);
        let value = match self.kind {
            Kind::Integer => (value + 0.5).floor(),
            Kind::Real => value,
        };
        let [below, above] = self.sides;
        let side = if value < opt { below } else { above };
        let distance = side * (value - opt) / (self.max - self.min);
        let v = distance.signum() * (distance.abs() - self.dead).max(0.0);
        v * (1.0 + self.skew * v)
    }
}

impl DrawModel {
    /// Probabilities of the pair scores 0, ½, 1, 1½, 2 of a player that is `difference` Elo better.
    ///
    /// The game model of BayesElo (R. Coulom): a draw is the range between two logistic curves
    /// shifted by `drawelo` to either side.
    pub fn chances(&self, difference: f64) -> [f64; 5] {
        let win = |elo: f64| 1.0 / (1.0 + 10f64.powf(-elo / 400.0));
        let delta = self.scale * difference;
        let mut chances = [0.0; 5];
        for (&bias, &share) in self.bias.iter().zip(&self.bias_p) {
            let game = |advantage: f64| {
                let won = win(advantage - self.drawelo);
                let lost = win(-advantage - self.drawelo);
                [lost, 1.0 - won - lost, won]
            };
            let white = game(delta + bias);
            let black = game(delta - bias);
            for (i, first) in white.iter().enumerate() {
                for (j, second) in black.iter().enumerate() {
                    chances[i + j] += share * first * second;
                }
            }
        }
        chances
    }

    /// Expected score of a player who is `difference` Elo stronger.
    pub fn score(&self, difference: f64) -> f64 {
        let of_pair = self.chances(difference).into_iter().enumerate();
        of_pair.map(|(quarters, chance)| quarters as f64 / 4.0 * chance).sum()
    }

    /// Share of draws among the games of equal engines.
    pub fn draw_rate(&self) -> f64 {
        let win = |elo: f64| 1.0 / (1.0 + 10f64.powf(-elo / 400.0));
        let drawn = |bias: f64| 1.0 - win(bias - self.drawelo) - win(-bias - self.drawelo);
        self.bias.iter().zip(&self.bias_p).map(|(&bias, share)| share * drawn(bias)).sum()
    }

    /// Plays `pairs` game pairs of a player that is `difference` Elo better.
    pub fn play(&self, difference: f64, pairs: u64, random: &mut impl Rng) -> Pentanomial {
        let chances = self.chances(difference);
        let mut counts = [0; 5];
        for _ in 0..pairs {
            let mut left: f64 = random.random();
            let score = chances.iter().position(|chance| {
                left -= chance;
                left < 0.0
            });
            counts[score.unwrap_or(4)] += 1;
        }
        Pentanomial(counts)
    }

    fn check(&self) -> Result<(), LandscapeError> {
        let total: f64 = self.bias_p.iter().sum();
        let numbers = [self.drawelo, self.scale].into_iter().chain(self.bias.iter().copied());
        if self.bias.len() != self.bias_p.len()
            || (total - 1.0).abs() > 1e-9
            || self.bias_p.iter().any(|share| *share < 0.0)
            || numbers.into_iter().any(|number| !number.is_finite())
            || self.drawelo < 0.0
        {
            let reason = "drawelo, bias and bias_p are no valid model of draws: bias_p must add up \
                          to 1, one share a bias, drawelo must not be negative";
            return Err(LandscapeError::Nonsense("model".to_owned(), reason.to_owned()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use harness_stats::random;

    fn document() -> Value {
        serde_json::from_str(BUILT_IN).unwrap()
    }

    fn numbers(value: &Value) -> Vec<f64> {
        value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
    }

    #[test]
    fn the_landscapes_agree_with_their_check_vectors() {
        let landscapes = Landscapes::built_in();
        assert_eq!(landscapes.landscapes.len(), 3);
        let document = document();
        for (landscape, json) in
            landscapes.landscapes.iter().zip(document["landscapes"].as_array().unwrap())
        {
            for check in json["check"].as_array().unwrap() {
                let elo = landscape.elo(&numbers(&check["x"]));
                assert!((elo - check["elo"].as_f64().unwrap()).abs() < 1e-9, "{}", landscape.name);
            }
            let optimum: Vec<f64> = landscape.params.iter().map(|axis| axis.opt).collect();
            let start: Vec<f64> = landscape.params.iter().map(|axis| axis.start).collect();
            assert_eq!(landscape.elo(&optimum), 0.0);
            let gap = json["start_gap"].as_f64().unwrap();
            assert!((landscape.elo(&start) + gap).abs() < 1.0, "{}", landscape.name);
        }
    }

    #[test]
    fn the_draw_model_agrees_with_its_check_vectors() {
        let model = Landscapes::built_in().model;
        for check in document()["check_penta"].as_array().unwrap() {
            let chances = model.chances(check["D"].as_f64().unwrap());
            for (chance, expected) in chances.iter().zip(numbers(&check["p"])) {
                assert!((chance - expected).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn simulated_games_have_the_frequencies_of_the_model() {
        let model = Landscapes::built_in().model;
        let counts = model.play(-20.0, 100_000, &mut random::stream("test", 1, 1));
        for (count, chance) in counts.0.iter().zip(model.chances(-20.0)) {
            assert!((*count as f64 / 1e5 - chance).abs() < 0.006, "{counts:?}");
        }
    }

    #[test]
    fn a_ceiling_bounds_the_loss_and_a_flat_side_has_none() {
        let mut two = Landscapes::built_in().landscapes.swap_remove(0);
        two.interactions.clear();
        two.params[0] = Axis { bend_from: -1, sides: [1.0, 0.0], ..two.params[0].clone() };
        let [first, second] = [two.params[0].opt, two.params[1].opt];
        assert_eq!(two.elo(&[first + 100.0, second]), 0.0);
        let below = two.elo(&[0.0, second]);
        two.ceiling = 5.0;
        let bounded = two.elo(&[0.0, second]);
        assert!(below < -10.0 && bounded < -4.0 && bounded > -5.0, "{below} {bounded}");
        assert!(!two.is_unique(0) && two.is_unique(0) == two.is_unique(1));
    }

    #[test]
    fn an_invalid_landscape_is_refused() {
        for (pointer, value) in [
            ("/landscapes/0/S", 0.0_f64),
            ("/landscapes/0/ceiling", -1.0),
            ("/landscapes/0/params/0/sides/1", -1.0),
            ("/landscapes/0/params/0/k", -1.0),
            ("/landscapes/0/params/0/min", 500.0),
            ("/landscapes/0/params/0/bend_from", 7.0),
            ("/landscapes/0/interactions/0/rho", 1.5),
            ("/model/bias_p/0", 0.5),
        ] {
            let mut wrong = document();
            wrong["landscapes"][0]["ceiling"] = Value::from(0);
            wrong["landscapes"][0]["params"][0]["sides"] = Value::from(vec![1, 1]);
            *wrong.pointer_mut(pointer).unwrap() =
                if value.fract() == 0.0 { Value::from(value as i64) } else { Value::from(value) };
            assert!(Landscapes::parse(&wrong.to_string(), "test").is_err(), "{pointer}");
        }
    }
}
