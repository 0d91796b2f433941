//! `harness tune init`: an experiment to edit.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::draft::{Draft, quoted};
use super::run::settings;
use super::{cannot_start, offer};
use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::ledger::write_atomically;
use crate::player::probe::respected;
use crate::player::{self, EngineSpec, FaultKind, Limit, StartSettings};
use crate::text::nearest;
use crate::tuning::import::{self, Imported};
use crate::tuning::offer::Offer;
use crate::tuning::parameters::{Entry, ParametersError, Problem, Settings, choose};
use crate::tuning::space::Space;

/// Limits of an experiment, the best ones first: few nodes, so that there are many games.
const LIMITS: [Limit; 3] =
    [Limit::Nodes(2000), Limit::MoveTime(Duration::from_millis(50)), Limit::Depth(6)];

/// Writes an experiment from what an engine offers, or from another tool's file.
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
the limit is one that it respects, and every parameter and option is one that it has.")]
pub struct InitArgs {
    /// The engine, as for a match.
    #[arg(value_name = "ENGINE")]
    engine: String,
    /// Take the parameters from this tool's file instead.
    #[arg(long, value_name = "TOOL", value_enum, requires = "file")]
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
}

/// Runs the command.
///
/// # Errors
/// When the engine does not start, a file cannot be read or written, or nothing can be tuned.
pub fn run(args: &InitArgs, context: &Context) -> Result<Exit, Failure> {
    let file = args.file.clone().unwrap_or_default();
    let imported = match args.from {
        Some(tool) => Some(import::read(tool, &file).or_usage()?),
        None => None,
    };
    let config = Config::find().or_usage()?;
    let asked = std::slice::from_ref(&args.engine);
    let mut engine = player::resolve_all(asked, &[], &[], &config, context).or_usage()?.remove(0);
    let offer = offer(&engine, context)?;
    let wanted = match &imported {
        Some(imported) => imported.entries(&file),
        None => wanted(args, &offer)?,
    };
    let imported = imported.unwrap_or_default();
    let mut problems = unknown_options(&imported, &offer, &file.display().to_string());
    let chosen = match choose(&wanted, &offer) {
        Ok(chosen) => chosen,
        Err(ParametersError(mut of_parameters)) => {
            of_parameters.append(&mut problems);
            return Err(ParametersError(of_parameters)).or_usage();
        }
    };
    if !problems.is_empty() {
        return Err(ParametersError(problems)).or_usage();
    }
    let space = Space::new(chosen.iter().map(|chosen| chosen.parameter.clone()).collect());
    let space = space.or_usage()?;
    let mut draft = Draft::new(&args.engine, chosen, &imported, &file, &offer);
    engine.options.extend(draft.options.clone());
    engine.options.extend(settings(&space, &space.start()));
    (draft.limit, draft.limit_note) = limit(&engine, imported.limit, context)?;
    let text = draft.text();
    if args.output.as_os_str() == "-" {
        context.print(&text)?;
    } else {
        write_atomically(&args.output, text.as_bytes()).map_err(|error| {
            Failure::Failed(miette::miette!("cannot write {}: {error}", args.output.display()))
        })?;
        context.print(&format!(
            "{} parameters in {}; `harness tune run {}` plays it\n",
            space.parameters().len(),
            args.output.display(),
            args.output.display()
        ))?;
    }
    Ok(Exit::Good)
}

/// The parameters of `-p`; without, all but the options of play.
fn wanted(args: &InitArgs, offer: &Offer) -> Result<Vec<Entry>, Failure> {
    let asked = |name: &str, place: &str| Entry {
        name: name.to_owned(),
        place: place.to_owned(),
        settings: Settings::default(),
    };
    if !args.parameters.is_empty() {
        return Ok(args.parameters.iter().map(|name| asked(name, "--parameter")).collect());
    }
    if offer.tunable().next().is_some() {
        return Ok(vec![asked("all", "all")]);
    }
    let of_play: Vec<&str> = offer.parameters().iter().map(|one| one.name.as_str()).collect();
    let instead = match of_play.last() {
        Some(last) => format!(
            "\nof play it has {}: `-p {}` takes one all the same",
            of_play.join(", "),
            quoted(last)
        ),
        None => String::new(),
    };
    Err(Failure::Usage(miette::miette!(
        help = format!(
            "most engines need a build that offers their parameters as spin options; `tench`: \
             `cargo build --release -p engine --features tuning`{instead}"
        ),
        "`{}` offers no parameter to tune",
        args.engine
    )))
}

/// Options of the other tool's file that the engine does not have.
fn unknown_options(imported: &Imported, offer: &Offer, file: &str) -> Vec<Problem> {
    let names = || offer.options().iter().map(|option| option.name.as_str());
    let unknown = imported.options.keys().filter(|name| {
        // Hash is a matter of the runner: an engine without it plays all the same.
        *name != "Hash" && !names().any(|known| known.eq_ignore_ascii_case(name))
    });
    let problem = |name: &String| Problem {
        place: file.to_owned(),
        text: format!("the engine has no option `{name}`"),
        hint: nearest(name, names()).map(|near| format!("did you mean `{near}`?")),
    };
    unknown.map(problem).collect()
}

/// A limit that the engine respects: the other tool's if it can be; and what to say of it.
fn limit(
    engine: &EngineSpec,
    imported: Option<Limit>,
    context: &Context,
) -> Result<(Limit, String), Failure> {
    let start = || player::start(engine, &StartSettings::default(), &context.interrupt);
    let respects = |limits: &[Limit]| {
        respected(limits, false, &start).map_err(|fault| match fault.kind {
            FaultKind::Interrupted => Failure::Interrupted("nothing was written".to_owned()),
            FaultKind::Setting => Failure::Usage(miette::miette!("{fault}")),
            _ => cannot_start(&fault),
        })
    };
    let mut passed_over = Vec::new();
    for limit in imported.into_iter().chain(LIMITS) {
        if !respects(&[limit])?.is_empty() {
            let note = match passed_over[..] {
                [] => "nodes=N, depth=N, movetime=100ms, tc=8+0.08".to_owned(),
                _ => format!("the engine does not respect {}", passed_over.join(" nor ")),
            };
            return Ok((limit, note));
        }
        passed_over.push(limit.to_string());
    }
    Err(Failure::Failed(miette::miette!(
        help = "`harness check ENGINE` shows what it answers",
        "{} respects none of {}",
        engine.name,
        passed_over.join(", ")
    )))
}
