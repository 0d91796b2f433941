//! The games of a bot on Lichess.

use serde::Deserialize;
use serde_json::Value;

use super::kind::{Games, Kind, Resume};
use crate::heads::{Named, lenient, or_unknown, read_head};
use crate::report::{self, Format, Rendered};
use harness_ledger::{Ledger, RunFacts};
use harness_lichess::{self as lichess, Summary};

/// A bot's games.
pub const KIND: Kind = Kind {
    key: lichess::COMMAND,
    title,
    resume: Resume::Refused {
        reason: "a bot's run is not resumed",
        help: "start `harness lichess` again: games that are still on go on",
    },
    so_far: report::players_so_far,
    page: report::page_of_lichess,
    report: markdown,
    games: Games::Stored,
    ..Kind::PLAIN
};

/// The parts of a plan that a title has.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Head {
    engine: Named,
    #[serde(deserialize_with = "lenient")]
    account: Option<String>,
}

fn title(plan: &Value) -> String {
    let Head { engine, account } = read_head(plan);
    format!("{} as {}", or_unknown(engine.name), or_unknown(account))
}

fn markdown(_: &Ledger, run: &RunFacts, format: Format) -> Rendered {
    let summary = || report::summary::<Summary>(run);
    Ok(match format {
        Format::Markdown => Some(format!("```\n{}```\n", summary()?.text())),
        _ => None,
    })
}
