//! The pages of runs: whole in themselves, and safe whatever an engine calls itself.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use harness::outcome::{
    EngineFacts, MatchFacts, Outcome, SuiteFacts, SuiteReport, SuiteResult, SuiteSummary, Tally,
};
use harness::report::html::{match_page, suite_page};
use harness::stats::{GameScore, Model, Sprt};

const EVIL: &str = "<script>alert('x')</script>";

fn facts(names: &[&str], sprt: Option<Sprt>) -> MatchFacts {
    let engine = |name: &&str| EngineFacts {
        name: (*name).to_owned(),
        what: "git 1a2b3c4 (HEAD~1)".to_owned(),
        options: BTreeMap::from([("Hash".to_owned(), "16".to_owned())]),
        defaults: BTreeMap::new(),
    };
    MatchFacts {
        command: if sprt.is_some() { "sprt" } else { "match" }.to_owned(),
        engines: names.iter().map(engine).collect(),
        limit: "tc=8+0.08".to_owned(),
        games_asked: Some(20_000),
        openings: Some("suites/openings.epd (4,000 positions)".to_owned()),
        jobs: 2,
        seed: Some(42),
        sprt,
        command_line: Some("harness sprt HEAD main --tc 8+0.08 --jobs 2".to_owned()),
    }
}

/// Pairs of games whose scores follow a fixed, slightly favourable pattern.
fn tally(names: &[&str], pairs: u64) -> Tally {
    let mut tally = Tally::new(names[0]);
    let mut state: u64 = 7;
    for pair in 0..pairs {
        for _ in 0..2 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (score, termination) = match state >> 33 & 0xff {
                0..=61 => (GameScore::Loss, "checkmate"),
                62..=190 => (GameScore::Draw, "threefold_repetition"),
                191..=192 => (GameScore::Win, "time_forfeit"),
                _ => (GameScore::Win, "adjudicated_by_score"),
            };
            let first = pair as usize % (names.len() - 1);
            let second = first + 1;
            tally.add(&Outcome {
                pair,
                first: names[first].to_owned(),
                second: names[second].to_owned(),
                score,
                termination: termination.to_owned(),
            });
        }
    }
    tally
}

fn sprt_page(names: &[&str], pairs: u64) -> String {
    let sprt = Sprt::new(Model::Normalized, 0.0, 5.0, 0.05, 0.05).expect("valid");
    let facts = facts(names, Some(sprt));
    let tally = tally(names, pairs);
    let summary = tally.summary("20261121-143015-sprt", &facts, 4_321.0);
    match_page(&summary, &tally.curve(Some(&sprt)), &[]).file()
}

fn result(id: &str, fen: &str, played: &str, expected: &str, theme: &str) -> SuiteResult {
    let solved = played == expected;
    SuiteResult {
        worker: None,
        id: id.to_owned(),
        solved,
        r#move: Some(played.to_owned()),
        time_ms: 1_000,
        nodes: Some(1_234_567),
        depth: Some(17),
        found_ms: solved.then_some(120),
        found_depth: solved.then_some(9),
        found_nodes: solved.then_some(9_000),
        lines: Vec::new(),
        rank: None,
        score: f64::from(u8::from(solved)),
        max_score: 1.0,
        fen: fen.to_owned(),
        san: Some(played.to_owned()),
        expected: vec![expected.to_owned()],
        expected_uci: vec![expected.to_owned()],
        avoid: Vec::new(),
        theme: Some(theme.to_owned()),
        fault: None,
    }
}

fn suite(engine: &str) -> String {
    suite_page(&SuiteReport { first: suite_summary(engine, 0), others: Vec::new() }).file()
}

/// What an engine did on four positions: it solves the first, and as many more as are asked for.
fn suite_summary(engine: &str, more: usize) -> SuiteSummary {
    let start = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4";
    let end = "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 99 50";
    let mut results = vec![
        result("one", start, "h5f7", "h5f7", "mate"),
        result("two", start, "h5e5", "h5f7", "mate"),
        result("three", end, "f7e7", "f7g6", "fortress"),
        result("four", "no position", "0000", "f7g6", EVIL),
    ];
    for solved in results.iter_mut().skip(1).take(more) {
        solved.solved = true;
    }
    let facts = SuiteFacts {
        suite: "wac".to_owned(),
        title: Some("Win at Chess".to_owned()),
        source: Some("Fred Reinfeld, 1958".to_owned()),
        engines: vec![engine.to_owned()],
        limit: "movetime=1000ms".to_owned(),
        suite_sha256: None,
        machine_nps: None,
        positions: 4,
        command_line: None,
    };
    facts.summary("20261121-143015-suite", 0, results, 4.0)
}

/// Keeps a page in the build folder, where one can look at it.
fn keep(name: &str, page: &str) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    fs::write(folder.join(name), page).expect("the build folder can be written");
}

#[test]
fn pages_refer_to_nothing_outside() {
    let pages = [
        ("sprt.html", sprt_page(&["tench new", "tench old"], 3_000)),
        ("match.html", sprt_page(&["a", "b", "c"], 300)),
        ("short.html", sprt_page(&["a", "b"], 0)),
        ("suite.html", suite("builtin")),
        ("suites.html", two_suites()),
    ];
    for (name, page) in pages {
        keep(name, &page);
        assert!(page.starts_with("<!DOCTYPE html>"), "{name}");
        // The name of a namespace is no address that anything is loaded from.
        let page = page.replace("http://www.w3.org/2000/svg", "");
        for outside in ["http:", "https:", "//cdn", "@import", "url(", "<script", "<link", "<img"] {
            assert!(!page.contains(outside), "{name} has {outside}");
        }
    }
}

#[test]
fn a_name_is_text_and_never_markup() {
    for page in [sprt_page(&[EVIL, "old"], 20), sprt_page(&[EVIL, "b", "c"], 20), suite(EVIL)] {
        assert!(!page.contains("<script"), "unescaped");
        assert!(page.contains("&lt;script&gt;alert"), "the name is shown");
    }
}

#[test]
fn only_missed_positions_have_a_diagram() {
    let page = suite("builtin");
    assert_eq!(page.matches("class=\"board\"").count(), 2, "two missed, with a readable FEN");
    assert!(page.contains("Missed positions (3)"));
}

fn two_suites() -> String {
    let (first, second) = (suite_summary("new", 1), suite_summary("old", 0));
    suite_page(&SuiteReport { first, others: vec![second] }).file()
}

#[test]
fn positions_of_two_engines_are_filtered_by_who_missed_them() {
    let page = two_suites();
    let items = |class: &str| {
        let cards = page.split("<article class=\"position item ").skip(1);
        cards
            .filter(|card| card.split('"').next().unwrap_or("").split(' ').any(|c| c == class))
            .count()
    };
    // `old` misses three positions, `new` two of them.
    let numbers: Vec<usize> = (0..5).map(|filter| items(&format!("f{filter}"))).collect();
    assert_eq!(numbers, [3, 2, 0, 1, 3], "by any, by both, by `new` only, by `old` only, all");
    for label in ["missed by both (2)", "missed by new only (0)", "missed by old only (1)"] {
        assert!(page.contains(label), "{label}");
    }
    assert!(page.contains("#show-f3:checked ~ .filtered .item:not(.f3)"));
}
