//! Limits that an engine respects.

use std::time::Duration;

use super::super::{Fault, FaultKind, Limit, StartAgain, TimeControl};
use super::compliance::{Compliance, MIDDLE_GAME, search, shortened};
use super::ignored_limit::find_ignored_limit;

/// Limits to suggest when another one is not respected, the best ones first.
const ALTERNATIVES: [Limit; 4] = [
    Limit::Nodes(5_000),
    Limit::MoveTime(Duration::from_millis(100)),
    Limit::Depth(8),
    Limit::Clock(TimeControl {
        moves: None,
        base: Duration::from_secs(8),
        increment: Duration::from_millis(80),
        hourglass: false,
    }),
];

/// Limits of other kinds to suggest when this one is not respected, the best ones first.
pub fn alternatives(limit: Limit) -> Vec<Limit> {
    let kind = std::mem::discriminant(&limit);
    ALTERNATIVES.into_iter().filter(|other| std::mem::discriminant(other) != kind).collect()
}

/// Which of these limits an engine respects, in the same order; each is tried in a fresh process,
/// shortened where that is enough.
///
/// # Errors
/// A [`Fault`] when it cannot be started, or the user interrupts.
pub fn respected_limits(
    limits: &[Limit],
    chess960: bool,
    start: &StartAgain<'_>,
) -> Result<Vec<Limit>, Fault> {
    let mut found = Vec::new();
    for &limit in limits {
        let mut player = start()?;
        let short = shortened(limit);
        let seen = search(player.as_mut(), MIDDLE_GAME, short, chess960);
        let Some(seen) = note_fault(seen, |_| ())? else { continue };
        if Compliance::from_search(short, &seen) != Compliance::Respects {
            continue;
        }
        if let Some(None) = note_fault(find_ignored_limit(short, seen, chess960, start), |_| ())? {
            found.push(limit);
        }
    }
    Ok(found)
}

/// Passes an interruption on; notes any other fault.
pub(super) fn note_fault<T>(
    outcome: Result<T, Fault>,
    note: impl FnOnce(Fault),
) -> Result<Option<T>, Fault> {
    match outcome {
        Ok(value) => Ok(Some(value)),
        Err(fault) if fault.kind == FaultKind::Interrupted => Err(fault),
        Err(fault) => {
            note(fault);
            Ok(None)
        }
    }
}
