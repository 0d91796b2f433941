//! `harness tune init`: an experiment to edit.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;

use super::parameters;
use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::ledger::write_atomically;
use crate::player::{self, Program};
use crate::tuning::import;
use crate::tuning::space::Parameter;

/// UCI options that every engine has and that no self-play tunes.
const NOT_TUNED: [&str; 10] = [
    "hash",
    "threads",
    "multipv",
    "move overhead",
    "uci_elo",
    "skill level",
    "syzygyprobedepth",
    "syzygyprobelimit",
    "slow mover",
    "nodestime",
];

/// Writes an experiment from what an engine declares, or from another tool's file.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness tune init builtin -o tuning/all.yaml
  harness tune init ./my-engine --from openbench params.txt
  harness tune init ./my-engine --from weather-factory config.json

OpenBench's lines are `name, int, value, min, max, c_end, r_end`; chess-tuning-tools' JSON has
`parameter_ranges`.")]
pub struct InitArgs {
    /// The engine, as for a match.
    #[arg(value_name = "ENGINE")]
    engine: String,
    /// Take the parameters from this tool's file instead.
    #[arg(long, value_name = "TOOL", value_enum, requires = "file")]
    from: Option<import::Tool>,
    /// That file.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Where to write; `-`: standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// When the engine does not start, a file cannot be read or written, or nothing can be tuned.
pub fn run(args: &InitArgs, context: &Context) -> Result<Exit, Failure> {
    let listed = match (args.from, &args.file) {
        (Some(tool), Some(file)) => import::read(tool, file).or_usage()?,
        _ => {
            let config = Config::find().or_usage()?;
            let asked = std::slice::from_ref(&args.engine);
            let engine =
                player::resolve_all(asked, &[], &[], &config, context).or_usage()?.remove(0);
            let mut listed = parameters(&engine, context)?;
            listed.retain(|parameter| !NOT_TUNED.contains(&parameter.name.to_lowercase().as_str()));
            if listed.is_empty() {
                let help = match engine.program {
                    Program::Builtin => "none",
                    Program::Executable { .. } => {
                        "most engines need a build that offers their parameters; `tench`: `cargo \
                         build --release -p engine --features tuning`"
                    }
                };
                return Err(Failure::Usage(miette::miette!(
                    help = help,
                    "`{}` declares no parameter to tune",
                    args.engine
                )));
            }
            listed
        }
    };
    let text = text(&args.engine, &listed);
    if args.output.as_os_str() == "-" {
        context.print(&text)?;
    } else {
        write_atomically(&args.output, text.as_bytes()).map_err(|error| {
            Failure::Failed(miette::miette!("cannot write {}: {error}", args.output.display()))
        })?;
        context.print(&format!(
            "{} parameters in {}; `harness tune run {}` plays it\n",
            listed.len(),
            args.output.display(),
            args.output.display()
        ))?;
    }
    Ok(Exit::Good)
}

fn text(engine: &str, parameters: &[Parameter]) -> String {
    let mut text = format!(
        "# A tuning experiment: `harness tune run THIS_FILE`. Keep the parameters that you mean.\n\
         engine: {engine:?}\n\
         options: {{ Hash: 16 }}\n\
         limit: nodes=2000        # nodes=N, depth=N, movetime=100ms, tc=8+0.08\n\
         games: 20000\n\
         seed: 1\n\
         validation: {{ elo0: 0, elo1: 5, games: 20000 }}   # normalized Elo; games: 0 for none\n\
         parameters:              # `lmr_*:` takes all of a pattern; fixed: true keeps one\n"
    );
    for Parameter { name, min, max, start, step, .. } in parameters {
        let _ = writeln!(
            text,
            "  {name:?}: {{ start: {start}, min: {min}, max: {max}, step: {step} }}"
        );
    }
    text
}
