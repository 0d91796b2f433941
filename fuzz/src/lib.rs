//! What each fuzz target does with its input.
//!
//! A target is a function of bytes: it reads them as a user's file, an engine or a user interface
//! would have it read, and panics where an invariant does not hold. Bytes that are refused with an
//! error are fine. `fuzz_targets/` runs them under libFuzzer, and `tests/replay.rs` runs them over
//! the corpus and some thousand mutations of it without any fuzzer.
//!
//! Differential checks: shakmaty for positions and moves, the reader for the writer's output, the
//! harness for the engine's output.

mod board;
mod books;
mod configs;
mod data;
mod ledger;
mod network;
mod packed;
mod pgn;
mod picture;
pub mod scratch;
mod session;
mod suites;
mod tables;
mod text;

pub use board::fen;
pub use books::polyglot;
pub use configs::yaml;
pub use data::{binpack, bullet, hdf5, leela, lines, pgn, viri};
pub use ledger::ledger;
pub use network::network;
pub use packed::packed;
pub use pgn::pgn_events;
pub use picture::picture;
pub use session::session;
pub use suites::epd;
pub use tables::syzygy;
pub use text::{replies, uci};

/// A target: its name, which is that of its corpus, and its body.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 20] = [
    ("fen", fen),
    ("uci", uci),
    ("session", session),
    ("replies", replies),
    ("epd", epd),
    ("pgn", pgn),
    ("pgn_events", pgn_events),
    ("bullet", bullet),
    ("lines", lines),
    ("hdf5", hdf5),
    ("viri", viri),
    ("binpack", binpack),
    ("leela", leela),
    ("packed", packed),
    ("yaml", yaml),
    ("network", network),
    ("ledger", ledger),
    ("syzygy", syzygy),
    ("polyglot", polyglot),
    ("picture", picture),
];

/// The first byte, which chooses among variants, and the rest.
fn choice(data: &[u8]) -> Option<(usize, &[u8])> {
    let (&first, rest) = data.split_first()?;
    Some((usize::from(first), rest))
}
