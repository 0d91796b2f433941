//! Matches as users play them: the real program with real engine processes.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

mod bench;
mod endings;
mod faults;
mod foreign;
mod games;
mod killed;
mod live;
mod matrix;
mod openings;
mod outputs;
mod shared;
mod stopped;
mod terminal;
mod wall_clock;
