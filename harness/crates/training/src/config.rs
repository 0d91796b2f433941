//! The configuration of a training: data, network, hyperparameters.

use std::error::Error;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use super::network_config::NetworkConfig;
use super::ramp::{Ramp, Scale};
use super::schedule::FRESH_RATES;
use harness_base::yaml;
use harness_data::config::{self, ConfigError, Rule, within};
use harness_data::dataset::Labels;
use harness_data::filter::Filters;
use harness_data::formats::Format;
use harness_data::td_lambda::TdLambda;

/// The file in error messages.
const KIND: yaml::Kind = yaml::Kind {
    forms: &[
        ("data", "[train.games]"),
        ("filters", "{ keep: all, min_ply: 16 }"),
        ("network", "{ architecture: perspective, hidden: 64 }"),
        ("freeze", "[inner]"),
        ("dense", "[32, 32]"),
    ],
    keys: &[
        "data",
        "filters",
        "network",
        "start",
        "freeze",
        "blend",
        "td_lambda",
        "score_scale",
        "result_scale",
        "power",
        "epochs",
        "batch",
        "learning_rate",
        "final_rate",
        "warmup",
        "weight_decay",
        "factoriser",
        "normalise",
        "seed",
        "jobs",
        "validation",
        "output",
    ],
    help: "`harness train --help` shows what the file looks like",
};

/// The configuration of a training.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The configuration as it was written.
    #[serde(skip)]
    pub text: String,
    /// Files of labelled positions, seen from the file's folder.
    pub data: Vec<PathBuf>,
    /// Which positions count.
    #[serde(default)]
    pub filters: Filters,
    /// The network: its architecture and sizes.
    #[serde(default)]
    pub network: NetworkConfig,
    /// A network to start from, of the same shape or [smaller](super::widen::can_start_from): a value of
    /// the engine's option `EvalFile`, a file of which is seen from this one's folder.
    #[serde(default)]
    pub start: Option<String>,
    /// Layers that are not trained, by name.
    #[serde(default)]
    pub freeze: Vec<String>,
    /// Hyperparameters.
    #[serde(default, flatten)]
    pub learning: Learning,
    /// Share of the games that form the validation set.
    #[serde(default = "default_validation")]
    pub validation: f64,
    /// Path of the network without extension, seen from the file's folder.
    pub output: Option<PathBuf>,
}

/// Hyperparameters of a training.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Learning {
    /// How much of a position's label is its score, turned into an expected result; the rest is
    /// the game's result. A network learns the results of few games by heart: 28,000 games with 2 million
    /// positions taught this engine 106 ± 30 Elo less with 10 % results than by scores alone, from random
    /// weights. Others gain by results from some 50 million positions on.
    pub blend: Ramp,
    /// λ of [TD(λ)](TdLambda): how much of a score's place in the label the scores of the game's
    /// later positions take; 0: none.
    ///
    /// One blend of each position is kept, that of the largest λ: along a ramp, it is mixed with the position's
    /// own score so that the later scores have λ of the step together, exactly, and share it among
    /// themselves as by the largest λ. It is made while the data are read, so that a `score_scale` that is to
    /// be fitted is the network's scale there.
    pub td_lambda: Ramp,
    /// Centipawns of a logit of a score's expected result; `None`: the network's scale.
    pub score_scale: Option<Scale>,
    /// The same of the result that is expected of an output, where it is compared with results.
    pub result_scale: Option<Scale>,
    /// Power of the distance from the label in the loss.
    pub power: f64,
    /// Passes over the training set; `None`: as [fits the data](super::schedule).
    pub epochs: Option<u32>,
    /// Positions of a step.
    pub batch: usize,
    /// Learning rate after the warm-up; it falls along a half cosine. `None`: as fits the data.
    pub learning_rate: Option<f64>,
    /// Learning rate of the last step. `None`: as fits the data.
    pub final_rate: Option<f64>,
    /// Steps in which the rate rises from near 0. `None`: 200, or a twentieth of all.
    pub warmup: Option<u32>,
    /// Weight decay of a step of learning rate 1.
    pub weight_decay: f64,
    /// King buckets share a part of their weights [while they are trained](super::factoriser).
    pub factoriser: bool,
    /// The output layer is divided by the slope of the outputs against those of `start`.
    pub normalise: bool,
    /// Seed of the initial weights, the split and the order.
    pub seed: u64,
    /// Threads; with another number, sums are rounded otherwise.
    pub jobs: usize,
}

