//! Training the network of a generation.

use std::path::{Path, PathBuf};

use engine::eval::EvalFile;

use super::config::Config;
use super::event::{Event, Sink};
use super::folder::{self, CHECKPOINT, Folder, MERGED, NETWORK, POSITIONS, TRAINED, UNSHUFFLED};
use super::games::MEMORY;
use crate::train::{Event as TrainEvent, train as train_network};
use harness_base::context::Session;
use harness_base::failure::{Failure, OrFail};
use harness_data::bulk::{self, Rule, Workspace};
use harness_data::filter::Filters;
use harness_data::flaws::Flaws;
use harness_data::formats::{self, Writer};
use harness_data::{DataError, StateError};
use harness_outcome::loop_summary::{Best, Trained};
use harness_outcome::positions::Counts;
use harness_training::config::Config as TrainConfig;
use harness_training::data::Data;
use harness_training::packed::PackedPosition;
use harness_training::positions::{PositionSet, PositionWriter};
use harness_training::widen::can_start_from;

/// A generation whose network is outcome.
pub struct Training<'a> {
    /// Its number.
    pub number: u32,
    /// Its folder.
    pub folder: &'a Folder,
    /// The folders of the generations whose positions are used.
    pub sources: &'a [Folder],
    /// The best network so far.
    pub best: &'a Best,
    /// What became of the positions of these generations.
    pub counts: Counts,
}

/// Trains the network of a generation.
pub fn train(
    config: &Config,
    training: Training<'_>,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<Trained, Failure> {
    let Training { number, folder, sources, best, counts } = training;
    if let Some(trained) = folder.read(TRAINED).or_failed()? {
        tidy(folder).or_failed()?;
        return Ok(trained);
    }
    let data = Data { counts, ..data(config, number, folder, sources, session)? };
    let start = start(config, best)?;
    let config = TrainConfig {
        data: Vec::new(),
        filters: Filters::default(),
        network: config.network.clone(),
        learning: config.training.of_generation(number),
        validation: config.training.validation,
        start,
        freeze: Vec::new(),
        output: None,
    };
    let checkpoint = folder.file(CHECKPOINT);
    let resume = checkpoint.exists();
    let sink = |event: &TrainEvent<'_>| sink(&Event::Train(event));
    let (network, outcome) = train_network(&config, data, &checkpoint, resume, session, &sink)?;
    let trained = Trained {
        network: outcome.network,
        positions: outcome.positions.train,
        validation: outcome.positions.validation,
        train_loss: outcome.loss.train,
        validation_loss: outcome.loss.validation,
        material_loss: outcome.loss.material,
        epoch: outcome.epoch,
        rounding: outcome.rounding.mean,
    };
    let note = format!(
        "generation {number} of a loop of harness {}: {} positions, validation loss {:.6}",
        env!("CARGO_PKG_VERSION"),
        trained.positions,
        trained.validation_loss
    );
    folder::write(&folder.file(NETWORK), &network.to_bytes(&note)).or_failed()?;
    folder.write(TRAINED, &trained).or_failed()?;
    tidy(folder).or_failed()?;
    Ok(trained)
}

/// The network that the training starts from: with `go_on` the best one, if it can.
fn start(config: &Config, best: &Best) -> Result<Option<String>, Failure> {
    if !config.training.go_on {
        return Ok(None);
    }
    let Ok(file) = best.eval_file.parse::<EvalFile>();
    let loaded = file.load().map_err(|error| {
        Failure::Failed(miette::miette!("cannot go on from {}: {error}", best.eval_file))
    })?;
    let shape = config.network.shape();
    let can = loaded.is_some_and(|loaded| can_start_from(loaded.network.shape(), &shape));
    Ok(can.then(|| best.eval_file.clone()))
}

/// Removes large files that are no longer needed.
fn tidy(folder: &Folder) -> Result<(), StateError> {
    let [train, validation] = MERGED.map(|name| folder.positions(name));
    folder::remove(&[train, validation, folder.positions(UNSHUFFLED), folder.file(CHECKPOINT)])
}

/// The positions of all sources, each once; the training set in random order.
fn data(
    config: &Config,
    number: u32,
    folder: &Folder,
    sources: &[Folder],
    session: &Session,
) -> Result<Data, DataError> {
    let merge = |rule, inputs: &[PathBuf], output: &Path| {
        let folder = output.parent().unwrap_or(Path::new("."));
        let workspace = Workspace { memory: MEMORY, folder };
        let (writer, flaws) = (Writer::create(output)?, Flaws::default());
        let progress = &mut |_, _| session.interrupt.flow();
        bulk::apply(rule, inputs, writer, workspace, &flaws, progress).map(drop)
    };
    let [train_path, validation_path] = MERGED.map(|name| folder.positions(name));
    let [train_inputs, validation_inputs]: [Vec<PathBuf>; 2] =
        POSITIONS.map(|name| sources.iter().map(|source| source.positions(name)).collect());
    if !train_path.exists() {
        let unshuffled = folder.positions(UNSHUFFLED);
        merge(Rule::Unique, &train_inputs, &unshuffled)?;
        let seed = config.training.of_generation(number).seed;
        merge(Rule::Shuffle(seed), std::slice::from_ref(&unshuffled), &train_path)?;
        std::fs::remove_file(&unshuffled)?;
    }
    if !validation_path.exists() {
        merge(Rule::Unique, &validation_inputs, &validation_path)?;
    }
    let [train, validation] = [read(&train_path)?, read(&validation_path)?];
    Ok(Data { train, validation, counts: Counts::default() })
}

/// The positions of a file, in its folder.
fn read(path: &Path) -> Result<PositionSet, DataError> {
    let mut positions = PositionWriter::create(path.parent().unwrap_or(Path::new(".")))?;
    for record in formats::records(path, &Flaws::default())? {
        let record = record?;
        // The format has a score and a result for every position.
        let score = record.number().map_or(0, i32::from);
        let result = record.result.map_or(0.5, |result| result.value());
        positions.push(&PackedPosition::new(&record.position, score, result))?;
    }
    positions.finish()
}
