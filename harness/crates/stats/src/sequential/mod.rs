//! Sequential tests: SPRTs with bounds that stand still or fall, their error rates before the first game, and
//! estimates after the last one.
//!
//! Start reading in [`sprt`], the test itself. [`bounds`] are those of its LLR, [`design`] finds them for wanted
//! error rates by summation on the [`lattice`] of pair scores, [`change`] has what may
//! change while a test runs, and [`brownian`] the formulas of the limit of small gaps.

pub mod bounds;
pub mod brownian;
pub mod change;
pub mod design;
pub mod estimate;
pub mod lattice;
pub mod likelihood;
pub mod plan;
pub mod replay;
pub mod sprt;
