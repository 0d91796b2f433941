//! Files and command lines that are not as expected: encodings, byte order marks, counters, names that
//! are not UTF-8, files that are not there; and what `--json` prints of an error.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::common::{MOCK, harness, run, shown};

const BOARD: &str = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR";

fn error_of(output: &Output) -> Value {
    let text = String::from_utf8(output.stdout.clone()).expect("text");
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{}", shown(output)));
    assert_eq!(value.as_object().expect("an object").len(), 1, "{value}");
    value["error"].clone()
}

#[test]
fn json_of_an_error_is_one_object_and_the_status_stays() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.epd"), "rubbish\n").unwrap();
    fs::write(folder.path().join("bad.csv"), "fen,result\nrubbish,1.0\n").unwrap();
    fs::write(folder.path().join("bad.yaml"), "engin: x\n").unwrap();
    for (line, status, says) in [
        ("suite nothing.epd builtin", 2, "nothing.epd"),
        ("suite bad.epd builtin --nodes 10", 2, "faulty line"),
        ("perft nothing.epd", 2, "nothing.epd"),
        ("data convert bad.csv -o good.csv", 4, "bad.csv:2"),
        ("data convert nothing.csv -o good.csv", 2, "nothing.csv"),
        ("match builtin no-such-engine --nodes 10", 2, "no-such-engine"),
        ("match builtin builtin --nodes ten", 2, "invalid value 'ten'"),
        ("match builtin", 2, "match"),
        ("mach builtin builtin", 2, "unrecognized subcommand"),
        ("stats --pgn nothing.pgn", 2, "nothing.pgn"),
        ("resume nothing", 2, "no runs"),
        ("report nothing", 2, "no runs"),
        ("tune run bad.yaml", 2, "engin"),
        ("bisect HEAD~1 HEAD", 2, "repository"),
    ] {
        let output = run(folder.path(), &format!("{line} --json"));
        assert_eq!(output.status.code(), Some(status), "{line}: {}", shown(&output));
        let error = error_of(&output);
        assert_eq!(error["status"], status, "{line}");
        let text = error.to_string();
        assert!(text.contains(says), "{line}: {text}");
        let plain = run(folder.path(), line);
        assert_eq!(plain.status.code(), Some(status), "{line}: {}", shown(&plain));
        assert!(plain.stdout.is_empty(), "{line}: {}", shown(&plain));
    }
    let first = run(folder.path(), "--json mach builtin");
    assert_eq!(error_of(&first)["status"], 2);
    // Help is no error, and data on standard output are not followed by an object.
    let help = run(folder.path(), "match --help --json");
    assert!(help.status.success() && !help.stdout.starts_with(b"{"), "{}", shown(&help));
    fs::write(
        folder.path().join("half.csv"),
        format!("fen,result\n{BOARD} w KQkq - 0 1,1.0\nx,y\n"),
    )
    .unwrap();
    let half = run(folder.path(), "data convert half.csv -o - --json");
    assert_eq!(half.status.code(), Some(4), "{}", shown(&half));
    assert!(!String::from_utf8_lossy(&half.stdout).contains("\"error\""), "{}", shown(&half));
}

#[test]
fn a_file_that_is_not_there_has_one_status_whatever_the_command() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("net.yaml"), "data: [nothing.csv]\n").unwrap();
    for line in [
        "data convert nothing.csv -o out.csv",
        "data convert nothing.pgn -o out.games",
        "data import nothing.csv -o out.csv",
        "data import nothing.pgn -o out.games",
        "data import nothing.csv -o out.csv --engine builtin --nodes 10",
        "data view nothing.csv -o out.csv",
        "data stats nothing.pgn",
        "data split nothing.csv -o a.csv b.csv",
        "data split nothing.games -o a.games b.games",
        "data sample nothing.csv -o a.csv --count 3",
        "data shuffle nothing.csv -o a.csv",
        "data validate nothing.csv",
        "data wdl nothing.csv",
        "stats --pgn nothing.pgn",
        "suite nothing.epd builtin",
        "suite audit nothing.epd",
        "suite make --from nothing.pgn -o x.epd --engine builtin --nodes 1",
        "suite wac builtin --nodes 1 --baseline nothing.json",
        "perft nothing.epd",
        "speed builtin --positions nothing.epd",
        "match builtin builtin --nodes 1 --openings nothing.epd",
        "match builtin builtin --nodes 1 --openings nothing.pgn",
        "match builtin builtin --nodes 1 --tb nothing",
        "tune run nothing.yaml",
        "tune bench --landscapes nothing.json",
        "tune init builtin --from weather-factory nothing.json",
        "tune texel nothing.yaml",
        "train nothing.yaml",
        "train net.yaml",
        "loop nothing.yaml",
        "lichess builtin --settings nothing.yaml",
    ] {
        let output = run(folder.path(), line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", shown(&output));
        assert!(shown(&output).contains("nothing"), "{line}");
    }
}

