//! The form of a new run: fields for the usual kinds, from which the YAML is made.
//!
//! The script `start.js` writes the YAML from the fields while they are filled in; without it the YAML
//! itself is the form.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::boards::{config_fault, engine_names};
use super::run_files::{gate_fields, tune_fields};
use crate::recipe::Recipe;
use harness_player as player;
use harness_suite::Catalog;

/// Revisions that are offered, the newest first.
const REVISIONS: usize = 40;

/// Settings that belong together: name, and values of flags.
pub(super) type Preset = (&'static str, &'static [(&'static str, &'static str)]);

/// Presets of an SPRT.
const SPRT_PRESETS: [Preset; 4] = [
    ("STC", &[("tc", "8+0.08"), ("elo0", "0"), ("elo1", "10"), ("max-games", "")]),
    ("LTC", &[("tc", "40+0.4"), ("elo0", "0"), ("elo1", "5"), ("max-games", "")]),
    ("Non-regression", &[("tc", "8+0.08"), ("elo0", "-5"), ("elo1", "0"), ("max-games", "")]),
    ("Smoke test", &[("nodes", "2000"), ("elo0", "0"), ("elo1", "50"), ("max-games", "20")]),
];

/// Presets of a match.
const MATCH_PRESETS: [Preset; 3] = [
    ("STC", &[("tc", "8+0.08"), ("games", "1000")]),
    ("LTC", &[("tc", "40+0.4"), ("games", "400")]),
    ("Smoke test", &[("nodes", "2000"), ("games", "10")]),
];

/// Forms of bounds beside those of Wald.
const BOUNDS: [(&str, &str); 2] = [
    ("falling", "Falling: they meet after a known number of games"),
    ("triangular", "Triangular: the shortest longest test"),
];

/// Limits by their flags.
pub(super) const LIMITS: [(&str, &str); 4] = [
    ("tc", "Clock, 8+0.08"),
    ("movetime", "Time a move, 100ms"),
    ("nodes", "Nodes a move"),
    ("depth", "Depth"),
];

/// Question that a run of a command answers, or what it makes; empty for a command without a form.
pub fn purpose(command: &str) -> &'static str {
    match command {
        "match" => "How far are engines apart? A number of games between two or more of them.",
        "sprt" => {
            "Is the new engine better than the old one? Pairs of games until the answer is sure."
        }
        "suite" => "How many positions of a test suite does an engine solve?",
        "tune run" => {
            "Better values of an engine's parameters, found by games of the engine against itself."
        }
        "gate" => {
            "May a change go in? Bench, speed, conformance, suites and strength, beside those of a base."
        }
        "data generate" => "Training data: positions of self-play with the engine's scores.",
        "train" => "A network from training data.",
        "loop" => {
            "Network after network, each trained on games of the best one before it, and tested against it."
        }
        "race" => "Which of several candidates is best, and is it better than the base?",
        _ => "",
    }
}

/// The fields of a command, filled in from its YAML; nothing for a command without a form.
pub fn fields(recipe: &Recipe) -> Markup {
    let command = recipe.command.as_str();
    let fields = match command {
        "sprt" => sprt(recipe),
        "match" => match_of_engines(recipe),
        "suite" => suite(recipe),
        "tune run" => tune(recipe),
        "gate" => gate(recipe),
        "data generate" => generate(recipe),
        "train" => only_file("File of the training", recipe),
        "loop" => only_file("File of the loop", recipe),
        _ => return html! {},
    };
    html! {
        fieldset #run-form data-command=(command) {
            legend { "The run" }
            (config_fault())
            (fields)
            (engine_list())
        }
    }
}

