//! Events of running runs for other processes of this machine.
//!
//! Every process that executes a run listens at a socket of its own in `reports/live/`, and tells
//! whoever connects what happens: games in progress move by move, the result so far, progress. The
//! studio connects to all of them. The other way, a run can be asked to stop. Nothing is computed
//! without a subscriber, and nothing waits for a listener: one that is slow is disconnected. What
//! counts is in the ledger; a run continues without its socket where none can be made.
//!
//! Start reading at [`Message`], then [`Publisher`]; [`running`] and [`Connection`] are the other side.

mod board;
mod broadcast;
mod connection;
mod message;
mod publisher;
mod runs;
mod socket;

pub use board::{Board, MAX_BOARDS};
pub use broadcast::LiveGames;
pub use connection::{Connection, Handle, ask, running};
pub use message::{Message, Progress, Request};
pub use publisher::Publisher;
