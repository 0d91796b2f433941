//! An experiment as YAML: engine, parameters, games and method of a tuning run.
//!
//! [`EXAMPLE`] has every key.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use super::entries::Entries;
use super::methods::{METHODS, Method, UnknownMethod};
use super::offer::{Offer, StepFrom};
use super::parameters::{self, ParametersError};
use super::space::{Space, SpaceError};
use harness_arena::{Adjudication, DrawOffer, Resign, RuleTwice, TablebaseRule};
use harness_base::yaml::{self, YamlError};
use harness_data::filter::Filters;
use harness_player::Limit;
use harness_stats::Shape;
use harness_stats::race::first_round;

/// An experiment with every key.
pub const EXAMPLE: &str = include_str!("experiment.yaml");

/// The file in error messages.
const KIND: yaml::Kind = yaml::Kind {
    forms: &[
        ("adjudication", "{ max_moves: 200 }"),
        ("collect", "{ keep: winner }"),
        ("options", "{ Hash: 16 }"),
        ("draw", "{ score: 10, moves: 8, from: 40 }"),
        ("parameters", "[NAME, 'PATTERN_*', GROUP, { NAME: { min: 20, max: 160 } }]"),
        ("resign", "{ score: 400, moves: 3 }"),
        ("validation", "{ elo0: 0, elo1: 5, games: 10000 }"),
    ],
    keys: &[],
    help: "`harness tune init ENGINE` writes an experiment to start from",
};

/// Configuration of an experiment.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Method; `None`: from the command line, or the default.
    pub method: Option<String>,
    /// The engine, as on the command line.
    pub engine: String,
    /// UCI options for every game.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Limit of a search.
    #[serde(deserialize_with = "limit")]
    pub limit: Limit,
    /// How many games to play.
    pub games: u64,
    /// The run ends early once the best values in the ranges are expected to be fewer Elo better than
    /// those found; `None`: never.
    pub stop_below: Option<f64>,
    /// Number of trials per `ask`; candidates depend on it, but not on `jobs`.
    #[serde(default = "default_batch")]
    pub batch: usize,
    /// Pairs played at the same time; `None`: one a core.
    pub jobs: Option<u16>,
    /// Seed of the tuner and of the openings.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// A book, seen from the experiment's folder; `None`: the harness's own.
    pub openings: Option<PathBuf>,
    /// Plies taken of each opening; `None`: all.
    pub opening_plies: Option<u32>,
    /// Adjudication of the games; with the rules below.
    #[serde(default)]
    pub adjudication: Adjudication,
    // The rules that may stand outside `adjudication`, too.
    max_moves: Option<u32>,
    draw: Option<DrawOffer>,
    resign: Option<Resign>,
    tb: Option<TablebaseRule>,
    /// Filters of the training data to keep of the games.
    #[serde(default)]
    pub collect: Option<Filters>,
    /// Whether the run may widen the range of a parameter whose best value stands at its end, as far as
    /// the engine declares.
    #[serde(default)]
    widen: bool,
    /// The parameters to tune.
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
    /// Bound on the games to play; 0: no validation.
    pub games: u64,
    /// The last values of the tuner that race for it: those at the end, and earlier ones from the second half
    /// of the run. One: there is no race.
    pub candidates: u32,
    /// The form of the SPRT's bounds.
    pub bounds: Shape,
}

impl Default for Validation {
    fn default() -> Validation {
        Validation { elo0: 0.0, elo1: 5.0, games: 20_000, candidates: 1, bounds: Shape::default() }
    }
}

