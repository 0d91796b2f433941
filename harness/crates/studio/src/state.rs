//! State that all requests share.

use std::path::PathBuf;
use std::sync::Arc;

use engine::tablebase::Tablebases;

use super::boards::{Engines, Shelf};
use super::checks::Checks;
use super::error::StudioError;
use super::games::{Explorer, PgnFiles};
use super::hub::Hub;
use super::indexer::Indexer;
use super::launch::{LaunchedCommands, Launcher};
use super::practice::GamePositions;
use super::results::Results;
use super::secrets::Secrets;
use super::streams::Streams;
use super::topics::Topics;
use harness_assistant::endpoint::Endpoint;
use harness_base::session::Interrupt;
use harness_ledger::{Ledger, LedgerError};

/// The state of the studio.
pub struct App {
    /// Folder of the ledger and of the runs.
    pub reports: PathBuf,
    /// Names under which it is asked for, with the port.
    pub names: Vec<String>,
    /// The name of its cookie: one for each port, which cookies do not know.
    pub cookie: String,
    /// Its tokens.
    pub secrets: Secrets,
    /// The running processes.
    pub hub: Arc<Hub>,
    /// The results of runs.
    pub results: Arc<Results>,
    /// The open pages.
    pub topics: Arc<Topics>,
    /// The connections of browsers to their events.
    pub streams: Streams,
    /// Starts commands.
    pub launcher: Launcher,
    /// Checks of the moves of games.
    pub checks: Checks,
    /// Commands that were started here.
    pub launched: LaunchedCommands,
    /// The index of games.
    pub games: Arc<Indexer>,
    /// Moves played in the positions of the ledger.
    pub explorer: Explorer,
    /// PGN files.
    pub pgn: PgnFiles,
    /// Positions of the ledger's games that may be puzzles.
    pub puzzles: GamePositions,
    /// The boards.
    pub shelf: Shelf,
    /// Engines that play and analyse on boards.
    pub engines: Arc<Engines>,
    /// Tablebases, whose WDL results boards show.
    pub tablebases: Tablebases,
    /// A language model for sentences that are not understood.
    pub endpoint: Option<Endpoint>,
    /// Set when the studio ends: engines that check moves are stopped.
    pub interrupt: Interrupt,
}

/// Renders a page from the ledger, on a thread that may wait for the disk.
///
/// # Errors
/// As `render`; and when the ledger cannot be read.
pub async fn with_ledger<T: Send + 'static>(
    app: Arc<App>,
    render: impl FnOnce(&App, &Ledger) -> Result<T, StudioError> + Send + 'static,
) -> Result<T, StudioError> {
    let rendered = tokio::task::spawn_blocking(move || {
        let ledger = match Ledger::open_to_read(&app.reports) {
            // A page about nothing is a page, too.
            Err(LedgerError::NoRuns { .. }) => Ledger::in_memory(&[], &app.reports)?,
            opened => opened?,
        };
        render(&app, &ledger)
    });
    rendered.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}
