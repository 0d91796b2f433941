//! The embedded store: runs, games, suite results; resume.
//!
//! One SQLite file, `reports/ledger.db`, which several harnesses may share. A result
//! is committed here before a command reports it, so that `kill -9` loses no reported result. The
//! module is independent of commands: plans and summaries are opaque JSON.
//!
//! ```no_run
//! # use harness_ledger::{Ledger, LedgerError, StoredGame};
//! # fn play_pair() -> [StoredGame; 2] { unimplemented!() }
//! # fn main() -> Result<(), LedgerError> {
//! let ledger = Ledger::open("reports".as_ref())?;
//! let run = ledger.start_run("match", &serde_json::json!({ "games": 2 }))?;
//! ledger.record_games(&run, &play_pair())?; // durable from here on
//! ledger.finish(&run, &serde_json::json!({ "games": 2 }))?;
//! # Ok(())
//! # }
//! ```

mod checks;
mod error;
mod games;
mod games_file;
mod id;
mod list;
mod machine;
mod naming;
mod progress;
mod run;
mod runs;
mod schema;
mod search;
mod solutions;

pub use error::LedgerError;
pub use games::StoredGame;
pub use games_file::{GamesFile, GamesFileError};
pub use list::{ListedRun, RunList, RunQuery, RunSort, within};
pub use machine::Machine;
pub use progress::RunProgress;
pub use run::Run;
pub use runs::{Resumed, RunFacts, RunRow, Status};
pub use schema::Ledger;
pub use solutions::StoredSolution;
