//! Translates command lines of fastchess and cutechess-cli to ours.
//!
//! [`translate`] turns a command line into a [`Task`]: for games a [`Translation`] with the words
//! of `harness match` or `harness sprt`, and the files to write. Start reading at `table.rs`, which
//! has the translation of every flag as data; `lex.rs` reads flags by it, `flags.rs` and `engine.rs`
//! gather what they say, `command.rs` says it in our words, `outputs.rs` writes the files of the other
//! tools. Knows the configuration, the games and the ledger.

mod command;
mod engine;
mod error;
mod flags;
mod lex;
mod outputs;
mod table;
mod translate;
mod translation;
mod values;

pub use error::TranslationError;
pub use lex::PAGE as MAPPED;
pub use outputs::{Output, OutputError, Outputs};
pub use table::ours;
pub use translate::{Task, translate};
pub use translation::Translation;
