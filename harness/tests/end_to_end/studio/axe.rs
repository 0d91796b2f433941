//! axe-core, which finds what people with a screen reader or poor sight would stumble over.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::browser::Window;

/// The script: of the environment variable `AXE`, or of a `node_modules` folder. `None`, and a line
/// that says so, where there is none: `npm pack axe-core` gets it.
pub fn script() -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let named = std::env::var_os("AXE").map(PathBuf::from);
    let found = named.unwrap_or_else(|| root.join("node_modules/axe-core/axe.min.js"));
    let script = std::fs::read_to_string(&found).ok();
    if script.is_none() {
        eprintln!("skipped: there is no axe-core at {}", found.display());
    }
    script
}

/// What axe finds on the page that is shown: a line for each violation.
pub async fn violations(window: &Window, script: &str) -> Vec<String> {
    window.value(&format!("{script}; return typeof axe")).await;
    let run = "const done = arguments[arguments.length - 1];
        axe.run(document, { resultTypes: ['violations'] }).then(
            ({ violations }) => done(violations.map(({ id, nodes }) =>
                `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)).join(' | ')}`)),
            (error) => done([String(error)]));";
    let found = window.value_async(run, json!(null)).await;
    let lines = found.as_array().cloned().unwrap_or_default();
    lines
        .iter()
        .map(|line| line.as_str().map_or_else(|| Value::to_string(line), str::to_owned))
        .collect()
}
