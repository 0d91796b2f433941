//! Files that commands write: refused where data would be lost or not read again, written through where
//! they are no regular files.

use std::fs;

use crate::common::{harness, run, shown};

/// Games of the linked engine in `a.games`.
const GENERATE: &str = "data generate --nodes 100 --games 3 --seed 5 --quiet";

#[test]
fn two_outputs_in_one_file_and_outputs_over_inputs_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let made = run(folder, &format!("{GENERATE} -o a.games"));
    assert!(made.status.success(), "{}", shown(&made));
    let before = fs::read(folder.join("a.games")).expect("games");
    std::os::unix::fs::symlink("x.csv", folder.join("link.csv")).expect("a link");
    for outputs in
        ["x.csv x.csv", "x.csv ./x.csv", "x.csv link.csv", "a.games b.games", "b.csv ./a.games"]
    {
        let output = run(folder, &format!("data split a.games -o {outputs}"));
        assert_eq!(output.status.code(), Some(2), "{outputs}: {}", shown(&output));
        assert!(!folder.join("x.csv").exists() && !folder.join("b.games").exists(), "{outputs}");
        assert_eq!(fs::read(folder.join("a.games")).expect("games"), before, "{outputs}");
    }
    let output = run(folder, "data split a.games -o x.csv y.csv --share 0.5");
    assert!(output.status.success(), "{}", shown(&output));
}

#[test]
fn a_ledger_and_the_files_of_its_runs_are_no_outputs() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let played = run(folder, "match builtin builtin --nodes 100 --games 2 --quiet");
    assert!(played.status.success(), "{}", shown(&played));
    let mut runs = fs::read_dir(folder.join("reports/runs")).expect("runs").flatten();
    let id = runs.next().expect("a run").file_name().into_string().expect("a name");
    let games = format!("reports/runs/{id}/games.pgn");
    let before = fs::read(folder.join(&games)).expect("games");
    for file in [games.as_str(), "reports/ledger.db"] {
        for line in [
            format!("report last --format csv -o {file}"),
            format!("history -o {file}"),
            format!("check builtin --options --junit {file}"),
            format!("data stats {id} --html {file}"),
            format!("data view {id} -o {file}"),
            format!("data generate --nodes 100 --games 2 -o {file}"),
        ] {
            let output = run(folder, &line);
            assert!(!output.status.success(), "{line}: {}", shown(&output));
            assert!(shown(&output).contains("belongs to"), "{line}: {}", shown(&output));
        }
    }
    assert_eq!(fs::read(folder.join(&games)).expect("games"), before);
    let listed = run(folder, "runs");
    assert!(listed.status.success() && shown(&listed).contains(&id), "{}", shown(&listed));
    // What is not there yet takes the place of nothing, and a page is made again.
    for file in ["games.csv", "report.html"] {
        let line = format!("report last --format csv -o reports/runs/{id}/{file}");
        let output = run(folder, &line);
        assert!(output.status.success(), "{line}: {}", shown(&output));
    }
}

#[test]
fn a_file_name_that_says_another_format_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for (line, says) in [
        (format!("{GENERATE} -o x.games.zst"), "compressed"),
        (format!("{GENERATE} --hard-nodes 50 -o x.games"), "--hard-nodes 50 is below --nodes 100"),
        ("openings generate --count 2 -o x.pgn".to_owned(), "x.pgn"),
        ("openings generate --count 2 -o x.bin".to_owned(), "x.bin"),
        ("openings generate --count 2 -o x.epd.zst".to_owned(), "x.epd.zst"),
        ("openings polyglot none.pgn -o x.epd".to_owned(), "x.epd"),
        ("openings generate --count 2 -o x.games".to_owned(), "x.games"),
        ("suite make --engine builtin --from none.pgn -o x.epd.zst".to_owned(), "x.epd.zst"),
    ] {
        let output = run(folder, &line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", shown(&output));
        assert!(shown(&output).contains(says), "{line}: {}", shown(&output));
        let mut files = fs::read_dir(folder).expect("a folder").flatten();
        let written = files.find(|file| file.file_name().to_string_lossy().starts_with('x'));
        assert!(written.is_none(), "{line}: {written:?}");
    }
}

