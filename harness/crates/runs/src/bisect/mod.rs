//! Which commit lost strength: a bisection by games, which are noisy, or by a test, which is not.
//!
//! [`posterior`] has the statistics and plays nothing; [`run`] builds commits and plays their games,
//! in runs of their own, or runs the test. Knows the runs and the players; start reading at
//! [`posterior::Posterior`].

mod command;
pub mod posterior;
pub mod run;
mod steps;