impl Default for Learning {
    fn default() -> Learning {
        Learning {
            blend: Ramp::Constant(1.0),
            td_lambda: Ramp::Constant(0.0),
            score_scale: None,
            result_scale: None,
            power: 2.0,
            epochs: None,
            batch: 16_384,
            learning_rate: None,
            final_rate: None,
            warmup: None,
            weight_decay: 0.01,
            factoriser: true,
            normalise: false,
            seed: 1,
            jobs: 1,
        }
    }
}

impl Learning {
    /// Parts of the labels for a network.
    pub fn labels(&self, network: &NetworkConfig) -> Labels {
        let lambda = self.td_lambda.max();
        let scale = self.score_scale.and_then(Scale::fixed);
        let scale = scale.unwrap_or_else(|| f64::from(network.shape().scale()));
        let td_lambda = (lambda > 0.0).then_some(TdLambda { lambda, scale });
        Labels { needs_score: self.blend.max() > 0.0, td_lambda }
    }

    /// Whether labels are the positions' own scores alone, in all steps.
    pub fn is_by_scores_alone(&self) -> bool {
        self.blend.min() == 1.0 && self.td_lambda.max() == 0.0
    }

    /// Whether labels have results beside scores, so that scores alone choose the epoch.
    pub fn scores_decide(&self) -> bool {
        self.blend.max() > 0.0 && !self.is_by_scores_alone()
    }

    /// Whether a scale is to be fitted to the data.
    pub fn fits_scale(&self) -> bool {
        [self.score_scale, self.result_scale].iter().flatten().any(|scale| scale.fixed().is_none())
    }

    /// The same with a scale for those that are to be fitted.
    #[must_use]
    pub fn with_fitted(self, scale: f64) -> Learning {
        let fixed = |wanted: Option<Scale>| {
            wanted.map(|wanted| Scale::Fixed(wanted.fixed().unwrap_or(scale)))
        };
        let [score_scale, result_scale] = [self.score_scale, self.result_scale].map(fixed);
        Learning { score_scale, result_scale, ..self }
    }

    /// Ranges of its numbers.
    pub fn rules(&self) -> Vec<Rule> {
        let &Learning { blend, td_lambda, epochs, batch, .. } = self;
        let &Learning { learning_rate, final_rate, weight_decay, .. } = self;
        let scale = |name, wanted: Option<Scale>| {
            within(name, wanted.and_then(Scale::fixed).unwrap_or(400.0), 20.0, 5_000.0)
        };
        let mut rules = vec![
            scale("score_scale", self.score_scale),
            scale("result_scale", self.result_scale),
            within("power", self.power, 1.0, 4.0),
            within("epochs", epochs.unwrap_or(1).into(), 1.0, 1e6),
            within("batch", batch as f64, 16.0, 1e6),
            within("learning_rate", learning_rate.unwrap_or(1.0), 1e-9, 1.0),
            // No rate that is chosen is higher than the one of random weights.
            within(
                "final_rate",
                final_rate.unwrap_or(0.0),
                0.0,
                learning_rate.unwrap_or(FRESH_RATES[0]),
            ),
            within("weight_decay", weight_decay, 0.0, 1.0),
            within("jobs", self.jobs as f64, 1.0, 256.0),
        ];
        rules.extend(blend.ends().map(|end| within("blend", end, 0.0, 1.0)));
        rules.extend(td_lambda.ends().map(|end| within("td_lambda", end, 0.0, 1.0)));
        rules
    }
}

/// Checks the network that a command's file asks for.
///
/// # Errors
/// When its sizes are no such network's.
pub fn check_network(
    path: &Path,
    command: &'static str,
    network: &NetworkConfig,
) -> Result<(), ConfigError> {
    network.check().map_err(|error| invalid(path, command, &error))
}

fn invalid(path: &Path, command: &'static str, reason: &dyn Error) -> ConfigError {
    ConfigError::Invalid { path: path.to_owned(), command, reason: reason.to_string() }
}

/// Layers that `freeze` cannot keep as they are.
#[derive(Debug, Error)]
enum FreezeError {
    #[error("freeze: `{architecture}` has no layer `{name}`; it has `{}`", layers.join("`, `"))]
    NoSuchLayer { architecture: &'static str, name: String, layers: Vec<&'static str> },
    #[error("freeze: of `{}` one has to be trained", .0.join("`, `"))]
    All(Vec<&'static str>),
    #[error("freeze: without `start` there are no trained weights to keep")]
    NoStart,
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
        let text = yaml::read_text(path, KIND)?;
        let mut config: Config = yaml::parse(path, &text, KIND)?;
        config.text = text;
        config::names_data(path, &config.data)?;
        config::check(path, config.rules())?;
        check_network(path, "train", &config.network)?;
        config.check_frozen().map_err(|error| invalid(path, "train", &error))?;
        config::seen_from(path, config.data.iter_mut().chain(&mut config.output));
        config.check_side_to_move(path)?;
        config.check_games(path)?;
        config.start = config.start.map(|start| config::eval_file_from(path, &start));
        Ok(config)
    }

