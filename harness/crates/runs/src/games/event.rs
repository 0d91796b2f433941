//! Events of a match or an SPRT.

use super::showing::Showing;
use harness_arena::{self as arena, Leg, Plan, Termination};
use harness_base::text::grouped;
use harness_outcome::{MatchFacts, MatchSummary, Tally};
use harness_stats::GameScore;

/// Something that happened in a match or an SPRT.
pub enum Event<'a> {
    /// The run begins or continues.
    Started {
        /// Its id.
        run: &'a str,
        /// Its facts.
        facts: &'a MatchFacts,
        /// Its plan.
        plan: &'a Plan,
        /// Games of an earlier process.
        done: u64,
        /// Flags of the commands that show it.
        showing: &'a Showing,
    },
    /// A reason to trust the result less.
    Warning(&'a str),
    /// An engine was at fault in many games in a row and seems broken.
    Broken {
        /// Its name.
        engine: &'a str,
        /// Games that it lost in a row by its faults.
        games: u32,
    },
    /// A game began or ended, or a move was made; by several threads at once.
    Game(&'a arena::Event<'a>),
    /// A game is in the ledger, and will be counted: of a test in the order of the pairs, and not
    /// beyond the pair that decides it.
    Kept(&'a KeptGame<'a>),
    /// Games were counted.
    Counted(&'a Tally),
    /// Games were counted; in a test, whole pairs in their order.
    Statistics {
        /// Games so far.
        games: u64,
        /// The result so far.
        summary: &'a dyn Fn() -> MatchSummary,
    },
    /// A race has come further.
    Race(&'a RaceEvent<'a>),
    /// The run is over; the summary is in the ledger.
    Finished(&'a MatchSummary),
}

/// A race has come further.
#[derive(Clone, Copy, Debug)]
pub enum RaceEvent<'a> {
    /// A runner is dropped: it is not the best one.
    Dropped {
        /// Its name.
        engine: &'a str,
        /// Number of the heat, from 1.
        heat: u64,
        /// Games of the race so far.
        games: u64,
        /// The runner with most evidence against it; `None`: all of its opponents together.
        by: Option<&'a str>,
        /// Runners that are left.
        left: usize,
    },
    /// The heats are over, and the candidate that is left plays the base.
    Final {
        /// The candidate.
        engine: &'a str,
        /// The base.
        base: &'a str,
        /// Games of the race so far.
        games: u64,
    },
}

impl RaceEvent<'_> {
    /// In words.
    pub fn text(&self) -> String {
        match *self {
            RaceEvent::Dropped { engine, heat, games, by, left } => {
                let by = by.map_or_else(|| "the field".to_owned(), |by| format!("`{by}`"));
                let games = grouped(games);
                format!("heat {heat}, {games} games: `{engine}` is dropped, by {by}; {left} left")
            }
            RaceEvent::Final { engine, base, games } => {
                format!("{} games: the final is `{engine}` against `{base}`", grouped(games))
            }
        }
    }
}

/// A game that is in the ledger.
#[derive(Clone, Copy, Debug)]
pub struct KeptGame<'a> {
    /// Number of the pair, from 0.
    pub pair: u64,
    /// Which game of the pair.
    pub leg: Leg,
    /// Index of the engine that had White.
    pub white: usize,
    /// Index of the engine that had Black.
    pub black: usize,
    /// The result for White.
    pub result: GameScore,
    /// How it ended.
    pub termination: Termination,
    /// The same in words, with evidence.
    pub reason: &'a str,
    /// The game as PGN.
    pub pgn: &'a str,
}

/// Takes every event, from several threads at once.
pub type Sink<'a> = dyn Fn(&Event<'_>) + Sync + 'a;
