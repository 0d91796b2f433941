//! `harness data convert`, `shuffle` and `dedup`: several files into one.

use std::time::Instant;

use clap::Args;
use serde_json::json;

use super::files::{Files, WorkspaceArgs};
use super::progress::{left_out, show_progress};
use crate::context::Context;
use crate::data::bulk::{self, Rule, Stage, Tally};
use crate::data::convert::{self, Converted};
use crate::data::flaws::Flaws;
use crate::data::formats::formats_help;
use crate::failure::{Exit, Failure};
use crate::report::Progress;
use crate::report::terminal::wrap;
use crate::report::text::{counted, grouped};

/// Writes what several files hold into one, in another format or the same.
#[derive(Debug, Args)]
#[command(after_help = convert_help())]
pub struct ConvertArgs {
    #[command(flatten)]
    pub files: Files,
}

const CONVERT_EXAMPLES: &str = "\
Examples:
  harness data convert positions.csv -o positions.bin
  harness data convert games.pgn more.pgn.gz -o games.vf
  harness data merge a.games b.vf -o all.games
  harness data convert positions.bin -o - | less
";

fn convert_help() -> String {
    let notes = "`harness data view` selects positions, too. PGN comes with the scores in its comments: \
                 those of cutechess, fastchess, TCEC and the harness, and [%eval] of Lichess and ChessBase, \
                 which is of the position after the move. Several files are put one after the other. What the new format \
                 does not store is lost: .bin keeps neither castling rights nor en passant nor side to \
                 move; .h5 (rows of 17 numbers, Sturddle's) keeps neither castling rights nor en passant \
                 nor ply and depth. Neither takes a position without a score and a result.";
    format!("{CONVERT_EXAMPLES}\n{}", wrap(&format!("{} {notes}", formats_help())).trim_end())
}

/// Puts all positions of some files into one random order.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness data shuffle a.bin b.bin -o all.bin --seed 7

Networks learn much less from positions in the order of their games. Positions are dealt to parts at
random, then each part is shuffled in memory: every order is as likely as any other, and the seed
decides it. More --memory makes fewer parts; the order depends on their number. A damaged record
ends it with the record's number, and nothing is written.")]
pub struct ShuffleArgs {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    workspace: WorkspaceArgs,
    /// Seed of the order.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// Keeps each position once, with its deepest label and the mean of its results, rounded.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness data dedup a.bin b.bin -o all.bin

Exact: positions are compared, not only their keys. In .bin they are equal when a network sees the
same, in other formats when side to move, castling rights and en passant are equal, too. Parts by
key are kept on disk if --memory is too small; a part takes 32 (.bin) or 56 bytes a position, and
16 more while it is sorted: a billion positions of .bin take 32 GB beside the output, and 6 minutes
of a processor. Between two results the mean is drawn by the position's key.")]
pub struct DedupArgs {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    workspace: WorkspaceArgs,
}

/// Runs `convert`.
pub fn convert(files: &Files, context: &Context) -> Result<Exit, Failure> {
    let converted = converted(files, context)?;
    if files.prints() {
        // The standard output holds the data.
        tell(&converted.flaws, context);
        return Ok(Exit::Good);
    }
    show_converted(&converted, files, context)
}

/// Converts files.
///
/// # Errors
/// When a file cannot be read, or the new one not be written, or the user interrupts.
pub fn converted(files: &Files, context: &Context) -> Result<Converted, Failure> {
    Ok(convert::convert(&files.inputs, files.open()?, files.flaws(), &context.interrupt)?)
}

/// Says what was converted into a file.
pub fn show_converted(
    converted: &Converted,
    files: &Files,
    context: &Context,
) -> Result<Exit, Failure> {
    let text = || {
        let counted_as = |one, many| counted(converted.positions, one, many);
        let games = counted(converted.games, "game", "games");
        let file = files.output.display();
        let first = match converted.games {
            0 => format!("{} in {file}\n", counted_as("position", "positions")),
            _ => format!("{games} with {} in {file}\n", counted_as("move", "moves")),
        };
        let dropped = &converted.dropped;
        let left_out = left_out(&[
            (dropped.no_score, "without a score"),
            (dropped.no_result, "without a result of the board"),
        ]);
        format!("{first}{left_out}{}", converted.flaws)
    };
    context.show(converted, text)
}

/// Tells on standard error which games were left out or corrected.
fn tell(flaws: &Flaws, context: &Context) {
    let text = flaws.to_string();
    if !text.is_empty() {
        context.warn(text.trim_end());
    }
}

/// Runs `shuffle`.
pub fn shuffle(args: &ShuffleArgs, context: &Context) -> Result<Exit, Failure> {
    apply(Rule::Shuffle(args.seed), &args.files, &args.workspace, context)
}

/// Runs `dedup`.
pub fn dedup(args: &DedupArgs, context: &Context) -> Result<Exit, Failure> {
    apply(Rule::Unique, &args.files, &args.workspace, context)
}

fn apply(
    rule: Rule,
    files: &Files,
    workspace: &WorkspaceArgs,
    context: &Context,
) -> Result<Exit, Failure> {
    let started = Instant::now();
    let writer = files.open()?;
    let flaws = files.flaws();
    let mut progress = Progress::start(None, 0, context.quiet);
    let mut show = |stage: Stage, rows: u64| {
        let done = if stage == Stage::Read { "read" } else { "written" };
        show_progress(
            &mut progress,
            rows,
            || format!("{} positions {done}", grouped(rows)),
            context,
        )
    };
    let workspace = workspace.workspace(&files.output);
    let tally = bulk::apply(rule, &files.inputs, writer, workspace, &flaws, &mut show)?;
    drop(progress);
    if files.prints() {
        tell(&flaws, context);
        return Ok(Exit::Good);
    }
    let Tally { read, unlabelled, repeated, written } = tally;
    let mut report = json!(tally);
    report["seconds"] = json!(started.elapsed().as_secs_f64());
    flaws.add_to(&mut report);
    let text = || {
        let file = files.output.display();
        let read = counted(read, "position", "positions");
        let mut text = format!("{} of {read} in {file}", grouped(written));
        for (count, why) in [(repeated, "duplicate"), (unlabelled, "without a score or result")] {
            if count > 0 {
                text += &format!("; {} {why}", grouped(count));
            }
        }
        format!("{text}\n{flaws}")
    };
    context.show(&report, text)
}
