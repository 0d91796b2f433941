//! Benchmark of tuners: the Elo that a tuner leaves after a number of games on landscapes whose
//! optimum is known, beside the least that any tuner could leave ([`bound`]).

mod bound;
mod external;
mod row;
mod run;

pub use self::external::{External, ExternalError};
pub use self::row::{Family, Row};
pub use self::run::{BenchError, BenchOutcome, Contestant, Schedule, run};