#[test]
fn a_byte_order_mark_and_other_encodings_do_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    let utf16 = |text: &str| -> Vec<u8> {
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    let fen = format!("{BOARD} w KQkq - 4 9");
    let suite = format!("{BOARD} w KQkq - 4 9; bm exd5; id \"Zo\u{eb}\";\r\n");
    let latin: Vec<u8> = suite.chars().map(|letter| letter as u8).collect();
    let csv = format!("fen,score,result\r\n{fen},30,1.0\r\n");
    let weather = r#"{"Hash":{"value":16,"min_value":1,"max_value":160,"step":8}}"#;
    write("mark.csv", format!("\u{feff}{csv}").as_bytes());
    write("wide.csv", &utf16(&csv));
    write("mark.txt", format!("\u{feff}{fen} | 30 | 1.0\n").as_bytes());
    write("latin.epd", &latin);
    write("wide.epd", &utf16(&suite));
    write("mark.epd", format!("\u{feff}{suite}").as_bytes());
    write("perft.epd", format!("\u{feff}{fen} ;D1 31\r\n").as_bytes());
    write("weather.json", format!("\u{feff}{weather}").as_bytes());
    write("mock.yaml", b"");
    write("harness.yaml", format!("\u{feff}engines: {{ mock: {{ cmd: {MOCK} }} }}\n").as_bytes());
    for name in ["mark.csv", "wide.csv", "mark.txt", "latin.epd", "wide.epd", "mark.epd"] {
        let output = run(folder.path(), &format!("data convert {name} -o -"));
        assert_eq!(output.status.code(), Some(0), "{name}: {}", shown(&output));
        assert!(shown(&output).contains(&fen), "{name}: {}", shown(&output));
    }
    for name in ["latin.epd", "wide.epd", "mark.epd"] {
        let output = run(folder.path(), &format!("suite {name} mock --nodes 5 --json"));
        let report: Value = serde_json::from_slice(&output.stdout).expect("an object");
        assert_eq!(report["results"][0]["id"], "Zo\u{eb}", "{name}: {}", shown(&output));
        let played = run(
            folder.path(),
            &format!(
                "match mock mock --nodes 1 --games 2 --max-moves 12 --openings {name} --reports of-{name}"
            ),
        );
        assert_eq!(played.status.code(), Some(0), "{name}: {}", shown(&played));
        let games = fs::read_dir(folder.path().join(format!("of-{name}/runs"))).unwrap();
        let only = games.map(|entry| entry.unwrap().path()).next().unwrap();
        let pgn = fs::read_to_string(only.join("games.pgn")).unwrap();
        assert!(pgn.contains(&format!("[FEN \"{fen}\"]")), "{name}: {pgn}");
    }
    for line in ["perft perft.epd", "tune init mock --from weather-factory weather.json"] {
        let output = run(folder.path(), line);
        assert_eq!(output.status.code(), Some(0), "{line}: {}", shown(&output));
    }
}

/// A name that is no UTF-8.
fn strange(before: &str, after: &str) -> OsString {
    OsString::from_vec([before.as_bytes(), b"\xff\xe9 ", after.as_bytes()].concat())
}

