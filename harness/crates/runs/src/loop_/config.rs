//! The configuration of a loop.

use std::path::{Path, PathBuf};

use engine::eval::EvalFile;
use serde::{Deserialize, Serialize};

use harness_arena::{Adjudication, OpeningsSpec, RuleTwice};
use harness_base::yaml;
use harness_data::config::{self, ConfigError, Rule, within};
use harness_data::filter::Filters;
use harness_stats::Shape;
use harness_stats::race::first_round;
use harness_training::config::{Learning, NetworkConfig, check_network};
use harness_training::ramp::Ramp;

/// The file in error messages.
const KIND: yaml::Kind = yaml::Kind {
    forms: &[
        ("games", "{ count: 10000, nodes: 5000 }"),
        ("plies", "[8, 9]"),
        ("filters", "{ keep: all, min_ply: 16 }"),
        ("network", "{ architecture: perspective, hidden: 64 }"),
        ("dense", "[32, 32]"),
        ("training", "{ epochs: 20 }"),
        ("blends", "[0, 0.5]"),
        ("test", "{ nodes: 5000, elo0: 0, elo1: 10 }"),
        ("adjudication", "{ max_moves: 200, tb: syzygy }"),
    ],
    keys: &[
        "blends",
        "go_on",
        "trainings",
        "validation",
        "blend",
        "td_lambda",
        "epochs",
        "batch",
        "learning_rate",
        "final_rate",
        "weight_decay",
        "seed",
        "jobs",
    ],
    help: "`harness loop --help` shows what the file looks like",
};

/// The configuration of a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Networks to train.
    pub generations: u32,
    /// The network of the first games: a value of the engine's option `EvalFile`, or `random`.
    pub start: String,
    /// Games of each generation.
    pub games: SelfPlay,
    /// Newest generations whose positions are the training set.
    pub keep: usize,
    /// Filters of the positions.
    pub filters: Filters,
    /// Architecture and sizes of the networks.
    pub network: NetworkConfig,
    /// Settings of the trainings.
    pub training: Training,
    /// The test of each network against the best one so far.
    pub test: Test,
    /// Games played at the same time; `None`: one a core.
    pub jobs: Option<u16>,
    /// Seed of everything random.
    pub seed: u64,
    /// Path of the best network, without extension, relative to the file's folder.
    #[serde(default, with = "harness_base::text::path")]
    pub output: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            generations: 5,
            start: EvalFile::DEFAULT.to_string(),
            games: SelfPlay::default(),
            keep: 3,
            filters: Filters::default(),
            network: NetworkConfig::default(),
            training: Training::default(),
            test: Test::default(),
            jobs: None,
            seed: 1,
            output: None,
        }
    }
}

/// The plan as the ledger stores it.
#[derive(Debug, Serialize, Deserialize)]
pub struct StoredPlan {
    /// The configuration.
    pub config: Config,
    /// The openings of the tests.
    pub openings: OpeningsSpec,
    /// Games played at the same time.
    pub jobs: usize,
}

/// Games of a generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelfPlay {
    /// Number of games.
    pub count: u64,
    /// Soft limit of a search; the hard limit is eight times as large.
    pub nodes: u64,
    /// Random plies of an opening, least and most.
    pub plies: [u32; 2],
    /// Largest score of an opening for either side, in centipawns.
    pub balance: u32,
}

impl Default for SelfPlay {
    fn default() -> SelfPlay {
        SelfPlay { count: 10_000, nodes: 5_000, plies: [8, 9], balance: 400 }
    }
}

/// Settings of the trainings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Training {
    /// As in the configuration of a single training.
    #[serde(flatten)]
    pub learning: Learning,
    /// The scores' share of the labels by generation, instead of `blend`; the last one stays.
    pub blends: Vec<f64>,
    /// Each training starts from the best network before it, if that has the same shape or a
    /// [smaller one](harness_training::widen::can_start_from).
    pub go_on: bool,
    /// Networks of a generation, trained from different seeds; the best one is chosen by a race.
    pub trainings: u32,
    /// Share of the games in the validation set.
    pub validation: f64,
}

impl Default for Training {
    fn default() -> Training {
        let (learning, blends) = (Learning::default(), Vec::new());
        Training { learning, blends, go_on: false, trainings: 1, validation: 0.05 }
    }
}

/// Between the seeds of the trainings of a generation: those of generations count up.
const SEEDS_APART: u64 = 1_000_003;

impl Training {
    /// Settings of one of the trainings of a generation, from 0.
    pub fn of_training(&self, number: u32, training: u32) -> Learning {
        let learning = self.of_generation(number);
        let seed = learning.seed.wrapping_add(SEEDS_APART.wrapping_mul(training.into()));
        Learning { seed, ..learning }
    }

