//! `harness data shuffle` and `harness data dedup`: files of any size in bounded memory.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use serde_json::json;

use super::room::RoomArgs;
use super::{DataError, finished};
use crate::context::Context;
use crate::data::bulk::{Bulk, Rule, Tally};
use crate::data::flaws::Flaws;
use crate::data::formats::{Format, Writer};
use crate::failure::{Exit, Failure, OrFail};
use crate::report::Progress;
use crate::report::text::grouped;

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
    /// Seed of the order.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// Keeps each position once, with its deepest label and the mean of its results.
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
}

#[derive(Debug, Args)]
struct Files {
    /// What to read.
    #[arg(value_name = "IN", required = true)]
    inputs: Vec<PathBuf>,
    /// What to write; `-` is CSV on standard output.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    room: RoomArgs,
}

/// Runs `shuffle`.
///
/// # Errors
/// When a file cannot be read or written, or the disk is full.
pub fn shuffle(args: &ShuffleArgs, context: &Context) -> Result<Exit, Failure> {
    apply(Rule::Shuffle(args.seed), &args.files, context)
}

/// Runs `dedup`.
///
/// # Errors
/// When a file cannot be read or written, or the disk is full.
pub fn dedup(args: &DedupArgs, context: &Context) -> Result<Exit, Failure> {
    apply(Rule::Unique, &args.files, context)
}

fn apply(rule: Rule, files: &Files, context: &Context) -> Result<Exit, Failure> {
    let started = Instant::now();
    for input in &files.inputs {
        Format::of(input).or_usage()?;
    }
    let inputs: Vec<&Path> = files.inputs.iter().map(PathBuf::as_path).collect();
    let mut writer = Writer::create(&files.output).or_usage()?;
    let room = files.room.room(&files.output);
    let mut bulk = Bulk::new(rule, writer.format(), &inputs, room).or_failed()?;
    let flaws = Flaws::default();
    let mut progress = Progress::start(None, 0, context.quiet);
    for input in inputs {
        let mut told = |count| look(&mut progress, count, "read", context);
        finished(bulk.read(input, &flaws, &mut told).map_err(DataError::Bulk))?;
    }
    let mut told = |count| look(&mut progress, count, "written", context);
    let tally = finished(bulk.write(&mut writer, &mut told).map_err(DataError::Bulk))?;
    drop(progress);
    writer.finish().or_failed()?;
    report(tally, &flaws, &files.output, started.elapsed().as_secs_f64(), context)?;
    Ok(Exit::Good)
}

fn look(progress: &mut Progress, count: u64, what: &str, context: &Context) -> ControlFlow<()> {
    progress.show(count, |_| format!("{} positions {what}", grouped(count)));
    if context.interrupt.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn report(
    tally: Tally,
    flaws: &Flaws,
    output: &Path,
    seconds: f64,
    context: &Context,
) -> Result<(), Failure> {
    let Tally { read, unlabelled, written } = tally;
    if output.as_os_str() == "-" {
        return Ok(());
    }
    let repeated = read - unlabelled - written;
    if context.json {
        let mut told = json!({
            "read": read, "written": written, "repeated": repeated, "unlabelled": unlabelled,
            "seconds": seconds,
        });
        flaws.add_to(&mut told);
        return context.print(&format!("{told}\n"));
    }
    let file = output.display();
    let mut text = format!("{} of {} positions in {file}", grouped(written), grouped(read));
    for (count, why) in [(repeated, "duplicate"), (unlabelled, "without a score or result")] {
        if count > 0 {
            text += &format!("; {} {why}", grouped(count));
        }
    }
    context.print(&format!("{text}\n{flaws}"))
}
