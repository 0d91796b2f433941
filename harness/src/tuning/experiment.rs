//! An experiment as YAML: what is tuned, with which games, by which method.
//!
//! ```yaml
//! method: spsa              # see `harness tune --help`
//! engine: builtin           # builtin, a path, a program, a git revision, a name in harness.yaml
//! options: { Hash: 16 }     # for every game
//! limit: nodes=1000         # nodes=N, depth=N, movetime=100ms, tc=8+0.08
//! games: 20000
//! parameters:
//!   lmr_*:                  # every parameter of that pattern, as the engine declares it
//!   rfp_margin: { min: 20, max: 160, start: 75, step: 8 }
//! validation: { elo0: 0, elo1: 5, games: 10000 }
//! collect: { keep: winner } # training data of the games, positions.csv in the run's folder
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_yaml::{Location, Spanned};
use thiserror::Error;

use super::space::{Kind, Parameter, Scale, Space, SpaceError};
use crate::data::filter::Filters;
use crate::player::{Limit, nearest};
use crate::yaml::{self, YamlError};

/// The file in error messages.
const KIND: yaml::Kind = yaml::Kind {
    forms: &[
        ("collect", "{ keep: winner }"),
        ("options", "{ Hash: 16 }"),
        ("parameters", "{ NAME: { min: 20, max: 160 } }"),
        ("validation", "{ elo0: 0, elo1: 5, games: 10000 }"),
    ],
    keys: &[],
    help: "`harness tune init ENGINE` writes an experiment to start from",
};

/// What an experiment asks for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// How to tune; `None`: as the command line says, or the default.
    pub method: Option<String>,
    /// Which engine, as on the command line.
    pub engine: String,
    /// UCI options for every game.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// What ends a search.
    #[serde(deserialize_with = "limit")]
    pub limit: Limit,
    /// How many games to play.
    pub games: u64,
    /// How many pairs are asked for at once; candidates do not depend on `jobs`, but on this.
    #[serde(default = "default_batch")]
    pub batch: usize,
    /// Pairs played at the same time; `None`: one a core.
    pub jobs: Option<u16>,
    /// Seed of the tuner and of the openings.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// A book, seen from the experiment's folder; `None`: the harness's own.
    pub openings: Option<PathBuf>,
    /// Games end in a draw after so many moves of each side.
    pub max_moves: Option<u32>,
    /// Keep training data of the games: which positions.
    #[serde(default)]
    pub collect: Option<Filters>,
    /// What is tuned.
    parameters: Entries,
    /// The match of the result against the start.
    #[serde(default)]
    pub validation: Validation,
    /// The file.
    #[serde(skip)]
    path: PathBuf,
}

/// The match of the result against the start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Validation {
    /// Lower bound of the SPRT, in normalized Elo.
    pub elo0: f64,
    /// Upper bound of the SPRT, in normalized Elo.
    pub elo1: f64,
    /// Most games to play; 0: no validation.
    pub games: u64,
}

impl Default for Validation {
    fn default() -> Validation {
        Validation { elo0: 0.0, elo1: 5.0, games: 20_000 }
    }
}

fn default_batch() -> usize {
    16
}

fn default_seed() -> u64 {
    1
}

fn limit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Limit, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(serde::de::Error::custom)
}

/// What an experiment says of one parameter, or of all whose names fit a pattern.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    start: Option<f64>,
    min: Option<f64>,
    max: Option<f64>,
    step: Option<f64>,
    #[serde(default)]
    scale: Option<Scale>,
    #[serde(default)]
    fixed: bool,
}

/// The parameters in the order of the file, with their places in it.
#[derive(Debug)]
struct Entries(Vec<(Spanned<String>, Wish)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Entries, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("parameters by name or pattern")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some((name, wish)) = map.next_entry::<Spanned<String>, Option<Wish>>()? {
                    entries.push((name, wish.unwrap_or_default()));
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(Reader)
    }
}

