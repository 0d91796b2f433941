//! The base of every other crate of the harness.
//!
//! | module | subject |
//! |---|---|
//! | [`session`], [`starter`], [`address`], [`context`], [`config`], [`files`], [`failure`], [`hint`] | what a run needs, who starts it, addresses of servers, `harness.yaml`, files written as a whole, exit statuses, commands in hints |
//! | [`text`], [`yaml`], [`excerpt`], [`input`], [`output`], [`secret`], [`sync`], [`system`] | decoding and words for people, the place of a fault, files and streams, locks, the user's folders |
//! | [`git`], [`hooks`] | git commands; commands of the user that get events of runs |
//! | [`platform`], [`load`], [`budget`] | what touches the operating system; how much of the machine others use; its cores, shared by runs |

pub mod address;
pub mod budget;
pub mod config;
pub mod context;
pub mod excerpt;
pub mod failure;
pub mod files;
pub mod git;
pub mod hint;
pub mod hooks;
pub mod input;
pub mod load;
pub mod output;
pub mod platform;
pub mod secret;
pub mod session;
pub mod starter;
pub mod sync;
pub mod system;
pub mod text;
pub mod yaml;
