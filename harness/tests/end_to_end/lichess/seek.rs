//! Challenges that a bot sends, and a bot that is asked to stop from elsewhere.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::server::{Challenged, Does, Opponent, Server};
use super::{Bot, command};
use crate::common::{MOCK, run, shown, until};

/// A bot as the server lists it.
fn listed(name: &str, blitz: u32) -> Value {
    json!({
        "id": name.to_lowercase(), "username": name, "title": "BOT",
        "perfs": { "blitz": { "games": 10, "rating": blitz }, "bullet": { "rating": 1000 } },
    })
}

/// A server whose own account is listed as a bot, beside others.
fn server(resigns_at: usize) -> Server {
    let server = Server::start();
    {
        let mut state = server.state();
        state.opponent = Opponent { resigns_at: Some(resigns_at), ..Opponent::default() };
        state.online = vec![
            listed("Tench", 2000),
            listed("Weak", 1500),
            listed("Person", 2000),
            listed("Strong", 2500),
        ];
    }
    server
}

/// Requests that send a challenge.
fn sent(server: &Server) -> Vec<(String, String)> {
    let log = server.requests("/api/challenge/");
    let sent = log.iter().filter(|request| request.path.matches('/').count() == 3);
    sent.map(|request| (request.path.clone(), request.body.clone())).collect()
}

const SEEK: &str = "seek: { rating: { min: 1900, max: 2100 }, every: 0s }";

#[test]
fn challenges_go_to_those_that_the_rules_allow_and_become_games() {
    let server = server(4);
    let settings =
        "seek: { rating: { min: 1900, max: 2100 }, every: 0s, clocks: [180+2], modes: [rated] }";
    let mut bot = Bot::start(&server, "tench", settings, &[MOCK, "--total", "3", "--json"]);
    let (summary, errors) = bot.summary();
    assert_eq!((&summary["games"], &summary["wins"]), (&json!(3), &json!(3)), "{errors}");
    assert_eq!(summary["challenges"]["sent"], 3, "{summary}");
    assert!(
        errors.contains("challenge to Person (2000), 180+2 s rated standard: sent"),
        "{errors}"
    );
    let sent = sent(&server);
    assert_eq!(sent.len(), 3, "{sent:?}");
    for (path, body) in sent {
        assert_eq!(path, "/api/challenge/Person");
        for field in ["rated=true", "clock.limit=180", "clock.increment=2", "variant=standard"] {
            assert!(body.contains(field), "{body}");
        }
    }
}

#[test]
fn limits_of_a_day_hold_and_are_kept_over_a_restart() {
    let server = server(4);
    let folder = tempfile::tempdir().expect("a folder");
    let settings = "seek: { rating: { min: 1900, max: 2100 }, every: 0s, per_day: 2 }";
    let mut first = Bot::start_in(folder, &server, "tench", settings, &[MOCK, "--json"]);
    until("both games are over", || {
        let boards: Vec<bool> = server.state().boards.values().map(|board| board.is_on()).collect();
        boards.len() == 2 && !boards.contains(&true)
    });
    until("it says so", || first.errors().contains("`per_day`"));
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(sent(&server).len(), 2);
    first.signal();
    let (summary, _) = first.summary();
    assert_eq!(summary["challenges"]["sent"], 2);
    let folder = std::mem::replace(&mut first.folder, tempfile::tempdir().expect("another"));
    let mut again = Bot::start_in(folder, &server, "tench", settings, &[MOCK, "--json"]);
    until("it says so again", || again.errors().contains("`per_day`"));
    // Those of others are answered all the same.
    let id = server.challenge("person", "tench", json!({}));
    until("it is accepted", || server.state().challenges[&id]["status"] == "accepted");
    again.signal();
    again.summary();
    assert_eq!(sent(&server).len(), 2);
}

#[test]
fn one_to_an_account_and_one_at_a_time() {
    for (settings, challenged, expected) in [
        ("per_opponent: 1", Challenged::Declines, 1),
        ("waits: 60s", Challenged::Waits, 1),
        ("only: [other]", Challenged::Accepts, 0),
        ("block: [person]", Challenged::Accepts, 0),
        ("clocks: [60+0]", Challenged::Accepts, 0),
    ] {
        let server = server(4);
        server.state().challenged = challenged;
        let settings =
            format!("seek: {{ rating: {{ min: 1900, max: 2100 }}, every: 0s, {settings} }}");
        let mut bot = Bot::start(&server, "tench", &settings, &[MOCK, "--json"]);
        until("it has looked", || !server.requests("/api/bot/online").is_empty());
        std::thread::sleep(Duration::from_secs(1));
        assert_eq!(sent(&server).len(), expected, "{settings}: {}", bot.errors());
        bot.signal();
        let (summary, errors) = bot.summary();
        assert_eq!(summary["games"], 0, "{errors}");
        if challenged == Challenged::Waits {
            until("it is taken back", || !server.requests("/cancel").is_empty());
        }
    }
}

