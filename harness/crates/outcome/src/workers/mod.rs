//! Contribution of each worker to a run, and whether its results differ from those of the others.
//!
//! [`WorkerTally`] sums up the games by worker; [`Fleet`] watches them while a run is played, and says
//! whose results must not count, and whether a verdict stands.

mod evidence;
mod fleet;
mod name;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use self::evidence::{Counts, Parts, Stratum};
pub use self::fleet::{Doubt, Fleet, Party};
pub use self::name::{name_and_key, token_of, worker_text};

/// Probability below which results are not chance: of a fleet of honest workers, one in 1,000 has a worker
/// that is named in the whole of a run.
pub const SUSPICIOUS: f64 = 0.001;

/// Fewest pairs of a run at which workers are compared.
const MIN_PAIRS: u64 = 8;

/// The part of one worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerShare {
    /// Its name.
    pub name: String,
    /// Its public key.
    pub key: String,
    /// Finished pairs.
    pub pairs: u64,
    /// Its pairs by pair score 0, 1/2, 1, 3/2, 2 of the first engine.
    pub pentanomial: [u64; 5],
    /// Games that ended by an engine's fault.
    pub faults: u64,
    /// Bound of the probability that its results, or those of a group that it belongs to, ever differ as
    /// much from those of the others by chance, among all workers; `None` if there are too few pairs.
    pub results_p: Option<f64>,
    /// The same of as many faults.
    pub faults_p: Option<f64>,
}

impl WorkerShare {
    /// Whether its results or faults are not chance.
    pub fn is_suspicious(&self) -> bool {
        let is_low = |p: Option<f64>| p.is_some_and(|p| p < SUSPICIOUS);
        is_low(self.results_p) || is_low(self.faults_p)
    }

    /// The first letters of its key, as it is shown.
    pub fn short_key(&self) -> &str {
        self.key.get(..9).unwrap_or(&self.key)
    }
}

/// A worker whose results were taken out of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenOut {
    /// Its name.
    pub name: String,
    /// Its public key.
    pub key: String,
    /// Games that were taken out, to be played again by others.
    pub games: u64,
    /// Why.
    pub reason: String,
}

impl TakenOut {
    /// In words.
    pub fn warning(&self) -> String {
        let TakenOut { name, key, games, reason } = self;
        let key = key.get(..9).unwrap_or(key);
        format!("{games} games of worker {name} ({key}) were taken out and played again: {reason}")
    }
}

/// A worker whose results must not count.
#[derive(Clone, Debug, PartialEq)]
pub struct Suspect {
    /// Name and key, as the ledger has it.
    pub worker: String,
    /// Why.
    pub reason: String,
}

/// A game as it counts for its worker.
#[derive(Clone, Copy, Debug)]
pub struct WorkerGame<'a> {
    /// As the ledger has it ([`worker_text`]). Workers of one token are also compared together.
    pub worker: &'a str,
    /// Results with the same label are comparable: the engines, or the trials of a tuner that were played
    /// at the same time.
    pub stratum: &'a str,
    /// The pair.
    pub pair: u64,
    /// Half points of the first engine.
    pub first_half_points: u8,
    /// Whether an engine's fault ended it.
    pub is_fault: bool,
}

/// Sums up the games of a run by worker.
#[derive(Clone, Debug, Default)]
pub struct WorkerTally {
    workers: BTreeMap<String, Sums>,
    /// First games of pairs whose second is missing, by worker and pair.
    halves: HashMap<(String, u64), u8>,
}

/// Sums of one worker.
#[derive(Clone, Debug, Default)]
struct Sums {
    strata: BTreeMap<String, Counts>,
    games: u64,
    faults: u64,
}

impl Sums {
    fn pentanomial(&self) -> Counts {
        self.strata
            .values()
            .fold([0; 5], |sum, counts| std::array::from_fn(|at| sum[at] + counts[at]))
    }

    fn pairs(&self) -> u64 {
        self.pentanomial().iter().sum()
    }
}

impl WorkerTally {
    /// Adds a game; gives the pair score once the pair is complete.
    pub fn add(&mut self, game: &WorkerGame<'_>) -> Option<usize> {
        let sums = match self.workers.get_mut(game.worker) {
            Some(sums) => sums,
            None => self.workers.entry(game.worker.to_owned()).or_default(),
        };
        sums.games += 1;
        sums.faults += u64::from(game.is_fault);
        let half = (game.worker.to_owned(), game.pair);
        let Some(first) = self.halves.remove(&half) else {
            self.halves.insert(half, game.first_half_points);
            return None;
        };
        let score = usize::from(first + game.first_half_points).min(4);
        let counts = match sums.strata.get_mut(game.stratum) {
            Some(counts) => counts,
            None => sums.strata.entry(game.stratum.to_owned()).or_default(),
        };
        counts[score] += 1;
        Some(score)
    }

