//! A player for tests: a closure replies to its searches.

use std::collections::BTreeMap;
use std::time::Duration;

use shakmaty::uci::UciMove;

use super::interface::{Line, Observer, Player};
use super::limit::Go;
use super::reply::{Fault, Reply};

/// A player whose closure replies to each search; new games and options always succeed.
pub struct Mock<F>(pub F);

impl<F> Player for Mock<F>
where
    F: FnMut(&mut Observer<'_>) -> Result<Reply, Fault>,
{
    fn name(&self) -> &str {
        "mock"
    }

    fn new_game(&mut self, _chess960: bool) -> Result<(), Fault> {
        Ok(())
    }

    fn set_options(&mut self, _options: &BTreeMap<String, String>) -> Result<(), Fault> {
        Ok(())
    }

    fn go_among(
        &mut self,
        _line: Line<'_>,
        _moves: &[UciMove],
        _go: &Go,
        _patience: Duration,
        observe: &mut Observer<'_>,
    ) -> Result<Reply, Fault> {
        (self.0)(observe)
    }
}