#[test]
fn names_that_are_not_utf8_end_no_program() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join(strange("folder", ""));
    fs::create_dir(&folder).unwrap();
    let [book, suite, engine] = [("book", ".epd"), ("suite", ".epd"), ("engine", "")]
        .map(|(before, after)| folder.join(strange(before, after)));
    fs::write(&book, format!("{BOARD} w KQkq -\n")).unwrap();
    fs::write(&suite, format!("{BOARD} w KQkq - bm exd5;\n")).unwrap();
    fs::copy(MOCK, &engine).unwrap();
    fs::write(folder.join("harness.yaml"), format!("engines: {{ mock: {{ cmd: {MOCK} }} }}\n"))
        .unwrap();
    fs::copy(MOCK, folder.join("engine")).unwrap();
    let embedded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/nets/default.nnue");
    fs::copy(embedded, folder.join("net.nnue")).unwrap();
    let network = "--option builtin.EvalFile=net.nnue";
    let os = |text: &str| OsString::from(text);
    let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
    let with = |text: &str, more: &[&OsStr]| -> Vec<OsString> {
        words(text).into_iter().chain(more.iter().map(|&word| word.to_owned())).collect()
    };
    let reports = folder.join(strange("reports", ""));
    // Those that work have status 0, the others an error of their own.
    let lines: Vec<(Vec<OsString>, &[i32])> = vec![
        (
            with(
                "match mock mock --nodes 1 --games 2 --max-moves 9 --json --openings",
                &[book.as_ref()],
            ),
            &[0][..],
        ),
        (with("match ./engine mock --nodes 1 --games 2 --max-moves 9 --json", &[]), &[0][..]),
        (
            with(
                "match mock mock --nodes 1 --games 2 --max-moves 9 --reports",
                &[reports.as_ref()],
            ),
            &[0][..],
        ),
        (with("suite wac mock --nodes 1 --limit 2", &[engine.as_ref()]), &[0, 1, 2][..]),
        (
            with("suite", &[suite.as_ref(), "mock".as_ref(), "--nodes".as_ref(), "1".as_ref()]),
            &[0, 1, 2][..],
        ),
        (with("suite bk mock --nodes 1 --json", &[]), &[0, 1][..]),
        (with("suite bk ./engine --nodes 1 --json --reports", &[reports.as_ref()]), &[0, 1][..]),
        (with("perft", &[suite.as_ref()]), &[0, 2][..]),
        (with("check ./engine --json", &[]), &[0, 1][..]),
        (with("check", &[engine.as_ref()]), &[0, 1, 2][..]),
        (
            with("data convert", &[suite.as_ref(), "-o".as_ref(), strange("out", ".csv").as_ref()]),
            &[0][..],
        ),
        (
            with("data convert", &[suite.as_ref(), "-o".as_ref(), "-".as_ref(), "--json".as_ref()]),
            &[0][..],
        ),
        // What is printed as JSON, and what is kept of a run, has names of files, too.
        (
            with(
                "data generate --games 2 --nodes 50 --jobs 1 --json -o",
                &[strange("made", ".games").as_ref()],
            ),
            &[0][..],
        ),
        (
            with("openings generate --count 2 --json -o", &[strange("made", ".epd").as_ref()]),
            &[0][..],
        ),
        (with("gate init --json -o", &[strange("gate", ".yaml").as_ref()]), &[0, 2, 4][..]),
        (
            with("match a={cmd:./engine,dir:.} builtin --nodes 1 --games 2 --max-moves 9", &[]),
            &[0, 2][..],
        ),
        (
            with(
                "fastchess -engine cmd=./engine dir=. name=a -engine cmd=engine dir=. name=b -each \
                 nodes=1 -rounds 1 -games 2 -maxmoves 9",
                &[],
            ),
            &[0][..],
        ),
        // The files that options name are kept with a run by their whole paths.
        (
            with(&format!("match mock builtin --nodes 1 --games 2 --max-moves 9 {network}"), &[]),
            &[0][..],
        ),
        (
            with(&format!("sprt mock builtin --nodes 1 --max-games 2 {network} --json"), &[]),
            &[0, 1, 3][..],
        ),
        (with(&format!("suite bk builtin --nodes 1 {network} --json"), &[]), &[0, 1][..]),
        (with("suite bk ./engine --nodes 1 --option EvalFile=net.nnue", &[]), &[0, 1, 2][..]),
        (
            with(
                "data generate --games 1 --nodes 50 --option EvalFile=net.nnue -o more.games",
                &[],
            ),
            &[0][..],
        ),
        (with("runs --json", &[]), &[0][..]),
        (with("resume last", &[]), &[0, 2][..]),
        (with("report last", &[]), &[0][..]),
        (with("history", &[]), &[2][..]),
        (with("init", &[]), &[0, 2, 4][..]),
        (vec![strange("mat", "ch")], &[2][..]),
        (vec![os("match"), strange("a", ""), strange("b", "")], &[2][..]),
        (vec![os("match"), os("mock"), os("mock"), os("--option"), strange("Hash=", "")], &[2][..]),
        (vec![os("--json"), strange("--mat", "ch")], &[2][..]),
    ];
    for (line, statuses) in lines {
        let output =
            harness(&folder, &line).env(strange("VAR", ""), strange("x", "")).output().unwrap();
        let status = output.status.code().expect("no signal");
        assert!(statuses.contains(&status), "{line:?}: {}", shown(&output));
        assert!(!shown(&output).contains("panicked"), "{line:?}: {}", shown(&output));
    }
}