    /// Complete pairs of all workers.
    pub fn pairs(&self) -> u64 {
        self.workers.values().map(Sums::pairs).sum()
    }

    /// The shares, by name.
    pub fn shares(&self) -> Vec<WorkerShare> {
        let evidence = self.compare(&mut Vec::new());
        let share = |(at, (worker, sums)): (usize, (&String, &Sums))| {
            let (name, key) = name_and_key(worker);
            let pentanomial = sums.pentanomial();
            let [results, faults] = evidence[at];
            let p = |log: Option<f64>| log.map(|log| (-log).exp().min(1.0));
            WorkerShare {
                name: name.to_owned(),
                key: key.to_owned(),
                pairs: pentanomial.iter().sum(),
                pentanomial,
                faults: sums.faults,
                results_p: p(results),
                faults_p: p(faults),
            }
        };
        self.workers.iter().enumerate().map(share).collect()
    }

    /// The workers whose results must not count.
    pub fn suspects(&self) -> Vec<Suspect> {
        let mut suspects = Vec::new();
        self.compare(&mut suspects);
        suspects
    }

    /// Logarithms of the evidence against each worker, by results and by faults. The most conspicuous part
    /// of the workers is left out, then the others are compared again: what a liar has sent makes the
    /// others differ.
    fn compare(&self, suspects: &mut Vec<Suspect>) -> Vec<[Option<f64>; 2]> {
        let mut evidence = vec![[None; 2]; self.workers.len()];
        let mut left: Vec<usize> = (0..self.workers.len()).collect();
        loop {
            let round = Round::new(self, &left);
            let found = round.conspicuous();
            for (at, worker) in left.iter().enumerate() {
                evidence[*worker] = round.evidence_of(at, &found);
            }
            let Some(found) = found else { return evidence };
            suspects.extend(found.workers.iter().map(|&at| Suspect {
                worker: round.names[at].to_owned(),
                reason: found.reason.to_owned(),
            }));
            let out: Vec<usize> = found.workers.iter().map(|&at| left[at]).collect();
            left.retain(|worker| !out.contains(worker));
        }
    }

    /// Two sides of which one lies, where it is unknown which: names of the smaller one.
    pub fn undecidable(&self) -> Option<Vec<String>> {
        let mut left: Vec<usize> = (0..self.workers.len()).collect();
        loop {
            let round = Round::new(self, &left);
            if let Some(found) = round.conspicuous() {
                let out: Vec<usize> = found.workers.iter().map(|&at| left[at]).collect();
                left.retain(|worker| !out.contains(worker));
                continue;
            }
            let part = round.strongest()?;
            return Some(part.workers.iter().map(|&at| round.names[at].to_owned()).collect());
        }
    }
}

/// One comparison of the workers that are left.
struct Round<'a> {
    names: Vec<&'a str>,
    pairs: Vec<u64>,
    /// The party that each belongs to: its token, or itself.
    parties: Vec<usize>,
    /// Whether they are tokens: then of two parties neither is believed, however many pairs one has. Who
    /// makes them up is fast.
    are_tokens: bool,
    strata: Vec<Stratum>,
    parts: Vec<evidence::Part>,
    faults: Vec<f64>,
}

/// Workers that are accused together.
struct Conspicuous {
    workers: Vec<usize>,
    log_evidence: [Option<f64>; 2],
    reason: &'static str,
}

