//! Errors of the harness as Python exceptions.

use harness::failure::Failure;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, Report};
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    tench,
    UsageError,
    PyValueError,
    "Wrong arguments: the caller has to change something."
);
create_exception!(
    tench,
    RunError,
    PyRuntimeError,
    "Something failed: an engine did not start, a file is damaged."
);
create_exception!(
    tench,
    Interrupted,
    PyKeyboardInterrupt,
    "A run was interrupted after the games under way; what is finished is kept."
);

/// Adds the exceptions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("UsageError", py.get_type::<UsageError>())?;
    module.add("RunError", py.get_type::<RunError>())?;
    module.add("Interrupted", py.get_type::<Interrupted>())
}

/// The exception of a failure.
pub fn exception(failure: Failure) -> PyErr {
    match failure {
        Failure::Usage(report) => UsageError::new_err(text(&report)),
        Failure::Failed(report) => RunError::new_err(text(&report)),
        Failure::Interrupted(text) => Interrupted::new_err(text),
    }
}

/// The exception of wrong arguments.
pub fn usage(error: impl Diagnostic + Send + Sync + 'static) -> PyErr {
    UsageError::new_err(text(&Report::new(error)))
}

/// What a report says: the message, its causes, and what to do; with the lines of a file that it is
/// about, as the command draws them.
fn text(report: &Report) -> String {
    if report.source_code().is_some() || report.related().is_some() {
        let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
        let mut drawn = String::new();
        if handler.render_report(&mut drawn, report.as_ref()).is_ok() {
            return drawn.trim().to_owned();
        }
    }
    let mut text = report.chain().map(ToString::to_string).collect::<Vec<_>>().join(": ");
    if let Some(help) = report.help() {
        text.push_str(&format!("\nhelp: {help}"));
    }
    text
}
