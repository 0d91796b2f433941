//! Texel tuning: fits weights of the evaluation to labelled positions, and keeps them as files.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use rand::Rng;
use serde::Serialize;
use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::games::cores;
use crate::train::{extended, stem_of};
use harness_base::context::Session;
use harness_base::failure::{Failure, OrFail};
use harness_base::files::write_atomically;
use harness_data::dataset::{self, DataError, Labels, Positions};
use harness_stats::random;
use harness_training::data::bytes;
use harness_tuning::texel::config::{Config, numbered_terms};
use harness_tuning::texel::fit::{self, Fit, OnlyLabel};
use harness_tuning::texel::labelled::Settings;
use harness_tuning::texel::sparse::{Builder, Pair, SparseRows, linked_weights};
use harness_tuning::texel::table::{self, TableError, whole};

/// The table of the linked engine.
const OWN_TABLE: &str = engine::eval::WEIGHTS_SOURCE;

/// Positions a weight, below which a fit is mostly noise.
const MIN_POSITIONS_PER_WEIGHT: usize = 10;

/// A planned fit: the configuration is valid, nothing is read.
pub struct TexelRun {
    config: Config,
    /// Numbers of the weights to fit.
    fitted: Vec<usize>,
    /// Path of the new weights without extension.
    stem: PathBuf,
    /// Another table to write the weights into.
    table: Option<PathBuf>,
}

/// Something that happened in a fit.
pub enum Event {
    /// Data is read.
    Reading {
        /// Bytes read.
        done: u64,
        /// Bytes of all files.
        bytes: u64,
    },
    /// The optimiser made a step.
    Epoch {
        /// The step.
        epoch: fit::Epoch,
        /// Bound on the steps.
        of: u32,
    },
}

/// Takes every event, one after the other.
pub type Sink<'a> = dyn Fn(&Event) + Sync + 'a;

/// The fitted weights; the JSON object of `harness tune texel --json`, which is also kept in a file.
#[derive(Serialize)]
pub struct TexelOutcome {
    method: &'static str,
    /// Sizes of the training and the validation set.
    pub positions: Positions,
    /// The fit.
    #[serde(flatten)]
    pub fit: Fit,
    /// Weights by term, `[middlegame, endgame]` in centipawns.
    start: Map<String, Value>,
    best: Map<String, Value>,
    /// The files with the weights.
    #[serde(with = "harness_base::text::path")]
    pub files: Vec<PathBuf>,
    /// Warnings that limit the value of the weights.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// All weights by number, before the fit.
    #[serde(skip)]
    pub before: Vec<Pair>,
    /// All weights by number, after the fit.
    #[serde(skip)]
    pub after: Vec<Pair>,
    /// Number of positions of the training set in which each weight has a coefficient.
    #[serde(skip)]
    pub occurrences: Vec<u64>,
}

/// Weights that cannot be written.
#[derive(Debug, Error, Diagnostic)]
enum TexelError {
    #[error("{}: {source}", path.display())]
    #[diagnostic(help(
        "it has to be the table that this harness was built with: build the harness again, or \
         take the weights from the output; nothing was changed"
    ))]
    Table { path: PathBuf, source: TableError },
    #[error(
        "all {positions} positions of the training set have the same label, {label}: nothing can be fitted"
    )]
    #[diagnostic(help(
        "only labels that vary say which positions are better: take games with other results, or \
         positions with scores and `blend` above 0"
    ))]
    NoInformation { positions: usize, label: f64 },
    #[error("cannot {doing} {}: {source}", path.display())]
    #[diagnostic(help("stand in the engine's repository, or name another file"))]
    File { doing: &'static str, path: PathBuf, source: io::Error },
}

/// The training and the validation set.
struct Data {
    train: SparseRows,
    validation: SparseRows,
    positions: Positions,
}

impl TexelRun {
    /// Reads a configuration; with `table`, the weights are written into that table too.
    ///
    /// # Errors
    /// When the configuration cannot be read or is invalid.
    pub fn plan(
        path: &Path,
        table: Option<PathBuf>,
        session: &Session,
    ) -> Result<TexelRun, Failure> {
        let config = Config::read(path).or_usage()?;
        let fitted = config.weights().or_usage()?;
        let name = path.file_stem().unwrap_or("weights".as_ref());
        let usual = || session.reports.join("texel").join(name);
        let named = |output: &PathBuf| stem_of(output, &["json", "rs"]);
        let stem = config.output.as_ref().map_or_else(usual, named);
        Ok(TexelRun { config, fitted, stem, table })
    }

    /// The configuration as it was written.
    pub fn text(&self) -> &str {
        &self.config.text
    }

