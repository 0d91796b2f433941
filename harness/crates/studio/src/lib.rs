//! The local web interface: runs live, compared, and their games.
//!
//! One server in this process ([`server`]); every page is rendered here, from the ledger and from
//! what running processes tell at their sockets ([`hub`]). What changes on an open page is rendered
//! again and sent as a fragment ([`topics`]). Scripts and styles are in `assets/`, plain files
//! without a build step, compiled in.
//!
//! Each module knows only those below it:
//!
//! | module | subject |
//! |---|---|
//! | [`server`] | address, start and end, all routes |
//! | [`pages`] | a file a page, with its routes |
//! | [`security`] | who is let in, `Host`, `Origin`, CSRF, headers |
//! | [`state`] | what all requests share |
//! | [`streams`] | server-sent events: one connection a browser |
//! | [`topics`], [`fragments`] | what changes on open pages, rendered once for all of them |
//! | [`results`] | results of runs, each computed once |
//! | [`views`] | parts of pages, rendered from plain data |
//! | [`hub`] | the running processes and what they tell |
//! | [`practice`] | puzzles |
//! | [`boards`] | games that are played, analysed and annotated |
//! | [`checks`] | moves of games that an engine checks |
//! | [`launch`], [`recipe`], [`lookup`] | runs that are started from a page; their command lines as YAML; what these name |
//! | [`games`], [`indexer`] | games as the viewer needs them; finding them among a million |
//! | [`pages`] | a file a page |
//! | [`secrets`], [`error`] | tokens; what can go wrong, and the page that says so |
//! | [`frame`], [`assets`], [`form`], [`role`] | the frame of every page, its files, the fields of a form, who may change something |

mod assets;
mod boards;
mod checks;
mod connections;
mod error;
mod form;
mod fragments;
mod frame;
pub mod games;
mod hub;
mod indexer;
mod launch;
mod lookup;
mod pages;
pub mod practice;
mod recipe;
mod results;
mod role;
mod secrets;
mod security;
mod server;
mod state;
mod streams;
mod timed;
mod topics;
mod views;

pub use error::StudioError;
pub use launch::Launcher;
pub use recipe::{Flag, templates, words};
pub use server::{Studio, StudioSettings};
