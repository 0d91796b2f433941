//! The token: where it comes from, and that it is seen nowhere. `--check` and the upgrade.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use super::server::{Does, Opponent, Server};
use super::{MOCK, command};
use crate::common::{harness, json as object, shown, texts, write_program};

/// Whether a file below a folder holds a text.
fn holds(folder: &Path, text: &str) -> Option<String> {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            if let Some(found) = holds(&path, text) {
                return Some(found);
            }
        } else {
            let bytes = std::fs::read(&path).unwrap_or_default();
            if bytes.windows(text.len()).any(|part| part == text.as_bytes()) {
                return Some(path.display().to_string());
            }
        }
    }
    None
}

#[test]
fn the_token_reaches_no_log_no_message_no_engine_and_no_file() {
    let server = Server::start();
    server.state().opponent = Opponent { resigns_at: Some(6), ..Opponent::default() };
    let token = server.token("tench");
    // A server that repeats it.
    let echo = json!({ "error": format!("bad token {token}") }).to_string();
    server.fault("/accept", 1, Does::Status(400, echo.clone()));
    server.fault("/move/", 1, Does::Status(400, echo.clone()));
    server.fault("/move/", 1, Does::Drop);
    let folder = tempfile::tempdir().expect("temporary folder");
    let engine = folder.path().join("engine");
    write_program(
        &engine,
        &format!("#!/bin/sh\nenv > {}/env\nexec {MOCK}\n", folder.path().display()),
    );
    let engine = engine.display().to_string();
    let args = ["-vv", &engine, "--total", "1"];
    let mut bot = command(folder.path(), &server, "tench", "", &args);
    let child = bot.spawn().expect("the harness starts");
    crate::common::until("it reads its events", || server.is_watched_by("tench"));
    let refused = server.challenge("person", "tench", json!({}));
    crate::common::until("it was refused", || !server.requests(&refused).is_empty());
    crate::common::until("another is accepted", || {
        let id = server.challenge("person", "tench", json!({}));
        crate::common::until("it is answered", || {
            server.state().challenges[&id]["status"] != "created"
        });
        server.state().challenges[&id]["status"] == "accepted"
    });
    let output = child.wait_with_output().expect("it ends");
    let text = shown(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("bad token ***"), "{text}");
    assert!(!text.contains(&token), "{text}");
    assert!(folder.path().join("env").exists());
    assert_eq!(holds(folder.path(), &token), None);
    // What it said to the server is all that has it.
    assert!(server.state().log.iter().all(|request| !request.path.contains(&token)));
}

#[test]
fn a_token_in_a_file_needs_mode_600_and_goes_in_the_open_to_this_machine_only() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("temporary folder");
    let (file, token) = (folder.path().join("token"), server.token("tench"));
    std::fs::write(&file, format!("{token}\n")).expect("written");
    let check = |mode: u32, args: &[&str]| {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).expect("set");
        let line = ["lichess", MOCK, "--check", "--token-file", "token"];
        let mut command = harness(folder.path(), line.iter().chain(args));
        command.env_remove("LICHESS_TOKEN").env("XDG_CONFIG_HOME", folder.path());
        command.output().expect("the harness starts")
    };
    let url = ["--url", server.url.as_str()];
    let (status, _, errors) = texts(&check(0o644, &url));
    assert_eq!(status, 2, "{errors}");
    assert!(errors.contains("chmod 600") && !errors.contains(&token), "{errors}");
    let (status, out, errors) = texts(&check(0o600, &url));
    assert_eq!(status, 0, "{out} {errors}");
    assert!(out.contains("Tench") && out.contains("bot:play"), "{out}");
    let (status, _, errors) = texts(&check(0o600, &["--url", "http://example.org"]));
    assert_eq!(status, 2, "{errors}");
    assert!(errors.contains("without encryption"), "{errors}");
}

#[test]
fn the_check_says_what_is_missing_and_the_upgrade_is_asked_for_by_name() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("temporary folder");
    let run = |account: &str, settings: &str, args: &[&str]| {
        command(folder.path(), &server, account, settings, args).output().expect("it starts")
    };
    let checked = object(&run("tench", "", &["--json", MOCK, "--check"]));
    assert_eq!(
        (&checked["passed"], checked["checks"].as_array().map(Vec::len)),
        (&json!(true), Some(4))
    );
    assert!(server.requests("/api/stream/event").is_empty(), "it plays nothing");

    let (status, out, _) = texts(&run("person", "", &[MOCK, "--check"]));
    assert_eq!(status, 1, "{out}");
    assert!(out.contains("✗ account") && out.contains("is no bot"), "{out}");
    server.state().accounts[2].scopes = "challenge:read".to_owned();
    let (_, out, _) = texts(&run("person", "", &[MOCK, "--check"]));
    assert!(out.contains("✗ scopes"), "{out}");
    let (status, out, _) = texts(&run("tench", "book: { file: none.bin }", &["true", "--check"]));
    assert_eq!(status, 1, "{out}");
    assert!(out.contains("✗ engine") && out.contains("✗ book"), "{out}");

    // It does not play as a human.
    let (status, _, errors) = texts(&run("person", "", &[MOCK]));
    assert_eq!(status, 2, "{errors}");
    assert!(errors.contains("--upgrade Person"), "{errors}");
    let (status, _, errors) = texts(&run("person", "", &["--upgrade", "Tench"]));
    assert_eq!(status, 2, "{errors}");
    server.state().accounts[2].games = 3;
    let (status, _, errors) = texts(&run("person", "", &["--upgrade", "Person"]));
    assert_eq!(status, 2, "{errors}");
    assert!(errors.contains("3 games") && server.requests("/upgrade").is_empty(), "{errors}");
    server.state().accounts[2].games = 0;
    let upgraded = run("person", "", &["--upgrade", "person"]);
    assert_eq!(upgraded.status.code(), Some(0), "{}", shown(&upgraded));
    let (_, out, _) = texts(&run("person", "", &[MOCK, "--check"]));
    assert!(out.contains("✓ account"), "{out}");

    // A token that is not valid any more.
    let mut command = command(folder.path(), &server, "tench", "", &[MOCK]);
    let output = command.env("LICHESS_TOKEN", "lip_revoked").output().expect("it starts");
    let (status, _, errors) = texts(&output);
    assert_eq!(status, 4, "{errors}");
    assert!(errors.contains("401") && !errors.contains("lip_revoked"), "{errors}");
}
