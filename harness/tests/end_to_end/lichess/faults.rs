//! What a network and a server do wrong: no move is lost, and none is made twice.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::server::{Does, Opponent, Server};
use super::{Bot, assert_complete, game_of};
use crate::common::{MOCK, write_program};

/// How often each request for a move was sent, by the plies of the game: its address and count.
fn moves(server: &Server) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for request in server.requests("/move/") {
        *counts.entry(request.path).or_default() += 1;
    }
    counts
}

/// Requests for moves beyond those that the game needs.
fn extra(server: &Server) -> usize {
    let own = server.state().boards.values().map(|board| board.moves.len() / 2).sum::<usize>();
    moves(server).values().sum::<usize>() - own
}

#[test]
fn a_stream_that_is_cut_in_the_middle_of_a_line_is_opened_again() {
    let (server, summary, errors, _) = game_of("", 12, |server| {
        server.fault("/api/stream/event", 1, Does::CutLine);
        server.fault("/api/bot/game/stream/", 3, Does::CutLine);
    });
    assert_complete(&server, &summary, 12);
    assert_eq!(extra(&server), 0, "{:?}", moves(&server));
    assert!(errors.contains("cut in the middle of a line") || errors.contains("opened again"));
    assert!(server.requests("/api/bot/game/stream/").len() > 3);
    assert!(server.requests("/api/stream/event").len() > 1);
}

#[test]
fn a_move_whose_answer_is_lost_counts_once() {
    let (server, summary, _, _) =
        game_of("", 12, |server| server.fault("/move/", 3, Does::LoseAnswer));
    assert_complete(&server, &summary, 12);
    assert_eq!(extra(&server), 0, "{:?}", moves(&server));
}

#[test]
fn a_move_that_did_not_arrive_is_sent_again() {
    let (server, summary, _, _) = game_of("", 8, |server| server.fault("/move/", 2, Does::Drop));
    assert_complete(&server, &summary, 8);
    assert_eq!(extra(&server), 2, "{:?}", moves(&server));
}

#[test]
fn an_answer_429_is_followed_by_the_pause_that_is_asked_for() {
    let body = json!({ "error": "Too many requests. Try again later." }).to_string();
    let (server, summary, errors, _) = game_of("rate_limit_wait: 1s", 8, |server| {
        server.fault("/move/", 1, Does::Status(429, body));
    });
    assert_complete(&server, &summary, 8);
    assert_eq!(extra(&server), 1, "{:?}", moves(&server));
    assert!(errors.contains("429"), "{errors}");
    // The first move was refused: nothing at all was sent for a second.
    let log = server.state().log.clone();
    let refused = log.iter().position(|request| request.path.contains("/move/")).expect("a move");
    let pause = log[refused + 1].at - log[refused].at;
    assert!(pause >= Duration::from_secs(1), "{pause:?}");
}

#[test]
fn a_server_that_fails_is_asked_again() {
    let (server, summary, _, _) = game_of("", 8, |server| {
        for part in ["/api/stream/event", "/accept", "/api/bot/game/stream/", "/move/"] {
            server.fault(part, 1, Does::Status(503, "<html>down</html>".to_owned()));
        }
    });
    assert_complete(&server, &summary, 8);
    assert_eq!(extra(&server), 1, "{:?}", moves(&server));
    assert_eq!(server.requests("/accept").len(), 2);
}

#[test]
fn a_game_whose_stream_is_refused_is_taken_up_again() {
    let (server, summary, errors, _) = game_of("", 8, |server| {
        for status in [404, 403] {
            let does = Does::Status(status, "<html>not now</html>".to_owned());
            server.fault("/api/bot/game/stream/", 1, does);
        }
    });
    assert_complete(&server, &summary, 8);
    assert_eq!(extra(&server), 0, "{:?}", moves(&server));
    assert!(errors.contains("it is taken up again"), "{errors}");
    assert!(server.requests("/resign").is_empty() && server.requests("/abort").is_empty());
}

#[test]
fn a_chat_that_fails_does_not_hold_up_the_game() {
    let (server, summary, _, _) = game_of("chat: { greeting: Hello }", 8, |server| {
        server.fault("/chat", 9, Does::Status(503, String::new()));
    });
    assert_complete(&server, &summary, 8);
    assert_eq!(extra(&server), 0, "{:?}", moves(&server));
    assert_eq!(server.requests("/chat").len(), 1, "a line is sent once");
}

#[test]
fn lines_that_make_no_sense_or_are_unknown_are_skipped() {
    let of_events = [
        "not json at all {{{",
        "{\"type\":\"challenge\",\"challenge\":{\"id\":\"../../x\"}}",
        "{\"type\":\"gameStart\"}",
    ];
    let of_game = [
        "{\"type\":\"somethingNew\",\"value\":[1,2,3]}",
        "{\"type\":\"gameState\",\"moves\":17}",
        "[]",
        "\u{1b}[2J{\"type\":",
        "{\"type\":\"chatLine\",\"room\":\"player\",\"username\":\"x\",\"text\":\"!resign\"}",
        // More moves than the game will have, one of which is illegal.
        "{\"type\":\"gameState\",\"moves\":\"e2e4 a1a8 e2e4 a1a8 e2e4 a1a8 e2e4 a1a8 e2e4 a1a8 e2e4 a1a8 \
         e2e4 a1a8 e2e4 a1a8 e2e4 a1a8 e2e4 a1a8\",\"wtime\":1,\"btime\":1,\"winc\":0,\"binc\":0,\
         \"status\":\"started\"}",
        // An old state once more.
        "{\"type\":\"gameState\",\"moves\":\"\",\"wtime\":1,\"btime\":1,\"winc\":0,\"binc\":0,\
         \"status\":\"started\"}",
    ];
    let (server, summary, errors, _) = game_of("", 16, |server| {
        for line in of_events {
            server.fault("/api/stream/event", 1, Does::Inject(line.to_owned()));
        }
        for line in of_game {
            server.fault("/api/bot/game/stream/", 1, Does::Inject(line.to_owned()));
        }
    });
    assert_complete(&server, &summary, 16);
    assert_eq!(extra(&server), 0, "{:?}", moves(&server));
    assert!(errors.contains("skipped") && !errors.contains("\u{1b}[2J"), "{errors}");
}

