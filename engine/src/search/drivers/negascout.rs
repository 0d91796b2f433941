//! Principal variation search with aspiration windows.

use super::{Iteration, Tree, Value};
use crate::board::Position;
use crate::eval::Evaluator;
use crate::params::Params;

pub(super) fn search<P: Params, E: Evaluator>(
    tree: &mut Tree<'_, P, E>,
    position: &Position,
    iteration: Iteration,
) -> Value {
    tree.scout = true;
    tree.aspiration_search(position, iteration)
}
