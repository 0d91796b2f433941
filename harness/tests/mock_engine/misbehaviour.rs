//! Kinds of misbehaviour.

use std::io::Write;
use std::process::Command;
use std::time::Duration;

use clap::ValueEnum;

/// Where to misbehave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Place {
    Start,
    Uci,
    Isready,
    Newgame,
    Go,
}

/// How to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Crash {
    /// With exit status 3.
    Exit,
    /// With exit status 0, as if all were well.
    Success,
    /// By `abort`.
    Abort,
    /// As by a wild pointer.
    Segfault,
}

impl Crash {
    pub fn now(self) -> ! {
        match self {
            Crash::Exit => std::process::exit(3),
            Crash::Success => std::process::exit(0),
            Crash::Abort => std::process::abort(),
            Crash::Segfault => loop {
                // The first only removes the handler with which Rust looks for stack overflows.
                system::fault();
            },
        }
    }
}

/// A limit that does not end a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Endless {
    Nodes,
    Depth,
    Movetime,
    /// Every one but a clock.
    AllButClock,
    /// Every one.
    Any,
}

impl Endless {
    /// Whether a `go` with these arguments has this limit.
    pub fn is_it(self, go: &str) -> bool {
        let first = go.split(' ').next().unwrap_or_default();
        match self {
            Endless::Nodes => first == "nodes",
            Endless::Depth => first == "depth",
            Endless::Movetime => first == "movetime",
            Endless::AllButClock => {
                !matches!(first, "infinite" | "ponder")
                    && !go.contains("wtime")
                    && !go.contains("btime")
            }
            Endless::Any => !matches!(first, "infinite" | "ponder"),
        }
    }
}

/// A line that is not as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Malformed {
    EmptyLine,
    BareSetoption,
    UnknownOption,
}

impl Malformed {
    /// Whether a line is of this kind.
    pub fn is_it(self, line: &str) -> bool {
        match self {
            Malformed::EmptyLine => line.trim().is_empty(),
            Malformed::BareSetoption => line.trim() == "setoption",
            Malformed::UnknownOption => line.contains("NoSuchOption"),
        }
    }
}

/// What to answer instead of a legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Wrong {
    /// A move that is legal nowhere.
    Illegal,
    /// `bestmove (none)`.
    None,
    /// `bestmove 0000`.
    Null,
    /// `bestmove` and nothing.
    Empty,
    /// `bestmove` and bytes.
    Garbage,
}

impl Wrong {
    pub fn answer(self) -> String {
        let text = match self {
            Wrong::Illegal => "a1a1",
            Wrong::None => "(none)",
            Wrong::Null => "0000",
            Wrong::Empty => "",
            Wrong::Garbage => "e9z0\u{1b}[31m",
        };
        format!("bestmove {text}")
    }
}

pub fn hang() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

pub fn flood_stderr(bytes: usize) {
    let line = [b'e'; 1024];
    let mut stderr = std::io::stderr().lock();
    for _ in 0..bytes.div_ceil(line.len()) {
        if stderr.write_all(&line).is_err() {
            return;
        }
    }
}

/// Starts a process that holds standard output open and sleeps.
pub fn start_grandchild() {
    if let Ok(child) = Command::new("sleep").arg("1000").spawn() {
        println!("info string grandchild {}", child.id());
    }
}

pub use system::{close_output, freeze, start_escapee};

/// What needs a Unix system.
#[cfg(unix)]
mod system {
    use std::fs::OpenOptions;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    use rustix::process::{Signal, getpid, kill_process, setsid};

    /// Ends this process as a wild pointer would.
    pub fn fault() {
        let _ = kill_process(getpid(), Signal::SEGV);
    }

    /// Redirects standard output to /dev/null: the harness sees it closed.
    pub fn close_output() {
        let nowhere = OpenOptions::new().write(true).open("/dev/null").expect("/dev/null is there");
        rustix::stdio::dup2_stdout(nowhere).expect("standard output can be replaced");
    }

    /// Starts a process that sleeps in a session of its own and holds nothing of ours.
    pub fn start_escapee() {
        let mut command = Command::new("sleep");
        command.arg("1000").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are
        // allowed; it makes the one system call setsid.
        unsafe {
            command.pre_exec(|| {
                setsid()?;
                Ok(())
            });
        }
        if let Ok(child) = command.spawn() {
            println!("info string escapee {}", child.id());
        }
    }

    /// Stops this process until SIGCONT.
    pub fn freeze() {
        kill_process(getpid(), Signal::STOP).expect("a process may stop itself");
    }
}

/// What another system cannot do alike ends the process: a test that asks for it fails there.
#[cfg(not(unix))]
mod system {
    pub fn fault() {
        std::process::abort();
    }

    pub fn close_output() {
        panic!("only Unix closes standard output");
    }

    pub fn start_escapee() {
        panic!("only Unix has sessions");
    }

    pub fn freeze() {
        panic!("only Unix stops a process");
    }
}