#[test]
fn links_stay_and_devices_are_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::os::unix::fs::symlink("book.epd", folder.join("link")).expect("a link");
    let line = "openings generate --count 4 --nodes 100 --quiet -o";
    let output = run(folder, &format!("{line} link"));
    assert!(output.status.success(), "{}", shown(&output));
    assert!(folder.join("link").is_symlink());
    let book = fs::read_to_string(folder.join("book.epd")).expect("the target");
    assert_eq!(book.lines().filter(|line| !line.starts_with('#')).count(), 4, "{book}");
    let output = run(folder, &format!("{line} /dev/stdout"));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.starts_with(&book), "{printed}");
}

#[test]
fn flags_that_change_nothing_are_refused_or_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("b.epd"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n")
        .expect("written");
    let games = "match builtin builtin --nodes 50 --games 2 --quiet";
    for (line, status, says) in [
        (format!("{games} --format round-robin --seeds 1"), 2, "--seeds is for"),
        (format!("{games} --swiss-rounds 2"), 2, "--swiss-rounds is for"),
        ("stats --pentanomial 1,2,3,2,1 --elo0 0 --elo1 5 --max-games 4".to_owned(), 2, "18 games"),
        (format!("{GENERATE} -o a.games"), 0, ""),
    ] {
        let output = run(folder, &line);
        assert_eq!(output.status.code(), Some(status), "{line}: {}", shown(&output));
        assert!(shown(&output).contains(says), "{line}: {}", shown(&output));
    }
    let games = games.trim_end_matches(" --quiet");
    for (line, says) in [
        (format!("{games} --openings b.epd --opening-plies 4"), "--opening-plies changes nothing"),
        (format!("{games} --order sequential --seed 4"), "--seed changes nothing"),
        (format!("{games} --priority 2"), "--priority changes nothing"),
        (
            "data generate --nodes 100 --games 2 --seed 5 --resume -o a.games".to_owned(),
            "none is added",
        ),
    ] {
        let output = run(folder, &line);
        assert_eq!(output.status.code(), Some(0), "{line}: {}", shown(&output));
        assert!(shown(&output).contains(says), "{line}: {}", shown(&output));
    }
}

#[test]
fn what_a_link_to_standard_output_leads_to_is_not_emptied() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let made = run(folder, &format!("{GENERATE} -o a.games"));
    assert!(made.status.success(), "{}", shown(&made));
    std::os::unix::fs::symlink("/dev/stdout", folder.join("out.csv")).expect("a link");
    fs::write(folder.join("kept.csv"), "KEPT\n").expect("written");
    let kept = fs::File::options().append(true).open(folder.join("kept.csv")).expect("opened");
    let status = harness(folder, "data convert a.games -o out.csv --quiet".split(' '))
        .stdout(kept)
        .status()
        .expect("it starts");
    assert!(status.success());
    let text = fs::read_to_string(folder.join("kept.csv")).expect("text");
    assert!(text.starts_with("KEPT\n") && text.lines().count() > 10, "{text}");
    assert!(folder.join("out.csv").is_symlink());
}

#[test]
fn games_of_several_files_stay_in_one_piece() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for line in [
        &format!("{GENERATE} -o a.games"),
        "data view a.games -o b.csv --quiet",
        "data view a.games b.csv -o both.csv --quiet",
    ] {
        let output = run(folder, line);
        assert!(output.status.success(), "{line}: {}", shown(&output));
    }
    let text = fs::read_to_string(folder.join("both.csv")).expect("text");
    let mut lines = text.lines();
    let head = lines.next().expect("a head").split(',');
    let column = head.into_iter().position(|name| name == "game").expect("a column");
    let mut numbers: Vec<&str> =
        lines.map(|line| line.split(',').nth(column).unwrap_or_default()).collect();
    numbers.dedup();
    assert_eq!(numbers.len(), 6, "{numbers:?}");
}
