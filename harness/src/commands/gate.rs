//! `harness gate`: may this change go in?

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, Subcommand};
use serde_json::json;

use crate::config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::gate::{
    CheckResult, Config, FILE_NAME, Gate, Report, TEMPLATE, Verdict, annotations, gate_page,
    markdown, table,
};
use crate::ledger::{Ledger, write_atomically};
use crate::player::{self, Program};
use crate::report::junit;

/// Checks whether a change may go in: bench, speed, conformance, suites, strength.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  harness gate init                        # writes gate.yaml
  harness gate                             # HEAD against where it left main
  harness gate --base v1.2 --junit gate.xml
  harness gate --engine .                  # the working tree

Works in any engine's repository. Exit status: 0 passed, 1 failed, 3 undecided. In a GitHub
workflow it writes the step's summary and annotates failures. `harness docs gate` tells what each
check means and how often it is wrong."
)]
pub struct GateArgs {
    #[command(subcommand)]
    command: Option<GateCommand>,
    /// What is checked.
    #[arg(value_name = "FILE", default_value = FILE_NAME)]
    file: PathBuf,
    /// The revision to be checked; `.` is the working tree.
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    engine: String,
    /// What it is compared with [default: where it left main].
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Write the results as JUnit XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the results as Markdown.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum GateCommand {
    /// Writes a gate.yaml to start from.
    Init {
        /// Where; `-` is standard output.
        #[arg(short, long, value_name = "FILE", default_value = FILE_NAME)]
        output: PathBuf,
    },
}

/// Runs the command.
///
/// # Errors
/// When the configuration makes no sense, a revision does not build, or the user interrupts.
pub fn run(args: &GateArgs, context: &Context) -> Result<Exit, Failure> {
    if let Some(GateCommand::Init { output }) = &args.command {
        return init(output, context);
    }
    let gate_config = Config::read(&args.file).or_usage()?;
    let config = config::Config::find().or_usage()?;
    let base = match args.base.as_ref().or(gate_config.base.as_ref()) {
        Some(base) => base.clone(),
        None => left_main(&args.engine)?,
    };
    let revisions = [args.engine.as_str(), base.as_str()];
    let engines = player::resolve_all(&revisions, &[], &[], &config, context).or_usage()?;
    let program = |side: usize| {
        engines[side].program_path().map(Path::to_path_buf).ok_or_else(|| {
            Failure::Usage(miette::miette!(
                help = "name a revision or an executable",
                "`{}` is no program that a gate can check",
                revisions[side]
            ))
        })
    };
    let absolute = std::path::absolute(&args.file).unwrap_or_else(|_| args.file.clone());
    let reports = std::path::absolute(&context.reports).unwrap_or(context.reports.clone());
    let gate = Gate {
        config: &gate_config,
        folder: absolute.parent().unwrap_or(Path::new(".")),
        reports: &reports,
        commit: match &engines[0].program {
            Program::Executable { revision: Some(revision), .. } => revision.commit.clone(),
            _ => None,
        },
        engine: (program(0)?, short(&args.engine)),
        base: (program(1)?, short(&base)),
        message: if args.engine == "." {
            String::new()
        } else {
            let commits = format!("{base}..{}", args.engine);
            git(&["log", "--reverse", "--format=%B", &commits]).unwrap_or_default()
        },
        interrupt: &context.interrupt,
    };
    let mut report = gate.run(&mut |result: &CheckResult| {
        // What an interrupt cut short has no verdict.
        if !context.interrupt.is_set() {
            context.say(&format!("{}: {:?}", result.name, result.verdict));
        }
    });
    if context.interrupt.is_set() {
        return Err(Failure::Interrupted("the checks that ended are not kept".to_owned()));
    }
    keep(args, &gate_config, &mut report, context)?;
    tell(args, &report, context)?;
    Ok(match report.verdict {
        Verdict::Passed => Exit::Good,
        Verdict::Failed => Exit::Bad,
        Verdict::Undecided => Exit::Undecided,
    })
}

/// Puts what was seen into the ledger, as a run of its own with a page.
fn keep(
    args: &GateArgs,
    config: &Config,
    report: &mut Report,
    context: &Context,
) -> Result<(), Failure> {
    let ledger = Ledger::open(&context.reports).or_failed()?;
    let plan = json!({ "engine": args.engine, "base": report.base, "checks": config });
    let run = ledger.start_run("gate", &plan).or_failed()?;
    report.run = Some(run.id().to_owned());
    ledger.finish(&run, &json!(report)).or_failed()?;
    write(&run.folder().join("report.html"), &gate_page(report))
}

/// A full hash is no reading for people.
fn short(revision: &str) -> String {
    let is_hash = revision.len() == 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash { revision[..10].to_owned() } else { revision.to_owned() }
}

fn init(output: &Path, context: &Context) -> Result<Exit, Failure> {
    if output.as_os_str() == "-" {
        context.print(TEMPLATE)?;
        return Ok(Exit::Good);
    }
    if output.exists() {
        return Err(Failure::Usage(miette::miette!(
            help = "name another file with --output, or `-` to look at it",
            "{} is there already",
            output.display()
        )));
    }
    write(output, TEMPLATE)?;
    context.print(&format!("{} is written; `harness gate` runs it\n", output.display()))?;
    Ok(Exit::Good)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    write_atomically(path, text.as_bytes()).map_err(|error| {
        Failure::Failed(miette::miette!("cannot write {}: {error}", path.display()))
    })
}

/// Where a revision left main; on main itself, the commit before it.
fn left_main(revision: &str) -> Result<String, Failure> {
    let revision = if revision == "." { "HEAD" } else { revision };
    let head = git(&["rev-parse", "--verify", revision]);
    for main in ["origin/main", "main", "origin/master", "master"] {
        if let Some(base) = git(&["merge-base", revision, main])
            && Some(&base) != head.as_ref()
        {
            return Ok(base);
        }
    }
    git(&["rev-parse", "--verify", &format!("{revision}~1")]).ok_or_else(|| {
        Failure::Usage(miette::miette!(
            help = "name the revision to compare with: --base REV (a shallow clone has only one: \
                    fetch-depth: 0)",
            "`{revision}` has no commit before it"
        ))
    })
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn tell(args: &GateArgs, report: &Report, context: &Context) -> Result<(), Failure> {
    if let Some(path) = &args.junit {
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
    if let Some(path) = &args.markdown {
        write(path, &markdown(report))?;
    }
    if let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY") {
        let appended = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .and_then(|mut file| file.write_all(markdown(report).as_bytes()));
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
    if let Some(run) = &report.run {
        let page = context.reports.join("runs").join(run).join("report.html");
        context.print(&format!("Report: {}\n", page.display()))?;
    }
    Ok(())
}
