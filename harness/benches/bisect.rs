//! How many games a bisection takes, beside halving with an SPRT at each step.
//!
//! `cargo bench -p tench-harness --bench bisect [-- RUNS]`
//!
//! Simulated: one commit of 10, 30 or 100 loses 10, 20 or 40 Elo, half of the games are drawn. Both
//! first see whether the last commit is weaker at all, and both are told to look for 10 Elo or more.
//! Halving asks an SPRT of [0, 10] Elo at each step, with the errors divided by the number of steps;
//! `told` is the same with an SPRT that knows the true loss, which nobody does. Printed as Markdown:
//! mean games, and the share of wrong answers.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

use harness::bisect::posterior::{Answer, Evidence, Posterior, Question};
use harness::stats::{Decision, Model, Pentanomial, Sprt, score_of_elo};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Probability of a wrong answer that is asked for.
const ERROR: f64 = 0.05;

/// Share of drawn games between equals.
const DRAWS: f64 = 0.5;

/// Pairs of a batch, as `harness bisect` has by default.
const BATCH: u64 = 50;

/// Most games of a bisection.
const MOST_GAMES: u64 = 400_000;

/// The engines of a history.
struct History {
    commits: usize,
    /// The first bad commit; `commits`: none.
    first_bad: usize,
    loss: f64,
}

impl History {
    /// Pairs of a commit against the good one.
    fn play(&self, commit: usize, pairs: u64, rng: &mut Pcg64Mcg) -> Pentanomial {
        let elo = if commit >= self.first_bad { -self.loss } else { 0.0 };
        let win = score_of_elo(elo) - DRAWS / 2.0;
        let mut game = || match rng.random::<f64>() {
            at if at < win => 2,
            at if at < win + DRAWS => 1,
            _ => 0,
        };
        let mut counts = Pentanomial::default();
        for _ in 0..pairs {
            counts.0[game() + game()] += 1;
        }
        counts
    }
}

/// The commit that is named, `None` for no loss, and the games that it took.
type Ended = (Option<usize>, u64);

/// The loss that is looked for, in Elo.
const ASKED: f64 = 10.0;

/// Halving: each step is an SPRT.
fn halving(history: &History, rng: &mut Pcg64Mcg) -> Ended {
    halving_with(ASKED, history, rng)
}

/// Halving that is told the loss.
fn told(history: &History, rng: &mut Pcg64Mcg) -> Ended {
    halving_with(history.loss, history, rng)
}

fn halving_with(elo: f64, history: &History, rng: &mut Pcg64Mcg) -> Ended {
    let steps = 1.0 + (history.commits as f64).log2().ceil();
    let rate = ERROR / steps;
    let test = Sprt::new(Model::Logistic, 0.0, elo, rate, rate).expect("sound bounds");
    let mut games = 0;
    let mut is_bad = |commit: usize| {
        let mut counts = Pentanomial::default();
        loop {
            counts += history.play(commit, 8, rng);
            games += 16;
            match test.decide(&counts.reversed()) {
                Some(Decision::Accepted) => return true,
                Some(Decision::Rejected) => return false,
                None => {}
            }
        }
    };
    if !is_bad(history.commits - 1) {
        return (None, games);
    }
    let (mut low, mut high) = (0, history.commits - 1);
    while low < high {
        let middle = (low + high) / 2;
        if is_bad(middle) { high = middle } else { low = middle + 1 }
    }
    (Some(high), games)
}

/// The posterior of `harness bisect`.
fn posterior(history: &History, rng: &mut Pcg64Mcg) -> Ended {
    let question = Question { elo: ASKED, error: ERROR, known_bad: false };
    let mut evidence = vec![Evidence::default(); history.commits];
    let mut games = 0;
    loop {
        let now = Posterior::new(question, &evidence);
        match now.answer() {
            Some(Answer::NoLoss { .. }) => return (None, games),
            Some(Answer::Found { first, .. }) => return (Some(first), games),
            None if games >= MOST_GAMES => return (Some(usize::MAX), games),
            None => {}
        }
        let commit = now.next().expect("none is skipped");
        evidence[commit].pairs += history.play(commit, BATCH, rng);
        evidence[commit].built = true;
        games += 2 * BATCH;
    }
}

fn main() {
    let number = std::env::args().skip(1).find_map(|word| word.parse().ok());
    let runs: u64 = number.unwrap_or(200);
    println!("{runs} runs a row.\n");
    println!("| commits | loss, Elo | posterior: games | wrong | halving | wrong | told | wrong |");
    println!("|---:|---:|---:|---:|---:|---:|---:|---:|");
    for commits in [10, 30, 100] {
        for loss in [10.0, 20.0, 40.0, 0.0] {
            let methods: [fn(&History, &mut Pcg64Mcg) -> Ended; 3] = [posterior, halving, told];
            let cells = methods.map(|method| row(method, commits, loss, runs));
            println!("| {commits} | {loss} | {} |", cells.join(" | "));
        }
    }
}

/// Mean games and the share of wrong answers of a method.
fn row(
    method: fn(&History, &mut Pcg64Mcg) -> Ended,
    commits: usize,
    loss: f64,
    runs: u64,
) -> String {
    let (mut games, mut wrong) = (0, 0);
    for run in 0..runs {
        let mut rng = Pcg64Mcg::seed_from_u64(run);
        let at = rng.random_range(0..commits);
        let first_bad = if loss == 0.0 { commits } else { at };
        let history = History { commits, first_bad, loss: if loss == 0.0 { ASKED } else { loss } };
        let (found, played) = method(&history, &mut rng);
        games += played;
        wrong += u64::from(found != (first_bad < commits).then_some(first_bad));
    }
    let runs = runs as f64;
    format!("{:.0} | {:.1} %", games as f64 / runs, 100.0 * wrong as f64 / runs)
}
