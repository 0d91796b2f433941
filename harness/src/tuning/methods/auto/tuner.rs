//! The tuner: where to play, and what to recommend.

use std::collections::BTreeMap;

use super::regression::{BlockId, ELO_OF_NET_WIN, Regression};
use crate::stats::Pentanomial;
use crate::tuning::methods::measure::{AgainstStart, error_at, estimates, measures};
use crate::tuning::methods::spsa::balanced_signs;
use crate::tuning::space::Space;
use crate::tuning::trial::{
    Estimate, Recommendation, Trial, TrialId, Tuner, UnknownTrial, net_wins,
};

/// Trials of a run, if each has at least a pair.
const TRIALS: u64 = 2_500;
/// Fits of a run.
const FITS: f64 = 60.0;
/// Pairs before the first fit, and between two.
const FEWEST_PAIRS: f64 = 10.0;
/// Elo that all parameters together lose by the perturbation, by the curvature: landscapes are no
/// parabolas further out, ...
const LOSS: f64 = 100.0;
/// ... and that one loses at most.
const LOSS_OF_ONE: f64 = 20.0;
/// Share of the loss that is left at the end of a run of a thousand pairs.
const LAST_LOSS: f64 = 0.5;
/// Power of the number of pairs with which the loss at the end falls: with more pairs, the bias of a
/// wide perturbation outweighs its smaller noise.
const LOSS_POWER: f64 = 0.5;
/// Bounds on the perturbation of a parameter, in ranges; the first one is the upper one.
const PERTURBATION: [f64; 2] = [0.05, 0.3];
/// Curvatures below this share of their prior mean are taken for it.
const LEAST_CURVATURE: f64 = 0.15;
/// How far a coordinate of the centre moves at a fit, in ranges.
const TRUST: f64 = 0.1;

/// A tuner with one model of all results.
#[derive(Clone, Debug)]
pub struct Auto {
    space: Space,
    games: u64,
    seed: u64,
    start: Vec<f64>,
    /// Around which the next trials are played.
    centre: Vec<f64>,
    /// Maximum of the model.
    best: Vec<f64>,
    /// Perturbation of each parameter, in ranges.
    perturbation: Vec<f64>,
    model: Regression,
    block: BlockId,
    next_id: u64,
    pairs: f64,
    /// Pairs at which the model is fitted again.
    next_fit: f64,
    against_start: AgainstStart,
    pending: BTreeMap<TrialId, Pending>,
}

/// A trial under way.
#[derive(Clone, Debug)]
struct Pending {
    /// Its candidates' places, relative to the start.
    places: [Vec<f64>; 2],
    /// `None`: it measures the recommendation against the start.
    block: Option<BlockId>,
}

impl Auto {
    /// A tuner for a run of `games` games.
    pub fn new(space: Space, games: u64, seed: u64) -> Auto {
        let start = space.start_unit();
        let mut model = Regression::new(start.len());
        Auto {
            perturbation: vec![PERTURBATION[1]; start.len()],
            block: model.begin(vec![0.0; start.len()], LOSS),
            model,
            centre: start.clone(),
            best: start.clone(),
            start,
            space,
            games,
            seed,
            next_id: 0,
            pairs: 0.0,
            next_fit: 2.0 * FEWEST_PAIRS,
            against_start: AgainstStart::default(),
            pending: BTreeMap::new(),
        }
    }

    /// Pairs of the whole run.
    fn budget(&self) -> f64 {
        (self.games as f64 / 2.0).max(1.0)
    }

    /// Progress of the run, 0 to 1.
    fn progress(&self) -> f64 {
        (self.pairs / self.budget()).min(1.0)
    }

    /// Pairs of a trial.
    fn batch(&self) -> u64 {
        (self.games / 2 / TRIALS).clamp(1, 16)
    }

    fn relative(&self, place: &[f64]) -> Vec<f64> {
        place.iter().zip(&self.start).map(|(place, start)| place - start).collect()
    }

    /// Elo that a parameter loses by the perturbation.
    fn loss(&self) -> f64 {
        let thousands = (self.budget() / 1_000.0).max(0.1);
        let last = LAST_LOSS * thousands.powf(-LOSS_POWER);
        (LOSS / self.start.len() as f64).min(LOSS_OF_ONE) * last.powf(self.progress())
    }

    fn trial(&mut self) -> Trial {
        let id = TrialId(self.next_id);
        self.next_id += 1;
        let measures = measures(self.progress(), id);
        let [first, second] = match measures {
            true => [self.space.candidate(&self.best), self.space.start()],
            false => self.sides(id),
        };
        let places = [&first, &second].map(|side| self.relative(&self.space.to_unit(side)));
        let block = (!measures).then_some(self.block);
        self.pending.insert(id, Pending { places, block });
        Trial { id, first, second, pairs: self.batch() }
    }

    /// Two candidates on either side of the centre.
    fn sides(&self, id: TrialId) -> [Vec<f64>; 2] {
        let signs = balanced_signs(self.start.len(), self.seed, id.0);
        let mut sides = [self.centre.clone(), self.centre.clone()];
        for (i, parameter) in self.space.free().enumerate() {
            // Apart by at least one integer, so that rounding never makes the sides equal.
            let half = self.perturbation[i].max(0.5 * parameter.resolution(self.centre[i]));
            for (side, sign) in sides.iter_mut().zip([signs[i], -signs[i]]) {
                side[i] = (self.centre[i] + sign * half).clamp(0.0, 1.0);
            }
        }
        sides.map(|side| self.space.candidate(&side))
    }

