//! Reads annotated games in PGN from the standard input, and writes them as the studio does.
//!
//! ```text
//! cargo run -p tench-harness --example pgn_copy < games.pgn > copy.pgn
//! ```
//!
//! `harness/tests/pgn_round_trip.py` compares both with python-chess.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "this is no part of the product"
)]

use std::io::{BufWriter, Write, stdin, stdout};

use harness::games::tree::read_games;

fn main() -> std::io::Result<()> {
    let mut output = BufWriter::new(stdout().lock());
    for game in read_games(stdin().lock()) {
        match game {
            Ok(game) => output.write_all(game.to_pgn().as_bytes())?,
            Err(error) => eprintln!("{error}"),
        }
    }
    output.flush()
}
