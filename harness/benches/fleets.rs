//! Fleets with liars: false alarms, verdicts turned by lies, pairs until a liar is found.
//!
//! `cargo bench -p tench-harness --bench fleets [-- FLEETS]`
//!
//! Tests of [0, 5] Elo are simulated, played by 3 to 50 workers of different speeds, of whom
//! none or up to 40 % lie. What decides is the harness's own: the counter of the test, the comparison of
//! the workers, and the rule by which a verdict stands. The second table is at fixed nodes, where a share
//! of the pairs is played again by others, and a pair that differs proves the lie.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

use std::ops::ControlFlow;
use std::time::Instant;

use harness::outcome::{Counter, Doubt, Fleet, MatchFacts, Outcome, WorkerGame, worker_text};
use harness::stats::{Decision, GameScore, Model, Sprt, score_of_elo};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Simulated fleets a row: a minute. A night's worth is 2,000.
const FLEETS: u64 = 4;

/// A test that takes more pairs ends undecided.
const MAX_PAIRS: usize = 40_000;

/// Pairs that are kept together, as results arrive.
const BATCH: usize = 8;

/// Shares of pair scores of equal engines: an ultra-fast test of Stockfish, one at a longer control with
/// unbalanced openings, and of weak engines with few draws.
const LAWS: [[f64; 5]; 3] = [
    [0.030, 0.230, 0.480, 0.230, 0.030],
    [0.004, 0.196, 0.600, 0.196, 0.004],
    [0.130, 0.210, 0.320, 0.210, 0.130],
];

/// A kind of liar.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lie {
    /// The other engine's result.
    Flip,
    /// The first pair's result, again and again.
    Copy,
    /// Random results.
    Random,
    /// In one pair of twenty, half a point more for the engine that it favours.
    SmallBias,
    /// Half a point more in every second pair while its engine is ahead.
    OnlyWhenLeading,
    /// All liars are keys of one token: half a point more in one pair of six.
    Colluding,
}

const LIES: [Lie; 6] =
    [Lie::Flip, Lie::Copy, Lie::Random, Lie::SmallBias, Lie::OnlyWhenLeading, Lie::Colluding];

/// A fleet.
#[derive(Clone, Copy, Debug)]
struct Case {
    workers: usize,
    liars: usize,
    lie: Lie,
    /// Whether the tokens of the workers are known.
    has_tokens: bool,
}

/// What became of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Ended {
    verdict: Option<Decision>,
    /// The verdict of the same games without lies.
    truth: Option<Decision>,
    /// Pairs at which the test without lies ends.
    needed: usize,
    /// Pairs played, again or for the first time.
    played: usize,
    /// Pairs of the first liar that was found, when it was.
    until_found: Option<usize>,
    liars_found: usize,
    honest_accused: usize,
}

fn sprt() -> Sprt {
    Sprt::new(Model::Logistic, 0.0, 5.0, 0.05, 0.05).expect("valid")
}

fn facts() -> MatchFacts {
    MatchFacts {
        command: "sprt".to_owned(),
        engines: Vec::new(),
        limit: "nodes=20000".to_owned(),
        games_asked: None,
        openings: None,
        jobs: 1,
        seed: None,
        sprt: Some(sprt()),
        command_line: None,
    }
}

/// A law of equal engines, shifted to this Elo.
fn law_at(law: &[f64; 5], elo: f64) -> [f64; 5] {
    let tilted = |tilt: f64| {
        let weights: [f64; 5] = std::array::from_fn(|at| law[at] * (tilt * at as f64).exp());
        let sum: f64 = weights.iter().sum();
        weights.map(|weight| weight / sum)
    };
    let mean = |law: &[f64; 5]| -> f64 { (0..5).map(|at| law[at] * at as f64 / 4.0).sum() };
    let (mut low, mut high) = (-2.0, 2.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if mean(&tilted(middle)) < score_of_elo(elo) { low = middle } else { high = middle }
    }
    tilted(low)
}

