//! A training as YAML: which data, which network, how.

use std::path::{Path, PathBuf};

use engine::eval::nnue::{LANE, Shape};
use serde::{Deserialize, Serialize};

use super::network::Layout;
use crate::data::config::{self, ConfigError, Rule, within};
use crate::data::dataset::Filters;

/// What a training asks for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Files of labelled positions, seen from the file's folder.
    pub data: Vec<PathBuf>,
    /// Which positions count.
    #[serde(default)]
    pub filters: Filters,
    /// Sizes of the network.
    #[serde(default)]
    pub network: NetworkConfig,
    /// How the weights are found.
    #[serde(default, flatten)]
    pub learning: Learning,
    /// Share of the games that only judge.
    #[serde(default = "default_validation")]
    pub validation: f64,
    /// Path of the network without extension, seen from the file's folder.
    pub output: Option<PathBuf>,
}

/// Sizes of the network.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkConfig {
    /// Width of the inner layer for one side.
    pub hidden: usize,
    /// Exchange left and right so that one's own king is on the files a to d.
    pub mirroring: bool,
    /// Output layers, chosen by the number of pieces.
    pub buckets: usize,
    /// Centipawns of an output of 1.
    pub scale: i32,
}

impl Default for NetworkConfig {
    fn default() -> NetworkConfig {
        NetworkConfig { hidden: 64, mirroring: true, buckets: 1, scale: 400 }
    }
}

impl NetworkConfig {
    /// The same for the engine.
    pub fn shape(&self) -> Shape {
        let NetworkConfig { hidden, mirroring, buckets, scale } = *self;
        Shape { mirroring, buckets, scale, ..Shape::new(hidden) }
    }

    /// Where its weights are.
    pub fn layout(&self) -> Layout {
        Layout { hidden: self.hidden, buckets: self.buckets }
    }
}

/// How the weights are found.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Learning {
    /// How much of a position's label is its score, turned into an expected result; the rest is
    /// the game's result.
    pub blend: f64,
    /// Passes over the data.
    pub epochs: u32,
    /// Positions a step.
    pub batch: usize,
    /// The first step's size; steps shrink along a half cosine.
    pub learning_rate: f64,
    /// The last step's size.
    pub final_rate: f64,
    /// Pull to zero, a step of size 1.
    pub weight_decay: f64,
    /// Seed of the start, the split and the order.
    pub seed: u64,
    /// Threads; with another number, sums are rounded otherwise.
    pub jobs: usize,
}

impl Default for Learning {
    fn default() -> Learning {
        Learning {
            blend: 0.7,
            epochs: 20,
            batch: 16_384,
            learning_rate: 1e-3,
            final_rate: 3e-5,
            weight_decay: 0.01,
            seed: 1,
            jobs: 1,
        }
    }
}

fn default_validation() -> f64 {
    0.05
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or asks for nothing that can be done.
    pub fn read(path: &Path) -> Result<Config, ConfigError> {
        let mut config: Config = config::read(path, "train")?;
        config::check(path, &config.data, config.rules())?;
        config::seen_from(path, config.data.iter_mut().chain(&mut config.output));
        Ok(config)
    }

    fn rules(&self) -> [Rule; 13] {
        let Learning {
            blend, epochs, batch, learning_rate, final_rate, weight_decay, jobs, ..
        } = self.learning;
        let NetworkConfig { hidden, buckets, scale, .. } = self.network;
        let fits = (LANE..=2_048).contains(&hidden) && hidden % LANE == 0;
        let Filters { every, max_score, .. } = self.filters;
        [
            ("hidden", hidden as f64, fits, format!("a multiple of {LANE} up to 2048")),
            within("buckets", buckets as f64, 1.0, 31.0),
            within("scale", scale.into(), 1.0, 32_767.0),
            within("blend", blend, 0.0, 1.0),
            within("epochs", epochs.into(), 1.0, 1e6),
            within("batch", batch as f64, 16.0, 1e6),
            within("learning_rate", learning_rate, 1e-9, 1.0),
            within("final_rate", final_rate, 0.0, learning_rate),
            within("weight_decay", weight_decay, 0.0, 1.0),
            within("jobs", jobs as f64, 1.0, 256.0),
            within("validation", self.validation, 0.001, 0.5),
            ("every", f64::from(every), every > 0, "above 0".to_owned()),
            ("max_score", f64::from(max_score), max_score > 0, "above 0".to_owned()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config, ConfigError> {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("net.yaml");
        std::fs::write(&path, text).expect("written");
        Config::read(&path)
    }

    #[test]
    fn what_is_not_said_is_as_usual() {
        let config = read("data: [a.pgn]\nnetwork: { hidden: 32 }\nepochs: 3\n").expect("sound");
        assert!(config.data[0].is_absolute());
        assert_eq!((config.network.hidden, config.network.scale), (32, 400));
        assert_eq!(config.learning, Learning { epochs: 3, ..Learning::default() });
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (text, says) in [
            ("epochs: 3\n", "data"),
            ("data: []\n", "names no file"),
            ("data: [a]\nepoch: 3\n", "epoch"),
            ("data: [a]\nnetwork: { hidden: 40 }\n", "hidden"),
            ("data: [a]\nnetwork: { wide: 40 }\n", "wide"),
            ("data: [a]\nnetwork: { buckets: 0 }\n", "buckets"),
            ("data: [a]\nblend: 1.5\n", "blend"),
            ("data: [a]\nlearning_rate: .nan\n", "learning_rate"),
            ("data: [a]\nfinal_rate: 0.5\n", "final_rate"),
            ("data: [a]\nepochs: 0\n", "epochs"),
            ("data: [a]\nbatch: 0\n", "batch"),
            ("data: [a]\nvalidation: 0\n", "validation"),
            ("data: [a]\nfilters: { every: 0 }\n", "every"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
