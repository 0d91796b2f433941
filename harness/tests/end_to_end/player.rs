//! Players against real processes that behave and misbehave.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use harness::player::{
    self, EngineSpec, Fault, FaultKind, Go, Info, Line, Player, Program, Protocol, Reply, Score,
    StartSettings, UciProcess, unobserved,
};
use harness::session::Interrupt;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::common::{MOCK, until};
use crate::needs::debian_engine;

/// For what must answer; on a busy machine that takes a while.
const PATIENCE: Duration = Duration::from_secs(90);
/// For what will not answer.
const SHORT: Duration = Duration::from_millis(200);

const START: Line<'static> = Line { fen: None, moves: &[] };

fn mock(arguments: &str) -> EngineSpec {
    harness::platform::warden::use_program(PathBuf::from(env!("CARGO_BIN_EXE_harness")));
    EngineSpec {
        name: "mock".to_owned(),
        program: Program::Executable {
            path: PathBuf::from(MOCK),
            args: arguments.split_whitespace().map(str::to_owned).collect(),
            protocol: Protocol::Uci,
            init: Vec::new(),
            dir: None,
            sha256: String::new(),
            revision: None,
        },
        options: BTreeMap::new(),
    }
}

fn settings() -> StartSettings {
    StartSettings {
        handshake: PATIENCE,
        ready: PATIENCE,
        stop: SHORT,
        quit: SHORT,
        ..StartSettings::default()
    }
}

fn interrupt() -> Interrupt {
    Interrupt::manual().unwrap().0
}

fn start(arguments: &str) -> Result<UciProcess, Fault> {
    UciProcess::start(&mock(arguments), &settings(), &interrupt())
}

fn ask(player: &mut dyn Player, patience: Duration) -> Result<Reply, Fault> {
    player.go(START, &Go::Nodes(100), patience, &mut unobserved)
}

/// A first move of the game.
fn assert_opens_a_game(reply: &Reply) {
    assert!(reply.best_move.to_move(&Chess::default()).is_ok(), "{}", reply.best_move);
}

/// Its move is legal after 1. e4.
fn assert_replies_to_e4(player: &mut dyn Player) {
    let moves: [UciMove; 1] = ["e2e4".parse().unwrap()];
    let line = Line { fen: None, moves: &moves };
    let reply = player.go(line, &Go::Depth(1), PATIENCE, &mut unobserved).unwrap();
    let mut position = Chess::default();
    position.play_unchecked(moves[0].to_move(&position).unwrap());
    assert!(reply.best_move.to_move(&position).is_ok(), "{}", reply.best_move);
}

#[test]
fn what_an_engine_prints_is_read() {
    let mut player = start("--infos 3 --score -42").unwrap();
    assert_eq!(player.id_name(), Some("mock-engine"));
    player.new_game(false).unwrap();
    let mut depths = Vec::new();
    let mut observe = |info: &Info| {
        depths.push(info.depth.unwrap());
        ControlFlow::Continue(())
    };
    let reply = player.go(START, &Go::Depth(3), PATIENCE, &mut observe).unwrap();
    assert_opens_a_game(&reply);
    assert_eq!(depths, [1, 2, 3]);
    assert_eq!(reply.info.score, Some(Score::Centipawns(-42)));
    assert_eq!(reply.info.nodes, Some(300));
    assert_eq!(reply.info.pv, [reply.best_move]);
}

#[test]
fn a_game_of_chess960_is_played_in_its_notation() {
    let mut player = start("").unwrap();
    player.new_game(true).unwrap();
    // White may castle short, king takes rook in this notation, and nothing else is a legal king
    // move of more than a step.
    let fen = "4k3/8/8/8/8/8/8/4K2R w H - 0 1";
    let mut castled = false;
    for seed in 0..40 {
        let mut player = start(&format!("--seed {seed}")).unwrap();
        player.new_game(true).unwrap();
        let line = Line { fen: Some(fen), moves: &[] };
        let reply = player.go(line, &Go::Depth(1), PATIENCE, &mut unobserved).unwrap();
        assert_ne!(reply.best_move.to_string(), "e1g1");
        castled |= reply.best_move.to_string() == "e1h1";
    }
    assert!(castled);
    let mut player = start("--no-chess960").unwrap();
    player.new_game(false).unwrap();
    let fault = player.new_game(true).unwrap_err();
    assert!(fault.detail.contains("UCI_Chess960"), "{fault}");
}

