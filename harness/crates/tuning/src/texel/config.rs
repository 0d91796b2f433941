//! A fit as YAML: data, weights, method.
//!
//! ```yaml
//! data: games.pgn             # or a list; PGN, EPD, CSV, lines of FEN | score | result
//! fit: [material, passed]     # groups or terms of the evaluation; default: all of them
//! blend: 0.7                  # weight of the score in the label; the rest is the game's result
//! validation: 0.1             # share of the games in the validation set
//! ```

use std::ops::Range;
use std::path::{Path, PathBuf};

use engine::eval::{Group, Term, WEIGHTS};
use miette::Diagnostic;
use serde::Deserialize;
use serde_yaml::Spanned;
use thiserror::Error;

use super::labelled::Optimizer;
use super::loss::Kind;
use harness_base::text::nearest;
use harness_base::yaml;
use harness_data::config::{self, ConfigError, Rule, within};
use harness_data::filter::Filters;

/// The file in error messages.
const KIND: yaml::Kind = yaml::Kind {
    forms: &[
        ("data", "[games.pgn]"),
        ("fit", "[material, passed]"),
        ("filters", "{ keep: all, min_ply: 16 }"),
    ],
    keys: &[],
    help: "`harness tune texel --help` shows what the file looks like",
};

/// Configuration of a fit.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The configuration as it was written.
    #[serde(skip)]
    pub text: String,
    /// Files of labelled positions, seen from the file's folder.
    #[serde(deserialize_with = "one_or_several")]
    pub data: Vec<PathBuf>,
    /// Groups or terms of the evaluation; empty: all.
    #[serde(default, rename = "fit")]
    named: Vec<Spanned<String>>,
    /// Filters of the positions.
    #[serde(default)]
    pub filters: Filters,
    /// Weight of the score, as an expected result, in a label; the rest is the game's result.
    #[serde(default)]
    pub blend: f64,
    /// The loss function.
    #[serde(default)]
    pub loss: Kind,
    /// Share of the games in the validation set.
    #[serde(default = "default_validation")]
    pub validation: f64,
    /// The optimiser: `adam` or `lbfgs`.
    #[serde(default)]
    pub optimizer: Optimizer,
    /// Bound on the steps: with `adam`, epochs.
    #[serde(default = "default_epochs")]
    pub epochs: u32,
    /// Early stopping: steps without a better validation loss.
    #[serde(default = "default_patience")]
    pub patience: u32,
    /// Learning rate: the first step, in centipawns; it decays to zero over the epochs.
    #[serde(default = "default_rate")]
    pub learning_rate: f64,
    /// L2 penalty on the distance from the start weights: loss a squared pawn, summed over weights.
    #[serde(default = "default_l2")]
    pub l2: f64,
    /// Seed of the split and of the selection of positions.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Threads; `None`: one a core. The result does not depend on it.
    pub jobs: Option<u16>,
    /// Path of the new weights without extension, seen from the file's folder.
    pub output: Option<PathBuf>,
    /// The file.
    #[serde(skip)]
    path: PathBuf,
}

fn default_validation() -> f64 {
    0.1
}

fn default_epochs() -> u32 {
    300
}

fn default_patience() -> u32 {
    20
}

fn default_rate() -> f64 {
    1.0
}

fn default_l2() -> f64 {
    1e-4
}

fn default_seed() -> u64 {
    1
}

fn one_or_several<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<PathBuf>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Files {
        One(PathBuf),
        Several(Vec<PathBuf>),
    }
    Ok(match Files::deserialize(from)? {
        Files::One(file) => vec![file],
        Files::Several(files) => files,
    })
}

/// An invalid configuration of a fit.
#[derive(Debug, Error, Diagnostic)]
pub enum FitConfigError {
    /// A file that cannot be read or parsed.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Config(#[from] ConfigError),
    /// An unknown name of a group or term.
    #[error("{}:{line}:{column}: the evaluation has no group or term `{name}`", path.display())]
    #[diagnostic(help("{hint}"))]
    Unknown {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: u64,
        /// From 1.
        column: u64,
        /// The name.
        name: String,
        /// Suggestion.
        hint: String,
    },
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or is invalid.
    pub fn read(path: &Path) -> Result<Config, FitConfigError> {
        let text = yaml::read_text(path, KIND).map_err(ConfigError::Yaml)?;
        let mut config: Config = yaml::parse(path, &text, KIND).map_err(ConfigError::Yaml)?;
        config.text = text;
        config.path = path.to_owned();
        config::names_data(path, &config.data)?;
        config::check(path, config.rules())?;
        config::seen_from(path, config.data.iter_mut().chain(&mut config.output));
        Ok(config)
    }

