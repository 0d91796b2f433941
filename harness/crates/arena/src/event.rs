//! Events of games, for observers.

use shakmaty::uci::UciMove;
use shakmaty::{ByColor, Color};

use super::game::PlayedMove;
use super::output_check::Flaw;
use super::record::{GameRecord, Leg, Opening};

/// Something that happened in a game.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A game begins.
    Started {
        /// Number of the pair, from 0.
        pair: u64,
        /// Which game of the pair.
        leg: Leg,
        /// Indices of the engines.
        engines: ByColor<usize>,
        /// Where it starts.
        opening: &'a Opening,
    },
    /// A move was made.
    Moved {
        /// Number of the pair, from 0.
        pair: u64,
        /// Which game of the pair.
        leg: Leg,
        /// Who made it.
        side: Color,
        /// The move as UCI writes it.
        uci: UciMove,
        /// The move with its score and depth.
        played: &'a PlayedMove,
    },
    /// A player printed what it should not have.
    Flawed {
        /// Number of the pair, from 0.
        pair: u64,
        /// Which game of the pair.
        leg: Leg,
        /// Who.
        side: Color,
        /// Indices of the engines.
        engines: ByColor<usize>,
        /// What.
        flaw: &'a Flaw,
        /// Where the game started.
        opening: &'a Opening,
        /// The moves since the start position.
        moves: &'a [UciMove],
    },
    /// A game is over. It may not be counted: a test can be decided before.
    Ended(&'a GameRecord),
}

/// Receives every event, from several threads at once.
pub type Watch<'a> = dyn Fn(&Event<'_>) + Sync + 'a;
