//! Starting a player of either kind.

use super::builtin::Builtin;
use super::child::StartSettings;
use super::interface::Player;
use super::named_files::{FileChanged, NamedFiles, check_unchanged};
use super::process::UciProcess;
use super::reply::{Fault, FaultKind};
use super::spec::{EngineSpec, Program, Protocol};
use super::xboard::XboardProcess;
use harness_base::session::Interrupt;

/// Starts a player: a process with handshake and options, or the linked engine.
///
/// The player is ended when it is dropped, and by the warden if this process is killed.
///
/// # Errors
/// A [`Fault`] of kind [`FaultKind::Start`], of kind [`FaultKind::Setting`] for an option that the
/// engine does not offer or a value that it does not take, or [`FaultKind::Interrupted`].
pub fn start(
    spec: &EngineSpec,
    settings: &StartSettings,
    interrupt: &Interrupt,
) -> Result<Box<dyn Player + Send>, Fault> {
    Ok(match &spec.program {
        Program::Builtin => Box::new(Builtin::start(spec, interrupt)?),
        Program::Executable { protocol: Protocol::Uci, .. } => {
            Box::new(UciProcess::start(spec, settings, interrupt)?)
        }
        Program::Executable { protocol: Protocol::Xboard, .. } => {
            Box::new(XboardProcess::start(spec, settings, interrupt)?)
        }
    })
}

/// As [`start`], for a run that has begun: only the engine that it began with.
///
/// # Errors
/// As [`start`]; and a [`Fault`] of kind [`FaultKind::Changed`] when its program, or one of these files, is
/// another one than the run began with.
pub fn start_unchanged(
    spec: &EngineSpec,
    files: &NamedFiles,
    settings: &StartSettings,
    interrupt: &Interrupt,
) -> Result<Box<dyn Player + Send>, Fault> {
    match check_unchanged([spec], files) {
        Err(changed @ FileChanged::Changed { .. }) => Err(Fault {
            player: spec.name.clone(),
            kind: FaultKind::Changed,
            detail: changed.to_string(),
        }),
        // What is gone does not start, and may come back.
        Ok(()) | Err(FileChanged::Gone { .. }) => start(spec, settings, interrupt),
    }
}

/// Starts another process of an engine.
pub type StartAgain<'a> = dyn Fn() -> Result<Box<dyn Player + Send>, Fault> + 'a;