#[test]
fn a_challenge_without_an_answer_is_taken_back_and_another_is_sent() {
    let server = server(4);
    server.state().challenged = Challenged::Waits;
    let settings = "seek: { every: 0s, waits: 300ms, per_opponent: 9, only: [Person] }";
    let mut bot = Bot::start(&server, "tench", settings, &[MOCK, "--total", "1", "--json"]);
    until("it is taken back", || !server.requests("/cancel").is_empty());
    server.state().challenged = Challenged::Accepts;
    let (summary, errors) = bot.summary();
    assert_eq!(summary["games"], 1, "{errors}");
    assert!(sent(&server).len() >= 2);
    let taken_back = server.state().challenges.values().any(|one| one["status"] == "canceled");
    assert!(taken_back);
}

#[test]
fn failures_and_quotas_are_waited_out() {
    let quota = json!({
        "error": "Too many", "ratelimit": { "key": "challenge.bot.day", "seconds": 3600 },
    });
    for (path, does) in [
        ("/api/challenge/Person", Does::Status(429, quota.to_string())),
        ("/api/challenge/Person", Does::Status(400, json!({ "error": "no" }).to_string())),
        ("/api/challenge/Person", Does::Status(200, "{}".to_owned())),
        ("/api/bot/online", Does::Status(500, String::new())),
        ("/api/bot/online", Does::Drop),
    ] {
        let server = server(4);
        server.fault(path, 1, does.clone());
        let mut bot = Bot::start(&server, "tench", SEEK, &[MOCK, "--json"]);
        until("it says so", || bot.errors().contains("no challenge is sent"));
        std::thread::sleep(Duration::from_millis(700));
        assert!(server.requests(path).len() == 1, "{does:?}: {}", bot.errors());
        bot.signal();
        let (summary, _) = bot.summary();
        assert_eq!(summary["challenges"].get("sent"), None, "{does:?}");
    }
}

#[test]
fn wrong_rules_are_refused() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    for (settings, reason) in [
        ("seek: { clocks: [] }", "clocks"),
        ("seek: { clocks: [3m] }", "BASE+INCREMENT"),
        ("seek: { clocks: [0+0] }", "BASE+INCREMENT"),
        ("seek: { variants: [fromPosition] }", "no position"),
        ("seek: { modes: [] }", "modes"),
        ("seek: { per_week: 3 }", "per_week"),
        ("seek: { rating: 2000 }", "rating"),
    ] {
        let output = command(folder.path(), &server, "tench", settings, &[MOCK]).output();
        let output = output.expect("it starts");
        assert_eq!(output.status.code(), Some(2), "{settings}: {}", shown(&output));
        assert!(shown(&output).contains(reason), "{settings}: {}", shown(&output));
    }
}

#[test]
fn harness_stop_ends_a_bot_after_its_game_and_now_at_once() {
    for (now, status) in [(false, 0), (true, 130)] {
        let server = Server::start();
        server.state().opponent = Opponent { sleeps: true, ..Opponent::default() };
        let hook = ["--on-event", "cat >>events"];
        let mut bot = Bot::start(&server, "tench", "", &[&[MOCK, "--json"][..], &hook].concat());
        let id = server.challenge("person", "tench", json!({}));
        until("the game is on", || !server.requests(&format!("stream/{id}")).is_empty());
        let asked = run(bot.folder.path(), if now { "stop last --now" } else { "stop last" });
        assert_eq!(asked.status.code(), Some(0), "{}", shown(&asked));
        let begun = Instant::now();
        if !now {
            until("it says that it ends", || bot.errors().contains("it ends after the game"));
            let refused = server.challenge("person", "tench", json!({}));
            until("it is declined", || {
                server.state().challenges[&refused]["declineReasonKey"] == "later"
            });
            server.state().opponent = Opponent { resigns_at: Some(4), ..Opponent::default() };
            server.state().play_own(&id);
        }
        let output = bot.output();
        assert_eq!(output.status.code(), Some(status), "{}", bot.errors());
        assert!(!now || begun.elapsed() < Duration::from_secs(20));
        let events = std::fs::read_to_string(bot.folder.path().join("events")).expect("events");
        let ends: Value =
            serde_json::from_str(events.lines().last().expect("an event")).expect("JSON");
        assert_eq!(ends["event"], if now { "interrupted" } else { "finished" }, "{events}");
        assert_eq!((&ends["command"], &ends["unit"]), (&"lichess".into(), &"games".into()));
    }
}
