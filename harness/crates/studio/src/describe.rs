//! Title and result of a run, in a line each.

use serde_json::Value;

use harness_ledger::ListedRun;
use harness_report::text::{grouped, plus};

/// Title of a run: the engines of a match, the suite and its engines, the tuned engine.
pub fn title(command: &str, plan: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    match command {
        "match" | "sprt" => engines(&plan["facts"]["engines"]).join(" vs "),
        "suite" => {
            let facts = &plan["facts"];
            format!("{}: {}", text(&facts["suite"]), engines(&facts["engines"]).join(", "))
        }
        "tune" => format!("{}: {}", text(&plan["engine"]["name"]), text(&plan["method"])),
        "gate" => format!("{} against {}", text(&plan["engine"]), text(&plan["base"])),
        "play" => "games on boards".to_owned(),
        "lichess" => format!("{} as {}", text(&plan["engine"]["name"]), text(&plan["account"])),
        _ => String::new(),
    }
}

/// The names of engines, which a match keeps as objects and a suite as texts.
fn engines(engines: &Value) -> Vec<&str> {
    let names = engines.as_array().into_iter().flatten();
    names.filter_map(|engine| engine.as_str().or(engine["name"].as_str())).collect()
}

/// The limit of a run's searches, if its plan has one.
pub fn limit(command: &str, plan: &Value) -> String {
    let limit = if command == "tune" { &plan["limit"] } else { &plan["facts"]["limit"] };
    limit.as_str().unwrap_or_default().to_owned()
}

/// Result of a run, or its progress.
pub fn result(run: &ListedRun) -> String {
    let Some(summary) = &run.summary else {
        return match (run.games, run.positions) {
            (0, 0) => String::new(),
            (0, positions) => format!("{} positions", grouped(positions)),
            (games, _) => format!("{} games", grouped(games)),
        };
    };
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    match run.command.as_str() {
        "match" | "sprt" => {
            let verdict = match summary["verdict"].as_str() {
                Some(verdict) => format!("{verdict}, "),
                None => String::new(),
            };
            format!("{verdict}{}{} games", elo(&summary["elo"]), grouped(number(&summary["games"])))
        }
        "suite" => {
            format!("{} of {} solved", number(&summary["solved"]), number(&summary["positions"]))
        }
        "tune" => {
            let validation = &summary["validation"];
            let elo = if validation.is_null() { String::new() } else { elo(&validation["elo"]) };
            format!("{elo}{} games", grouped(number(&summary["games"])))
        }
        "gate" => summary["verdict"].as_str().unwrap_or_default().to_owned(),
        "loop" => {
            let generations = summary["generations"].as_array().map_or(0, Vec::len);
            format!("{generations} generations")
        }
        _ => String::new(),
    }
}

fn elo(elo: &Value) -> String {
    match (elo["value"].as_f64(), elo["error95"].as_f64()) {
        (Some(value), Some(error)) => {
            format!("{} ± {error:.1} Elo, ", plus(value, 1).replace('-', "−"))
        }
        _ => String::new(),
    }
}
