//! `harness openings polyglot`: a Polyglot book from games.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::check_ending;
use crate::context::Context;
use crate::data::book::{BookMade, Recipe, make};
use crate::data::flaws::Flaws;
use crate::failure::{Exit, Failure};
use crate::files::{try_to_write, write_file};
use crate::text::path::encode_path;

/// Makes a Polyglot book from games.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness openings polyglot games.pgn -o book.bin
  harness openings polyglot reports/runs/*/games.pgn --max-ply 16 --min-games 5 -o book.bin

A move weighs two for each game that its side won and one for each draw; one that only lost is left
out, and so are games without a result on the board (lost on time, say). The engine plays from it
with the options OwnBook, BookFile and Best Opening; `harness match --openings book.bin` plays its lines.")]
pub struct PolyglotArgs {
    /// Games, compressed (.zst, .gz, .bz2) or not; `-` is standard input.
    #[arg(value_name = "GAMES.pgn", required = true)]
    games: Vec<PathBuf>,
    /// Plies of each game that are looked at.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    max_ply: u32,
    /// Leave out moves played in fewer games.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    min_games: u32,
    /// Where to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// When games cannot be read, nothing is left of them, or the file cannot be written.
pub fn run(args: &PolyglotArgs, context: &Context) -> Result<Exit, Failure> {
    check_ending(&args.output, "bin", &["epd", "fen", "pgn"])?;
    try_to_write(&args.output)?;
    let recipe = Recipe { plies: args.max_ply as usize, min_games: args.min_games };
    let flaws = Flaws::default();
    let made = make(recipe, &args.games, &flaws, &context.interrupt)?;
    write_file(&args.output, &made.bytes, Some("name another file with --output"))?;
    let BookMade { games, unfinished, positions, moves, .. } = made;
    let mut object = json!({
        "games": games, "unfinished": unfinished, "positions": positions, "moves": moves,
        "file": encode_path(&args.output),
    });
    flaws.add_to(&mut object);
    context.show(&object, || {
        let file = args.output.display();
        let left_out = match unfinished {
            0 => String::new(),
            count => format!(" ({count} without a result on the board left out)"),
        };
        format!(
            "{moves} moves in {positions} positions of {games} games{left_out}, in {file}\n{flaws}"
        )
    })
}
