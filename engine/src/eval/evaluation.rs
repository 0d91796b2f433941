//! The evaluation in use, chosen at run time.

use std::sync::Arc;

use super::endgame;
use super::eval_file::EvalFile;
use super::evaluator::Evaluator;
use super::handcrafted::Handcrafted;
use super::nnue::{Network, NetworkEvaluator};
use crate::board::{Move, Position};

/// The evaluation in use.
#[derive(Clone)]
pub enum Evaluation {
    /// The hand-crafted evaluation.
    Handcrafted(Handcrafted),
    /// A network.
    Network(NetworkEvaluator),
}

impl Evaluation {
    /// The evaluation by a network, or the hand-crafted one without.
    pub fn new(network: Option<Arc<Network>>) -> Evaluation {
        match network {
            Some(network) => Evaluation::Network(NetworkEvaluator::new(network)),
            None => Evaluation::Handcrafted(Handcrafted::new()),
        }
    }
}

/// The evaluation of [`EvalFile::DEFAULT`].
impl Default for Evaluation {
    fn default() -> Evaluation {
        Evaluation::new(EvalFile::default_network())
    }
}

impl Evaluator for Evaluation {
    fn evaluate(&mut self, position: &Position) -> i32 {
        self.evaluate_at(position, 0)
    }

    #[inline]
    fn evaluate_at(&mut self, position: &Position, ply: usize) -> i32 {
        match self {
            Evaluation::Handcrafted(terms) => terms.evaluate(position),
            Evaluation::Network(network) => match endgame::bishop_and_knight(position) {
                Some(value) => value,
                None => network.evaluate_at(position, ply),
            },
        }
    }

    #[inline]
    fn played(&mut self, before: &Position, m: Option<Move>, after: &Position, ply: usize) {
        if let Evaluation::Network(network) = self {
            network.played(before, m, after, ply);
        }
    }
}
