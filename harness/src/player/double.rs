//! A player for tests: a function answers its searches.

use std::collections::BTreeMap;
use std::time::Duration;

use shakmaty::uci::UciMove;

use super::{Fault, FaultKind, Go, Line, Observer, Player, Reply};

/// Answers each search with a function, and accepts everything else.
pub struct Double<F>(pub F);

/// A fault of a [`Double`].
pub fn fault(kind: FaultKind) -> Fault {
    Fault { player: "double".to_owned(), kind, detail: String::new() }
}

impl<F: FnMut(&mut Observer<'_>) -> Result<Reply, Fault>> Player for Double<F> {
    fn name(&self) -> &str {
        "double"
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
