//! A new experiment, from what an engine offers or from another tool's file.

use std::path::Path;
use std::time::Duration;

use super::engine::{cannot_start, offer};
use harness_base::context::Session;
use harness_base::failure::{Failure, OrFail};
use harness_base::text::nearest;
use harness_base::yaml::quoted;
use harness_player::probe::respected_limits;
use harness_player::{self as player, EngineSpec, FaultKind, Limit, StartSettings, TimeControl};
use harness_tuning::draft::Draft;
use harness_tuning::entries::{Entry, Settings};
use harness_tuning::import::Imported;
use harness_tuning::offer::Offer;
use harness_tuning::parameters::{ParametersError, Problem, choose};
use harness_tuning::space::Space;

/// Limits of an experiment, the best ones first: few nodes, so that there are many games. Last the clock, which
/// some engines respect alone.
const LIMITS: [Limit; 4] = [
    Limit::Nodes(2000),
    Limit::MoveTime(Duration::from_millis(50)),
    Limit::Depth(6),
    Limit::Clock(TimeControl {
        moves: None,
        base: Duration::from_secs(2),
        increment: Duration::from_millis(20),
        hourglass: false,
    }),
];

/// Plain description of a new experiment.
pub struct InitRequest<'a> {
    /// The engine's name in the experiment.
    pub name: &'a str,
    /// The engine.
    pub engine: EngineSpec,
    /// Another tool's file and its contents.
    pub imported: Option<(&'a Path, Imported)>,
    /// Names, patterns and groups of parameters; empty: all that are tunable.
    pub parameters: &'a [String],
}

/// The text of an experiment, and its number of parameters. Its limit is one that the engine
/// respects.
///
/// # Errors
/// When the engine does not start, or has nothing to tune.
pub fn init(request: InitRequest<'_>, session: &Session) -> Result<(String, usize), Failure> {
    let InitRequest { name, mut engine, imported, parameters } = request;
    let offer = offer(&engine, session)?;
    let takes_all = imported.is_none() && parameters.is_empty();
    let entries = match &imported {
        Some((file, imported)) => imported.entries(file),
        None => entries(name, parameters, &offer)?,
    };
    let (file, imported) = imported.unwrap_or((Path::new(""), Imported::default()));
    let unknown = unknown_options(&imported, &offer, &file.display().to_string());
    let chosen = match choose(&entries, &offer, false) {
        Ok(chosen) if unknown.is_empty() => chosen,
        Ok(_) => return Err(ParametersError(unknown)).or_usage(),
        Err(ParametersError(problems)) => {
            return Err(ParametersError([problems, unknown].concat())).or_usage();
        }
    };
    let space = Space::new(chosen.iter().map(|chosen| chosen.parameter.clone()).collect());
    let space = space.or_usage()?;
    let mut draft = Draft::new(name, chosen, &imported, file, &offer);
    draft.lists_play_options = takes_all;
    engine.options.extend(draft.options.clone());
    engine.options.extend(space.options(&space.start()));
    (draft.limit, draft.limit_note) = limit(&engine, imported.limit, session)?;
    Ok((draft.text(), space.parameters().len()))
}

/// The entries of these names; without names, all but the options of play.
fn entries(engine: &str, names: &[String], offer: &Offer) -> Result<Vec<Entry>, Failure> {
    let entry = |name: &str, place: &str| Entry {
        name: name.to_owned(),
        place: place.to_owned(),
        settings: Settings::default(),
    };
    if !names.is_empty() {
        return Ok(names.iter().map(|name| entry(name, "--parameter")).collect());
    }
    if offer.tunable().next().is_some() {
        return Ok(vec![entry("all", "all")]);
    }
    let of_play: Vec<&str> = offer.parameters().iter().map(|one| one.name.as_str()).collect();
    let instead = of_play.last().map_or_else(String::new, |last| {
        let (all, last) = (of_play.join(", "), quoted(last));
        format!("\nof play it has {all}: `-p {last}` takes one all the same")
    });
    Err(Failure::Usage(miette::miette!(
        help = format!(
            "most engines need a build that offers their parameters as spin options; `tench`: \
             `cargo build --release -p tench --features tuning`{instead}"
        ),
        "`{engine}` offers no parameter to tune"
    )))
}

/// Options of the other tool's file that the engine does not have.
fn unknown_options(imported: &Imported, offer: &Offer, file: &str) -> Vec<Problem> {
    let names = || offer.options().iter().map(|option| option.name.as_str());
    let unknown = imported.options.keys().filter(|name| {
        // An engine without Hash plays all the same.
        *name != "Hash" && !names().any(|known| known.eq_ignore_ascii_case(name))
    });
    let problem = |name: &String| Problem {
        place: file.to_owned(),
        text: format!("the engine has no option `{name}`"),
        hint: nearest(name, names()).map(|near| format!("did you mean `{near}`?")),
    };
    unknown.map(problem).collect()
}

/// The first limit that the engine respects, the other tool's before the others; and a comment.
fn limit(
    engine: &EngineSpec,
    imported: Option<Limit>,
    session: &Session,
) -> Result<(Limit, String), Failure> {
    let start = || player::start(engine, &StartSettings::default(), &session.interrupt);
    let mut ignored = Vec::new();
    for limit in imported.into_iter().chain(LIMITS) {
        let respected =
            respected_limits(&[limit], false, &start).map_err(|fault| match fault.kind {
                FaultKind::Interrupted => Failure::Interrupted("nothing was written".to_owned()),
                FaultKind::Setting => Failure::Usage(miette::miette!("{fault}")),
                _ => cannot_start(&fault),
            })?;
        if !respected.is_empty() {
            let note = match ignored[..] {
                [] => "nodes=N, depth=N, movetime=100ms, tc=8+0.08".to_owned(),
                _ => format!("the engine does not respect {}", ignored.join(" nor ")),
            };
            return Ok((limit, note));
        }
        ignored.push(limit.to_string());
    }
    Err(Failure::Failed(miette::miette!(
        help = "`harness check ENGINE` shows what it answers",
        "{} respects none of {}",
        engine.name,
        ignored.join(", ")
    )))
}
