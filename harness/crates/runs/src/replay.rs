//! Finished matches and tests under other rules: the games that each would have taken on the same stream of
//! pairs.

use std::collections::BTreeMap;
use std::path::Path;

use miette::Diagnostic;
use serde::Serialize;
use thiserror::Error;

use crate::games::cores;
use crate::heads::read_head;
use harness_data::ratings::{self, RatingError};
use harness_ledger::{Ledger, LedgerError, RunFacts};
use harness_outcome::MatchFacts;
use harness_stats::{Replayed, Rule, Sprt, SumRatio, TestTotals, consecutive};

/// Pairs of two players in their order.
pub struct Stream {
    /// The run or the file.
    pub name: String,
    /// Half points of each pair of the first player, 0 to 4.
    pub scores: Vec<u8>,
    /// The test that they were played for, with its pairs.
    pub rule: Option<Rule>,
}

/// Pairs that cannot be replayed.
#[derive(Debug, Error, Diagnostic)]
pub enum StreamError {
    /// A run without pairs of two players.
    #[error("run `{0}` has no pairs of two engines")]
    #[diagnostic(help(
        "matches and SPRTs of two engines can be replayed: `harness runs` lists the runs"
    ))]
    NoPairs(String),
    /// A file without pairs of two players.
    #[error("{0} has no pairs of two players (one opening, colours swapped)")]
    #[diagnostic(help("a pair is two games of one opening (FEN, Round) with colours swapped"))]
    NoPairsInFile(String),
    /// A file that cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    File(#[from] RatingError),
    /// The ledger failed.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Ledger(#[from] LedgerError),
}

impl Stream {
    /// Of a run in the ledger.
    ///
    /// # Errors
    /// When it is no match of two engines, or its games cannot be read.
    pub fn of_run(ledger: &Ledger, run: &RunFacts) -> Result<Stream, StreamError> {
        let no_pairs = || StreamError::NoPairs(run.id.clone());
        let Head { facts } = read_head(&run.plan);
        let facts = facts.filter(|facts| facts.engines.len() == 2).ok_or_else(no_pairs)?;
        let first = &facts.engines[0].name;
        let mut pairs: BTreeMap<u64, (u8, u8)> = BTreeMap::new();
        ledger.each_result(&run.id, |game| {
            let (games, points) = pairs.entry(game.pair).or_default();
            let own = if game.first() == first {
                game.first_half_points
            } else {
                2 - game.first_half_points
            };
            *games += 1;
            *points += own;
            Ok::<_, LedgerError>(())
        })?;
        let whole = pairs.into_values().filter(|(games, _)| *games == 2);
        let scores: Vec<u8> = whole.map(|(_, points)| points).collect();
        if scores.is_empty() {
            return Err(no_pairs());
        }
        let asked = facts.games_asked.map(|games| games.div_ceil(2));
        // Where bounds meet a test ends by itself.
        let max = |sprt: &Sprt| asked.filter(|&asked| sprt.last_pair() != Some(asked));
        let rule = facts.sprt.map(|sprt| Rule { sprt, max: max(&sprt) });
        Ok(Stream { name: run.id.clone(), scores, rule })
    }

    /// Of a PGN file of two players.
    ///
    /// # Errors
    /// When it cannot be read, or has no pairs.
    pub fn of_file(path: &Path) -> Result<Stream, StreamError> {
        let (rated, _) = ratings::rate(path, 1, cores())?;
        let name = path.display().to_string();
        let duel = rated.head_to_head.filter(|duel| !duel.scores.is_empty());
        let duel = duel.ok_or_else(|| StreamError::NoPairsInFile(name.clone()))?;
        Ok(Stream { name, scores: duel.scores, rule: None })
    }
}

/// The part of a plan that says whose games they are.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Head {
    facts: Option<MatchFacts>,
}

/// One test under two rules.
#[derive(Clone, Debug, Serialize)]
pub struct ReplayedRun {
    /// The run or the file.
    pub name: String,
    /// Number of its pair with which the test begins, from 1.
    pub from_pair: u64,
    /// Pairs from there on.
    pub pairs: u64,
    /// By the old rule.
    pub old: Replayed,
    /// By the new rule.
    pub new: Replayed,
}

