//! `harness tune bench`: measures the tuners on landscapes whose optimum is known.

use std::path::PathBuf;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use crate::commands::choice::choice;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::report::bar;
use crate::tuning::bench::{BenchError, Contestant, External, Family, Row, Schedule};
use crate::tuning::family::{IDLE, Shape};
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
  harness tune bench --method auto --pending 64            # results late and in any order
  harness tune bench --random 2,6 --shape mixed            # strength that is no hill
  harness tune bench --method none --external 'python3 benches/tuners/optuna_tuner.py tpe'

The gap is the Elo that the recommended candidate lacks to the optimum: median, quartiles and 90th
percentile of the runs, and median and 90th percentile as a share of the start's gap. `Left` is what
the tuner itself expects it to be; the bound is the least to expect of any tuner. `In 80 %`: how
often the 80 % interval of the gain holds, and those of the parameters. `Worse`: runs that recommend
values worse than the start, in percent; `Start`: runs that recommend the start itself. `ms`: time
that the tuner takes for a trial. A dash: there is nothing to share. The games are simulated with a model of draws; the same seed gives the same games.

With --random each run has a landscape of its own: start 10 to 150 Elo below the optimum, rotated
and bent valleys, integers of few values, cliffs, optima at a bound, 20 to 95 % draws. Constants of
the methods are chosen on odd numbers, results are reported on even ones.")]
pub struct BenchArgs {
    /// Only these methods; `none` for the external ones alone [default: all].
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    method: Vec<String>,
    /// A tuner that is another program, by its command line; may be repeated. The protocol is in
    /// `harness/docs/tuning.md`.
    #[arg(long, value_name = "COMMAND")]
    external: Vec<String>,
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
    /// Share of the random landscapes' parameters that do not matter, 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = IDLE, requires = "random",
          value_parser = share)]
    idle: f64,
    /// Shape of the random landscapes.
    #[arg(long, value_parser = choice::<Shape>(), default_value_t = Shape::Hill, requires = "random")]
    shape: Shape,
    /// Games of a run.
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [2_000, 10_000, 40_000],
          value_parser = clap::value_parser!(u64).range(2..))]
    games: Vec<u64>,
    /// End a run early once the tuner expects that further games gain fewer Elo than this; the table
    /// has the median of the games played.
    #[arg(long, value_name = "ELO")]
    stop_below: Option<f64>,
    /// Trials under way at once; their results come in random order.
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1],
          value_parser = clap::value_parser!(u64).range(1..=4096))]
    pending: Vec<u64>,
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
/// When a method or the landscapes make no sense, an external tuner fails, or the user interrupts.
pub fn run(args: &BenchArgs, context: &Context) -> Result<Exit, Failure> {
    let landscapes = match &args.landscapes {
        Some(path) => Landscapes::read(path).or_usage()?,
        None => Landscapes::built_in(),
    };
    let contestants = contestants(args)?;
    let places = places(args, &landscapes);
    let rows = contestants.len() * args.games.len() * args.pending.len() * places;
    let template = "{bar:30} {pos}/{len} rows  {elapsed}  ETA {eta}";
    let bar = bar(rows as u64, template, context.quiet);
    let mut results = Vec::new();
    let ended = measure_all(args, &landscapes, &contestants, context, &mut |row| {
        results.push(row);
        bar.inc(1);
    });
    bar.finish_and_clear();
    // Rows that are finished are shown, whatever became of the others.
    if !results.is_empty() {
        context.print(&match context.json {
            true => format!("{}\n", serde_json::json!(Output { results })),
            false => format!("{}\n", table(&results)),
        })?;
    }
    ended.map(|()| Exit::Good)
}

/// Measures every row in turn.
fn measure_all(
    args: &BenchArgs,
    landscapes: &Landscapes,
    contestants: &[Contestant],
    context: &Context,
    keep: &mut dyn FnMut(Row),
) -> Result<(), Failure> {
    for contestant in contestants {
        for &games in &args.games {
            for &pending in &args.pending {
                let schedule =
                    Schedule { games, pending: pending as usize, stop_below: args.stop_below };
                for place in 0..places(args, landscapes) {
                    let row = measure(args, landscapes, contestant, schedule, place, context);
                    let finished = "the finished rows are shown, the others not kept";
                    keep(row.or_usage()?.ok_or_else(|| Failure::Interrupted(finished.to_owned()))?);
                }
            }
        }
    }
    Ok(())
}

/// Landscapes, or dimensions of random ones, on which each tuner is measured.
fn places(args: &BenchArgs, landscapes: &Landscapes) -> usize {
    if args.random.is_empty() { landscapes.landscapes.len() } else { args.random.len() }
}

/// A share on the command line.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "a number from 0 to 1".to_owned())
}

fn contestants(args: &BenchArgs) -> Result<Vec<Contestant>, Failure> {
    let named = args.method.iter().filter(|name| *name != "none");
    let named = named.map(|name| Method::named(name)).collect::<Result<Vec<_>, _>>().or_usage()?;
    let methods = if args.method.is_empty() { METHODS.iter().collect() } else { named };
    let external = args.external.iter().cloned();
    let external = external.map(|command| Contestant::External(External { command }));
    Ok(methods.into_iter().map(Contestant::Method).chain(external).collect())
}

/// A row: a tuner on landscape number `place`, or on the random ones of that dimension.
fn measure(
    args: &BenchArgs,
    landscapes: &Landscapes,
    contestant: &Contestant,
    schedule: Schedule,
    place: usize,
    context: &Context,
) -> Result<Option<Row>, BenchError> {
    let stop = context.interrupt.flag();
    match args.random.get(place) {
        Some(&dimension) => {
            let of = Family {
                dimension: dimension as usize,
                first: args.seed,
                idle: args.idle,
                shape: args.shape,
            };
            Row::measure_family(contestant, of, schedule, args.seeds, stop)
        }
        None => {
            let on = (&landscapes.landscapes[place], &landscapes.model);
            Row::measure(contestant, on, schedule, args.seeds, stop)
        }
    }
}

fn table(results: &[Row]) -> Table {
    let mut table = Table::new();
    let several = results.iter().any(|row| row.pending > 1);
    let mut header =
        vec!["Method", "On", "Games", "Gap", "Quartiles", "90 %", "Of start", "Left", "Bound"];
    header.extend(["Worse", "Start", "In 80 %", "ms"]);
    if several {
        header.push("Pending");
    }
    table.load_style(presets::NOTHING).set_header(header);
    let percent = |share: f64| format!("{:.0}", 100.0 * share);
    for row in results {
        let held = |share: Option<f64>| share.map_or("-".to_owned(), percent);
        let mut cells = vec![
            row.method.clone(),
            row.landscape.clone(),
            row.median_games.to_string(),
            format!("{:.2}", row.median_gap),
            format!("{:.2}-{:.2}", row.q25, row.q75),
            format!("{:.1}", row.p90_gap),
            match row.median_share.zip(row.p90_share) {
                Some((median, p90)) => format!("{:.1}-{} %", 100.0 * median, percent(p90)),
                None => "-".to_owned(),
            },
            row.median_left.map_or("-".to_owned(), |left| format!("{left:.1}")),
            format!("{:.2}", row.bound),
            percent(row.worse_share),
            percent(row.start_share),
            format!("{} {}", held(row.coverage80), held(row.parameter_coverage80)),
            format!("{:.2}", row.cpu_ms_per_step),
        ];
        if several {
            cells.push(row.pending.to_string());
        }
        table.add_row(cells);
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
