//! Many machines: tasks and their results by way of a NATS server with JetStream.
//!
//! A task is a pair of games, a position of a suite, or a game to train on. A run's own process is its
//! coordinator: [`coordinator`] publishes batches of tasks on a work queue, and takes their results
//! from a stream that has room for one result of each. Workers ([`worker`]) pull batches, do them with
//! the same code as one process does, and publish one signed message a task. The truth is the
//! coordinator's ledger: a task that it lacks is given out again. [`server`] starts a `nats-server`.
//!
//! Start reading at [`message`], what is sent, and [`subjects`], where. All asynchronous code of the
//! harness is in this module, behind functions that block ([`link`]). Knows the players, games, suites
//! and data; nothing of runs.

pub mod artifacts;
mod benches;
mod builds;
mod certificate;
pub mod coordinator;
mod error;
mod executor;
pub mod folders;
pub mod keys;
pub mod link;
pub mod message;
pub mod presence;
pub mod quarantine;
mod results;
pub mod sandbox;
mod scores;
mod second_play;
mod self_play;
pub mod server;
pub mod sharing;
pub mod speed;
mod subjects;
mod token;
pub mod worker;

pub use coordinator::{Common, Coordinator};
pub use error::ClusterError;
pub use executor::ClusterExecutor;
pub use self_play::from_text as game_from_text;
pub use token::{ParseTokenError, Role, Token};