impl<'a> Round<'a> {
    fn new(tally: &'a WorkerTally, left: &[usize]) -> Round<'a> {
        let all: Vec<(&String, &Sums)> = tally.workers.iter().collect();
        let of: Vec<(&'a String, &'a Sums)> = left.iter().map(|&at| all[at]).collect();
        let names: Vec<&str> = of.iter().map(|(name, _)| name.as_str()).collect();
        let pairs: Vec<u64> = of.iter().map(|(_, sums)| sums.pairs()).collect();
        let Parties { of_each: parties, of_tokens: tokens, are_tokens } = Parties::new(&names);
        let mut strata: BTreeMap<&str, Vec<Counts>> = BTreeMap::new();
        for (at, (_, sums)) in of.iter().enumerate() {
            for (stratum, counts) in &sums.strata {
                let rows = strata.entry(stratum).or_insert_with(|| vec![[0; 5]; of.len()]);
                rows[at] = *counts;
            }
        }
        let enough = of.len() >= 2 && pairs.iter().sum::<u64>() >= MIN_PAIRS;
        let strata: Vec<Stratum> = strata.into_values().map(Stratum::new).collect();
        let parts = Parts { workers: of.len(), tokens: &tokens };
        let parts = if enough { evidence::results(&strata, &parts) } else { Vec::new() };
        let games: Vec<[u64; 2]> =
            of.iter().map(|(_, sums)| [sums.faults, sums.games - sums.faults]).collect();
        let faults = if enough { evidence::faults(&games) } else { Vec::new() };
        Round { names, pairs, parties, are_tokens, strata, parts, faults }
    }

    /// The smaller side of the split with the strongest evidence. Where neither is clearly smaller, no worker
    /// is accused: a weaker split would be between workers that agree, next to one that does not.
    fn conspicuous(&self) -> Option<Conspicuous> {
        let is_strong = |log: f64| log > -SUSPICIOUS.ln();
        let part = self.strongest().and_then(|part| {
            let own = evidence::accused(&self.strata, part);
            let others = (0..self.names.len()).filter(|at| !part.workers.contains(at)).collect();
            let sides = [own, others];
            let smaller = sides.into_iter().find(|side: &Vec<usize>| self.is_minority(side))?;
            Some((part, smaller))
        });
        let faulty = (0..self.faults.len()).filter(|&at| is_strong(self.faults[at]));
        let faulty = faulty.max_by(|&a, &b| self.faults[a].total_cmp(&self.faults[b]));
        match (part, faulty) {
            (Some((part, workers)), faulty)
                if faulty.is_none_or(|at| self.faults[at] <= part.log_evidence) =>
            {
                Some(Conspicuous {
                    workers,
                    log_evidence: [Some(part.log_evidence), None],
                    reason: "its results differ from those of the others",
                })
            }
            (_, Some(at)) => Some(Conspicuous {
                workers: vec![at],
                log_evidence: [None, Some(self.faults[at])],
                reason: "it had many more faults of engines than the others",
            }),
            (_, None) => None,
        }
    }

    /// The part that differs most from the others, if it does.
    fn strongest(&self) -> Option<&evidence::Part> {
        let strong = self.parts.iter().filter(|part| part.log_evidence > -SUSPICIOUS.ln());
        strong.max_by(|a, b| a.log_evidence.total_cmp(&b.log_evidence))
    }

    /// Whether a part is the smaller side, by its pairs and by its parties: a fast liar has many pairs, and
    /// keys cost nothing. Of two workers, the one with few pairs.
    fn is_minority(&self, part: &[usize]) -> bool {
        let all: u64 = self.pairs.iter().sum();
        let own: u64 = part.iter().map(|&at| self.pairs[at]).sum();
        let parties = |is_of_part: bool| {
            let workers = (0..self.names.len()).filter(|at| part.contains(at) == is_of_part);
            workers.map(|at| self.parties[at]).collect::<BTreeSet<usize>>().len()
        };
        let [of_part, of_rest] = [true, false].map(parties);
        if part.is_empty() {
            return false;
        }
        if self.are_tokens {
            return 2 * own < all && of_part < of_rest;
        }
        (2 * own < all && of_part < of_rest) || (3 * own < all && of_part <= of_rest)
    }

    /// Logarithms of the evidence against one worker, by results and by faults.
    fn evidence_of(&self, at: usize, found: &Option<Conspicuous>) -> [Option<f64>; 2] {
        let faults = self.faults.get(at).copied();
        if let Some(found) = found.as_ref().filter(|found| found.workers.contains(&at)) {
            let [results, by_faults] = found.log_evidence;
            let own = self.parts.get(at).map(|part| part.log_evidence);
            return [results.or(own), by_faults.or(faults)];
        }
        [self.parts.get(at).map(|part| part.log_evidence), faults]
    }
}

/// Workers that count as one.
struct Parties {
    /// The party of each worker.
    of_each: Vec<usize>,
    /// The workers of each token that has several.
    of_tokens: Vec<Vec<usize>>,
    /// Whether the parties are tokens. Where all workers are of one, each is a party of its own.
    are_tokens: bool,
}

impl Parties {
    fn new(names: &[&str]) -> Parties {
        let mut by_token: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, worker) in names.iter().enumerate() {
            by_token.entry(token_of(worker).unwrap_or(worker)).or_default().push(at);
        }
        if by_token.len() == 1 {
            let of_each = (0..names.len()).collect();
            return Parties { of_each, of_tokens: Vec::new(), are_tokens: false };
        }
        let mut of_each = vec![0; names.len()];
        for (party, workers) in by_token.values().enumerate() {
            workers.iter().for_each(|&at| of_each[at] = party);
        }
        let are_tokens = names.iter().any(|worker| token_of(worker).is_some());
        let of_tokens = by_token.into_values().filter(|workers| workers.len() > 1).collect();
        Parties { of_each, of_tokens, are_tokens }
    }
}

#[cfg(test)]
mod tests;
