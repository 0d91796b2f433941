//! `harness data convert`: from one format to another.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::context::Context;
use crate::data::flaws::Flaws;
use crate::data::formats::{self, Format, FormatError, Writer};
use crate::data::record::Record;
use crate::failure::{Exit, Failure, OrFail};
use crate::report::text::grouped;

/// Writes what several files hold into one, in another format or the same.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness data convert positions.csv -o positions.bin
  harness data convert games.pgn more.pgn.gz -o games.vf
  harness data merge a.games b.vf -o all.games
  harness data convert positions.bin -o - | less

Formats, by the name of the file: .bin (or .bullet, .data), .marlin, .txt, .epd, .csv, .h5 hold positions;
.vf (or .viri), .games, .pgn, .binpack hold games. `harness data view` chooses positions, too. PGN
comes with the scores in its comments: those of cutechess, fastchess and the harness, and Lichess's
[%eval], which is of the position after the move. Several files are put one after the other.
What the new format has no place for is lost: .bin keeps neither castling rights nor en passant
nor who is to move; .h5 (rows of 17 numbers, Sturddle's) keeps neither castling rights nor en
passant nor ply and depth. Neither takes a position without a score and a result.")]
pub struct ConvertArgs {
    /// What to read.
    #[arg(value_name = "IN", required = true)]
    pub(super) inputs: Vec<PathBuf>,
    /// What to write; `-` is CSV on standard output.
    #[arg(short, long, value_name = "OUT")]
    pub(super) output: PathBuf,
}

/// What was written, and what was not and why.
#[derive(Default)]
struct Counts {
    games: u64,
    positions: u64,
    without_score: u64,
    without_result: u64,
}

/// Runs the command.
///
/// # Errors
/// When a file cannot be read or written.
pub fn run(args: &ConvertArgs, context: &Context) -> Result<Exit, Failure> {
    for input in &args.inputs {
        Format::of(input).or_usage()?;
    }
    let mut writer = Writer::create(&args.output).or_usage()?;
    let (mut counts, flaws) = (Counts::default(), Flaws::default());
    for input in &args.inputs {
        let converted = if writer.format().has_games() {
            games(input, &flaws, &mut writer, &mut counts)
        } else {
            positions(input, &flaws, &mut writer, &mut counts)
        };
        converted.or_failed()?;
    }
    writer.finish().or_failed()?;
    report(args, &counts, &flaws, context)?;
    Ok(Exit::Good)
}

fn games(
    input: &Path,
    flaws: &Flaws,
    writer: &mut Writer<'_>,
    counts: &mut Counts,
) -> Result<(), FormatError> {
    for game in formats::games(input, flaws)? {
        let game = game?;
        if game.result.is_none() {
            counts.without_result += 1;
            continue;
        }
        counts.games += 1;
        counts.positions += game.turns.len() as u64;
        writer.game(&game)?;
    }
    Ok(())
}

fn positions(
    input: &Path,
    flaws: &Flaws,
    writer: &mut Writer<'_>,
    counts: &mut Counts,
) -> Result<(), FormatError> {
    let needs_label = writer.format().needs_label();
    for record in formats::records(input, flaws)? {
        let record: Record = record?;
        match (record.score, record.result) {
            (None, _) if needs_label => counts.without_score += 1,
            (_, None) if needs_label => counts.without_result += 1,
            _ => {
                counts.positions += 1;
                writer.record(&record)?;
            }
        }
    }
    Ok(())
}

fn report(
    args: &ConvertArgs,
    counts: &Counts,
    flaws: &Flaws,
    context: &Context,
) -> Result<(), Failure> {
    let Counts { games, positions, without_score, without_result } = *counts;
    if args.output.as_os_str() == "-" {
        return Ok(());
    }
    if context.json {
        let dropped = json!({ "no_score": without_score, "no_result": without_result });
        let mut told = json!({ "games": games, "positions": positions, "dropped": dropped });
        flaws.add_to(&mut told);
        return context.print(&format!("{told}\n"));
    }
    let file = args.output.display();
    match games {
        0 => context.print(&format!("{} positions in {file}\n", grouped(positions)))?,
        games => context.print(&format!(
            "{} games with {} moves in {file}\n",
            grouped(games),
            grouped(positions)
        ))?,
    }
    for (count, what) in [(without_score, "score"), (without_result, "result of the board")] {
        if count > 0 {
            context.print(&format!("left out: {} without a {what}\n", grouped(count)))?;
        }
    }
    context.print(&flaws.to_string())
}
