//! A network as the evaluator of a search, and by itself.

use std::sync::Arc;

use super::forward::State;
use super::network::Network;
use crate::board::{Changes, Move, Position};
use crate::eval::evaluator::{Evaluator, MAX_PLY};

/// Plies of a search that have accumulators of their own.
const PLIES: usize = MAX_PLY + 2;

impl Network {
    /// The value of a position in centipawns for the side to move, without accumulators of others.
    pub fn evaluate(&self, position: &Position) -> i32 {
        self.evaluate_with(&mut State::new(self, 1), position, 0)
    }

    /// The same with accumulators, of which those of the ply become the position's.
    #[inline]
    pub(super) fn evaluate_with(&self, state: &mut State, position: &Position, ply: usize) -> i32 {
        if self.graph.output.input.is_none() {
            self.kernel.squared_value(self, state, position, ply)
        } else {
            self.kernel.value(self, state, position, ply)
        }
    }
}

/// A network with the accumulators of one thread of a search.
#[derive(Clone)]
pub struct NetworkEvaluator {
    network: Arc<Network>,
    state: State,
}

impl NetworkEvaluator {
    /// An evaluator that has seen no position.
    pub fn new(network: Arc<Network>) -> NetworkEvaluator {
        let state = State::new(&network, PLIES);
        NetworkEvaluator { network, state }
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }
}

impl Evaluator for NetworkEvaluator {
    fn evaluate(&mut self, position: &Position) -> i32 {
        self.evaluate_at(position, 0)
    }

    fn evaluate_at(&mut self, position: &Position, ply: usize) -> i32 {
        self.network.evaluate_with(&mut self.state, position, ply.min(PLIES - 1))
    }

    #[inline]
    fn played(&mut self, before: &Position, m: Option<Move>, after: &Position, ply: usize) {
        let changes = m.map_or(Changes::NONE, |m| before.changes(m));
        self.state.line.extend(ply.min(PLIES - 1), [before.key(), after.key()], changes);
    }
}
