//! `harness openings rate`, and books with a wanted share of draws.

use std::collections::HashSet;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::common::{self, MOCK, has_games, json, shown, until};

fn harness(folder: &Path, line: &str) -> Output {
    common::harness(folder, line.split_whitespace()).output().expect("ran")
}

/// Two lines in which Black is mated or mates, and two that a few moves do not decide.
const BOOK: &str = "\
6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1
3r2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
";

const RATE: &str =
    "--nodes 200 --share 0.5 --max-moves 8 --no-probe --jobs 1 --seed 2 --option Hash=1";

#[test]
fn books_are_rated_beside_each_other_and_dead_openings_are_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("mine.epd"), BOOK).expect("written");
    let rated = harness(folder, &format!("openings rate builtin mine.epd {RATE} --most 6 --json"));
    let report = json(&rated);
    assert_eq!(report["limits"], serde_json::json!(["nodes=200", "nodes=100"]), "{report}");
    assert_eq!(report["games"].as_u64(), Some(20), "{report}");
    let [own, mine] = [0, 1].map(|book| &report["books"][book]);
    assert_eq!((&own["openings"], &mine["openings"]), (&6.into(), &4.into()), "{report}");
    // In two lines one colour wins both games, in the others both are drawn.
    assert_eq!(mine["each"].as_array().map(Vec::len), Some(4), "{report}");
    assert_eq!(mine["runs"].as_array().map(Vec::len), Some(1), "{report}");
    let page = harness(folder, "report last");
    assert_eq!(page.status.code(), Some(0), "{}", shown(&page));
    let text = shown(&harness(folder, "openings rate --from last"));
    assert!(text.contains("mine.epd") && text.contains("Equal pairs"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    // The matches are runs of their own, and the run itself is listed.
    let runs = shown(&harness(folder, "runs"));
    assert!(runs.contains("-openings") && runs.matches("finished").count() == 3, "{runs}");

    let line =
        format!("openings rate mine.epd {RATE} --repeats 3 --keep live.epd --dead 0.001 --json");
    let repeated = harness(folder, &line);
    let book = &json(&repeated)["books"][0];
    assert_eq!(book["games"].as_u64(), Some(24), "{book}");
    let each = book["each"].as_array().expect("a list");
    assert!(each.iter().all(|opening| opening["pairs"] == 3), "{book}");
    let dead = each.iter().filter(|opening| opening["dead"] == true).count();
    let live = std::fs::read_to_string(folder.join("live.epd")).expect("written");
    assert_eq!(live.lines().count() + dead, 4, "{live}");
    let played = harness(
        folder,
        "match builtin builtin --openings live.epd --nodes 1 --games 2 --max-moves 2",
    );
    assert_eq!(played.status.code(), Some(0), "{}", shown(&played));
}

#[test]
fn a_rating_of_books_continues_after_a_kill_with_the_match_that_was_interrupted() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("mine.epd"), BOOK).expect("written");
    let line = format!("openings rate mine.epd builtin {RATE} --most 40 --quiet");
    let whole = json(&harness(folder, &format!("{line} --json --reports whole")));
    let mut playing = common::harness(folder, line.split_whitespace());
    let mut playing = playing.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("started");
    until("the second book is played", || has_games(folder, 16));
    playing.kill().expect("killed");
    playing.wait().expect("ended");
    let runs = json(&harness(folder, "runs --json"));
    let runs = runs["runs"].as_array().or(runs.as_array()).expect("a list");
    let rating = runs.iter().find(|run| run["command"] == "openings").expect("the rating");
    let id = rating["run"].as_str().or(rating["id"].as_str()).expect("an id");
    let resumed = json(&harness(folder, &format!("resume {id} --json")));
    let figures = |report: &Value| {
        let books = report["books"].as_array().expect("a list");
        let figures = books
            .iter()
            .map(|book| (book["pairs"].clone(), book["games"].clone(), book["each"].clone()));
        figures.collect::<Vec<_>>()
    };
    assert_eq!(figures(&resumed), figures(&whole));
}

#[test]
fn what_makes_no_sense_of_books_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("mine.epd"), BOOK).expect("written");
    std::fs::write(folder.join("bad.epd"), "no position\n").expect("written");
    for (line, says) in [
        ("openings rate", "BOOK"),
        ("openings rate missing.epd", "missing.epd"),
        ("openings rate bad.epd", "line 1"),
        ("openings rate mine.epd --depth 3", "same games"),
        ("openings rate mine.epd --share 2", "at most 1"),
        ("openings rate mine.epd --openings mine.epd", "arguments"),
        ("openings rate mine.epd builtin --keep live.epd", "one by one"),
        ("openings generate --target-draw-rate 2", "below 1"),
        ("openings generate --tolerance 0.1", "--target-draw-rate"),
    ] {
        let refused = harness(folder, line);
        assert_eq!(refused.status.code(), Some(2), "{line}: {}", shown(&refused));
        assert!(shown(&refused).contains(says), "{line}: {}", shown(&refused));
    }
    let silent =
        format!("openings generate --target-draw-rate 0.3 --engine {MOCK} --nodes 1 --no-probe");
    let silent = harness(folder, &silent);
    assert_eq!(silent.status.code(), Some(2), "{}", shown(&silent));
    assert!(shown(&silent).contains("WDL"), "{}", shown(&silent));
}

#[test]
fn a_book_has_the_draws_that_were_asked_for_and_can_be_played() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for (flags, play) in [("", ""), ("--chess960", "--chess960")] {
        let make = format!(
            "openings generate --target-draw-rate 0.25 --count 12 --nodes 100 --seed 4 {flags} -o book.epd"
        );
        let made = harness(folder, &make);
        assert_eq!(made.status.code(), Some(0), "{}", shown(&made));
        let book = std::fs::read_to_string(folder.join("book.epd")).expect("written");
        let lines: HashSet<String> = book
            .lines()
            .map(|line| line.splitn(5, ' ').take(4).collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(lines.len(), 12, "{book}");
        assert!(book.contains("--target-draw-rate 0.25"), "{book}");
        // One side is better in most of them.
        let scores: Vec<i32> = book
            .lines()
            .filter_map(|line| line.split_once(" ce ")?.1.split_once(';')?.0.parse().ok())
            .collect();
        let unbalanced = scores.iter().filter(|score| score.abs() >= 40).count();
        assert!(unbalanced >= 10, "{scores:?}");
        let again = harness(folder, &make.replace("book.epd", "again.epd"));
        assert_eq!(again.status.code(), Some(0), "{}", shown(&again));
        assert_eq!(std::fs::read_to_string(folder.join("again.epd")).expect("written"), book);
        let line = format!(
            "match builtin builtin --openings book.epd --nodes 1 --games 24 --max-moves 2 {play}"
        );
        let played = harness(folder, &line);
        assert_eq!(played.status.code(), Some(0), "{}", shown(&played));
    }
    // More draws than the engine expects in any line: the balanced ones, with a warning.
    let most = "openings generate --target-draw-rate 0.9 --count 5 --nodes 100 -o most.epd";
    let text = shown(&harness(folder, most));
    assert!(text.contains("--level-draw-rate") && text.contains("5 openings"), "{text}");
    let longer = most.replace("0.9", "0.5 --level-draw-rate 0.8");
    let text = shown(&harness(folder, &longer));
    assert!(!text.contains("expects at most") && text.contains("5 openings"), "{text}");
}