fn draw(law: &[f64; 5], random: &mut Pcg64Mcg) -> usize {
    let mut left: f64 = random.random();
    for (score, share) in law.iter().enumerate() {
        left -= share;
        if left < 0.0 {
            return score;
        }
    }
    2
}

/// The workers of a run.
struct Workers {
    names: Vec<String>,
    speeds: Vec<f64>,
    lies: Vec<bool>,
    is_there: Vec<bool>,
    first: Vec<Option<usize>>,
    pairs: Vec<usize>,
}

impl Workers {
    fn new(case: &Case, random: &mut Pcg64Mcg) -> Workers {
        let lies: Vec<bool> = (0..case.workers).map(|at| at < case.liars).collect();
        let name = |at: usize| {
            let token = if lies[at] && case.lie == Lie::Colluding { 0 } else { at };
            match case.has_tokens {
                true => worker_text(
                    &format!("worker{at}"),
                    &format!("token{token}"),
                    &format!("KEY{at}"),
                ),
                false => format!("worker{at} KEY{at}"),
            }
        };
        Workers {
            names: (0..case.workers).map(name).collect(),
            speeds: (0..case.workers).map(|_| random.random_range(1.0..3.0)).collect(),
            is_there: vec![true; case.workers],
            first: vec![None; case.workers],
            pairs: vec![0; case.workers],
            lies,
        }
    }

    fn next(&self, random: &mut Pcg64Mcg) -> usize {
        let there = || (0..self.names.len()).filter(|&at| self.is_there[at]);
        let all: f64 = there().map(|at| self.speeds[at]).sum();
        let mut left = random.random::<f64>() * all;
        let last = there().next_back().expect("someone is left");
        there()
            .find(|&at| {
                left -= self.speeds[at];
                left < 0.0
            })
            .unwrap_or(last)
    }

    /// What a worker says of a pair. `towards` is the decision that liars want, `ahead` whether the test
    /// is on the way to it.
    fn report(
        &mut self,
        worker: usize,
        truth: usize,
        lie: Lie,
        (towards, ahead): (Decision, bool),
        random: &mut Pcg64Mcg,
    ) -> usize {
        self.pairs[worker] += 1;
        if !self.lies[worker] {
            return truth;
        }
        let more = match towards {
            Decision::Accepted => (truth + 1).min(4),
            Decision::Rejected => truth.saturating_sub(1),
        };
        match lie {
            Lie::Flip => 4 - truth,
            Lie::Copy => *self.first[worker].get_or_insert(truth),
            Lie::Random => random.random_range(0..3) + random.random_range(0..3),
            Lie::SmallBias if random.random_bool(0.05) => more,
            Lie::OnlyWhenLeading if ahead && random.random_bool(0.5) => more,
            Lie::Colluding if random.random_bool(1.0 / 6.0) => more,
            _ => truth,
        }
    }
}

/// One run.
struct Run {
    case: Case,
    /// Share of the pairs that are played again by another: fixed nodes.
    verify: f64,
    workers: Workers,
    law: [f64; 5],
    towards: Decision,
    random: Pcg64Mcg,
    truths: Vec<usize>,
    /// Worker and what it said, by pair.
    results: Vec<(usize, usize)>,
    counter: Counter,
    fleet: Fleet,
    ended: Ended,
}

impl Run {
    fn new(case: Case, seed: u64, verify: f64) -> Run {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        // What the liars want is what is false.
        let (elo, towards) = if seed.is_multiple_of(2) {
            (0.0, Decision::Accepted)
        } else {
            (5.0, Decision::Rejected)
        };
        let law = law_at(&LAWS[(seed / 2) as usize % LAWS.len()], elo);
        let workers = Workers::new(&case, &mut random);
        let (counter, fleet) = (Counter::new(&facts()), Fleet::new(Some(sprt())));
        Run {
            case,
            verify,
            workers,
            law,
            towards,
            random,
            truths: Vec::new(),
            results: Vec::new(),
            counter,
            fleet,
            ended: Ended::default(),
        }
    }

