//! Running another program to its end and keeping what it printed.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use thiserror::Error;

use harness_base::platform::{Group, scratch_file};
use harness_base::secret;
use harness_base::session::Interrupt;

/// Interval at which a wait checks the interrupt.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The result of a program.
#[derive(Debug)]
pub struct Captured {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// From its start to its end.
    pub elapsed: Duration,
}

/// A program that did not come to its end.
#[derive(Debug, Error)]
pub enum CaptureError {
    /// It could not be started, or its output could not be kept.
    #[error("{0}")]
    NotRun(#[from] io::Error),
    /// It took longer than it may.
    #[error("no end within {:.0} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// The user interrupted it.
    #[error("interrupted")]
    Interrupted,
}

/// Runs a program to its end and keeps what it printed; see [`run_to_end`].
///
/// # Errors
/// As [`run_to_end`]; and when its output cannot be kept.
pub fn capture(
    mut command: Command,
    patience: Duration,
    interrupt: &Interrupt,
    tell: &mut dyn FnMut(Duration),
) -> Result<Captured, CaptureError> {
    // Files: a pipe that is not read would block the program.
    let mut stdout = scratch_file()?;
    let mut stderr = scratch_file()?;
    command.stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    let started = Instant::now();
    let status = run_to_end(command, patience, interrupt, tell)?;
    let elapsed = started.elapsed();
    let stdout = content(&mut stdout)?;
    let stderr = content(&mut stderr)?;
    Ok(Captured { status, stdout, stderr, elapsed })
}

/// Runs a program to its end, without input, in a process group of its own; nothing that it started is
/// left. It gets no secret of the environment. `tell` gets the time since the start, some times a
/// second.
///
/// # Errors
/// When it cannot be started, takes longer than `patience`, or is killed because of an interrupt.
pub fn run_to_end(
    mut command: Command,
    patience: Duration,
    interrupt: &Interrupt,
    tell: &mut dyn FnMut(Duration),
) -> Result<ExitStatus, CaptureError> {
    secret::remove_from(&mut command);
    command.stdin(Stdio::null());
    let started = Instant::now();
    let (mut group, _) = Group::spawn(command)?;
    loop {
        if let Some(status) = group.wait(LOOK_EVERY) {
            return Ok(status);
        }
        if started.elapsed() > patience {
            return Err(CaptureError::TimedOut(patience));
        }
        if interrupt.is_set() {
            return Err(CaptureError::Interrupted);
        }
        tell(started.elapsed());
    }
}

fn content(file: &mut File) -> io::Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    fn shell(text: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", text]);
        command
    }

    #[test]
    fn both_outputs_and_the_status_are_kept() {
        let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
        let text = "head -c 300000 /dev/zero | tr '\\0' x; echo oops >&2; exit 7";
        let done = capture(shell(text), PATIENCE, &interrupt, &mut |_| ()).expect("ran");
        assert_eq!((done.status.code(), done.stdout.len()), (Some(7), 300_000));
        assert_eq!(done.stderr, "oops\n");
    }

    #[test]
    fn an_interrupt_kills() {
        let (interrupt, setter) = Interrupt::manual().expect("a pipe");
        setter.set();
        let killed = capture(shell("sleep 1000"), PATIENCE, &interrupt, &mut |_| ());
        assert!(matches!(killed, Err(CaptureError::Interrupted)), "{killed:?}");
    }

    #[test]
    fn what_takes_too_long_is_ended() {
        let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
        let patience = Duration::from_millis(20);
        let late = capture(shell("sleep 1000"), patience, &interrupt, &mut |_| ());
        assert!(matches!(late, Err(CaptureError::TimedOut(_))), "{late:?}");
    }
}
