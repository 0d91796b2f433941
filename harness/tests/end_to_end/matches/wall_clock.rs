//! A wall clock that is set, backwards say, changes no time that is measured.

use std::path::{Path, PathBuf};

/// The only files that may ask for the date, and what for.
const ALLOWED: [&str; 13] = [
    // GameStartTime in the PGN.
    "crates/arena/src/game.rs",
    // The id of a run, and when it started and finished.
    "crates/ledger/src/runs.rs",
    // When a move was made, for the clocks of other processes.
    "crates/runs/src/live/board.rs",
    // When a line was sent or came, in the logs of engines.
    "crates/player/src/log.rs",
    // Whether a file may still change unseen since it was hashed.
    "crates/base/src/platform/files.rs",
    // A number unlike those of earlier processes.
    "crates/base/src/platform/unix/escaped.rs",
    // The Date of a game's PGN.
    "crates/studio/src/boards/new_game.rs",
    // A number of the board that is read, unlike that of an earlier studio.
    "crates/studio/src/boards/board.rs",
    // The day on which a puzzle comes again.
    "crates/studio/src/pages/practice.rs",
    // When something happened, in the JSON for hooks.
    "crates/runs/src/notices.rs",
    // The Date of the games in progress.
    "crates/runs/src/live/broadcast.rs",
    // How many challenges were sent within a day, and a number to choose by.
    "crates/lichess/src/seek.rs",
    "crates/lichess/src/seek/sent.rs",
];

#[test]
fn the_date_is_asked_for_only_where_it_is_printed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(&root.join("src"), &mut files);
    collect(&root.join("crates"), &mut files);
    assert!(files.len() > 500, "the sources are elsewhere");
    for file in files {
        let text = std::fs::read_to_string(&file).expect("readable");
        let name = file.strip_prefix(root).expect("it is in there").to_string_lossy();
        let asks = ["SystemTime::now", "Timestamp::now", "Zoned::now"];
        if asks.iter().any(|call| text.contains(call)) {
            assert!(ALLOWED.contains(&&*name), "{name} asks for the date: measure with `Instant`");
        }
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
