//! Games between two players: rules, clocks, openings, pairs, workers, PGN.

mod adjudication;
mod clock;
mod game;
pub mod pgn;
mod record;
mod referee;
#[cfg(test)]
mod scripted;

pub use adjudication::{Adjudication, DrawOffer, Resign};
pub use clock::Strictness;
pub use game::{Conduct, NoGame, PlayedGame, PlayedMove, Setup, Thought, play};
pub use record::{GameRecord, GameResult, Leg, Opening, PairJob, Termination};
pub use referee::{OpeningError, Referee};
