//! The parameters that an engine offers.

use std::time::Duration;

use engine::params::{Export, Format};

use harness_base::context::Session;
use harness_base::failure::Failure;
use harness_player::{
    self as player, EngineSpec, Fault, FaultKind, Program, StartSettings, UciProcess,
};
use harness_tuning::offer::Offer;

/// Arguments with which an engine's program prints its parameters, and the time limit.
const LIST_COMMAND: &[&str] = &["params", "--format", "openbench"];
const LIST_TIMEOUT: Duration = Duration::from_secs(5);

/// The parameters of an engine. If its program prints them as OpenBench's lines, the steps are
/// those, so that the linked engine and its program have the same.
pub fn offer(engine: &EngineSpec, session: &Session) -> Result<Offer, Failure> {
    if engine.program == Program::Builtin {
        let list = Export(Format::OpenBench).to_string();
        return Ok(Offer::new(&player::Builtin::declared(), Some(&list)));
    }
    let process = UciProcess::start(engine, &StartSettings::default(), &session.interrupt);
    let process = process.map_err(|fault| match fault.kind {
        FaultKind::Interrupted => Failure::Interrupted("nothing was played".to_owned()),
        _ => cannot_start(&fault),
    })?;
    let options = process.declared().to_vec();
    drop(process);
    let bare = Offer::new(&options, None);
    if bare.tunable().next().is_none() {
        return Ok(bare);
    }
    let list = player::program_output(engine, LIST_COMMAND, LIST_TIMEOUT);
    Ok(list.map_or(bare, |list| Offer::new(&options, Some(&list))))
}

/// The failure of an engine that does not start.
pub fn cannot_start(fault: &Fault) -> Failure {
    Failure::Failed(miette::miette!(
        help = "`harness check ENGINE` shows what it says; no game was played",
        "{fault}"
    ))
}
