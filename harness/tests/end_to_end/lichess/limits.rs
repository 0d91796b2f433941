//! Named quotas, and games that the server does not end: nothing else waits for them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::server::{Does, Opponent, Server};
use super::{Bot, assert_complete, game_of};
use crate::common::{MOCK, until};

/// The answer 429 of a quota.
fn used_up(key: &str, seconds: u64) -> Does {
    let body = json!({
        "error": "You played too many games today",
        "ratelimit": { "key": key, "seconds": seconds },
    });
    Does::Status(429, body.to_string())
}

fn reason(server: &Server, id: &str) -> Value {
    server.state().challenges[id]["declineReasonKey"].clone()
}

/// Challenges of a person, one after the other, until one is accepted.
fn challenge_until_accepted(server: &Server) {
    until("a challenge is accepted", || {
        let id = server.challenge("person", "tench", json!({}));
        let is_accepted = || !server.requests(&format!("{id}/accept")).is_empty();
        until("it is answered", || is_accepted() || reason(server, &id) == "later");
        if !is_accepted() {
            std::thread::sleep(Duration::from_millis(500));
        }
        is_accepted()
    });
}

#[test]
fn a_quota_of_games_declines_challenges_until_it_is_over_and_other_games_go_on() {
    // Enough for a game beside the other tests.
    const SECONDS: u64 = 12;
    for (key, challenger) in [("bot.vsBot.day", "fish"), ("challenge.accept.user", "person")] {
        let server = Server::start();
        server.state().opponent = Opponent { sleeps: true, ..Opponent::default() };
        let settings = "games: 3\nchallenges: { per_opponent: 3 }";
        let mut bot = Bot::start(&server, "tench", settings, &[MOCK, "--total", "2", "--json"]);
        let first = server.challenge("person", "tench", json!({}));
        until("the game is on", || !server.requests(&format!("stream/{first}")).is_empty());
        server.fault("/accept", 1, used_up(key, SECONDS));
        let refused_at = Instant::now();
        let refused = server.challenge(challenger, "tench", json!({}));
        until("it is declined", || reason(&server, &refused) == "later");
        assert_eq!(server.requests(&format!("{refused}/accept")).len(), 1, "once");
        // The answer to the server may come before the line on the terminal.
        let named = format!("quota `{key}` is used up");
        until("the quota is named", || bot.errors().contains(&named));
        // The first game goes on meanwhile.
        server.state().opponent = Opponent { resigns_at: Some(8), ..Opponent::default() };
        server.state().play_own(&first);
        until("it is over", || !server.state().boards[&first].is_on());
        let second = server.challenge(challenger, "tench", json!({}));
        until("it is declined, too", || reason(&server, &second) == "later");
        assert!(refused_at.elapsed() < Duration::from_secs(SECONDS), "{:?}", refused_at.elapsed());
        assert!(server.requests(&format!("{second}/accept")).is_empty());
        // The bot counts from the server's answer, which may come late to it.
        challenge_until_accepted(&server);
        let (summary, errors) = bot.summary();
        assert_eq!(summary["games"], json!(2), "{errors}");
        assert_eq!(summary["challenges"]["accepted"], json!(2), "{errors}");
        let declined = summary["challenges"]["declined"].as_u64();
        assert!(declined.is_some_and(|count| count >= 2), "{summary}");
    }
}

#[test]
fn a_quota_of_games_between_bots_does_not_keep_people_away() {
    let server = Server::start();
    server.state().opponent = Opponent { resigns_at: Some(4), ..Opponent::default() };
    let mut bot = Bot::start(&server, "tench", "", &[MOCK, "--total", "1", "--json"]);
    server.fault("/accept", 1, used_up("bot.vsBot.day", 86_398));
    let refused = server.challenge("fish", "tench", json!({}));
    until("it is declined", || reason(&server, &refused) == "later");
    // The only game is kept for the refused challenge until the bot knows of the answer to its decline.
    challenge_until_accepted(&server);
    let (summary, errors) = bot.summary();
    assert_complete(&server, &summary, 4);
    assert!(errors.contains("challenges of bots are declined"), "{errors}");
}

