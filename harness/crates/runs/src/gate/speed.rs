//! Nodes a second beside the base.

use super::comparison::{CheckOutcome, Gate};
use super::config::Speed;
use super::error::CheckError;
use harness_outcome::gate::{Measured, Verdict};
use harness_player::bench::Bench;
use harness_stats::{PairedRatio, paired_ratio};

/// Most interim analyses, each after twice as many runs as the one before.
const LOOKS: u32 = 3;

impl Speed {
    /// Most runs of each.
    pub(super) fn most_runs(&self) -> u32 {
        self.max_runs.unwrap_or(self.runs << (LOOKS - 1)).max(self.runs)
    }

    /// Runs before each analysis: `runs`, twice and four times as many, within the budget; the
    /// last one at its end.
    pub(super) fn looks(&self) -> Vec<u32> {
        let most = self.most_runs();
        let mut looks: Vec<u32> =
            (0..LOOKS - 1).map(|look| self.runs << look).filter(|&runs| runs < most).collect();
        looks.push(most);
        looks
    }
}

impl Gate<'_> {
    /// Measures both in turns: load of the machine affects both alike.
    pub(super) fn speed(&self, speed: &Speed) -> Result<CheckOutcome, CheckError> {
        let nps = |bench: Bench| bench.nps;
        let (mut before, mut now) = (Vec::new(), Vec::new());
        let looks = speed.looks();
        let most = speed.most_runs();
        for turn in 0..most {
            (self.doing)(&format!("run {} of at most {most}", turn + 1));
            // The order alternates: the first one may find the machine cooler.
            for is_base in [turn % 2 == 0, turn % 2 != 0] {
                match is_base {
                    true => before.push(nps(self.of_base(self.measure(&self.base.0))?)),
                    false => now.push(nps(self.measure(&self.engine.0)?)),
                }
            }
            if looks.contains(&(turn + 1)) {
                let ratio = paired_ratio(&before, &now)?;
                if let Some(verdict) = verdict_of(speed, &ratio) {
                    return Ok(seen(speed, &ratio, verdict));
                }
            }
        }
        let ratio = paired_ratio(&before, &now)?;
        Ok(seen(speed, &ratio, Verdict::Undecided))
    }
}

/// The verdict of one analysis; `None` while the interval is too wide.
///
/// Failed when the ratio is shown to be below the bound, each analysis with an equal share of
/// `alpha` (Bonferroni). Passed when it is shown, at 2.5 %, to be above, or when the 95 % interval
/// is narrow enough.
pub(super) fn verdict_of(speed: &Speed, ratio: &PairedRatio) -> Option<Verdict> {
    let looks = speed.looks().len() as f64;
    if ratio.p_below(speed.at_least) < speed.alpha / looks {
        return Some(Verdict::Failed);
    }
    let half_width = (ratio.ci95[1] - ratio.ci95[0]) / 2.0;
    let is_above = ratio.ci95[0] >= speed.at_least;
    (is_above || half_width <= speed.within).then_some(Verdict::Passed)
}

/// The verdict over all analyses of given measurements; for simulation.
#[cfg(test)]
pub(super) fn evaluate_all(
    speed: &Speed,
    before: &[f64],
    now: &[f64],
) -> Result<Verdict, harness_stats::Incomparable> {
    for runs in speed.looks() {
        let runs = runs as usize;
        let ratio = paired_ratio(&before[..runs], &now[..runs])?;
        if let Some(verdict) = verdict_of(speed, &ratio) {
            return Ok(verdict);
        }
    }
    Ok(Verdict::Undecided)
}

fn seen(speed: &Speed, ratio: &PairedRatio, verdict: Verdict) -> CheckOutcome {
    let mut detail = format!(
        "{:.3} of the base's nodes a second, 95 % in [{:.3}, {:.3}] after {} runs each, at least \
         {} asked for",
        ratio.value, ratio.ci95[0], ratio.ci95[1], ratio.pairs, speed.at_least
    );
    if verdict == Verdict::Undecided {
        detail = format!("too noisy to say: {detail}; try again on a quiet machine");
    }
    let measured = Measured::Speed { ratio: ratio.value, ci95: ratio.ci95 };
    CheckOutcome::new(verdict, detail).counting(speed.undecided).with(measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alternating(runs: usize, low: f64, high: f64) -> Vec<f64> {
        (0..runs).map(|run| if run % 2 == 0 { low } else { high }).collect()
    }

    #[test]
    fn noisy_runs_are_undecided_and_not_passed() {
        let speed = Speed { runs: 5, ..Speed::default() };
        let base = vec![1e6; 20];
        for (low, high, verdict) in [
            (0.7e6, 1.3e6, Verdict::Undecided),
            (0.999e6, 1.001e6, Verdict::Passed),
            (0.79e6, 0.81e6, Verdict::Failed),
            // Just below the bound, but by less than what is asked to be seen.
            (0.968e6, 0.970e6, Verdict::Passed),
        ] {
            let now = alternating(20, low, high);
            assert_eq!(evaluate_all(&speed, &base, &now), Ok(verdict), "{low} {high}");
        }
    }

    #[test]
    fn the_looks_end_with_the_budget() {
        let looks = |runs, max_runs| Speed { runs, max_runs, ..Speed::default() }.looks();
        assert_eq!(looks(10, None), [10, 20, 40]);
        assert_eq!(looks(10, Some(15)), [10, 15]);
        assert_eq!(looks(10, Some(100)), [10, 20, 100]);
        assert_eq!(looks(10, Some(10)), [10]);
        assert_eq!(looks(10, Some(3)), [10]);
    }
}