    fn rules(&self) -> Vec<Rule> {
        let &Config { blend, validation, learning_rate: rate, l2, epochs, patience, .. } = self;
        let fewest = f64::from(epochs.min(patience));
        let rate_is_fine = rate > 0.0 && rate <= 100.0;
        let rate_range = "in centipawns, above 0 and at most 100".to_owned();
        let mut rules = vec![
            within("blend", blend, 0.0, 1.0),
            within("validation", validation, 0.01, 0.5),
            ("learning_rate", rate, rate_is_fine, rate_range),
            ("l2", l2, l2 >= 0.0 && l2.is_finite(), "0 or more".to_owned()),
            ("epochs and patience", fewest, fewest >= 1.0, "at least 1".to_owned()),
        ];
        rules.extend(self.filters.rules());
        rules
    }

    /// The numbers of the weights to fit, in order.
    ///
    /// # Errors
    /// When the evaluation has no group or term of a name.
    pub fn weights(&self) -> Result<Vec<usize>, FitConfigError> {
        let terms = numbered_terms();
        let mut chosen: Vec<usize> = Vec::new();
        for name in &self.named {
            let of_name: Vec<usize> = terms
                .iter()
                .filter(|(term, _)| term.name == name.value || term.group.name() == name.value)
                .flat_map(|(_, numbers)| numbers.clone())
                .collect();
            if of_name.is_empty() {
                return Err(self.unknown(name, &terms));
            }
            chosen.extend(of_name);
        }
        if self.named.is_empty() {
            chosen.extend(terms.into_iter().flat_map(|(_, numbers)| numbers));
        }
        chosen.sort_unstable();
        chosen.dedup();
        Ok(chosen)
    }

    fn unknown(&self, name: &Spanned<String>, terms: &[(Term, Range<usize>)]) -> FitConfigError {
        let groups = Group::ALL.map(Group::name);
        let names = terms.iter().map(|(term, _)| term.name).chain(groups);
        let hint = match nearest(&name.value, names) {
            Some(near) => format!("do you mean `{near}`?"),
            None => format!("the groups are {}", groups.join(", ")),
        };
        FitConfigError::Unknown {
            path: self.path.clone(),
            line: name.referenced.line(),
            column: name.referenced.column(),
            name: name.value.clone(),
            hint,
        }
    }
}

/// The terms of the evaluation with the numbers of their weights.
pub fn numbered_terms() -> Vec<(Term<'static>, Range<usize>)> {
    let mut next = 0;
    let numbered = WEIGHTS.terms().into_iter().map(|term| {
        let first = next;
        next += term.weights.len();
        (term, first..next)
    });
    numbered.collect()
}

#[cfg(test)]
mod tests {
    use engine::eval::Weights;

    use super::*;

    fn read(text: &str) -> Result<Config, FitConfigError> {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("fit.yaml");
        std::fs::write(&path, text).expect("written");
        Config::read(&path)
    }

    #[test]
    fn groups_and_terms_name_their_weights_and_none_means_all() {
        let all = read("data: a.pgn\n").and_then(|config| config.weights()).expect("all");
        assert_eq!(all.len(), Weights::COUNT);
        let some = read("data: [a, b]\nfit: [material, bishop_pair, tempo]\n").expect("a fit");
        assert_eq!(some.weights().expect("known").len(), 5 + 1 + 1);
        assert_eq!(some.data.len(), 2);
    }

    #[test]
    fn paths_are_relative_to_the_file() {
        let config = read("data: games.pgn\noutput: new/weights\n").expect("a fit");
        assert!(config.data[0].is_absolute() && config.data[0].ends_with("games.pgn"));
        assert!(config.output.expect("named").ends_with("new/weights"));
    }

    #[test]
    fn invalid_configurations_are_refused() {
        for (text, expected) in [
            ("fit: [material]\n", "data"),
            ("data: []\n", "names no file"),
            ("data: a\nepoch: 3\n", "epoch"),
            ("data: a\nblend: 1.5\n", "blend"),
            ("data: a\nvalidation: 0\n", "validation"),
            ("data: a\nlearning_rate: .nan\n", "learning_rate"),
            ("data: a\nl2: -1\n", "l2"),
            ("data: a\nepochs: 0\n", "epochs"),
            ("data: a\nfilters: { one_in: 0 }\n", "one_in"),
            ("data: a\nloss: cubic\n", "cubic"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn an_unknown_term_is_an_error_with_its_place_and_the_nearest_name() {
        let config = read("data: a\nfit:\n  - material\n  - pased\n").expect("YAML");
        let error = config.weights().expect_err("no such term");
        let FitConfigError::Unknown { line, column, hint, .. } = error else { panic!("{error}") };
        assert_eq!((line, column), (4, 5));
        assert!(hint.contains("passed"), "{hint}");
    }
}
