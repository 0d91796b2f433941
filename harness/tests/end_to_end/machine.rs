//! Runs that share a machine: its cores and its memory.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::common::{MOCK, harness, has_games, json, shown, texts, until, write_program};

/// A command that shares cores with others of the same folder.
fn sharing(folder: &Path, line: &str) -> Command {
    let mut command = harness(folder, line.split_whitespace());
    command.env("TENCH_CACHE", folder.join("cache")).env_remove("TENCH_SHARE_CORES");
    command
}

fn start(folder: &Path, line: &str) -> Child {
    let mut command = sharing(folder, line);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
}

#[test]
fn a_second_run_takes_the_cores_that_the_first_one_leaves() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let short =
        format!("match builtin {MOCK} --nodes 5 --games 4 --no-probe --json --reports short");
    let alone = sharing(folder, &short).output().expect("it runs");
    let all = json(&alone)["jobs"].as_u64().expect("a number");
    assert!(!texts(&alone).2.contains("other runs"), "{}", shown(&alone));
    let long =
        format!("match builtin {MOCK} --nodes 100 --games 100000 --no-probe --reports reports");
    let mut first = start(folder, &long);
    until("games are played", || has_games(folder, 2));
    for (more, jobs, is_said) in [("", 1, true), (" --jobs 3", 3, false)] {
        let output = sharing(folder, &format!("{short}{more}")).output().expect("it runs");
        assert_eq!(json(&output)["jobs"], jobs, "{}", shown(&output));
        assert_eq!(texts(&output).2.contains("by other runs of the harness"), is_said, "{more}");
    }
    let mut unshared = sharing(folder, &short);
    let output = unshared.env("TENCH_SHARE_CORES", "no").output().expect("it runs");
    assert_eq!(json(&output)["jobs"], all);
    // Whatever ends a process frees its cores.
    first.kill().expect("it runs");
    first.wait().expect("it is ours");
    let output = sharing(folder, &short).output().expect("it runs");
    assert_eq!(json(&output)["jobs"], all, "{}", shown(&output));
}

#[test]
fn fewer_games_are_played_at_a_time_where_memory_is_short() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = "#!/bin/sh\nwhile read -r line; do\n  case \"$line\" in\n    uci) echo 'option name Hash type \
                  spin default 16 min 1 max 99999999'; echo uciok ;;\n    isready) echo readyok ;;\n    go*) \
                  echo 'bestmove e2e4' ;;\n    quit) exit 0 ;;\n  esac\ndone\n";
    write_program(&folder.path().join("greedy"), engine);
    for (hash, is_said) in [("16", false), ("4000000", true)] {
        let line = format!(
            "match ./greedy ./greedy --nodes 5 --games 4 --no-probe --json --jobs 2 --option Hash={hash}"
        );
        let output = harness(folder.path(), line.split_whitespace()).output().expect("it runs");
        let result = json(&output);
        let warnings = result["warnings"].to_string();
        assert_eq!(
            warnings.contains("hash tables of 2 games at a time need"),
            is_said,
            "{warnings}"
        );
        assert_eq!(texts(&output).2.contains("hash tables"), is_said, "{}", shown(&output));
        assert_eq!(result["games"], 4);
    }
}
