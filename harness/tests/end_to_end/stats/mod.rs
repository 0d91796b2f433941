//! Statistics against reference values and against the truth in simulated tests, and the commands
//! that print them.

mod calculator;
mod coverage;
mod few;
mod paired;
mod simulated;
mod vectors;
