//! Statistics against reference values and against the truth in simulated tests, and the commands
//! that print them.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

mod calculator;
mod coverage;
mod few;
mod paired;
mod simulated;
mod vectors;
