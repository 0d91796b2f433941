//! All statistics of a result, named as in `--json`.

use serde::{Deserialize, Serialize};

use super::counts::{Pentanomial, Sample, Wdl};
use super::elo::{Elo, NormalizedElo, los};
use crate::sequential::estimate::Sequential;
use crate::sequential::plan::{Remaining, visible_effect};
use crate::sequential::sprt::{Decision, Sprt, Stop};

/// All statistics of a result. Numbers are finite or absent, never NaN or infinite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Games played.
    pub games: u64,
    /// Counts of pairs, where pairs were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pentanomial: Option<Pentanomial>,
    /// Mean score of a game, 0 to 1.
    pub score: Option<f64>,
    /// Logistic Elo.
    pub elo: Option<Elo>,
    /// Normalized Elo.
    pub nelo: Option<NormalizedElo>,
    /// Why there is no Elo.
    #[serde(default)]
    pub elo_undefined: Option<String>,
    /// Likelihood of superiority, 0 to 1.
    pub los: Option<f64>,
    /// Logistic Elo difference that the games detect with a power of 80 %; absent where no
    /// difference is detected that often.
    #[serde(default)]
    pub visible_effect: Option<f64>,
    /// Share of pairs that ended 1 : 1, or of games drawn where only games were counted.
    pub draw_ratio: Option<f64>,
    /// Pairs won over pairs lost.
    pub pairs_ratio: Option<f64>,
    /// Log-likelihood ratio, where there is a test.
    #[serde(default)]
    pub llr: Option<f64>,
    /// The LLR at which the test rejects and accepts.
    #[serde(default)]
    pub bounds: Option<[f64; 2]>,
    /// `accepted`, `rejected` or `inconclusive`, where there is a test.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// Reason of the test's end; absent before it.
    #[serde(default)]
    pub stopped: Option<Stop>,
    /// Elo after the test, where there is a test and an Elo.
    #[serde(default)]
    pub sequential: Option<Sequential>,
    /// Expected rest of the test at the observed difference, where there is a test and an Elo.
    #[serde(default)]
    pub remaining: Option<Remaining>,
}

/// State of a test: decided or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// See [`Decision::Accepted`].
    Accepted,
    /// See [`Decision::Rejected`].
    Rejected,
    /// Neither bound was reached.
    Inconclusive,
}

impl From<Option<Decision>> for Verdict {
    fn from(decision: Option<Decision>) -> Verdict {
        match decision {
            Some(Decision::Accepted) => Verdict::Accepted,
            Some(Decision::Rejected) => Verdict::Rejected,
            None => Verdict::Inconclusive,
        }
    }
}

impl Summary {
    /// Statistics of game pairs.
    pub fn of_pairs(pairs: &Pentanomial, sprt: Option<&Sprt>) -> Summary {
        Summary {
            games: pairs.games(),
            pentanomial: Some(*pairs),
            score: pairs.mean(),
            draw_ratio: pairs.draw_ratio(),
            pairs_ratio: pairs.pairs_ratio(),
            ..Summary::from_sample(pairs.into(), sprt)
        }
    }

    /// Statistics of single games, taken as independent.
    pub fn of_games(games: &Wdl, sprt: Option<&Sprt>) -> Summary {
        Summary {
            games: games.games(),
            score: games.mean(),
            draw_ratio: games.draw_ratio(),
            ..Summary::from_sample(games.into(), sprt)
        }
    }