    /// Reads the data, fits the weights, and writes them.
    ///
    /// # Errors
    /// When the data cannot be read or are too few, a file cannot be written, or the user
    /// interrupts.
    pub fn start(&self, session: &Session, sink: &Sink<'_>) -> Result<TexelOutcome, Failure> {
        let data = self.read(session, sink)?;
        let before = linked_weights();
        let fit = self.fit(&data, &before, session, sink)?;
        let (mut after, mut occurrences) = (before.clone(), vec![0; before.len()]);
        let counts = data.train.occurrences(self.fitted.len());
        for ((&number, pair), count) in self.fitted.iter().zip(&fit.weights).zip(counts) {
            after[number] = pair.map(|value| f64::from(whole(value)));
            occurrences[number] = count;
        }
        let json = extended(&self.stem, "json");
        let mut files = vec![json.clone()];
        files.extend(self.write_tables(&before, &after)?);
        let outcome = TexelOutcome {
            method: "texel",
            warnings: self.warnings(&data, &fit),
            positions: data.positions,
            fit,
            start: by_term(&before),
            best: by_term(&after),
            files,
            before,
            after,
            occurrences,
        };
        write(&json, &format!("{}\n", json!(outcome))).or_failed()?;
        Ok(outcome)
    }

    fn read(&self, session: &Session, sink: &Sink<'_>) -> Result<Data, Failure> {
        let Config { data, filters, blend, validation: share, seed, .. } = &self.config;
        let mut builder = Builder::new(&self.fitted);
        let (mut train, mut validation) = (SparseRows::default(), SparseRows::default());
        let mut split = (0, false);
        let mut take = |sample: dataset::Sample| {
            if split.0 != sample.game {
                let chance = random::stream("texel split", *seed, sample.game).random::<f64>();
                split = (sample.game, chance < *share);
            }
            builder.push(&sample, if split.1 { &mut validation } else { &mut train });
        };
        let bytes = bytes(data);
        let mut progress = |done| {
            sink(&Event::Reading { done, bytes });
            flow(session)
        };
        let labels = Labels { needs_score: *blend > 0.0, td_lambda: None };
        let counts = match dataset::read(data, filters, labels, &mut take, &mut progress) {
            Err(DataError::Stopped) => return Err(interrupted()),
            read => read.or_usage()?,
        };
        let positions = Positions { train: train.len(), validation: validation.len(), counts };
        positions.check().or_usage()?;
        Ok(Data { train, validation, positions })
    }

    /// Warnings about a fit.
    fn warnings(&self, data: &Data, fit: &Fit) -> Vec<String> {
        let (positions, weights) = (data.train.len(), self.fitted.len());
        let mut warnings = Vec::new();
        if fit::is_at_bound(fit.k) {
            warnings.push(format!(
                "k is {:.6}, an end of the range in which it is searched: the evaluation says little \
                 about these labels, and weights fitted to them are noise",
                fit.k
            ));
        }
        if positions < MIN_POSITIONS_PER_WEIGHT * weights {
            warnings.push(format!(
                "{positions} positions are few for {weights} weights: with less than \
                 {MIN_POSITIONS_PER_WEIGHT} a weight, most of the changes are noise"
            ));
        }
        warnings
    }

    fn settings(&self) -> Settings {
        let config = &self.config;
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

    fn fit(
        &self,
        data: &Data,
        linked: &[Pair],
        session: &Session,
        sink: &Sink<'_>,
    ) -> Result<Fit, Failure> {
        let settings = self.settings();
        let start: Vec<Pair> = self.fitted.iter().map(|&number| linked[number]).collect();
        let fit = fit::fit(&data.train, &data.validation, &start, &settings, &mut |epoch| {
            sink(&Event::Epoch { epoch, of: settings.epochs });
            flow(session)
        });
        if session.interrupt.is_set() {
            return Err(interrupted());
        }
        let positions = data.train.len();
        fit.map_err(|OnlyLabel(label)| TexelError::NoInformation { positions, label }).or_usage()
    }

    /// Writes the weights as a table beside the JSON, and into the other table if there is one.
    fn write_tables(&self, before: &[Pair], after: &[Pair]) -> Result<Vec<PathBuf>, Failure> {
        let rewritten = |path: &Path, text: &str| {
            table::rewritten(text, before, after)
                .map_err(|source| TexelError::Table { path: path.to_owned(), source })
                .or_usage()
        };
        let rust = extended(&self.stem, "rs");
        write(&rust, &rewritten(&rust, OWN_TABLE)?).or_failed()?;
        let mut files = vec![rust];
        if let Some(path) = &self.table {
            let old = std::fs::read_to_string(path)
                .map_err(|source| TexelError::File { doing: "read", path: path.clone(), source })
                .or_usage()?;
            write(path, &rewritten(path, &old)?).or_failed()?;
            files.push(path.clone());
        }
        Ok(files)
    }
}

fn flow(session: &Session) -> ControlFlow<()> {
    if session.interrupt.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn interrupted() -> Failure {
    Failure::Interrupted("nothing was written".to_owned())
}

fn write(path: &Path, text: &str) -> Result<(), TexelError> {
    let file = |source| TexelError::File { doing: "write", path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(file)?;
    }
    write_atomically(path, text.as_bytes()).map_err(file)
}

fn by_term(weights: &[Pair]) -> Map<String, Value> {
    let rows = numbered_terms().into_iter().map(|(term, numbers)| {
        let row: Vec<[i16; 2]> = weights[numbers].iter().map(|pair| pair.map(whole)).collect();
        (term.name.to_owned(), json!(row))
    });
    rows.collect()
}
