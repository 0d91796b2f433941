//! A tuning run as a kind of run.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::comparison::Comparison;
use super::event::{Begun, Moment, RunEvent, RunSink};
use super::games::{elo_and_comma, exit_of};
use super::kind::{Form, Games, Kind, Resume};
use super::outcome::Outcome;
use super::running::{LiveState, Running};
use crate::heads::{Named, lenient, or_unknown, read_head};
use crate::report::ReportError;
use crate::tune::{Event, TuneOutcome, TuneRun};
use crate::{curves, stored, tune};
use harness_base::failure::{Exit, Failure};
use harness_base::session::Session;
use harness_base::text::counted;
use harness_ledger::{Ledger, RunFacts};
use harness_outcome::tuned::{Finding, Gain};
use harness_outcome::{Estimate, TuneReport};
use harness_player::Limit;
use harness_report::html::{Page, tune_page, waiting};
use harness_report::text::plus;
use harness_report::{tune_progress, tune_text};
use maud::Markup;

/// A tuning run.
pub const KIND: Kind = Kind {
    key: tune::COMMAND,
    title,
    limit,
    result_line,
    resume: Resume::By(|ledger, run, plan, session, sink| {
        outcome(&tune::resume(ledger, run, plan, session, &|event| show(event, sink))?)
    }),
    so_far: |ledger, run| Ok(json!(tune::replay(ledger, run)?.summary)),
    page,
    curves: curves::of_tuning,
    running: Running::Page(running),
    comparison,
    games: Games::Counted,
    plays_elsewhere: true,
    form: Some(Form {
        place: 4,
        command: "tune run",
        yaml: "arguments: [tuning/search.yaml]\n# games: 20000\n# method: auto\n",
    }),
    in_progress: "pairs of games",
    ..Kind::PLAIN
};

/// The parts of a plan that a list has.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PlanHead {
    engine: Named,
    #[serde(deserialize_with = "lenient")]
    method: Option<String>,
}

/// The limit of a plan, which is text in those of some versions.
fn limit(plan: &Value) -> String {
    let limit = &plan["limit"];
    let read = || Limit::deserialize(limit).ok().map(|limit| limit.to_string());
    limit.as_str().map(str::to_owned).or_else(read).unwrap_or_default()
}

fn title(plan: &Value) -> String {
    let PlanHead { engine, method, .. } = read_head(plan);
    title_of(&or_unknown(engine.name), &or_unknown(method))
}

fn title_of(engine: &str, method: &str) -> String {
    format!("{engine}: {method}")
}

