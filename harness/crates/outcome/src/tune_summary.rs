//! The result of a tuning run, as `--json` prints it, and its path.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::MatchSummary;
use super::parameter::{Bound, Parameter, bound_mark};
use super::tuned::Dependence;
use super::tuned::{Effect, Finding, Gain, Recommendation};
use super::workers::TakenOut;
use harness_stats::Verdict;

/// Name of the method that estimates effects and tunes nothing.
pub const SCREEN: &str = "screen";

/// The result of a tuning run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TuneSummary {
    /// Name of the method.
    pub method: String,
    /// Name of the engine.
    pub engine: String,
    /// Limit of a search.
    pub limit: String,
    /// Nodes a second of the linked engine on one core that the workers' time limits were scaled
    /// to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_nps: Option<f64>,
    /// Workers whose results were taken out, and played again by others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken_out: Vec<TakenOut>,
    /// Games played.
    pub games: u64,
    /// Pairs not counted: an engine crashed or hung.
    pub void_pairs: u64,
    /// Share of drawn pairs.
    pub draw_ratio: Option<f64>,
    /// The values before, as UCI options.
    pub start: BTreeMap<String, String>,
    /// The values to use, as UCI options: those found, or the start's as long as the found ones are
    /// not shown to be better.
    pub best: BTreeMap<String, String>,
    /// The values found, as UCI options; empty in a run of an earlier version, where they are `best`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub candidate: BTreeMap<String, String>,
    /// Evidence for the values found; `None` in a run of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Finding>,
    /// Expected gain of the values found on the start, by games against it.
    pub gain: Option<Gain>,
    /// Expected Elo that the best values in the ranges are above the values found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<f64>,
    /// Elo of these that as many games again are expected to gain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain_of_twice: Option<f64>,
    /// Parameters that were found not to matter during the run, and keep their start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frozen: Vec<String>,
    /// A line a parameter.
    pub parameters: Vec<ParameterSummary>,
    /// Whether all pairs were equal, so that no change of a parameter has changed a result.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_effect: bool,
    /// Parameters whose values changed no search before the first game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_effect: Vec<String>,
    /// Effects of the parameters around the start; of a screening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<Vec<Effect>>,
    /// Games played at each point of the parameters' paths.
    pub steps: Vec<u64>,
    /// The match of the result against the start.
    pub validation: Option<MatchSummary>,
    /// The network with the values found, where they are offsets of its output layer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// Wall time of playing, without the validation.
    pub seconds: f64,
    /// The run's id.
    pub run: String,
}

impl TuneSummary {
    /// The parameters that were tuned, with their places in the summary; of more than `most` those that
    /// moved farthest in their ranges.
    pub fn tuned(&self, most: usize) -> Vec<(usize, &ParameterSummary)> {
        let all = self.parameters.iter().enumerate();
        let mut tuned: Vec<_> = all.filter(|(_, parameter)| !parameter.fixed).collect();
        if tuned.len() > most {
            tuned.sort_by(|(_, a), (_, b)| b.movement().total_cmp(&a.movement()));
            tuned.truncate(most);
            tuned.sort_by_key(|(index, _)| *index);
        }
        tuned
    }

    /// Number of parameters that were tuned.
    pub fn tuned_count(&self) -> usize {
        self.parameters.iter().filter(|parameter| !parameter.fixed).count()
    }

    /// Whether the run was a screening, which recommends no values.
    pub fn is_screening(&self) -> bool {
        self.effects.is_some() || self.method == SCREEN
    }

    /// Evidence for the values found, by the tuner's games and by the validation.
    pub fn finding(&self) -> Finding {
        // An earlier version offered whatever it found.
        let by_tuner = self.verdict.unwrap_or_else(|| match self.gain {
            _ if self.start == self.best => Finding::Start,
            Some(gain) => Finding::from_gain(gain),
            None => Finding::TooFew,
        });
        match &self.validation {
            Some(validation) if by_tuner == Finding::Better => validated(validation),
            Some(validation)
                if by_tuner != Finding::Start && validation.verdict == Some(Verdict::Accepted) =>
            {
                Finding::Better
            }
            _ => by_tuner,
        }
    }

    /// Recommends the start where the validation rejects the values found.
    pub fn decide(&mut self) {
        // A screening recommends nothing.
        if self.effects.is_some() {
            self.verdict = None;
            return;
        }
        let finding = self.finding();
        self.verdict = Some(finding);
        // An earlier version had the values found as the best ones.
        if self.candidate.is_empty() {
            self.candidate = self.best.clone();
        }
        for parameter in &mut self.parameters {
            parameter.candidate.get_or_insert(parameter.best);
        }
        if finding != Finding::Better {
            self.best = self.start.clone();
            for parameter in &mut self.parameters {
                parameter.best = parameter.start;
            }
        }
    }