/// An experiment that cannot be run as it stands.
#[derive(Debug, Error, Diagnostic)]
pub enum ExperimentError {
    /// The file cannot be read, is not YAML, or not an experiment.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Yaml(#[from] YamlError),
    /// A parameter that the engine does not have.
    #[error("{}:{line}:{column}: the engine has no parameter `{name}`", path.display())]
    #[diagnostic(help("{hint}"))]
    Unknown {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: u64,
        /// From 1.
        column: u64,
        /// The name or pattern.
        name: String,
        /// What may be meant.
        hint: String,
    },
    /// Numbers that make no space.
    #[error("{}: {source}", path.display())]
    Space {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        #[diagnostic_source]
        source: SpaceError,
    },
    /// Too few games.
    #[error("{}: {games} games are none", path.display())]
    #[diagnostic(help("`games` is at least 2: a pair"))]
    NoGames {
        /// The file.
        path: PathBuf,
        /// What it says.
        games: u64,
    },
}

impl Experiment {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or is no experiment.
    pub fn read(path: &Path) -> Result<Experiment, ExperimentError> {
        let mut experiment: Experiment = yaml::read(path, KIND)?;
        experiment.path = path.to_owned();
        if experiment.games < 2 || experiment.batch == 0 {
            let games = experiment.games.min(experiment.batch as u64);
            return Err(ExperimentError::NoGames { path: path.to_owned(), games });
        }
        if let (Some(book), Some(folder)) = (&mut experiment.openings, path.parent()) {
            *book = folder.join(&book);
        }
        Ok(experiment)
    }

    /// The space of the parameters, as the engine declares them and the experiment changes them.
    ///
    /// # Errors
    /// When a name fits no parameter of the engine, or the numbers make no sense.
    pub fn space(&self, declared: &[Parameter]) -> Result<Space, ExperimentError> {
        let mut parameters: Vec<Parameter> = Vec::new();
        for (name, wish) in &self.parameters.0 {
            let fitting: Vec<&Parameter> =
                declared.iter().filter(|one| fits(&name.value, &one.name)).collect();
            if fitting.is_empty() {
                return Err(self.unknown(&name.value, name.referenced, declared));
            }
            for one in fitting {
                let wished = wish.of(one);
                // What stands later is more particular: a pattern first, then exceptions.
                match parameters.iter_mut().find(|parameter| parameter.name == one.name) {
                    Some(earlier) => *earlier = wish.of(earlier),
                    None => parameters.push(wished),
                }
            }
        }
        Space::new(parameters)
            .map_err(|source| ExperimentError::Space { path: self.path.clone(), source })
    }

    fn unknown(&self, name: &str, at: Location, declared: &[Parameter]) -> ExperimentError {
        let names = || declared.iter().map(|parameter| parameter.name.as_str());
        let hint = match nearest(name, names()) {
            Some(near) => format!("do you mean `{near}`?"),
            None if declared.is_empty() => {
                "it declares no spin option at all; `tench` needs a build with `--features tuning`"
                    .to_owned()
            }
            None => {
                let some: Vec<&str> = names().take(8).collect();
                format!(
                    "it has {} parameters, among them {}; an engine may need a build that offers \
                     them (`tench`: `--features tuning`)",
                    declared.len(),
                    some.join(", ")
                )
            }
        };
        ExperimentError::Unknown {
            path: self.path.clone(),
            line: at.line(),
            column: at.column(),
            name: name.to_owned(),
            hint,
        }
    }
}

impl Wish {
    /// A parameter with what was wished. Without a step of its own a narrowed range gets a
    /// twentieth of it.
    fn of(&self, declared: &Parameter) -> Parameter {
        let min = self.min.unwrap_or(declared.min);
        let max = self.max.unwrap_or(declared.max);
        let start = self.start.unwrap_or(declared.start.clamp(min.min(max), max.max(min)));
        let fresh = Parameter::new(declared.name.clone(), declared.kind, min, max, start);
        let narrowed = self.min.is_some() || self.max.is_some();
        let step = self.step.unwrap_or(if narrowed { fresh.step } else { declared.step });
        Parameter { step, scale: self.scale.unwrap_or(declared.scale), fixed: self.fixed, ..fresh }
    }
}

/// Whether a name fits a pattern, in which `*` stands for any text.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern.eq_ignore_ascii_case(name),
        Some((head, rest)) => {
            let starts =
                name.get(..head.len()).is_some_and(|start| start.eq_ignore_ascii_case(head));
            starts && {
                let tail = &name[head.len()..];
                (0..=tail.len())
                    .filter(|&at| tail.is_char_boundary(at))
                    .any(|at| fits(rest, &tail[at..]))
            }
        }
    }
}

