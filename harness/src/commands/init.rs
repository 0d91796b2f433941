//! `harness init`: a `harness.yaml` for the repository of an engine, and a first trial of it.

use clap::Args;
use serde_json::json;

use crate::check::{self, CheckResult, Report, Settings, Status};
use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::player::{self, EngineSpec};
use crate::project::Project;

/// Looks at an engine's repository, writes harness.yaml, and tries the engine.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cd my-engine && harness init
  harness init --force          # overwrites harness.yaml
  harness init --dry-run        # prints it, builds nothing

Finds out how the engine is built (cargo, go, make, cmake, or a script that is not), writes a commented
harness.yaml, builds the working tree, runs `harness check` on it and prints what to do next.
The exit status is 1 when the engine fails a check.")]
pub struct InitArgs {
    /// Replace a harness.yaml that is there.
    #[arg(long)]
    force: bool,
    /// Print harness.yaml instead of writing it, and build nothing.
    #[arg(long)]
    dry_run: bool,
}

/// Runs the command.
///
/// # Errors
/// When nothing says how to build the engine, it does not build, or it cannot be started.
pub fn run(args: &InitArgs, context: &Context) -> Result<Exit, Failure> {
    let project = Project::find(args.force || args.dry_run).or_usage()?;
    if args.dry_run {
        return context.print(&project.yaml());
    }
    project.write()?;
    context.say(&format!("{} is written", project.file.display()));
    let engine = ".";
    let tried = tried(engine, &project, context);
    // The first check is the start: an engine that fails it gets no further one.
    let works = tried.as_ref().is_ok_and(|(_, report)| report.checks.len() > 1);
    if !works {
        project.put_back()?;
        let why = match &tried {
            Err(Failure::Interrupted(_)) => "it was not tried to the end",
            _ => "it does not work",
        };
        context.say(&format!("{} is taken back, as {why}", project.file.display()));
    }
    let (spec, report) = tried?;
    let failed: Vec<&str> = failures(&report).map(|check| check.name).collect();
    let object = json!({
        "engine": engine, "name": spec.name, "written": works.then_some(&project.file),
        "passed": report.passed, "checks": report.checks.len(), "failed": failed,
    });
    context.show(&object, || summary(engine, &report))?;
    Ok(if report.passed { Exit::Good } else { Exit::Bad })
}

/// Builds the working tree, with the messages of any other build, and checks the engine.
fn tried(
    engine: &str,
    project: &Project,
    context: &Context,
) -> Result<(EngineSpec, Report), Failure> {
    let spec = player::resolve(engine, &Config::read(&project.file)?, context)?;
    context.say("checking whether it speaks UCI");
    let report = check::check(&spec, Settings::default(), &context.interrupt, |_| Ok(()))?;
    Ok((spec, report))
}

fn failures(report: &Report) -> impl Iterator<Item = &CheckResult> {
    report.checks.iter().filter(|check| check.status == Status::Failed)
}

/// The checks in a line, and the commands to try next.
fn summary(engine: &str, report: &Report) -> String {
    let all = report.checks.len();
    let failed = failures(report).count();
    let warnings = report.checks.iter().filter(|check| check.status == Status::Warning).count();
    let mut text = format!(
        "{} passes {} of {all} checks{}\n",
        report.id.as_deref().unwrap_or("The engine"),
        all - failed,
        match warnings {
            0 => String::new(),
            1 => ", one with a warning".to_owned(),
            several => format!(", {several} with a warning"),
        },
    );
    for check in failures(report) {
        text += &format!("  ✗ {}: {}\n", check.name, check.detail);
    }
    if all > failed + warnings && !report.passed {
        text +=
            "A failed check is a fault of the engine; what does not use it works all the same.\n";
    }
    let rows = [
        (format!("harness check {engine}"), "every check, with what was seen"),
        (format!("harness suite wac {engine} --movetime 100ms"), "solves 300 positions"),
        ("harness sprt . HEAD --tc 2+0.02".to_owned(), "is the working tree better?"),
        (format!("harness tune init {engine} -o tune.yaml"), "an experiment of its options"),
        ("harness gate init".to_owned(), "what a commit must pass"),
    ];
    let width = rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
    text += "\nNext:\n";
    for (command, does) in &rows[usize::from(report.passed)..] {
        text += &format!("  {command:<width$}   # {does}\n");
    }
    text
}
