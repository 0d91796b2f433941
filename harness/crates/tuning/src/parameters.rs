//! The parameters of an experiment: those of the engine that the entries name, with their ranges.

use miette::Diagnostic;
use thiserror::Error;

use super::entries::{Entry, Settings};
use super::offer::{Offer, StepFrom, matches_pattern};
use super::space::{Parameter, check};

/// A parameter of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The parameter.
    pub parameter: Parameter,
    /// Where its step comes from.
    pub step_from: StepFrom,
}

/// An error in one entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Its place in the file.
    pub place: String,
    /// The message.
    pub text: String,
    /// Suggestion.
    pub hint: Option<String>,
}

/// All errors of the `parameters` of an experiment.
#[derive(Clone, Debug, PartialEq, Error, Diagnostic)]
#[error("{}", lines(.0))]
#[diagnostic(help("{}", hint(.0)))]
pub struct ParametersError(pub Vec<Problem>);

fn lines(problems: &[Problem]) -> String {
    let line = |Problem { place, text, hint }: &Problem| match hint {
        Some(hint) if problems.len() > 1 => format!("{place}: {text}: {hint}"),
        _ => format!("{place}: {text}"),
    };
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn hint(problems: &[Problem]) -> String {
    match problems {
        [Problem { hint: Some(hint), .. }] => hint.clone(),
        _ => "`harness tune init ENGINE` writes all that an engine offers, with its ranges; no \
              game was played"
            .to_owned(),
    }
}

/// The parameters of the entries, in order, with the engine's ranges and the entries' settings.
/// Later entries override earlier ones: a pattern first, then exceptions. A run may widen the ranges if
/// `widen` says so and no entry says otherwise.
///
/// # Errors
/// All errors: entries that match nothing, leave the engine's range, or are invalid.
pub fn choose(
    entries: &[Entry],
    offer: &Offer,
    widen: bool,
) -> Result<Vec<Chosen>, ParametersError> {
    let mut all: Vec<(Chosen, &str)> = Vec::new();
    let mut problems = Vec::new();
    for Entry { name, place, settings } in entries {
        let chosen = matching(name, offer);
        if chosen.is_empty() {
            let what = if name.contains(['*', '?']) { "that fits" } else { "or group" };
            let (text, hint) = match offer.untunable(name) {
                Some(why) => (format!("the option `{name}` cannot be tuned: {why}"), None),
                None => (
                    format!("the engine has no parameter {what} `{name}`"),
                    Some(offer.suggestion(name)),
                ),
            };
            problems.push(Problem { place: place.clone(), text, hint });
        }
        for declared in chosen {
            problems.extend(outside(settings, declared).map(|text| Problem {
                place: place.clone(),
                text,
                hint: None,
            }));
            let earlier =
                all.iter_mut().find(|(earlier, _)| earlier.parameter.name == declared.name);
            match earlier {
                Some((earlier, at)) => {
                    *earlier = settings.apply(earlier);
                    *at = place;
                }
                None => {
                    let step_from = offer.step_from(&declared.name);
                    let parameter = Parameter { widen, ..declared.clone() };
                    let chosen = Chosen { parameter, step_from };
                    all.push((settings.apply(&chosen), place));
                }
            }
        }
    }
    // An entry outside the engine's range is reported once.
    for (chosen, place) in &all {
        if let Err(error) = check(&chosen.parameter)
            && !problems.iter().any(|problem| problem.place == *place)
        {
            let place = (*place).to_owned();
            let text = error.to_string();
            problems.push(Problem { place, text, hint: None });
        }
    }
    if problems.is_empty() {
        Ok(all.into_iter().map(|(chosen, _)| chosen).collect())
    } else {
        Err(ParametersError(problems))
    }
}

/// The parameters of a name, else of a group, or those matching a pattern.
fn matching<'a>(name: &str, offer: &'a Offer) -> Vec<&'a Parameter> {
    match offer.parameter(name) {
        Some(parameter) => vec![parameter],
        None if name.contains(['*', '?']) => offer
            .matched_by(name)
            .filter(|parameter| matches_pattern(name, &parameter.name))
            .collect(),
        None => offer.group(name),
    }
}

/// Settings outside the engine's range.
fn outside<'a>(
    settings: &'a Settings,
    declared: &'a Parameter,
) -> impl Iterator<Item = String> + 'a {
    let Parameter { name, min, max, .. } = declared;
    let numbers = [("min", settings.min), ("max", settings.max), ("start", settings.start)];
    numbers.into_iter().filter_map(move |(key, value)| {
        let value = value?;
        (value < *min || value > *max).then(|| {
            format!("parameter `{name}`: {key} {value} is outside the engine's {min} to {max}")
        })
    })
}

impl Settings {
    /// A parameter with these settings. A new range without a new step gets a twentieth of the
    /// range as its step.
    fn apply(&self, before: &Chosen) -> Chosen {
        let declared = &before.parameter;
        let min = self.min.unwrap_or(declared.min);
        let max = self.max.unwrap_or(declared.max);
        let start = self.start.unwrap_or(declared.start.clamp(min.min(max), max.max(min)));
        let fresh = Parameter::new(declared.name.clone(), declared.kind, min, max, start);
        let (step, step_from) = match self.step {
            Some(step) => (step, StepFrom::Experiment),
            None if (min, max) == (declared.min, declared.max) => (declared.step, before.step_from),
            None => (fresh.step, StepFrom::Range),
        };
        let scale = self.scale.unwrap_or(declared.scale);
        let parameter = Parameter {
            step,
            scale,
            fixed: self.fixed,
            widen: self.widen.unwrap_or(declared.widen),
            declared: declared.declared,
            ..fresh
        };
        Chosen { parameter, step_from }
    }
}

