//! `harness tune apply`: from a run's result to the engine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use miette::Diagnostic;
use serde_json::Value;
use thiserror::Error;

use super::replay::replay;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::ledger::{Ledger, RunFacts, write_atomically};
use crate::output;

/// Writes the values that a tuning run found into the engine's table, or prints them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness tune apply last                         # edits engine/src/params.rs
  harness tune apply last --table src/search.rs   # lines of the form `name: DEFAULT, ...`
  harness tune apply last --format uci            # setoption commands, for any engine

A run that is not finished gives what it would recommend now. A new table changes the engine's
bench: build it, and put the new count into the commit message.")]
pub struct ApplyArgs {
    /// A tuning run's id, the beginning of one, or `last`.
    #[arg(value_name = "RUN")]
    run: String,
    /// Print the values instead.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The source file with the table.
    #[arg(long, value_name = "FILE", default_value = "engine/src/params.rs")]
    table: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// `setoption name X value Y`
    Uci,
    /// `X: Y`
    Yaml,
    /// `X, int, Y`
    Openbench,
}

/// Values that cannot be written.
#[derive(Debug, Error, Diagnostic)]
enum ApplyError {
    #[error("run `{0}` has no result to apply")]
    #[diagnostic(help("it wants a tuning run; `harness runs` lists them"))]
    NoResult(String),
    #[error("cannot {doing} {}: {source}", path.display())]
    #[diagnostic(help(
        "stand in the engine's repository or name the file with --table; `--format uci` prints \
         the values instead"
    ))]
    File { doing: &'static str, path: PathBuf, source: std::io::Error },
    #[error("{} has no line `{name}: DEFAULT, ...`", path.display())]
    #[diagnostic(help("name the file with the table with --table; nothing was changed"))]
    NoLine { path: PathBuf, name: String },
}

/// Runs the command.
///
/// # Errors
/// When there is no such run or it has no result, or the table cannot be written.
pub fn run(args: &ApplyArgs, context: &Context) -> Result<Exit, Failure> {
    let ledger = Ledger::open_to_read(&context.reports)?;
    // The newest run of all may be the validation of the newest tuning run.
    let runs = ledger.runs().or_failed()?;
    let newest = runs.iter().rev().find(|row| row.command == "tune").map(|row| row.run.clone());
    let asked = newest.filter(|_| args.run == "last").unwrap_or_else(|| args.run.clone());
    let values = found(&ledger, &ledger.facts(&asked)?)?;
    let Some(format) = args.format else {
        let changed = write(&args.table, &values).or_usage()?;
        let table = args.table.display();
        context.print(&format!("{changed} of {} values changed in {table}\n", values.len()))?;
        return Ok(Exit::Good);
    };
    for (name, value) in values {
        context.print(&match format {
            Format::Uci => format!("setoption name {name} value {value}\n"),
            Format::Yaml => format!("{name}: {value}\n"),
            Format::Openbench => format!("{name}, int, {value}\n"),
        })?;
    }
    Ok(Exit::Good)
}

/// The values that a run found; of one that is not finished, those that it would give now.
fn found(ledger: &Ledger, run: &RunFacts) -> Result<BTreeMap<String, String>, Failure> {
    if run.summary.is_none() && run.command == "tune" {
        let report = replay(ledger, run).or_failed()?;
        for warning in &report.warnings {
            output::message(&format!("warning: {warning}"));
        }
        return Ok(report.summary.best);
    }
    let best = run.summary.as_ref().and_then(|summary| summary.get("best"));
    let best = best.and_then(Value::as_object).ok_or(ApplyError::NoResult(run.id.clone()));
    let text = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
    Ok(best.or_usage()?.iter().filter_map(text).collect())
}

fn write(path: &Path, values: &BTreeMap<String, String>) -> Result<usize, ApplyError> {
    let file = |doing| move |source| ApplyError::File { doing, path: path.to_owned(), source };
    let text = std::fs::read_to_string(path).map_err(file("read"))?;
    let (text, changed) = replaced(&text, values)
        .map_err(|name| ApplyError::NoLine { path: path.to_owned(), name })?;
    write_atomically(path, text.as_bytes()).map_err(file("write"))?;
    Ok(changed)
}

/// The table with new defaults, and how many are new; the name that has no line if one has none.
fn replaced(text: &str, values: &BTreeMap<String, String>) -> Result<(String, usize), String> {
    let mut text = text.to_owned();
    let mut changed = 0;
    for (name, value) in values {
        let line = text.lines().find(|line| {
            line.trim_start().strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(": "))
        });
        let line = line.ok_or_else(|| name.clone())?.to_owned();
        let (head, rest) = line.split_once(": ").ok_or_else(|| name.clone())?;
        let (old, tail) = rest.split_once(',').ok_or_else(|| name.clone())?;
        if old.trim() != value {
            changed += 1;
            text = text.replacen(&line, &format!("{head}: {value},{tail}"), 1);
        }
    }
    Ok((text, changed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_defaults_change_and_all_or_none_of_them() {
        let table =
            "    /// About a: one.\n    a: 75, 0..=200, step 10;\n    aa: -3, -9..=9, step 1;\n";
        let values = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
        };
        let (text, changed) =
            replaced(table, &values(&[("a", "80"), ("aa", "-3")])).expect("both are there");
        assert_eq!(changed, 1);
        assert_eq!(text, table.replace("a: 75,", "a: 80,"));
        assert_eq!(replaced(table, &values(&[("a", "80"), ("b", "1")])), Err("b".to_owned()));
    }

    #[test]
    fn every_parameter_of_our_own_engine_is_found() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/src/params.rs");
        let text = std::fs::read_to_string(path).expect("the engine's table");
        let values: BTreeMap<String, String> = engine::params::PARAMETERS
            .iter()
            .map(|parameter| (parameter.name.to_owned(), (parameter.default + 1).to_string()))
            .collect();
        let (_, changed) = replaced(&text, &values).expect("all are there");
        assert_eq!(changed, values.len());
    }
}
