//! Costs and error rates of a race, beside other ways to find the best of several candidates.
//!
//! Results are drawn from a model of which everything is known: engines of which some are better than the
//! base by `elo1` and the others by `elo0`, games of which a given share is drawn and which are independent of
//! each other. The race is that of [`Race`]; the SPRTs of the other ways are random walks of the same results
//! with their likelihood ratio for a known spread.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::RngCore;
use serde::Serialize;
use strum::EnumMessage;

use super::{Ask, BASE, Race, RaceRule};
use crate::elo::sigma_of_draws;
use crate::random::stream;
use crate::sequential::sprt::{Decision, Sprt, SprtError};
use crate::summary::Verdict;

/// Pairs of a short match: 1,000 games.
const SHORT_MATCH: u64 = 500;

/// A way to find the best of several candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[derive(strum::EnumMessage, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// A race.
    #[strum(message = "race")]
    Race,
    /// Each candidate has an SPRT of its own, with the error rates of one.
    #[strum(message = "an SPRT each")]
    SprtEach,
    /// Each has its own, with alpha divided by their number (C. Bonferroni).
    #[strum(message = "an SPRT each, alpha / k")]
    SprtEachCorrected,
    /// The winner of matches of 1,000 games with the base has an SPRT, which begins with these games.
    #[strum(message = "best of matches, its games counted")]
    MatchesCounted,
    /// The same, by an SPRT that begins with none of them.
    #[strum(message = "best of matches, then an SPRT")]
    MatchesThenSprt,
}

/// A question: candidates of known strength.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Scenario {
    /// Candidates.
    pub candidates: usize,
    /// How many of them are better than the base by `elo1`.
    pub good: usize,
    /// Elo of the others above the base.
    pub others: f64,
}

/// Cost and error rates of a way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// The way.
    pub way: Way,
    /// Mean number of games.
    pub games: f64,
    /// Number of games of which 95 % of the runs need fewer.
    pub games95: f64,
    /// Share of the runs in which a candidate passes that is not better than the base by more than `elo0`.
    pub false_passes: f64,
    /// Share of the runs in which none of the good ones passes; `None` without a good one.
    pub missed: Option<f64>,
}

/// The costs of all ways.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The candidates.
    #[serde(flatten)]
    pub scenario: Scenario,
    /// By way.
    pub costs: Vec<Cost>,
}

/// A plan of races: the costs of some scenarios.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RacePlan {
    /// The question.
    pub test: Sprt,
    /// Share of games that are drawn.
    pub draw_ratio: f64,
    /// Runs of each way.
    pub simulations: u64,
    /// By scenario.
    pub comparisons: Vec<Comparison>,
}

/// The scenarios of this number of candidates: all worse than the base, none better, one and two good ones.
pub fn scenarios(candidates: usize, test: &Sprt) -> Vec<Scenario> {
    let step = test.elo1 - test.elo0;
    let worse = Scenario { candidates, good: 0, others: test.elo0 - step };
    let good = (0..=candidates.min(2)).map(|good| Scenario { candidates, good, others: test.elo0 });
    std::iter::once(worse).chain(good).collect()
}

/// Simulates all ways, `simulations` runs of each; `draw_ratio` is the share of drawn games. `done` is called after
/// each run.
///
/// # Errors
/// When the hypotheses or error rates are none.
pub fn compare(
    test: Sprt,
    draw_ratio: f64,
    scenario: Scenario,
    simulations: u64,
    done: &mut dyn FnMut(),
) -> Result<Comparison, SprtError> {
    let ways = [
        Way::Race,
        Way::SprtEach,
        Way::SprtEachCorrected,
        Way::MatchesCounted,
        Way::MatchesThenSprt,
    ];
    let model = Results::new(test, draw_ratio, scenario);
    let mut runs: Vec<Vec<Run>> = vec![Vec::new(); ways.len()];
    for number in 0..simulations {
        for (&way, runs) in ways.iter().zip(&mut runs) {
            let random = &mut stream("race", number, way as u64);
            runs.push(way.run(&model, random)?);
        }
        done();
    }
    let costs = ways.iter().zip(runs).map(|(&way, runs)| cost(way, &scenario, runs)).collect();
    Ok(Comparison { scenario, costs })
}

fn cost(way: Way, scenario: &Scenario, mut runs: Vec<Run>) -> Cost {
    runs.sort_by_key(|run| run.pairs);
    let count = runs.len().max(1) as f64;
    let share = |of: fn(&Run) -> bool| runs.iter().filter(|run| of(run)).count() as f64 / count;
    let at95 = runs.get(runs.len() * 95 / 100).map_or(0, |run| run.pairs);
    Cost {
        way,
        games: 2.0 * runs.iter().map(|run| run.pairs as f64).sum::<f64>() / count,
        games95: 2.0 * at95 as f64,
        false_passes: share(|run| run.bad_passed),
        missed: (scenario.good > 0).then(|| share(|run| !run.good_passed)),
    }
}

/// A simulated run.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    pairs: u64,
    bad_passed: bool,
    good_passed: bool,
}

impl Run {
    fn pass(&mut self, candidate: usize, results: &Results) {
        match results.is_good(candidate) {
            true => self.good_passed = true,
            false => self.bad_passed = true,
        }
    }
}

impl Way {
    /// In words.
    pub fn text(self) -> &'static str {
        self.get_message().unwrap_or_else(|| self.into())
    }

    fn run(self, results: &Results, random: &mut Pcg64Mcg) -> Result<Run, SprtError> {
        let candidates = results.scenario.candidates;
        let Sprt { model, elo0, elo1, alpha, beta, .. } = results.test;
        match self {
            Way::Race => race(results, random),
            Way::SprtEach => Ok(each(results, results.test, random)),
            Way::SprtEachCorrected => {
                let alpha = alpha / candidates as f64;
                Ok(each(results, Sprt::new(model, elo0, elo1, alpha, beta)?, random))
            }
            Way::MatchesCounted => Ok(best_of_matches(results, true, random)),
            Way::MatchesThenSprt => Ok(best_of_matches(results, false, random)),
        }
    }
}

