//! Engines that are chosen: those that do not start, and a configuration that cannot be read.

use super::server::Studio;
use crate::common::{MOCK, write_program};

/// An engine that ends as it starts would lose each game on its first move.
#[test]
fn a_board_begins_no_game_with_an_engine_that_does_not_start() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let silent = folder.path().join("silent");
    write_program(&silent, "#!/bin/sh\necho no network >&2\nexit 1\n");
    let studio = Studio::start(folder.path());
    let csrf = studio.csrf();
    let boards = || studio.get("/boards").body.matches("href=\"/board/").count();
    for (engine, status, made) in [("./silent", 422, 0), ("./missing", 422, 0), (MOCK, 303, 1)] {
        let body = format!("csrf={csrf}&do=game&white=human&black={engine}&level=5");
        let answer = studio.post("/boards", &body);
        assert_eq!(answer.status, status, "{engine}: {}", answer.body);
        assert_eq!(boards(), made, "{engine}");
    }
}

#[test]
fn a_configuration_that_cannot_be_read_is_named_where_engines_are_chosen() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("harness.yaml");
    std::fs::write(path, "engines:\n  mine: { cmd: [ }\n").expect("written");
    let studio = Studio::start(folder.path());
    for page in ["/boards", "/start?kind=match"] {
        let body = studio.get(page).body;
        assert!(body.contains("harness.yaml:2:"), "{page}: {body}");
    }
}
