//! `harness tune init`: writes an experiment to edit.

use std::path::PathBuf;

use clap::Args;

use crate::commands::choice::choice;
use crate::commands::engines::engine;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::files::{try_to_write, write_atomically};
use crate::runs::tune::{InitRequest, init};
use crate::tuning::import;

/// Write an experiment from what an engine offers, or from another tool's file.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness tune init builtin -o tuning/all.yaml
  harness tune init ./my-engine -p 'lmr_*' -p rfp_margin
  harness tune init stockfish -p 'Skill Level'
  harness tune init ./my-engine --from openbench params.txt
  harness tune init ./my-engine --from weather-factory config.json
  harness tune init ./my-engine --from chess-tuning-tools experiment.json
  harness tune init ./my-engine --from lakas tune.sh

OpenBench's lines are `name, int, value, min, max, c_end, r_end`, fishtest's the same without the
kind; chess-tuning-tools' JSON has `parameter_ranges`, Lakas' script `--input-param`. Limit,
openings, options and adjudication are taken over where the file has them. The engine is started:
the limit is one that it respects, and every parameter and option is one that it has. Options of play
(Hash, Skill Level, Contempt, Move Overhead, ...) are left out; the file says which.")]
pub struct InitArgs {
    /// The engine, as for a match.
    #[arg(value_name = "ENGINE")]
    engine: String,
    /// Take the parameters from this tool's file instead.
    #[arg(long, value_name = "TOOL", value_parser = choice::<import::Tool>(), requires = "file")]
    from: Option<import::Tool>,
    /// That file.
    #[arg(value_name = "FILE", requires = "from")]
    file: Option<PathBuf>,
    /// Only this parameter, pattern (`lmr_*`) or group (`lmr`, `search`); may be repeated.
    #[arg(short, long = "parameter", value_name = "NAME", conflicts_with = "from")]
    parameters: Vec<String>,
    /// Where to write; `-`: standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Replace a file that is there.
    #[arg(long)]
    force: bool,
}

/// Runs the command.
///
/// # Errors
/// When the file is there already, the engine does not start, a file cannot be read or written, or
/// nothing can be tuned.
pub fn run(args: &InitArgs, context: &Context) -> Result<Exit, Failure> {
    let to_stdout = args.output.as_os_str() == "-";
    if !to_stdout && !args.force && args.output.exists() {
        return Err(Failure::Usage(miette::miette!(
            help = "--force replaces it; name another file with --output, or `-` to look at it",
            "{} is there already",
            args.output.display()
        )));
    }
    if !to_stdout {
        try_to_write(&args.output)?;
    }
    let imported = match (args.from, args.file.as_deref()) {
        (Some(tool), Some(file)) => Some((file, import::read(tool, file).or_usage()?)),
        _ => None,
    };
    let name = &args.engine;
    let parameters = &args.parameters;
    let engine = engine(name, &[], context)?;
    let (text, count) = init(InitRequest { name, engine, imported, parameters }, context)?;
    if to_stdout {
        return context.print(&text);
    }
    let output = args.output.display();
    write_atomically(&args.output, text.as_bytes())
        .map_err(|error| Failure::Failed(miette::miette!("cannot write {output}: {error}")))?;
    context
        .print(&format!("{count} parameters in {output}; `harness tune run {output}` plays it\n"))
}
