//! The network of a generation.

use std::path::{Path, PathBuf};

use engine::eval::EvalFile;

use super::config::Config;
use super::games::{MEMORY, write};
use super::shelf::{self, Shelf, ShelfError};
use crate::commands::data::DataError;
use crate::commands::train;
use crate::context::Context;
use crate::data::bulk::{Bulk, BulkError, Rule, Workspace};
use crate::data::collect::Counts;
use crate::data::filter::Filters;
use crate::data::flaws::Flaws;
use crate::data::formats::{self, Format};
use crate::failure::{Failure, OrFail};
use crate::outcome::loop_summary::{Best, Learnt};
use crate::training::config::Config as TrainConfig;
use crate::training::data::{Data, KEPT};
use crate::training::sample::Sample;

/// Trains the network of a generation on the positions of some shelves.
///
/// # Errors
/// When there are too few positions, a file cannot be written, or the user interrupts.
pub fn learn(
    config: &Config,
    number: u32,
    shelf: &Shelf,
    sources: &[Shelf],
    best: &Best,
    counts: Counts,
    context: &Context,
) -> Result<Learnt, Failure> {
    if let Some(learnt) = shelf::told(&shelf.learnt()).or_failed()? {
        tidy(shelf).or_failed()?;
        return Ok(learnt);
    }
    let data = match data(config, number, shelf, sources, context) {
        Err(DataError::Bulk(BulkError::Stopped)) => {
            return Err(Failure::Interrupted("the positions are kept".to_owned()));
        }
        data => Data { counts, ..data.or_failed()? },
    };
    let training = TrainConfig {
        data: Vec::new(),
        filters: Filters::default(),
        network: config.network.clone(),
        learning: config.training.of_generation(number),
        validation: config.training.validation,
        start: start(config, best)?,
        freeze: Vec::new(),
        output: None,
    };
    let checkpoint = shelf.checkpoint();
    let resume = checkpoint.exists();
    let (network, told) = train::learn_from(&training, data, &checkpoint, resume, context)?;
    let learnt = Learnt {
        network: told.network,
        positions: told.positions.train,
        validation: told.positions.validation,
        train_loss: told.loss.train,
        validation_loss: told.loss.validation,
        material_loss: told.loss.material,
        epoch: told.epoch,
        rounding: told.rounding.mean,
    };
    let note = format!(
        "generation {number} of a loop of harness {}: {} positions, validation loss {:.6}",
        env!("CARGO_PKG_VERSION"),
        learnt.positions,
        learnt.validation_loss
    );
    shelf::write(&shelf.network(), &network.to_bytes(&note)).or_failed()?;
    shelf::tell(&shelf.learnt(), &learnt).or_failed()?;
    tidy(shelf).or_failed()?;
    Ok(learnt)
}

/// The network that the training goes on from, if it does: the best one, where it has the same
/// sizes.
fn start(config: &Config, best: &Best) -> Result<Option<String>, Failure> {
    if !config.training.go_on {
        return Ok(None);
    }
    let Ok(file) = best.eval_file.parse::<EvalFile>();
    let loaded = file.load().map_err(|error| {
        Failure::Failed(miette::miette!("cannot go on from {}: {error}", best.eval_file))
    })?;
    let shape = config.network.shape();
    let same = loaded.is_some_and(|loaded| *loaded.network.shape() == shape);
    Ok(same.then(|| best.eval_file.clone()))
}

/// Removes what is large and no longer needed.
fn tidy(shelf: &Shelf) -> Result<(), ShelfError> {
    let [learn, judge] = shelf.merged();
    shelf::remove(&[learn, judge, shelf.unshuffled(), shelf.checkpoint()])
}

/// The positions of all sources, each once, in one random order.
fn data(
    config: &Config,
    number: u32,
    shelf: &Shelf,
    sources: &[Shelf],
    context: &Context,
) -> Result<Data, DataError> {
    let [learn, judge] = shelf.merged();
    let of = |kind: usize| -> Vec<PathBuf> {
        sources.iter().map(|source| source.positions()[kind].clone()).collect()
    };
    if !learn.exists() {
        let unshuffled = shelf.unshuffled();
        merge(Rule::Unique, &of(0), &unshuffled, context)?;
        let seed = config.training.of_generation(number).seed;
        merge(Rule::Shuffle(seed), std::slice::from_ref(&unshuffled), &learn, context)?;
        std::fs::remove_file(&unshuffled)?;
    }
    if !judge.exists() {
        merge(Rule::Unique, &of(1), &judge, context)?;
    }
    let (mut train, mut validation, mut positions) = (Vec::new(), Vec::new(), Vec::new());
    read(&learn, &mut |sample, _| train.push(sample))?;
    read(&judge, &mut |sample, position| {
        validation.push(sample);
        if positions.len() < KEPT {
            positions.push(*position);
        }
    })?;
    Ok(Data { train, validation, positions, counts: Counts::default() })
}

/// Files of positions through a rule into another one of their format.
fn merge(rule: Rule, inputs: &[PathBuf], to: &Path, context: &Context) -> Result<(), DataError> {
    use std::ops::ControlFlow::{Break, Continue};
    let paths: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let folder = to.parent().unwrap_or(Path::new("."));
    let mut bulk = Bulk::new(rule, Format::of(to)?, &paths, Workspace { memory: MEMORY, folder })?;
    let mut told = |_| if context.interrupt.is_set() { Break(()) } else { Continue(()) };
    for path in paths {
        bulk.read(path, &Flaws::default(), &mut told)?;
    }
    write(bulk, to, context).map(|_| ())
}

fn read(
    path: &Path,
    take: &mut dyn FnMut(Sample, &engine::board::Position),
) -> Result<(), DataError> {
    for record in formats::records(path, &Flaws::default())? {
        let record = record?;
        // The format has a score and a result for every position.
        let score = record.number().map_or(0, i32::from);
        let result = record.result.map_or(0.5, |result| result.value());
        take(Sample::new(&record.position, score, result), &record.position);
    }
    Ok(())
}
