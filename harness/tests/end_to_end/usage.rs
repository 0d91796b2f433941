//! Wrong usage and its messages.

use std::path::Path;
use std::process::Command;

use crate::common::{MOCK, git, harness, run, shown, texts, write_program};

/// A gate that needs no file.
const GATE: &str = "conformance: {}\n";

/// A Makefile of a mock engine.
fn makefile() -> String {
    format!(
        "EXE = engine\n$(EXE):\n\tprintf '#!/bin/sh\\nexec {MOCK} \"$$@\"\\n' > $(EXE)\n\t\
         chmod +x $(EXE)\n"
    )
}

/// A repository of a mock engine with some commits.
fn repository(folder: &Path, commits: usize) {
    std::fs::create_dir_all(folder).expect("created");
    git(folder, &["init", "-q", "-b", "main"]);
    for commit in 0..commits {
        std::fs::write(folder.join("Makefile"), makefile()).expect("written");
        std::fs::write(folder.join("notes"), format!("{commit}\n")).expect("written");
        git(folder, &["add", "-A"]);
        git(folder, &["commit", "-q", "-m", &format!("commit {commit}")]);
    }
}

/// Message of a command that is refused.
fn refusal(mut command: Command) -> String {
    let output = command.output().expect("it starts");
    let (status, _, said) = texts(&output);
    assert_eq!(status, 2, "{command:?}\n{}", shown(&output));
    // Lines are broken for a narrow terminal.
    said.replace("│", "").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn outside_of_a_repository_a_revision_is_told_to_be_one() {
    let folder = tempfile::tempdir().expect("a folder");
    // libwww-perl has such a program, which waits for input.
    let programs = folder.path().join("programs");
    std::fs::create_dir(&programs).expect("created");
    let started = folder.path().join("started");
    write_program(&programs.join("HEAD"), &format!("#!/bin/sh\ntouch {}\n", started.display()));
    std::fs::write(folder.path().join("gate.yaml"), GATE).expect("written");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    for line in [
        "match HEAD main --nodes 5",
        "match builtin HEAD --nodes 5",
        "match builtin HEAD~2 --nodes 5",
        "match . builtin --nodes 5",
        "match builtin v1.2 --nodes 5",
        "match builtin 12345678 --nodes 5",
        "match builtin origin/dev --nodes 5",
        "sprt HEAD main --nodes 5",
        "check HEAD",
        "speed HEAD",
        "history",
        "bisect HEAD~3 HEAD",
        "watch main",
        "gate",
        "gate --engine .",
        "gate init --output other.yaml",
        "gate init --engine main --output other.yaml",
    ] {
        let mut command = harness(folder.path(), line.split(' '));
        let said = refusal({
            command.env("PATH", &path);
            command
        });
        assert!(said.contains("this folder is in no git repository"), "{line}: {said}");
        assert!(said.contains("help:") && !said.contains("shallow"), "{line}: {said}");
        assert!(!started.exists(), "{line} started HEAD");
    }
}

#[test]
fn a_repository_that_lacks_the_revision_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    repository(&at("empty"), 0);
    repository(&at("one"), 1);
    repository(&at("full"), 3);
    let full = format!("file://{}", at("full").display());
    git(folder.path(), &["clone", "-q", "--depth", "1", &full, "shallow"]);
    git(folder.path(), &["clone", "-q", "--bare", &full, "bare"]);
    for name in ["empty", "one", "full", "shallow", "bare"] {
        std::fs::write(at(name).join("gate.yaml"), GATE).expect("written");
    }
    for (place, line, says, help) in [
        ("empty", "match HEAD builtin --nodes 5", "has no commit yet", "git commit"),
        ("empty", "gate", "has no commit yet", "git commit"),
        ("empty", "bisect main HEAD", "has no commit yet", "git commit"),
        ("empty", "history", "has no commit yet", "git commit"),
        ("one", "gate", "is the first commit", "--base REV"),
        ("one", "match HEAD~1 builtin --nodes 5", "has no revision `HEAD~1`", "git log"),
        ("full", "match HEAD~9 builtin --nodes 5", "has no revision `HEAD~9`", "git log"),
        ("full", "match abcdef0123 builtin --nodes 5", "has no revision", "git log"),
        ("full", "bisect main HEAD~2", "is no ancestor", "the good revision comes first"),
        ("full", "gate --engine ./engine", "what to compare `./engine` with", "--base REV"),
        ("shallow", "gate", "in this shallow clone", "git fetch --unshallow"),
        ("shallow", "match HEAD~1 builtin --nodes 5", "shallow clone", "git fetch --unshallow"),
        ("shallow", "bisect HEAD~2 HEAD", "shallow clone", "git fetch --unshallow"),
        ("shallow", "match 12345678 builtin --nodes 5", "shallow clone", "git fetch --unshallow"),
        ("bare", "match HEAD builtin --nodes 5", "bare git repository", "git clone"),
        ("bare", "gate", "bare git repository", "git clone"),
        ("bare", "history", "bare git repository", "git clone"),
    ] {
        let said = refusal(harness(&at(place), line.split(' ')));
        assert!(said.contains(says) && said.contains(help), "{place}: {line}: {said}");
        assert!(place == "shallow" || !said.contains("shallow"), "{place}: {line}: {said}");
    }
}

