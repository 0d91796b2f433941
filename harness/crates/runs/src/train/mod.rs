//! Training a network: a run whose state is its checkpoint.

mod summary;
mod training;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use engine::eval::nnue::Network;
use serde_json::json;

pub use training::{Event, Losses, Sink, TrainOutcome, Trained, train, untrained};

use self::training::{data_failure, folder_of};

use self::summary::summary;
use harness_base::context::Session;
use harness_base::failure::{Failure, OrFail};
use harness_base::files::write_atomically;
use harness_data::bulk::Workspace;
use harness_data::{DataError, StateError};
use harness_outcome::training::TrainingSummary;
use harness_report::html::training_page;
use harness_training::config::Config;
use harness_training::data::{Data, MEMORY, bytes};

/// A training that is planned: the configuration is sound, nothing is read.
pub struct TrainRun {
    config: Config,
    /// Path of the network without its extension.
    stem: PathBuf,
    /// Go on from the checkpoint of an interrupted training.
    resume: bool,
}

impl TrainRun {
    /// Its outcome for reports.
    pub fn summary(&self, outcome: &TrainOutcome) -> TrainingSummary {
        summary(outcome, &self.config)
    }

    /// The name of the network.
    pub fn name(&self) -> String {
        self.stem.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The configuration as it was written.
    pub fn text(&self) -> &str {
        &self.config.text
    }

    /// The files that it writes: the network, its figures, their page.
    pub fn files(&self) -> Vec<PathBuf> {
        ["nnue", "json", "html"].map(|extension| extended(&self.stem, extension)).to_vec()
    }

    /// Reads a configuration.
    ///
    /// # Errors
    /// When it cannot be read or is not sound.
    pub fn plan(path: &Path, resume: bool, session: &Session) -> Result<TrainRun, Failure> {
        let config = Config::read(path).or_usage()?;
        let name = path.file_stem().unwrap_or("network".as_ref());
        let usual = || session.reports.join("train").join(name);
        let stem = config.output.as_deref().map_or_else(usual, |output| stem_of(output, &["nnue"]));
        Ok(TrainRun { config, stem, resume })
    }

    /// Reads the data, trains, and writes the network.
    ///
    /// # Errors
    /// When the data cannot be read or are too few, a file cannot be written, or the user
    /// interrupts.
    pub fn start(&self, session: &Session, sink: &Sink<'_>) -> Result<TrainOutcome, Failure> {
        let TrainRun { config, stem, resume, .. } = self;
        let folder = folder_of(stem);
        std::fs::create_dir_all(folder).map_err(unwritable(folder)).or_failed()?;
        let bytes = bytes(&config.data);
        let workspace = Workspace { memory: MEMORY, folder };
        let read = Data::read(config, workspace, &mut |done| {
            sink(&Event::Reading { done, bytes });
            session.interrupt.flow()
        });
        let data = match read {
            Err(DataError::Stopped) => {
                return Err(Failure::Interrupted("no epoch is finished yet".to_owned()));
            }
            Err(error @ DataError::Disk(_)) => return Err(data_failure(folder)(error)),
            read => read.or_usage()?,
        };
        let checkpoint = extended(stem, "checkpoint");
        let (network, trained) = train(config, data, &checkpoint, *resume, session, sink)?;
        let files = self.files();
        let outcome = TrainOutcome { trained, files };
        self.keep(&outcome, &network)?;
        Ok(outcome)
    }

    fn keep(&self, outcome: &TrainOutcome, network: &Network) -> Result<(), Failure> {
        let TrainOutcome { trained, files } = outcome;
        let note = format!(
            "trained by harness {} on {} positions; validation loss {:.6} after pass {}\n{}",
            env!("CARGO_PKG_VERSION"),
            trained.positions.train,
            trained.loss.validation,
            trained.epoch,
            self.text(),
        );
        let page = training_page(&self.summary(outcome), self.text());
        let object = format!("{}\n", json!(outcome));
        let contents = [network.to_bytes(&note), object.into_bytes(), page.file().into_bytes()];
        for (path, content) in files.iter().zip(contents) {
            write_atomically(path, &content).map_err(unwritable(path)).or_failed()?;
        }
        Ok(())
    }
}

fn unwritable(path: &Path) -> impl FnOnce(std::io::Error) -> StateError {
    let help = "name another path under `output`; `--resume` continues";
    StateError::unusable_but("write", path, Some(help))
}

/// The path without an ending of the files that are written: `n9.nnue` and `n9` name the same ones.
pub(crate) fn stem_of(output: &Path, endings: &[&str]) -> PathBuf {
    let is_written = |ending: &OsStr| endings.iter().any(|one| ending.eq_ignore_ascii_case(one));
    let has_ending = output.extension().is_some_and(is_written);
    if has_ending { output.with_extension("") } else { output.to_owned() }
}

/// The path with an extension of its own, whatever dots the name has.
pub(crate) fn extended(stem: &Path, extension: &str) -> PathBuf {
    let mut path = stem.as_os_str().to_owned();
    path.push(".");
    path.push(extension);
    path.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_of_a_network_is_not_doubled() {
        for (output, network) in [
            ("n9", "n9.nnue"),
            ("n9.nnue", "n9.nnue"),
            ("nets/n9.NNUE", "nets/n9.nnue"),
            ("n9.5", "n9.5.nnue"),
        ] {
            let file = extended(&stem_of(Path::new(output), &["nnue"]), "nnue");
            assert_eq!(file, Path::new(network), "{output}");
        }
        for (output, table) in [("lmr-0.5", "lmr-0.5.rs"), ("w.json", "w.rs"), ("w.rs", "w.rs")] {
            let file = extended(&stem_of(Path::new(output), &["json", "rs"]), "rs");
            assert_eq!(file, Path::new(table), "{output}");
        }
    }
}
