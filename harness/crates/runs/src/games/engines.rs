//! Each engine is tried before a run exists.

use std::collections::BTreeMap;

use miette::Diagnostic;
use thiserror::Error;

use super::event::{Event, Sink};
use super::stored_plan::StoredPlan;
use crate::preflight::{Preflight, may_start, start};
use harness_arena::Rules;
use harness_base::failure::{Failure, OrFail};
use harness_base::session::Session;
use harness_player::probe::Probe;
use harness_player::{
    EngineSpec, Fault, FaultKind, Limit, NO_NODE_LIMIT, OptionError, Player, Program, check_option,
};

/// An engine that could not be started before anything was played.
#[derive(Debug, Error, Diagnostic)]
#[error("{0}")]
#[diagnostic(help("`harness check ENGINE` shows what it prints; nothing was played"))]
struct CannotStart(Fault);

/// Starts each engine once, so that a wrong option or a missing library is an error before a run
/// exists; notes the defaults of `Threads` and `Hash`; probes it. Returns the warnings of the probe.
pub(super) fn try_engines(
    kept: &mut StoredPlan,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<Vec<String>, Failure> {
    if !may_start(session) {
        return Ok(Vec::new());
    }
    let settings = kept.starting.settings();
    let rules = kept.plan.conduct.rules;
    let chess960 = rules == Rules::Chess960;
    let keeps_process = !kept.plan.conduct.restart;
    let ponders = kept.plan.conduct.ponder;
    let mut preflight = Preflight::default();
    let mut without_pondering = Vec::new();
    let engines = kept.plan.engines.iter().zip(&kept.plan.limits);
    for ((engine, &limit), facts) in engines.zip(&mut kept.facts.engines) {
        let start = || start(engine, &settings, session);
        let tried = start().and_then(|mut player| {
            facts.defaults = defaults(&*player);
            if !engine.is_uci() && limit.parts().iter().any(|part| matches!(part, Limit::Nodes(_)))
            {
                return Err(no_node_limit(engine));
            }
            if ponders && !player.allow_pondering()? {
                without_pondering
                    .push(format!("{} does not ponder: it has no option `Ponder`", engine.name));
            }
            if let Rules::Variant(variant) = rules {
                player.play_variant(variant.uci())?;
            }
            if chess960 {
                player.new_game(true)?;
            }
            let asked = Probe { limit, chess960, keeps_process, ranges: Vec::new() };
            // The probe's positions are those of chess.
            if session.probe && engine.is_uci() && rules.is_chess() {
                preflight.probe(player, engine, &asked, &start)
            } else {
                Ok(())
            }
        });
        match tried {
            Ok(()) => {}
            Err(fault) if fault.kind == FaultKind::Interrupted => {
                return Err(Failure::Interrupted("no game was played".to_owned()));
            }
            Err(fault) if fault.kind == FaultKind::Setting => {
                return Err(CannotStart(fault)).or_usage();
            }
            // Counts in its games.
            Err(fault) if fault.kind != FaultKind::Start => {}
            Err(fault) => return Err(CannotStart(fault)).or_failed(),
        }
    }
    let warn = |text: &str| sink(&Event::Warning(text));
    let mut warnings: Vec<String> = preflight.finish(&warn)?.into_iter().flatten().collect();
    without_pondering.iter().for_each(|text| warn(text));
    warnings.append(&mut without_pondering);
    Ok(warnings)
}

/// An option that was given to an engine that does not have it, or does not take the value.
#[derive(Clone, Debug)]
pub struct RefusedOption {
    /// The engine.
    pub engine: String,
    /// The option.
    pub option: String,
    /// The value.
    pub value: String,
    /// Why it does not fit.
    pub error: OptionError,
}

/// Question to an engine before a run whose options may not fit.
#[derive(Clone, Debug, Default)]
pub struct Fit {
    /// Default of its `Threads`, if it has that option.
    pub threads: Option<i64>,
    /// Default of its `Hash`, if it has that option.
    pub hash: Option<i64>,
    /// Options that do not fit.
    pub refused: Vec<RefusedOption>,
}

/// Takes options that do not fit out of the engines of a plan, for a command that plays all the same.
pub(super) fn drop_misfits(kept: &mut StoredPlan, session: &Session) -> Result<Vec<Fit>, Failure> {
    let settings = kept.starting.settings();
    let engines = kept.plan.engines.iter_mut().zip(&mut kept.facts.engines);
    let fits = engines.map(|(engine, facts)| {
        let plain = EngineSpec { options: BTreeMap::new(), ..engine.clone() };
        let player = match start(&plain, &settings, session) {
            Ok(player) => player,
            Err(fault) if fault.kind == FaultKind::Interrupted => {
                return Err(Failure::Interrupted("no game was played".to_owned()));
            }
            Err(fault) => return Err(CannotStart(fault)).or_failed(),
        };
        let [threads, hash] = ["Threads", "Hash"].map(|option| player.default_of(option));
        let mut fit = Fit { threads, hash, refused: Vec::new() };
        // Another player's options are checked when they are set.
        if engine.is_uci() && engine.program != Program::Builtin {
            let declared = player.declared();
            engine.options.retain(|option, value| {
                let Err(error) = check_option(declared, option, value) else { return true };
                let (engine, option, value) = (plain.name.clone(), option.clone(), value.clone());
                fit.refused.push(RefusedOption { engine, option, value, error });
                false
            });
            facts.options = engine.options.clone();
        }
        Ok(fit)
    });
    fits.collect()
}

fn no_node_limit(engine: &EngineSpec) -> Fault {
    Fault {
        player: engine.name.clone(),
        kind: FaultKind::Setting,
        detail: NO_NODE_LIMIT.to_owned(),
    }
}

fn defaults(player: &dyn Player) -> BTreeMap<String, String> {
    // An engine without the option has one thread.
    let threads = player.default_of("Threads").unwrap_or(1);
    let hash = player.default_of("Hash").map(|hash| ("Hash".to_owned(), hash.to_string()));
    [("Threads".to_owned(), threads.to_string())].into_iter().chain(hash).collect()
}
