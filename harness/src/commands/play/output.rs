//! Flags of output while games are played.

use clap::Args;

use crate::runs::games::Showing;

/// Output while games are played.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct ShowingArgs {
    /// Print events to standard output as they happen: a JSON object a line.
    #[arg(long, long_help = STREAM_HELP)]
    json_stream: bool,
    /// Print the results so far after every GAMES games, above the progress line.
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(1..))]
    report_every: Option<u64>,
}

impl From<ShowingArgs> for Showing {
    fn from(args: ShowingArgs) -> Showing {
        let ShowingArgs { json_stream, report_every } = args;
        Showing { json_stream, report_every, calibration: None }
    }
}

const STREAM_HELP: &str = "\
Print events to standard output as they happen: a JSON object a line.

Each has `event`: run_started, game_started, move, game_ended, statistics or run_finished, whose \
`summary` is what --json prints, which is not needed beside it. `harness docs json-stream` lists \
the keys. Keys may be added, none is taken away.";
