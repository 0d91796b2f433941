//! `harness gate init`: a gate.yaml of what works with the engine at hand.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde_json::json;

use crate::commands::engines;
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::files::write_file;
use crate::gate::run::{left_main, program, short};
use crate::gate::{BENCH_PATIENCE, FILE_NAME, TEMPLATE, try_out};
use crate::text::path::encode_path;

/// Builds the engine, tries what a gate needs, and writes a gate.yaml of what works.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness gate init                        # HEAD of the current repository
  harness gate init --engine ./my-engine   # a program
  harness gate init --output -             # look at it first
  harness gate init --template             # every check with a word on each; tries nothing

It tries the build (cargo, make, cmake, or `build:` in harness.yaml), the bench, `harness check`,
whether `go nodes` is respected and `ucinewgame` clears the state, and sizes suites, SPRT and speed
runs so that the whole takes a few minutes here.")]
pub struct InitArgs {
    /// Where; `-` is standard output.
    #[arg(short, long, value_name = "FILE", default_value = FILE_NAME)]
    output: PathBuf,
    /// The revision or program that is tried; `.` is the working tree.
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    engine: String,
    /// How long a bench may take, in seconds; one that takes longer is left out.
    #[arg(long, value_name = "SECONDS", default_value_t = BENCH_PATIENCE.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..=86_400))]
    bench_timeout: u64,
    /// Write every check with a word on each; build and try nothing.
    #[arg(long)]
    template: bool,
}

/// Runs the command.
///
/// # Errors
/// When the file is there already, the engine does not build or start, or the user interrupts.
pub fn run(args: &InitArgs, context: &Context) -> Result<Exit, Failure> {
    let to_stdout = args.output.as_os_str() == "-";
    if !to_stdout && args.output.exists() {
        return Err(Failure::Usage(miette::miette!(
            help = "name another file with --output, or `-` to look at it",
            "{} is there already",
            args.output.display()
        )));
    }
    let text = if args.template { TEMPLATE.to_owned() } else { tried(args, context)? };
    if to_stdout {
        return context.print(&text);
    }
    write_file(&args.output, &text, None)?;
    context.show(&json!({ "written": encode_path(&args.output) }), || {
        let base = match left_main(&args.engine) {
            Ok(base) => format!(" against {}", short(&base)),
            Err(_) => " with --base REV".to_owned(),
        };
        let file = args.output.display();
        format!("{text}\n{file} is written; `harness gate` runs it{base}\n")
    })
}

/// Builds and tries the engine.
fn tried(args: &InitArgs, context: &Context) -> Result<String, Failure> {
    let engine = engines::engine(&args.engine, &[], context)?;
    program(&engine, &args.engine)?;
    let absolute = std::path::absolute(&args.output).unwrap_or_else(|_| args.output.clone());
    let folder = absolute.parent().unwrap_or(Path::new("."));
    let patience = Duration::from_secs(args.bench_timeout);
    let mut tell = |text: &str| context.say(text);
    let tried = try_out(&engine, &args.engine, folder, patience, context, &mut tell)?;
    let tried = tried.ok_or_else(|| Failure::Interrupted("nothing was written".to_owned()))?;
    Ok(tried.yaml())
}