fn race(results: &Results, random: &mut Pcg64Mcg) -> Result<Run, SprtError> {
    let Results { test, scenario, .. } = *results;
    let mut race = Race::new(RaceRule::new(test, scenario.candidates, u64::MAX)?);
    let mut round = Vec::new();
    loop {
        round.clear();
        match race.ask() {
            Ask::Heat { pairings, .. } => {
                round.extend(pairings.iter().map(|&both| results.pair(both, random)));
            }
            Ask::Final { candidate, .. } => round.push(results.pair((candidate, BASE), random)),
            Ask::Over => break,
        }
        race.tell(&round);
    }
    let mut run = Run { pairs: race.pairs(), ..Run::default() };
    if let (Some(Verdict::Accepted), Some(winner)) = (race.verdict(), race.leader()) {
        run.pass(winner, results);
    }
    Ok(run)
}

fn each(results: &Results, test: Sprt, random: &mut Pcg64Mcg) -> Run {
    let mut run = Run::default();
    for candidate in 1..=results.scenario.candidates {
        let (passes, pairs) = results.sprt(&test, candidate, (0, 0), random);
        run.pairs += pairs;
        if passes {
            run.pass(candidate, results);
        }
    }
    run
}

fn best_of_matches(results: &Results, counted: bool, random: &mut Pcg64Mcg) -> Run {
    let mut played = |candidate| {
        let points =
            (0..SHORT_MATCH).map(|_| i64::from(results.pair((candidate, BASE), random)) - 2);
        (points.sum::<i64>(), candidate)
    };
    let best = (1..=results.scenario.candidates).map(&mut played).max();
    let mut run = Run { pairs: SHORT_MATCH * results.scenario.candidates as u64, ..Run::default() };
    if let Some((points, candidate)) = best {
        let before = if counted { (SHORT_MATCH, points) } else { (0, 0) };
        let (passes, pairs) = results.sprt(&results.test, candidate, before, random);
        run.pairs += pairs;
        if passes {
            run.pass(candidate, results);
        }
    }
    run
}

/// The distribution of results.
struct Results {
    test: Sprt,
    scenario: Scenario,
    /// Standard deviation of a game's score.
    sigma: f64,
    /// Of each two runners, cumulative probabilities of the half points of a pair, in 2^-64.
    cells: Vec<[u64; 4]>,
}

impl Results {
    fn new(test: Sprt, draw_ratio: f64, scenario: Scenario) -> Results {
        let sigma = sigma_of_draws(draw_ratio);
        let runners = scenario.candidates + 1;
        let score = |runner: usize| match runner {
            BASE => 0.0,
            good if good <= scenario.good => test.model.score(test.elo1, sigma) - 0.5,
            _ => test.model.score(scenario.others, sigma) - 0.5,
        };
        let cells = (0..runners * runners)
            .map(|both| cells(0.5 + score(both / runners) - score(both % runners), draw_ratio));
        Results { test, scenario, sigma, cells: cells.collect() }
    }

    fn is_good(&self, candidate: usize) -> bool {
        candidate <= self.scenario.good
    }

    /// Half points of the first runner in a pair.
    fn pair(&self, (first, second): (usize, usize), random: &mut Pcg64Mcg) -> u8 {
        let cells = &self.cells[first * (self.scenario.candidates + 1) + second];
        let drawn = random.next_u64();
        cells.iter().fold(0, |cell, &end| cell + u8::from(drawn >= end))
    }

    /// Whether a candidate passes a test against the base that begins with a match, of these pairs and half
    /// points above half; and the pairs of the test.
    fn sprt(
        &self,
        test: &Sprt,
        candidate: usize,
        (before, half_points): (u64, i64),
        random: &mut Pcg64Mcg,
    ) -> (bool, u64) {
        let (mut pairs, mut half_points) = (before, half_points);
        loop {
            if pairs > 0
                && let Some(decision) =
                    test.decide_at(pairs as f64, self.llr(test, half_points, pairs))
            {
                return (decision == Decision::Accepted, pairs - before);
            }
            half_points += i64::from(self.pair((candidate, BASE), random)) - 2;
            pairs += 1;
        }
    }

    /// Log-likelihood ratio of normal results with the spread of the model.
    fn llr(&self, test: &Sprt, half_points: i64, pairs: u64) -> f64 {
        let [low, high] = [test.elo0, test.elo1].map(|elo| test.model.score(elo, self.sigma) - 0.5);
        // Mean score of a pair above half, and its variance.
        let (sum, variance) = (half_points as f64 / 4.0, self.sigma * self.sigma / 2.0);
        (high - low) * (sum - pairs as f64 * (high + low) / 2.0) / variance
    }
}

/// Ends of the cells 0, 1, 2 and 3 of the half points of a pair, for independent games with this mean score.
fn cells(score: f64, draw_ratio: f64) -> [u64; 4] {
    let win = (score - draw_ratio / 2.0).clamp(0.0, 1.0 - draw_ratio);
    let loss = 1.0 - draw_ratio - win;
    let shares = [
        loss * loss,
        2.0 * loss * draw_ratio,
        draw_ratio * draw_ratio + 2.0 * loss * win,
        2.0 * win * draw_ratio,
    ];
    let mut end = 0.0;
    shares.map(|share| {
        end += share;
        (end * 2f64.powi(64)) as u64
    })
}
