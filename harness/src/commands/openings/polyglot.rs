//! `harness openings polyglot`: a Polyglot book from games.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use engine::book;
use miette::Diagnostic;
use serde_json::json;
use thiserror::Error;

use crate::context::Context;
use crate::data::book::{BookMaker, Recipe};
use crate::data::flaws::Flaws;
use crate::data::pgn;
use crate::failure::{Exit, Failure, OrFail};
use crate::input;
use crate::ledger::write_atomically;

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

/// A book that cannot be made.
#[derive(Debug, Error, Diagnostic)]
enum BookFault {
    #[error("cannot read {}: {source}", path.display())]
    #[diagnostic(help("name PGN files, or `-` for standard input"))]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("no move was played in {least} games of {games} and ever did better than to lose")]
    #[diagnostic(help("ask for less with --min-games, or name more games"))]
    Nothing { least: u32, games: u64 },
    #[error("cannot write {}: {source}", path.display())]
    #[diagnostic(help("name another file with --output"))]
    Unwritable { path: PathBuf, source: io::Error },
}

/// Runs the command.
///
/// # Errors
/// When games cannot be read, nothing is left of them, or the file cannot be written.
pub fn run(args: &PolyglotArgs, context: &Context) -> Result<Exit, Failure> {
    let recipe = Recipe { plies: args.max_ply as usize, min_games: args.min_games };
    let mut maker = BookMaker::new(recipe);
    let flaws = Flaws::default();
    for path in &args.games {
        read(path, &mut maker, &flaws, context)?;
    }
    let entries = maker.entries();
    if entries.is_empty() {
        let (least, games) = (args.min_games, maker.games());
        return Err(BookFault::Nothing { least, games }).or_usage();
    }
    let moves = entries.len();
    // They are in the order of their keys.
    let positions = entries.chunk_by(|a, b| a.key == b.key).count();
    let path = &args.output;
    let unwritable = |source| BookFault::Unwritable { path: path.clone(), source };
    let mut bytes = Vec::new();
    book::write(entries, &mut bytes).map_err(unwritable).or_failed()?;
    write_atomically(path, &bytes).map_err(unwritable).or_failed()?;
    let (games, unfinished) = (maker.games(), maker.unfinished());
    if context.json {
        let mut output = json!({
            "games": games, "unfinished": unfinished, "positions": positions, "moves": moves,
            "file": path,
        });
        flaws.add_to(&mut output);
        context.print(&format!("{output}\n"))?;
    } else {
        let file = path.display();
        let left_out = match unfinished {
            0 => String::new(),
            count => format!(" ({count} without a result on the board left out)"),
        };
        context.print(&format!(
            "{moves} moves in {positions} positions of {games} games{left_out}, in {file}\n{flaws}"
        ))?;
    }
    Ok(Exit::Good)
}

fn read(
    path: &Path,
    maker: &mut BookMaker,
    flaws: &Flaws,
    context: &Context,
) -> Result<(), Failure> {
    let unreadable = |source| BookFault::Unreadable { path: path.to_owned(), source };
    let source = input::open(path).map_err(unreadable).or_usage()?;
    for game in pgn::Reader::new(&path.display().to_string(), source, flaws) {
        maker.add(&game.or_usage()?);
        if context.interrupt.is_set() {
            return Err(Failure::Interrupted("nothing was written".to_owned()));
        }
    }
    Ok(())
}
