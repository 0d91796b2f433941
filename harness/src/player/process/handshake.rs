//! From a program to an engine that is ready: start, `uci`, options.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use super::super::group::{Group, Pipes};
use super::super::options::DeclaredOption;
use super::super::transcript::Transcript;
use super::super::uci::PositionCommand;
use super::super::wire::{Deadline, Wire};
use super::super::{EngineSpec, Fault, FaultKind, Info, Program};
use super::{StartSettings, UciProcess};
use crate::session::Interrupt;

impl UciProcess {
    /// Starts the process, without the handshake.
    pub(super) fn spawn(
        spec: &EngineSpec,
        settings: &StartSettings,
        interrupt: &Interrupt,
        transcript: Option<Arc<Transcript>>,
    ) -> Result<UciProcess, Fault> {
        let fault = |detail| Fault { player: spec.name.clone(), kind: FaultKind::Start, detail };
        let Program::Executable { path, args, dir, .. } = &spec.program else {
            return Err(fault("it is no process".to_owned()));
        };
        let mut command = Command::new(path);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(dir) = dir {
            command.current_dir(dir);
        }
        let started = Group::spawn_engine(command, settings.memory);
        let (group, pipes) =
            started.map_err(|error| fault(why_not_started(path, dir.as_deref(), &error)))?;
        let Pipes { stdin: Some(stdin), stdout: Some(stdout), stderr: Some(stderr) } = pipes else {
            return Err(fault("it has no pipes".to_owned()));
        };
        let wire = Wire::new(stdin, stdout, stderr, transcript)
            .map_err(|error| fault(format!("its pipes cannot be set up: {error}")))?;
        Ok(UciProcess {
            name: spec.name.clone(),
            group,
            wire,
            interrupt: interrupt.clone(),
            settings: *settings,
            id_name: None,
            id_author: None,
            declared: Vec::new(),
            unreadable: Vec::new(),
            chess960: false,
            searching: false,
            given_up: false,
            position: PositionCommand::default(),
            command: Vec::new(),
            info: Info::default(),
        })
    }

    /// Sends `uci`, and reads `id` and `option` lines until `uciok`.
    pub(super) fn handshake(&mut self) -> Result<(), Fault> {
        let mut deadline = Deadline::after(self.settings.handshake);
        self.write(b"uci\n", &mut deadline, "uciok")?;
        loop {
            let line = match self.wire.line(&self.group, Some(&self.interrupt), &mut deadline) {
                Ok(line) => String::from_utf8_lossy(line),
                Err(stop) => return Err(self.fault(stop, "uciok", self.settings.handshake)),
            };
            match line.split_once(char::is_whitespace) {
                Some(("option", rest)) => match DeclaredOption::parse(rest) {
                    Some(option) => self.declared.push(option),
                    None => {
                        tracing::warn!("{}: cannot read `{line}`", self.name);
                        self.unreadable.push(line.into_owned());
                    }
                },
                Some(("id", rest)) => {
                    if let Some(name) = rest.trim().strip_prefix("name ") {
                        self.id_name = Some(name.trim().to_owned());
                    }
                    if let Some(author) = rest.trim().strip_prefix("author ") {
                        self.id_author = Some(author.trim().to_owned());
                    }
                }
                None if line == "uciok" => return Ok(()),
                _ => {}
            }
        }
    }
}

fn why_not_started(path: &Path, dir: Option<&Path>, error: &std::io::Error) -> String {
    let path = path.display();
    match (error.raw_os_error(), dir) {
        (_, Some(dir)) if !dir.is_dir() => {
            format!("its working folder {} is not there", dir.display())
        }
        // ENOEXEC, the same number on every Unix.
        (Some(8), _) => format!("{path} is neither a program for this machine nor a script"),
        _ => format!("{path}: {error}"),
    }
}
