//! Whole games, and how they end.

use std::path::Path;

use harness::ledger::Ledger;
use serde_json::json;
use shakmaty::Chess;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;

use super::server::{Does, Opponent, Server};
use super::{Bot, assert_complete, game_of};
use crate::common::{MOCK, run, shown, texts, until, write_program};
use crate::matches::tablebases::tables;

/// Another author's engine, or else ours as a process.
fn other_engine() -> &'static str {
    let known = ["/usr/games/stockfish", "/usr/games/ethereal-chess"];
    known.into_iter().find(|path| Path::new(path).exists()).unwrap_or(MOCK)
}

/// Moves from the start position in SAN.
fn played_san(moves: &[UciMove]) -> Vec<String> {
    let mut position = Chess::default();
    let san = moves.iter().map(|uci| {
        let legal = uci.to_move(&position).expect("legal");
        SanPlus::from_move_and_play_unchecked(&mut position, legal).to_string()
    });
    san.collect()
}

/// The moves of a PGN without variations.
fn san_of(pgn: &str) -> Vec<String> {
    let text: Vec<&str> = pgn.lines().filter(|line| !line.starts_with('[')).collect();
    let mut moves = String::new();
    for part in text.join(" ").split('}') {
        moves.push_str(part.split('{').next().unwrap_or_default());
        moves.push(' ');
    }
    let is_move =
        |word: &&str| !word.ends_with('.') && !["1-0", "0-1", "1/2-1/2", "*"].contains(word);
    moves.split_whitespace().filter(is_move).map(str::to_owned).collect()
}

#[test]
fn two_bots_play_a_game_to_its_end_by_the_rules() {
    let server = Server::start();
    let settings = "search: { move_overhead: 20ms }";
    let args = |engine| [engine, "--nodes", "400", "--total", "1", "--json"];
    let mut fish = Bot::start(&server, "fish", settings, &args(other_engine()));
    let mut tench = Bot::start(&server, "tench", settings, &args("builtin"));
    // The one who challenges hears of it, too, and leaves it to the other.
    let id = server.challenge("tench", "fish", json!({}));
    let (of_tench, _) = tench.summary();
    let (of_fish, errors) = fish.summary();
    let (status, plies, moves) = {
        let state = server.state();
        let board = &state.boards[&id];
        (board.status.clone(), board.moves.len(), played_san(&board.moves))
    };
    assert!(["mate", "stalemate", "draw"].contains(&status.as_str()), "{status}");
    assert_eq!(server.requests("/move/").len(), plies, "each move was sent once");
    assert_eq!(of_tench["wins"], of_fish["losses"]);
    assert_eq!(of_tench["draws"], of_fish["draws"]);
    assert!(errors.contains("accepted"), "{errors}");
    assert_eq!(of_fish["challenges"]["accepted"], 1);
    assert_eq!(of_tench["challenges"]["accepted"], 0);

    // The ledger, the PGN and the reports have it.
    let folder = fish.folder.path();
    let ledger = Ledger::open_existing(&folder.join("reports")).expect("a ledger");
    let runs = ledger.runs().expect("read");
    assert_eq!((runs[0].command.as_str(), runs[0].games), ("lichess", 1));
    let games = ledger.games(&runs[0].run).expect("read");
    assert_eq!((games[0].plies as usize, games[0].first_is_white), (plies, false));
    assert_eq!((games[0].white.as_str(), games[0].black.as_str()), ("Tench", "Fish"));
    let pgn =
        std::fs::read_to_string(folder.join("reports/runs").join(&runs[0].run).join("games.pgn"));
    let pgn = pgn.expect("a PGN");
    assert!(pgn.contains(&format!("/{id}\"]")) && pgn.contains("[%clk"), "{pgn}");
    assert!(pgn.contains("[%eval"), "{pgn}");
    for format in ["pgn", "markdown", "html", "json", "csv", "epd"] {
        let output = run(folder, &format!("report last --format {format} -o report.{format}"));
        assert_eq!(output.status.code(), Some(0), "{format}: {}", shown(&output));
        let text =
            std::fs::read_to_string(folder.join(format!("report.{format}"))).expect("written");
        assert!(!text.is_empty());
        assert!(format == "epd" || text.contains("Fish"), "{format}: {text}");
    }
    // The PGN is that of the server's game.
    let read = run(folder, "stats --pgn report.pgn --json");
    assert_eq!(read.status.code(), Some(0), "{}", shown(&read));
    assert!(plies > 10, "{plies}");
    assert_eq!(san_of(&pgn), moves);
    let (status, _, errors) = texts(&run(folder, "resume last"));
    assert!(status == 2 || status == 4, "{errors}");
}

