//! Flags of output while games are played.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::Failure;
use crate::files::try_to_write;
use crate::runs::games::Showing;

/// Output while games are played.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct ShowingArgs {
    /// Print events to standard output as they happen: a JSON object a line.
    #[arg(long, long_help = STREAM_HELP)]
    json_stream: bool,
    /// Print the results so far after every GAMES games, above the progress line.
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(1..))]
    report_every: Option<u64>,
    /// Keep a PGN file of the games in progress and the newest finished ones, for broadcasts: written
    /// again as moves are made, at most once a second.
    #[arg(long, value_name = "FILE")]
    live_pgn: Option<PathBuf>,
}

impl ShowingArgs {
    /// The file of live games.
    pub fn live_pgn(&self) -> Option<&Path> {
        self.live_pgn.as_deref()
    }

    /// How games are shown.
    ///
    /// # Errors
    /// When the file of live games cannot be written.
    pub fn showing(&self) -> Result<Showing, Failure> {
        let ShowingArgs { json_stream, report_every, live_pgn } = self;
        let live_pgn = live_pgn.as_ref().map(|path| {
            try_to_write(path)?;
            // A run may be resumed from another folder.
            Ok::<_, Failure>(std::path::absolute(path).unwrap_or_else(|_| path.clone()))
        });
        Ok(Showing {
            json_stream: *json_stream,
            report_every: *report_every,
            live_pgn: live_pgn.transpose()?,
            calibration: None,
            rating: None,
        })
    }
}

const STREAM_HELP: &str = "\
Print events to standard output as they happen: a JSON object a line.

Each has `event`: run_started, game_started, move, game_ended, statistics or run_finished, whose \
`summary` is what --json prints, which is not needed beside it. `harness docs json-stream` lists \
the keys. Keys may be added, none is taken away.";