    /// Settings of the training of a generation, from 1.
    pub fn of_generation(&self, number: u32) -> Learning {
        let at = (number as usize).min(self.blends.len());
        let blend = at.checked_sub(1).map(|at| Ramp::Constant(self.blends[at]));
        let blend = blend.unwrap_or(self.learning.blend);
        // Another start and another order each time.
        let seed = self.learning.seed.wrapping_add(u64::from(number) - 1);
        Learning { blend, seed, ..self.learning }
    }
}

/// Move limit of the games of a test: moves of each side after which a game is drawn.
const DEFAULT_MAX_MOVES: u32 = 300;

/// A sequential probability ratio test in normalized Elo.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Test {
    /// Nodes a move.
    pub nodes: u64,
    /// The null hypothesis.
    pub elo0: f64,
    /// The alternative.
    pub elo1: f64,
    /// Maximum number of games.
    pub games: u64,
    /// The form of the bounds.
    pub bounds: Shape,
    /// Adjudication of the games.
    #[serde(skip_serializing_if = "Adjudication::is_empty")]
    pub adjudication: Adjudication,
    /// The move limit, if it does not stand in `adjudication`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_moves: Option<u32>,
    /// A book, relative to the file's folder; `None`: the harness's own.
    #[serde(default, with = "harness_base::text::path")]
    pub openings: Option<PathBuf>,
}

impl Default for Test {
    fn default() -> Test {
        let adjudication = Adjudication::default();
        let (nodes, games) = (5_000, 4_000);
        Test {
            nodes,
            elo0: 0.0,
            elo1: 10.0,
            games,
            bounds: Shape::default(),
            adjudication,
            max_moves: None,
            openings: None,
        }
    }
}

impl Test {
    /// All rules of adjudication.
    ///
    /// # Errors
    /// When the move limit stands twice.
    pub fn rules_of_adjudication(&self) -> Result<Adjudication, RuleTwice> {
        let limit = Adjudication { max_moves: self.max_moves, ..Adjudication::default() };
        let mut rules = self.adjudication.clone().and(limit)?;
        rules.max_moves = Some(self.move_limit());
        Ok(rules)
    }

    fn move_limit(&self) -> u32 {
        self.max_moves.or(self.adjudication.max_moves).unwrap_or(DEFAULT_MAX_MOVES)
    }
}

/// The word for a network of random weights.
pub const RANDOM: &str = "random";

impl Config {
    /// Reads a file; paths in it become absolute.
    ///
    /// # Errors
    /// When it cannot be read or is not valid.
    pub fn read(path: &Path) -> Result<Config, ConfigError> {
        let mut config: Config = yaml::read(path, KIND)?;
        config::check(path, config.rules())?;
        check_network(path, "loop", &config.network)?;
        config.test.rules_of_adjudication().map_err(|error| ConfigError::Invalid {
            path: path.to_owned(),
            command: "loop",
            reason: error.to_string(),
        })?;
        let folder = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let own = folder.parent().unwrap_or(Path::new(""));
        config.test.adjudication = config.test.adjudication.seen_from(own);
        let files = config.output.iter_mut().chain(&mut config.test.openings);
        config::seen_from(&folder, files);
        if config.start != RANDOM {
            config.start = config::eval_file_from(&folder, &config.start);
        }
        Ok(config)
    }

    /// The network of the first games; `None`: random weights.
    pub fn starts_by(&self) -> Option<EvalFile> {
        if self.start == RANDOM {
            return None;
        }
        let Ok(file) = self.start.parse();
        Some(file)
    }

