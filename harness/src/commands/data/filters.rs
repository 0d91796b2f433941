//! Flags of the filters of a training set.

use clap::Args;

use crate::commands::choice::choice;
use crate::data::filter::{Filters, Keep};

/// Which positions are kept.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Which positions")]
pub struct FilterArgs {
    /// Whose scores.
    #[arg(long, value_parser = choice::<Keep>(), default_value_t)]
    keep: Keep,
    /// Drop positions before this ply.
    #[arg(long, value_name = "PLIES", default_value_t = 16)]
    min_ply: u32,
    /// Drop scores beyond this many centipawns; mates always.
    #[arg(long, value_name = "CP", default_value_t = 2_000)]
    max_score: i32,
    /// Keep one position in N, selected by its hash key.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    one_in: u32,
    /// Keep positions in check.
    #[arg(long)]
    checks: bool,
    /// Keep positions whose best move captures or promotes.
    #[arg(long)]
    tactical: bool,
    /// Drop positions that were searched less deep.
    #[arg(long, value_name = "PLIES", default_value_t = 0)]
    min_depth: u32,
    /// Keep positions without a score.
    #[arg(long)]
    unscored: bool,
    /// Drop positions with fewer pieces, kings included.
    #[arg(long, value_name = "N", default_value_t = 2)]
    min_pieces: u32,
    /// Drop positions with more pieces.
    #[arg(long, value_name = "N", default_value_t = 32)]
    max_pieces: u32,
    /// Keep a position with the likelihood that its score leads to the result of its game.
    #[arg(long)]
    likely: bool,
}

impl From<FilterArgs> for Filters {
    fn from(args: FilterArgs) -> Filters {
        let FilterArgs { keep, min_ply, max_score, one_in, checks, tactical, .. } = args;
        let FilterArgs { min_depth, unscored, min_pieces, max_pieces, likely, .. } = args;
        Filters {
            keep,
            min_ply,
            max_score,
            one_in,
            checks,
            tactical,
            min_depth,
            unscored,
            min_pieces,
            max_pieces,
            likely,
        }
    }
}
