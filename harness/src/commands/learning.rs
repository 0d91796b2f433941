//! Progress of commands that read labelled positions.

use std::ops::ControlFlow;

use crate::context::Context;
pub use crate::data::dataset::{Positions, dropped};
use crate::report::Progress;

/// How much of the data is read, as a line.
pub fn reading_text(done: u64, bytes: u64) -> String {
    format!("data {:.0} % read", 100.0 * done as f64 / bytes.max(1) as f64)
}

/// Shows how many bytes of the data are read, and stops at the user's interrupt.
pub fn reading(bytes: u64, context: &Context) -> impl FnMut(u64) -> ControlFlow<()> {
    let mut progress = Progress::start(Some(bytes), 0, context.quiet);
    move |done| {
        progress.show(done, |_| reading_text(done, bytes));
        context.interrupt.flow()
    }
}
