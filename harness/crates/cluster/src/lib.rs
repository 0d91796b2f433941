//! Many machines: tasks and their results by way of a NATS server with JetStream.
//!
//! A task is a pair of games, a position of a suite, a game to train on, or some positions to score: the
//! kinds of [`work`]. A run has its tasks done by a [`backend`]: by players of its own process, or as the
//! coordinator of workers: [`coordinator`] publishes batches of tasks on a work queue, and takes their
//! results from a stream that has room for one result of each. Workers ([`worker`]) pull batches, do
//! them with the backend of one process, and publish one signed message a task. The truth is the
//! coordinator's ledger: a task that it lacks is given out again. [`server`] starts a `nats-server`.
//!
//! Start reading at [`work`], then [`message`], what is sent, and [`subjects`], where. All asynchronous code of the
//! harness is in this module, behind functions that block ([`link`]). Knows the players, games, suites
//! and data; nothing of runs.

pub mod artifacts;
pub mod backend;
mod benches;
mod builds;
mod certificate;
pub mod coordinator;
pub mod drain;
mod error;
pub mod folders;
pub mod keys;
mod lease_key;
pub mod link;
pub mod machine;
pub mod manifest;
pub mod message;
mod named;
mod offer;
pub mod overview;
pub mod presence;
pub mod quarantine;
pub mod reservoir;
mod results;
pub mod sandbox;
mod second_play;
pub mod server;
pub mod sharing;
pub mod speed;
mod store;
mod subjects;
mod token;
pub mod work;
pub mod worker;

pub use backend::{Backend, BackendError, LocalPlayers};
pub use coordinator::{Common, Coordinator, EarlierAnswer, FINAL_REPLAYS};
pub use error::ClusterError;
pub use token::{ParseTokenError, Role, Token};
