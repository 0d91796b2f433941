//! `harness tune texel`: the evaluation's weights fitted to labelled positions.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;
use engine::eval::Weights;
use miette::Diagnostic;
use rand::Rng;
use serde::Serialize;
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::super::learning::{Positions, dropped, reading};
use crate::context::Context;
use crate::data::dataset::{self, DataError};
use crate::failure::{Exit, Failure, OrFail};
use crate::ledger::write_atomically;
use crate::random;
use crate::report::{Progress, terminal, text::grouped};
use crate::runs::games::cores;
use crate::training::data::bytes;
use crate::tuning::texel::config::{Config, numbered_terms};
use crate::tuning::texel::fit::{self, Fit, Settings};
use crate::tuning::texel::sparse::{Builder, Pair, SparseRows, linked_weights};
use crate::tuning::texel::table::{self, TableError, whole};

/// The table that the linked engine was built with.
const OWN_TABLE: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/src/eval/weights.rs"));

/// How many weights the report names.
const SHOWN: usize = 15;

/// Fits the weights of the evaluation to labelled positions.
#[derive(Debug, Args)]
#[command(after_help = "\
CONFIG.yaml, all but `data` may be missing:
  data: [games.pgn]         # PGN with scores, EPD with c9, CSV, lines of `FEN | score | result`
  fit: [material, passed]   # groups or terms [default: all]
  filters: { keep: all, min_ply: 16, max_score: 2000, one_in: 1 }   # those of `data view`
  blend: 0.7                # the score's share of the label, the result has the rest [default: 0]
  loss: squared             # or logistic
  validation: 0.1           # share of the games that only judge
  optimizer: adam           # or lbfgs, which takes fewer steps and no learning rate
  epochs: 300
  patience: 20              # steps without a better validation loss
  learning_rate: 1.0        # centipawns
  l2: 0.0001                # pull towards the start, loss a squared pawn
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

/// A fit that cannot be made or kept.
#[derive(Debug, Error, Diagnostic)]
enum FitError {
    #[error("{}: {source}", path.display())]
    #[diagnostic(help(
        "it has to be the table that this harness was built with: build the harness again, or \
         take the weights from the output; nothing was changed"
    ))]
    Table { path: PathBuf, source: TableError },
    #[error("cannot {doing} {}: {source}", path.display())]
    #[diagnostic(help("stand in the engine's repository, or name another file"))]
    File { doing: &'static str, path: PathBuf, source: io::Error },
}

/// The JSON object of `harness tune texel --json`, which is also kept in a file.
#[derive(Serialize)]
struct Output {
    method: &'static str,
    positions: Positions,
    k: f64,
    score_k: Option<f64>,
    loss: Loss,
    epoch: u32,
    /// Weights by term, `[middlegame, endgame]` in centipawns.
    start: Map<String, Value>,
    best: Map<String, Value>,
    /// Of the gradient.
    positions_per_second_per_core: f64,
    files: Vec<PathBuf>,
}

#[derive(Serialize)]
struct Loss {
    before: fit::Losses,
    after: fit::Losses,
}

/// Runs the command.
///
/// # Errors
/// When the configuration or the data make no sense, a file cannot be written, or the user
/// interrupts.
pub fn run(args: &TexelArgs, context: &Context) -> Result<Exit, Failure> {
    let config = Config::read(&args.config).or_usage()?;
    let fitted = config.weights().or_usage()?;
    let data = read(&config, &fitted, context)?;
    let settings = settings(&config);
    let linked = linked_weights();
    let start: Vec<Pair> = fitted.iter().map(|&number| linked[number]).collect();
    let fit = descend(&data, &start, &settings, context)?;
    let mut weights = linked.clone();
    for (&number, pair) in fitted.iter().zip(&fit.weights) {
        weights[number] = pair.map(|value| f64::from(whole(value)));
    }
    let stem = config.output.clone().unwrap_or_else(|| {
        let name = args.config.file_stem().unwrap_or("weights".as_ref());
        context.reports.join("texel").join(name)
    });
    let files = keep(&stem, args, &linked, &weights)?;
    let mut seen = vec![0; linked.len()];
    for (&number, positions) in fitted.iter().zip(data.train.occurrences(fitted.len())) {
        seen[number] = positions;
    }
    let output = output(data, &fit, &linked, &weights, files);
    let object = format!("{}\n", json!(output));
    write(&stem.with_extension("json"), &object).or_failed()?;
    context.print(&if context.json { object } else { text(&output, &linked, &weights, &seen) })?;
    Ok(Exit::Good)
}

fn settings(config: &Config) -> Settings {
    Settings {
        loss: config.loss,
        blend: config.blend,
        optimizer: config.optimizer,
        epochs: config.epochs,
        patience: config.patience,
        rate: config.learning_rate,
        l2: config.l2,
        jobs: config.jobs.map_or_else(cores, usize::from),
    }
}

/// Positions to learn from and to judge by.
struct Data {
    train: SparseRows,
    validation: SparseRows,
    positions: Positions,
}

fn read(config: &Config, fitted: &[usize], context: &Context) -> Result<Data, Failure> {
    let mut builder = Builder::new(fitted);
    let (mut train, mut validation) = (SparseRows::default(), SparseRows::default());
    let mut split = (0, false);
    let mut take = |sample: dataset::Sample| {
        if split.0 != sample.game {
            let chance = random::stream("texel split", config.seed, sample.game).random::<f64>();
            split = (sample.game, chance < config.validation);
        }
        builder.push(&sample, if split.1 { &mut validation } else { &mut train });
    };
    let needs_score = config.blend > 0.0;
    let mut told = reading(bytes(&config.data), context);
    let read = dataset::read(&config.data, &config.filters, needs_score, &mut take, &mut told);
    drop(told);
    let counts = match read {
        Err(DataError::Stopped) => {
            return Err(Failure::Interrupted("nothing was written".to_owned()));
        }
        read => read.or_usage()?,
    };
    let positions = Positions { train: train.len(), validation: validation.len(), counts };
    positions.check().or_usage()?;
    Ok(Data { train, validation, positions })
}