#[test]
fn noise_between_the_lines_is_passed_over() {
    for noise in ["--garbage", "--bad-utf8", "--crlf", "--long-line", "--garbage --crlf --bad-utf8"]
    {
        let mut player = start(noise).unwrap_or_else(|fault| panic!("{noise}: {fault}"));
        player.new_game(false).unwrap();
        for _ in 0..3 {
            let reply =
                ask(&mut player, PATIENCE).unwrap_or_else(|fault| panic!("{noise}: {fault}"));
            assert_opens_a_game(&reply);
        }
    }
}

#[test]
fn a_flood_on_standard_error_does_not_block_the_engine() {
    let mut player = start("--stderr 3000000").unwrap();
    player.new_game(false).unwrap();
    assert_opens_a_game(&ask(&mut player, PATIENCE).unwrap());
}

#[test]
fn an_engine_that_does_not_start_is_harness_trouble_and_says_why() {
    let short = StartSettings { handshake: SHORT, ready: SHORT, ..settings() };
    for (arguments, hint) in [
        ("--crash start", "exit status 3; standard error: mock-engine: cannot load its network"),
        ("--crash uci --how abort", "SIGABRT"),
        ("--crash isready --how segfault", "SIGSEGV"),
        ("--crash uci --how success", "exit status 0"),
        ("--hang uci", "no uciok within 0.200 s"),
        ("--hang isready", "no readyok within 0.200 s"),
        ("--echo", "last line `uci`"),
        ("--slow-start 5000", "no uciok"),
        ("--grandchild --crash isready", "exit status 3"),
    ] {
        // Crashes are awaited with patience: a busy machine starts processes slowly.
        let settings =
            if hint.contains("no ") || hint.contains("last line") { &short } else { &settings() };
        let fault = UciProcess::start(&mock(arguments), settings, &interrupt()).err().unwrap();
        assert_eq!(fault.kind, FaultKind::Start, "{arguments}: {fault}");
        assert!(fault.detail.contains(hint), "{arguments}: {fault}");
    }
}

#[test]
fn a_missing_program_and_a_file_that_is_none_are_told() {
    let text = tempfile::NamedTempFile::new().unwrap();
    let text = text.path().to_str().unwrap();
    for (program, hint) in [("/nowhere/engine", "No such file"), (text, "denied")] {
        let mut spec = mock("");
        if let Program::Executable { path, .. } = &mut spec.program {
            *path = PathBuf::from(program);
        }
        let fault = player::start(&spec, &settings(), &interrupt()).err().unwrap();
        assert_eq!(fault.kind, FaultKind::Start);
        assert!(fault.detail.contains(program) && fault.detail.contains(hint), "{fault}");
    }
}

#[test]
fn misbehaviour_in_a_search_is_the_right_fault_with_evidence() {
    for (arguments, patience, kind, hint) in [
        (
            "--crash go",
            PATIENCE,
            FaultKind::Crash,
            "exit status 3; last line `readyok`; standard error: mock-engine: assertion",
        ),
        ("--crash go --how segfault", PATIENCE, FaultKind::Crash, "SIGSEGV"),
        ("--crash go --how success", PATIENCE, FaultKind::Crash, "exit status 0"),
        ("--crash go --grandchild", PATIENCE, FaultKind::Crash, "exit status 3"),
        ("--hang go", SHORT, FaultKind::Hang, "no bestmove within 0.200 s"),
        ("--close-output", PATIENCE, FaultKind::Disconnect, "still running"),
        ("--answer none", PATIENCE, FaultKind::NoMove, "`bestmove (none)`"),
        ("--answer null", PATIENCE, FaultKind::NoMove, "`bestmove 0000`"),
        ("--answer empty", PATIENCE, FaultKind::NoMove, "`bestmove`"),
        ("--answer garbage", PATIENCE, FaultKind::NoMove, "`bestmove e9z0\\x1b[31m`"),
    ] {
        let mut player = start(arguments).unwrap_or_else(|fault| panic!("{arguments}: {fault}"));
        player.new_game(false).unwrap();
        let fault = ask(&mut player, patience).unwrap_err();
        assert_eq!(fault.kind, kind, "{arguments}: {fault}");
        assert!(fault.detail.contains(hint), "{arguments}: {fault}");
    }
}

