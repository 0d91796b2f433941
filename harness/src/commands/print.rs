//! Prints the outcome of a run; gives its exit status.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::kinds::{Outcome, Workflow};

/// Prints the outcome of a run of any kind.
///
/// # Errors
/// When it cannot be printed.
pub fn outcome(outcome: &Outcome, context: &Context) -> Result<Exit, Failure> {
    let Outcome { json, text, warnings, exit, is_streamed, workflow } = outcome;
    workflow.iter().for_each(add_to_step_summary);
    if !is_streamed {
        context.show(json, || {
            let in_github = std::env::var_os("GITHUB_ACTIONS").is_some();
            let workflow = workflow.as_ref().filter(|_| in_github);
            workflow.map_or("", |workflow| &workflow.annotations).to_owned() + text
        })?;
    }
    warnings.iter().for_each(|warning| context.warn(warning));
    Ok(*exit)
}

/// Writes a summary where GitHub's workflows look for it.
fn add_to_step_summary(workflow: &Workflow) {
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY") else { return };
    let file = OpenOptions::new().create(true).append(true).open(&path);
    if let Err(error) = file.and_then(|mut file| file.write_all(workflow.summary.as_bytes())) {
        tracing::warn!("cannot write {}: {error}", Path::new(&path).display());
    }
}
