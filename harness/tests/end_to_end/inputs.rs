//! Input of any size and from anywhere: long lines, files of other programs, pipes whose writer is silent.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::common::{harness, run, shown, texts};

fn is_refused(folder: &Path, line: &str, says: &[&str]) {
    let output = run(folder, line);
    let (status, _, stderr) = texts(&output);
    assert_eq!(status, 2, "{line}: {}", shown(&output));
    // Long lines are broken.
    let plain = stderr.replace(['\n', '│', ' '], "");
    for part in says {
        assert!(plain.contains(&part.replace(' ', "")), "{line}: {part}: {stderr}");
    }
    assert!(stderr.len() < 5_000, "{line}: {} bytes", stderr.len());
    let json = run(folder, &format!("{line} --json"));
    assert!(json.stdout.len() < 10_000, "{line}: {} bytes of JSON", json.stdout.len());
}

#[test]
fn a_fault_anywhere_in_a_long_line_is_shown_in_part() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let write = |name: &str, text: String| {
        fs::write(folder.path().join(name), text).expect("written");
    };
    let blank = " ".repeat(66_000);
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    write("l.yaml", format!("engine: builtin\nvalidation: {{ games: 0, {blank}bogus: 1 }}\n"));
    write("m.json", format!(r#"{{"engine":"builtin","note":"{}"}}"#, "y".repeat(500_000)));
    write("n.yaml", format!("engine: {}\nlimit: nodes=50\n", "e".repeat(5_000_000)));
    write("s.epd", format!("{start} {blank}bm Zz9;\n"));
    write("p.epd", format!("{start} {blank};D1 x\n"));
    is_refused(folder.path(), "tune run l.yaml", &["l.yaml:2:66025", "bogus"]);
    is_refused(folder.path(), "train l.yaml", &["l.yaml:2:13"]);
    is_refused(folder.path(), "tune run m.json", &["m.json:1:", "note"]);
    is_refused(folder.path(), "tune run n.yaml", &["eeee"]);
    is_refused(folder.path(), "suite s.epd builtin --nodes 10", &["s.epd:1:66", "Zz9"]);
    is_refused(folder.path(), "perft p.epd", &["p.epd"]);
}

#[test]
fn a_book_that_is_no_text_is_refused_in_a_few_words() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let arena = [b"ABK\0".as_slice(), &[0; 30_000]].concat();
    for (name, bytes, says) in [
        ("y.abk", arena.as_slice(), &["book of Arena", "Polyglot"][..]),
        ("y.ctg", &[0, 1, 2, 255], &["book of ChessBase"]),
        ("y.epd", &arena, &["this is no text", "ABK"]),
        ("long.epd", &[b'x'; 70_000], &["line 1 has more than 65536 bytes"]),
        ("words.epd", &[b'x'; 60_000], &["line 1", "xxx"]),
    ] {
        fs::write(folder.path().join(name), bytes).expect("written");
        let line = format!("match builtin builtin --nodes 10 --games 2 --openings {name}");
        is_refused(folder.path(), &line, says);
    }
    let pipe = "match builtin builtin --nodes 10 --games 2 --openings /dev/stdin";
    let mut child = harness(folder.path(), pipe.split_whitespace());
    let child = child.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let (status, _, stderr) = texts(&child.wait_with_output().expect("it ends"));
    assert!(status == 2 && stderr.contains("a pipe is read only once"), "{status}: {stderr}");
}

/// Begins a command whose input stays silent.
fn waiting(folder: &Path, line: &str) -> Child {
    let mut command = harness(folder, line.split_whitespace());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the harness starts");
    sleep(Duration::from_millis(700));
    child
}

#[test]
fn a_command_that_waits_for_input_ends_at_the_first_signal() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let mut waits = Vec::new();
    for line in [
        "stats --pgn -",
        "tune run /dev/stdin",
        "train /dev/stdin",
        "suite /dev/stdin builtin --nodes 10",
        "openings polyglot /dev/stdin -o book.bin",
    ] {
        for signal in [Signal::TERM, Signal::INT] {
            waits.push((line, signal));
        }
    }
    for (line, signal) in waits {
        let mut child = waiting(folder.path(), line);
        assert!(child.try_wait().expect("a child").is_none(), "{line} waits");
        // Held open: nothing ends the input.
        let silent = child.stdin.take();
        kill_process(Pid::from_child(&child), signal).expect("it runs");
        let (status, _, stderr) = texts(&child.wait_with_output().expect("it ends"));
        assert_eq!(status, 130, "{line}: {stderr}");
        drop(silent);
    }
    assert!(!folder.path().join("book.bin").exists());
}

#[test]
fn compressed_games_are_read_from_standard_input() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let game = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n";
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(game.as_bytes()).expect("memory");
    let packed = encoder.finish().expect("memory");
    let mut child = waiting(folder.path(), "stats --pgn - --json");
    child.stdin.take().expect("piped").write_all(&packed).expect("it reads");
    let (status, stdout, stderr) = texts(&child.wait_with_output().expect("it ends"));
    assert!(status == 0 && stdout.contains("\"A\""), "{status}: {stdout}{stderr}");
}

#[test]
fn a_conversion_ends_at_the_first_signal_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let line = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,10,0.5\n";
    let text = format!("fen,score,result\n{}", line.repeat(2_000_000));
    fs::write(folder.path().join("many.csv"), text).expect("written");
    let before = names(folder.path());
    for line in [
        "data convert many.csv -o many.bin",
        "data convert many.csv -o many.epd",
        "data import many.csv -o many.bin",
    ] {
        let child = waiting(folder.path(), line);
        kill_process(Pid::from_child(&child), Signal::TERM).expect("it runs");
        let (status, _, stderr) = texts(&child.wait_with_output().expect("it ends"));
        assert_eq!(status, 130, "{line}: {stderr}");
        assert!(stderr.contains("nothing was written"), "{line}: {stderr}");
        assert_eq!(names(folder.path()), before, "{line}");
    }
}

/// The names in a folder, but for that of the reports.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name != "reports");
    names.sort_unstable();
    names
}
