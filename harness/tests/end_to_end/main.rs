//! The programs as users run them, with real engine processes, real files and real kills.
//!
//! One test program for all: linking twenty takes longer than compiling them, and while the tests
//! of one subject wait for an engine, those of another run.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

mod action;
mod architecture;
mod bisect;
mod calibrate;
mod check;
mod cluster;
mod common;
mod completions;
mod data;
mod files;
mod first_network;
mod gate;
mod history;
mod hooks;
mod inputs;
mod ledger;
mod leela;
mod lichess;
mod links;
mod loop_;
mod machine;
mod matches;
mod needs;
mod old_ledger;
mod openings_rate;
mod pgn;
mod picture;
mod player;
mod player_end;
mod player_revision;
mod probe;
mod rate;
mod report_command;
mod report_html;
mod stats;
mod stop;
mod studio;
mod suite;
mod suite_audit;
mod suite_make;
mod ten_minutes;
mod texel;
mod train;
mod tune;
mod usage;
#[path = "../webdriver.rs"]
#[allow(dead_code, reason = "benchmarks need other parts of it")]
mod webdriver;
mod written;