/// Several streams under two rules; as JSON, the object of `harness stats --replay --json`.
#[derive(Clone, Debug, Serialize)]
pub struct ReplayOutcome {
    /// The old rule of the first stream.
    pub old: Sprt,
    /// The new rule of the first stream.
    pub new: Sprt,
    /// Each stream.
    pub tests: Vec<ReplayedRun>,
    /// Tests that end within their pairs by both rules.
    pub complete: u64,
    /// Complete tests whose verdicts agree.
    pub agree: u64,
    /// Games of the complete tests, by the old rule and by the new.
    pub games: [u64; 2],
    /// The complete tests by the old rule and by the new; `None` without one.
    pub totals: Option<[TestTotals; 2]>,
    /// Games by the new rule over games by the old one, of the complete tests.
    pub ratio: Option<SumRatio>,
    /// The same of all tests, where pairs run out with the games that are expected beyond.
    pub ratio_with_expected: Option<SumRatio>,
}

/// Streams that are no parts of one.
#[derive(Debug, Error, Diagnostic)]
#[error("{0} and {1} were not played by the same rule")]
#[diagnostic(help(
    "state the rule for all of them, as in --elo0 0 --elo1 10, or replay them one by one"
))]
pub struct DifferentRules(String, String);

impl ReplayOutcome {
    /// Replays streams, each a test with its old rule and its new one. `None` without a stream.
    pub fn new(streams: &[(Stream, Rule, Rule)]) -> Option<ReplayOutcome> {
        let (_, old, new) = streams.first()?;
        let tests = streams.iter().map(|(stream, old, new)| {
            let both = [old, new].map(|rule| Replayed::new(rule, &stream.scores));
            replayed(stream, 0, both)
        });
        Some(ReplayOutcome::of_tests([old.sprt, new.sprt], tests.collect()))
    }

    /// Replays streams that follow each other as one: consecutive tests by both rules. `None` without a stream.
    ///
    /// # Errors
    /// When the streams have different rules.
    pub fn consecutive(
        streams: &[(Stream, Rule, Rule)],
    ) -> Result<Option<ReplayOutcome>, DifferentRules> {
        let Some((first, old, new)) = streams.first() else { return Ok(None) };
        if let Some((other, ..)) = streams.iter().find(|(_, a, b)| (a, b) != (old, new)) {
            return Err(DifferentRules(first.name.clone(), other.name.clone()));
        }
        let scores: Vec<u8> =
            streams.iter().flat_map(|(stream, ..)| stream.scores.iter().copied()).collect();
        let tests = consecutive(&scores, &[*old, *new]).into_iter().map(|(begins, both)| {
            let (stream, before) = stream_at(streams, begins);
            replayed(stream, begins - before, both)
        });
        Ok(Some(ReplayOutcome::of_tests([old.sprt, new.sprt], tests.collect())))
    }

    fn of_tests([old, new]: [Sprt; 2], tests: Vec<ReplayedRun>) -> ReplayOutcome {
        let is_complete = |test: &&ReplayedRun| !test.old.open && !test.new.open;
        let complete: Vec<&ReplayedRun> = tests.iter().filter(is_complete).collect();
        let by = |of: fn(&ReplayedRun) -> Replayed| -> Vec<Replayed> {
            complete.iter().map(|test| of(test)).collect()
        };
        let both = [by(|test| test.old), by(|test| test.new)];
        let games = both.each_ref().map(|tests| tests.iter().map(|test| test.games).sum());
        let totals = both.each_ref().map(|tests| TestTotals::new(tests));
        let totals = totals[0].zip(totals[1]).map(|(old, new)| [old, new]);
        let agree = complete.iter().filter(|test| test.old.verdict == test.new.verdict).count();
        let of = |test: &ReplayedRun| [test.old, test.new].map(|it| it.games as f64 + it.beyond);
        let ratio = SumRatio::new(&complete.iter().map(|test| of(test)).collect::<Vec<_>>());
        let ratio_with_expected = SumRatio::new(&tests.iter().map(of).collect::<Vec<_>>());
        let (complete, agree) = (complete.len() as u64, agree as u64);
        ReplayOutcome {
            old,
            new,
            tests,
            complete,
            agree,
            games,
            totals,
            ratio,
            ratio_with_expected,
        }
    }
}

fn replayed(stream: &Stream, first: usize, [old, new]: [Replayed; 2]) -> ReplayedRun {
    let pairs = (stream.scores.len().saturating_sub(first)) as u64;
    ReplayedRun { name: stream.name.clone(), from_pair: first as u64 + 1, pairs, old, new }
}

/// The stream that has this pair of all of them, and the pairs before it.
fn stream_at(streams: &[(Stream, Rule, Rule)], pair: usize) -> (&Stream, usize) {
    let mut before = 0;
    let mut latest = (&streams[0].0, 0);
    for (stream, ..) in streams {
        if before > pair {
            break;
        }
        latest = (stream, before);
        before += stream.scores.len();
    }
    latest
}