    /// Extension of files of positions: the smallest format that keeps the network's features.
    pub fn positions_ending(&self) -> &'static str {
        if self.network.sees_side_to_move() { "marlin" } else { "bin" }
    }

    /// Games of the first round of the test: a pair, or of a race of several trainings all pairings.
    fn fewest_test_games(&self) -> u64 {
        2 * first_round(self.training.trainings as usize, self.test.elo0)
    }

    fn rules(&self) -> Vec<Rule> {
        let [least, most] = self.games.plies;
        let mut rules = vec![
            within("generations", self.generations.into(), 1.0, 10_000.0),
            within("count", self.games.count as f64, 1.0, 1e12),
            within("games.nodes", self.games.nodes as f64, 1.0, 1e12),
            within("plies", least.into(), 0.0, most.into()),
            within("plies", most.into(), least.into(), 100.0),
            within("keep", self.keep as f64, 1.0, 10_000.0),
            within("trainings", self.training.trainings.into(), 1.0, 64.0),
            within("validation", self.training.validation, 0.001, 0.5),
            within("test.nodes", self.test.nodes as f64, 1.0, 1e12),
            within("test.games", self.test.games as f64, self.fewest_test_games() as f64, 1e9),
            within("elo0", self.test.elo0, -2_000.0, self.test.elo1 - 0.01),
            within("elo1", self.test.elo1, self.test.elo0 + 0.01, 2_000.0),
            within("max_moves", self.test.move_limit().into(), 1.0, 10_000.0),
            within("jobs", self.jobs.unwrap_or(1).into(), 1.0, 1_024.0),
        ];
        rules.extend(self.filters.rules());
        rules.extend(self.training.learning.rules());
        rules.extend(self.training.blends.iter().map(|&blend| within("blends", blend, 0.0, 1.0)));
        rules
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_data::filter::Keep;

    fn read(text: &str) -> Result<Config, ConfigError> {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("loop.yaml");
        std::fs::write(&path, text).expect("written");
        Config::read(&path)
    }

    #[test]
    fn positions_keep_the_side_to_move_where_it_is_a_feature() {
        for (architecture, ending) in [("two-path", "marlin"), ("perspective", "bin")] {
            let text = format!("network: {{ architecture: {architecture} }}\n");
            assert_eq!(read(&text).expect("sound").positions_ending(), ending);
        }
    }

    #[test]
    fn defaults_apply_and_survive_the_ledger() {
        let config = read("training: { epochs: 3, blends: [0, 0.5] }\n").expect("sound");
        assert_eq!((config.start.as_str(), config.filters.keep), ("embedded", Keep::All));
        let blends = [1, 2, 3].map(|number| config.training.of_generation(number).blend);
        assert_eq!(blends, [0.0, 0.5, 0.5].map(Ramp::Constant));
        assert_eq!(Training::default().of_generation(1), Learning::default());
        let seeds = [0, 1].map(|training| config.training.of_training(2, training).seed);
        assert_eq!(seeds, [2, 1_000_005]);
        let kept = serde_json::to_value(&config).expect("plain data");
        assert_eq!(serde_json::from_value::<Config>(kept).expect("as written"), config);
    }

    #[test]
    fn a_test_is_adjudicated_by_the_rules_of_matches_and_always_has_a_move_limit() {
        let rules = |test: &str| {
            let config = read(&format!("test: {test}\n")).expect("sound");
            config.test.rules_of_adjudication().expect("each rule once")
        };
        for (test, limit) in [
            ("{}", 300),
            ("{ max_moves: 90 }", 90),
            ("{ adjudication: { max_moves: 80 } }", 80),
            ("{ adjudication: { resign: { score: 500, moves: 3 } } }", 300),
        ] {
            assert_eq!(rules(test).max_moves, Some(limit), "{test}");
        }
        let test = "{ max_moves: 90, adjudication: { draw: { score: 5, moves: 8 }, tb: syzygy } }";
        let Adjudication { draw, tablebases, .. } = rules(test);
        assert_eq!(draw.map(|rule| rule.moves), Some(8));
        let folders = tablebases.expect("a rule").folders;
        assert!(Path::new(&folders).is_absolute() && folders.ends_with("syzygy"), "{folders}");
        // As earlier versions stored it.
        let stored: Test = serde_json::from_str(r#"{"max_moves": 300}"#).expect("a test");
        assert_eq!(stored.rules_of_adjudication().expect("one rule").max_moves, Some(300));
    }

    #[test]
    fn paths_are_relative_to_the_files_folder_and_words_stay() {
        let config = read("start: nets/a.nnue\noutput: nets/best\n").expect("sound");
        assert!(Path::new(&config.start).is_absolute(), "{}", config.start);
        assert!(config.output.is_some_and(|path| path.is_absolute()));
        let start = |word: &str| read(&format!("start: {word}\n")).expect("sound").starts_by();
        assert_eq!(start("random"), None);
        assert_eq!(start("embedded"), Some(EvalFile::Embedded));
    }

    #[test]
    fn invalid_settings_are_refused() {
        for (text, says) in [
            ("generation: 3\n", ":1:1"),
            ("games:\n  count: many\n", "2"),
            ("training: { epoch: 3 }\n", "epoch"),
            ("training: { epochs: 0 }\n", "epochs"),
            ("training: { trainings: 0 }\n", "trainings"),
            ("training: { blends: [0.5, 2] }\n", "blend"),
            ("games: { plies: [9, 8] }\n", "plies"),
            ("keep: 0\n", "keep"),
            ("network: { hidden: 1000000 }\n", "1000000"),
            ("network: { block: 4 }\n", "`perspective` has no `block`"),
            ("test: { elo0: 5, elo1: 5 }\n", "elo0"),
            ("test: { max_moves: 0 }\n", "max_moves"),
            // A round of three trainings has six games, one of six and the best before 42.
            ("training: { trainings: 3 }\ntest: { games: 4 }\n", "`test.games` is 4"),
            ("training: { trainings: 6 }\ntest: { games: 40 }\n", "`test.games` is 40"),
            (
                "test: { max_moves: 9, adjudication: { max_moves: 8 } }\n",
                "`max_moves` stands twice",
            ),
            ("test: { adjudication: { tb: { men: 5 } } }\n", "`folders` is missing"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
