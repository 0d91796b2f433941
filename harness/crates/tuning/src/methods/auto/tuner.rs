//! The tuner: where to play, and what to recommend.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use rand::Rng;

use super::design::Design;
use super::regression::{BlockId, Regression};
use super::uncertainty::{Uncertainty, worth};
use crate::methods::measure::{PairVariance, error_at, estimates};
use crate::methods::spsa::balanced_signs;
use crate::space::{Candidate, Space};
use crate::trial::{
    ELO_OF_NET_WIN, Estimate, Recommendation, Trial, TrialId, Tuner, UnknownTrial, net_wins,
};
use harness_stats::Pentanomial;
use harness_stats::random;

/// Trials of a run, if each has at least a pair.
const TRIALS: u64 = 2_500;
/// Fits of a run.
const FITS: f64 = 60.0;
/// Pairs before the first fit, and between two.
const MIN_PAIRS: f64 = 10.0;
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
/// Bounds on the perturbation of a parameter by its curvature, in ranges; before the first fit it is
/// the upper one, ...
const PERTURBATION: [f64; 2] = [0.05, 0.3];
/// ... and the bound after all perturbations were scaled to lose the wanted Elo together, ...
const WIDEST: f64 = 0.5;
/// ... by a factor between these two.
const SCALE: [f64; 2] = [0.5, 2.0];
/// Pairs among which the next one is chosen.
const CHOICES: usize = 16;
/// In each of them, a parameter's perturbation is at least this share of the usual one.
const MIN_SHARE: f64 = 0.5;
/// Share of a run that is the screening, where there is one.
const SCREENING: f64 = 0.2;
/// The parameters that a screening freezes may be worth this share of what all may be worth, together.
const WORTHLESS: f64 = 0.03;
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
    /// Chooses the next pair; `None` before the first fit.
    design: Option<Design>,
    /// Since the last fit; sampled on the first query.
    uncertainty: OnceCell<Option<Uncertainty>>,
    block: BlockId,
    next_id: u64,
    pairs: f64,
    /// Pairs at which the model is fitted again.
    next_fit: f64,
    variance: PairVariance,
    pending: BTreeMap<TrialId, Pending>,
    /// Whether parameters that do not matter are yet to be found.
    screens: bool,
    /// Whether a screening found that a parameter does not matter: it keeps its start.
    frozen: Vec<bool>,
}

/// A trial under way.
#[derive(Clone, Debug)]
struct Pending {
    /// Its candidates' places, relative to the start.
    places: [Vec<f64>; 2],
    block: BlockId,
}

impl Auto {
    /// A tuner for a run of `games` games.
    pub fn new(space: Space, games: u64, seed: u64) -> Auto {
        let start = space.start_unit();
        let mut model = Regression::new(start.len());
        let frozen = vec![false; start.len()];
        Auto {
            perturbation: vec![PERTURBATION[1]; start.len()],
            block: model.begin(vec![0.0; start.len()], LOSS),
            model,
            design: None,
            uncertainty: OnceCell::new(),
            centre: start.clone(),
            best: start.clone(),
            start,
            space,
            games,
            seed,
            next_id: 0,
            pairs: 0.0,
            next_fit: 2.0 * MIN_PAIRS,
            variance: PairVariance::default(),
            pending: BTreeMap::new(),
            screens: false,
            frozen,
        }
    }

