//! `harness stats`: Elo, LOS and LLR from counts, ratings from games.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use serde::Serialize;

use crate::context::Context;
use crate::data::ratings::{self, Rated};
use crate::failure::{Exit, Failure, OrFail};
use crate::report::{standings_text, summary_text};
use crate::runs::games::cores;
use crate::stats::{Model, Pentanomial, Sprt, Summary, Wdl};

/// Elo, normalized Elo, LOS and LLR from counts, ratings from a PGN: a calculator.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness stats --pentanomial 10,60,120,75,15
  harness stats --pentanomial 10,60,120,75,15 --elo0 0 --elo1 5
  harness stats --wdl 851,1522,739 --elo0=-5 --elo1 0 --model logistic --json
  harness stats --pgn games.pgn --min-games 20

Counts of pairs say more than wins, draws and losses: the two games of a pair share an
opening and are not independent. With --wdl every game counts as independent.

Below 200 pairs (or games, with --wdl) the interval is that of a Dirichlet posterior of the score,
which holds the truth in 93 of 100 matches or more from two pairs on; from 200 on it is the normal one
of fishtest. LOS comes from the same distribution. `Visible` is the difference that as many games
show in four of five matches. `harness docs statistics` has the formulas and how often intervals
hold the truth.

With --elo0 and --elo1 the counts are those of an SPRT. Such a test has a stopping bias: the usual
Elo says too much when it has stopped. The sequential estimate is median-unbiased, and its interval
holds the truth in 95 of 100 tests (M. Van den Bergh, \"A practical introduction to the GSPRT\"; D.
Siegmund, \"Sequential Analysis\", 1985, for the overshoot of the last step). The games that are left
are those of Wald's identity at the Elo seen.

With --pgn all players of a file are rated at once, by the model of Bradley and Terry on the Elo
scale, a draw being half a win and half a loss; errors are those of the Fisher information, less
what draws take off the spread. 0 is the average of all who have a rating. Players who only won
or only lost have none.

The exit status is 0 whatever the counts say; the verdict is in the output.")]
#[command(group = ArgGroup::new("counts").required(true).args(["pentanomial", "wdl", "pgn"]))]
pub struct StatsArgs {
    /// Pairs by pair score 0, 1/2, 1, 3/2, 2 of the first player.
    #[arg(long, value_name = "LL,LD,DD,DW,WW")]
    pentanomial: Option<Pentanomial>,
    /// Games won, drawn and lost by the first player.
    #[arg(long, value_name = "W,D,L")]
    wdl: Option<Wdl>,
    /// Rate the players of these games; `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["elo0", "elo1"])]
    pgn: Option<PathBuf>,
    /// With --pgn: leave out who played fewer games.
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with_all = ["pentanomial", "wdl"])]
    min_games: u64,
    /// Elo of the null hypothesis; with --elo1 the LLR is computed.
    #[arg(long, value_name = "ELO", requires = "elo1", allow_negative_numbers = true)]
    elo0: Option<f64>,
    /// Elo of the alternative.
    #[arg(long, value_name = "ELO", requires = "elo0", allow_negative_numbers = true)]
    elo1: Option<f64>,
    /// What kind of Elo --elo0 and --elo1 are.
    #[arg(long, value_enum, default_value_t)]
    model: Model,
    /// Chance to accept when the truth is --elo0.
    #[arg(long, value_name = "RATE", default_value_t = 0.05)]
    alpha: f64,
    /// Chance to reject when the truth is --elo1.
    #[arg(long, value_name = "RATE", default_value_t = 0.05)]
    beta: f64,
}

/// The JSON object of `harness stats --json`.
#[derive(Serialize)]
struct Output {
    #[serde(flatten)]
    wdl: Option<Wdl>,
    #[serde(flatten)]
    summary: Summary,
    sprt: Option<Sprt>,
}

/// Runs the command.
///
/// # Errors
/// When the test makes no sense, or there are no games to rate.
pub fn run(args: &StatsArgs, context: &Context) -> Result<Exit, Failure> {
    if let Some(path) = &args.pgn {
        let (rated, flaws) = ratings::rate(path, args.min_games, cores()).or_usage()?;
        return context.show(&rated, || ratings_text(&rated) + &flaws.to_string());
    }
    let test = |(elo0, elo1)| Sprt::new(args.model, elo0, elo1, args.alpha, args.beta);
    let sprt = args.elo0.zip(args.elo1).map(test).transpose().or_usage()?;
    let summary = match (&args.pentanomial, &args.wdl) {
        (Some(pairs), _) => Summary::of_pairs(pairs, sprt.as_ref()),
        (None, wdl) => Summary::of_games(&wdl.unwrap_or_default(), sprt.as_ref()),
    };
    let output = Output { wdl: args.wdl, summary, sprt };
    let Output { wdl, summary, sprt } = &output;
    context.show(&output, || summary_text(wdl.as_ref(), summary, sprt.as_ref()))
}

fn ratings_text(rated: &Rated) -> String {
    let Rated { games, unfinished, white, players, .. } = rated;
    let mut text = standings_text(players);
    let each = if *games == 1 { "game" } else { "games, each taken as independent of the others" };
    text += &format!("\n{games} {each}");
    if *unfinished > 0 {
        text += &format!("; {unfinished} without a result or names are left out");
    }
    text.push('\n');
    if white.value.is_some() {
        text += &format!("The white pieces are worth {white:.1} Elo (95%).\n");
    }
    text
}
