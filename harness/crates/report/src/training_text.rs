//! A trained network as text.

use super::table::table;
use super::text::grouped;
use harness_outcome::training::TrainingSummary;

/// The result.
pub fn training_text(summary: &TrainingSummary) -> String {
    let row = |name: &str, loss: f64| vec![name.to_owned(), format!("{loss:.6}")];
    let mut rows = vec![
        row("training set", summary.train_loss),
        row("validation set", summary.validation_loss),
        row("validation set, material baseline", summary.material_loss),
    ];
    if let Some(loss) = summary.scores_loss {
        rows.insert(2, row("validation set, by scores alone", loss));
    }
    if let Some(loss) = summary.start_loss {
        rows.insert(rows.len() - 1, row("validation set, the network it starts from", loss));
    }
    let notes: String = summary.notes.iter().map(|note| format!("{note}\n")).collect();
    format!(
        "Network {}, {} weights\n{}\n{}\n{}\n{notes}Epoch {} of {}; as integers {:.2} centipawns off in the \
         mean, {:.1} at most\n{} positions a second, {} a second of processor time\n\
         \nWritten: {}\n",
        summary.network,
        grouped(summary.weights),
        sets_text(summary),
        table(["Loss", "Mean"], rows, 1),
        summary.schedule,
        summary.epoch,
        summary.epochs.len(),
        summary.mean_rounding,
        summary.max_rounding,
        grouped(summary.positions_per_second as u64),
        grouped(summary.positions_per_cpu_second as u64),
        summary.files.join(", "),
    )
}

/// Sizes of the sets.
fn sets_text(summary: &TrainingSummary) -> String {
    format!(
        "{} positions of {} games: {} in the training set, {} in the validation set\n",
        grouped(summary.positions),
        grouped(summary.games),
        grouped(summary.training_set),
        grouped(summary.validation_set),
    )
}