    fn play(mut self) -> Ended {
        self.find_truth();
        loop {
            for _ in 0..BATCH {
                self.next_pair();
            }
            if self.look().is_break() || self.results.len() >= MAX_PAIRS {
                return self.ended;
            }
        }
    }

    fn truth(&mut self, pair: usize) -> usize {
        while self.truths.len() <= pair {
            self.truths.push(draw(&self.law, &mut self.random));
        }
        self.truths[pair]
    }

    /// The verdict of the games without lies.
    fn find_truth(&mut self) {
        let mut counter = Counter::new(&facts());
        for pair in 0..MAX_PAIRS {
            let score = self.truth(pair);
            add(&mut counter, pair, score);
            if counter.is_decided() {
                self.ended.needed = pair + 1;
                self.ended.truth = sprt().decide(&counter.tally().pairs());
                return;
            }
        }
        self.ended.needed = MAX_PAIRS;
    }

    fn next_pair(&mut self) {
        let pair = self.results.len();
        let result = self.result_of(pair);
        self.results.push(result);
        let (worker, said) = result;
        if said != self.truths[pair] && self.random.random_bool(self.verify) {
            self.take_out(&[worker]);
            return;
        }
        self.count(pair);
    }

    fn result_of(&mut self, pair: usize) -> (usize, usize) {
        let truth = self.truth(pair);
        let pairs = self.counter.tally().pairs();
        let mean = pairs.mean().unwrap_or(0.5);
        // Half of the way between the hypotheses.
        let ahead = match self.towards {
            Decision::Accepted => mean > 0.501,
            Decision::Rejected => mean < 0.501,
        };
        let worker = self.workers.next(&mut self.random);
        let what = (self.towards, ahead);
        let said = self.workers.report(worker, truth, self.case.lie, what, &mut self.random);
        self.ended.played += 1;
        (worker, said)
    }

    fn count(&mut self, pair: usize) {
        let (worker, said) = self.results[pair];
        add(&mut self.counter, pair, said);
        for half in halves(said) {
            self.fleet.add(&WorkerGame {
                worker: &self.workers.names[worker],
                stratum: "",
                pair: pair as u64,
                first_half_points: half,
                is_fault: false,
            });
        }
    }

    /// Takes out who is found, and ends when a verdict stands.
    fn look(&mut self) -> ControlFlow<()> {
        let decided = self.counter.is_decided();
        let is_time = self.fleet.is_time();
        let suspects = if is_time || decided { self.fleet.tally().suspects() } else { Vec::new() };
        if !suspects.is_empty() {
            let out = suspects.iter().map(|suspect| {
                let found = self.workers.names.iter().position(|name| *name == suspect.worker);
                found.expect("one of them")
            });
            let out: Vec<usize> = out.collect();
            self.take_out(&out);
            return ControlFlow::Continue(());
        }
        if !decided {
            return ControlFlow::Continue(());
        }
        let decision = sprt().decide(&self.counter.tally().pairs()).expect("it is decided");
        match self.fleet.doubt(true) {
            Some(Doubt::Hinges(_)) => ControlFlow::Continue(()),
            Some(_) => ControlFlow::Break(()),
            None => {
                self.ended.verdict = Some(decision);
                ControlFlow::Break(())
            }
        }
    }

    fn take_out(&mut self, out: &[usize]) {
        for &worker in out {
            self.workers.is_there[worker] = false;
            if self.workers.lies[worker] {
                self.ended.liars_found += 1;
                self.ended.until_found.get_or_insert(self.workers.pairs[worker]);
            } else {
                self.ended.honest_accused += 1;
            }
        }
        assert!(self.workers.is_there.contains(&true), "someone is left");
        self.counter = Counter::new(&facts());
        self.fleet = Fleet::new(Some(sprt()));
        for pair in 0..self.results.len() {
            if out.contains(&self.results[pair].0) {
                self.results[pair] = self.result_of(pair);
            }
        }
        for pair in 0..self.results.len() {
            self.count(pair);
        }
    }
}

fn halves(score: usize) -> [u8; 2] {
    [(score / 2) as u8, (score - score / 2) as u8]
}