    /// Expected Elo that the best values in the ranges are above the values found; `None` where these lose
    /// to the start, which the estimate did not expect.
    pub fn left_to_gain(&self) -> Option<f64> {
        self.left.filter(|_| self.finding() != Finding::Worse)
    }

    /// Warning about parameters, or all of them, that had no effect, and what to check.
    pub fn effect_warning(&self) -> Option<String> {
        let searched = (!self.without_effect.is_empty()).then(|| {
            let names: Vec<String> =
                self.without_effect.iter().map(|name| format!("`{name}`")).collect();
            format!(
                "no search before the first game changed with the value of {}: what the games say \
                 of that is mostly noise",
                names.join(" or ")
            )
        });
        let played = self.no_effect.then(|| {
            let tuned = self.parameters.iter().filter(|parameter| !parameter.fixed);
            let names: Vec<&str> = tuned.map(|parameter| parameter.name.as_str()).collect();
            let what = match names[..] {
                [one] => format!("no change of `{one}`"),
                _ => format!("no change of any of the {} parameters", names.len()),
            };
            format!(
                "all pairs are equal, drawn or won by the same colour twice: {what} has changed a \
                 result, and nothing can be learned. Check that the engine reads the options (a \
                 search with the least and the most of a value must differ), that {} is enough for \
                 them to matter, and that the openings are not all drawn",
                self.limit
            )
        });
        played.or(searched)
    }

    /// Sentences about values found that stand at a bound of their range, and about ranges that were
    /// widened.
    pub fn bound_notes(&self) -> Vec<String> {
        let widened = self.parameters.iter().filter_map(|parameter| {
            let [min, max] = parameter.planned?;
            let ParameterSummary { name, min: low, max: high, .. } = parameter;
            let [min, max, low, high] = [min, max, *low, *high].map(short);
            Some(format!("`{name}`: its range {min} to {max} was widened to {low} to {high}"))
        });
        let at = |whose: Whose| {
            let stand = self.parameters.iter().filter_map(move |parameter| {
                let at = parameter.at_bound.filter(|at| at.whose == whose)?;
                let name = &parameter.name;
                let [min, max, found] =
                    [parameter.min, parameter.max, parameter.found()].map(short);
                let end = if at.bound == Bound::Lower { "lower" } else { "upper" };
                let room = at.engine.filter(|_| whose == Whose::Experiment);
                let room = room
                    .map_or_else(String::new, |room| format!(", the engine takes {}", short(room)));
                Some(format!("`{name}` {found} ({end} end of {min} to {max}{room})"))
            });
            stand.collect::<Vec<_>>()
        };
        let notes = [
            (
                Whose::Engine,
                "the best values may lie beyond, where no run may go: the engine itself declares no \
                 wider range",
            ),
            (
                Whose::Experiment,
                "the best values may lie beyond: a wider range, or `widen: true`, lets the next run \
                 go there",
            ),
            (Whose::Widened, "the run had leave to widen the range: further games may go on"),
        ];
        let notes = notes.into_iter().filter_map(|(whose, advice)| {
            let stand = at(whose);
            let (verb, range) =
                if stand.len() == 1 { ("stands", "its range") } else { ("stand", "their ranges") };
            (!stand.is_empty())
                .then(|| format!("{} {verb} at the end of {range}; {advice}", stand.join(", ")))
        });
        widened.chain(notes).collect()
    }

    /// The finding as a sentence.
    pub fn conclusion(&self) -> &'static str {
        match self.finding() {
            Finding::Better => "the values found are better than the start",
            Finding::Worse => "the values found are worse than the start, which is kept",
            Finding::Undecided => {
                "the values found are not shown to be better than the start, which is kept; more games \
                 may show it"
            }
            Finding::TooFew => {
                "too few games to tell whether the values found are better: the start \
                                is kept"
            }
            Finding::Start if self.games == 0 => "no trial has ended yet",
            Finding::Start => "the start values are the best ones that were found",
        }
    }
}

/// A number without needless digits.
fn short(number: f64) -> String {
    if number.fract() == 0.0 { format!("{number:.0}") } else { format!("{number:.3}") }
}

/// The finding of values that the tuner's games show to be better, by their validation.
fn validated(validation: &MatchSummary) -> Finding {
    let elo = validation.elo;
    let high = elo.high95.or_else(|| Some(elo.value? + elo.error95?));
    match validation.verdict {
        Some(Verdict::Rejected) => Finding::Worse,
        _ if high.is_some_and(|high| high < 0.0) => Finding::Worse,
        Some(Verdict::Accepted) => Finding::Better,
        // The games of both decide where the test does not.
        _ if elo.value.is_some_and(|elo| elo <= 0.0) => Finding::Undecided,
        _ => Finding::Better,
    }
}

