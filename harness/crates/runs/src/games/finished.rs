//! The end of a match or an SPRT.

use super::showing::Showing;
use harness_base::failure::Failure;
use harness_base::session::Session;
use harness_data::view::Collected;
use harness_ledger::Run;
use harness_outcome::MatchSummary;

/// A run that came to its end.
pub struct Finished {
    /// The result.
    pub summary: MatchSummary,
    /// The training data from its games.
    pub collected: Option<Collected>,
    /// How it is shown.
    pub showing: Showing,
}

/// Says of an interrupt in a part of a run how the whole run continues: the hint of the part is for a
/// command of its own.
pub fn of_whole(failure: Failure, run: &Run, session: &Session) -> Failure {
    match failure {
        Failure::Interrupted(_) => interruption(run, session),
        other => other,
    }
}

/// An interrupt of a run whose games are kept.
pub fn interruption(run: &Run, session: &Session) -> Failure {
    Failure::Interrupted(format!("finished games are kept; {}", how_to_resume(run, session)))
}

/// How a run is resumed, in words.
pub(super) fn how_to_resume(run: &Run, session: &Session) -> String {
    format!("{} continues", session.command("resume", run.id()))
}
