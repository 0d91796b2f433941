//! Progress lines of the commands, and lines for positions that were left out.

use std::ops::ControlFlow;

use crate::context::Context;
use crate::report::Progress;
use crate::report::text::grouped;

/// A line for each reason to leave positions out that occurred.
pub fn left_out(counts: &[(u64, &str)]) -> String {
    let line = |&(count, what): &(u64, &str)| format!("left out: {} {what}\n", grouped(count));
    counts.iter().filter(|(count, _)| *count > 0).map(line).collect()
}

/// Shows the number of positions that are done; returns whether to continue.
pub fn show_progress(
    progress: &mut Progress,
    positions: u64,
    text: impl FnOnce() -> String,
    context: &Context,
) -> ControlFlow<()> {
    progress.show(positions, |_| text());
    context.interrupt.flow()
}
