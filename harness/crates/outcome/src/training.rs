//! The result of a training, as reports show it.

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