#[test]
fn resignation_and_draws_follow_the_rules_that_are_set_and_no_others() {
    let engine = |score: &str| {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("engine");
        write_program(&path, &format!("#!/bin/sh\nexec {MOCK} --score {score}\n"));
        (folder, path.display().to_string())
    };
    let outcome = |score: &str, settings: &str, opponent: Opponent| {
        let server = Server::start();
        server.state().opponent = opponent;
        let (_engine, path) = engine(score);
        let mut bot = Bot::start(&server, "tench", settings, &[&path, "--total", "1", "--json"]);
        server.challenge("person", "tench", json!({}));
        let (summary, _) = bot.summary();
        let state = server.state();
        let board = state.boards.values().next().expect("a game");
        let key = summary["terminations"].as_object().expect("an object").keys().next().cloned();
        (board.status.clone(), key.expect("an ending"), board.moves.len())
    };
    let stays = Opponent { resigns_at: Some(12), ..Opponent::default() };
    let offers = Opponent { offers_draws: true, ..stays };
    // Off unless they are set: the opponent resigns in the end.
    assert_eq!(outcome("-900", "", stays).2, 12);
    assert_eq!(outcome("0", "", offers).2, 12);
    let (status, key, plies) = outcome("-900", "resign: { score: 800, moves: 3 }", stays);
    assert_eq!((status.as_str(), key.as_str()), ("resign", "resignation"));
    assert_eq!(plies, 5, "the third own score counts");
    let draw = "draw: { score: 10, moves: 1, from: 1 }";
    let (status, key, plies) = outcome("5", draw, Opponent { resigns_at: Some(60), ..offers });
    assert_eq!((status.as_str(), key.as_str()), ("draw", "draw_agreed"));
    assert!(plies < 60, "{plies}");
    // The opponent does not agree.
    assert_eq!(outcome("5", draw, stays).2, 12);
}

#[test]
fn a_game_without_an_opponent_is_aborted_or_claimed_and_takebacks_are_ignored() {
    let server = Server::start();
    server.state().opponent = Opponent { sleeps: true, ..Opponent::default() };
    let args = [MOCK, "--total", "1", "--json"];
    let mut bot = Bot::start(&server, "tench", "abort_after: 300ms", &args);
    server.challenge("person", "tench", json!({}));
    let (summary, errors) = bot.summary();
    assert_eq!((&summary["games"], &summary["without_result"]), (&json!(0), &json!(1)));
    assert!(errors.contains("aborted"), "{errors}");
    assert_eq!(server.requests("/abort").len(), 1);

    // One who has left.
    let server = Server::start();
    server.state().opponent = Opponent { sleeps: true, ..Opponent::default() };
    let gone = json!({ "type": "opponentGone", "gone": true, "claimWinInSeconds": 0 });
    server.fault("/api/bot/game/stream/", 1, Does::Inject(gone.to_string()));
    let mut bot = Bot::start(&server, "tench", "", &args);
    server.challenge("person", "tench", json!({}));
    let (summary, _) = bot.summary();
    assert_eq!((&summary["wins"], &summary["terminations"]["abandoned"]), (&json!(1), &json!(1)));

    let (server, summary, _, _) = game_of("", 8, |server| {
        server.state().opponent.asks_back = true;
    });
    assert_complete(&server, &summary, 8);
    assert!(server.requests("takeback").is_empty());
}

#[test]
fn chess960_and_other_starts_are_played_and_the_chat_is_silent_unless_it_is_set() {
    let castles = "nrk1brnb/pp1ppppp/8/2p5/3P4/1N1Q1N2/1PP1PPPP/qRK1BR1B w KQkq - 2 6";
    for (variant, fen, chat) in [
        ("chess960", "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w KQkq - 0 1", false),
        ("chess960", castles, true),
        ("fromPosition", "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1", true),
    ] {
        let server = Server::start();
        server.state().opponent = Opponent { resigns_at: Some(20), ..Opponent::default() };
        let said = if chat { "chat: { greeting: Hello, farewell: Bye }" } else { "" };
        let settings =
            format!("challenges: {{ variants: [standard, chess960, fromPosition] }}\n{said}");
        let mut bot = Bot::start(&server, "tench", &settings, &[MOCK, "--total", "1", "--json"]);
        let variant = json!({ "key": variant, "name": variant });
        server.challenge("person", "tench", json!({ "variant": variant, "initialFen": fen }));
        let (summary, errors) = bot.summary();
        assert_eq!(summary["games"], 1, "{fen}: {errors}");
        let said: Vec<String> =
            server.requests("/chat").into_iter().map(|request| request.body).collect();
        match chat {
            true => assert_eq!(said, ["room=player&text=Hello", "room=player&text=Bye"]),
            false => assert!(said.is_empty(), "{said:?}"),
        }
    }
}

