//! The filters as flags.

use clap::Args;

use crate::data::filter::{Filters, Keep};

/// Which positions.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Which positions")]
pub struct FilterArgs {
    /// Whose scores [default: all]
    #[arg(long, value_enum)]
    keep: Option<Keep>,
    /// Positions after so many plies [default: 16]
    #[arg(long, value_name = "PLIES")]
    min_ply: Option<u32>,
    /// Scores up to so many centipawns; mates never [default: 2000]
    #[arg(long, value_name = "CP")]
    max_score: Option<i32>,
    /// One position in so many, chosen by a hash of the position [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    one_in: Option<u32>,
    /// Positions in check, too
    #[arg(long)]
    checks: bool,
    /// Positions whose best move captures or promotes, too
    #[arg(long)]
    tactical: bool,
    /// Positions searched at least so deep
    #[arg(long, value_name = "PLIES")]
    min_depth: Option<u32>,
    /// Positions without a score, too
    #[arg(long)]
    unscored: bool,
}

impl FilterArgs {
    /// The filters; `None` when no flag is given.
    pub fn given(&self) -> Option<Filters> {
        let usual = Filters::default();
        let filters = Filters {
            keep: self.keep.unwrap_or(usual.keep),
            min_ply: self.min_ply.unwrap_or(usual.min_ply),
            max_score: self.max_score.unwrap_or(usual.max_score),
            one_in: self.one_in.unwrap_or(usual.one_in),
            checks: self.checks,
            tactical: self.tactical,
            min_depth: self.min_depth.unwrap_or(usual.min_depth),
            unscored: self.unscored,
        };
        let numbers = [self.min_ply, self.one_in, self.min_depth].iter().any(Option::is_some);
        let any = self.keep.is_some() || numbers || self.max_score.is_some();
        let any = any || self.checks || self.tactical || self.unscored;
        any.then_some(filters)
    }
}
