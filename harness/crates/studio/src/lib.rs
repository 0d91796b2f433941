//! The local web interface: runs live, compared, and their games.
//!
//! One server in this process ([`server`]); every page is rendered here, from the ledger and from
//! what running processes tell at their sockets ([`hub`]). What changes on an open page is rendered
//! again and sent as a fragment ([`topics`]). Scripts and styles are in `assets/`, plain files
//! without a build step, compiled in.
//!
//! | module | subject |
//! |---|---|
//! | [`server`] | address, routes, start and end |
//! | [`security`] | tokens, `Host`, `Origin`, CSRF, headers |
//! | [`hub`] | the running processes and what they tell |
//! | [`results`] | results of runs, each computed once |
//! | [`topics`], [`events`] | fragments of open pages, sent as server-sent events |
//! | [`launch`], [`recipe`] | runs that are started from a page; their command lines as YAML |
//! | [`boards`] | games that are played, analysed and annotated |
//! | [`games`], [`indexer`] | games as the viewer needs them; finding them among a million |
//! | [`pages`] | a file a page |
//! | [`frame`], [`assets`], [`error`] | what pages share |

mod assets;
mod boards;
mod error;
mod events;
mod frame;
pub mod games;
mod hub;
mod indexer;
mod launch;
mod pages;
pub mod practice;
mod recipe;
mod results;
mod security;
mod server;
mod topics;

pub use error::StudioError;
pub use launch::Launcher;
pub use recipe::{templates, words};
pub use server::{Studio, StudioSettings};
