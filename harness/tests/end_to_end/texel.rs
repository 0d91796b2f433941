//! `harness tune texel`: from files to files.

use std::fmt::Write;
use std::path::Path;

use crate::common::{run, texts};

fn output(folder: &Path, line: &str) -> (i32, String, String) {
    texts(&run(folder, line))
}

const TABLE: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/src/eval/weights.rs"));

const FIT: &str = "data: data.txt\nfit: [placement, tempo]\nblend: 0.5\nvalidation: 0.3\n\
    epochs: 4\npatience: 4\nlearning_rate: 3\nl2: 0\noutput: new/weights\n";

/// A fit, positions with made-up labels that favour White, and the engine's table.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    let book = include_str!("../../../suites/openings.epd");
    let mut lines = String::new();
    let positions = book.lines().filter(|line| !line.starts_with('#')).take(1_500);
    for (number, line) in positions.enumerate() {
        let fen: Vec<&str> = line.split_ascii_whitespace().take(4).collect();
        let result = ["1", "0.5", "0.5"][number % 3];
        writeln!(lines, "{} | {} | {result}", fen.join(" "), number % 100).expect("written");
    }
    for (name, text) in [("try.yaml", FIT), ("data.txt", &lines), ("weights.rs", TABLE)] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

#[test]
fn weights_are_fitted_written_and_applied_once() {
    let folder = folder();
    let line = "tune texel try.yaml --json --apply --table weights.rs";
    let (status, stdout, stderr) = output(folder.path(), line);
    assert_eq!(status, 0, "{stderr}");
    let fit: serde_json::Value = serde_json::from_str(&stdout).expect("one JSON object");
    assert_eq!(fit["method"], "texel");
    assert_ne!(fit["start"]["tempo"], fit["best"]["tempo"]);
    assert_eq!(fit["start"]["material"], fit["best"]["material"], "not asked for");
    let (before, after) =
        (&fit["loss"]["before"]["validation"], &fit["loss"]["after"]["validation"]);
    assert!(after.as_f64() < before.as_f64(), "{after} {before}");

    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect(name);
    let (kept, table) = (read("new/weights.json"), read("weights.rs"));
    assert_eq!(kept, stdout);
    assert_eq!(read("new/weights.rs"), table);
    assert_ne!(table, TABLE);
    let tempo = &fit["best"]["tempo"][0];
    assert!(table.contains(&format!("tempo: Tempo, [s({}, {})];", tempo[0], tempo[1])), "{tempo}");

    let (status, _, stderr) = output(folder.path(), line);
    assert_eq!(status, 2, "these weights would be changes to others");
    // Long lines are wrapped.
    let words = stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("weights.rs") && words.contains("build the"), "{stderr}");
    assert_eq!(read("weights.rs"), table);
}

#[test]
fn what_cannot_be_fitted_is_told_with_its_place() {
    for (file, from, to, says) in [
        ("try.yaml", "tempo", "tmpo", "try.yaml:2:18"),
        ("try.yaml", "data.txt", "none.txt", "none.txt"),
        ("try.yaml", "blend: 0.5", "blend: 5", "from 0 to 1"),
        ("try.yaml", "epochs", "epcohs", "epcohs"),
        ("data.txt", "| 2 |", "| two |", "data.txt:3"),
        ("data.txt", "/", " ", "data.txt:1"),
        ("data.txt", "w ", "w extra ", "data.txt:"),
    ] {
        let folder = folder();
        let path = folder.path().join(file);
        let text = std::fs::read_to_string(&path).expect("there");
        std::fs::write(&path, text.replacen(from, to, 1)).expect("written");
        let (status, _, stderr) = output(folder.path(), "tune texel try.yaml");
        assert_eq!(status, 2, "{to}: {stderr}");
        assert!(stderr.contains(says), "{says}: {stderr}");
    }
    // Results that do not vary say nothing, and a blend of them with scores does.
    for (blend, expected) in [("blend: 0", 2), ("blend: 0.5", 0)] {
        for result in ["0.5", "1", "0"] {
            let folder = folder();
            let change = |name: &str, of: &dyn Fn(&str) -> String| {
                let path = folder.path().join(name);
                let text = std::fs::read_to_string(&path).expect("there");
                std::fs::write(&path, of(&text)).expect("written");
            };
            change("try.yaml", &|text| text.replace("blend: 0.5", blend));
            change("data.txt", &|text| {
                let line = |line: &str| line.rsplit_once('|').expect("a result").0.to_owned();
                text.lines().map(|one| format!("{}| {result}\n", line(one))).collect()
            });
            let (status, _, stderr) = output(folder.path(), "tune texel try.yaml");
            assert_eq!(status, expected, "{blend} {result}: {stderr}");
            assert_eq!(stderr.contains("the same label"), expected == 2, "{result}: {stderr}");
        }
    }
    let folder = folder();
    std::fs::write(folder.path().join("data.txt"), "# nothing\n").expect("written");
    let (status, _, stderr) = output(folder.path(), "tune texel try.yaml");
    assert_eq!(status, 2, "{stderr}");
    assert!(stderr.contains("too few"), "{stderr}");
}
