//! `harness lichess` against a server of ours that speaks the documented interface.

mod board;
mod challenges;
mod faults;
mod games;
mod limits;
mod security;
mod seek;
mod server;

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{MOCK, harness, until};
use server::{Opponent, Server};

/// A bot as a process of its own.
struct Bot {
    folder: TempDir,
    child: Option<Child>,
}

/// The command of a bot, with settings.
fn command(
    folder: &Path,
    server: &Server,
    account: &str,
    settings: &str,
    args: &[&str],
) -> Command {
    let text = format!("url: {}\n{settings}\n", server.url);
    std::fs::write(folder.join("lichess.yaml"), text).expect("written");
    let mut command = harness(folder, ["lichess"].iter().chain(args));
    command.env("LICHESS_TOKEN", server.token(account));
    // Nothing of the user's own settings.
    command.env("XDG_CONFIG_HOME", folder).env("XDG_STATE_HOME", folder);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Bot {
    /// Starts a bot and waits until it reads its events.
    fn start(server: &Server, account: &str, settings: &str, args: &[&str]) -> Bot {
        let folder = tempfile::tempdir().expect("temporary folder");
        Bot::start_in(folder, server, account, settings, args)
    }

    /// The same in a folder.
    fn start_in(
        folder: TempDir,
        server: &Server,
        account: &str,
        settings: &str,
        args: &[&str],
    ) -> Bot {
        let mut command = command(folder.path(), server, account, settings, args);
        // A file can be looked into while it runs.
        let errors = File::create(folder.path().join("errors")).expect("writable");
        command.stderr(errors);
        let child = command.spawn().expect("the harness starts");
        let bot = Bot { folder, child: Some(child) };
        until("the bot reads its events", || server.is_watched_by(account));
        bot
    }

    fn signal(&self) {
        let child = self.child.as_ref().expect("it runs");
        let pid = rustix::process::Pid::from_child(child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it runs");
    }

    /// What it has written to standard error so far.
    fn errors(&self) -> String {
        let bytes = std::fs::read(self.folder.path().join("errors")).expect("readable");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Waits for its end. It prints one object at most, which the pipe takes.
    fn output(&mut self) -> Output {
        let child = self.child.as_mut().expect("it runs");
        until("the bot ends", || child.try_wait().expect("a process of ours").is_some());
        self.child.take().expect("it has run").wait_with_output().expect("it has ended")
    }

    /// Waits for its end, which is a good one; gives its JSON object and standard error.
    fn summary(&mut self) -> (Value, String) {
        let output = self.output();
        let errors = self.errors();
        assert_eq!(output.status.code(), Some(0), "{errors}");
        let summary = serde_json::from_slice(&output.stdout).expect("one JSON object");
        (summary, errors)
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // It may have ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A game of the test engine against the server's own account, which resigns after some plies: gives
/// the server, the bot's summary, and what it said.
fn game_of(
    settings: &str,
    resigns_at: usize,
    prepare: impl FnOnce(&Server),
) -> (Server, Value, String, TempDir) {
    let server = Server::start();
    let resigns_at = Some(resigns_at);
    server.state().opponent = Opponent { resigns_at, ..Opponent::default() };
    prepare(&server);
    let mut bot = Bot::start(&server, "tench", settings, &[MOCK, "--total", "1", "--json"]);
    server.challenge("person", "tench", json!({}));
    let (summary, errors) = bot.summary();
    let folder = std::mem::replace(&mut bot.folder, tempfile::tempdir().expect("another"));
    (server, summary, errors, folder)
}

/// The plies of the server's only game, and its result on both sides.
fn assert_complete(server: &Server, summary: &Value, plies: usize) {
    let state = server.state();
    assert_eq!(state.boards.len(), 1);
    let board = state.boards.values().next().expect("a game");
    assert_eq!((board.moves.len(), board.status.as_str()), (plies, "resign"));
    assert_eq!((&summary["games"], &summary["wins"]), (&json!(1), &json!(1)), "{summary}");
    assert_eq!(summary["terminations"], json!({ "resignation": 1 }));
}
