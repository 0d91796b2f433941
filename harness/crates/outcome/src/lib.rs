//! Results of games, matches, suites and other runs: plain data, serialised as `--json` prints it.
//!
//! A leaf: it knows the statistics and nothing of playing, solving or tuning. The runs fill these
//! types in, the ledger keeps them, and the reports renders them. Start reading at
//! [`Tally`], which sums games up to a [`MatchSummary`].

pub mod audit;
pub mod bisection;
pub mod book;
pub mod calibration;
mod commit;
mod counter;
mod estimate;
pub mod gate;
pub mod loop_summary;
pub mod made_suite;
mod match_summary;
mod openbench;
pub mod parameter;
pub mod perft;
pub mod positions;
mod race;
pub mod rating;
mod speed;
mod standings;
mod suite_comparison;
mod suite_summary;
mod tally;
mod tournament;
pub mod training;
pub mod tune_summary;
pub mod tuned;
mod viewed_game;
mod workers;

pub use commit::Commit;
pub use counter::Counter;
pub use estimate::Estimate;
pub use match_summary::{EngineFacts, MatchFacts, MatchSummary, count_terminations};
pub use openbench::elo_text;
pub use openbench::openbench_block;
pub use race::{RaceDropped, RacePoint, RaceRunner, RaceSummary};
pub use speed::Speed;
pub use standings::{PlayerRow, Standings};
pub use suite_comparison::{EffortRatio, SuiteComparison};
pub use suite_summary::{SuiteFacts, SuiteLine, SuiteReport, SuiteResult, SuiteSummary};
pub use tally::{CurvePoint, Forfeits, Outcome, Tally};
pub use tournament::{TournamentEncounter, TournamentRound, TournamentStanding, TournamentSummary};
pub use tune_summary::{AtBound, ParameterSummary, PathPoint, TuneReport, TuneSummary};
pub use viewed_game::{ViewedGame, ViewedPly};
pub use workers::{
    Doubt, Fleet, Party, SUSPICIOUS, Suspect, TakenOut, WorkerGame, WorkerShare, WorkerTally,
    name_and_key, token_of, worker_text,
};
