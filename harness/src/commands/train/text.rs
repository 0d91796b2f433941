//! What a training tells people: lines, and a page.

use super::{Learnt, Output};
use crate::report::html::{TrainingFacts, training_page};
use crate::report::{terminal, text::grouped};
use crate::training::config::Config;

/// The page of a training.
pub fn page(output: &Output, config: &Config, text: &str) -> String {
    let learnt = &output.learnt;
    let Learnt { loss, rounding, positions, .. } = learnt;
    let share = format!("{:.1} % of material's", 100.0 * loss.validation / loss.material);
    let beside = |text: &str| text.to_owned();
    training_page(&TrainingFacts {
        name: &output.files[0].file_name().unwrap_or_default().to_string_lossy(),
        network: format!("{}, {} weights", learnt.network, grouped(learnt.parameters as u64)),
        numbers: vec![
            ("Error, judging", format!("{:.6}", loss.validation), share),
            ("Pass", learnt.epoch.to_string(), format!("of {}", config.learning.epochs)),
            ("Positions", grouped(positions.train as u64), beside("learnt from")),
            (
                "Rounding",
                format!("{:.2} cp", rounding.mean),
                format!("at most {:.1}", rounding.greatest),
            ),
            (
                "Speed",
                grouped(learnt.positions_per_cpu_second as u64),
                beside("positions a CPU second"),
            ),
        ],
        epochs: learnt
            .epochs
            .iter()
            .map(|epoch| (epoch.number, epoch.train, epoch.validation, epoch.rate))
            .collect(),
        config: text,
    })
}

/// A training as people read it.
pub fn text(output: &Output) -> String {
    let learnt = &output.learnt;
    let Learnt { positions, loss, rounding, .. } = learnt;
    let mut text = format!(
        "Network {}, {} weights\n{}\n",
        learnt.network,
        grouped(learnt.parameters as u64),
        positions.text(),
    );
    let row = |name: &str, loss: f64| vec![name.to_owned(), format!("{loss:.6}")];
    let rows = [
        row("learnt from", loss.train),
        row("judged by", loss.validation),
        row("judged by, counting pieces only", loss.material),
    ];
    text += &terminal::table(["Error", "Mean squared"], rows, 1);
    text += &format!(
        "\nPass {} of {}; as integers {:.2} centipawns off in the mean, {:.1} at most\n\
         {} positions a second, {} a second of processor time\n",
        learnt.epoch,
        learnt.epochs.len(),
        rounding.mean,
        rounding.greatest,
        grouped(learnt.positions_per_second as u64),
        grouped(learnt.positions_per_cpu_second as u64),
    );
    let names: Vec<String> = output.files.iter().map(|file| file.display().to_string()).collect();
    text + &format!("\nWritten: {}\n", names.join(", "))
}
