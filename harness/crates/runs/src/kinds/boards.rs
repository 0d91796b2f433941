//! Games that were played on the studio's boards.

use super::kind::{Games, Kind, Resume};
use crate::report;

/// The command under which the ledger has them.
pub const COMMAND: &str = "play";

/// Games on boards.
pub const KIND: Kind = Kind {
    key: COMMAND,
    title: |_| "games on boards".to_owned(),
    resume: Resume::Refused {
        reason: "games on boards go on in the studio",
        help: "`harness studio` has the boards",
    },
    so_far: report::players_so_far,
    page: report::page_of_boards,
    games: Games::Stored,
    ..Kind::PLAIN
};