#[test]
fn a_stream_without_a_sign_of_life_is_opened_again() {
    let (server, summary, _, _) = game_of("silence: 1s", 8, |server| {
        server.fault("/api/bot/game/stream/", 1, Does::Silence);
        server.fault("/api/stream/event", 1, Does::Silence);
    });
    assert_complete(&server, &summary, 8);
    assert_eq!(extra(&server), 0, "{:?}", moves(&server));
    assert!(server.requests("/api/stream/event").len() > 1);
}

#[test]
fn a_storm_of_challenges_costs_the_game_nothing() {
    let server = Server::start();
    server.state().opponent = Opponent { resigns_at: Some(16), ..Opponent::default() };
    let mut bot = Bot::start(&server, "tench", "", &[MOCK, "--total", "1", "--json"]);
    for _ in 0..100 {
        server.challenge("person", "tench", json!({}));
    }
    let (summary, _) = bot.summary();
    assert_complete(&server, &summary, 16);
    assert_eq!(extra(&server), 0);
    assert_eq!(server.requests("/accept").len(), 1);
    let (declines, challenges) = (server.requests("/decline").len(), &summary["challenges"]);
    let ignored = challenges["ignored"].as_u64().expect("a number") as usize;
    assert!(ignored >= 20, "{challenges}");
    assert_eq!(challenges["accepted"], 1, "{challenges}");
    // What is ignored gets no answer.
    assert!(declines + ignored < 100, "{declines} {challenges}");
}

#[test]
fn the_engine_gets_the_clock_without_the_lag() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let (path, log) = (folder.path().join("engine"), folder.path().join("log"));
    let text = format!("#!/bin/sh\ntee -a {} | {MOCK}\n", log.display());
    write_program(&path, &text);
    let server = Server::start();
    server.state().opponent = Opponent { resigns_at: Some(10), ..Opponent::default() };
    server.fault("/api/bot/game/stream/", 99, Does::Lag(Duration::from_millis(150)));
    let settings = "search: { move_overhead: 2s }";
    let path = path.display().to_string();
    let mut bot = Bot::start(&server, "tench", settings, &[&path, "--total", "1", "--json"]);
    let clock = json!({ "type": "clock", "limit": 60, "increment": 0 });
    server.challenge("person", "tench", json!({ "timeControl": clock }));
    let (summary, _) = bot.summary();
    assert_complete(&server, &summary, 10);
    let text = std::fs::read_to_string(&log).expect("a log");
    let times: Vec<u64> = text
        .lines()
        .filter_map(|line| line.split_once("btime ")?.1.split(' ').next()?.parse().ok())
        .collect();
    assert_eq!(times.len(), 5, "{text}");
    assert!(times.iter().all(|time| (1..=58_000).contains(time)), "{times:?}");
}

#[test]
fn an_engine_that_crashes_is_started_again_and_one_that_always_does_resigns() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("engine");
    let count = folder.path().join("count");
    // Each process plays two moves.
    let text = format!(
        "#!/bin/sh\necho x >> {}\nn=0\nwhile read -r line; do echo \"$line\"; case \"$line\" in go*) \
         n=$((n+1));; esac; [ $n -gt 1 ] && sleep 0.2 && exit; done | {MOCK}\n",
        count.display()
    );
    write_program(&path, &text);
    let server = Server::start();
    server.state().opponent = Opponent { resigns_at: Some(8), ..Opponent::default() };
    let path = path.display().to_string();
    let mut bot = Bot::start(&server, "tench", "", &[&path, "--total", "1", "--json"]);
    server.challenge("person", "tench", json!({}));
    let (summary, errors) = bot.summary();
    assert_complete(&server, &summary, 8);
    let starts = std::fs::read_to_string(&count).expect("counted").lines().count();
    assert!(starts >= 3, "{starts} {errors}");

    let server = Server::start();
    let path = folder.path().join("broken");
    let text = format!("#!/bin/sh\n{MOCK} | sed -u 's/bestmove .*/bestmove a1a1/'\n");
    write_program(&path, &text);
    let path = path.display().to_string();
    let mut bot = Bot::start(&server, "tench", "", &[&path, "--total", "1", "--json"]);
    server.challenge("person", "tench", json!({}));
    let (summary, errors) = bot.summary();
    let ended: &Value = &summary["without_result"];
    assert_eq!(ended, &json!(1), "it gave no first move: {summary} {errors}");
    assert_eq!(server.requests("/abort").len(), 1);
}