#[cfg(test)]
mod tests {
    use super::super::entries::Entries;
    use super::super::offer::tests::offer;
    use super::*;

    fn entries(text: &str) -> Vec<Entry> {
        serde_yaml::from_str::<Entries>(text).expect(text).entries("a.yaml")
    }

    fn chosen(text: &str) -> Vec<(String, f64, f64, f64, StepFrom)> {
        let list = "rfp_margin, int, 100, 0, 200, 8, 0.002\n";
        let offer = offer(&["lmr_base", "lmr_divisor", "rfp_margin"], Some(list));
        let all =
            choose(&entries(text), &offer, false).unwrap_or_else(|error| panic!("{text}: {error}"));
        let facts = |Chosen { parameter, step_from }: Chosen| {
            (parameter.name, parameter.min, parameter.max, parameter.step, step_from)
        };
        all.into_iter().map(facts).collect()
    }

    #[test]
    fn names_patterns_groups_and_ranges_mean_the_same_in_every_form() {
        use StepFrom::{Engine, Experiment, Range};
        let base = || ("lmr_base".to_owned(), 0.0, 200.0, 10.0, Range);
        let divisor = || ("lmr_divisor".to_owned(), 0.0, 200.0, 10.0, Range);
        let margin = || ("rfp_margin".to_owned(), 0.0, 200.0, 8.0, Engine);
        let narrow = || ("rfp_margin".to_owned(), 20.0, 160.0, 7.0, Range);
        for (text, expected) in [
            ("[rfp_margin, 'lmr_*']", vec![margin(), base(), divisor()]),
            ("- rfp_margin\n- lmr_*\n", vec![margin(), base(), divisor()]),
            ("rfp_margin:\nlmr_*:\n", vec![margin(), base(), divisor()]),
            ("[search, lmr]", vec![margin(), base(), divisor()]),
            ("all", vec![base(), divisor(), margin()]),
            ("RFP_MARGIN", vec![margin()]),
            ("- lmr_base\n- rfp_margin: { min: 20, max: 160 }\n", vec![base(), narrow()]),
            ("- lmr_base\n- rfp_margin: [20, 160]\n", vec![base(), narrow()]),
            ("{ lmr_base: , rfp_margin: [20, 160] }", vec![base(), narrow()]),
            ("- rfp_margin:\n    min: 20\n    max: 160\n", vec![narrow()]),
            // The engine's own range, though written: its own step.
            ("{ rfp_margin: { min: 0, max: 200 } }", vec![margin()]),
            (
                "[{ rfp_margin: { step: 3 } }]",
                vec![("rfp_margin".to_owned(), 0.0, 200.0, 3.0, Experiment)],
            ),
            // Exceptions stand behind the pattern.
            (
                "[lmr, { lmr_base: { max: 100 } }]",
                vec![("lmr_base".to_owned(), 0.0, 100.0, 5.0, Range), divisor()],
            ),
            // An option of play is taken by its full name alone.
            ("[Skill Level]", vec![("Skill Level".to_owned(), 0.0, 20.0, 1.0, Range)]),
        ] {
            assert_eq!(chosen(text), expected, "{text}");
        }
    }

    #[test]
    fn all_invalid_entries_are_reported_with_their_places() {
        let offer = offer(&["lmr_base", "lmr_divisor", "rfp_margin"], None);
        let text = "- rfp_margn\n- lmr_base: { min: 10, max: 5 }\n- lmr_divisor: [-5, 300]\n\
                    - lmq_*\n- Skill Level: { max: 50 }\n- EvalFile\n";
        let ParametersError(problems) = choose(&entries(text), &offer, false).expect_err(text);
        let reported: Vec<String> = problems
            .iter()
            .map(|Problem { place, text, hint }| {
                format!("{place}: {text} ({})", hint.as_deref().unwrap_or("-"))
            })
            .collect();
        let expected = [
            "a.yaml:1:3: the engine has no parameter or group `rfp_margn` (did you mean \
             `rfp_margin`?)",
            "a.yaml:3:3: parameter `lmr_divisor`: min -5 is outside the engine's 0 to 200 (-)",
            "a.yaml:3:3: parameter `lmr_divisor`: max 300 is outside the engine's 0 to 200 (-)",
            "a.yaml:4:3: the engine has no parameter that fits `lmq_*` (did you mean `lmr`?)",
            "a.yaml:5:3: parameter `Skill Level`: max 50 is outside the engine's 0 to 20 (-)",
            "a.yaml:6:3: the option `EvalFile` cannot be tuned: its type is `string`, and whole numbers (`spin`) \
             are tuned (-)",
            "a.yaml:2:3: parameter `lmr_base`: min 10 is not below max 5 (-)",
        ];
        assert_eq!(reported, expected);
    }
}
