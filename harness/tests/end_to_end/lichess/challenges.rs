//! Challenges by rules, several games at once, and a start into games that are on.

use serde_json::json;

use super::server::{Opponent, Server};
use super::{Bot, MOCK};
use crate::common::until;

#[test]
fn challenges_are_declined_for_the_reason_that_a_rule_gives() {
    let server = Server::start();
    server.state().opponent = Opponent { resigns_at: Some(4), ..Opponent::default() };
    let settings = "challenges:\n  modes: [casual]\n  block: [Fish]\n  base: { min: 60s }\n";
    let mut bot = Bot::start(&server, "tench", settings, &[MOCK, "--total", "1", "--json"]);
    let fast = json!({ "type": "clock", "limit": 30, "increment": 0 });
    let cases = [
        ("fish", json!({}), "generic"),
        ("person", json!({ "rated": true }), "casual"),
        ("person", json!({ "variant": { "key": "atomic" } }), "standard"),
        ("person", json!({ "timeControl": fast, "speed": "bullet" }), "tooFast"),
        (
            "person",
            json!({ "speed": "correspondence", "timeControl": { "type": "unlimited" } }),
            "tooSlow",
        ),
    ];
    for (from, changes, reason) in cases {
        let id = server.challenge(from, "tench", changes.clone());
        until("it is declined", || server.state().challenges[&id]["status"] == "declined");
        let given = server.state().challenges[&id]["declineReasonKey"].clone();
        assert_eq!(given, reason, "{changes}");
    }
    server.challenge("person", "tench", json!({}));
    let (summary, _) = bot.summary();
    assert_eq!(summary["challenges"], json!({ "accepted": 1, "declined": 5, "ignored": 0 }));
}

#[test]
fn several_games_are_played_at_once_and_no_more_than_are_wanted() {
    let server = Server::start();
    // The opponent does not move before all games are there.
    server.state().opponent = Opponent { sleeps: true, ..Opponent::default() };
    let settings = "games: 3\nchallenges: { per_opponent: 3 }";
    let mut bot = Bot::start(&server, "tench", settings, &[MOCK, "--total", "4", "--json"]);
    let ids: Vec<String> = (0..4).map(|_| server.challenge("person", "tench", json!({}))).collect();
    until("the fourth is declined", || {
        server.state().challenges[&ids[3]]["declineReasonKey"] == "later"
    });
    until("three are watched", || server.requests("/api/bot/game/stream/").len() >= 3);
    {
        let mut state = server.state();
        assert_eq!(state.boards.len(), 3);
        state.opponent = Opponent { resigns_at: Some(10), ..Opponent::default() };
        for id in &ids[..3] {
            state.play_own(id);
        }
    }
    until("they are over", || server.state().boards.values().all(|board| !board.is_on()));
    // A place is free again once the bot has seen the end.
    until("another game", || {
        let id = server.challenge("person", "tench", json!({}));
        until("it is answered", || server.state().challenges[&id]["status"] != "created");
        server.state().challenges[&id]["status"] == "accepted"
    });
    let (summary, _) = bot.summary();
    assert_eq!((&summary["games"], &summary["wins"]), (&json!(4), &json!(4)), "{summary}");
}

#[test]
fn a_bot_that_starts_takes_up_the_games_that_are_on() {
    let server = Server::start();
    server.state().opponent = Opponent { sleeps: true, ..Opponent::default() };
    let mut first = Bot::start(&server, "tench", "", &[MOCK]);
    let id = server.challenge("person", "tench", json!({}));
    {
        until("the game begins", || server.state().boards.contains_key(&id));
        let mut state = server.state();
        state.opponent.sleeps = false;
        state.play_own(&id);
        state.opponent.sleeps = true;
    }
    until("a move", || server.state().boards[&id].moves.len() >= 2);
    // As `kill -9` does.
    first.child.as_mut().expect("it runs").kill().expect("killed");
    first.output();
    let mut second = Bot::start(&server, "tench", "", &[MOCK, "--total", "1", "--json"]);
    {
        let mut state = server.state();
        state.opponent = Opponent { resigns_at: Some(8), ..Opponent::default() };
        state.play_own(&id);
    }
    let (summary, _) = second.summary();
    assert_eq!(summary["wins"], 1, "{summary}");
    assert_eq!(server.state().boards[&id].moves.len(), 8);
    assert_eq!(server.requests("/move/").len(), 4);
}
