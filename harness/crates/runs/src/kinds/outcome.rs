//! The result of a run, ready to be shown.

use serde::Serialize;
use serde_json::Value;

use harness_base::failure::{Exit, Failure};

/// The result of a run of any kind.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The object that `--json` prints.
    pub json: Value,
    /// The text for a terminal.
    pub text: String,
    /// Warnings that follow it.
    pub warnings: Vec<String>,
    /// The exit status.
    pub exit: Exit,
    /// A stream of events has printed the result already.
    pub is_streamed: bool,
    /// Texts for the workflow that runs it.
    pub workflow: Option<Workflow>,
}

/// Texts for a workflow of GitHub.
#[derive(Clone, Debug)]
pub struct Workflow {
    /// The summary of its step, as Markdown.
    pub summary: String,
    /// Annotations, a line each.
    pub annotations: String,
}

impl Outcome {
    /// A result without warnings.
    ///
    /// # Errors
    /// When it has no JSON form.
    pub fn new(result: &impl Serialize, text: String, exit: Exit) -> Result<Outcome, Failure> {
        let json = serde_json::to_value(result).map_err(|error| {
            Failure::Failed(miette::miette!("the result cannot be written as JSON: {error}"))
        })?;
        let (warnings, is_streamed, workflow) = (Vec::new(), false, None);
        Ok(Outcome { json, text, warnings, exit, is_streamed, workflow })
    }
}