#[test]
fn a_quota_of_another_request_is_waited_for_by_this_request_alone() {
    for part in ["/move/", "/api/bot/game/stream/", "/api/stream/event"] {
        let begun = Instant::now();
        let (server, summary, _, _) = game_of("", 8, |server| {
            server.fault(part, 1, used_up("some.other.quota", 1));
        });
        assert_complete(&server, &summary, 8);
        // Without the pause of a minute that follows an answer 429 without a name.
        assert!(begun.elapsed() < Duration::from_secs(30), "{part}: {:?}", begun.elapsed());
    }
    // A chat line is sent once.
    let (server, summary, _, _) = game_of("chat: { greeting: Hello }", 8, |server| {
        server.fault("/chat", 1, used_up("chat.message", 3_600));
    });
    assert_complete(&server, &summary, 8);
    assert_eq!(server.requests("/chat").len(), 1);
}

#[test]
fn a_game_that_cannot_be_aborted_is_resigned_or_left_and_ctrl_c_ends_once() {
    let refused = || {
        let body = json!({ "error": "This game can no longer be aborted" });
        Does::Status(400, body.to_string())
    };
    // The opponent never moves; the server refuses an abort (`noAbort`), or takes nothing at all.
    for (refuses_all, resignations) in [(false, 1), (true, 3)] {
        let server = Server::start();
        server.state().opponent = Opponent { sleeps: true, ..Opponent::default() };
        server.fault("/abort", 99, refused());
        if refuses_all {
            server.fault("/resign", 99, refused());
        }
        let mut bot = Bot::start(&server, "tench", "abort_after: 300ms", &[MOCK, "--json"]);
        server.challenge("person", "tench", json!({ "rules": ["noAbort"] }));
        until("it is aborted", || !server.requests("/abort").is_empty());
        let asked_at = Instant::now();
        bot.signal();
        let (summary, errors) = bot.summary();
        assert!(asked_at.elapsed() < Duration::from_secs(30), "{:?}", asked_at.elapsed());
        assert_eq!(server.requests("/abort").len(), 3, "{errors}");
        assert_eq!(server.requests("/resign").len(), resignations, "{errors}");
        assert!(errors.contains("it cannot be aborted"), "{errors}");
        let without_result = u64::from(refuses_all);
        assert_eq!(summary["without_result"], without_result, "{summary} {errors}");
        assert_eq!(summary["losses"], 1 - without_result, "{summary} {errors}");
    }
}

#[test]
fn a_game_that_the_engine_gives_up_does_not_take_its_place_for_ever() {
    // The bot has White, and its engine gives no usable move; the server refuses to abort.
    let server = Server::start();
    server.fault("/abort", 99, Does::Status(400, json!({ "error": "no" }).to_string()));
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("broken");
    let text = format!("#!/bin/sh\n{MOCK} | sed -u 's/bestmove .*/bestmove a1a1/'\n");
    crate::common::write_program(&path, &text);
    let path = path.display().to_string();
    let mut bot = Bot::start(&server, "tench", "", &[&path, "--total", "1", "--json"]);
    server.challenge("person", "tench", json!({ "color": "black" }));
    let (summary, errors) = bot.summary();
    assert_eq!((&summary["games"], &summary["losses"]), (&json!(1), &json!(1)), "{errors}");
    assert_eq!(server.requests("/resign").len(), 1, "{errors}");
}

#[test]
fn a_game_without_a_clock_is_left_when_the_bot_ends() {
    let server = Server::start();
    server.state().opponent = Opponent { sleeps: true, ..Opponent::default() };
    let settings = "challenges: { speeds: [correspondence] }\nsearch: { untimed: 100ms }";
    let mut bot = Bot::start(&server, "tench", settings, &[MOCK, "--json"]);
    let unlimited = json!({ "speed": "correspondence", "timeControl": { "type": "unlimited" } });
    let id = server.challenge("person", "tench", unlimited);
    until("the game is on", || !server.requests(&format!("stream/{id}")).is_empty());
    bot.signal();
    let (summary, errors) = bot.summary();
    assert_eq!(summary["without_result"], 1, "{summary}");
    assert!(errors.contains("continues without the bot"), "{errors}");
    assert!(server.requests("/resign").is_empty() && server.requests("/abort").is_empty());
}
