//! `harness check`: whether an engine speaks UCI as a bench needs it.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use comfy_table::{ContentArrangement, Table, presets};
use miette::miette;

use crate::check::{self, CheckResult, Evidence, Status};
use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::files::{try_to_write, write_file};
use crate::player::{self, DeclaredOption, OptionArg, OptionKind};
use crate::report::terminal::wrap_indented;

/// Checks that an engine speaks UCI as a bench needs it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness check stockfish
  harness check ./my-engine --options     what can be set, with ranges
  harness check HEAD --json
  harness check ./my-engine --junit check.xml
  harness check ./my-engine --transcript check.sh      sh check.sh says the same to the engine

✓ passed   ! allowed, but it will give trouble   ✗ failed   - nothing to check
~ failed, and passed in a fresh process: it depends on what was sent before

Depths and times suit the engine's speed, which is measured first. Below a failure stands what was
sent and received, and a shell command that repeats it. The exit status is 1 when a check fails.")]
pub struct CheckArgs {
    /// A name in harness.yaml, a path, a program on PATH, a git revision or `builtin`.
    #[arg(value_name = "ENGINE")]
    engine: String,
    /// List the options that the engine offers, and check nothing else.
    #[arg(long)]
    options: bool,
    /// Set an option of the engine.
    #[arg(long, value_name = "NAME=VALUE")]
    option: Vec<OptionArg>,
    /// How long to wait for an answer before the engine counts as hung, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    patience: f64,
    /// Write the result to a file as JUnit XML too, which CI systems show.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write a shell script that repeats what did not pass: what was sent and received, and the
    /// command that says it again.
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// When the engine cannot be found, or on interruption.
pub fn run(args: &CheckArgs, context: &Context) -> Result<Exit, Failure> {
    let config = Config::find()?;
    let engines = [args.engine.as_str()];
    let spec = player::resolve_all(&engines, &[], &args.option, &config, context)?.remove(0);
    if !spec.is_uci() {
        return Err(Failure::Usage(miette!(
            help =
                "`harness match ENGINE builtin --tc 10+0.1 --games 2 --log-uci` shows how it plays",
            "`{}` speaks xboard's protocol, and the checks are those of UCI",
            spec.name
        )));
    }
    for path in [&args.junit, &args.transcript].into_iter().flatten() {
        try_to_write(path)?;
    }
    let patience = Duration::try_from_secs_f64(args.patience).unwrap_or(Duration::MAX);
    let settings = check::Settings { options_only: args.options, patience };
    let report = check::check(&spec, settings, &context.interrupt, |result| {
        let is_shown = !args.options || !result.passed;
        if is_shown && !context.json { print_result(result, context) } else { Ok(()) }
    })?;
    let files = [
        ("--junit", &args.junit, report.junit()),
        ("--transcript", &args.transcript, report.script()),
    ];
    for (flag, path, text) in files {
        let Some(path) = path else { continue };
        let help = format!("{flag} FILE wants a file in a folder that is there and can be written");
        write_file(path, text, Some(&help))?;
    }
    context.show(&report, || match args.options && report.passed {
        true => format!("{}\n", options_table(&report.options)),
        false => String::new(),
    })?;
    Ok(if report.passed { Exit::Good } else { Exit::Bad })
}

/// Width of the names of checks.
const NAMES: usize = 34;

fn print_result(result: &CheckResult, context: &Context) -> Result<(), Failure> {
    let mark = match result.status {
        Status::Passed => '✓',
        Status::Warning => '!',
        Status::Failed => '✗',
        Status::OrderDependent => '~',
        Status::Skipped => '-',
    };
    // What an engine prints when it ends has several lines.
    let detail = result.detail.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = format!("{mark} {:<NAMES$} {detail}", result.name);
    let shows_why = matches!(result.status, Status::Failed | Status::OrderDependent);
    let evidence = result.evidence.as_ref().filter(|_| shows_why).map(Evidence::text);
    let text = wrap_indented(text.trim_end(), NAMES + 3);
    context.print(&format!("{text}{}", evidence.unwrap_or_default()))?;
    Ok(())
}

fn options_table(options: &[DeclaredOption]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(100).set_header(["option", "type", "default", "values"]);
    for option in options {
        let [kind, default, values] = match &option.kind {
            OptionKind::Check { default } => ["check".into(), default.to_string(), String::new()],
            OptionKind::Spin { default, min, max } => {
                ["spin".into(), default.to_string(), format!("{min} to {max}")]
            }
            OptionKind::Combo { default, choices } => {
                ["combo".to_owned(), default.clone(), choices.join(", ")]
            }
            OptionKind::Button => ["button".to_owned(), String::new(), String::new()],
            OptionKind::String { default } => ["string".to_owned(), default.clone(), String::new()],
        };
        table.add_row([option.name.clone(), kind, default, values]);
    }
    table
}