    /// Fits the model to all results, and moves to its maximum.
    fn refit(&mut self) {
        let noise = self.against_start.variance() * ELO_OF_NET_WIN * ELO_OF_NET_WIN;
        let from = self.relative(&self.best);
        self.model.fit(noise, &from);
        let bounds: Vec<[f64; 2]> = self.start.iter().map(|start| [-start, 1.0 - start]).collect();
        let top = self.model.ascend(&from, &bounds);
        self.best = top.iter().zip(&self.start).map(|(top, start)| top + start).collect();
        for (centre, best) in self.centre.iter_mut().zip(&self.best) {
            *centre += (best - *centre).clamp(-TRUST, TRUST);
        }
        let loss = self.loss();
        let curvatures = self.model.curvatures(&top, LEAST_CURVATURE);
        let [least, most] = PERTURBATION;
        let perturbation = |curvature: f64| (loss / curvature).sqrt().clamp(least, most);
        self.perturbation = curvatures.into_iter().map(perturbation).collect();
        let centre = self.relative(&self.centre);
        self.block = self.model.begin(centre, loss * self.start.len() as f64);
    }
}

impl Tuner for Auto {
    fn ask(&mut self, count: usize) -> Vec<Trial> {
        (0..count).map(|_| self.trial()).collect()
    }

    fn tell(&mut self, id: TrialId, result: &Pentanomial) -> Result<(), UnknownTrial> {
        let Pending { places: [first, second], block } =
            self.pending.remove(&id).ok_or(UnknownTrial(id))?;
        let pairs = result.pairs() as f64;
        if pairs == 0.0 {
            return Ok(());
        }
        self.pairs += pairs;
        let Some(block) = block else {
            self.against_start.add(result);
            return Ok(());
        };
        self.against_start.add_variance(result);
        let elo = net_wins(result) / pairs * ELO_OF_NET_WIN;
        self.model.add(block, [&first, &second], elo, pairs);
        if self.pairs >= self.next_fit {
            self.refit();
            self.next_fit = self.pairs + (self.budget() / FITS).max(FEWEST_PAIRS);
        }
        Ok(())
    }

    fn recommend(&self) -> Recommendation {
        let errors = self.model.errors(&self.relative(&self.best));
        let parameters = estimates(&self.space, |i, parameter| Estimate {
            value: parameter.of_unit(self.best[i]),
            error: errors.as_ref().map(|errors| error_at(parameter, self.best[i], errors[i])),
            z: None,
        });
        let best = self.space.candidate(&self.best);
        Recommendation { parameters, best, gain: self.against_start.gain() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;
    use crate::tuning::bench;
    use crate::tuning::landscape::Landscapes;
    use crate::tuning::methods::Method;
    use crate::tuning::space::{Kind, Parameter};

    #[test]
    fn most_of_the_elo_is_found() {
        let landscapes = Landscapes::built_in();
        for (landscape, most) in landscapes.landscapes.iter().zip([2.0, 6.0, 25.0]) {
            let method = Method::named("auto").unwrap();
            let run = bench::run(method, landscape, &landscapes.model, 4_000, 1).unwrap();
            assert!(run.gap < most, "{}: {}", landscape.name, run.gap);
        }
    }

    #[test]
    fn results_in_any_order_are_taken_and_duplicates_refused() {
        let landscapes = Landscapes::built_in();
        let six = &landscapes.landscapes[1];
        let mut tuner = Auto::new(six.space().unwrap(), 2_000, 7);
        let mut again = tuner.clone();
        let mut games = random::stream("games", 1, 1);
        for _ in 0..20 {
            let trials = tuner.ask(16);
            assert_eq!(trials, again.ask(16));
            for trial in trials.iter().rev() {
                let difference = six.elo(&trial.first) - six.elo(&trial.second);
                let result = landscapes.model.play(difference, trial.pairs, &mut games);
                tuner.tell(trial.id, &result).unwrap();
                again.tell(trial.id, &result).unwrap();
                assert_eq!(tuner.tell(trial.id, &result), Err(UnknownTrial(trial.id)));
            }
        }
        assert_eq!(tuner.recommend(), again.recommend());
    }

    #[test]
    fn the_sides_differ_even_where_one_step_is_the_range() {
        let switch = Parameter::new("switch".into(), Kind::Integer, 0.0, 1.0, 0.0);
        let depth = Parameter::new("depth".into(), Kind::Integer, 1.0, 4.0, 4.0);
        let fixed = Parameter { fixed: true, name: "fixed".into(), ..depth.clone() };
        let space = Space::new(vec![switch, fixed, depth]).unwrap();
        for trial in Auto::new(space, 1_000, 1).ask(10) {
            assert_ne!(trial.first[0], trial.second[0]);
            assert_eq!([trial.first[1], trial.second[1]], [4.0, 4.0]);
            assert_ne!(trial.first[2], trial.second[2]);
        }
    }

    #[test]
    fn without_a_result_the_start_is_recommended() {
        let margin = Parameter::new("margin".into(), Kind::Integer, 0.0, 200.0, 150.0);
        let mut tuner = Auto::new(Space::new(vec![margin]).unwrap(), 1_000, 1);
        let trial = tuner.ask(1).remove(0);
        tuner.tell(trial.id, &Pentanomial::default()).unwrap();
        let found = tuner.recommend();
        assert_eq!((found.best, found.gain), (vec![150.0], None));
    }
}