#[test]
fn uncommitted_changes_that_are_not_played_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let (root, cache) = (folder.path().join("engine"), folder.path().join("cache"));
    repository(&root, 2);
    std::fs::write(root.join("gate.yaml"), GATE).expect("written");
    let said = |line: &str| {
        let mut command = harness(&root, line.split(' '));
        let output = command.env("TENCH_CACHE", &cache).output().expect("it starts");
        // What a gate finds does not matter here.
        assert!([Some(0), Some(1)].contains(&output.status.code()), "{line}: {}", shown(&output));
        texts(&output).2
    };
    let short = "--nodes 5 --games 2 --max-moves 2";
    let to_head = format!("match HEAD builtin {short}");
    assert!(!said(&to_head).contains("uncommitted"), "nothing is changed");
    std::fs::write(root.join("notes"), "changed\n").expect("written");
    for (line, is_named) in [
        (to_head.clone(), true),
        (format!("match main builtin {short}"), true),
        ("check HEAD --options".to_owned(), true),
        ("gate --base HEAD~1".to_owned(), true),
        // They are played, or another commit is meant.
        (format!("match . HEAD {short}"), false),
        (format!("match HEAD~1 builtin {short}"), false),
        (format!("--quiet {to_head}"), false),
    ] {
        let said = said(&line);
        let note = "is built without the uncommitted changes of 1 file; `.` is the working tree";
        assert_eq!(said.contains(note), is_named, "{line}: {said}");
    }
    std::fs::write(root.join("Makefile"), format!("# changed\n{}", makefile())).expect("written");
    assert!(said(&to_head).contains("changes of 2 files"));
    // A detached HEAD is a commit like others.
    git(&root, &["checkout", "-q", "--detach"]);
    assert!(said(&to_head).contains("HEAD is built without the uncommitted changes of 2 files"));
}

#[test]
fn a_folder_of_builds_that_cannot_be_made_says_what_to_set() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("engine");
    repository(&root, 1);
    // A file where a folder should be is read-only for everybody.
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("written");
    let below = file.join("below");
    for (variable, value) in [("TENCH_CACHE", &below), ("XDG_CACHE_HOME", &below), ("HOME", &below)]
    {
        let mut command = harness(&root, ["check", "HEAD", "--options"]);
        for other in ["TENCH_CACHE", "XDG_CACHE_HOME", "HOME"] {
            command.env_remove(other);
        }
        let output = command.env(variable, value).output().expect("it starts");
        let (status, _, said) = texts(&output);
        assert_eq!(status, 4, "{said}");
        assert!(said.contains("Not a directory"), "{variable}: {said}");
        assert!(said.contains("export TENCH_CACHE="), "{variable}: {said}");
    }
}

#[test]
fn an_odd_number_of_games_is_rounded_up_with_a_note() {
    let folder = tempfile::tempdir().expect("a folder");
    let short = "--nodes 5 --max-moves 2 --no-probe";
    for (line, note) in [
        (format!("match builtin builtin --games 3 {short}"), "--games 3 becomes 4"),
        (format!("sprt builtin builtin --max-games 3 {short}"), "--max-games 3 becomes 4"),
        (
            "fastchess -engine cmd=builtin -engine cmd=builtin -each nodes=5 -rounds 3 -games 1 \
             -maxmoves 2"
                .to_owned(),
            "--games 3 becomes 4",
        ),
        (format!("match builtin builtin --games 2 {short}"), ""),
    ] {
        let (_, stdout, said) = texts(&run(folder.path(), &line));
        assert_eq!(said.contains("becomes"), !note.is_empty(), "{line}: {said}");
        assert!(said.contains(note), "{line}: {said}");
        let games = if note.is_empty() { 2 } else { 4 };
        // Lines of fastchess leave the report to standard error.
        assert!(format!("{stdout}{said}").contains(&format!("N: {games} ")), "{line}: {stdout}");
    }
}