#[test]
fn a_crash_at_a_later_move_is_noticed_then_and_stays_a_crash() {
    let mut player = start("--crash go --on 3").unwrap();
    player.new_game(false).unwrap();
    assert!(ask(&mut player, PATIENCE).is_ok());
    assert!(ask(&mut player, PATIENCE).is_ok());
    for _ in 0..2 {
        assert_eq!(ask(&mut player, PATIENCE).unwrap_err().kind, FaultKind::Crash);
    }
    assert_eq!(player.new_game(false).unwrap_err().kind, FaultKind::Crash);
}

#[test]
fn a_crash_between_games_is_noticed() {
    let mut player = start("--crash newgame --how abort").unwrap();
    let fault = player.new_game(false).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Crash);
    assert!(fault.detail.contains("SIGABRT"), "{fault}");
}

#[test]
fn an_illegal_move_is_handed_on_for_the_arena_to_judge() {
    let mut player = start("--answer illegal").unwrap();
    assert_eq!(ask(&mut player, PATIENCE).unwrap().best_move.to_string(), "a1a1");
}

#[test]
fn a_late_move_within_patience_is_a_move_and_its_lateness_is_measured() {
    let mut player = start("--delay 150").unwrap();
    let reply = ask(&mut player, PATIENCE).unwrap();
    assert!(reply.elapsed >= Duration::from_millis(150), "{:?}", reply.elapsed);
}

#[test]
fn a_move_that_comes_after_patience_is_not_taken_for_the_next_answer() {
    // The first search ends only at `stop`; its move is illegal after 1. e4.
    let mut player = start("--hang go --obey-stop --on 1").unwrap();
    assert_eq!(ask(&mut player, SHORT).unwrap_err().kind, FaultKind::Hang);
    assert_replies_to_e4(&mut player);
}

#[test]
fn a_second_best_move_is_not_taken_for_the_next_answer() {
    let mut player = start("--twice --on 1").unwrap();
    ask(&mut player, PATIENCE).unwrap();
    player.new_game(false).unwrap();
    assert_replies_to_e4(&mut player);
}

#[test]
fn an_engine_that_does_not_respect_stop_is_ended() {
    let mut player = start("--hang go").unwrap();
    assert_eq!(ask(&mut player, SHORT).unwrap_err().kind, FaultKind::Hang);
    assert_eq!(player.new_game(false).unwrap_err().kind, FaultKind::Hang);
    assert_eq!(player.new_game(false).unwrap_err().kind, FaultKind::Crash);
}

#[test]
fn an_engine_that_does_not_read_its_input_is_hung_and_does_not_block_the_harness() {
    let settings = StartSettings { ready: SHORT, ..settings() };
    let mut player = UciProcess::start(&mock("--deaf"), &settings, &interrupt());
    // On a busy machine the short patience may run out in the handshake; then once more.
    for _ in 0..20 {
        if player.is_ok() {
            break;
        }
        player = UciProcess::start(&mock("--deaf"), &settings, &interrupt());
    }
    let mut player = player.unwrap();
    let knights: Vec<UciMove> =
        ["g1f3", "g8f6", "f3g1", "f6g8"].iter().map(|text| text.parse().unwrap()).collect();
    // A game longer than any pipe.
    let moves: Vec<UciMove> = knights.iter().copied().cycle().take(500_000).collect();
    let line = Line { fen: None, moves: &moves };
    let fault = player.go(line, &Go::Depth(1), PATIENCE, &mut unobserved).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Hang, "{fault}");
    assert!(fault.detail.contains("read no command"), "{fault}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_an_ended_engine_left_in_another_session_is_ended_while_others_play() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().to_str().unwrap().to_owned();
    let sleeps = || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let mut lines =
            processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
        lines.any(|line| line.starts_with(b"tail") && holds(&line, &mark))
    };
    std::fs::write(folder.path().join("file"), "").unwrap();
    let mut spec = mock("");
    let Program::Executable { path, args, .. } = &mut spec.program else { unreachable!() };
    let mock = std::mem::replace(path, PathBuf::from("/bin/sh"));
    let script = format!("setsid tail -f {mark}/file & exec {}", mock.display());
    *args = vec!["-c".to_owned(), script];
    let helped = UciProcess::start(&spec, &settings(), &interrupt()).unwrap();
    until("the helper sleeps", sleeps);
    drop(helped);
    // Those who were left are looked for when the next engine is started, not at every end.
    until("the helper is ended", || {
        let mut next = start("").unwrap();
        assert_opens_a_game(&ask(&mut next, PATIENCE).unwrap());
        !sleeps()
    });
}

