//! The parameters that an engine offers.

use std::time::Duration;

use engine::params::{Export, Format};

use harness_base::context::Session;
use harness_base::failure::{Failure, OrFail};
use harness_cluster::sandbox;
use harness_player::{
    self as player, EngineSpec, Fault, FaultKind, Program, StartSettings, UciProcess,
};
use harness_tuning::offer::Offer;
use harness_tuning::space::Parameter;

use super::network;
use crate::preflight::may_start;

/// Arguments with which an engine's program prints its parameters, and the time limit.
const LIST_COMMAND: &[&str] = &["params", "--format", "openbench"];
const LIST_TIMEOUT: Duration = Duration::from_secs(5);

/// The parameters of an engine that can be tuned, with the ranges that it declares.
///
/// # Errors
/// As [`offer`].
pub fn tunable(engine: &EngineSpec, session: &Session) -> Result<Vec<Parameter>, Failure> {
    Ok(offer(engine, session)?.tunable().cloned().collect())
}

/// The parameters of an engine, which is started for them: in the sandbox of this machine, if it has one,
/// where workers on other machines play. If its program prints them as OpenBench's lines, the steps are
/// those, so that the linked engine and its program have the same.
///
/// # Errors
/// When it cannot be started, or may not be on this machine.
pub fn offer(engine: &EngineSpec, session: &Session) -> Result<Offer, Failure> {
    if engine.program == Program::Builtin {
        let list = Export(Format::OpenBench).to_string();
        let offer = Offer::new(&player::Builtin::declared(), Some(&list));
        return Ok(offer.with_network(&network::options_of(engine).or_usage()?));
    }
    if !may_start(session) {
        return Err(Failure::Usage(miette::miette!(
            help = "tune the linked engine, or leave `--probe-on-workers` out: the engine then runs here in \
                    a sandbox, if bubblewrap is installed",
            "tuning asks {} for its parameters on this machine, where `--probe-on-workers` starts no engine",
            engine.name
        )));
    }
    let here = session.on.as_ref().map(|_| sandbox::here().around_here(engine));
    let engine = here.as_ref().unwrap_or(engine);
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use harness_base::platform;
    use harness_base::session::{ClusterAddress, Interrupt, Remote, Scaling};
    use harness_cluster::sandbox::Sandbox;

    /// A session whose games are played here, or by workers.
    fn session(starts_here: Option<bool>) -> Session {
        let on = starts_here.map(|starts_here| Remote {
            address: ClusterAddress::new(
                "nats://localhost:4222".parse().expect("an address"),
                None,
            ),
            priority: 1.0,
            scaling: Scaling::Off,
            sources: false,
            verify: 0.0,
            starts_here,
        });
        let (interrupt, _) = Interrupt::manual().expect("an interrupt");
        Session { reports: PathBuf::from("reports"), quiet: true, probe: true, on, interrupt }
    }

    #[test]
    fn an_engine_is_asked_in_the_sandbox_where_workers_play_and_not_at_all_if_the_user_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, mark) = (folder.path().join("engine"), folder.path().join("mark"));
        let script = format!(
            "#!/bin/sh\n(echo started >{}) 2>/dev/null\n\
             while read line; do case $line in\n\
             uci) echo option name Margin type spin default 5 min 0 max 9; echo uciok;;\n\
             isready) echo readyok;;\nquit) exit;;\nesac; done\n",
            mark.display()
        );
        fs::write(&path, script).expect("a file");
        platform::make_program(&path).expect("ours");
        let program = Program::uci(path, String::new(), None);
        let engine = EngineSpec { name: "marks".to_owned(), program, options: Default::default() };
        let is_sandboxed = *sandbox::here() != Sandbox::None;
        for (starts_here, is_asked, is_marked) in
            [(None, true, true), (Some(true), true, !is_sandboxed), (Some(false), false, false)]
        {
            let offered = offer(&engine, &session(starts_here));
            match offered {
                Ok(offer) => assert!(is_asked && offer.tunable().next().is_some()),
                Err(Failure::Usage(report)) => {
                    assert!(!is_asked && report.to_string().contains("marks"), "{report}");
                }
                Err(other) => panic!("{starts_here:?}: {other:?}"),
            }
            assert_eq!(fs::remove_file(&mark).is_ok(), is_marked, "{starts_here:?}");
        }
    }
}