fn sprt(recipe: &Recipe) -> Markup {
    html! {
        (presets(&SPRT_PRESETS))
        div.form-row {
            (argument("New engine", recipe, 0))
            (argument("Old engine", recipe, 1))
            (limit(recipe, &LIMITS))
        }
        div.form-row {
            (number("H0 in nElo", "elo0", recipe, "0"))
            (number("H1 in nElo", "elo1", recipe, "10"))
            (number("At most games", "max-games", recipe, "40000"))
            (file("Openings", "openings", recipe))
            (number("Games at the same time", "jobs", recipe, "all cores"))
        }
        div.form-row {
            label { "Bounds"
                select data-flag="bounds" {
                    option value="" { "Wald: they stand still" }
                    @for (form, about) in BOUNDS {
                        option value=(form) selected[form == recipe.value("bounds")] { (about) }
                    }
                }
            }
            (number("Give up below this power", "stop-futile", recipe, "never"))
        }
        div #plan role="status" {}
        (engine_options(recipe))
    }
}

fn match_of_engines(recipe: &Recipe) -> Markup {
    let formats = ["", "gauntlet", "round-robin", "pyramid", "knockout", "swiss"];
    html! {
        (presets(&MATCH_PRESETS))
        div.form-row {
            (argument("First engine", recipe, 0))
            (argument("Second engine", recipe, 1))
            (argument("Third", recipe, 2))
            (argument("Fourth", recipe, 3))
        }
        div.form-row {
            (limit(recipe, &LIMITS))
            (number("Games", "games", recipe, "100"))
            label { "Format"
                select data-flag="format" {
                    @for format in formats {
                        option value=(format) selected[format == recipe.value("format")] { (if format.is_empty() { "usual" } else { format }) }
                    }
                }
            }
            (file("Openings", "openings", recipe))
            (number("Games at the same time", "jobs", recipe, "all cores"))
        }
        (engine_options(recipe))
    }
}

fn suite(recipe: &Recipe) -> Markup {
    let catalog = Catalog::builtin();
    html! {
        div.form-row {
            label { "Suite"
                input data-argument="0" list="suites" value=(recipe.arguments.first().map_or("", String::as_str)) spellcheck="false" required;
            }
            datalist #suites {
                @for entry in &catalog.suites { option value=(entry.name) { (entry.title) " (" (entry.positions) ")" } }
            }
            (argument("Engine", recipe, 1))
            (argument("Second engine", recipe, 2))
            // A search of its own has no clock.
            (limit(recipe, &LIMITS[1..]))
            (number("Searches at the same time", "jobs", recipe, "all cores"))
        }
        (engine_options(recipe))
    }
}

fn tune(recipe: &Recipe) -> Markup {
    let methods = harness_runs::tune::methods();
    html! {
        div.form-row {
            (argument_file("File of the tuning", recipe))
            (number("Games", "games", recipe, "as in the file"))
            label { "Method"
                select data-flag="method" {
                    option value="" { "as in the file" }
                    @for (name, about) in &methods {
                        option value=(name) title=(about) selected[*name == recipe.value("method")] { (name) }
                    }
                }
            }
            (number("Games at the same time", "jobs", recipe, "all cores"))
        }
        (tune_fields())
    }
}

fn gate(recipe: &Recipe) -> Markup {
    html! {
        div.form-row {
            (argument_file("File of the gate", recipe))
            (flag_engine("Engine", recipe, "HEAD"))
        }
        (gate_fields())
    }
}

fn generate(recipe: &Recipe) -> Markup {
    html! {
        div.form-row {
            (flag_engine("Engine", recipe, "builtin"))
            (number("Games", "games", recipe, "1000"))
            (number("Nodes a move", "nodes", recipe, "5000"))
            (number("Games at the same time", "jobs", recipe, "all cores"))
            label { "Write to" input data-flag="output" value=(recipe.value("output")) spellcheck="false"; }
        }
    }
}

/// The form of a command that takes its settings from a file alone.
fn only_file(label: &str, recipe: &Recipe) -> Markup {
    html! { div.form-row { (argument_file(label, recipe)) } }
}

/// Buttons that fill in fields.
pub(super) fn presets(presets: &[Preset]) -> Markup {
    html! {
        div.actions role="group" aria-label="Presets" {
            @for (name, values) in presets {
                @let values: serde_json::Map<String, Value> =
                    values.iter().map(|(flag, value)| ((*flag).to_owned(), json!(value))).collect();
                button.button type="button" data-preset=(Value::Object(values).to_string()) { (name) }
            }
        }
    }
}

