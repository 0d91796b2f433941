//! `harness data split` and `harness data sample`: parts of files.

use std::path::{Path, PathBuf};

use clap::Args;
use thiserror::Error;

use super::files::{self, Files};
use super::progress::left_out;
use crate::context::Context;
use crate::data::split::{self, SampleSize, Split};
use crate::failure::{Exit, Failure};
use crate::files::is_same_file;
use crate::report::text::{counted, grouped};

/// Splits files in two by games: a training set and a validation set.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness data split all.games -o train.games validation.games
  harness data split quiet.csv -o train.bin validation.bin --share 0.05

Positions of one game stay together, because they are much alike: split before shuffling. Its moves
decide into which file a game comes, so that copies of it, in one input or in several, come into the
same. In formats that hold positions alone, a game is a row of positions of which each follows from the
one before by a move (up to three may be missing in between where plies are known); a position that
follows from none, as after shuffling, comes where its copies come. CSV with numbers of games is divided
by these. The two files are new ones: neither is an input. Games stay games where both files
can hold them.")]
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
    #[command(flatten)]
    files: Files,
    /// Number of positions.
    #[arg(long, value_name = "N", required_unless_present = "share", conflicts_with = "share")]
    count: Option<usize>,
    /// Each with this chance.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    share: Option<f64>,
    /// Seed of the choice.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

#[derive(Debug, Error)]
#[error("write a share from 0 to 1")]
struct NoShare;

fn share(text: &str) -> Result<f64, NoShare> {
    let number: Option<f64> = text.parse().ok();
    number.filter(|share| (0.0..=1.0).contains(share)).ok_or(NoShare)
}

/// Refuses two outputs in one file, and an output that is an input: half of the data would be lost.
fn check_outputs(args: &SplitArgs) -> Result<(), Failure> {
    let [large, small] = [&args.output[0], &args.output[1]];
    let refuse = |path: &Path, what: &str| {
        Err(Failure::Usage(miette::miette!(
            help = "nothing was written: name two new files",
            "{} {what}",
            path.display()
        )))
    };
    if is_same_file(large, small) {
        return refuse(small, "would be both files of the split");
    }
    let is_input = |path: &&PathBuf| args.inputs.iter().any(|input| is_same_file(path, input));
    match args.output.iter().find(is_input) {
        Some(path) => refuse(path, "is an input, of which a part would be left"),
        None => Ok(()),
    }
}

/// Runs `split`.
pub fn run(args: &SplitArgs, context: &Context) -> Result<Exit, Failure> {
    files::check(&args.inputs)?;
    check_outputs(args)?;
    let writers = [files::begin(&args.output[0])?, files::begin(&args.output[1])?];
    let split = split::split(&args.inputs, writers, args.share, args.seed, &context.interrupt)?;
    let text = || {
        let Split { positions, games_without_result, flaws } = &split;
        let files = positions.iter().zip(&args.output);
        let lines: String = files
            .map(|(count, path)| {
                format!("{} in {}\n", counted(*count, "position", "positions"), path.display())
            })
            .collect();
        lines + &left_out(&[(*games_without_result, "games without a result")]) + &flaws.to_string()
    };
    context.show(&split, text)
}

/// Runs `sample`.
pub fn sample(args: &SampleArgs, context: &Context) -> Result<Exit, Failure> {
    let SampleArgs { files, count, share, seed } = args;
    let size = match count {
        Some(count) => SampleSize::Count(*count),
        None => SampleSize::Share(share.unwrap_or(1.0)),
    };
    let sampled = split::sample(&files.inputs, files.open()?, size, *seed, &context.interrupt)?;
    if files.prints() {
        return Ok(Exit::Good);
    }
    let text = || {
        let kept = grouped(sampled.written);
        let read = counted(sampled.read, "position", "positions");
        format!("{kept} of {read} in {}\n{}", files.output.display(), sampled.flaws)
    };
    context.show(&sampled, text)
}
