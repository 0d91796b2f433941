//! `harness data split` and `harness data sample`: parts of files.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::{DataError, finished};
use crate::context::Context;
use crate::data::bulk::BulkError;
use crate::data::flaws::Flaws;
use crate::data::formats::{self, Format, Writer};
use crate::data::record::Record;
use crate::failure::{Exit, Failure, OrFail};
use crate::random;
use crate::report::text::grouped;
use rand::Rng;

/// Splits files in two by games: one to learn from, one to judge by.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness data split train.games -o learn.games judge.games
  harness data split quiet.csv -o learn.bin judge.bin --share 0.05

Positions of one game stay together, because they are much alike: split before shuffling. Formats that
do not tell games apart are split in blocks of 64 neighbours. Games stay games where both files can
hold them.")]
pub struct SplitArgs {
    /// What to read.
    #[arg(value_name = "IN", required = true)]
    inputs: Vec<PathBuf>,
    /// The two files.
    #[arg(short, long, value_names = ["LARGE", "SMALL"], num_args = 2)]
    output: Vec<PathBuf>,
    /// Share of the games in the second file.
    #[arg(long, value_name = "SHARE", default_value_t = 0.02, value_parser = share)]
    share: f64,
    /// Seed of the choice.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// Chooses positions at random, each with the same chance, in their order.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness data sample train.bin -o small.bin --share 0.1
  harness data sample train.bin -o - --count 20

With --count the positions that are chosen are held in memory.")]
pub struct SampleArgs {
    /// What to read.
    #[arg(value_name = "IN", required = true)]
    inputs: Vec<PathBuf>,
    /// What to write; `-` is CSV on standard output.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// So many positions.
    #[arg(long, value_name = "N", required_unless_present = "share", conflicts_with = "share")]
    count: Option<usize>,
    /// Each with this chance.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    share: Option<f64>,
    /// Seed of the choice.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

fn share(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    let within = number.filter(|share| (0.0..=1.0).contains(share));
    within.ok_or_else(|| "write a share from 0 to 1".to_owned())
}

/// Runs `split`.
///
/// # Errors
/// When a file cannot be read or written.
pub fn run(args: &SplitArgs, context: &Context) -> Result<Exit, Failure> {
    let [large, small] = [&args.output[0], &args.output[1]].map(|path| Writer::create(path));
    let mut writers = [large.or_usage()?, small.or_usage()?];
    let mut counts = Counts::default();
    let (mut before, flaws) = (0, Flaws::default());
    for input in &args.inputs {
        let format = Format::of(input).or_usage()?;
        let whole = format.has_games() && writers.iter().all(|writer| writer.format().has_games());
        let side = |game: u64| {
            let chance = random::stream("data split", args.seed, before + game).random::<f64>();
            usize::from(chance < args.share)
        };
        let split = match whole {
            true => games(input, &flaws, &mut writers, &mut counts, side, context),
            false => positions(input, &flaws, &mut writers, &mut counts, side, context),
        };
        before += finished(split)?;
    }
    for writer in writers {
        writer.finish().or_failed()?;
    }
    let Counts { positions, unfinished } = counts;
    if context.json {
        let mut told = json!({ "positions": positions, "games_without_result": unfinished });
        flaws.add_to(&mut told);
        context.print(&format!("{told}\n"))?;
        return Ok(Exit::Good);
    }
    for (count, path) in positions.iter().zip(&args.output) {
        context.print(&format!("{} positions in {}\n", grouped(*count), path.display()))?;
    }
    if unfinished > 0 {
        context.print(&format!("left out: {} games without a result\n", grouped(unfinished)))?;
    }
    context.print(&flaws.to_string())?;
    Ok(Exit::Good)
}

/// What went where.
#[derive(Default)]
struct Counts {
    /// Positions in the two files.
    positions: [u64; 2],
    /// Games that the files cannot hold, because they have no result.
    unfinished: u64,
}

/// Gives whole games to one of two files; how many there were.
fn games(
    input: &Path,
    flaws: &Flaws,
    writers: &mut [Writer<'_>; 2],
    counts: &mut Counts,
    side: impl Fn(u64) -> usize,
    context: &Context,
) -> Result<u64, DataError> {
    let mut number = 0;
    for game in formats::games(input, flaws)? {
        let game = game?;
        number += 1;
        look(context)?;
        if game.result.is_none() {
            counts.unfinished += 1;
            continue;
        }
        let side = side(number);
        counts.positions[side] += game.turns.len() as u64;
        writers[side].game(&game)?;
    }
    Ok(number)
}

/// Gives the positions of a game to one of two files; how many games there were.
fn positions(
    input: &Path,
    flaws: &Flaws,
    writers: &mut [Writer<'_>; 2],
    counts: &mut Counts,
    side: impl Fn(u64) -> usize,
    context: &Context,
) -> Result<u64, DataError> {
    let (mut last, mut at) = (0, 0);
    for record in formats::records(input, flaws)? {
        let record = record?;
        if record.game != last {
            last = record.game;
            at = side(last);
            look(context)?;
        }
        counts.positions[at] += 1;
        writers[at].record(&record)?;
    }
    Ok(last)
}

fn look(context: &Context) -> Result<(), DataError> {
    if context.interrupt.is_set() { Err(DataError::Bulk(BulkError::Stopped)) } else { Ok(()) }
}

/// Runs `sample`.
///
/// # Errors
/// When a file cannot be read or written.
pub fn sample(args: &SampleArgs, context: &Context) -> Result<Exit, Failure> {
    for input in &args.inputs {
        Format::of(input).or_usage()?;
    }
    let mut writer = Writer::create(&args.output).or_usage()?;
    let flaws = Flaws::default();
    let (read, kept) = finished(choose(args, &flaws, &mut writer, context))?;
    writer.finish().or_failed()?;
    if args.output.as_os_str() == "-" {
        return Ok(Exit::Good);
    }
    if context.json {
        let mut told = json!({ "read": read, "written": kept });
        flaws.add_to(&mut told);
        context.print(&format!("{told}\n"))?;
    } else {
        let (read, kept, file) = (grouped(read), grouped(kept), args.output.display());
        context.print(&format!("{kept} of {read} positions in {file}\n{flaws}"))?;
    }
    Ok(Exit::Good)
}

fn choose(
    args: &SampleArgs,
    flaws: &Flaws,
    writer: &mut Writer<'_>,
    context: &Context,
) -> Result<(u64, u64), DataError> {
    let mut chance = random::stream("data sample", args.seed, 0);
    // With --count: reservoir sampling (J. Vitter, 1985, algorithm R), with the places for the order.
    let mut held: Vec<(u64, Record)> = Vec::new();
    let (mut read, mut kept) = (0_u64, 0);
    for input in &args.inputs {
        for record in formats::records(input, flaws)? {
            let record = record?;
            read += 1;
            if read.is_multiple_of(4_096) {
                look(context)?;
            }
            match args.count {
                None if chance.random::<f64>() < args.share.unwrap_or(1.0) => {
                    kept += 1;
                    writer.record(&record)?;
                }
                None => {}
                Some(count) if held.len() < count => held.push((read, record)),
                Some(count) => {
                    let place = chance.random_range(0..read) as usize;
                    if place < count {
                        held[place] = (read, record);
                    }
                }
            }
        }
    }
    held.sort_by_key(|(place, _)| *place);
    for (_, record) in &held {
        writer.record(record)?;
    }
    Ok((read, kept + held.len() as u64))
}
