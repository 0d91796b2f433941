//! Games between two players: rules, clocks, openings, pairs, workers, PGN.
//!
//! A [`Plan`] holds everything that decides the games of a run; [`Schedule`] gives its pairs by
//! number as [`PairJob`]s; an [`Executor`] plays them and hands every finished game to one keeper.
//! [`play`] is one game. Knows the players and the openings, and nothing of runs.

mod adjudication;
mod clock;
mod comment;
mod comment_lines;
mod event;
mod executor;
mod game;
mod local;
mod opening_error;
mod openings;
mod output_check;
pub mod pgn;
mod position;
mod record;
mod referee;
mod schedule;
#[cfg(test)]
mod scripted;
mod shard;
mod stage;
mod start_tags;
mod tablebases;
mod termination;
mod tournament;
mod variant;
mod verify;

pub use adjudication::{AdjudicatedMove, Adjudication, Adjudicator, DrawOffer, Resign, RuleTwice};
pub use clock::Strictness;
pub use comment::CommentPart;
pub use comment_lines::check_pattern;
pub use event::{Event, Watch};
pub use executor::{Executor, Jobs, KeepGames, Stopped, Unplayed, play_all};
pub use game::{Conduct, NoGame, PlayedGame, PlayedMove, Seen, Setup, Thought, Watching, play};
pub use local::{LocalExecutor, PairPlayer};
pub use opening_error::OpeningError;
pub use openings::chess960;
pub use openings::generate;
pub use openings::{BookError, Openings, OpeningsSpec, Order};
pub use output_check::{Flaw, FlawKind, OutputChecks};
pub use position::GamePosition;
pub use record::{Colours, GameRecord, Leg, Opening, PairJob, Side};
pub use referee::Referee;
pub use schedule::{Format, Pairing, Plan, PublishedRating, RatingGoal, Schedule};
pub use shard::Shard;
pub use stage::{Encounter, Stage};
pub use start_tags::{StartTags, castling_of};
pub use tablebases::{
    AdjudicationError, TablebaseAdjudicator, TablebaseResults, TablebaseRule,
    open as open_tablebases,
};
pub use termination::Termination;
pub use tournament::{Course, RaceCourse, course, references};
pub use variant::{Rules, Variant, chess_position};
pub use verify::{Discrepancy, verify_game};
