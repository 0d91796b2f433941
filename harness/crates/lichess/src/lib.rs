//! A bot of any engine on Lichess, by the documented Bot API (<https://lichess.org/api#tag/Bot>).
//!
//! A thread reads the stream of events, and each game has a thread that plays it, another that reads
//! its stream, and an engine of its own. One loop, [`bot::run`], decides about challenges and keeps
//! finished games. Start reading there, then at [`game`].
//!
//! | module | subject |
//! |---|---|
//! | [`settings`], [`keys`], [`token`] | what the user wants; the secret |
//! | [`messages`] | lines of the streams as values |
//! | [`rate_limit`], [`client`], [`backoff`] | requests one at a time, streams, pauses, retries |
//! | [`account`] | whose token it is; the upgrade to a bot; what `--check` looks at |
//! | [`challenges`], [`slots`] | which challenges are accepted, and the reasons of the others; games at once |
//! | [`position`], [`thinking`], [`book`], [`tablebase`] | a game's state; the choice of a move |
//! | [`game`], [`posting`], [`watcher`] | one game: its course, its requests, its stream |
//! | [`record`], [`summary`] | finished games for the ledger; their counts |
//! | [`bot`], [`answers`], [`seek`], [`chat`] | the loop; answers to challenges; challenges that are sent; lines for the chat |
//!
//! The state of a game is the server's alone: after an answer that was lost, it is
//! asked for before anything is sent again.

pub mod account;
mod answers;
mod backoff;
mod book;
pub mod bot;
mod challenges;
mod chat;
pub mod client;
mod game;
mod keys;
mod messages;
mod position;
mod posting;
mod rate_limit;
mod record;
mod seek;
pub mod settings;
mod slots;
mod summary;
mod tablebase;
mod thinking;
pub mod token;
mod watcher;

pub use bot::{BotEvent, Plan, run};
pub use client::{CallError, Client};
pub use settings::Settings;
pub use summary::Summary;

/// The command under which the ledger has the runs.
pub const COMMAND: &str = "lichess";
