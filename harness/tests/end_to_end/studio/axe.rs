//! axe-core, which finds what people with a screen reader or poor sight would stumble over.

use serde_json::{Value, json};

use super::browser::Window;

/// What axe finds on the page that is shown: a line for each violation.
pub fn violations(window: &Window, script: &str) -> Vec<String> {
    window.value(&format!("{script}; return typeof axe"));
    let run = "const done = arguments[arguments.length - 1];
        axe.run(document, { resultTypes: ['violations'] }).then(
            ({ violations }) => done(violations.map(({ id, nodes }) =>
                `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)).join(' | ')}`)),
            (error) => done([String(error)]));";
    let found = window.value_async(run, json!(null));
    let lines = found.as_array().cloned().unwrap_or_default();
    lines
        .iter()
        .map(|line| line.as_str().map_or_else(|| Value::to_string(line), str::to_owned))
        .collect()
}