impl Validation {
    /// Refuses a race that could not play its first round.
    fn check(&self, path: &Path) -> Result<(), ExperimentError> {
        let Validation { elo0, games, candidates, .. } = *self;
        let round = 2 * first_round(candidates as usize, elo0);
        if candidates > 1 && games > 0 && games < round {
            return Err(ExperimentError::NoRound {
                path: path.to_owned(),
                games,
                round,
                candidates,
            });
        }
        Ok(())
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

/// An invalid experiment.
#[derive(Debug, Error, Diagnostic)]
pub enum ExperimentError {
    /// The file cannot be read, is not YAML, or not an experiment.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Yaml(#[from] YamlError),
    /// Parameters that the engine does not have, or that are invalid.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Parameters(#[from] ParametersError),
    /// An invalid space.
    #[error("{}: {}", .0.display(), .1)]
    Space(
        PathBuf,
        #[source]
        #[diagnostic_source]
        SpaceError,
    ),
    /// An option for every game that is tuned.
    #[error("{}: `{}` is a parameter, and stands under `options`, too", .0.display(), .1)]
    #[diagnostic(help("the tuning sets it in every game: leave one of the two out"))]
    Tuned(PathBuf, String),
    /// A rule of adjudication inside and outside `adjudication`.
    #[error("{}: {}", .0.display(), .1)]
    Rules(
        PathBuf,
        #[source]
        #[diagnostic_source]
        RuleTwice,
    ),
    /// Too few games.
    #[error("{}: {} games are none", .0.display(), .1)]
    #[diagnostic(help("`games` is at least 2: a pair"))]
    NoGames(PathBuf, u64),
    /// Too few games for the race of the validation.
    #[error("{}: the validation has {games} games, and a round of its race {round}", path.display())]
    #[diagnostic(help(
        "in a round all {candidates} candidates play each other, two games each pairing; `candidates: 1` has \
         an SPRT alone, `games: 0` no validation"
    ))]
    NoRound {
        /// The file.
        path: PathBuf,
        /// As given.
        games: u64,
        /// Games of a round.
        round: u64,
        /// As given.
        candidates: u32,
    },
}

impl Experiment {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or is invalid.
    pub fn read(path: &Path) -> Result<Experiment, ExperimentError> {
        Experiment::parse(path, &yaml::read_text(path, KIND)?)
    }

    /// Reads a text; errors name `path`, and paths in it are seen from its folder.
    ///
    /// # Errors
    /// When it is invalid.
    pub fn parse(path: &Path, text: &str) -> Result<Experiment, ExperimentError> {
        let mut experiment: Experiment = yaml::parse(path, text, KIND)?;
        experiment.path = path.to_owned();
        if experiment.games < 2 || experiment.batch == 0 {
            let games = experiment.games.min(experiment.batch as u64);
            return Err(ExperimentError::NoGames(path.to_owned(), games));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        if let Some(book) = &mut experiment.openings {
            *book = folder.join(&book);
        }
        experiment.join_adjudication(folder)?;
        experiment.validation.check(path)?;
        Ok(experiment)
    }

    /// The method: `other`, else the experiment's, else the default.
    ///
    /// # Errors
    /// When there is none of that name.
    pub fn method(&self, other: Option<&str>) -> Result<&'static Method, UnknownMethod> {
        Method::find(other.or(self.method.as_deref()).unwrap_or(METHODS[0].name))
    }

    /// The space of the parameters, with the engine's ranges and the experiment's changes, and the
    /// source of each step, in the same order.
    ///
    /// # Errors
    /// When the engine does not have a parameter or does not accept its range, or a parameter is
    /// invalid.
    pub fn space(&self, offer: &Offer) -> Result<(Space, Vec<StepFrom>), ExperimentError> {
        let entries = self.parameters.entries(&self.path.display().to_string());
        let chosen = parameters::choose(&entries, offer, self.widen)?;
        let (parameters, steps) =
            chosen.into_iter().map(|chosen| (chosen.parameter, chosen.step_from)).unzip();
        let space = Space::new(parameters)
            .map_err(|source| ExperimentError::Space(self.path.clone(), source))?;
        let is_tuned = |option: &&String| {
            space.parameters().iter().any(|tuned| tuned.name.eq_ignore_ascii_case(option))
        };
        if let Some(option) = self.options.keys().find(is_tuned) {
            return Err(ExperimentError::Tuned(self.path.clone(), option.clone()));
        }
        Ok((space, steps))
    }

