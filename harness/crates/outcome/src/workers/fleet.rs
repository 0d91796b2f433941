//! The workers of a run while it is played: whose results must not count, and whether a verdict stands.

use std::collections::{BTreeMap, BTreeSet};

use statrs::distribution::{ContinuousCDF, Normal};

use super::{WorkerGame, WorkerTally, name_and_key, token_of};

use harness_stats::{Decision, Pentanomial, Sprt};

/// The workers are compared again when there are more pairs by this factor.
const LOOK_FACTOR: f64 = 1.08;

/// Whose results are left out on trial: keys cost nothing, so that the workers of a token are one party as
/// well as each of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Party {
    /// A worker, as the ledger has it.
    Worker(String),
    /// All workers of a token.
    Token(String),
}

impl Party {
    /// In words.
    fn text(&self) -> String {
        match self {
            Party::Worker(worker) => format!("worker {}", short(worker)),
            Party::Token(token) => format!("the workers of the token {token}"),
        }
    }
}

/// Name of a worker with the beginning of its key.
fn short(worker: &str) -> String {
    let (name, key) = name_and_key(worker);
    if key.is_empty() {
        return name.to_owned();
    }
    format!("{name} ({})", key.get(..9).unwrap_or(key))
}

/// Why a verdict does not stand, or not yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Without the results of one party the test is undecided: to be played on.
    Hinges(Party),
    /// Without the results of one party the test decides the other way.
    Contradicted(Party),
    /// Two sides differ, and neither is clearly the smaller one: names of one side.
    Undecidable(Vec<String>),
}

impl Doubt {
    /// In words.
    pub fn text(&self) -> String {
        match self {
            Doubt::Hinges(party) => format!(
                "the verdict hinges on {}, whose results are better for it than those of the others; \
                 without them the test is undecided",
                party.text()
            ),
            Doubt::Contradicted(party) => format!(
                "the verdict hinges on {}; without these results the test decides the other way",
                party.text()
            ),
            Doubt::Undecidable(workers) => {
                let names: Vec<String> = workers.iter().map(|worker| short(worker)).collect();
                format!(
                    "the results of {} differ from those of the others, and it is unknown which \
                     side is right: quarantine one (`harness workers --quarantine`), and resume",
                    names.join(", ")
                )
            }
        }
    }
}

/// Least LLR at which the results of some speak for a verdict, or against it.
const NARROWEST: f64 = 0.5;

/// Follows the games of workers.
#[derive(Clone, Debug, Default)]
pub struct Fleet {
    tally: WorkerTally,
    sprt: Option<Sprt>,
    next_look: f64,
    /// The pair that counts next for the test.
    next: u64,
    /// Complete pairs whose turn has not come: worker and pair score.
    waiting: BTreeMap<u64, (String, usize)>,
    /// Pairs that count, by party.
    parties: BTreeMap<Party, Pentanomial>,
    all: Pentanomial,
    /// Of the first pairs that decide the test.
    decision: Option<Decision>,
    /// Parties that leant towards the verdict at one time: else it would stand as soon as chance lets them
    /// lean less.
    leaning: BTreeSet<Party>,
}

impl Fleet {
    /// For a run with this test, or none.
    pub fn new(sprt: Option<Sprt>) -> Fleet {
        Fleet { sprt, next_look: 1.0, ..Fleet::default() }
    }

    /// From pair `first` on, the games are those of a test; for a run that had none until then.
    pub fn begin_test(&mut self, sprt: Sprt, first: u64) {
        (self.sprt, self.next) = (Some(sprt), first);
    }

    /// Adds a game.
    pub fn add(&mut self, game: &WorkerGame<'_>) {
        let Some(score) = self.tally.add(game) else { return };
        if self.sprt.is_none() || game.pair < self.next {
            return;
        }
        self.waiting.insert(game.pair, (game.worker.to_owned(), score));
        while let Some((worker, score)) = self.waiting.remove(&self.next) {
            self.next += 1;
            self.all.0[score] += 1;
            let token = token_of(&worker).map(|token| Party::Token(token.to_owned()));
            for party in [Some(Party::Worker(worker)), token].into_iter().flatten() {
                self.parties.entry(party).or_default().0[score] += 1;
            }
            if self.decision.is_none() {
                self.decision = self.sprt.and_then(|sprt| sprt.decide(&self.all));
            }
        }
    }

