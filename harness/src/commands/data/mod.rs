//! `harness data`: training data from games.

mod files;
mod filters;
mod generate;
mod import;
mod order;
mod progress;
mod split;
mod stats;
mod view;
mod wdl;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;

use self::filters::FilterArgs;
use crate::context::Context;
use crate::data::filter::Filters;
use crate::data::flaws::Flaws;
use crate::data::formats::{self, formats_help};
use crate::data::validate::validate;
use crate::failure::{Exit, Failure, OrFail};
use crate::report::terminal::{table, wrap};
use crate::report::text::grouped;

/// Training data: positions of games with the scores that engines gave them.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

const EXAMPLES: &str = "\
Examples:
  harness data generate --games 10000 -o train.games  # games of the linked engine
  harness data view train.games --keep all --unique -o quiet.bin
  harness data shuffle quiet.bin -o train.bin         # ready to train a network
  harness data collect last -o positions.csv          # the winners' scores of the newest run
  harness data convert positions.csv -o positions.bin # bulletformat, as trainers read it
  harness data validate positions.bin                 # every position legal, results in range
";

fn after_help() -> String {
    let csv = "CSV has FEN, score in centipawns and result for White, ply, the move played, depth, \
               engine, opponent, game.";
    format!("{EXAMPLES}\n{}", wrap(&format!("{} {csv}", formats_help())).trim_end())
}

impl DataArgs {
    /// Whether it plays games, which workers may do.
    pub fn plays_games(&self) -> bool {
        match &self.command {
            DataCommand::Generate(_) => true,
            DataCommand::Import(args) => args.searches(),
            _ => false,
        }
    }
}

#[derive(Debug, Subcommand)]
enum DataCommand {
    #[command(visible_alias = "merge")]
    Convert(order::ConvertArgs),
    Dedup(order::DedupArgs),
    Generate(generate::GenerateArgs),
    Import(import::ImportArgs),
    Sample(split::SampleArgs),
    Shuffle(order::ShuffleArgs),
    Split(split::SplitArgs),
    Stats(stats::StatsArgs),
    #[command(alias = "collect")]
    View(view::ViewArgs),
    Validate(ValidateArgs),
    Wdl(wdl::WdlArgs),
}

/// Reads training data back and checks every position.
#[derive(Debug, Args)]
struct ValidateArgs {
    /// The file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Report positions that the given filters drop, too.
    #[command(flatten)]
    filters: Option<FilterArgs>,
}

/// Runs the command.
///
/// # Errors
/// When games or data cannot be read, or the output cannot be written.
pub fn run(args: &DataArgs, context: &Context) -> Result<Exit, Failure> {
    match &args.command {
        DataCommand::Convert(args) => order::convert(&args.files, context),
        DataCommand::Generate(args) => generate::run(args, context),
        DataCommand::Import(args) => import::run(args, context),
        DataCommand::Dedup(args) => order::dedup(args, context),
        DataCommand::Sample(args) => split::sample(args, context),
        DataCommand::Shuffle(args) => order::shuffle(args, context),
        DataCommand::Split(args) => split::run(args, context),
        DataCommand::Stats(args) => stats::run(args, context),
        DataCommand::View(args) => view::run(args, context),
        DataCommand::Validate(args) => check(args, context),
        DataCommand::Wdl(args) => wdl::run(args, context),
    }
}

fn check(args: &ValidateArgs, context: &Context) -> Result<Exit, Failure> {
    let flaws = Flaws::default();
    let records = formats::records(&args.file, &flaws).or_usage()?;
    let filters = args.filters.map(Filters::from);
    let checked = validate(records, filters.as_ref()).or_failed()?;
    let mut report = json!(checked);
    flaws.add_to(&mut report);
    let text = || {
        let records = grouped(checked.records);
        let Some(first) = checked.first_refused else {
            return format!("{records} positions, all legal and as asked for\n{flaws}");
        };
        let rows = checked.refused.iter();
        let rows = rows.map(|(reason, &count)| vec![reason.to_string(), grouped(count)]);
        let table = table(["The filters would not keep", "Positions"], rows, 1);
        let first = grouped(first);
        format!("{table}of {records} positions; the first is number {first}\n{flaws}")
    };
    context.show(&report, text)?;
    Ok(if checked.refused.is_empty() { Exit::Good } else { Exit::Bad })
}
