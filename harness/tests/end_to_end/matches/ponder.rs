//! Thinking in the opponent's time, hourglasses, and pauses.

use crate::matches::bench::Bench;

fn log(bench: &Bench, engine: &str) -> String {
    let folder = bench.ledger().facts("last").expect("a run").folder;
    let path = bench.path().join(folder).join("uci").join(format!("{engine}.log"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What was sent to an engine.
fn sent(bench: &Bench, engine: &str) -> Vec<String> {
    let log = log(bench, engine);
    let sent =
        log.lines().filter_map(|line| line.split_once(" > ")).map(|(_, text)| text.to_owned());
    sent.collect()
}

#[test]
fn an_expected_reply_is_a_hit_and_another_one_a_new_search() {
    // Engines with the same seed know each other's replies; the third one is not foreseen.
    let bench =
        Bench::new(&[("a", "--ponder"), ("twin", "--ponder"), ("other", "--ponder --seed 5")]);
    let line = |engines: &str| {
        format!("match {engines} --tc 60+1 --games 2 --max-moves 10 --jobs 1 --ponder --log-uci")
    };
    bench.json(&line("a twin"));
    let commands = sent(&bench, "a");
    let count = |start: &str| commands.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!(count("setoption name Ponder value true"), 1, "{commands:?}");
    assert_eq!(count("go ponder wtime"), count("ponderhit") + count("stop"), "{commands:?}");
    // Twenty moves; the first of each game is searched, and all others were foreseen. After its last
    // move with Black the game is over.
    assert_eq!((count("go wtime"), count("ponderhit")), (2, 18), "{commands:?}");
    let position = commands.iter().position(|line| line.starts_with("go ponder")).unwrap() - 1;
    assert!(commands[position].contains(" moves "), "{}", commands[position]);
    bench.json(&line("a other"));
    let commands = sent(&bench, "a");
    let count = |start: &str| commands.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!(count("go ponder wtime"), count("ponderhit") + count("stop"));
    assert_eq!(count("go wtime") + count("ponderhit"), 20, "{commands:?}");
    assert!(count("stop") > 10, "{commands:?}");
    bench.assert_no_engine_left();
}

#[test]
fn the_clock_runs_in_the_players_own_time_only() {
    // All of its moves but the first are found in the time of the opponent, who is slow.
    let bench = Bench::new(&[("quick", "--ponder"), ("slow", "--ponder --delay 300")]);
    let line = "match quick slow --tc 60 --games 1 --max-moves 6 --jobs 1 --ponder \
                --pgn-comments timeleft";
    let summary = bench.json(line);
    assert_eq!(summary["terminations"]["max_moves"], summary["games"]);
    let pgn = bench.games()[0].pgn.split_whitespace().collect::<Vec<_>>().join(" ");
    let left = |text: &str| text.split('s').next().and_then(|text| text.parse::<f64>().ok());
    let left: Vec<f64> = pgn.split(", tl=").skip(1).filter_map(left).collect();
    assert_eq!(left.len(), 12, "{pgn}");
    // White is the quick one.
    assert!(left[10] > left[11] + 0.3, "{pgn}");
    // The engine measures its delay from when it reads the command.
    assert!(left[11] <= 60.0 - 6.0 * 0.29, "{pgn}");
}

#[test]
fn what_goes_wrong_while_pondering_is_a_loss_and_the_match_goes_on() {
    for (flags, termination) in [
        ("--ponder --crash go --on 4", "crash"),
        ("--ponder --hang go --on 4", "stall"),
        ("--ponder --close-output --on 4", "disconnect"),
    ] {
        let bench = Bench::new(&[("bad", flags), ("twin", "--ponder")]);
        let line =
            "match bad twin --tc 1.5+0.1 --games 2 --max-moves 8 --jobs 1 --ponder --no-probe";
        let summary = bench.json(line);
        let ended = &summary["terminations"];
        assert!(ended[termination].as_u64() > Some(0), "{flags}: {ended}");
        assert_eq!(summary["games"], 2);
        bench.assert_no_engine_left();
    }
}

#[test]
fn an_engine_without_the_option_does_not_ponder_and_is_told_of() {
    let bench = Bench::new(&[("a", "--ponder")]);
    let line = "match builtin a --tc 60+1 --games 2 --max-moves 3 --jobs 1 --ponder --json";
    let ended = bench.run(line);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert!(ended.stdout.contains("builtin does not ponder"), "{}", ended.stdout);
}

#[test]
fn what_one_player_uses_of_an_hourglass_the_other_gains() {
    let bench = Bench::new(&[("quick", ""), ("slow", "--delay 120 --seed 2")]);
    let line = "match quick slow --tc 6hg --games 2 --max-moves 8 --jobs 1 --log-uci";
    let summary = bench.json(line);
    assert_eq!(summary["limit"], "tc=6hg");
    assert!(bench.pgn().contains("[TimeControl \"6hg\"]"));
    let clocks = |engine: &str, clock: &str| -> Vec<u64> {
        let number = |line: String| line.split(clock).nth(1)?.split(' ').next()?.parse().ok();
        sent(&bench, engine).into_iter().filter_map(number).collect()
    };
    // With White in the first game: what it has left at its moves.
    let left = clocks("quick", "wtime ");
    let (first, last) = (left[0], left[7]);
    assert!(first == 6000 && last > 6000 + 100, "{left:?}");
    // Both clocks together stay what they were, to the rounding of milliseconds.
    let (white, black) = (clocks("quick", "wtime "), clocks("quick", "btime "));
    for (white, black) in white.iter().zip(&black) {
        assert!((11_998..=12_000).contains(&(white + black)), "{white} {black}");
    }
}

#[test]
fn a_pause_between_games_is_kept_and_ended_by_an_interrupt() {
    let bench = Bench::new(&[("a", ""), ("b", "--seed 2")]);
    let begun = std::time::Instant::now();
    bench.json("match a b --nodes 1 --games 4 --max-moves 2 --jobs 1 --wait 200ms");
    assert!(begun.elapsed() >= std::time::Duration::from_millis(600));
    let mut harness = bench.harness("match a b --nodes 1 --games 40 --max-moves 2 --wait 1000s");
    let harness = harness
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the harness starts");
    crate::common::until("a game", || {
        let runs = bench.ledger().runs().expect("readable");
        runs.len() == 2 && runs.iter().any(|run| run.games > 0 && run.games < 4)
    });
    let pid = rustix::process::Pid::from_child(&harness);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it runs");
    let ended = harness.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(130));
}