    /// Joins the rules of adjudication outside `adjudication` to those in it.
    fn join_adjudication(&mut self, folder: &Path) -> Result<(), ExperimentError> {
        let none = Adjudication::default;
        let scores = Adjudication { resign: self.resign, draw: self.draw, ..none() };
        let others =
            Adjudication { max_moves: self.max_moves, tablebases: self.tb.take(), ..none() };
        let inside = std::mem::take(&mut self.adjudication);
        let joined = inside.and(scores).and_then(|rules| rules.and(others));
        let joined = joined.map_err(|source| ExperimentError::Rules(self.path.clone(), source))?;
        self.adjudication = joined.seen_from(folder);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::offer::tests::offer;
    use super::*;

    fn read(text: &str) -> Result<Experiment, ExperimentError> {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("try.yaml");
        std::fs::write(&path, text).expect("written");
        Experiment::read(&path)
    }

    #[test]
    fn the_example_is_an_experiment_with_every_key() {
        let experiment = read(EXAMPLE).expect("an experiment");
        assert_eq!((experiment.method.as_deref(), experiment.jobs), (Some("auto"), Some(4)));
        assert!(experiment.adjudication.tablebases.is_some() && experiment.collect.is_some());
        // The error of an unknown key lists all keys.
        let error = read(&format!("{EXAMPLE}zzzz: 1\n")).expect_err("no such key");
        let shown = format!("{:?}", miette::Report::new(error));
        let keys = shown.split("the keys here: ").nth(1).expect(&shown);
        let keys = keys.split('`').next().unwrap_or_default();
        let keys: Vec<&str> =
            keys.split(',').filter_map(|key| key.split_whitespace().last()).collect();
        assert!(keys.len() > 12, "{shown}");
        for key in keys {
            let stands = EXAMPLE.lines().any(|line| line.starts_with(&format!("{key}:")));
            assert!(stands, "{key}: {shown}");
        }
        assert!(EXAMPLE.lines().all(|line| line.chars().count() <= 98));
    }

    #[test]
    fn collect_takes_a_word_or_filters() {
        use harness_data::filter::Keep;
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
        for (line, expected) in [
            ("collect: 3", "try.yaml:4:"),
            ("collect: [winner]", "try.yaml:4:"),
            ("collect: { kep: winner }", "unknown key `kep`"),
            ("max_games: 3", "unknown key `max_games`"),
        ] {
            let error = with(line).expect_err(line).to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    fn engine() -> Offer {
        offer(&["lmr_base", "lmr_divisor", "rfp_margin"], None)
    }

    const HEAD: &str = "engine: builtin\nlimit: nodes=500\ngames: 100\nparameters:\n";

    #[test]
    fn patterns_take_the_engines_ranges_and_later_entries_override_them() {
        let experiment =
            read(&format!("{HEAD}  lmr_*:\n  lmr_divisor: {{ min: 50, max: 150, start: 60 }}\n"))
                .expect("an experiment");
        assert_eq!(experiment.limit, Limit::Nodes(500));
        let (space, steps) = experiment.space(&engine()).expect("a space");
        let names: Vec<&str> = space.parameters().iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["lmr_base", "lmr_divisor"]);
        assert_eq!(space.start(), [100.0, 60.0]);
        assert_eq!(space.parameters()[0].step, 10.0);
        assert_eq!(space.parameters()[1].step, 5.0);
        assert_eq!(steps, [StepFrom::Range; 2]);
    }

    #[test]
    fn ranges_are_widened_where_the_experiment_or_the_parameter_allows_it() {
        for (widen, text, expected) in [
            ("", "  lmr_*:\n", [false, false]),
            ("widen: true\n", "  lmr_*:\n", [true, true]),
            ("widen: true\n", "  lmr_*:\n  lmr_base: { widen: false, max: 50 }\n", [false, true]),
            ("", "  lmr_*: { widen: true }\n  lmr_base: { min: 20 }\n", [true, true]),
            ("widen: false\n", "  lmr_base: { widen: true }\n  lmr_divisor:\n", [true, false]),
        ] {
            let text = format!("{widen}{HEAD}{text}");
            let (space, _) = read(&text).expect(&text).space(&engine()).expect(&text);
            let found: Vec<bool> = space.parameters().iter().map(|one| one.widen).collect();
            assert_eq!(found, expected, "{text}");
            assert!(space.parameters().iter().all(|one| one.declared == Some([0.0, 200.0])));
        }
    }

    #[test]
    fn adjudication_follows_the_experiment() {
        let text = "engine: e\nlimit: nodes=1\ngames: 2\nmax_moves: 90\n\
                    draw: { score: 10, moves: 8 }\n\
                    resign: { score: 400, moves: 3, two_sided: true }\n\
                    tb: /a:/b\nparameters: all\n";
        let adjudication = read(text).expect("an experiment").adjudication;
        assert_eq!(adjudication.max_moves, Some(90));
        assert_eq!(adjudication.draw, Some(DrawOffer { score: 10, moves: 8, from: 1 }));
        assert_eq!(adjudication.resign, Some(Resign { score: 400, moves: 3, two_sided: true }));
        let folders = adjudication.tablebases.as_ref().map(|rule| &*rule.folders);
        assert_eq!(folders, Some("/a:/b"));
        let inside = text
            .replace("max_moves: 90\n", "")
            .replace("tb: /a:/b", "adjudication: { max_moves: 90, tb: '/a:/b' }");
        let inside = read(&inside).expect("an experiment").adjudication;
        assert_eq!((inside.max_moves, inside.draw), (Some(90), adjudication.draw));
        assert_eq!(inside.tablebases, adjudication.tablebases);
        let twice =
            text.replace("tb: /a:/b", "tb: /a\nadjudication: { tb: { folders: /b, men: 5 } }");
        let error = read(&twice).expect_err("two rules of tablebases");
        assert!(error.to_string().contains("`tb` stands twice"), "{error}");
        let error = read(&text.replace("moves: 8", "move: 8")).expect_err("no such key");
        assert!(error.to_string().contains("unknown key `move`"), "{error}");
        let error = read(&text.replace("{ score: 10, moves: 8 }", "10")).expect_err("no mapping");
        assert!(error.to_string().contains("try.yaml:5:"), "{error}");
    }

    #[test]
    fn errors_have_a_place_and_a_suggestion() {
        let experiment = read(&format!("{HEAD}  lmr_base:\n  rfp_margn:\n")).expect("YAML");
        let error = experiment.space(&engine()).expect_err("no such parameter");
        let shown = format!("{:?}", miette::Report::new(error));
        assert!(shown.contains("try.yaml:6:3"), "{shown}");
        assert!(shown.contains("did you mean `rfp_margin`?"), "{shown}");
    }

    #[test]
    fn an_option_that_is_tuned_is_refused() {
        for (options, is_refused) in [("Hash: 16", false), ("LMR_base: 5", true)] {
            let text = format!("options: {{ {options} }}\n{HEAD}  lmr_base:\n");
            let space = read(&text).expect("YAML").space(&engine());
            let error = space.err().map(|error| error.to_string());
            assert_eq!(error.is_some(), is_refused, "{options}: {error:?}");
        }
    }

    #[test]
    fn invalid_experiments_are_refused() {
        for (text, expected) in [
            ("engine: builtin\n", "limit"),
            ("engine: builtin\nlimit: nodes=x\ngames: 10\nparameters: { a: }\n", "nodes=x"),
            (&format!("{HEAD}  a: {{ strat: 3 }}\n"), "strat"),
            (&format!("{HEAD}  - 5\n"), "names, patterns or groups"),
            ("engine: builtin\nlimit: nodes=5\ngames: 0\nparameters: { a: }\n", "0 games"),
            (&format!("{HEAD}  a:\nvalidation: {{ candidates: 3, games: 4 }}\n"), "of its race 6"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains(expected), "{error}");
        }
        for settings in ["min: 10, max: 5", "start: 500", "step: 0", "min: 300"] {
            let experiment = read(&format!("{HEAD}  lmr_base: {{ {settings} }}\n")).expect("YAML");
            assert!(experiment.space(&engine()).is_err(), "{settings}");
        }
    }
}
