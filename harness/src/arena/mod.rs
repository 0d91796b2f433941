//! Games between two players: rules, clocks, openings, pairs, workers, PGN.
//!
//! [`Plan`] says everything that decides the games of a run; [`Schedule`] gives its pairs by
//! number; [`play_all`] plays them on several threads and hands every finished game to one
//! keeper. [`play`] is one game.

mod adjudication;
mod clock;
mod endings;
mod event;
mod game;
mod openings;
pub mod pgn;
mod pool;
mod record;
mod referee;
mod schedule;
#[cfg(test)]
mod scripted;
mod seats;

pub use adjudication::{Adjudication, Adjudicator, DrawOffer, Resign, Seen};
pub use clock::Strictness;
pub use endings::{Endings, EndingsError, TableResults, TableRule, absolute};
pub use event::{Event, Watch};
pub use game::{Conduct, NoGame, PlayedGame, PlayedMove, Setup, Thought, play};
pub use openings::generate;
pub(crate) use openings::shuffle;
pub use openings::{BookError, Openings, OpeningsSpec, Order};
pub use pool::{Start, Stopped, play_all};
pub use record::{GameRecord, GameResult, Leg, Opening, PairJob, Termination};
pub use referee::{OpeningError, Referee};
pub use schedule::{Format, Plan, Schedule};