/// The parts of a summary that a line has.
#[derive(Default, Deserialize)]
#[serde(default)]
struct SummaryHead {
    validation: Option<Validation>,
    gain: Option<Gain>,
    games: u64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Validation {
    elo: Estimate,
}

fn result_line(summary: &Value) -> String {
    let SummaryHead { validation, gain, games } = read_head(summary);
    let elo = match (validation, gain) {
        (Some(validation), _) => elo_and_comma(&validation.elo),
        (None, Some(gain)) => format!("{}, ", expected(&gain)),
        (None, None) => String::new(),
    };
    format!("{elo}{}", counted(games, "game", "games"))
}

fn page(ledger: &Ledger, run: &RunFacts) -> Result<Page, ReportError> {
    let games = stored::shown_games(ledger, &run.id)?;
    Ok(tune_page(&tune::replay(ledger, run)?, &games))
}

fn running(_: &Ledger, run: &RunFacts, live: &LiveState<'_>) -> Result<Markup, ReportError> {
    Ok(match tune::running(run, live.path.to_vec(), live.seconds)? {
        Some(report) => tune_page(&report, &[]).content,
        None => waiting("The tuner recommends values after its first batch of games."),
    })
}

fn comparison(ledger: &Ledger, run: &RunFacts) -> Result<Comparison, ReportError> {
    let TuneReport { summary, path, .. } = tune::replay(ledger, run)?;
    let gain = path.iter().filter_map(|at| Some((at.games as f64, at.found.gain?.value)));
    let values = summary.parameters.iter().filter(|one| !one.fixed).map(|one| {
        let error = one.error.map_or_else(String::new, |error| format!(" ± {error:.1}"));
        (one.name.clone(), format!("{} → {:.1}{error}", one.start, one.estimate))
    });
    let values: BTreeMap<String, String> = values.collect();
    let result = match summary.gain {
        Some(gain) => format!("{}: {}", expected(&gain), summary.conclusion()),
        None => format!("{}: {}", counted(summary.games, "game", "games"), summary.conclusion()),
    };
    let (gain, values) = (Some(gain.collect()), Some(values));
    Ok(Comparison { result, gain, values, ..Comparison::default() })
}

/// Starts a run.
///
/// # Errors
/// As [`TuneRun::start`].
pub fn start(run: &TuneRun, session: &Session, sink: &RunSink<'_>) -> Result<Outcome, Failure> {
    outcome(&run.start(session, &|event| show(event, sink))?)
}

fn outcome(outcome: &TuneOutcome) -> Result<Outcome, Failure> {
    let TuneOutcome { summary, collected } = outcome;
    let collected = collected.as_ref().map(ToString::to_string).unwrap_or_default();
    let text = tune_text(summary) + &collected;
    let exit = match summary.finding() {
        // A screening tunes nothing.
        _ if summary.is_screening() => Exit::Good,
        Finding::Better => summary.validation.as_ref().map_or(Exit::Good, exit_of),
        Finding::Worse => Exit::Bad,
        Finding::Undecided | Finding::TooFew | Finding::Start => Exit::Undecided,
    };
    Outcome::new(summary, text, exit)
}

/// Tells an event in the words of all kinds.
fn show(event: &Event<'_>, sink: &RunSink<'_>) {
    match event {
        Event::Warning(text) => {
            sink(&RunEvent::Warning(text));
            sink(&RunEvent::Record { name: "warning", value: &|| json!({ "text": text }) });
        }
        Event::Started { run, plan, done } => {
            let title = title_of(&plan.engine.name, &plan.method);
            let (key, done, of, unit) = (tune::COMMAND, *done, plan.games, "games");
            sink(&RunEvent::Begun(Begun { run, key, title, done, of: Some(of), unit }));
            sink(&RunEvent::Bar { done, of, watches_load: false });
            let value = || {
                json!({
                    "run": run, "command": key, "engine": plan.engine.name, "method": plan.method,
                    "done": done, "games": of,
                })
            };
            sink(&RunEvent::Record { name: "run_started", value: &value });
        }
        Event::Played { plan, games, path } => {
            sink(&RunEvent::Done(*games));
            sink(&RunEvent::Path(path));
            let all = plan.space.parameters();
            let text =
                |moment: &Moment<'_>| tune_progress(all, path, *games, plan.games, moment.pace);
            sink(&RunEvent::BarMoved { done: *games, of: None, text: &text });
            let value = || {
                let found = path.last().map(|point| &point.found);
                let values = all.iter().zip(found.into_iter().flat_map(|found| &found.parameters));
                let values: BTreeMap<&str, f64> =
                    values.map(|(one, found)| (one.name.as_str(), found.value)).collect();
                json!({ "games": games, "values": values, "gain": found.and_then(|it| it.gain) })
            };
            sink(&RunEvent::Record { name: "tuned", value: &value });
        }
        Event::Tuned(summary) => {
            sink(&RunEvent::Done(summary.games));
            sink(&RunEvent::BarEnded);
        }
        Event::Validation(event) => sink(&RunEvent::Part(event)),
    }
}

/// The expected gain with its 80 % interval.
fn expected(gain: &Gain) -> String {
    let [value, low, high] =
        [gain.value, gain.low80, gain.high80].map(|value| plus(value, 1).replace('-', "−"));
    format!("expected gain {value} Elo ({low} to {high})")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_limit_of_a_plan_is_read_in_both_forms() {
        for (plan, expected) in [
            (json!({ "limit": { "nodes": 500 } }), "nodes=500"),
            (json!({ "limit": "tc=8+0.08" }), "tc=8+0.08"),
            (json!({}), ""),
        ] {
            assert_eq!(limit(&plan), expected);
        }
    }

    #[test]
    fn a_line_has_the_validation_or_else_the_expected_gain() {
        let gain = json!({ "value": 12.34, "low80": -1.0, "high80": 25.0 });
        let elo = json!({ "value": 3.0, "error95": 8.0 });
        for (summary, line) in [
            (json!({ "games": 1 }), "1 game"),
            (
                json!({ "games": 240, "gain": gain }),
                "expected gain +12.3 Elo (−1.0 to +25.0), 240 games",
            ),
            (
                json!({ "games": 240, "gain": gain, "validation": { "elo": elo } }),
                "+3.0 ± 8.0 Elo, 240 games",
            ),
        ] {
            assert_eq!(result_line(&summary), line);
        }
    }
}
