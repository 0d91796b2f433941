//! The test bench for chess engines.
//!
//! Each module knows only those below it:
//!
//! | module | subject |
//! |---|---|
//! | [`commands`], [`cli`] | one file a subcommand: its flags, and what it prints |
//! | [`manual`] | the pages of `docs/` |
//! | [`studio`] | the local web interface: server, pages, live updates |
//! | [`live`] | events of running runs, for other processes of this machine |
//! | [`kinds`] | the registry of the kinds of runs: how each is resumed and reported |
//! | [`lichess`] | a bot of any engine on Lichess |
//! | [`bisect`] | which commit lost strength: noisy bisection, as a run |
//! | [`gate`] | CI regression gating: the checks of a change, as a run |
//! | [`runs`] | matches, suites, books, tuning, data, training, loops: planned, executed, resumed |
//! | [`cluster`] | many machines: coordinator, workers, server, on NATS JetStream |
//! | [`suite`] | EPD test suites: solving, scoring |
//! | [`tuning`] | ask/tell tuners, and landscapes to measure them on |
//! | [`data`], [`training`] | training data and its formats; training of networks |
//! | [`games`] | games for viewers: trees of annotated PGN, lists of files, names of openings |
//! | [`speed`] | nodes a second and the time to a depth, side by side |
//! | [`check`] | UCI conformance: the checks of an engine and their evidence |
//! | [`assistant`], [`practice`] | plain language of the studio's boards; puzzles |
//! | [`compat`] | translates command lines of fastchess and cutechess-cli |
//! | [`project`] | an engine's repository: how the engine is built and started |
//! | [`arena`] | games between two players: rules, clocks, openings, pairs, PGN |
//! | [`player`] | engines: UCI processes and the linked engine, one pool of players |
//! | [`report`] | renders outcomes: terminal, HTML with charts, Markdown, CSV, JUnit |
//! | [`ledger`] | the embedded store |
//! | [`outcome`] | results of games, matches, suites and tuning runs |
//! | [`session`], [`context`], [`config`], [`files`], [`failure`] | what a run needs, `harness.yaml`, files written as a whole, exit statuses |
//! | [`stats`], [`random`], [`text`], [`pgn`], [`epd`], [`yaml`], [`input`], [`output`], [`secret`], [`system`], [`build`] | leaves |

pub mod arena;
pub mod assistant;
pub mod bisect;
pub mod build;
pub mod check;
pub mod cli;
pub mod cluster;
pub mod commands;
pub mod compat;
pub mod config;
pub mod context;
pub mod data;
pub mod epd;
pub mod failure;
pub mod files;
pub mod games;
pub mod gate;
pub mod http;
pub mod input;
pub mod kinds;
pub mod ledger;
pub mod lichess;
pub mod live;
pub mod manual;
pub mod outcome;
pub mod output;
pub mod pgn;
pub mod platform;
pub mod player;
pub mod practice;
pub mod project;
pub mod random;
pub mod report;
pub mod runs;
pub mod secret;
pub mod session;
pub mod speed;
pub mod stats;
pub mod studio;
pub mod suite;
pub mod system;
pub mod text;
pub mod training;
pub mod tuning;
pub mod yaml;
