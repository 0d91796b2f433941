//! The page "Your first network in an hour": its files and commands in its order, as printed but for sizes.

use std::path::Path;

use crate::common::{harness, shown, texts};

const PAGE: &str = include_str!("../../docs/first-network.md");

/// Sizes of the page, and those by which the test takes seconds. Each has to be there.
const SIZES: [(&str, &str); 11] = [
    ("--games 60000 --nodes 200 --hard-nodes 800", "--games 120 --nodes 30 --hard-nodes 60"),
    ("--nodes 20000", "--nodes 50"),
    (
        "--nodes 4000 --elo0 0 --elo1 20 --max-games 2000",
        "--nodes 30 --elo0 0 --elo1 20 --max-games 8",
    ),
    ("batch: 8192\nvalidation: 0.05", "epochs: 2\nbatch: 256\nvalidation: 0.2"),
    ("hidden: 64 }\nepochs", "hidden: 32 }\nepochs"),
    ("generations: 3", "generations: 1"),
    ("count: 60000, nodes: 200", "count: 60, nodes: 30"),
    ("network: { hidden: 64 }", "network: { hidden: 32 }"),
    ("batch: 8192, blend: 1", "epochs: 2, batch: 256, blend: 1"),
    ("nodes: 4000, elo0: 0, elo1: 10, games: 2000", "nodes: 30, elo0: -900, elo1: -500, games: 8"),
    ("min_ply: 8", "min_ply: 8, keep: all"),
];

/// The page with small sizes.
fn small() -> String {
    SIZES.iter().fold(PAGE.to_owned(), |page, (large, small)| {
        assert!(page.contains(large), "{large} is not on the page");
        page.replace(large, small)
    })
}

#[test]
fn every_command_of_the_page_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let page = small();
    let mut files = ["net.yaml", "loop.yaml"].into_iter();
    let mut ran = Vec::new();
    for block in page.split("\n```").skip(1).step_by(2) {
        let (kind, text) = block.split_once('\n').expect("a block");
        match kind {
            "yaml" => {
                let name = files.next().expect("two files");
                std::fs::write(folder.join(name), text).expect("written");
            }
            "sh" => text.lines().for_each(|line| ran.push(run(folder, line))),
            kind => panic!("a block of {kind}"),
        }
    }
    assert_eq!(files.next(), None);
    for part in ["data generate", "train net.yaml", "sprt builtin", "loop loop.yaml"] {
        assert!(ran.iter().any(|line| line.contains(part)), "{part}: {ran:?}");
    }
    for file in [
        "first.games.yaml",
        "train.html",
        "nets/first.nnue",
        "nets/first.json",
        "nets/first.html",
        "train.bin",
    ] {
        assert!(folder.join(file).exists(), "{file}");
    }
}

/// Runs a line; what is tested may be accepted or not.
fn run(folder: &Path, line: &str) -> String {
    let words = line.strip_prefix("harness ").expect("a command of ours");
    let output = harness(folder, words.split_whitespace()).output().expect("it starts");
    let (status, ..) = texts(&output);
    let verdicts: &[i32] = match words.split(' ').next() {
        Some("sprt") => &[0, 1, 3],
        Some("loop") => &[0, 1],
        _ => &[0],
    };
    assert!(verdicts.contains(&status), "{line}: {}", shown(&output));
    line.to_owned()
}
