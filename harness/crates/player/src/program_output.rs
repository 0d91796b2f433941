//! The output of an engine's program run with another command than UCI.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::spec::{EngineSpec, Program};
use harness_base::platform::Group;
use harness_base::secret;

/// Bytes read at most.
const MAX_BYTES: u64 = 1 << 20;

/// Runs `PROGRAM ARGS... WORDS...` without input and returns its standard output;
/// `None` if it does not end by itself within the time, or not with status 0, and for the linked
/// engine.
pub fn program_output(engine: &EngineSpec, words: &[&str], at_most: Duration) -> Option<String> {
    let Program::Executable { path, args, dir, .. } = &engine.program else { return None };
    let mut command = Command::new(path);
    command.args(args).args(words);
    secret::remove_from(&mut command);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    if let Some(dir) = dir {
        command.current_dir(dir);
    }
    let deadline = Instant::now() + at_most;
    let (mut group, pipes) = Group::spawn_engine(command, None).ok()?;
    let stdout = pipes.into_stdout()?;
    let (sender, receiver) = mpsc::channel();
    // A thread of its own: a program may print for ever.
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.take(MAX_BYTES).read_to_end(&mut bytes);
        // The receiver is closed after the timeout.
        let _ = sender.send(read.ok().map(|_| bytes));
    });
    let bytes = receiver.recv_timeout(at_most).ok()??;
    let left = deadline.saturating_duration_since(Instant::now());
    let status = group.wait(left)?;
    status.success().then(|| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::spec::Protocol;
    use super::*;

    fn shell(script: &str) -> EngineSpec {
        EngineSpec {
            name: "shell".to_owned(),
            program: Program::Executable {
                path: PathBuf::from("/bin/sh"),
                args: vec!["-c".to_owned(), script.to_owned()],
                protocol: Protocol::Uci,
                init: Vec::new(),
                dir: None,
                sha256: String::new(),
                revision: None,
            },
            options: Default::default(),
        }
    }

    #[test]
    fn only_the_output_of_a_program_that_succeeds_in_time_is_used() {
        for (script, within, expected) in [
            ("echo \"$0 $1\"", 20_000, Some("params x\n")),
            ("cat; echo over", 20_000, Some("over\n")),
            ("echo half; exit 1", 20_000, None),
            ("echo half; sleep 100", 100, None),
            ("while :; do echo on; done", 100, None),
        ] {
            let output =
                program_output(&shell(script), &["params", "x"], Duration::from_millis(within));
            assert_eq!(output.as_deref(), expected, "{script}");
        }
    }
}
