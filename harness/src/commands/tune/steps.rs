//! `steps.csv`: a line a trial, with what was recommended after it.

use super::learner::Told;
use crate::outcome::PathPoint;
use crate::report::csv;
use crate::tuning::space::Space;
use crate::tuning::trial::net_wins;

/// The line of names. `result` is in games won minus lost by the trial's first candidate.
pub fn head(space: &Space) -> String {
    let names = space.parameters().iter().map(|parameter| parameter.name.as_str());
    csv::line(["trial", "games", "gain_elo"].into_iter().chain(names).chain(["result"]))
}

/// The line of a trial. What is not known, as the result of a trial whose pairs did not count, is
/// left empty.
pub fn line(told: &Told, now: &PathPoint) -> String {
    let gain = now.found.gain.map(|gain| format!("{:.2}", gain.value));
    let result = (told.result.pairs() > 0).then(|| format!("{:.0}", net_wins(&told.result)));
    let begin = [told.trial.0.to_string(), now.games.to_string(), gain.unwrap_or_default()];
    let values = now.found.parameters.iter().map(|estimate| format!("{:.4}", estimate.value));
    csv::line(begin.into_iter().chain(values).chain([result.unwrap_or_default()]))
}
