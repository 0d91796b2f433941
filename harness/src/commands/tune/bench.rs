//! `harness tune bench`: measures the tuners on landscapes whose optimum is known.

use std::path::PathBuf;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::tuning::bench::Row;
use crate::tuning::landscape::Landscapes;
use crate::tuning::methods::{METHODS, Method};

/// Measure the tuners on landscapes of strength with a known optimum.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness tune bench
  harness tune bench --method spsa --games 2000 --json
  harness tune bench --landscapes mine.json --seeds 50
  harness tune bench --random 2,6,20 --seeds 100 --method auto,spsa

With --random each run has a landscape of its own: start 10 to 150 Elo below the optimum, rotated
and bent valleys, integers of few values, cliffs, optima at a bound, 20 to 95 % draws. Constants of
the methods are chosen on odd numbers, results are reported on even ones. The gap is the Elo that the recommended candidate lacks to the optimum. The games are simulated
with a model of draws; the same seed gives the same games.")]
pub struct BenchArgs {
    /// Only these methods [default: all].
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    method: Vec<String>,
    /// Landscapes, JSON [default: three of 2, 6 and 20 parameters].
    #[arg(long, value_name = "FILE")]
    landscapes: Option<PathBuf>,
    /// Random landscapes with this many parameters, another one for each run.
    #[arg(long, value_name = "PARAMETERS", value_delimiter = ',', conflicts_with = "landscapes",
          value_parser = clap::value_parser!(u64).range(1..=100))]
    random: Vec<u64>,
    /// Number of the first random landscape; each second one follows.
    #[arg(long, value_name = "S", default_value_t = 2, requires = "random")]
    seed: u64,
    /// Games of a run.
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [2_000, 10_000, 40_000],
          value_parser = clap::value_parser!(u64).range(2..))]
    games: Vec<u64>,
    /// Runs of each method on each landscape.
    #[arg(long, value_name = "N", default_value_t = 20,
          value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
}

/// The JSON object of `harness tune bench --json`.
#[derive(Serialize)]
struct Output {
    results: Vec<Row>,
}

/// Runs the command.
///
/// # Errors
/// When a method or the landscapes make no sense, or the user interrupts.
pub fn run(args: &BenchArgs, context: &Context) -> Result<Exit, Failure> {
    let landscapes = match &args.landscapes {
        Some(path) => Landscapes::read(path).or_usage()?,
        None => Landscapes::built_in(),
    };
    let named = args.method.iter().map(|name| Method::named(name));
    let named = named.collect::<Result<Vec<&Method>, _>>().or_usage()?;
    let methods = if named.is_empty() { METHODS.iter().collect() } else { named };
    let (model, stop) = (&landscapes.model, context.interrupt.flag());
    let mut results = Vec::new();
    for method in methods {
        for &games in &args.games {
            let fixed = landscapes.landscapes.iter().filter(|_| args.random.is_empty());
            let fixed = fixed
                .map(|landscape| Row::measure(method, landscape, model, games, args.seeds, stop));
            let random = args.random.iter().map(|&dimension| {
                let dimension = dimension as usize;
                Row::measure_family(method, dimension, args.seed, games, args.seeds, stop)
            });
            for row in fixed.chain(random) {
                let Some(row) = row.or_usage()? else {
                    return Err(Failure::Interrupted("nothing of it is kept".to_owned()));
                };
                context.say(&format!("{}: {games} games on {} done", row.method, row.landscape));
                results.push(row);
            }
        }
    }
    context.print(&match context.json {
        true => format!("{}\n", serde_json::json!(Output { results })),
        false => format!("{}\n", table(&results)),
    })
}

fn table(results: &[Row]) -> Table {
    let mut table = Table::new();
    let header = ["Method", "Landscape", "Games", "Gap", "Quartiles", "In 80 %", "ms/step"];
    table.load_style(presets::NOTHING).set_header(header);
    for row in results {
        table.add_row([
            row.method.clone(),
            row.landscape.clone(),
            row.games.to_string(),
            format!("{:.2}", row.median_gap),
            format!("{:.2} to {:.2}", row.q25, row.q75),
            row.coverage80.map_or("-".to_owned(), |share| format!("{:.0} %", 100.0 * share)),
            format!("{:.3}", row.cpu_ms_per_step),
        ]);
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
