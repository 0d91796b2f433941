//! The result of a training, as reports show it.

use serde::{Deserialize, Serialize};

/// Losses of an epoch, as they are kept while a training runs: two numbers, or three.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>", into = "Vec<f64>")]
pub struct Losses {
    /// Training loss.
    pub train: f64,
    /// Validation loss.
    pub validation: f64,
    /// Validation loss by scores alone, where labels have more parts.
    pub scores: Option<f64>,
}

impl Losses {
    /// The loss by which the epoch is chosen.
    pub fn deciding(&self) -> f64 {
        self.scores.unwrap_or(self.validation)
    }

    /// The number, from 1, of the epoch whose network is taken: the first with the least loss.
    pub fn best_epoch(epochs: &[Losses]) -> Option<u32> {
        let best = (1..).zip(epochs).min_by(|a, b| a.1.deciding().total_cmp(&b.1.deciding()));
        best.map(|(number, _)| number)
    }
}

impl From<Losses> for Vec<f64> {
    fn from(losses: Losses) -> Vec<f64> {
        [losses.train, losses.validation].into_iter().chain(losses.scores).collect()
    }
}

impl TryFrom<Vec<f64>> for Losses {
    type Error = String;

    fn try_from(numbers: Vec<f64>) -> Result<Losses, String> {
        match numbers[..] {
            [train, validation] => Ok(Losses { train, validation, scores: None }),
            [train, validation, scores] => Ok(Losses { train, validation, scores: Some(scores) }),
            _ => Err(format!("the losses of an epoch are 2 numbers or 3, not {}", numbers.len())),
        }
    }
}

/// Losses of an epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpochLoss {
    /// From 1.
    pub number: u32,
    /// Training loss.
    pub train: f64,
    /// Validation loss.
    pub validation: f64,
    /// Validation loss by scores alone.
    pub scores: f64,
    /// Learning rate of its last step.
    pub rate: f64,
}

/// A trained network.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingSummary {
    /// Name of the network's file.
    pub name: String,
    /// All files that were written.
    pub files: Vec<String>,
    /// Architecture and sizes.
    pub network: String,
    /// Number of weights and biases.
    pub weights: u64,
    /// Games of the data.
    pub games: u64,
    /// Positions of both sets.
    pub positions: u64,
    /// Positions of the training set.
    pub training_set: u64,
    /// Positions of the validation set.
    pub validation_set: u64,
    /// Training loss of the best epoch.
    pub train_loss: f64,
    /// Validation loss of the best epoch.
    pub validation_loss: f64,
    /// Validation loss of the best epoch by scores alone, where labels have more parts.
    pub scores_loss: Option<f64>,
    /// Material baseline: the validation loss by piece values alone.
    pub material_loss: f64,
    /// Validation loss of the network that the training started from, by scores alone where these choose the epoch.
    pub start_loss: Option<f64>,
    /// The epoch with the smallest validation loss by scores alone.
    pub epoch: u32,
    /// Epochs of the schedule.
    pub planned_epochs: u32,
    /// The schedule in words.
    pub schedule: String,
    /// Remarks on the result, a sentence each.
    pub notes: Vec<String>,
    /// All epochs.
    pub epochs: Vec<EpochLoss>,
    /// Mean absolute error of quantisation, in centipawns.
    pub mean_rounding: f64,
    /// Its largest error.
    pub max_rounding: f64,
    /// Training positions a second of wall time.
    pub positions_per_second: f64,
    /// The same a second of processor time.
    pub positions_per_cpu_second: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Losses> {
        serde_json::from_str(text).ok()
    }

    #[test]
    fn losses_are_two_numbers_or_three() {
        let two = Losses { train: 0.5, validation: 0.25, scores: None };
        let three = Losses { scores: Some(0.125), ..two };
        for (text, expected) in [
            ("[0.5,0.25]", Some(two)),
            ("[0.5,0.25,0.125]", Some(three)),
            ("[0.5]", None),
            ("[]", None),
            ("[1,2,3,4]", None),
        ] {
            assert_eq!(read(text), expected, "{text}");
            let again = expected.map(|losses| serde_json::to_string(&losses).expect("numbers"));
            assert!(again.is_none_or(|again| again == text), "{text}");
        }
    }

    #[test]
    fn the_epoch_is_chosen_by_scores_alone_where_there_are() {
        let of = |validation, scores| Losses { train: 0.0, validation, scores };
        for (epochs, best) in [
            (vec![], None),
            (vec![of(3.0, None), of(1.0, None), of(2.0, None)], Some(2)),
            (vec![of(3.0, Some(5.0)), of(1.0, Some(6.0)), of(2.0, Some(4.0))], Some(3)),
            (vec![of(1.0, None), of(1.0, None)], Some(1)),
        ] {
            assert_eq!(Losses::best_epoch(&epochs), best, "{epochs:?}");
        }
    }
}
