//! `harness data wdl`: the win-rate model of an engine's games.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::progress::show_progress;
use crate::context::Context;
use crate::data::flaws::Flaws;
use crate::data::results::Results;
use crate::data::sources::Source;
use crate::failure::{Exit, Failure, OrFail};
use crate::files::{try_to_write, write_file};
use crate::report::text::grouped;
use crate::report::{Progress, win_rate_chart, win_rate_text};
use crate::stats::WinRate;

/// Fits chances of win, draw and loss to scores and results, for `UCI_ShowWDL`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness data generate --games 20000 --nodes 1000 -o wdl.games
  harness data wdl wdl.games --chart engine/docs/wdl.svg
  harness data wdl last                            # the games of the newest match

The model of Stockfish (github.com/official-stockfish/WDL_model): the chance to win is a logistic
function of the score, whose centre and scale are cubic polynomials in the material on the board. The
constants are those of engine/src/uci/wdl.rs. Positions before ply 8, mates and scores beyond 20 pawns
do not count. Adjudicated wins are the better the later games are adjudicated.")]
pub struct WdlArgs {
    /// Runs of the ledger or files.
    #[arg(value_name = "RUN|FILE", required = true)]
    sources: Vec<String>,
    /// Draw what came and what the model says.
    #[arg(long, value_name = "FILE.svg")]
    chart: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &WdlArgs, context: &Context) -> Result<Exit, Failure> {
    let sources = Source::find_all(&args.sources, &context.reports)?;
    args.chart.as_deref().map(try_to_write).transpose()?;
    let flaws = Flaws::default();
    let mut progress = Progress::start(None, 0, context.quiet);
    let results = Results::count(&sources, &flaws, &mut |positions| {
        show_progress(
            &mut progress,
            positions,
            || format!("{} positions", grouped(positions)),
            context,
        )
    })?;
    drop(progress);
    let cells = results.cells();
    let model = WinRate::fit(&cells).filter(|_| results.positions > 0).ok_or_else(|| {
        Failure::Usage(miette::miette!(
            help =
                "the positions need scores and results: `harness data generate` makes such games",
            "no model fits {} positions",
            results.positions
        ))
    })?;
    if let Some(path) = &args.chart {
        let hint = Some("name a file that can be written with --chart FILE.svg");
        write_file(path, win_rate_chart(&model, &cells), hint).or_failed()?;
    }
    let loss = model.loss(&cells);
    let positions = results.positions;
    let games = results.games;
    let mut report = json!({
        "half": model.half, "spread": model.spread,
        "positions": positions, "games": games, "loss": loss,
    });
    flaws.add_to(&mut report);
    context.show(&report, || format!("{}{flaws}", win_rate_text(&model, positions, games, loss)))
}
