//! Where a gate's result goes.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::write;
use crate::context::Context;
use crate::failure::Failure;
use crate::gate::{Report, Verdict, annotations, markdown, table};
use crate::report::junit;

/// The files that are asked for.
#[derive(Debug, Default, Args)]
pub struct Files {
    /// Write the results as JUnit XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the results as Markdown.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

/// Prints the result and writes the files.
///
/// # Errors
/// When a file cannot be written.
pub fn tell(files: &Files, report: &Report, context: &Context) -> Result<(), Failure> {
    if let Some(path) = &files.junit {
        let cases = report.checks.iter().map(|check| junit::Case {
            name: &check.name,
            seconds: check.seconds,
            outcome: match check.verdict {
                Verdict::Passed => junit::Outcome::Passed(&check.detail),
                Verdict::Failed => junit::Outcome::Failed(&check.detail),
                Verdict::Undecided => junit::Outcome::Skipped(&check.detail),
            },
        });
        write(path, &junit::suite("gate", cases))?;
    }
    if let Some(path) = &files.markdown {
        write(path, &markdown(report, Some(&runs_from(path, context))))?;
    }
    if let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY") {
        let appended = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .and_then(|mut file| file.write_all(markdown(report, None).as_bytes()));
        if let Err(error) = appended {
            tracing::warn!("cannot write {}: {error}", Path::new(&path).display());
        }
    }
    if context.json {
        context.print(&format!("{}\n", json!(report)))?;
        return Ok(());
    }
    if std::env::var_os("GITHUB_ACTIONS").is_some() {
        context.print(&annotations(report))?;
    }
    context.print(&table(report))?;
    let page = |run: &str| context.reports.join("runs").join(run).join("report.html");
    for check in &report.checks {
        if let Some(run) = &check.run {
            context.print(&format!("{}: {}\n", check.name, page(run).display()))?;
        }
    }
    if let Some(run) = &report.run {
        context.print(&format!("Report: {}\n", page(run).display()))?;
    }
    Ok(())
}

/// The folder of the runs, seen from a file that links to it.
fn runs_from(file: &Path, context: &Context) -> PathBuf {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let runs = absolute(&context.reports.join("runs"));
    let file = absolute(file);
    let inside = file.parent().and_then(|folder| runs.strip_prefix(folder).ok());
    inside.map_or_else(|| runs.clone(), Path::to_path_buf)
}
