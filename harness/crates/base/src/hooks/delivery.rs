//! Giving events to the command of a hook.

use std::collections::VecDeque;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::queue::Queue;
use super::{EVENT_VARIABLE, Notice, PlacedHook, RUN_VARIABLE};
use crate::platform::{Group, Moved, Streams};
use crate::secret;
use crate::text::decode;

/// Longest wait before the deadline is looked at again.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Bytes at the end of a hook's standard error that a warning may show.
const MAX_KEPT: usize = 2000;

/// A hook that did not take its event.
#[derive(Debug, Error)]
pub enum DeliveryError {
    /// It could not be started.
    #[error("it cannot be started: {0}")]
    NotStarted(#[from] std::io::Error),
    /// It took too long.
    #[error("it did not end within {0} s and was ended")]
    TimedOut(u64),
    /// It says that it failed.
    #[error("it ended with {status}{}", shown(printed))]
    Failed {
        /// How it ended.
        status: std::process::ExitStatus,
        /// The last line of its standard error.
        printed: String,
    },
}

fn shown(printed: &str) -> String {
    if printed.is_empty() { String::new() } else { format!(": {printed}") }
}

/// The thread of a hook.
pub(super) struct Delivery {
    pub placed: PlacedHook,
    pub queue: Arc<Queue>,
}

impl Delivery {
    /// Delivers one event after the other until there are no more. Warns of the first fault alone.
    pub fn run(&self) {
        let command = &self.placed.hook.command;
        let mut faults: u64 = 0;
        while let Some(notice) = self.queue.next() {
            if let Err(error) = deliver(&self.placed, &notice, &|| self.queue.deadline()) {
                if faults == 0 {
                    let event = notice.event.name();
                    tracing::warn!("the hook `{command}` failed at `{event}`: {error}");
                }
                faults += 1;
            }
        }
        if faults > 1 {
            tracing::warn!("the hook `{command}` failed {faults} times");
        }
        match self.queue.dropped() {
            0 => {}
            lost => {
                tracing::warn!("the hook `{command}` was too slow: {lost} events did not reach it")
            }
        }
    }
}

/// Runs the command of a hook with an event on its standard input. What it prints is read and thrown
/// away; it need not read. `deadline` gives a moment at which it is ended before its time is up.
///
/// # Errors
/// When it cannot be started, does not end in time, or fails.
pub fn deliver(
    placed: &PlacedHook,
    notice: &Notice,
    deadline: &dyn Fn() -> Option<Instant>,
) -> Result<(), DeliveryError> {
    let PlacedHook { hook, folder } = placed;
    let mut command = Command::new("sh");
    command.arg("-c").arg(&hook.command);
    command.env(EVENT_VARIABLE, notice.event.name()).env(RUN_VARIABLE, &notice.run);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    secret::remove_from(&mut command);
    let begun = Instant::now();
    let (mut group, pipes) = Group::spawn(command)?;
    let mut talk = Talk::new(Streams::new(pipes)?, notice.line.as_bytes());
    loop {
        let own = begun + Duration::from_secs(hook.timeout.into());
        let left =
            deadline().map_or(own, |end| end.min(own)).checked_duration_since(Instant::now());
        let Some(left) = left.filter(|left| !left.is_zero()) else {
            group.kill();
            return Err(DeliveryError::TimedOut(begun.elapsed().as_secs_f64().ceil() as u64));
        };
        talk.step(&mut group, left.min(LOOK_EVERY));
        if let Some(status) = group.wait(Duration::ZERO) {
            talk.read();
            let printed = talk.last_line();
            return match status.success() {
                true => Ok(()),
                false => Err(DeliveryError::Failed { status, printed }),
            };
        }
    }
}

/// The exchange with the command of a hook.
struct Talk<'a> {
    streams: Streams,
    to_write: &'a [u8],
    /// The end of its standard error.
    printed: VecDeque<u8>,
}

