//! The search: one alpha-beta tree search, three drivers, any number of threads.
//!
//! It knows [`board`](crate::board), [`eval`](crate::eval), [`params`](crate::params) and
//! [`tablebase`](crate::tablebase), and nothing of UCI. Start reading at [`tree`], whose `search` is
//! a node as a list of steps; [`searcher`] is where callers come in.
//!
//! | file | subject |
//! |---|---|
//! | [`searcher`] | the interface: starts searches, keeps tables and histories between them |
//! | [`limits`], [`pondering`], [`report`], [`score`] | what a search is given and what it returns |
//! | [`threads`], [`counters`] | lazy SMP: thread data, shared counters, the choice of the best thread |
//! | [`deepening`], [`time`] | iterative deepening, MultiPV, time management |
//! | [`root_lines`], [`game_line`], [`mates`] | lines to report: to the end of the game, mates to their end |
//! | [`drivers`] | the root search: negascout (PVS), MTD(f), negamax |
//! | [`tree`], [`node`], [`frame`] | a node in steps; kinds of nodes and their state; the search stack |
//! | [`moves`] | the moves of a node: PVS, updates of the TT and the histories |
//! | [`quiescence`] | quiescence search |
//! | [`pruning`], [`reductions`], [`reduction_table`] | node and move pruning; reductions and extensions |
//! | [`picker`], [`history`] | move ordering and the history heuristics |
//! | [`correction`] | correction history of the static evaluation |
//! | [`tt`], [`large_pages`] | the transposition table and its memory |
//! | [`tablebases`], [`root_ranks`], [`tablebase_options`] | tablebase probes inside the tree and at the root |
//! | [`strength`], [`weakness`] | limited strength; its mistakes |
//!
//! `moves`, `quiescence`, `pruning`, `reductions` and `tablebases` are parts of one recursive
//! algorithm, methods of `tree::Tree`, and call each other; all other files import downwards only.

mod correction;
mod counters;
mod deepening;
mod drivers;
mod frame;
mod game_line;
mod history;
mod large_pages;
mod limits;
#[cfg(test)]
mod line_tests;
mod mates;
mod moves;
mod node;
mod picker;
mod pondering;
mod prefetch;
mod pruning;
mod quiescence;
mod reduction_table;
mod reductions;
mod report;
mod root_lines;
mod root_ranks;
mod rows;
mod score;
mod searcher;
mod strength;
mod tablebase_options;
mod tablebases;
#[cfg(test)]
mod tests;
mod threads;
mod time;
mod tree;
mod tt;
mod weakness;

pub use drivers::Algorithm;
pub use limits::{Clock, Limits, Root};
pub use pondering::Pondering;
pub use report::{Progress, ScoreBound, SearchResult, ThreadSummary, no_report};
pub use score::{MAX_PLY, Score};
pub use searcher::Searcher;
pub use strength::{KNOTS, Knot, Strength};
pub use tablebase_options::TablebaseOptions;
pub use time::Budget;
pub use tt::TranspositionTable;
pub use weakness::Weakness;