#[test]
fn the_book_opens_and_the_tablebases_mate() {
    let folder = tempfile::tempdir().expect("temporary folder");
    tables::write_all(folder.path());
    let server = Server::start();
    let settings = format!(
        "challenges: {{ variants: [fromPosition] }}\ntablebases: {{ folders: {} }}",
        folder.path().display()
    );
    // The test engine would not find mates.
    let mut bot = Bot::start(&server, "tench", &settings, &[MOCK, "--total", "1", "--json"]);
    let fen = "8/8/8/4k3/8/8/8/KQ6 w - - 0 1";
    let changes = json!({
        "color": "black", "variant": { "key": "fromPosition" }, "initialFen": fen,
    });
    server.challenge("person", "tench", changes);
    let (summary, errors) = bot.summary();
    assert_eq!(summary["terminations"]["checkmate"], 1, "{summary} {errors}");

    let games = folder.path().join("games.pgn");
    let line = "[Result \"1-0\"]\n\n1. b3 e5 2. Bb2 Nc6 3. e3 d5 4. Bb5 1-0\n\n";
    std::fs::write(&games, line.repeat(3)).expect("written");
    let made = run(folder.path(), "openings polyglot games.pgn -o book.bin");
    assert_eq!(made.status.code(), Some(0), "{}", shown(&made));
    let server = Server::start();
    server.state().opponent = Opponent { resigns_at: Some(4), ..Opponent::default() };
    let book = format!("book: {{ file: {}/book.bin }}", folder.path().display());
    let mut bot = Bot::start(&server, "tench", &book, &[MOCK, "--total", "1", "--json"]);
    server.challenge("person", "tench", json!({ "color": "black" }));
    bot.summary();
    let first = server.state().boards.values().next().expect("a game").moves[0].to_string();
    assert_eq!(first, "b2b3");
}

#[test]
fn engines_ponder_where_it_is_set() {
    let server = Server::start();
    let settings = "resign: { score: 800, moves: 4 }\nsearch: { ponder: true, depth: 31 }";
    // Of one seed, they expect each other's moves.
    let start = |account: &str, score: &str| {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("engine");
        let log = folder.path().join("log").display().to_string();
        let text = format!("#!/bin/sh\ntee -a {log} | {MOCK} --ponder --score {score}\n");
        write_program(&path, &text);
        let path = path.display().to_string();
        let bot = Bot::start(&server, account, settings, &[&path, "--total", "1", "--json"]);
        (bot, folder)
    };
    let (mut tench, log) = start("tench", "0");
    let (mut fish, _log) = start("fish", "-900");
    server.challenge("tench", "fish", json!({}));
    assert_eq!(fish.summary().0["losses"], 1);
    assert_eq!(tench.summary().0["wins"], 1);
    let text = std::fs::read_to_string(log.path().join("log")).expect("a log");
    assert!(text.contains("go ponder") && text.contains("ponderhit"), "{text}");
    let mut searches = text.lines().filter(|line| line.starts_with("go "));
    assert!(searches.all(|line| line.ends_with(" depth 31")), "{text}");
}

#[test]
fn ctrl_c_ends_after_the_games_under_way_and_a_second_one_at_once() {
    let server = Server::start();
    server.state().opponent = Opponent { resigns_at: Some(12), ..Opponent::default() };
    let slow = tempfile::tempdir().expect("temporary folder");
    let path = slow.path().join("engine");
    write_program(&path, &format!("#!/bin/sh\nexec {MOCK} --delay 100\n"));
    let path = path.display().to_string();
    let mut bot = Bot::start(&server, "tench", "", &[&path, "--json"]);
    server.challenge("person", "tench", json!({}));
    until("the game is on", || !server.requests("/move/").is_empty());
    bot.signal();
    let says = "a second Ctrl-C leaves at once";
    until("it says how it ends", || bot.errors().contains(says));
    let late = server.challenge("person", "tench", json!({}));
    let (summary, errors) = bot.summary();
    assert_eq!(summary["games"], 1, "{summary}");
    assert!(errors.contains("won"), "{errors}");
    let declined = server.state().challenges[&late]["declineReasonKey"].clone();
    assert_eq!(declined, "later");

    let server = Server::start();
    server.state().opponent = Opponent { sleeps: true, ..Opponent::default() };
    let mut bot = Bot::start(&server, "tench", "", &[MOCK]);
    let id = server.challenge("person", "tench", json!({}));
    until("the game is on", || !server.requests(&format!("stream/{id}")).is_empty());
    bot.signal();
    until("it says how it ends", || bot.errors().contains(says));
    bot.signal();
    let (status, _, _) = texts(&bot.output());
    let errors = bot.errors();
    assert_eq!(status, 130, "{errors}");
    assert!(errors.contains(&format!("{}/{id}", server.url)), "{errors}");
    assert!(server.requests("resign").is_empty() && server.requests("abort").is_empty());
}
