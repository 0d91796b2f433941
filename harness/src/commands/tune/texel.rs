//! `harness tune texel`: fits the evaluation's weights to labelled positions.

use std::path::PathBuf;
use std::sync::Mutex;

use clap::Args;
use serde_json::json;

use crate::commands::watch::published;
use crate::context::Context;
use crate::data::dataset::dropped;
use crate::failure::{Exit, Failure};
use crate::kinds::train::read_so_far;
use crate::kinds::{Begun, RunEvent, RunSink, recorded};
use crate::report::{Progress, terminal, text::grouped};
use crate::runs::notices::Ending;
use crate::runs::texel::{Event, TexelOutcome, TexelRun};
use crate::sync::lock;
use crate::tuning::texel::config::numbered_terms;
use crate::tuning::texel::fit::{Epoch, Losses};
use crate::tuning::texel::table;

/// Number of weights that the report names.
const MAX_SHOWN: usize = 15;

/// Fit the weights of the evaluation to labelled positions.
#[derive(Debug, Args)]
#[command(after_help = "\
CONFIG.yaml, all but `data` may be missing:
  data: [games.pgn]         # PGN with scores, EPD with c9, CSV, lines of `FEN | score | result`
  fit: [material, passed]   # groups or terms [default: all]
  filters: { keep: all, min_ply: 16, max_score: 2000, one_in: 1 }   # those of `data view`
  blend: 0.7                # the score's share of the label, the rest is the result [default: 0]
  loss: squared             # or logistic
  validation: 0.1           # share of the games in the validation set
  optimizer: adam           # or lbfgs, which takes fewer steps and no learning rate
  epochs: 300
  patience: 20              # steps without a better validation loss
  learning_rate: 1.0        # centipawns
  l2: 0.0001                # penalty on the distance from the start: loss a squared pawn
  seed: 1
  output: weights           # weights.json and weights.rs

Examples:
  harness tune texel tuning/texel.yaml
  harness tune texel tuning/texel.yaml --apply   # edits engine/src/eval/weights.rs

Scores and results are seen from White in lines and CSV. Test new weights by games: `harness sprt .
main --option EvalFile=classical`. The king's danger and the endgames' scale are not linear; they
stay as they are.")]
pub struct TexelArgs {
    /// What to fit, and to which data.
    #[arg(value_name = "CONFIG")]
    config: PathBuf,
    /// Write the weights into the engine's table.
    #[arg(long)]
    apply: bool,
    /// The source file with the table.
    #[arg(long, value_name = "FILE", default_value = "engine/src/eval/weights.rs")]
    table: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// When the configuration or the data are invalid, a file cannot be written, or the user
/// interrupts.
pub fn run(args: &TexelArgs, context: &Context) -> Result<Exit, Failure> {
    let table = args.apply.then(|| args.table.clone());
    let run = TexelRun::plan(&args.config, table, context)?;
    let progress: Mutex<Option<(bool, Progress)>> = Mutex::default();
    let fitting = |sink: &RunSink<'_>| {
        let title = args.config.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let key = recorded::TEXEL.key;
        sink(&RunEvent::Begun(Begun { run: key, key, title, done: 0, of: None, unit: "epochs" }));
        sink(&RunEvent::Configured(run.text()));
        let outcome = run.start(context, &|event| {
            if let Event::Epoch { epoch, of } = event {
                let done = u64::from(epoch.number);
                sink(&RunEvent::Extent { done, of: u64::from(*of), unit: "epochs" });
            }
            let mut progress = lock(&progress);
            let (reads, done, of) = match *event {
                Event::Reading { done, bytes } => (true, done, bytes),
                Event::Epoch { epoch, of } => (false, u64::from(epoch.number), u64::from(of)),
            };
            // A line for reading, then one for the fit.
            let line = progress.take().filter(|(reading, _)| *reading == reads);
            let (_, line) = progress.insert(
                line.unwrap_or_else(|| (reads, Progress::start(Some(of), 0, context.quiet))),
            );
            line.show(done, |_| match *event {
                Event::Reading { .. } => read_so_far(done, of),
                Event::Epoch { epoch: Epoch { number, train, validation }, of } => {
                    format!("epoch {number}/{of}  loss {train:.6}  validation {validation:.6}")
                }
            });
        });
        let outcome = outcome?;
        outcome.files.iter().for_each(|path| sink(&RunEvent::Writes(path)));
        Ok(outcome)
    };
    let ending =
        |outcome: &TexelOutcome| Ending { summary: Some(json!(outcome)), exit: Some(Exit::Good) };
    let outcome = published(context, fitting, ending)?;
    context.show(&outcome, || text(&outcome))
}

fn text(outcome: &TexelOutcome) -> String {
    let TexelOutcome { positions, fit, .. } = outcome;
    let mut text = format!("{}{}\n", positions.text(), dropped(&positions.counts));
    for warning in &outcome.warnings {
        text += &format!("warning: {warning}\n");
    }
    text.push('\n');
    let row = |name: &str, of: fn(&Losses) -> f64| {
        let before = of(&fit.loss.before);
        let after = of(&fit.loss.after);
        // A loss of 0 is none that can change.
        let change = match before > 0.0 {
            true => format!("{:+.3} %", 100.0 * (after / before - 1.0)),
            false => "–".to_owned(),
        };
        vec![name.to_owned(), format!("{before:.6}"), format!("{after:.6}"), change]
    };
    let rows = [row("training", |l| l.train), row("validation", |l| l.validation)];
    text += &terminal::table(["Loss", "Before", "After", "Change"], rows, 1);
    text += &format!("\nEpoch {}; k {:.6}", fit.epoch, fit.k);
    if let Some(k) = fit.score_k {
        text += &format!(" of evaluations, {k:.6} of scores");
    }
    text += &format!("; gradient {} positions a second and core\n\n", grouped(fit.speed as u64));
    text += &changes(outcome);
    let names: Vec<String> = outcome.files.iter().map(|file| file.display().to_string()).collect();
    text + &format!("\nWritten: {}\n", names.join(", "))
}

/// The weights that changed most, with the number of training positions that have them.
fn changes(outcome: &TexelOutcome) -> String {
    let TexelOutcome { before, after, occurrences, .. } = outcome;
    let change = |number: usize| {
        let [mg, eg] = [0, 1].map(|phase| (after[number][phase] - before[number][phase]).abs());
        mg + eg
    };
    let mut numbers: Vec<(String, usize)> = Vec::with_capacity(after.len());
    for (term, range) in numbered_terms() {
        let first = range.start;
        numbers.extend(range.map(|number| (format!("{}[{}]", term.name, number - first), number)));
    }
    let changed = numbers.iter().filter(|(_, number)| change(*number) > 0.0).count();
    numbers.sort_by(|a, b| change(b.1).total_cmp(&change(a.1)));
    numbers.truncate(MAX_SHOWN.min(changed));
    let rows = numbers.into_iter().map(|(name, number)| {
        let [from, to] = [before[number], after[number]].map(table::format_pair);
        vec![name, from, to, grouped(occurrences[number])]
    });
    let mut text = format!("{changed} of {} weights changed; most:\n", after.len());
    text += &terminal::table(["Weight", "From", "To", "Positions"], rows, 1);
    text
}