#[test]
fn games_that_can_show_or_decide_nothing_are_named_before_the_first_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let short = "--nodes 5 --max-moves 2 --no-probe --jobs 1";
    for (line, note) in [
        (
            format!("sprt builtin builtin --max-games 1 {short}"),
            "--max-games 2 cannot decide the test: even if one engine won all games it would take 142",
        ),
        (
            format!("sprt builtin builtin --max-games 2 --elo0=-300 --elo1 300 {short}"),
            "cannot decide",
        ),
        (
            format!("openings rate builtin --most 1 {short}"),
            "2 games of a book show its normalized Elo to ± 482; 5,000 to ± 10",
        ),
    ] {
        let said = shown(&run(folder.path(), &line));
        assert!(said.contains(note), "{line}: {said}");
    }
    // Four pairs that one engine wins decide this one.
    for line in [
        format!("sprt builtin builtin --max-games 40 --elo0=-300 --elo1 300 {short}"),
        format!("openings rate builtin --most 100 {short}"),
    ] {
        let said = shown(&run(folder.path(), &line));
        assert!(!said.contains("note:"), "{line}: {said}");
    }
}

#[test]
fn clocks_are_spoken_of_where_there_are_some() {
    let folder = tempfile::tempdir().expect("a folder");
    for (limit, is_said) in
        [("--nodes 5", false), ("--depth 1", false), ("--tc 10+1", true), ("--movetime 10", true)]
    {
        let line =
            format!("match builtin builtin {limit} --games 2 --max-moves 1 --jobs 900 --no-probe");
        let (status, _, said) = texts(&run(folder.path(), &line));
        assert_eq!(status, 0, "{line}: {said}");
        assert_eq!(said.contains("clocks are not fair"), is_said, "{line}: {said}");
    }
}

#[test]
fn an_option_or_a_limit_of_a_name_is_for_the_player_of_that_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let short = "--games 2 --max-moves 1 --no-probe --json";
    for (flags, hash) in [
        ("--option builtin.Hash=3", [Some("3"), None]),
        ("--option builtin#2.Hash=3", [None, Some("3")]),
        ("--option Hash=4 --option builtin.Hash=3", [Some("3"), Some("4")]),
        ("--option Hash=4", [Some("4"), Some("4")]),
    ] {
        let line = format!("match builtin builtin --nodes 5 {flags} {short}");
        let output = run(folder.path(), &line);
        assert_eq!(output.status.code(), Some(0), "{line}: {}", shown(&output));
        let seen = plan(folder.path(), "last");
        let set = |engine: usize| seen["engines"][engine]["options"]["Hash"].as_str();
        assert_eq!([set(0), set(1)], hash, "{line}: {seen}");
    }
    let line = format!("match builtin builtin --nodes 5 --limit builtin:nodes=7 {short}");
    assert_eq!(run(folder.path(), &line).status.code(), Some(0));
    let limits = plan(folder.path(), "last")["limits"].clone();
    assert_ne!(limits[0], limits[1], "{limits}");
}

/// Settings that decide the games of a run.
fn plan(folder: &Path, run: &str) -> serde_json::Value {
    let ledger = harness::ledger::Ledger::open_existing(&folder.join("reports")).expect("a ledger");
    ledger.facts(run).expect("a run").plan
}

