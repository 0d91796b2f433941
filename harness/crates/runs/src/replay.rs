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
use harness_stats::{Replayed, Sprt, SumRatio};

/// Pairs of two players in their order.
pub struct Stream {
    /// The run or the file.
    pub name: String,
    /// Half points of each pair of the first player, 0 to 4.
    pub scores: Vec<u8>,
    /// The test that they were played for.
    pub sprt: Option<Sprt>,
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
        Ok(Stream { name: run.id.clone(), scores, sprt: facts.sprt })
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
        Ok(Stream { name, scores: duel.scores, sprt: None })
    }
}

/// The part of a plan that says whose games they are.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Head {
    facts: Option<MatchFacts>,
}

/// A test, with its number of pairs if it has one.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The test.
    pub sprt: Sprt,
    /// Most pairs.
    pub max: Option<u64>,
}

/// One stream under two rules.
#[derive(Clone, Debug, Serialize)]
pub struct ReplayedRun {
    /// The run or the file.
    pub name: String,
    /// Pairs of the stream.
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
    /// Games by the new rule over games by the old one, of the complete tests.
    pub ratio: Option<SumRatio>,
    /// The same of all tests, where pairs run out with the games that are expected beyond.
    pub ratio_with_expected: Option<SumRatio>,
}

impl ReplayOutcome {
    /// Replays streams, each with its old rule and its new one. `None` without a stream.
    pub fn new(streams: &[(Stream, Rule, Rule)]) -> Option<ReplayOutcome> {
        let (_, old, new) = streams.first()?;
        let (old, new) = (old.sprt, new.sprt);
        let tests: Vec<ReplayedRun> = streams
            .iter()
            .map(|(stream, old, new)| {
                let [old, new] =
                    [old, new].map(|rule| Replayed::new(&rule.sprt, &stream.scores, rule.max));
                let pairs = stream.scores.len() as u64;
                ReplayedRun { name: stream.name.clone(), pairs, old, new }
            })
            .collect();
        let is_complete = |test: &&ReplayedRun| !test.old.open && !test.new.open;
        let complete: Vec<&ReplayedRun> = tests.iter().filter(is_complete).collect();
        let sum = |of: fn(&ReplayedRun) -> u64| complete.iter().map(|test| of(test)).sum::<u64>();
        let games = [sum(|test| test.old.games), sum(|test| test.new.games)];
        let agree = complete.iter().filter(|test| test.old.verdict == test.new.verdict).count();
        let of = |test: &ReplayedRun| [test.old, test.new].map(|it| it.games as f64 + it.beyond);
        let ratio = SumRatio::new(&complete.iter().map(|test| of(test)).collect::<Vec<_>>());
        let ratio_with_expected = SumRatio::new(&tests.iter().map(of).collect::<Vec<_>>());
        let (complete, agree) = (complete.len() as u64, agree as u64);
        Some(ReplayOutcome { old, new, tests, complete, agree, games, ratio, ratio_with_expected })
    }
}
