//! The test bench for chess engines.
//!
//! The program is here: [`commands`] and [`cli`], one file a subcommand with its flags and what it
//! prints; [`compat`], which translates command lines of fastchess and cutechess-cli; [`manual`], the
//! pages of `docs/`; [`mod@build`], how the program was built. All else is in crates of one subject
//! each, `harness/crates/NAME`, which the library has under these names:
//!
//! | module | subject |
//! |---|---|
//! | [`studio`], [`practice`] | the local web interface: server, pages, live updates; puzzles |
//! | [`assistant`] | plain language of the studio's boards |
//! | [`kinds`], [`live`] | the registry of the kinds of runs; events of running runs, for other processes |
//! | [`gate`], [`bisect`] | CI regression gating; which commit lost strength: as runs |
//! | [`runs`] | matches, suites, books, tuning, data, training, loops: planned, executed, resumed |
//! | [`lichess`] | a bot of any engine on Lichess |
//! | [`cluster`] | many machines: coordinator, workers, server, on NATS JetStream |
//! | [`tuning`] | ask/tell tuners, and landscapes to measure them on |
//! | [`data`], [`training`] | training data and its formats; training of networks |
//! | [`suite`], [`speed`] | EPD test suites: solving, scoring; nodes a second and the time to a depth |
//! | [`games`] | games to look at: trees of annotated PGN, lists of files, names of openings |
//! | [`arena`] | games between two players: rules, clocks, openings, pairs, PGN |
//! | [`picture`] | positions of boards in pictures |
//! | [`check`] | UCI conformance: the checks of an engine and their evidence |
//! | [`player`], [`project`] | engines: UCI processes, the linked engine, the pool of players; how a repository's engine is built |
//! | [`ledger`] | the embedded store |
//! | [`report`] | renders outcomes: terminal, HTML with charts, Markdown, CSV, JUnit |
//! | [`outcome`] | results of games, matches, suites and tuning runs |
//! | [`stats`], [`random`], [`pgn`], [`epd`], [`http`] | statistics, seeded streams, readers of PGN and EPD, requests with a secret |
//! | [`session`], [`context`], [`config`], [`files`], [`failure`], [`hooks`] | what a run needs, `harness.yaml`, files written as a whole, exit statuses, commands that get events |
//! | [`text`], [`yaml`], [`input`], [`output`], [`secret`], [`sync`], [`system`], [`git`], [`platform`] | leaves; what touches the operating system |

pub mod build;
pub mod cli;
pub mod commands;
pub mod compat;
pub mod manual;
mod usage;

pub use harness_arena as arena;
pub use harness_assistant as assistant;
pub use harness_base::{
    address, budget, config, context, failure, files, git, hint, hooks, input, output, platform,
    secret, session, sync, system, text, yaml,
};
pub use harness_check as check;
pub use harness_cluster as cluster;
pub use harness_data as data;
pub use harness_games as games;
pub use harness_http as http;
pub use harness_ledger as ledger;
pub use harness_lichess as lichess;
pub use harness_notation::{epd, pgn};
pub use harness_outcome as outcome;
pub use harness_picture as picture;
pub use harness_player as player;
pub use harness_player::project;
pub use harness_report as report;
pub use harness_runs as runs;
pub use harness_runs::{bisect, gate, kinds, live};
pub use harness_stats as stats;
pub use harness_stats::random;
pub use harness_studio as studio;
pub use harness_studio::practice;
pub use harness_suite as suite;
pub use harness_suite::speed;
pub use harness_training as training;
pub use harness_tuning as tuning;