fn descend(
    data: &Data,
    start: &[Pair],
    settings: &Settings,
    context: &Context,
) -> Result<Fit, Failure> {
    let mut progress = Progress::start(Some(u64::from(settings.epochs)), 0, context.quiet);
    let fit = fit::fit(&data.train, &data.validation, start, settings, &mut |epoch| {
        progress.show(u64::from(epoch.number), |_| {
            let fit::Epoch { number, train, validation } = epoch;
            let epochs = settings.epochs;
            format!("pass {number}/{epochs}  loss {train:.6}  validation {validation:.6}")
        });
        if context.interrupt.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if context.interrupt.is_set() {
        return Err(Failure::Interrupted("nothing was written".to_owned()));
    }
    Ok(fit)
}

/// Writes the table beside the JSON and, if asked, in its place; the files.
fn keep(
    stem: &Path,
    args: &TexelArgs,
    linked: &[Pair],
    weights: &[Pair],
) -> Result<Vec<PathBuf>, Failure> {
    let (json, rust) = (stem.with_extension("json"), stem.with_extension("rs"));
    let of = |path: &Path, text: &str| {
        table::rewritten(text, linked, weights)
            .map_err(|source| FitError::Table { path: path.to_owned(), source })
            .or_usage()
    };
    write(&rust, &of(&rust, OWN_TABLE)?).or_failed()?;
    let mut files = vec![json, rust];
    if args.apply {
        let path = &args.table;
        let old = std::fs::read_to_string(path)
            .map_err(|source| FitError::File { doing: "read", path: path.clone(), source })
            .or_usage()?;
        write(path, &of(path, &old)?).or_failed()?;
        files.push(path.clone());
    }
    Ok(files)
}

fn write(path: &Path, text: &str) -> Result<(), FitError> {
    let file = |source| FitError::File { doing: "write", path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(file)?;
    }
    write_atomically(path, text.as_bytes()).map_err(file)
}

fn output(data: Data, fit: &Fit, linked: &[Pair], weights: &[Pair], files: Vec<PathBuf>) -> Output {
    let by_term = |all: &[Pair]| {
        let rows = numbered_terms().into_iter().map(|(term, numbers)| {
            let row: Vec<[i16; 2]> = all[numbers].iter().map(|pair| pair.map(whole)).collect();
            (term.name.to_owned(), json!(row))
        });
        rows.collect::<Map<String, Value>>()
    };
    Output {
        method: "texel",
        positions: data.positions,
        k: fit.k,
        score_k: fit.score_k,
        loss: Loss { before: fit.before, after: fit.after },
        epoch: fit.epoch,
        start: by_term(linked),
        best: by_term(weights),
        positions_per_second_per_core: fit.speed,
        files,
    }
}

fn text(output: &Output, linked: &[Pair], weights: &[Pair], seen: &[u64]) -> String {
    let Output { positions, loss, .. } = output;
    let mut text = format!("{}{}\n\n", positions.text(), dropped(&positions.counts));
    let row = |name: &str, of: fn(&fit::Losses) -> f64| {
        let (before, after) = (of(&loss.before), of(&loss.after));
        let change = format!("{:+.3} %", 100.0 * (after / before - 1.0));
        vec![name.to_owned(), format!("{before:.6}"), format!("{after:.6}"), change]
    };
    let rows = [row("learnt from", |l| l.train), row("judged by", |l| l.validation)];
    text += &terminal::table(["Loss", "Before", "After", "Change"], rows, 1);
    text += &format!("\nPass {}; k {:.6}", output.epoch, output.k);
    if let Some(k) = output.score_k {
        text += &format!(" of evaluations, {k:.6} of scores");
    }
    text += &format!(
        "; gradient {} positions a second and core\n\n",
        grouped(output.positions_per_second_per_core as u64)
    );
    text += &changes(linked, weights, seen);
    let names: Vec<String> = output.files.iter().map(|file| file.display().to_string()).collect();
    text + &format!("\nWritten: {}\n", names.join(", "))
}

/// The weights that changed most, and how many positions they were learnt from.
fn changes(linked: &[Pair], weights: &[Pair], seen: &[u64]) -> String {
    let change = |number: usize| {
        let [mg, eg] = [0, 1].map(|phase| (weights[number][phase] - linked[number][phase]).abs());
        mg + eg
    };
    let mut numbers: Vec<(String, usize)> = Vec::with_capacity(Weights::COUNT);
    for (term, range) in numbered_terms() {
        let first = range.start;
        numbers.extend(range.map(|number| (format!("{}[{}]", term.name, number - first), number)));
    }
    let changed = numbers.iter().filter(|(_, number)| change(*number) > 0.0).count();
    numbers.sort_by(|a, b| change(b.1).total_cmp(&change(a.1)));
    numbers.truncate(SHOWN.min(changed));
    let rows = numbers.into_iter().map(|(name, number)| {
        let [from, to] = [linked[number], weights[number]].map(table::written);
        vec![name, from, to, grouped(seen[number])]
    });
    let mut text = format!("{changed} of {} weights changed; most:\n", weights.len());
    text += &terminal::table(["Weight", "From", "To", "Positions"], rows, 1);
    text
}