    /// The games by worker.
    pub fn tally(&self) -> &WorkerTally {
        &self.tally
    }

    /// Whether the workers are to be compared again.
    pub fn is_time(&mut self) -> bool {
        let pairs = self.tally.pairs() as f64;
        let is_time = pairs >= self.next_look;
        if is_time {
            self.next_look = (pairs * LOOK_FACTOR).max(pairs + 1.0);
        }
        is_time
    }

    /// Why the result of the run does not stand. Asked when no worker is suspected.
    pub fn doubt(&mut self, is_decided: bool) -> Option<Doubt> {
        let by_test = if is_decided { self.doubt_of_test() } else { None };
        by_test.or_else(|| self.tally.undecidable().map(Doubt::Undecidable))
    }

    /// Without the results of each party that leans towards the verdict, the test must reach it as well.
    ///
    /// Then a party with less than half of the pairs turns a verdict only if it hides in the noise: the
    /// others reach the wrong bound with probability alpha, or it leans less than chance does.
    pub(super) fn doubt_of_test(&mut self) -> Option<Doubt> {
        let sprt = self.sprt.as_ref()?;
        let all = self.all.pairs();
        // The verdict has to stand without them where the bounds are after all pairs: bounds that fall are
        // further away after fewer. Where they have nearly met, the sign of the LLR alone says little.
        let [lower, upper] = sprt.bounds_at(all as f64);
        let [lower, upper] = [lower.min(-NARROWEST), upper.max(NARROWEST)];
        let is_last = sprt.last_pair().is_some_and(|last| all >= last);
        let decision = self.decision?;
        let leaning = leaning(self.parties.len());
        let mut weakest: Option<(f64, &Party)> = None;
        for (party, own) in &self.parties {
            let rest = Pentanomial(std::array::from_fn(|at| self.all.0[at] - own.0[at]));
            if 2 * own.pairs() >= all {
                continue;
            }
            if lean(own, &rest, decision) >= leaning {
                self.leaning.insert(party.clone());
            }
            if !self.leaning.contains(party) {
                continue;
            }
            let Some(llr) = sprt.llr(&rest) else { continue };
            let reached = match (decision, llr > 0.0) {
                (Decision::Accepted, true) => llr / upper,
                (Decision::Accepted, false) => -llr / lower,
                (Decision::Rejected, true) => -llr / upper,
                (Decision::Rejected, false) => llr / lower,
            };
            if weakest.is_none_or(|(least, _)| reached < least) {
                weakest = Some((reached, party));
            }
        }
        match weakest {
            Some((reached, party)) if reached <= -1.0 => Some(Doubt::Contradicted(party.clone())),
            // No more pairs are to come that would tell.
            Some((reached, party)) if reached < 1.0 && !is_last => {
                Some(Doubt::Hinges(party.clone()))
            }
            _ => None,
        }
    }
}

/// By how many standard deviations a party's results are better for the decision than those of the rest.
fn lean(own: &Pentanomial, rest: &Pentanomial, decision: Decision) -> f64 {
    let all = *own + *rest;
    let (Some(a), Some(b), Some(variance)) = (own.mean(), rest.mean(), all.variance()) else {
        return 0.0;
    };
    let error = variance * (1.0 / own.pairs() as f64 + 1.0 / rest.pairs() as f64);
    let z = (a - b) / error.sqrt().max(f64::MIN_POSITIVE);
    if decision == Decision::Accepted { z } else { -z }
}

/// Standard deviations from which one of this number of parties leans towards a verdict: chance alone makes one of
/// them lean in one of fifty fleets.
fn leaning(parties: usize) -> f64 {
    Normal::standard().inverse_cdf(1.0 - LEANING / parties.max(1) as f64)
}

/// Share of honest fleets in which a party leans at one time.
const LEANING: f64 = 0.02;
