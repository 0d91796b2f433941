//! The test bench for chess engines.
//!
//! Rooms, each knowing only those below it:
//!
//! | room | subject |
//! |---|---|
//! | [`commands`] | one file a subcommand: its flags, and what it prints |
//! | [`check`] | UCI conformance: the checks of an engine and their evidence |
//! | [`compat`] | command lines of fastchess and cutechess-cli in our own words |
//! | [`gate`] | CI regression gating |
//! | [`suite`] | EPD test suites: reading, solving, scoring |
//! | [`speed`] | nodes a second and the time to a depth, side by side |
//! | [`tuning`] | tuners that are asked and told, and landscapes to measure them on |
//! | [`arena`] | games between two players: rules, clocks, openings, pairs, workers, PGN |
//! | [`player`] | whatever can be asked for a move: a UCI process or the linked engine |
//! | [`ledger`] | the embedded store |
//! | [`report`] | renders outcomes: terminal, HTML with charts, Markdown, CSV, JUnit |
//! | [`stats`], [`outcome`], [`random`], [`text`] | leaves: statistics, what came of games and runs, seeded streams, words |

pub mod arena;
pub mod check;
pub mod cli;
pub mod commands;
pub mod compat;
pub mod config;
pub mod context;
pub mod data;
pub mod failure;
pub mod gate;
pub mod input;
pub mod kinds;
pub mod ledger;
pub mod outcome;
pub mod output;
pub mod player;
pub mod project;
pub mod random;
pub mod report;
pub mod runs;
pub mod speed;
pub mod stats;
pub mod suite;
pub mod text;
pub mod training;
pub mod tuning;
pub mod yaml;
