//! Translates command lines of fastchess and cutechess-cli to ours.
//!
//! [`translate`] turns a command line into a [`Task`]: for games a [`Translation`] with the words
//! of `harness match` or `harness sprt`, and the files to write. Start reading at `table.rs`, which
//! has the translation of every flag as data; `lex.rs` reads flags by it, `flags.rs` and `engine.rs`
//! gather what they say, `command.rs` says it in our words. The way back is `stream.rs`: events of a run
//! become the lines of the other program, whose forms `lines/` has; `outputs.rs` writes its files,
//! `saved.rs` its configuration. Knows the configuration, runs of games and the ledger.

mod command;
mod crc32;
mod engine;
mod engines_file;
mod error;
mod flags;
mod heading;
mod lex;
pub mod lines;
mod outputs;
mod saved;
mod stream;
mod table;
mod translate;
mod translation;
mod values;

pub use error::TranslationError;
pub use lex::PAGE as MAPPED;
pub use outputs::{GameFiles, Output, OutputError, Outputs};
pub use saved::{Saved, SavedRun};
pub use stream::{Dialect, End, LineSettings, Stream, Unwritten};
pub use table::ours;
pub use translate::{Task, translate};
pub use translation::{Translation, USUAL_CONFIG};
