//! MTD(f): zero-window searches that converge on the value.

use super::iteration::Iteration;
use crate::board::Position;
use crate::eval::Evaluator;
use crate::params::Params;
use crate::search::node::RootNode;
use crate::search::score::{INFINITE, Value, Window};
use crate::search::tree::Tree;

/// Distance of the second zero window from the first, in centipawns.
const FIRST_STEP: Value = 4;

pub(super) fn search<P: Params, E: Evaluator>(
    tree: &mut Tree<'_, P, E>,
    position: &Position,
    iteration: Iteration,
) -> Value {
    let mut lower = -INFINITE;
    let mut upper = INFINITE;
    let mut beta = iteration.guess.clamp(-INFINITE + 2, INFINITE - 1);
    let mut step = FIRST_STEP;
    loop {
        let value =
            tree.search::<RootNode>(position, 0, Window::zero(beta), iteration.depth, false);
        if tree.stopped {
            return value;
        }
        // The step doubles until the value lies between two bounds; then the interval is halved.
        if value >= beta {
            lower = value;
            beta = value + step;
        } else {
            upper = value;
            beta = value - step + 1;
        }
        if lower >= upper {
            return value;
        }
        if lower > -INFINITE && upper < INFINITE {
            beta = lower + (upper - lower + 1) / 2;
        }
        beta = beta.clamp(lower.max(-INFINITE) + 1, upper.min(INFINITE));
        step *= 2;
    }
}
