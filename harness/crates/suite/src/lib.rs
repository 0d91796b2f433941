//! EPD test suites: solving, scoring, comparing, auditing, making.
//!
//! A [`Suite`] is read from [EPD](harness_notation::epd); [`search`] searches one of its positions;
//! [`compare`] tests a result against an earlier one. Knows the players and the results; a run of a
//! suite is in `runs::suite`.

pub mod audit;
mod baseline;
mod catalog;
mod load;
pub mod machine;
pub mod make;
pub mod perft;
mod run;
mod score;
mod solve;
pub mod speed;

pub use baseline::{BaselineError, check_baseline, compare, read_baseline};
pub use catalog::{Catalog, Entry, Scoring};
pub use load::{Suite, SuiteError, SuiteFile};
pub use run::{Plan, SearchError, search};
pub use score::{MoveScore, score_move};
pub use solve::{Effort, is_result_of, solve};
