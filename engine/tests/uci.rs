//! The real program, driven over its standard input and output.

mod client;

use std::io::Write;
use std::process::{Command, Output, Stdio};

use client::Client;
use engine::eval::nnue::{Network, PERSPECTIVE, Weights};

fn tench(input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tench"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the engine starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    // From another thread: the engine writes before it has read everything.
    let writer = std::thread::spawn(move || {
        // After `quit` the engine reads no further.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the engine ends");
    writer.join().expect("the writer does not panic");
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn session(input: &str) -> String {
    String::from_utf8(tench(input.as_bytes()).stdout).expect("UTF-8")
}

#[test]
fn no_more_threads_search_than_the_machine_runs_at_a_time() {
    let mut engine = Client::start();
    engine.send("debug on");
    engine.send("setoption name Threads value 256");
    engine.send("go movetime 100");
    let lines = engine.read_until("bestmove");
    let threads = lines.iter().filter(|line| line.starts_with("info string thread ")).count();
    let most = std::thread::available_parallelism().expect("it is known").get();
    assert_eq!(threads, most.min(256), "{lines:?}");
    engine.quit();
}

#[test]
fn a_result_that_cannot_be_written_is_a_failure_but_a_closed_pipe_is_not() {
    for line in ["bench 1", "perft 1", "params", "params --format json", "--help", "--version"] {
        let run = |stdout: Stdio| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_tench"));
            command.args(line.split(' ')).stdout(stdout);
            command.output().expect("the engine starts")
        };
        let full = std::fs::File::options().write(true).open("/dev/full").expect("it is there");
        let ended = run(full.into());
        assert_eq!(ended.status.code(), Some(4), "{line}");
        let stderr = String::from_utf8_lossy(&ended.stderr);
        assert!(stderr.contains("cannot write to standard output"), "{line}: {stderr}");
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        assert_eq!(run(writer.into()).status.code(), Some(0), "{line}");
    }
    let full = std::fs::File::options().write(true).open("/dev/full").expect("it is there");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tench"));
    let status = command.arg("nonsense").stderr(full).status().expect("the engine starts");
    assert_eq!(status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn words_and_names_that_are_not_utf8_are_wrong_usage_and_no_panic() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let strange = OsStr::from_bytes(b"b\xffnch");
    let folder = std::env::temp_dir().join(OsStr::from_bytes(b"tench \xe9"));
    std::fs::create_dir_all(&folder).expect("a folder");
    let program = folder.join(OsStr::from_bytes(b"t\xff"));
    // By another process: a child that a test beside this one starts would hold a descriptor of ours
    // open for writing, and a file that is open for writing cannot be started.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_tench")).arg(&program).status();
    assert!(copied.expect("cp starts").success());
    for (words, status) in [
        (&[strange][..], 2),
        (&["bench".as_ref(), strange], 2),
        (&["perft".as_ref(), "1".as_ref(), strange], 2),
        (&["--version".as_ref()], 0),
    ] {
        let mut command = Command::new(&program);
        command.args(words).env("VAR", strange).current_dir(&folder);
        let output = command.output().expect("the engine starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{words:?}: {stderr}");
        assert!(!stderr.contains("panicked"), "{words:?}: {stderr}");
    }
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn the_handshake_offers_the_standard_options_and_no_search_parameter() {
    let text = session("uci\nquit\n");
    assert!(text.trim_end().ends_with("uciok"), "{text}");
    for name in ["Hash", "Threads", "Move Overhead", "UCI_Chess960", "Algorithm", "Clear Hash"] {
        assert!(text.contains(&format!("option name {name} type")), "{name}");
    }
    let tuning = cfg!(feature = "tuning");
    assert_eq!(text.contains("option name rfp_margin"), tuning, "{text}");
}

#[test]
fn every_form_of_go_gives_one_best_move() {
    for go in [
        "depth 3",
        "nodes 500",
        "movetime 20",
        "wtime 200 btime 200 winc 1 binc 1",
        "wtime 200 btime 200 movestogo 1",
        "wtime -5 btime -5",
        "mate 1 depth 3",
        "searchmoves e2e4 depth 2",
    ] {
        for threads in [1, 2] {
            let text = session(&format!(
                "setoption name Threads value {threads}\nposition startpos\ngo {go}\nisready\nquit\n"
            ));
            // `quit` may come first: the search stops and still prints its best move.
            assert_eq!(text.matches("bestmove ").count(), 1, "{go}: {text}");
        }
    }
}

#[test]
fn a_go_with_faults_says_so_and_gives_one_best_move() {
    for (go, reason) in [
        ("searchmoves e2e5", "`e2e5` is no legal move"),
        ("depth", "`go depth` wants a number"),
        ("depth x", "`go depth` wants a number"),
        ("nodes 99999999999999999999", "`go nodes` wants a number"),
        ("movetime x", "`go movetime` wants a number"),
        ("movetime -5", "`go movetime -5` is below the least"),
        ("wtime abc btime abc", "`go wtime` wants a number"),
        ("movetime 50.7", "`go movetime 50.7`: 50 is used"),
        ("wtime 90.5 btime 90.5", "`go btime 90.5`: 90 is used"),
        ("btime 100 binc 10", "`go` gives no clock of the side to move"),
        ("nonsense", "`go` does not know `nonsense`"),
        ("depth 2 nonsense", "`go` does not know `nonsense`"),
    ] {
        let mut engine = Client::start();
        engine.send("position startpos");
        engine.send(&format!("go {go}"));
        let lines = engine.read_until("bestmove ");
        let found =
            lines.iter().any(|line| line.starts_with("info string") && line.contains(reason));
        assert!(found, "{go}: {lines:?}");
        engine.send("go infinite searchmoves e2e5");
        engine.send("stop");
        engine.read_until("bestmove ");
        // An illegal position leaves the one before, and a `go` during a search waits for its end.
        engine.send("position startpos moves e2e4 e2e5");
        engine.send("go infinite");
        engine.send("go depth 1");
        engine.send("isready");
        engine.read_until("readyok");
        engine.send("stop");
        engine.read_until("bestmove ");
        engine.read_until("bestmove ");
        engine.send("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
        engine.send("go searchmoves h8h7");
        assert_eq!(
            engine.read_until("bestmove ").last().map(String::as_str),
            Some("bestmove 0000")
        );
        engine.quit();
    }
}

#[test]
fn infinite_searches_print_a_best_move_only_after_stop() {
    let text =
        session("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\ngo infinite\nisready\nstop\nquit\n");
    let ready = text.find("readyok");
    let best = text.find("bestmove 0000");
    assert!(ready.expect("ready") < best.expect("an answer"), "{text}");
}

#[test]
fn nonsense_is_reported_and_survived() {
    let text = session(
        "stop\nponderhit\nxyzzy\nposition\nposition fen rubbish\nposition startpos moves e2e5\n\
         setoption\nsetoption name Hash value lots\nsetoption name No Such value 1\n\
         go depth\ngo depth x\ngo perft 2\nd\neval\n\
         position startpos moves e2e4\nposition fen 8/8/8/8/8/8/8/8 w - - 0 1\nd\nquit\n",
    );
    assert!(text.contains("unknown command `xyzzy`"), "{text}");
    assert!(text.contains("illegal move `e2e5`"), "{text}");
    assert!(text.contains("Nodes searched: 400"), "{text}");
    // The last position that could be set up still stands.
    assert!(text.contains("4P3/8/PPPP1PPP/RNBQKBNR b KQkq"), "{text}");
}

#[test]
fn long_lines_and_invalid_utf8_are_survived() {
    let mut input = b"\xff\xfe\x00garbage\n".to_vec();
    input.extend(std::iter::repeat_n(b'x', 10 << 20));
    input.extend_from_slice(b"\nisready\n");
    let text = String::from_utf8(tench(&input).stdout).expect("UTF-8");
    assert!(text.trim_end().ends_with("readyok"));
    assert!(text.len() < 1000, "an answer as long as the question");
}

#[test]
fn a_line_that_is_not_utf8_is_named_and_what_is_text_of_it_is_done() {
    for (line, more) in [
        (&b"setoption name EvalFile value /tmp/\xff/a.nnue"[..], "the evaluation stays as it was"),
        (b"setoption name SyzygyPath value /tmp/\xff", "cannot look for tables"),
        (b"setoption name BookFile value /tmp/\xff.bin", "there is no book"),
        (b"export /tmp/\xff/a.nnue", "cannot write"),
        (b"position fen \xff", "the position stays as it was"),
        (b"go depth 1 \xff", "does not know"),
        (b"\xffgo depth 1", "unknown command"),
    ] {
        let text = String::from_utf8(tench(&[line, b"\ngo depth 1\nquit\n"].concat()).stdout);
        let text = text.expect("the output is UTF-8");
        assert!(text.contains("info string this line is not UTF-8"), "{text}");
        assert!(text.contains(more), "{more}: {text}");
        assert!(text.contains("bestmove "), "{text}");
    }
}

#[test]
fn the_end_of_input_ends_a_search() {
    let text = session("go infinite\n");
    assert_eq!(text.matches("bestmove ").count(), 1, "{text}");
}

#[test]
fn both_castling_notations_are_read_and_written() {
    let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    for (chess960, castling) in [("false", "e1g1"), ("true", "e1h1")] {
        let text = session(&format!(
            "setoption name UCI_Chess960 value {chess960}\nposition fen {fen}\n\
             go depth 1 searchmoves {castling}\nposition fen {fen} moves e1h1\nd\nquit\n"
        ));
        assert!(text.contains(&format!("bestmove {castling}")), "{text}");
        assert!(text.contains("5RK1 b"), "{text}");
    }
}

#[test]
fn a_bench_ends_with_its_signature() {
    let run = || {
        let output = Command::new(env!("CARGO_BIN_EXE_tench")).args(["bench", "5"]).output();
        String::from_utf8(output.expect("ran").stdout).expect("UTF-8")
    };
    let nodes =
        |text: &str| text.lines().last().and_then(|line| line.split(' ').next().map(String::from));
    let first = run();
    let second = run();
    assert!(first.trim_end().ends_with(" nps"), "{first}");
    assert_eq!(nodes(&first), nodes(&second));
}

/// A network whose only weight that counts is a bias: 40 centipawns for the side to move.
fn small_network() -> Vec<u8> {
    let shape = PERSPECTIVE.shape().with("hidden", 32);
    let mut weights = Weights::zeros(&shape.layers());
    weights.0[1].biases[0] = 255 * 64 / 10;
    Network::new(shape, &weights).expect("a sound network").to_bytes("")
}

#[test]
fn a_network_is_read_and_a_bad_one_leaves_what_there_was() {
    let folder = std::env::temp_dir().join(format!("tench-uci-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let good = folder.join("a good.nnue");
    let bad = folder.join("bad.nnue");
    let bytes = small_network();
    std::fs::write(&good, &bytes).expect("written");
    std::fs::write(&bad, &bytes[..bytes.len() - 1]).expect("written");
    let load = |path: &std::path::Path| format!("setoption name EvalFile value {}", path.display());
    let text = session(&format!(
        "setoption name EvalFile value classical\neval\n{}\neval\n{}\neval\n{}\neval\ngo depth 3\nisready\n\
         setoption name EvalFile value classical\neval\nquit\n",
        load(&bad),
        load(&good),
        load(&folder.join("nowhere.nnue")),
    ));
    std::fs::remove_dir_all(&folder).expect("removed");
    assert_eq!(text.matches("Hand-crafted evaluation").count(), 3, "{text}");
    assert_eq!(text.matches("(768 -> 32)x2").count(), 2, "{text}");
    assert_eq!(text.matches("\n+0.40 pawns for White").count(), 2, "{text}");
    assert_eq!(text.matches("the evaluation stays as it was").count(), 2, "{text}");
    assert!(text.contains(&format!("it has {} bytes and should have", bytes.len() - 1)), "{text}");
}

#[test]
fn wrong_arguments_are_explained_with_status_2() {
    for arguments in
        [&["nonsense"][..], &["bench", "x"], &["params", "--format", "xml"], &["perft"]]
    {
        let output =
            Command::new(env!("CARGO_BIN_EXE_tench")).args(arguments).output().expect("ran");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("Usage"), "{arguments:?}");
    }
}

#[test]
fn a_wrong_path_to_tablebases_is_reported_and_survived() {
    let text = session(
        "uci\nsetoption name SyzygyPath value /no/such/folder\nsetoption name SyzygyProbeLimit \
         value 9\nsetoption name SyzygyPath value <empty>\nposition startpos\ngo depth 2\nquit\n",
    );
    assert!(text.contains("option name SyzygyPath type string default <empty>"), "{text}");
    assert!(text.contains("info string cannot look for tables in /no/such/folder"), "{text}");
    assert!(text.contains("info string option SyzygyProbeLimit must be 0 to 7"), "{text}");
    assert!(text.contains(" tbhits 0 "), "{text}");
    assert!(text.contains("bestmove "), "{text}");
}

#[test]
fn wdl_and_debug_details_are_printed_on_request() {
    let text = session("setoption name UCI_ShowWDL value true\ndebug on\ngo depth 1\nquit\n");
    let line = text.lines().find(|line| line.starts_with("info depth 1 ")).expect("an iteration");
    let mut words = line.split(' ').skip_while(|word| *word != "wdl").skip(1);
    let mut chance = || words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
    let sum: u32 = chance() + chance() + chance();
    assert_eq!(sum, 1000, "{line}");
    assert!(text.contains("info string thread 0: nodes "), "{text}");
    let text = session(
        "setoption name UCI_ShowWDL value true\nsetoption name UCI_ShowWDL value false\ndebug off\ngo depth 3\nquit\n",
    );
    assert!(!text.contains("wdl") && !text.contains("info string"), "{text}");
}

#[test]
fn a_book_gives_a_move_without_a_search() {
    use engine::book::{Entry, code, key, write};
    use shakmaty::{Chess, Square};

    let entry = |code, weight| Entry { key: key(&Chess::default()), code, weight };
    let mut bytes = Vec::new();
    let moves = [(Square::B1, Square::A3, 9), (Square::A2, Square::A3, 1)];
    let entries = moves.map(|(from, to, weight)| entry(code(from, to, None), weight));
    write(entries.to_vec(), &mut bytes).expect("a vector grows");
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), &bytes).expect("writable");

    let path = file.path().display();
    let own = format!("setoption name BookFile value {path}\nsetoption name OwnBook value true\n");
    let best = "setoption name Best Opening value true\n";
    let go = "position startpos\ngo nodes 300\n";
    let text = session(&format!("{own}{best}{go}quit\n"));
    assert!(text.contains("has 2 moves") && text.contains("bestmove b1a3"), "{text}");
    assert!(!text.contains("info depth"), "{text}");
    let text = session(&format!("{own}{go}quit\n"));
    assert!(text.contains("bestmove b1a3") || text.contains("bestmove a2a3"), "{text}");
    let out_of_book = "position startpos moves e2e4\ngo nodes 300\n";
    assert!(session(&format!("{own}{out_of_book}quit\n")).contains("info depth 1"));
    let text = session(&format!("setoption name BookFile value {path}\n{go}quit\n"));
    assert!(text.contains("info depth 1"), "{text}");
}

#[test]
fn a_file_that_is_no_book_is_reported_and_survived() {
    let text = session(
        "setoption name OwnBook value true\nsetoption name BookFile value /no/such/book.bin\n\
         setoption name BookFile value /proc/version\ngo depth 1\nquit\n",
    );
    assert_eq!(text.matches("info string there is no book").count(), 2, "{text}");
    assert!(text.contains("bestmove"), "{text}");
}
