//! Summary of a trained network for reports.

use super::training::{TrainOutcome, Trained};
use harness_outcome::training::{EpochLoss, TrainingSummary};
use harness_training::config::Config;

/// The summary of a training by this configuration.
pub fn summary(outcome: &TrainOutcome, config: &Config) -> TrainingSummary {
    let Trained { loss, rounding, positions, epochs, .. } = &outcome.trained;
    let trained = &outcome.trained;
    let epochs = epochs.iter().map(|epoch| EpochLoss {
        number: epoch.number,
        train: epoch.train,
        validation: epoch.validation,
        scores: epoch.scores,
        rate: epoch.rate,
    });
    TrainingSummary {
        network: trained.network.clone(),
        weights: trained.parameters as u64,
        games: positions.counts.games,
        positions: positions.counts.kept,
        training_set: positions.train as u64,
        validation_set: positions.validation as u64,
        train_loss: loss.train,
        validation_loss: loss.validation,
        scores_loss: loss.scores.filter(|_| config.learning.scores_decide()),
        material_loss: loss.material,
        start_loss: loss.start,
        epoch: trained.epoch,
        planned_epochs: trained.schedule.epochs,
        schedule: trained.schedule.to_string(),
        notes: trained.notes.clone(),
        epochs: epochs.collect(),
        mean_rounding: rounding.mean,
        max_rounding: rounding.greatest,
        positions_per_second: trained.positions_per_second,
        positions_per_cpu_second: trained.positions_per_cpu_second,
        files: outcome.files.iter().map(|file| file.display().to_string()).collect(),
        name: outcome.files[0]
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default()
            .to_owned(),
    }
}
