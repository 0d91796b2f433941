//! Curves of runs as comma-separated values: a line a point, a column a quantity.

use std::num::NonZeroUsize;

use crate::games::{RaceSoFar, race_so_far};
use crate::report::{ReportError, count_games, facts};
use crate::tune;
use harness_ledger::{Ledger, RunFacts};
use harness_outcome::loop_summary::{LoopSummary, curve};
use harness_outcome::{Estimate, MatchFacts, Tally, TuneReport};
use harness_report::csv;
use harness_stats::{Elo, NormalizedElo, Pentanomial, Sprt, Wdl, los};

/// Columns of a match or an SPRT.
const MATCH: [&str; 21] = [
    "pairs",
    "games",
    "wins",
    "draws",
    "losses",
    "pairs_0",
    "pairs_0.5",
    "pairs_1",
    "pairs_1.5",
    "pairs_2",
    "elo",
    "elo_error95",
    "elo_low95",
    "elo_high95",
    "nelo",
    "nelo_error95",
    "los",
    "llr",
    "llr_lower",
    "llr_upper",
    "engine",
];

/// A number as its cell; empty where there is none.
fn cell(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// The curve of a match, an SPRT or the final of a race: a line after each `every` pairs, and after the last one. Games are
/// those of complete pairs of the first engine, in the order in which they were counted.
///
/// # Errors
/// When the ledger does not have what a run of this version has.
pub fn of_match(
    ledger: &Ledger,
    run: &RunFacts,
    every: NonZeroUsize,
) -> Result<Option<String>, ReportError> {
    if let Some(RaceSoFar { summary, final_games }) = race_so_far(ledger, run)? {
        let race = summary.race.as_ref();
        let candidate = race.and_then(|race| race.final_candidate.as_deref()).unwrap_or_default();
        return Ok(Some(match_rows(&final_games, summary.facts.sprt.as_ref(), candidate, every)));
    }
    let facts: MatchFacts = facts(run)?;
    let tally = count_games(ledger, run, &facts)?.0;
    let engine = facts.engines.first().map_or("", |engine| engine.name.as_str());
    Ok(Some(match_rows(tally.tally(), facts.sprt.as_ref(), engine, every)))
}

/// The lines of a match, seen from an engine.
fn match_rows(tally: &Tally, sprt: Option<&Sprt>, engine: &str, every: NonZeroUsize) -> String {
    let steps = tally.steps();
    let mut text = csv::line(MATCH);
    for (number, (pairs, games)) in (1..).zip(steps) {
        if number % every.get() == 0 || number == steps.len() {
            let row = match_row(pairs, games, sprt);
            text += &csv::line(row.into_iter().chain([engine.to_owned()]));
        }
    }
    text
}

fn match_row(pairs: &Pentanomial, games: &Wdl, sprt: Option<&Sprt>) -> Vec<String> {
    let elo = Estimate::from(Elo::from_counts(pairs).ok());
    let nelo = Estimate::from(NormalizedElo::from_counts(pairs).ok());
    let bounds = sprt.map(|sprt| sprt.bounds_of(pairs));
    let counts = [pairs.pairs(), games.games(), games.wins, games.draws, games.losses];
    let counts = counts.into_iter().chain(pairs.0).map(|count| count.to_string());
    let numbers = [
        elo.value,
        elo.error95,
        elo.low95,
        elo.high95,
        nelo.value,
        nelo.error95,
        los(pairs),
        sprt.and_then(|sprt| sprt.llr(pairs)),
        bounds.map(|[lower, _]| lower),
        bounds.map(|[_, upper]| upper),
    ];
    counts.chain(numbers.map(cell)).collect()
}

/// The curve of a tuning run: after each batch the expected gain, and of each parameter that is tuned its
/// estimate and the error of it.
///
/// # Errors
/// When the run cannot be replayed.
pub fn of_tuning(
    ledger: &Ledger,
    run: &RunFacts,
    every: NonZeroUsize,
) -> Result<Option<String>, ReportError> {
    let TuneReport { summary, path, .. } = tune::replay(ledger, run)?;
    let tuned: Vec<usize> =
        (0..summary.parameters.len()).filter(|&one| !summary.parameters[one].fixed).collect();
    let head = ["games", "gain", "gain_low80", "gain_high80"].map(str::to_owned).into_iter();
    let names = tuned.iter().flat_map(|&one| {
        let name = &summary.parameters[one].name;
        [name.clone(), format!("{name}_error")]
    });
    let mut text = csv::line(head.chain(names));
    for (number, point) in path.iter().enumerate() {
        if number % every.get() != 0 && number + 1 != path.len() {
            continue;
        }
        let gain = point.found.gain;
        let head = [
            Some(point.games as f64),
            gain.map(|gain| gain.value),
            gain.map(|gain| gain.low80),
            gain.map(|gain| gain.high80),
        ];
        let values = tuned.iter().flat_map(|&one| {
            let found = point.found.parameters.get(one);
            [found.map(|found| found.value), found.and_then(|found| found.error)]
        });
        text += &csv::line(head.into_iter().chain(values).map(cell));
    }
    Ok(Some(text))
}

/// Columns of a loop.
const LOOP: [&str; 10] = [
    "generation",
    "hours",
    "games",
    "positions",
    "train_loss",
    "validation_loss",
    "material_loss",
    "promoted",
    "best_elo",
    "best_elo_error95",
];

/// The curve of a loop: a line a generation, with its losses, and the Elo of the best network by then over
/// the start.
pub fn of_loop(summary: &LoopSummary, every: NonZeroUsize) -> String {
    let generations = &summary.generations;
    let mut text = csv::line(LOOP);
    // Its first point is the start.
    let best = curve(generations).into_iter().skip(1);
    for (done, (hours, elo)) in generations.iter().zip(best) {
        let number = done.number as usize;
        if !number.is_multiple_of(every.get()) && number != generations.len() {
            continue;
        }
        let trained = &done.trained;
        let losses = [trained.train_loss, trained.validation_loss, trained.material_loss];
        let head = [number.to_string(), hours.to_string(), done.played.games.to_string()];
        let cells = head.into_iter().chain([trained.positions.to_string()]);
        let cells = cells.chain(losses.map(|loss| loss.to_string()));
        let elo = [cell(elo.value), cell(elo.error95)];
        text += &csv::line(cells.chain([done.promoted.to_string()]).chain(elo));
    }
    text
}
