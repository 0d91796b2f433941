//! What will be done, for people: shown before it is done.

use serde_json::Value;

use super::intent::Intent;
use super::limits;
use super::slots::Slots;

/// The command in words; for the test bench its command line.
pub fn shown(intent: Intent, slots: &Slots) -> String {
    let text = |name: &str| match slots.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    };
    let with = |before: &str, name: &str, after: &str| match text(name) {
        value if value.is_empty() => String::new(),
        value => format!("{before}{value}{after}"),
    };
    let limit = || match text("limit") {
        limit if limit.is_empty() => String::new(),
        limit => {
            let (flag, value) = limits::flag(&limit);
            format!(" --{flag} {value}")
        }
    };
    match intent {
        Intent::PlayOpening => {
            format!("Play the {}{}", text("opening"), with(", you are ", "side", ""))
        }
        Intent::Flip => format!("Turn the board{}", with(": ", "side", " below")),
        Intent::Move => format!("Move: {}", text("move")),
        Intent::TakeBack => format!(
            "Take back {}",
            if slots.contains_key("count") { text("count") } else { "a move".to_owned() }
        ),
        Intent::GoTo => format!("Go to {}{}", with("the ", "place", ""), with("move ", "move", "")),
        Intent::NewGame => format!(
            "New game{}{}{}{}{}",
            with(" as ", "colour", ""),
            with(" against ", "engine", ""),
            with(", level ", "level", ""),
            with(", ", "clock", ""),
            if slots.contains_key("chess960") { ", Chess960" } else { "" }
        ),
        Intent::SetLevel => format!("Level {}", text("level")),
        Intent::Resign => "Resign".to_owned(),
        Intent::OfferDraw => "Offer a draw".to_owned(),
        Intent::Hint => "Hint".to_owned(),
        Intent::Evaluate => "Who is better?".to_owned(),
        Intent::CommentGame => "Review the game".to_owned(),
        Intent::Threat => "The threat".to_owned(),
        Intent::OpeningName => "Name of the opening".to_owned(),
        Intent::EngineOn => format!("Analyse{}", with(" with ", "engine", "")),
        Intent::EngineOff => "Analysis off".to_owned(),
        Intent::EditPosition => format!("Edit the position{}", with(": ", "preset", "")),
        Intent::Explorer => "Explorer".to_owned(),
        Intent::PlayOut => format!(
            "harness match {} {}{} from this position",
            or(&text("engine"), "builtin"),
            or(&text("against"), "builtin"),
            with(" --games ", "games", "")
        ),
        Intent::Practice => format!(
            "Practice: {}{}{}",
            text("theme"),
            with(" in ", "mate_in", ""),
            with(", ", "piece", "")
        ),
        Intent::Export => format!("Copy the {}", text("what").to_uppercase()),
        Intent::SpeechOn => "Say the moves".to_owned(),
        Intent::SpeechOff => "Do not say the moves".to_owned(),
        Intent::Sprt => format!(
            "harness sprt {} {}{}",
            or(&text("new"), "HEAD"),
            or(&text("old"), "main"),
            limit()
        ),
        Intent::Match => format!(
            "harness match {} {}{}{}",
            or(&text("first"), "builtin"),
            or(&text("second"), "stockfish"),
            with(" --games ", "games", ""),
            limit()
        ),
        Intent::Suite => format!(
            "harness suite {}{}{}",
            or(&text("suite"), "wac"),
            with(" ", "engine", ""),
            limit()
        ),
        Intent::Tune => format!("harness tune run {}", or(&text("file"), "tune.yaml")),
        Intent::StopRun => format!("harness stop {}", text("run")),
        Intent::ResumeRun => format!("harness resume {}", text("run")),
        Intent::RunStatus => format!("How is run {}?", text("run")),
        Intent::WhyLost => format!("Where was game {} lost?", text("game")),
        Intent::ListGames => format!("Games{}", with(": ", "result", "")),
        Intent::CompareRuns => "Compare runs".to_owned(),
        Intent::OpenPage => format!("Page: {}", text("page")),
        Intent::Help => "Help".to_owned(),
        Intent::Unknown => String::new(),
    }
}

fn or(text: &str, other: &str) -> String {
    if text.is_empty() { other.to_owned() } else { text.to_owned() }
}
