//! Warnings about a plan: what its games cannot show.

use harness_arena::{Plan, Schedule};

/// A warning when two engines are the same program: two commits may build the same.
pub(super) fn twins(plan: &Plan) -> Option<String> {
    let alike = |&(a, b): &(usize, usize)| {
        plan.engines[a].is_same_player(&plan.engines[b]) && plan.limits[a] == plan.limits[b]
    };
    let (a, b) = plan.pairings().into_iter().find(alike)?;
    let (a, b) = (&plan.engines[a].name, &plan.engines[b].name);
    Some(format!("{a} and {b} are the same program with the same options"))
}

/// A warning when the book was too small: a repeated game proves nothing.
pub(super) fn repetition(plan: &Plan, schedule: &Schedule, rounds: u64) -> Option<String> {
    let openings = schedule.openings().len() as u64;
    let repeats = plan.limits.iter().all(|limit| limit.time().is_none());
    (rounds > openings).then(|| {
        let games =
            if repeats { ", and games at fixed nodes or depth repeat with them" } else { "" };
        format!(
            "{rounds} rounds were played from {openings} openings: openings repeat{games}; a \
             larger book (--openings, `harness openings generate`) makes error bars honest"
        )
    })
}