    fn from_sample(sample: Sample, sprt: Option<&Sprt>) -> Summary {
        let elo = Elo::from_counts(sample);
        let llr = sprt.and_then(|sprt| sprt.llr(sample));
        Summary {
            games: 0,
            pentanomial: None,
            score: None,
            elo: elo.ok(),
            nelo: NormalizedElo::from_counts(sample).ok(),
            elo_undefined: elo.err().map(|why| why.to_string()),
            los: los(sample),
            visible_effect: visible_effect(sample),
            draw_ratio: None,
            pairs_ratio: None,
            llr,
            bounds: sprt.map(|sprt| sprt.bounds_of(sample)),
            verdict: sprt
                .map(|sprt| llr.and_then(|llr| sprt.decide_at(sample.pairs(), llr)).into()),
            stopped: sprt.zip(llr).and_then(|(sprt, llr)| sprt.stopped(sample.pairs(), llr)),
            sequential: sprt.and_then(|sprt| Sequential::from_counts(sprt, sample)),
            remaining: sprt.and_then(|sprt| sprt.remaining(sample)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Model, SequentialElo};
    use super::*;

    fn has_only_finite_numbers(summary: &Summary) -> bool {
        let elo = summary.elo.map_or([0.0; 2], |elo| [elo.value, elo.error95]);
        let nelo = summary.nelo.map_or([0.0; 2], |nelo| [nelo.value, nelo.error95]);
        let ratios = [summary.score, summary.los, summary.draw_ratio, summary.pairs_ratio];
        let ratios = ratios.map(|ratio| ratio.unwrap_or(0.0));
        [&elo[..], &nelo[..], &ratios[..]].concat().iter().all(|number| number.is_finite())
            && summary.llr.is_none_or(f64::is_finite)
            && summary.sequential.is_none_or(|both| {
                let estimate = |one: SequentialElo| {
                    let [low, high] = one.ci95;
                    low <= one.median_unbiased
                        && one.median_unbiased <= high
                        && high.abs() <= 1000.0
                        && low.abs() <= 1000.0
                        && (0.0..=1.0).contains(&one.los)
                };
                estimate(both.estimate) && estimate(both.overshoot_corrected)
            })
            && summary.remaining.is_none_or(|remaining| {
                remaining.games.is_finite()
                    && remaining.games >= 0.0
                    && (0.0..=1.0).contains(&remaining.pass)
            })
    }

    #[test]
    fn a_score_that_rounds_to_1_has_a_finite_elo() {
        let sprt = Sprt::new(Model::Normalized, 0.0, 5.0, 0.05, 0.05).expect("valid");
        for most in [6_004_799_503_160_660, u64::MAX / 4] {
            for counts in [[0, 0, 2, 0, most], [most, 0, 2, 0, 0]] {
                let summary = Summary::of_pairs(&Pentanomial(counts), Some(&sprt));
                assert!(has_only_finite_numbers(&summary), "{summary:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn every_number_is_finite_or_absent_with_a_reason(
            counts in prop::array::uniform5(prop_oneof![
                4 => Just(0), 2 => 0..9u64, 1 => any::<u64>()
            ]),
        ) {
            let sprt = Sprt::new(Model::Normalized, 0.0, 5.0, 0.05, 0.05).expect("valid");
            let games = Wdl { wins: counts[0], draws: counts[1], losses: counts[2] };
            for summary in [
                Summary::of_pairs(&Pentanomial(counts), Some(&sprt)),
                Summary::of_games(&games, Some(&sprt)),
            ] {
                prop_assert!(has_only_finite_numbers(&summary), "{summary:?}");
                prop_assert_eq!(summary.elo.is_none(), summary.elo_undefined.is_some());
                prop_assert_eq!(summary.nelo.is_none(), summary.elo.is_none());
                prop_assert_eq!(summary.llr.is_none(), summary.games == 0);
                prop_assert_eq!(summary.sequential.is_none(), summary.elo.is_none());
                let decided = summary.verdict != Some(Verdict::Inconclusive);
                prop_assert_eq!(summary.remaining.is_some(), summary.elo.is_some() || decided);
                prop_assert!(summary.elo.is_none_or(|elo| elo.error95 >= 0.0));
            }
        }
    }

    #[test]
    fn a_test_without_games_is_inconclusive() {
        let sprt = Sprt::new(Model::Logistic, 0.0, 5.0, 0.05, 0.05).expect("valid");
        let summary = Summary::of_pairs(&Pentanomial::default(), Some(&sprt));
        assert_eq!(summary.verdict, Some(Verdict::Inconclusive));
        assert_eq!(summary.elo_undefined.as_deref(), Some("no game was played"));
    }
}