    /// The same with a screening: after a first share of the run, parameters that hardly matter by
    /// the model of all results are frozen at their start.
    pub fn with_screening(self) -> Auto {
        Auto { screens: true, ..self }
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

    /// Number of parameters that are tuned.
    fn active(&self) -> usize {
        self.frozen.iter().filter(|frozen| !**frozen).count().max(1)
    }

    /// Elo that a parameter loses by the perturbation.
    fn loss(&self) -> f64 {
        let thousands = (self.budget() / 1_000.0).max(0.1);
        let last = LAST_LOSS * thousands.powf(-LOSS_POWER);
        (LOSS / self.active() as f64).min(LOSS_OF_ONE) * last.powf(self.progress())
    }

    /// Variance of a trial's result, in Elo².
    fn noise(&self) -> f64 {
        self.noise_of_pair() / self.batch() as f64
    }

    fn noise_of_pair(&self) -> f64 {
        self.variance.value() * ELO_OF_NET_WIN * ELO_OF_NET_WIN
    }

    fn trial(&mut self) -> Trial {
        let id = TrialId(self.next_id);
        self.next_id += 1;
        let ([first, second], places) = self.sides(id);
        self.pending.insert(id, Pending { places, block: self.block });
        Trial { id, first, second, pairs: self.batch() }
    }

    /// Two candidates, and their places after rounding to whole numbers, relative to the start.
    fn on_the_grid(&self, sides: [Vec<f64>; 2]) -> ([Candidate; 2], [Vec<f64>; 2]) {
        let sides = sides.map(|side| self.space.candidate(&side));
        let places = [&sides[0], &sides[1]].map(|side| self.relative(&self.space.to_unit(side)));
        (sides, places)
    }

    /// Two candidates at either end of a vector from the centre.
    fn around(&self, half: &[f64]) -> ([Candidate; 2], [Vec<f64>; 2]) {
        let mut sides = [self.centre.clone(), self.centre.clone()];
        for (i, parameter) in self.space.free().enumerate() {
            // Apart by at least one integer, so that rounding never makes the sides equal.
            let least = 0.5 * parameter.resolution(self.centre[i]);
            let half =
                if self.frozen[i] { 0.0 } else { half[i].abs().max(least).copysign(half[i]) };
            for (side, half) in sides.iter_mut().zip([half, -half]) {
                let [low, high] = parameter.unit_bounds();
                side[i] = (self.centre[i] + half).clamp(low, high);
            }
        }
        self.on_the_grid(sides)
    }

    /// The candidates of a trial on either side of the centre.
    fn sides(&mut self, id: TrialId) -> ([Candidate; 2], [Vec<f64>; 2]) {
        let signs = balanced_signs(self.start.len(), self.seed, id.0);
        let Some(design) = &self.design else {
            let half = signs.iter().zip(&self.perturbation).map(|(sign, size)| sign * size);
            return self.around(&half.collect::<Vec<f64>>());
        };
        let mut random = random::stream("pair", self.seed, id.0);
        let mut choices: Vec<([Candidate; 2], [Vec<f64>; 2])> = (0..CHOICES)
            .map(|number| self.around(&self.half(&signs, number, design, &mut random)))
            .collect();
        let places: Vec<[Vec<f64>; 2]> = choices.iter().map(|choice| choice.1.clone()).collect();
        let noise = self.noise();
        let best = self.design.as_mut().map_or(0, |design| design.choose(&places, noise));
        choices.swap_remove(best)
    }

    /// A vector from the centre: random but for the first choice, whose signs are balanced over the
    /// trials.
    fn half(
        &self,
        signs: &[f64],
        number: usize,
        design: &Design,
        random: &mut impl Rng,
    ) -> Vec<f64> {
        let sign = |balanced: f64| match number {
            0 => balanced,
            _ if random.random() => 1.0,
            _ => -1.0,
        };
        let signs: Vec<f64> = signs.iter().copied().map(sign).collect();
        let sized = signs.iter().zip(&self.perturbation);
        let mut half: Vec<f64> =
            sized.map(|(sign, size)| sign * size * random.random_range(MIN_SHARE..=1.0)).collect();
        let wanted = self.loss() * self.active() as f64;
        let [least, most] = SCALE;
        let scale = (wanted / design.loss(&half)).sqrt().clamp(least, most);
        for half in &mut half {
            *half = (*half * scale).clamp(-WIDEST, WIDEST);
        }
        half
    }

    /// Ranges of the coordinates, relative to the start.
    fn bounds(&self) -> Vec<[f64; 2]> {
        let range = |((start, frozen), bounds): ((&f64, &bool), [f64; 2])| match frozen {
            true => [0.0; 2],
            false => bounds.map(|bound| bound - start),
        };
        self.start.iter().zip(&self.frozen).zip(self.space.unit_bounds()).map(range).collect()
    }

    /// Freezes the parameters that may be worth least, as many as may be worth [`WORTHLESS`] of the
    /// whole together; the maximum of the model for those that are left.
    fn screen(&mut self, best: Vec<f64>) -> Vec<f64> {
        if !self.screens || self.progress() < SCREENING {
            return best;
        }
        let Some(worth) = worth(&self.model, &best, &self.bounds(), self.seed) else { return best };
        self.screens = false;
        let mut order: Vec<usize> = (0..worth.len()).collect();
        order.sort_by(|&a, &b| worth[a].total_cmp(&worth[b]));
        let mut allowed = WORTHLESS * worth.iter().sum::<f64>();
        let mut from = best;
        for axis in order {
            allowed -= worth[axis];
            if allowed < 0.0 {
                break;
            }
            self.frozen[axis] = true;
            self.centre[axis] = self.start[axis];
            from[axis] = 0.0;
        }
        self.model.mean().ascend(&from, &self.bounds())
    }

    /// Uncertainty of the recommendation since the last fit.
    fn uncertainty(&self) -> Option<&Uncertainty> {
        let best = self.relative(&self.best);
        let sample = || Uncertainty::new(&self.model, &best, &self.bounds(), self.seed);
        self.uncertainty.get_or_init(sample).as_ref()
    }

    /// Fits the model to all results, and moves to its maximum.
    fn refit(&mut self) {
        let from = self.relative(&self.best);
        self.model.fit(self.noise_of_pair(), &from);
        self.uncertainty.take();
        let top = self.model.mean().ascend(&from, &self.bounds());
        let top = self.screen(top);
        self.best = top.iter().zip(&self.start).map(|(top, start)| top + start).collect();
        for (centre, best) in self.centre.iter_mut().zip(&self.best) {
            *centre += (best - *centre).clamp(-TRUST, TRUST);
        }
        let loss = self.loss();
        let curvatures = self.model.curvatures(&top);
        let [least, most] = PERTURBATION;
        let perturbation = |(curvature, frozen): (f64, &bool)| {
            if *frozen { 0.0 } else { (loss / curvature).sqrt().clamp(least, most) }
        };
        self.perturbation = curvatures.into_iter().zip(&self.frozen).map(perturbation).collect();
        let centre = self.relative(&self.centre);
        self.design = Design::new(&self.model, &centre, &top);
        let noise = self.noise();
        if let Some(design) = &mut self.design {
            for pending in self.pending.values() {
                design.choose(std::slice::from_ref(&pending.places), noise);
            }
        }
        self.block = self.model.begin(centre, loss * self.active() as f64);
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
        self.variance.add(result);
        let elo = net_wins(result) / pairs * ELO_OF_NET_WIN;
        self.model.add(block, [&first, &second], elo, pairs);
        if self.pairs >= self.next_fit {
            self.refit();
            self.next_fit = self.pairs + (self.budget() / FITS).max(MIN_PAIRS);
        }
        Ok(())
    }

    fn observe(&mut self, candidates: [&Candidate; 2], result: &Pentanomial) {
        let pairs = result.pairs() as f64;
        if pairs > 0.0 {
            let [first, second] =
                candidates.map(|candidate| self.relative(&self.space.to_unit(candidate)));
            let elo = net_wins(result) / pairs * ELO_OF_NET_WIN;
            self.model.add(self.block, [&first, &second], elo, pairs);
        }
    }

    fn widen(&mut self, space: &Space) {
        self.space = space.clone();
        self.uncertainty.take();
    }

    fn frozen(&self) -> Vec<String> {
        let free = self.space.free().zip(&self.frozen);
        free.filter(|(_, frozen)| **frozen).map(|(parameter, _)| parameter.name.clone()).collect()
    }

    fn recommend(&self) -> Recommendation {
        let uncertainty = self.uncertainty();
        let parameters = estimates(&self.space, |i, parameter| Estimate {
            value: parameter.of_unit(self.best[i]),
            error: uncertainty
                .filter(|_| !self.frozen[i])
                .map(|known| error_at(parameter, self.best[i], known.errors[i])),
            z: self.model.z(i),
        });
        let best = self.space.candidate(&self.best);
        Recommendation {
            left: uncertainty.map(|known| known.left),
            gain_of_twice: uncertainty.map(|known| known.gain_of_twice),
            ..Recommendation::of_method(best, parameters)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::landscape::Landscapes;
    use crate::space::{Kind, Parameter};

    /// Two of six parameters matter: only others are frozen at their start after the screening, and a
    /// run that is played again from its results goes the same way.
    #[test]
    fn a_screening_freezes_what_does_not_matter() {
        let parameter = |i: usize| Parameter::new(format!("p{i}"), Kind::Real, 0.0, 1.0, 0.3);
        let space = Space::new((0..6).map(parameter).collect()).unwrap();
        let elo = |values: &[f64]| -900.0 * ((values[1] - 0.6).powi(2) + (values[4] - 0.1).powi(2));
        let model = Landscapes::built_in().model;
        let [mut tuner, mut again] =
            [0; 2].map(|_| Auto::new(space.clone(), 6_000, 1).with_screening());
        let mut games = random::stream("games", 1, 0);
        for number in 0..3_000 {
            let trial = tuner.ask(1).remove(0);
            assert_eq!(trial, again.ask(1).remove(0));
            for (i, frozen) in tuner.frozen.iter().enumerate() {
                assert!(!frozen || [trial.first[i], trial.second[i]] == [0.3; 2], "{number} {i}");
            }
            let result = model.play(elo(&trial.first) - elo(&trial.second), 1, &mut games);
            tuner.tell(trial.id, &result).unwrap();
            again.tell(trial.id, &result).unwrap();
        }
        let frozen = tuner.frozen();
        assert!(frozen.len() >= 2, "{frozen:?}");
        assert!(!frozen.contains(&"p1".to_owned()) && !frozen.contains(&"p4".to_owned()));
        let found = tuner.recommend();
        assert_eq!(found, again.recommend());
        assert!(elo(&found.best) > -3.0, "{found:?}");
        for (i, estimate) in found.parameters.iter().enumerate() {
            assert_eq!(estimate.error.is_none(), tuner.frozen[i], "{i}");
        }
    }
}
