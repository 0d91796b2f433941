//! Wider ranges for values that stand at the end of theirs.
//!
//! At some points of a run the estimate of each parameter is compared with its range. One that stands at
//! the same bound twice in a row gets more room there, if the experiment allows that (`widen`) and the
//! engine declares it. What happens follows from the results alone, so that a resumed run does the same.

use crate::space::{Bound, Parameter, Space};
use crate::trial::Estimate;

/// Share of the run after which the estimates are compared with the ranges for the first time, ...
const FIRST: f64 = 0.2;
/// ... for the last time, so that games remain for the new values, ...
const LAST: f64 = 0.6;
/// ... and between two times.
const EVERY: f64 = 0.05;
/// How often a range is widened at most.
const MAX_TIMES: u32 = 4;

/// Estimates at the last comparison.
#[derive(Clone, Debug)]
pub(super) struct Widening {
    /// Share of the run at which the next comparison is due; infinite where no range may be widened.
    next: f64,
    /// Bound at which each parameter stood.
    stood: Vec<Option<Bound>>,
    times: Vec<u32>,
}

impl Widening {
    pub fn new(space: &Space) -> Widening {
        let count = space.parameters().len();
        let may = space.free().any(|parameter| parameter.widen);
        let next = if may { FIRST } else { f64::INFINITY };
        Widening { next, stood: vec![None; count], times: vec![0; count] }
    }

    /// Whether a comparison is due, with this share of the run over.
    pub fn is_due(&self, over: f64) -> bool {
        over >= self.next
    }

    /// The space with wider ranges; `None` if all stay as they are.
    pub fn widened(&mut self, space: &Space, found: &[Estimate]) -> Option<Space> {
        self.next = if self.next + EVERY > LAST { f64::INFINITY } else { self.next + EVERY };
        let both = space.parameters().iter().zip(found).enumerate();
        let widened: Vec<Option<Parameter>> =
            both.map(|(index, (parameter, found))| self.widen(index, parameter, found)).collect();
        if widened.iter().all(Option::is_none) {
            return None;
        }
        let parameters = space.parameters().iter().zip(widened);
        let parameters = parameters.map(|(old, wide)| wide.unwrap_or_else(|| old.clone()));
        Space::new(parameters.collect()).ok()
    }

    fn widen(&mut self, index: usize, old: &Parameter, found: &Estimate) -> Option<Parameter> {
        let stands = old.bound_at(found.value).filter(|_| !old.fixed);
        let before = std::mem::replace(&mut self.stood[index], stands);
        let bound = stands.filter(|_| before == stands && self.times[index] < MAX_TIMES)?;
        let wide = old.widened(bound)?;
        self.times[index] += 1;
        self.stood[index] = None;
        Some(wide)
    }

    /// The ranges of a space that was widened; none if it is as planned.
    pub fn ranges(&self, space: &Space) -> Vec<[f64; 2]> {
        if self.times.iter().all(|times| *times == 0) { Vec::new() } else { space.ranges() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::landscape::Landscapes;
    use crate::methods::METHODS;
    use crate::space::Kind;
    use harness_stats::random;

    /// A parameter from 0 to 100 of an engine that takes as much as `most`, and one that may not be
    /// widened.
    fn space(most: f64, widen: bool) -> Space {
        let declared = Some([0.0, most]);
        let plain = |name: &str| Parameter::new(name.into(), Kind::Integer, 0.0, 100.0, 60.0);
        let margin = Parameter { declared, widen, ..plain("margin") };
        Space::new(vec![margin, Parameter { declared, ..plain("other") }]).expect("valid")
    }

    #[test]
    fn every_method_leaves_a_range_that_may_be_widened_and_stays_within_the_engines() {
        let model = Landscapes::built_in().model;
        let elo = |values: &[f64]| {
            let off = |x: f64, best: f64| ((x - best) / 100.0).powi(2);
            -150.0 * (off(values[0], 190.0) + off(values[1], 130.0))
        };
        for method in METHODS {
            // The rules of other tools move little in few games; a process of all results is slow.
            let (games, cases) = match method.name {
                "fishtest" | "openbench" => (0, 0..4),
                "auto" | "screened" | "spsa" | "cmaes" => (1_500, 0..4),
                _ => (400, 0..1),
            };
            for (most, widen, least, top) in [
                (400.0, true, 101.0, 400.0),
                (400.0, false, 0.0, 100.0),
                (120.0, true, 101.0, 120.0),
                (100.0, true, 0.0, 100.0),
            ][cases]
                .iter()
                .copied()
            {
                let mut tuner = method.start(space(most, widen), games.max(2), 1);
                let mut random = random::stream("widen", 1, 0);
                let mut left = games / 2;
                while left > 0 {
                    let trial = tuner.ask(1).remove(0);
                    let pairs = trial.pairs.clamp(1, left);
                    left -= pairs;
                    for side in [&trial.first, &trial.second] {
                        assert!(side[0] <= most && side[1] <= 100.0, "{}: {side:?}", method.name);
                    }
                    let ahead = elo(&trial.first) - elo(&trial.second);
                    tuner.tell(trial.id, &model.play(ahead, pairs, &mut random)).expect("pending");
                }
                let found = tuner.recommend();
                let value = found.candidate[0];
                assert!(value <= top && found.candidate[1] <= 100.0, "{}: {found:?}", method.name);
                assert!(games == 0 || value >= least, "{} {most}: {found:?}", method.name);
                assert_eq!(found.ranges.is_empty(), games == 0 || !widen || most == 100.0);
                let range = found.ranges.first().copied().unwrap_or([0.0, 100.0]);
                assert!(range[0] == 0.0 && range[1] <= top, "{}: {found:?}", method.name);
            }
        }
    }

    #[test]
    fn one_look_alone_widens_nothing() {
        let space = space(400.0, true);
        let at = |value: f64| [Estimate { value, error: None, z: None }; 2];
        let mut widening = Widening::new(&space);
        assert!(!widening.is_due(FIRST - 0.01) && widening.is_due(FIRST));
        assert_eq!(widening.widened(&space, &at(100.0)), None);
        assert!(!widening.is_due(FIRST));
        assert_eq!(widening.widened(&space, &at(90.0)), None);
        assert_eq!(widening.widened(&space, &at(99.5)), None);
        let wide = widening.widened(&space, &at(100.0)).expect("room");
        assert_eq!(wide.ranges(), [[0.0, 150.0], [0.0, 100.0]]);
        assert_eq!(widening.ranges(&wide), wide.ranges());
        for _ in 0..20 {
            widening.widened(&wide, &at(150.0));
        }
        assert!(!widening.is_due(1.0));
        assert!(!Widening::new(&super::tests::space(400.0, false)).is_due(1.0));
    }
}