    /// Whether the data store the side to move, where the network has it as an input.
    fn check_side_to_move(&self, path: &Path) -> Result<(), ConfigError> {
        if !self.network.sees_side_to_move() {
            return Ok(());
        }
        let loses =
            |data: &&PathBuf| Format::from_path(data).is_ok_and(|it| !it.keeps_side_to_move());
        match self.data.iter().find(loses) {
            None => Ok(()),
            Some(data) => Err(ConfigError::NoSideToMove {
                path: path.to_owned(),
                data: data.clone(),
                architecture: self.network.shape().name(),
            }),
        }
    }

    /// Whether the data store whole games, where labels are made of later scores.
    fn check_games(&self, path: &Path) -> Result<(), ConfigError> {
        if self.learning.td_lambda.max() == 0.0 {
            return Ok(());
        }
        let has_none = |data: &&PathBuf| Format::from_path(data).is_ok_and(|it| !it.has_games());
        match self.data.iter().find(has_none) {
            None => Ok(()),
            Some(data) => Err(ConfigError::NoGames { path: path.to_owned(), data: data.clone() }),
        }
    }

    /// Whether the layers that stay as they are exist, have been trained, and are not all.
    fn check_frozen(&self) -> Result<(), FreezeError> {
        if self.freeze.is_empty() {
            return Ok(());
        }
        let shape = self.network.shape();
        let layers: Vec<&str> = shape.layers().iter().map(|layer| layer.name).collect();
        if let Some(name) = self.freeze.iter().find(|name| !layers.contains(&name.as_str())) {
            let architecture = shape.name();
            let name = name.clone();
            return Err(FreezeError::NoSuchLayer { architecture, name, layers });
        }
        if layers.iter().all(|layer| self.freeze.iter().any(|name| name == layer)) {
            return Err(FreezeError::All(layers));
        }
        if self.start.is_none() {
            return Err(FreezeError::NoStart);
        }
        Ok(())
    }

    fn rules(&self) -> Vec<Rule> {
        let mut rules = vec![within("validation", self.validation, 0.001, 0.5)];
        rules.extend(self.filters.rules());
        rules.extend(self.learning.rules());
        rules
    }
}

