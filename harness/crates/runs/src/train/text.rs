//! A trained network for people: lines, and the numbers of its page.

use super::training::{TrainOutcome, Trained};
use harness_base::text::grouped;
use harness_report::html::TrainingFacts;
use harness_report::terminal::table;
use harness_training::config::Config;

/// The numbers of the page; `text` is the configuration as it was written.
pub fn facts<'a>(outcome: &'a TrainOutcome, config: &Config, text: &'a str) -> TrainingFacts<'a> {
    let Trained { loss, rounding, positions, epochs, .. } = &outcome.trained;
    let trained = &outcome.trained;
    let share =
        format!("{:.1} % of the material baseline", 100.0 * loss.validation / loss.material);
    let mean = format!("{:.2} cp", rounding.mean);
    let speed = grouped(trained.positions_per_cpu_second as u64);
    TrainingFacts {
        name: outcome.files[0].file_name().and_then(|name| name.to_str()).unwrap_or_default(),
        network: format!("{}, {} weights", trained.network, grouped(trained.parameters as u64)),
        numbers: vec![
            ("Validation loss", format!("{:.6}", loss.validation), share),
            ("Epoch", trained.epoch.to_string(), format!("of {}", config.learning.epochs)),
            ("Positions", grouped(positions.train as u64), "in the training set".to_owned()),
            ("Rounding", mean, format!("at most {:.1}", rounding.greatest)),
            ("Speed", speed, "positions a CPU second".to_owned()),
        ],
        epochs: epochs
            .iter()
            .map(|epoch| (epoch.number, epoch.train, epoch.validation, epoch.rate))
            .collect(),
        config: text,
    }
}

/// The result as text.
pub fn text(outcome: &TrainOutcome) -> String {
    let trained = &outcome.trained;
    let Trained { positions, loss, rounding, .. } = trained;
    let row = |name: &str, loss: f64| vec![name.to_owned(), format!("{loss:.6}")];
    let rows = [
        row("training set", loss.train),
        row("validation set", loss.validation),
        row("validation set, material baseline", loss.material),
    ];
    let names: Vec<String> = outcome.files.iter().map(|file| file.display().to_string()).collect();
    format!(
        "Network {}, {} weights\n{}\n{}\nEpoch {} of {}; as integers {:.2} centipawns off in the \
         mean, {:.1} at most\n{} positions a second, {} a second of processor time\n\
         \nWritten: {}\n",
        trained.network,
        grouped(trained.parameters as u64),
        positions.text(),
        table(["Loss", "Mean squared error"], rows, 1),
        trained.epoch,
        trained.epochs.len(),
        rounding.mean,
        rounding.greatest,
        grouped(trained.positions_per_second as u64),
        grouped(trained.positions_per_cpu_second as u64),
        names.join(", "),
    )
}
