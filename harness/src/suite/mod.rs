//! EPD test suites: reading, solving, scoring, comparing.

pub mod audit;
mod baseline;
mod catalog;
pub mod epd;
mod load;
pub mod machine;
pub mod make;
pub mod perft;
mod run;
mod score;
mod solve;
mod text;

pub use baseline::{
    BaselineError, Comparison, EffortRatio, check_baseline, compare, read_baseline,
};
pub use catalog::{Catalog, Entry, Scoring};
pub use load::{Suite, SuiteError, SuiteFile};
pub use run::{Plan, Searched, SuiteStopped, search_all};
pub use score::{MoveScore, score_move};
pub use solve::{Effort, solve};
pub(crate) use text::table;
pub use text::text;