fn add(counter: &mut Counter, pair: usize, score: usize) {
    for half in halves(score) {
        counter.add(Outcome {
            pair: pair as u64,
            first: String::new(),
            second: String::from("b"),
            score: GameScore::from_half_points(half).expect("at most 2"),
            termination: String::from("checkmate"),
        });
    }
}

/// Cases of the table: honest fleets, then each kind of lie.
fn cases() -> Vec<Case> {
    let honest = [2, 3, 5, 10, 50];
    let case = |workers, liars, lie, has_tokens| Case { workers, liars, lie, has_tokens };
    let mut cases: Vec<Case> =
        honest.into_iter().map(|workers| case(workers, 0, Lie::Flip, false)).collect();
    for lie in LIES {
        for (workers, liars) in [(3, 1), (10, 1), (10, 4), (50, 20)] {
            cases.push(case(workers, liars, lie, false));
        }
    }
    cases.push(case(10, 4, Lie::Colluding, true));
    cases.push(case(50, 20, Lie::Colluding, true));
    cases
}

fn main() {
    let number = std::env::args().skip(1).find_map(|word| word.parse().ok());
    let number = number.or_else(|| std::env::var("FLEETS").ok()?.parse().ok());
    let fleets: u64 = number.unwrap_or(FLEETS).max(1);
    let begun = Instant::now();
    for verify in [0.0, 0.02] {
        println!(
            "{fleets} fleets a row; {} % of the pairs played again by others.\n",
            100.0 * verify
        );
        println!(
            "| lie | workers | liars | turned | undecided | pairs | until found | found | accused |"
        );
        println!("|---|---|---|---|---|---|---|---|---|");
        for case in cases().into_iter().filter(|case| verify == 0.0 || case.liars > 0) {
            let ended: Vec<Ended> =
                (0..fleets).map(|seed| Run::new(case, seed, verify).play()).collect();
            print_row(&case, &ended);
        }
        println!();
    }
    println!(
        "turned: verdicts that are not those of the games without lies. pairs: those played over"
    );
    println!("those that the test takes without lies. until found: of the first liar, median.");
    println!("found: of the liars. accused: fleets with an honest worker that was taken out.");
    println!("{:.0} s", begun.elapsed().as_secs_f64());
}

fn print_row(case: &Case, ended: &[Ended]) {
    let percent = |what: &dyn Fn(&Ended) -> bool| {
        let count = ended.iter().filter(|it| what(it)).count();
        format!("{:.1} %", 100.0 * count as f64 / ended.len() as f64)
    };
    let sum = |what: &dyn Fn(&Ended) -> usize| ended.iter().map(what).sum::<usize>() as f64;
    let mut until: Vec<usize> = ended.iter().filter_map(|it| it.until_found).collect();
    until.sort_unstable();
    let until = until.get(until.len() / 2).map_or("-".to_owned(), |pairs| pairs.to_string());
    let liars = (case.liars * ended.len()) as f64;
    let found = match case.liars {
        0 => "-".to_owned(),
        _ => format!("{:.0} %", 100.0 * sum(&|it| it.liars_found) / liars),
    };
    let lie = match (case.liars, case.lie) {
        (0, _) => "none",
        (_, Lie::Flip) => "flip",
        (_, Lie::Copy) => "copy",
        (_, Lie::Random) => "random",
        (_, Lie::SmallBias) => "small bias",
        (_, Lie::OnlyWhenLeading) => "only when leading",
        (_, Lie::Colluding) if case.has_tokens => "colluding, one token",
        (_, Lie::Colluding) => "colluding",
    };
    println!(
        "| {lie} | {} | {} | {} | {} | {:.2} | {until} | {found} | {} |",
        case.workers,
        case.liars,
        percent(&|it| it.verdict.is_some() && it.truth.is_some() && it.verdict != it.truth),
        percent(&|it| it.verdict.is_none()),
        sum(&|it| it.played) / sum(&|it| it.needed),
        percent(&|it| it.honest_accused > 0),
    );
}