fn holds(text: &[u8], part: &str) -> bool {
    String::from_utf8_lossy(text).contains(part)
}

#[test]
fn an_engine_gets_no_more_memory_than_it_may_have() {
    let settings = StartSettings { memory: Some(64 << 20), ..settings() };
    let mut player = UciProcess::start(&mock("--grow 10"), &settings, &interrupt()).unwrap();
    let fault = (0..20).find_map(|_| ask(&mut player, PATIENCE).err()).unwrap();
    assert_eq!(fault.kind, FaultKind::Crash);
    assert!(fault.detail.contains("limited to 64 MiB"), "{fault}");
}

#[test]
fn an_interrupt_ends_every_wait_at_once() {
    let (interrupt, setter) = Interrupt::manual().unwrap();
    let mut player = UciProcess::start(&mock("--hang go"), &settings(), &interrupt).unwrap();
    let started = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(SHORT);
            setter.set();
        });
        let fault = ask(&mut player, PATIENCE).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Interrupted);
    });
    assert!(started.elapsed() < PATIENCE);
    let fault = UciProcess::start(&mock(""), &settings(), &interrupt).err().unwrap();
    assert_eq!(fault.kind, FaultKind::Interrupted);
}

#[test]
fn options_are_checked_against_what_the_engine_declares() {
    for (name, value, hint) in [
        ("Hsah", "1", "did you mean `Hash`?"),
        ("Hash", "4096", "from 1 to 1024"),
        ("Style", "Wild", "`Solid`, `Normal`, `Risky`"),
        ("Ponder", "maybe", "`true` or `false`"),
    ] {
        let mut spec = mock("");
        spec.options.insert(name.to_owned(), value.to_owned());
        let fault = player::start(&spec, &settings(), &interrupt()).err().unwrap();
        assert_eq!(fault.kind, FaultKind::Setting);
        assert!(fault.detail.contains(hint), "{fault}");
    }
    let mut spec = mock("");
    for (name, value) in [("hash", "64"), ("Clear Hash", ""), ("Move Overhead", "20")] {
        spec.options.insert(name.to_owned(), value.to_owned());
    }
    assert!(player::start(&spec, &settings(), &interrupt()).is_ok());
}

#[test]
fn a_debian_engine_plays_if_there_is_one() {
    let Some(path) = debian_engine("stockfish") else { return };
    let mut spec = mock("");
    spec.name = "stockfish".to_owned();
    spec.options.insert("Hash".to_owned(), "16".to_owned());
    if let Program::Executable { path: program, .. } = &mut spec.program {
        *program = path.into();
    }
    let mut player = player::start(&spec, &settings(), &interrupt()).unwrap();
    player.new_game(false).unwrap();
    let mut game = Vec::new();
    let mut position = Chess::default();
    for _ in 0..10 {
        let line = Line { fen: None, moves: &game };
        let reply = player.go(line, &Go::Nodes(500), PATIENCE, &mut unobserved).unwrap();
        assert!(reply.info.score.is_some() && !reply.info.pv.is_empty());
        position.play_unchecked(reply.best_move.to_move(&position).unwrap());
        game.push(reply.best_move);
    }
}
