//! Search drivers: how an iteration finds the value of the root.
//!
//! Each driver calls [`Tree::search`] on the root with windows of its choice.

mod iteration;
mod mtdf;

use std::fmt;
use std::str::FromStr;

pub(super) use iteration::Iteration;

use super::node::RootNode;
use super::score::{INFINITE, Value, Window};
use super::tree::Tree;
use crate::board::Position;
use crate::eval::Evaluator;
use crate::params::Params;

/// A search driver.
///
/// The default passed the tests against the others, at 10,000 nodes per move (SPRT [0, 10] nElo, both
/// accepted): against negamax by 128 Elo (89 to 170, 287 games), against mtdf by 14 (3 to 25, 2,548
/// games).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// MTD(f): zero windows only, moved until they converge (A. Plaat, "Research re: search and re-search",
    /// 1996).
    Mtdf,
    /// Principal variation search: the first move with an open window, the others with a zero window
    /// first (A. Reinefeld, "NegaScout", 1983).
    #[default]
    Negascout,
    /// Plain alpha-beta: every move with an open window.
    Negamax,
}

impl Algorithm {
    /// All drivers.
    pub const ALL: [Algorithm; 3] = [Algorithm::Mtdf, Algorithm::Negascout, Algorithm::Negamax];
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Algorithm::Mtdf => "mtdf",
            Algorithm::Negascout => "negascout",
            Algorithm::Negamax => "negamax",
        })
    }
}

impl FromStr for Algorithm {
    type Err = ();

    fn from_str(text: &str) -> Result<Algorithm, ()> {
        Algorithm::ALL
            .into_iter()
            .find(|algorithm| algorithm.to_string().eq_ignore_ascii_case(text))
            .ok_or(())
    }
}

/// Part of the half-width by which the aspiration window grows each time.
const DELTA_GROWTH_DIVISOR: Value = 2;
/// Half-width above which the aspiration window is the full one, in centipawns.
const MAX_ASPIRATION_DELTA: Value = 600;

impl<P: Params, E: Evaluator> Tree<'_, P, E> {
    /// The value of the root at this depth; meaningless once the search is stopped.
    pub fn search_root(
        &mut self,
        algorithm: Algorithm,
        position: &Position,
        iteration: Iteration,
    ) -> Value {
        self.scout = algorithm != Algorithm::Negamax;
        match algorithm {
            Algorithm::Mtdf => mtdf::search(self, position, iteration),
            Algorithm::Negascout | Algorithm::Negamax => {
                self.aspiration_search(position, iteration)
            }
        }
    }

    /// Aspiration: a window around the guess, widened on the side where the value falls outside.
    fn aspiration_search(&mut self, position: &Position, iteration: Iteration) -> Value {
        let Iteration { depth, guess } = iteration;
        let mut delta = self.params.aspiration_delta();
        let mut window = Window::FULL;
        if depth >= self.params.aspiration_depth() {
            window.alpha = (guess - delta).max(-INFINITE);
            window.beta = (guess + delta).min(INFINITE);
        }
        loop {
            let value = self.search::<RootNode>(position, 0, window, depth, false);
            if self.stopped {
                return value;
            }
            if value <= window.alpha {
                window.beta = (window.alpha + window.beta) / 2;
                window.alpha = (value - delta).max(-INFINITE);
            } else if value >= window.beta {
                window.beta = (value + delta).min(INFINITE);
            } else {
                return value;
            }
            delta += delta / DELTA_GROWTH_DIVISOR;
            if delta > MAX_ASPIRATION_DELTA {
                window = Window::FULL;
            }
        }
    }
}
