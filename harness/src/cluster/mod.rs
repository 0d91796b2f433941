//! Many machines: pair jobs and results by way of a NATS server with JetStream.
//!
//! A run's own process is its coordinator: [`ClusterExecutor`] publishes batches of pair jobs on a
//! work queue, and takes their results from a stream that has room for one result of each pair.
//! Workers ([`worker`]) pull batches, play them with the same code as one process does, and publish
//! one signed message a pair. The truth is the coordinator's ledger: a pair that it lacks is given
//! out again. [`server`] starts a `nats-server`.
//!
//! Start reading at [`message`], what is sent, and [`subjects`], where. All asynchronous code of the
//! harness is in this module, behind functions that block ([`link`]). Knows the players and the
//! games; nothing of runs.

pub mod artifacts;
mod certificate;
mod error;
mod executor;
pub mod keys;
pub mod link;
pub mod message;
pub mod presence;
pub mod quarantine;
mod results;
pub mod sandbox;
mod second_play;
pub mod server;
mod subjects;
mod token;
pub mod worker;

pub use error::ClusterError;
pub use executor::{ClusterExecutor, Common};
pub use token::{ParseTokenError, Role, Token};