fn argument(label: &str, recipe: &Recipe, place: usize) -> Markup {
    let value = recipe.arguments.get(place).map_or("", String::as_str);
    html! {
        label { (label)
            span.with-button {
                input data-argument=(place) data-engine value=(value) list="run-engines" spellcheck="false";
                button.button type="button" data-choose="" aria-label={ "Choose a file: " (label) } { "…" }
            }
        }
    }
}

fn argument_file(label: &str, recipe: &Recipe) -> Markup {
    let value = recipe.arguments.first().map_or("", String::as_str);
    html! {
        label { (label)
            span.with-button {
                input data-argument="0" value=(value) spellcheck="false" required;
                button.button type="button" data-choose="yaml,yml" aria-label={ "Choose a file: " (label) } { "…" }
            }
        }
    }
}

fn flag_engine(label: &str, recipe: &Recipe, placeholder: &str) -> Markup {
    html! {
        label { (label)
            span.with-button {
                input data-flag="engine" data-engine value=(recipe.value("engine")) placeholder=(placeholder) list="run-engines" spellcheck="false";
                button.button type="button" data-choose="" aria-label={ "Choose a file: " (label) } { "…" }
            }
        }
    }
}

fn file(label: &str, flag: &str, recipe: &Recipe) -> Markup {
    html! {
        label { (label)
            span.with-button {
                input data-flag=(flag) value=(recipe.value(flag)) placeholder="built in" spellcheck="false";
                button.button type="button" data-choose="pgn,epd,fen,bin" aria-label={ "Choose a file: " (label) } { "…" }
            }
        }
    }
}

fn number(label: &str, flag: &str, recipe: &Recipe, placeholder: &str) -> Markup {
    html! {
        label { (label)
            input.short data-flag=(flag) inputmode="decimal" value=(recipe.value(flag)) placeholder=(placeholder) spellcheck="false";
        }
    }
}

/// A limit of one of these kinds.
fn limit(recipe: &Recipe, kinds: &[(&str, &str)]) -> Markup {
    let chosen = kinds.iter().find(|(flag, _)| !recipe.value(flag).is_empty());
    let by_engine = chosen.is_none() && !recipe.values("limit").is_empty();
    let flag = chosen.or(kinds.first()).filter(|_| !by_engine).map_or("", |(flag, _)| *flag);
    html! {
        label { "Limit"
            span.with-button {
                select #limit-kind aria-label="Kind of limit" {
                    @if by_engine { option value="" selected { "Each engine its own" } }
                    @for (name, about) in kinds {
                        option value=(name) selected[*name == flag] { (about) }
                    }
                }
                input.short #limit-value aria-label="Limit" value=(recipe.value(flag)) disabled[by_engine] spellcheck="false";
            }
        }
    }
}

fn engine_options(recipe: &Recipe) -> Markup {
    html! {
        details #engine-options data-options=(json!(recipe.values("option")).to_string()) {
            summary { "Options of the engines" }
            div #options-host {}
        }
    }
}

/// Engines and revisions that can be chosen.
fn engine_list() -> Markup {
    let log = player::git_here(&["log", &format!("-{REVISIONS}"), "--format=%h%x09%s"]);
    let heads =
        ["for-each-ref", "--format=%(refname:short)%09%(subject)", "refs/heads", "refs/tags"];
    let names = player::git_here(&heads).unwrap_or_default();
    let log = log.unwrap_or_default();
    let lines = names.lines().chain(log.lines()).filter_map(|line| line.split_once('\t'));
    html! {
        datalist #run-engines {
            @for name in engine_names() { option value=(name) { "known engine" } }
            option value="." { "working tree" }
            option value="HEAD" { "the commit that is checked out" }
            @for (name, subject) in lines { option value=(name) { (subject) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::purpose;
    use crate::recipe::templates;

    #[test]
    fn every_form_says_what_its_run_is_for() {
        for (command, yaml) in templates() {
            let recipe = crate::recipe::Recipe::read(&yaml);
            assert!(!purpose(&recipe.command).is_empty(), "{command}: {}", recipe.command);
        }
    }
}