/// A value found that stands at a bound of its range.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AtBound {
    /// The bound.
    pub bound: Bound,
    /// Owner of the bound.
    pub whose: Whose,
    /// The last value on that side that the engine takes; `None` if it declares no range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<f64>,
}

/// Owner of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Whose {
    /// The engine, whose own range ends there.
    Engine,
    /// The experiment.
    Experiment,
    /// The run, which may widen the range, and had not done so yet or not far enough.
    Widened,
}

impl AtBound {
    /// The bound of a parameter's range at which a value found stands, if it does.
    pub fn new(parameter: &Parameter, found: f64) -> Option<AtBound> {
        let bound = parameter.bound_at(found).filter(|_| !parameter.fixed)?;
        let engine = parameter.declared_bound(bound);
        let whose = match engine {
            Some(limit) if limit == parameter.bound(bound) => Whose::Engine,
            _ if parameter.widen => Whose::Widened,
            _ => Whose::Experiment,
        };
        Some(AtBound { bound, whose, engine })
    }
}

/// Result of a parameter.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ParameterSummary {
    /// Its name.
    pub name: String,
    /// Value before.
    pub start: f64,
    /// Value to use.
    pub best: f64,
    /// Value found; `None` in a run of an earlier version, where it is `best`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate: Option<f64>,
    /// The same, not rounded.
    pub estimate: f64,
    /// Standard error of the estimate.
    pub error: Option<f64>,
    /// Gradient at the start in standard errors.
    pub z: Option<f64>,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Smallest and largest value before the run widened the range; `None` if it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<[f64; 2]>,
    /// The bound at which the value found stands; `None` if it stands at none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_bound: Option<AtBound>,
    /// Whether it was fixed.
    pub fixed: bool,
    /// The estimate after each batch.
    pub path: Vec<f64>,
}

impl ParameterSummary {
    /// Value found, whether or not it is the one to use.
    pub fn found(&self) -> f64 {
        self.candidate.unwrap_or(self.best)
    }

    /// How far the estimate is from the start, as a share of the range.
    fn movement(&self) -> f64 {
        (self.estimate - self.start).abs() / (self.max - self.min).max(f64::MIN_POSITIVE)
    }

    /// The mark of a value found that stands at a bound.
    pub fn bound_mark(&self) -> &'static str {
        bound_mark(self.at_bound.map(|at| at.bound))
    }
}

/// A tuning run with all that its page shows.
#[derive(Clone, Debug)]
pub struct TuneReport {
    /// The result so far.
    pub summary: TuneSummary,
    /// Games requested.
    pub games_asked: u64,
    /// Games in the ledger: those of a batch that was not finished do not count yet.
    pub games_played: u64,
    /// Pairs played at the same time.
    pub jobs: usize,
    /// Seed of the tuner and of the openings.
    pub seed: u64,
    /// The command that starts the run again, if known.
    pub command_line: Option<String>,
    /// Recommendations over games, from before the first game on.
    pub path: Vec<PathPoint>,
    /// Partial dependence, if the results suffice.
    pub dependence: Option<Dependence>,
    /// Warnings about the result.
    pub warnings: Vec<String>,
}

/// A recommendation of the tuner.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PathPoint {
    /// Games played by then.
    pub games: u64,
    /// The recommendation, with an estimate for each parameter of the summary.
    pub found: Recommendation,
}

#[cfg(test)]
mod tests {
    use super::super::parameter::Kind;
    use super::*;

    #[test]
    fn a_value_at_a_bound_says_whose_bound_it_is() {
        let plain = || Parameter::new("margin".to_owned(), Kind::Integer, 0.0, 100.0, 50.0);
        let declared = |low, high| Parameter { declared: Some([low, high]), ..plain() };
        for (parameter, found, expected) in [
            (declared(0.0, 100.0), 100.0, Some((Bound::Upper, Whose::Engine))),
            (declared(0.0, 100.0), 0.0, Some((Bound::Lower, Whose::Engine))),
            (declared(0.0, 200.0), 100.0, Some((Bound::Upper, Whose::Experiment))),
            (declared(0.0, 200.0), 0.0, Some((Bound::Lower, Whose::Engine))),
            (plain(), 100.0, Some((Bound::Upper, Whose::Experiment))),
            (
                Parameter { widen: true, ..declared(0.0, 200.0) },
                99.8,
                Some((Bound::Upper, Whose::Widened)),
            ),
            (
                Parameter { widen: true, ..declared(0.0, 100.0) },
                99.8,
                Some((Bound::Upper, Whose::Engine)),
            ),
            (Parameter { fixed: true, ..declared(0.0, 100.0) }, 100.0, None),
            (declared(0.0, 100.0), 60.0, None),
        ] {
            let at = AtBound::new(&parameter, found);
            assert_eq!(at.map(|at| (at.bound, at.whose)), expected, "{parameter:?} {found}");
        }
    }
}