#[test]
fn what_is_no_text_where_text_is_wanted_is_named_with_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let os = |text: &str| OsString::from(text);
    for (line, named) in [
        (vec![os("match"), strange("./engine", ""), os("builtin")], "`./engine\u{fffd}\u{fffd} `"),
        (
            vec![os("match"), os("a"), os("b"), os("--option"), strange("EvalFile=", "")],
            "`EvalFile=",
        ),
        (
            vec![os("match"), os("a"), os("b"), os("--define"), strange("a={cmd: ", "}")],
            "`a={cmd: ",
        ),
        (vec![os("suite"), strange("s", ".epd"), os("builtin")], "`s\u{fffd}"),
        (vec![os("speed"), strange("engine", "")], "`engine\u{fffd}"),
        (vec![os("data"), os("generate"), os("--engine"), strange("e", "")], "`e\u{fffd}"),
    ] {
        let output = harness(folder.path(), &line).output().unwrap();
        let text = shown(&output);
        assert_eq!(output.status.code(), Some(2), "{line:?}: {text}");
        for says in ["not UTF-8", named, "ln -s"] {
            assert!(text.contains(says), "{line:?} {says}: {text}");
        }
    }
    // Folders of tablebases are paths.
    let tables = folder.path().join(strange("tables", ""));
    fs::create_dir(&tables).unwrap();
    let words = ["match", "builtin", "builtin", "--nodes", "1", "--games", "2", "--tb"];
    let line: Vec<OsString> =
        words.map(OsString::from).into_iter().chain([tables.into()]).collect();
    let output = harness(folder.path(), &line).output().unwrap();
    assert!(shown(&output).contains("there are no tablebases in"), "{}", shown(&output));
}

#[test]
fn the_programs_may_have_names_that_are_not_utf8() {
    let outer = tempfile::tempdir().unwrap();
    let program = outer.path().join(strange("harness", ""));
    // By another process: a file that a child of a test beside this one holds open for writing cannot
    // be started.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_harness")).arg(&program).status();
    assert!(copied.unwrap().success());
    fs::copy(MOCK, outer.path().join("mock")).unwrap();
    let pgn = "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n";
    fs::write(outer.path().join("games.pgn"), pgn).unwrap();
    for (line, statuses) in [
        ("suite bk ./mock --nodes 1", &[0, 1][..]),
        ("match ./mock builtin --nodes 1 --games 2 --max-moves 9", &[0][..]),
        (
            "suite make --from games.pgn -o made.epd --engine ./mock --nodes 1 --verify-nodes 1",
            &[0, 1, 2, 4][..],
        ),
        ("speed ./mock --runs 1", &[0, 1, 2, 4][..]),
    ] {
        let command = |program: &Path| {
            Command::new(program).current_dir(outer.path()).args(line.split(' ')).output().unwrap()
        };
        let output = command(&program);
        let status = output.status.code().expect("no signal");
        assert!(statuses.contains(&status), "{line}: {}", shown(&output));
        assert!(!shown(&output).contains("panicked"), "{line}: {}", shown(&output));
    }
}