#[test]
fn a_translated_command_line_does_the_same_when_it_is_pasted() {
    let folder = tempfile::tempdir().expect("a folder");
    let inside = folder.path().join("my engines");
    std::fs::create_dir(&inside).expect("created");
    std::fs::copy(MOCK, inside.join("fish")).expect("copied");
    std::fs::write(
        folder.path().join("a book.epd"),
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n",
    )
    .expect("written");
    let harness_folder = Path::new(env!("CARGO_BIN_EXE_harness")).parent().expect("a folder");
    let path =
        format!("{}:{}", harness_folder.display(), std::env::var("PATH").unwrap_or_default());
    let each = "-each nodes=5 -rounds 1 -maxmoves 3 -openings";
    for words in [
        format!(
            "-engine|cmd=./my engines/fish|name=a b|option.Hash=2|-engine|cmd=builtin|option.Hash=3|{each}|file=a book.epd"
        ),
        format!(
            "-engine|cmd=fish|dir=my engines|args=--seed 2|name=it's|-engine|cmd=fish|dir=my engines|arg=--seed|arg=3|{each}|file=a book.epd|-srand|7|-concurrency|2"
        ),
        format!(
            "-engine|cmd=./my engines/fish|name=-x|initstr=a\\nb|-engine|cmd=./my engines/fish|name=$HOME `x` \"q\"|{each}|file=a book.epd|-resign|movecount=3|score=600|-pgnout|file=my games.pgn|-epdout|ends.epd"
        ),
        format!(
            "-engine|cmd=./my engines/fish|-engine|cmd=./my engines/fish|{each}|file=a book.epd|-sprt|elo0=-5|elo1=5|-use-affinity|0|-event|An Event"
        ),
    ] {
        let words: Vec<String> = words
            .split('|')
            .flat_map(|word| {
                if word.starts_with("-each") {
                    word.split(' ').map(str::to_owned).collect()
                } else {
                    vec![word.to_owned()]
                }
            })
            .collect();
        for name in ["my games.pgn", "ends.epd"] {
            let _ = std::fs::remove_file(folder.path().join(name));
        }
        let all =
            ["--no-probe".to_owned(), "fastchess".to_owned()].into_iter().chain(words.clone());
        let output = harness(folder.path(), all).output().expect("it starts");
        let (status, _, said) = texts(&output);
        assert!([0, 3].contains(&status), "{words:?}: {}", shown(&output));
        let first = plan(folder.path(), "last");
        let outputs = || {
            ["my games.pgn", "ends.epd"]
                .map(|name| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default())
        };
        let written = outputs();
        let lines: Vec<&str> = said.lines().collect();
        let at = lines.iter().position(|line| *line == "the same in our own words:");
        let pasted: Vec<&str> = lines[at.expect("it is said") + 1..]
            .iter()
            .take_while(|line| line.contains("harness "))
            .copied()
            .collect();
        let again = Command::new("sh")
            .args(["-c", &pasted.join("\n")])
            .current_dir(folder.path())
            .env("PATH", &path)
            .output()
            .expect("it starts");
        assert!(
            [0, 3].contains(&again.status.code().unwrap_or(-1)),
            "{pasted:?}: {}",
            shown(&again)
        );
        let without_command_line = |mut plan: serde_json::Value| {
            plan["facts"]["command_line"] = serde_json::Value::Null;
            plan
        };
        let second = plan(folder.path(), "last");
        assert_eq!(without_command_line(first), without_command_line(second), "{pasted:?}");
        // Files are appended to.
        let count = |texts: [String; 2]| texts.map(|text| text.lines().count());
        assert_eq!(count(outputs()), count(written).map(|lines| 2 * lines), "{pasted:?}");
    }
}

#[test]
fn what_is_no_engine_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("a folder")).expect("created");
    std::fs::write(at("text.txt"), "hello\n").expect("written");
    write_program(&at("empty"), "");
    write_program(&at("windows.exe"), "MZ\u{90}");
    write_program(&at("lines"), "#!/bin/sh\r\nexit\r\n");
    write_program(&at("interpreter"), "#!/no/such/python\n");
    for (engine, says) in [
        ("", "the name of an engine is empty"),
        (" ", "the name of an engine is empty"),
        ("text.txt", "lacks the permission to be executed"),
        ("./text.txt", "lacks the permission to be executed"),
        ("a folder", "it is a folder"),
        ("./a folder", "it is a folder"),
        ("./empty", "the file is empty"),
        ("./windows.exe", "it is built for Windows"),
        ("./lines", "its lines end as on Windows"),
        ("./interpreter", "`/no/such/python`, which is not there"),
        ("./nowhere", "there is no engine `./nowhere`"),
        ("stokfish", "there is no engine `stokfish`"),
    ] {
        for command in ["check", "match", "speed"] {
            let mut words = vec![command, engine];
            words.extend((command == "match").then_some("builtin"));
            let said = refusal(harness(folder.path(), words));
            assert!(said.contains(says), "{command} `{engine}`: {said}");
        }
    }
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_the_work() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("gate.yaml"), GATE).expect("written");
    repository(&folder.path().join("engine"), 2);
    std::fs::write(folder.path().join("engine/gate.yaml"), GATE).expect("written");
    for (place, line) in [
        ("engine", "gate --junit nowhere/x.xml"),
        ("engine", "gate --markdown ."),
        (".", "calibrate builtin --levels 1000 -o nowhere/x.json"),
        (".", "openings generate --count 5 -o nowhere/x.epd"),
        (".", "openings polyglot nowhere.pgn -o nowhere/x.bin"),
    ] {
        let mut command = harness(&folder.path().join(place), line.split(' '));
        command.env("TENCH_CACHE", folder.path().join("cache"));
        let output = command.output().expect("it starts");
        let (status, _, said) = texts(&output);
        assert_eq!(status, 4, "{line}: {said}");
        assert!(
            said.contains("cannot write") && said.contains("nothing was done"),
            "{line}: {said}"
        );
        assert!(!folder.path().join(place).join("reports/ledger.db").exists(), "{line}");
    }
}
