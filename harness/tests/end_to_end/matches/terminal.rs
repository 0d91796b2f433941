//! A terminal that is closed while the harness runs in it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command};

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::process::{ioctl_tiocsctty, setsid};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::matches::bench::{Bench, until};

/// A terminal that a program runs in.
struct Terminal {
    controller: File,
    program: Child,
}

impl Terminal {
    fn run(mut program: Command) -> Terminal {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)
            .expect("a terminal");
        grantpt(&controller).and_then(|()| unlockpt(&controller)).expect("it is ours");
        let name = ptsname(&controller, Vec::new()).expect("it has a name");
        let flags = OFlags::NOCTTY.bits().cast_signed();
        let user = std::os::unix::fs::OpenOptionsExt::custom_flags(
            File::options().read(true).write(true),
            flags,
        )
        .open(OsStr::from_bytes(name.as_bytes()))
        .expect("it opens");
        let copy = || user.try_clone().expect("a descriptor");
        program.stdin(copy()).stdout(copy()).stderr(copy());
        // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are
        // allowed; it makes two system calls.
        unsafe {
            program.pre_exec(|| {
                setsid()?;
                ioctl_tiocsctty(rustix::stdio::stdin())?;
                Ok(())
            });
        }
        let program = program.spawn().expect("the program starts");
        fcntl_setfl(&controller, OFlags::RDWR | OFlags::NONBLOCK).expect("flags are set");
        Terminal { controller: File::from(controller), program }
    }

    /// Reads what is shown, lest the program wait for it.
    fn show(&mut self) {
        let mut shown = [0; 4096];
        while self.controller.read(&mut shown).is_ok_and(|length| length > 0) {}
    }

    /// Closes the window; gives the exit status.
    fn close(mut self) -> Option<i32> {
        drop(self.controller);
        let mut ended = None;
        until("it does not end", || {
            ended = self.program.try_wait().expect("it is our child");
            ended.is_some()
        });
        let ended = ended?;
        assert_eq!(ended.signal(), None);
        ended.code()
    }
}

#[test]
fn a_closed_terminal_interrupts_and_what_was_done_is_kept() {
    let bench = Bench::new(&[("a", "--delay 2"), ("b", "--delay 2 --seed 2")]);
    let line = "match a b --nodes 1 --max-moves 10 --games 60 --report-every 2";
    let mut terminal = Terminal::run(bench.harness(line));
    until("no game is kept", || {
        terminal.show();
        bench.has_games()
    });
    assert_eq!(terminal.close(), Some(130));
    bench.assert_no_engine_left();
    assert_eq!(bench.json("resume last")["games"], 60);
    bench.assert_whole(30);
}

#[test]
fn a_closed_terminal_interrupts_games_for_training() {
    let bench = Bench::new(&[]);
    let line = "data generate --games 100000 --nodes 20 --jobs 1 -o some.games";
    let mut terminal = Terminal::run(bench.harness(line));
    until("no game is written", || {
        terminal.show();
        let size = |entry: std::fs::DirEntry| entry.metadata().map_or(0, |facts| facts.len());
        let entries = std::fs::read_dir(bench.path()).expect("readable").flatten();
        entries
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("some.games"))
            .map(size)
            .max()
            > Some(1000)
    });
    assert_eq!(terminal.close(), Some(130));
    let ended = bench.run("data validate some.games");
    assert_eq!(ended.status, 0, "{}", ended.stderr);
}
