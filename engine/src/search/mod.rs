//! One tree search, and three ways to drive it.
//!
//! | file | subject |
//! |---|---|
//! | [`searcher`] | what callers hold: starts a search, keeps what was learnt between searches |
//! | [`threads`] | several threads search one root and share the table |
//! | [`deepening`] | what each of them does: one iteration after the other |
//! | [`drivers`] | how an iteration asks for the value of the root: negascout, MTD(f), negamax |
//! | [`tree`] | a node, as a list of steps |
//! | [`moves`] | its moves: tried in order, and what is learnt from them |
//! | [`quiescence`] | captures at the leaves |
//! | [`pruning`], [`reductions`] | what is not searched, or less or more deeply |
//! | [`picker`], [`history`] | move ordering |
//! | [`setting`] | what the histories of a node are keyed by |
//! | [`correction`] | what the search found beyond the evaluation, in positions alike |
//! | [`frame`] | what is remembered of each ply of the line |
//! | [`strength`] | playing below one's strength |
//! | [`table`], [`large_pages`] | the transposition table, and memory for it |
//! | [`tables`] | what endgame tables know, in the tree and at the root |
//! | [`limits`], [`time`], [`pondering`] | when it ends |

mod correction;
mod deepening;
mod drivers;
mod frame;
mod history;
mod large_pages;
mod limits;
mod moves;
mod picker;
mod pondering;
mod pruning;
mod quiescence;
mod reductions;
mod score;
mod searcher;
mod setting;
mod strength;
mod table;
mod tables;
#[cfg(test)]
mod tests;
mod threads;
mod time;
mod tree;

pub use drivers::Algorithm;
pub use limits::{Clock, Limits, Root};
pub use pondering::Pondering;
pub use score::{MAX_PLY, Score};
pub use searcher::{Account, Bounded, Outcome, Progress, Searcher, unreported};
pub use strength::{Compared, Strength};
pub use table::Table;
pub use tables::TableUse;
pub use time::Budget;
