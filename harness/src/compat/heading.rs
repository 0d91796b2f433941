//! What the lines and the saved configuration say of a run, from its flags.

use serde_json::{Value, json};

use super::engine::{EngineSettings, Limits};
use super::flags::TranslationDraft;
use super::lines::fastchess;
use crate::player::TimeControl;
use crate::text::path::encode_path;

impl TranslationDraft {
    /// Notes the heading of blocks of results, and what is saved.
    pub(super) fn describe(&mut self, engines: &[EngineSettings], names: &[String]) {
        let heading = &mut self.translation.lines.heading;
        for (index, engine) in engines.iter().take(2).enumerate() {
            let option = |name: &str| {
                let named = |(option, _): &(&String, &String)| option.eq_ignore_ascii_case(name);
                engine.options.iter().find(named).map(|(_, value)| value.clone())
            };
            heading.limits[index] = limit(&engine.limits);
            heading.threads[index] = option("Threads");
            heading.hash[index] = option("Hash");
        }
        let value = |flag: &str| {
            let given = self.ours.iter().find(|(name, _)| *name == flag);
            given.and_then(|(_, value)| value.clone())
        };
        let book = value("--openings").unwrap_or_default();
        heading.book = book.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        let lines = &self.translation.lines;
        let saved: Vec<Value> =
            engines.iter().zip(names).map(|(engine, name)| of_engine(engine, name)).collect();
        self.translation.saved = json!({
            "config_name": encode_path(&self.translation.config_file),
            "rounds": self.rounds.unwrap_or(2),
            "games": self.games.unwrap_or(2),
            "concurrency": self.concurrency.unwrap_or(1),
            "seed": value("--seed").and_then(|seed| seed.parse::<u64>().ok()),
            "opening": { "file": book },
            "ratinginterval": lines.rating_interval,
            "scoreinterval": lines.score_interval,
            "autosaveinterval": lines.save_interval.unwrap_or(0),
            "report_penta": lines.by_pairs,
            "recover": lines.recovers,
            "check_mate_pvs": self.translation.check_mates,
            "noswap": self.no_swap,
            "reverse": self.reverse,
            "pgn": { "file": self.translation.outputs.pgn.as_ref().and_then(|pgn| pgn.file.clone()) },
            "epd": { "file": self.translation.outputs.epd.as_ref().and_then(|epd| epd.file.clone()) },
            "engines": saved,
        });
    }
}

/// An engine as it is saved.
fn of_engine(engine: &EngineSettings, name: &str) -> Value {
    let options: Vec<[&String; 2]> =
        engine.options.iter().map(|(name, value)| [name, value]).collect();
    json!({
        "name": name,
        "dir": engine.folder,
        "cmd": engine.command,
        "args": engine.arguments.join(" "),
        "restart": engine.restart == Some(true),
        "options": options,
        "limit": limit(&engine.limits),
    })
}

/// A limit in the heading of a block of results.
fn limit(limits: &Limits) -> String {
    let (clock, seconds, nodes, depth) = limits.parts();
    if let Some(control) = clock.and_then(|clock| clock.parse::<TimeControl>().ok()) {
        return fastchess::clock(&control);
    }
    if let Some(seconds) = seconds.and_then(|seconds| seconds.parse::<f64>().ok()) {
        return format!("{seconds}/move");
    }
    match (depth, nodes) {
        (Some(depth), _) => format!("{depth} plies"),
        (None, Some(nodes)) => format!("{nodes} nodes"),
        (None, None) => String::new(),
    }
}
