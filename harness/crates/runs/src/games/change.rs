//! Changes of the rule of a test that is under way: other bounds for its rest, more games, giving up.

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use thiserror::Error;

use super::facts::SPRT;
use super::stored_plan::StoredPlan;
use crate::read_plan;
use crate::report::{ReportError, count_games};
use harness_base::failure::{Failure, OrFail};
use harness_base::text::grouped;
use harness_ledger::{Ledger, LedgerError, Run, RunFacts};
use harness_stats::{Change, ChangeError, Decision, PLANNED_DRAWS, Pentanomial, Shape, Sprt};

/// Changes of a test's rule.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RuleChange {
    /// Other bounds from here on.
    pub bounds: Option<Shape>,
    /// Another number of games.
    pub max_games: Option<u64>,
    /// Conditional power below which it rejects from here on.
    pub stop_futile: Option<f64>,
}

/// A change that was made, in the plan of its run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Changed {
    /// Pairs played when it was made.
    pub pairs: u64,
    /// Description of the change, for people.
    pub what: String,
    /// Probabilities to err from there on, at `elo0` and at `elo1`, by the rule of before and by that of after.
    pub errors: [[f64; 2]; 2],
}

/// Why the rule of a run cannot be changed.
#[derive(Debug, Error, Diagnostic)]
pub enum RuleChangeError {
    /// It is no SPRT, or a shard of one.
    #[error(
        "run `{0}` is no SPRT, which alone has bounds and a number of games that may be raised"
    )]
    #[diagnostic(help(
        "a shard has no test of its own: `harness pool` evaluates all shards together"
    ))]
    NoTest(String),
    /// It has a verdict.
    #[error("run `{0}` has its verdict")]
    #[diagnostic(help("a decided test stays decided; a new one takes other openings (--seed)"))]
    Decided(String),
    /// The statistics refuse it.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Refused(#[from] ChangeError),
    /// Its games cannot be counted.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The ledger failed.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Ledger(#[from] LedgerError),
}

impl RuleChange {
    /// Whether it changes nothing.
    pub fn is_none(&self) -> bool {
        *self == RuleChange::default()
    }
}

/// The test of a run that is under way.
pub struct Underway {
    /// The test.
    pub sprt: Sprt,
    /// Pairs that count so far.
    pub pairs: Pentanomial,
    /// Most pairs.
    pub max: u64,
}

impl Underway {
    /// Of a run in the ledger.
    ///
    /// # Errors
    /// When it is no SPRT, or its games cannot be read.
    pub fn of_run(ledger: &Ledger, facts: &RunFacts) -> Result<Underway, RuleChangeError> {
        let no_test = || RuleChangeError::NoTest(facts.id.clone());
        if facts.command != SPRT {
            return Err(no_test());
        }
        let kept: StoredPlan = serde_json::from_value(facts.plan.clone()).map_err(|_| no_test())?;
        let sprt = kept.facts.sprt.ok_or_else(no_test)?;
        let counter = count_games(ledger, facts, &kept.facts)?.0;
        if counter.is_decided() {
            return Err(RuleChangeError::Decided(facts.id.clone()));
        }
        Ok(Underway { sprt, pairs: counter.tally().pairs(), max: kept.plan.rounds })
    }

    /// The probability that it would still accept, were its upper hypothesis the truth.
    pub fn conditional_power(&self) -> f64 {
        let power = self.sprt.conditional_power(&self.pairs, self.sprt.elo1, Some(self.max));
        power.unwrap_or(1.0)
    }

    /// The same test, giving up below a level from here on.
    fn giving_up(&self, level: f64) -> Result<Sprt, ChangeError> {
        let draw_ratio = self.sprt.rule.map_or(PLANNED_DRAWS, |rule| rule.draw_ratio);
        Ok(self.sprt.from_here(&self.pairs).with_futility(level, draw_ratio, self.max)?)
    }

    /// Whether it would give up at once.
    ///
    /// # Errors
    /// When the level does not lie between 0 and 1.
    pub fn is_futile(&self, level: f64) -> Result<bool, ChangeError> {
        Ok(self.giving_up(level)?.decide(&self.pairs) == Some(Decision::Rejected))
    }

    /// Makes a change; says what it was.
    fn change(&mut self, change: &RuleChange) -> Result<Changed, ChangeError> {
        let max = change.max_games.map(|games| games.div_ceil(2));
        let mut words = Vec::new();
        let (sprt, errors) =
            self.sprt.changed(&self.pairs, self.max, Change { shape: change.bounds, max })?;
        self.sprt = sprt;
        if let Some(shape) = change.bounds {
            words.push(format!("bounds {shape}"));
        }
        self.max = max.unwrap_or(self.max);
        if let Some(last) = self.sprt.last_pair() {
            // Bounds that meet end the test whatever its number of games.
            let is_bound = change.bounds.is_some() && max.is_none();
            self.max = if is_bound { last } else { self.max.min(last) };
        }
        if max.is_some() || change.bounds.is_some() {
            words.push(format!("at most {} games", grouped(2 * self.max)));
        }
        if let Some(level) = change.stop_futile {
            self.sprt = self.giving_up(level)?;
            words.push(format!("futile below {level}"));
        }
        Ok(Changed { pairs: self.pairs.pairs(), what: words.join(", "), errors })
    }
}

/// Changes the rule of a run's test in its plan; gives the new plan, and what was changed. A test that ended
/// without a verdict is open again.
///
/// # Errors
/// When the run is no test or has a verdict, or an error rate would rise.
pub fn change_rule(
    ledger: &Ledger,
    run: &Run,
    change: &RuleChange,
) -> Result<(Value, Changed), Failure> {
    let facts = ledger.facts(run.id()).or_failed()?;
    let mut test = Underway::of_run(ledger, &facts).or_usage()?;
    let changed = test.change(change).or_usage()?;
    let mut kept: StoredPlan = read_plan(run, facts.plan)?;
    kept.facts.sprt = Some(test.sprt);
    kept.plan.rounds = test.max;
    kept.facts.games_asked = Some(kept.plan.own_pairs().saturating_mul(2));
    kept.changes.push(changed.clone());
    let plan = json!(kept);
    ledger.change_plan(run, &plan).or_failed()?;
    Ok((plan, changed))
}