impl<'a> Talk<'a> {
    fn new(streams: Streams, to_write: &'a [u8]) -> Talk<'a> {
        Talk { streams, to_write, printed: VecDeque::new() }
    }

    /// Writes and reads what can be, and waits for more.
    fn step(&mut self, group: &mut Group, at_most: Duration) {
        if !self.to_write.is_empty() {
            match self.streams.write(self.to_write) {
                Moved::Bytes(count) => self.to_write = &self.to_write[count..],
                Moved::Nothing => {}
                // It need not read.
                Moved::Closed => self.to_write = &[],
            }
            if self.to_write.is_empty() {
                self.streams.close_input();
            }
        }
        self.read();
        self.streams.wait(group, None, at_most, !self.to_write.is_empty());
    }

    /// Reads what is there; bounded, so that one that prints without end is ended in its time.
    fn read(&mut self) {
        let mut buffer = [0; 16 << 10];
        for _ in 0..64 {
            let out = self.streams.read_stdout(&mut buffer);
            let error = self.streams.read_stderr(&mut buffer);
            if let Moved::Bytes(count) = error {
                self.printed.extend(&buffer[..count]);
                let over = self.printed.len().saturating_sub(MAX_KEPT);
                self.printed.drain(..over);
            }
            if ![out, error].iter().any(|moved| matches!(moved, Moved::Bytes(_))) {
                return;
            }
        }
    }

    fn last_line(&mut self) -> String {
        let text = decode(self.printed.make_contiguous());
        text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Hook, HookEvent};

    fn run(command: &str, timeout: u16, line: &str) -> Result<(), DeliveryError> {
        let hook = Hook { timeout, ..Hook::new(command.to_owned()) };
        let notice =
            Notice { event: HookEvent::Finished, run: "a-run".to_owned(), line: line.to_owned() };
        deliver(&PlacedHook { hook, folder: None }, &notice, &|| None)
    }

    #[test]
    fn a_hook_gets_its_event_in_its_folder_with_the_names_in_its_environment() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let command = "cat >event; echo \"$TENCH_EVENT $TENCH_RUN\" >names";
        let hook = Hook::new(command.to_owned());
        let line = format!("{{\"long\":\"{}\"}}\n", "x".repeat(1 << 20));
        let notice = Notice { event: HookEvent::Started, run: "r".to_owned(), line: line.clone() };
        let placed = PlacedHook { hook, folder: Some(folder.path().to_owned()) };
        deliver(&placed, &notice, &|| None).expect("delivered");
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect(name);
        assert_eq!((read("event"), read("names")), (line, "started r\n".to_owned()));
    }

    #[test]
    fn whatever_a_hook_does_it_ends_in_time() {
        let long = "x".repeat(1 << 20);
        let cases: [(&str, &str, Option<&str>); 8] = [
            ("exit 0", &long, None),
            ("cat", &long, None),
            ("exec 0<&- ; sleep 0.1", &long, None),
            ("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2", &long, None),
            ("echo one >&2; echo 'the reason' >&2; exit 3", "{}", Some("the reason")),
            ("kill -9 $$", "{}", Some("signal")),
            ("no-such-program-here", "{}", Some("no-such-program-here")),
            ("sleep 100 & exit 0", "{}", None),
        ];
        for (command, line, reason) in cases {
            let begun = Instant::now();
            let ended = run(command, 20, line).map_err(|error| error.to_string());
            assert!(begun.elapsed() < Duration::from_secs(15), "{command}");
            match reason {
                None => assert_eq!(ended, Ok(()), "{command}"),
                Some(reason) => assert!(ended.expect_err(command).contains(reason), "{command}"),
            }
        }
    }

    #[test]
    fn one_that_hangs_or_prints_without_end_is_ended_with_what_it_started() {
        for command in ["sleep 100", "yes", "yes >&2", "trap '' TERM INT HUP; sleep 100 & wait"] {
            let begun = Instant::now();
            let error = run(command, 1, "{}").expect_err(command);
            assert!(matches!(error, DeliveryError::TimedOut(_)), "{command}: {error}");
            assert!(begun.elapsed() < Duration::from_secs(10), "{command}");
        }
    }
}
