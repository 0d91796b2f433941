//! A language model at an OpenAI-compatible endpoint, for sentences that are not understood here.
//!
//! Off unless its user configures it. What it may do is what a sentence may: it calls the functions of
//! [`functions`], one for each intent, and each call is checked as a sentence is. What it answers
//! otherwise is a text for people.
//!
//! | module | subject |
//! |---|---|
//! | [`settings`] | where it is, from the environment or a file |
//! | [`functions`] | what it may call, and calls that make no sense |
//! | [`request`] | a question over HTTP, with retries |

pub mod functions;
mod request;
mod settings;

pub use request::{Answer, ask};
pub use settings::{Endpoint, SettingsError};

#[cfg(test)]
mod tests;
