//! Flags of starting and supervising engines.

use std::time::Duration;

use clap::Args;

use crate::player::parse_movetime;
use crate::runs::games::Starting;

/// How engines are started and supervised.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Engines")]
pub struct StartingArgs {
    /// Count an engine as hung that does not answer `uci` or `isready` for TIME [default: 10s].
    #[arg(long, value_name = "TIME", value_parser = parse_movetime)]
    patience: Option<Duration>,
    /// Limit the memory of each engine; a larger allocation fails, and mostly crashes it. Files
    /// that it maps (tablebases) do not count.
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    memory_limit: Option<u32>,
    /// Pin each concurrent game to a processor of its own, physical cores first.
    #[arg(long)]
    affinity: bool,
    /// Restart the engines for every game.
    #[arg(long)]
    restart: bool,
    /// Log what is sent to and received from each engine, with time stamps, to uci/ENGINE.log in
    /// the run's folder. A file of MIB [default: 64] is rotated; four older ones are kept.
    #[arg(long, value_name = "MIB", num_args = 0..=1, require_equals = true, default_missing_value = "64", value_parser = clap::value_parser!(u32).range(1..))]
    log_uci: Option<u32>,
}

impl From<StartingArgs> for Starting {
    fn from(args: StartingArgs) -> Starting {
        let StartingArgs { patience, memory_limit, affinity, restart, log_uci } = args;
        Starting { patience, memory_limit, affinity, restart, log_uci }
    }
}
