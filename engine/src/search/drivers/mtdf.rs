//! MTD(f): the value is cornered by tests of zero width.

use super::{INFINITE, Iteration, RootNode, Tree, Value, Window};
use crate::board::Position;
use crate::eval::Evaluator;
use crate::params::Params;

pub(super) fn iterate<P: Params, E: Evaluator>(
    tree: &mut Tree<'_, P, E>,
    position: &Position,
    iteration: Iteration,
) -> Value {
    tree.scout = true;
    let (mut lower, mut upper) = (-INFINITE, INFINITE);
    let mut beta = iteration.guess.clamp(-INFINITE + 2, INFINITE - 1);
    let mut step = 4;
    loop {
        let value =
            tree.search::<RootNode>(position, 0, Window::zero(beta), iteration.depth, false);
        if tree.stopped {
            return value;
        }
        // Each miss doubles the stride, so that a far value is not approached by single
        // centipawns; once it lies between two bounds the interval is halved.
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