/// The parameters among an engine's options: those that are whole numbers.
pub fn declared(options: &[crate::player::DeclaredOption]) -> Vec<Parameter> {
    use crate::player::OptionKind;
    let spins = options.iter().filter_map(|option| match option.kind {
        OptionKind::Spin { default, min, max } if min < max => {
            let [min, max, default] = [min, max, default].map(|number| number as f64);
            Some(Parameter::new(option.name.clone(), Kind::Integer, min, max, default))
        }
        _ => None,
    });
    spins.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Experiment, ExperimentError> {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("try.yaml");
        std::fs::write(&path, text).expect("written");
        Experiment::read(&path)
    }

    #[test]
    fn what_is_collected_is_said_by_a_word_or_by_filters() {
        use crate::data::filter::Keep;
        let with = |line: &str| {
            read(&format!(
                "engine: e\nlimit: nodes=1\ngames: 2\n{line}\nparameters: {{ a: {{}} }}\n"
            ))
        };
        let collected = |line: &str| with(line).expect(line).collect.expect(line);
        let winners = Filters { keep: Keep::Winner, ..Filters::default() };
        assert_eq!(collected("collect: winner"), winners);
        assert_eq!(collected("collect: { keep: winner }"), winners);
        assert_eq!(collected("collect: { min_ply: 8 }").min_ply, 8);
        for (line, says) in [
            ("collect: 3", "try.yaml:4:"),
            ("collect: [winner]", "try.yaml:4:"),
            ("collect: { kep: winner }", "unknown key `kep`"),
            ("max_games: 3", "unknown key `max_games`"),
        ] {
            let error = with(line).expect_err(line).to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    fn engine() -> Vec<Parameter> {
        let integer =
            |name: &str| Parameter::new(name.to_owned(), Kind::Integer, 0.0, 200.0, 100.0);
        ["lmr_base", "lmr_divisor", "rfp_margin"].map(integer).into()
    }

    const HEAD: &str = "engine: builtin\nlimit: nodes=500\ngames: 100\nparameters:\n";

    #[test]
    fn patterns_take_what_the_engine_declares_and_later_entries_change_it() {
        let experiment =
            read(&format!("{HEAD}  lmr_*:\n  lmr_divisor: {{ min: 50, max: 150, start: 60 }}\n"))
                .expect("an experiment");
        assert_eq!(experiment.limit, Limit::Nodes(500));
        let space = experiment.space(&engine()).expect("a space");
        let names: Vec<&str> = space.parameters().iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["lmr_base", "lmr_divisor"]);
        assert_eq!(space.start(), [100.0, 60.0]);
        assert_eq!(space.parameters()[0].step, 10.0);
        assert_eq!(space.parameters()[1].step, 5.0);
    }

    #[test]
    fn errors_say_where_and_what_may_be_meant() {
        let experiment = read(&format!("{HEAD}  lmr_base:\n  rfp_margn:\n")).expect("YAML");
        let error = experiment.space(&engine()).expect_err("no such parameter");
        let ExperimentError::Unknown { line, column, hint, .. } = error else { panic!("{error}") };
        assert_eq!((line, column), (6, 3));
        assert!(hint.contains("rfp_margin"), "{hint}");
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (text, says) in [
            ("engine: builtin\n", "limit"),
            ("engine: builtin\nlimit: nodes=x\ngames: 10\nparameters: { a: }\n", "nodes=x"),
            (&format!("{HEAD}  a: {{ strat: 3 }}\n"), "strat"),
            (&format!("{HEAD}  - a\n"), "try.yaml:5:3"),
            ("engine: builtin\nlimit: nodes=5\ngames: 0\nparameters: { a: }\n", "0 games"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains(says), "{error}");
        }
        for wish in ["min: 10, max: 5", "start: 500", "step: 0", "min: 300"] {
            let experiment = read(&format!("{HEAD}  lmr_base: {{ {wish} }}\n")).expect("YAML");
            assert!(experiment.space(&engine()).is_err(), "{wish}");
        }
    }
}
