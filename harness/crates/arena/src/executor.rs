//! The interface of executors, which play pair jobs.

use std::convert::Infallible;
use std::ops::ControlFlow;

use miette::Diagnostic;
use thiserror::Error;

use super::opening_error::OpeningError;
use super::openings::BookError;
use super::record::{GameRecord, PairJob};
use super::tablebases::AdjudicationError;
use harness_base::hint::reports_command;
use harness_player::Fault;
use harness_player::pool::Ended;

/// Pair jobs in the order in which they are begun; one whose opening cannot be read ends it.
pub type Jobs<'a> = dyn Iterator<Item = Result<PairJob, BookError>> + Send + 'a;

/// Takes a batch of games; breaks when no more are wanted.
pub type KeepGames<'a> = dyn FnMut(Vec<GameRecord>) -> ControlFlow<()> + 'a;

/// Plays pair jobs: the pool of this process ([`LocalExecutor`](super::LocalExecutor)), or
/// workers elsewhere. Jobs and games are plain data.
pub trait Executor {
    /// Plays jobs; `keep` gets finished games in the order in which they end, each once. When it
    /// breaks, games in progress are abandoned.
    ///
    /// # Errors
    /// [`Unplayed`] says why not everything was played.
    fn play(&mut self, jobs: &mut Jobs<'_>, keep: &mut KeepGames<'_>) -> Result<(), Unplayed>;

    /// Makes sure of the games before a result stands; by default there is nothing to be done.
    ///
    /// # Errors
    /// When who played some of them is found out, or the user interrupts it.
    fn settle(&mut self) -> Result<(), Unplayed> {
        Ok(())
    }
}

/// Why not all games were played. Those that were finished are kept.
#[derive(Debug, Error, Diagnostic)]
pub enum Unplayed {
    /// The user interrupted it.
    #[error("interrupted")]
    Interrupted,
    /// An engine could not be started or set up.
    #[error("{0}")]
    #[diagnostic(help(
        "`harness check ENGINE` shows what it prints; finished games are kept, and {} continues",
        reports_command("resume", "last")
    ))]
    NotStarted(Fault),
    /// An opening could not be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Book(#[from] BookError),
    /// An opening could not be played from.
    #[error("opening of pair {0}: {1}")]
    Opening(u64, #[source] OpeningError),
    /// A regular expression for lines of engines is none.
    #[error("cannot select lines by {0}")]
    #[diagnostic(help("`--pgn-lines` takes a regular expression, such as '^info string .*'"))]
    Lines(String),
    /// Workers on other machines could not play.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Elsewhere(Box<dyn Diagnostic + Send + Sync>),
    /// Tablebases cannot be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    TablebaseAdjudicator(#[from] AdjudicationError),
}

impl From<Ended<Unplayed, Infallible>> for Unplayed {
    fn from(ended: Ended<Unplayed, Infallible>) -> Unplayed {
        match ended {
            Ended::Interrupted => Unplayed::Interrupted,
            Ended::Worker(reason) => reason,
            Ended::Keeper(never) => match never {},
        }
    }
}

/// Why playing stopped before the end. Kept games stay valid.
#[derive(Debug, Error, Diagnostic)]
pub enum Stopped<E: Diagnostic + 'static> {
    /// Games could not be played.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Unplayed(#[from] Unplayed),
    /// A result could not be kept.
    #[error(transparent)]
    #[diagnostic(transparent)]
    NotKept(E),
}

/// Plays jobs, for a keeper that may fail.
///
/// # Errors
/// [`Stopped`] says why not everything was played.
pub fn play_all<E: Diagnostic + 'static>(
    executor: &mut dyn Executor,
    jobs: &mut Jobs<'_>,
    keep: &mut dyn FnMut(Vec<GameRecord>) -> Result<ControlFlow<()>, E>,
) -> Result<(), Stopped<E>> {
    let mut kept = Ok(());
    let played = executor.play(jobs, &mut |games| match keep(games) {
        Ok(flow) => flow,
        Err(error) => {
            kept = Err(error);
            ControlFlow::Break(())
        }
    });
    kept.map_err(Stopped::NotKept)?;
    Ok(played?)
}
