//! Training the network of a generation, or several of which a race chooses one.

use std::path::{Path, PathBuf};

use engine::eval::EvalFile;

use super::config::Config;
use super::event::{Event, Sink};
use super::folder::{
    self, CHECKPOINT, Folder, MERGED, NETWORK, POSITIONS, TRAINED, UNSHUFFLED, of_training,
    unusable,
};
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
    /// Counts of the positions of these generations.
    pub counts: Counts,
}

/// Trains the networks of a generation.
pub fn train(
    config: &Config,
    training: &Training<'_>,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<Vec<Trained>, Failure> {
    let trainings = config.training.trainings;
    let mut all = Vec::new();
    for number in 0..trainings {
        let known = training.folder.read(&of_training(TRAINED, number)).or_failed()?;
        all.push(match known {
            Some(trained) => trained,
            None => train_one(config, training, number, session, sink)?,
        });
    }
    tidy(training.folder, trainings).or_failed()?;
    Ok(all)
}

/// One of the trainings of a generation, from 0.
fn train_one(
    config: &Config,
    training: &Training<'_>,
    which: u32,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<Trained, Failure> {
    let &Training { number, folder, sources, best, ref counts } = training;
    let data = Data { counts: counts.clone(), ..data(config, number, folder, sources, session)? };
    let start = start(config, best)?;
    let config = TrainConfig {
        text: String::new(),
        data: Vec::new(),
        filters: Filters::default(),
        network: config.network.clone(),
        learning: config.training.of_training(number, which),
        validation: config.training.validation,
        start,
        freeze: Vec::new(),
        output: None,
    };
    let checkpoint = folder.file(&of_training(CHECKPOINT, which));
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
    let file = folder.file(&of_training(NETWORK, which));
    folder::write(&file, &network.to_bytes(&note)).or_failed()?;
    folder.write(&of_training(TRAINED, which), &trained).or_failed()?;
    Ok(trained)
}

/// Makes one of the networks that of the generation.
pub fn choose(folder: &Folder, which: u32) -> Result<(), Failure> {
    if which == 0 {
        return Ok(());
    }
    let file = folder.file(&of_training(NETWORK, which));
    let bytes = std::fs::read(&file).map_err(unusable("read", &file)).or_failed()?;
    folder::write(&folder.file(NETWORK), &bytes).or_failed()
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
fn tidy(folder: &Folder, trainings: u32) -> Result<(), StateError> {
    let positions = MERGED.into_iter().chain([UNSHUFFLED]).map(|name| folder.positions(name));
    let checkpoints = (0..trainings).map(|which| folder.file(&of_training(CHECKPOINT, which)));
    folder::remove(&positions.chain(checkpoints).collect::<Vec<_>>())
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