#[cfg(test)]
mod tests {
    use miette::Diagnostic;

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
        assert_eq!(config.network, NetworkConfig::perspective(32));
        assert_eq!(config.network.shape().to_string(), "perspective (768 -> 32)x2 -> 1, mirrored");
        let config = read("data: [a.pgn]\nnetwork: { architecture: nnueu, block: 6 }\n");
        let shape = config.expect("sound").network.shape();
        assert_eq!(shape.to_string(), "nnueu 640 -> 8 -> (64 x 6)x2 -> 4 -> 1");
        let config = read("data: [a.pgn]\nnetwork: { hidden: 32 }\nepochs: 3\n").expect("sound");
        assert_eq!(config.learning, Learning { epochs: Some(3), ..Learning::default() });
    }

    #[test]
    fn a_network_that_sees_who_is_to_move_learns_from_no_file_that_does_not_say() {
        for name in ["a.bin", "a.bullet.zst", "a.data"] {
            let text = |network: &str| format!("data: [b.games, {name}]\nnetwork: {network}\n");
            let error = read(&text("{ architecture: two-path }")).expect_err(name);
            let help = error.help().expect("a help").to_string();
            let shown = error.to_string();
            assert!(shown.contains(name) && shown.contains("side to move"), "{shown}");
            assert!(help.contains(".marlin") && help.contains(".games"), "{help}");
            read(&text("{ architecture: halfkp }")).expect("it sees both sides alike");
        }
        for name in ["a.games", "a.vf", "a.marlin", "a.csv", "a.txt", "a.epd", "a.h5", "a.pgn.gz"] {
            let text = format!("data: [{name}]\nnetwork: {{ architecture: two-path }}\n");
            read(&text).expect(name);
        }
    }

    #[test]
    fn labels_of_later_scores_need_whole_games() {
        let text = |name: &str, key: &str| format!("data: [b.games, {name}]\n{key}");
        for name in ["a.bin", "a.txt", "a.marlin", "a.csv.gz"] {
            let error = read(&text(name, "td_lambda: 0.5\n")).expect_err(name).to_string();
            assert!(error.contains(name) && error.contains("whole games"), "{error}");
            read(&text(name, "")).expect("each has its own score");
        }
        let config = read(&text("a.pgn", "td_lambda: 0.5\n")).expect("it has games");
        let labels = config.learning.labels(&config.network);
        assert_eq!(labels.td_lambda, Some(TdLambda { lambda: 0.5, scale: 400.0 }));
    }

    #[test]
    fn ramps_and_scales_are_numbers_pairs_and_a_word() {
        let read = |keys: &str| read(&format!("data: [a.pgn]\n{keys}")).expect(keys).learning;
        let found = read("blend: [1, 0.8]\ntd_lambda: 0.8\nscore_scale: fit\nresult_scale: 235\n");
        assert_eq!((found.blend, found.td_lambda), (Ramp::Linear([1.0, 0.8]), Ramp::Constant(0.8)));
        assert!(found.fits_scale() && !found.is_by_scores_alone());
        let fitted = found.with_fitted(300.0);
        let scales = [fitted.score_scale, fitted.result_scale];
        assert_eq!(scales, [Some(Scale::Fixed(300.0)), Some(Scale::Fixed(235.0))]);
        assert!(read("blend: 1\n").is_by_scores_alone() && !read("blend: 1\n").fits_scale());
        assert!(!read("td_lambda: [0, 0.5]\n").is_by_scores_alone());
        // Of results alone there are no scores.
        assert!(read("blend: 0.5\n").scores_decide() && !read("blend: 0\n").scores_decide());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (text, says) in [
            ("epochs: 3\n", "data"),
            ("data: []\n", "names no file"),
            ("data: [a]\nepoch: 3\n", "epoch"),
            ("data: [a]\nnetwork: { hidden: 40 }\n", "inner layer is 40, and must be a multiple"),
            ("data: [a]\nnetwork: { architecture: deep }\n", "deep"),
            ("data: [a]\nnetwork: { architecture: nnueu, buckets: 2 }\n", "has no `buckets`"),
            ("data: [a]\nnetwork: { architecture: nnueu, hidden: 12 }\n", "a multiple of 8"),
            ("data: [a]\nnetwork: { architecture: halfkp, dense: [32] }\n", "array of length 2"),
            ("data: [a]\nnetwork: { architecture: halfkp, dense: [0, 8] }\n", "dense layer is 0"),
            ("data: [a]\nnetwork: { block: 4 }\n", "`perspective` has no `block`"),
            ("data: [a]\nnetwork: { scale: 0 }\n", "the scale is 0"),
            ("data: [a]\nnetwork: { wide: 40 }\n", "wide"),
            ("data: [a]\nnetwork: { buckets: 0 }\n", "number of output layers is 0"),
            ("data: [a]\nblend: 1.5\n", "blend"),
            ("data: [a]\nblend: [1, -0.1]\n", "blend"),
            ("data: [a]\ntd_lambda: [0, 1.5]\n", "td_lambda"),
            ("data: [a]\nscore_scale: 5\n", "score_scale"),
            ("data: [a]\npower: 0.5\n", "power"),
            ("data: [a]\nscore_scale: fitted\n", "or `fit`"),
            ("data: [a]\nblend: [1]\n", "[FIRST, LAST]"),
            ("data: [a]\ntd_lambda: 1.5\n", "td_lambda"),
            ("data: [a]\nlearning_rate: .nan\n", "learning_rate"),
            ("data: [a]\nlearning_rate: 0.1\nfinal_rate: 0.5\n", "final_rate"),
            ("data: [a]\nfinal_rate: 0.5\n", "final_rate"),
            ("data: [a]\nepochs: 0\n", "epochs"),
            ("data: [a]\nbatch: 0\n", "batch"),
            ("data: [a]\nvalidation: 0\n", "validation"),
            ("data: [a]\nfilters: { one_in: 0 }\n", "one_in"),
            ("data: [a]\nfilters: { max_score: 0 }\n", "max_score"),
            ("data: [a]\nstart: n\nfreeze: [outer]\n", "`outer`; it has `inner`, `output`"),
            ("data: [a]\nstart: n\nfreeze: [inner, output]\n", "one has to be trained"),
            ("data: [a]\nfreeze: [inner]\n", "without `start`"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
