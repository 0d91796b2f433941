//! Principal variation search with aspiration.

use super::{Iteration, Tree, Value};
use crate::board::Position;
use crate::eval::Evaluator;
use crate::params::Params;

pub(super) fn iterate<P: Params, E: Evaluator>(
    tree: &mut Tree<'_, P, E>,
    position: &Position,
    iteration: Iteration,
) -> Value {
    tree.scout = true;
    tree.aspirate(position, iteration)
}
