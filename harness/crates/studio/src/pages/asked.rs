//! What a board page needs to do what a sentence asks for: the YAML of a run, the page that answers, and the run that
//! is named. A run that does not exist is said, and no other one is taken for it.

use serde_json::{Value, json};

use super::explorer::PlayOut;
use super::games::game_path;
use crate::state::App;
use crate::views::{escaped, run_path};
use harness_assistant::{CHOOSING, Intent, OLDEST, PREVIOUS, Slots, flags, limit_flag};
use harness_ledger::Ledger;

/// Characters of the beginning of an id that name a run: its date.
const SHORTEST_ID: usize = 8;

/// Runs that a sentence may name: the newest ones.
pub const MOST_RUNS: usize = 200;

/// File of training data of a sentence that names none.
const OUTPUT: &str = "games.vf";

/// A slot as text, or another one.
fn text_of(slots: &Slots, name: &str, other: &str) -> String {
    let found =
        slots.get(name).map(|value| value.as_str().map_or(value.to_string(), str::to_owned));
    found.unwrap_or_else(|| other.to_owned())
}

/// The games from the position on the board that a sentence asks for.
pub fn play_out(slots: &Slots) -> PlayOut {
    let default = PlayOut::default();
    let engine = text_of(slots, "engine", "builtin");
    let engines = [engine.clone(), text_of(slots, "against", &engine)];
    let games = slots.get("games").and_then(Value::as_u64).unwrap_or(default.games);
    let limit = slots.get("limit").and_then(Value::as_str).map(limit_flag);
    let limit = limit.map(|(flag, value)| (flag, value.to_owned()));
    let jobs = slots.get("jobs").and_then(Value::as_u64);
    PlayOut {
        engines,
        games,
        limit: limit.unwrap_or(default.limit),
        jobs,
        no_swap: slots.contains_key("no_swap"),
    }
}

/// The run that a sentence asks for, as the form of a new run has it.
pub fn run(intent: Intent, slots: &Slots) -> Option<String> {
    let text = |name: &str, other: &str| text_of(slots, name, other);
    let list = |name: &str| {
        let list = slots.get(name).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
    };
    let (command, arguments) = match intent {
        Intent::Sprt => ("sprt", vec![text("new", "HEAD"), text("old", "main")]),
        Intent::Match => ("match", vec![text("first", "builtin"), text("second", "stockfish")]),
        Intent::Suite => ("suite", vec![text("suite", "wac"), text("engine", "builtin")]),
        Intent::Tune => ("tune run", vec![text("file", "tune.yaml")]),
        Intent::Gate => ("gate", vec![text("file", "gate.yaml")]),
        Intent::Generate => ("data generate", Vec::new()),
        Intent::Train => ("train", vec![text("file", "train.yaml")]),
        Intent::Loop => ("loop", vec![text("file", "loop.yaml")]),
        _ => return None,
    };
    let quoted: Vec<String> = arguments
        .into_iter()
        .chain(list("others"))
        .map(|argument| json!(argument).to_string())
        .collect();
    let mut yaml = format!("command: {command}\n");
    if !quoted.is_empty() {
        yaml.push_str(&format!("arguments: [{}]\n", quoted.join(", ")));
    }
    for (flag, value) in flags(intent, slots) {
        yaml.push_str(&format!("{flag}: {value}\n"));
    }
    if intent == Intent::Generate && !slots.contains_key("output") {
        yaml.push_str(&format!("output: {OUTPUT}\n"));
    }
    Some(yaml)
}

/// The runs of the ledger, the newest first, and the kind of run that a sentence speaks of.
pub struct Runs<'a> {
    /// Their ids.
    pub ids: &'a [String],
    /// Command of the kind of run of "the last SPRT".
    pub kind: Option<&'static str>,
    /// Format of "the last gauntlet", and the runs that have it.
    pub format: Option<(&'static str, Vec<String>)>,
}

impl Runs<'_> {
    /// The id of a run that is named by it, by its beginning, or as the last one.
    ///
    /// # Errors
    /// When there is none; in words for people.
    pub fn find(&self, named: &str) -> Result<&str, String> {
        // "last sprt", of several runs of which each has its kind.
        let (named, kind) = match named.strip_prefix("last ") {
            Some(kind) => ("last", Some(kind)),
            None => (named, self.kind),
        };
        let counted = self.format.as_ref().map_or(self.ids, |(_, ids)| ids.as_slice());
        let kind_or_format = self.format.as_ref().map(|(format, _)| *format).or(kind);
        let found = match named {
            "" | "last" => counted.iter().find(|id| is_of_kind(id, kind)),
            PREVIOUS => counted.iter().filter(|id| is_of_kind(id, kind)).nth(1),
            // Of more runs than are read here, the oldest one is another.
            OLDEST if self.ids.len() < MOST_RUNS => counted.iter().rfind(|id| is_of_kind(id, kind)),
            named if named.len() < SHORTEST_ID => None,
            named => {
                let beginning: Vec<&String> =
                    self.ids.iter().filter(|id| id.starts_with(named)).collect();
                let exact = beginning.iter().find(|id| id.as_str() == named).copied();
                if exact.is_none() && beginning.len() > 1 {
                    return Err(format!(
                        "the ids of {} runs begin with `{named}`",
                        beginning.len()
                    ));
                }
                exact.or(beginning.first().copied())
            }
        };
        let none = || match (named, kind_or_format) {
            ("" | "last", Some(kind)) => format!("there is no run of `{kind}`"),
            ("" | "last", None) => "there is no run yet".to_owned(),
            (PREVIOUS, Some(kind)) => format!("there is no run of `{kind}` before the last one"),
            (PREVIOUS, None) => "there is no run before the last one".to_owned(),
            _ => format!("there is no run `{named}`: its id begins with its date"),
        };
        found.map(String::as_str).ok_or_else(none)
    }
}

/// Whether a run is of a kind, by its id; each one is where none is wanted.
fn is_of_kind(id: &str, kind: Option<&str>) -> bool {
    let command = id.splitn(3, '-').nth(2).unwrap_or_default();
    kind.is_none_or(|kind| command.starts_with(kind))
}

/// The page that answers a sentence about runs and games; `None` of another sentence.
///
/// # Errors
/// When a run does not exist that it names; in words for people.
pub fn page(intent: Intent, slots: &Slots, runs: &Runs<'_>) -> Result<Option<String>, String> {
    let text = |name: &str| slots.get(name).and_then(Value::as_str).unwrap_or_default();
    let game = slots.get("game").and_then(Value::as_u64);
    Ok(Some(match intent {
        Intent::OpenPage if !text("run").is_empty() => run_path(runs.find(text("run"))?),
        Intent::OpenPage => match text("page") {
            "start" => match text("kind") {
                "" => "/start".to_owned(),
                kind => format!("/start?kind={}", escaped(kind)),
            },
            "board" => "/boards".to_owned(),
            page @ ("games" | "compare" | "history" | "practice" | "pgn" | "suite" | "workers"
            | "data") => format!("/{page}"),
            _ => {
                let fields = [("status", text("status")), ("command", text("kind"))];
                let said = fields.iter().filter(|(_, value)| !value.is_empty());
                let said: Vec<String> =
                    said.map(|(name, value)| format!("{name}={}", escaped(value))).collect();
                if said.is_empty() { "/".to_owned() } else { format!("/?{}", said.join("&")) }
            }
        },
        // "The second loss" is one game.
        Intent::ListGames if slots.contains_key("nth") => {
            first_game(slots, runs)?.unwrap_or_else(|| "/games".to_owned())
        }
        Intent::ListGames => format!("/games?{}", games(slots, runs)?),
        Intent::WhyLost | Intent::OpenGame => {
            let run = Some(text("run")).filter(|run| !run.is_empty());
            let run = run.map(|run| runs.find(run)).transpose()?;
            // Behind the move of White that is named.
            let at = slots.get("at").and_then(Value::as_u64).filter(|at| (1..10_000).contains(at));
            let ply = slots.get("ply").and_then(Value::as_u64).filter(|ply| *ply < 20_000);
            let place = match at {
                _ if intent == Intent::WhyLost => "#lost".to_owned(),
                Some(at) => format!("#ply={}", 2 * at - 1),
                None => ply.map(|ply| format!("#ply={ply}")).unwrap_or_default(),
            };
            if game.is_none()
                && let Some(first) = first_game(slots, runs)?
            {
                return Ok(Some(format!("{first}{place}")));
            }
            match (run, game) {
                (Some(run), Some(game)) => {
                    let key = game_key(game).ok_or("games are counted from 1")?;
                    format!("{}{place}", game_path(&escaped(run), &key))
                }
                (None, Some(game)) if intent == Intent::WhyLost => format!("/ask/lost/{game}"),
                (None, Some(game)) => format!("/ask/game/{game}{place}"),
                (Some(run), None) => format!("/games?outcome=lost&run={}", escaped(run)),
                (None, None) => "/games?outcome=lost".to_owned(),
            }
        }
        Intent::CompareRuns => compared(slots, runs)?,
        Intent::RunStatus
        | Intent::StopRun
        | Intent::ResumeRun
        | Intent::DeleteRun
        | Intent::DescribeRun => run_path(runs.find(text("run"))?),
        Intent::Help => "/help".to_owned(),
        _ => return Ok(None),
    }))
}

/// The key of the game of a run by its number from 1: its pair, and which of the pair.
pub fn game_key(number: u64) -> Option<String> {
    let index = number.checked_sub(1)?;
    Some(format!("{}.{}", index / 2 + 1, index % 2 + 1))
}

/// The query of a list of games with its filters, `outcome=lost&sort=plies`.
///
/// # Errors
/// When a run does not exist that is named; in words for people.
fn games(slots: &Slots, runs: &Runs<'_>) -> Result<String, String> {
    let run = match slots.get("run").and_then(Value::as_str) {
        None | Some("") => "",
        Some(named) => runs.find(named)?,
    };
    let fields = [
        ("outcome", "result"),
        ("player", "player"),
        ("opening", "opening"),
        ("ending", "ending"),
        ("colour", "colour"),
        ("min_plies", "min_plies"),
        ("max_plies", "max_plies"),
        ("sort", "sort"),
        ("most", "most"),
    ];
    let said = fields.iter().map(|(field, slot)| (*field, text_of(slots, slot, "")));
    let said = said.chain([("run", run.to_owned())]).filter(|(_, value)| !value.is_empty());
    let said: Vec<String> =
        said.map(|(field, value)| format!("{field}={}", escaped(&value))).collect();
    Ok(said.join("&"))
}

/// The game that is the first of a list, or the Nth; `None` where a sentence says nothing of a list.
///
/// # Errors
/// When a run does not exist that is named; in words for people.
fn first_game(slots: &Slots, runs: &Runs<'_>) -> Result<Option<String>, String> {
    if !CHOOSING.iter().any(|slot| slots.contains_key(*slot)) {
        return Ok(None);
    }
    let nth = slots.get("nth").and_then(Value::as_u64).unwrap_or(1);
    let offset = nth.saturating_sub(1);
    Ok(Some(format!("/games/first?{}&offset={offset}", games(slots, runs)?)))
}

/// The comparison of the runs that are named, or of the last ones.
fn compared(slots: &Slots, runs: &Runs<'_>) -> Result<String, String> {
    let text = slots.get("runs").and_then(Value::as_str).unwrap_or_default();
    let count = text.strip_prefix("last ").and_then(|count| count.parse().ok());
    let ids = match slots.get("runs").and_then(Value::as_array) {
        Some(named) => {
            let named = named.iter().filter_map(Value::as_str);
            named.map(|named| runs.find(named)).collect::<Result<Vec<&str>, String>>()?
        }
        None => {
            let kind = slots.get("kind").and_then(Value::as_str);
            let ids = runs.ids.iter().filter(|id| is_of_kind(id, kind));
            ids.take(count.unwrap_or(2)).map(String::as_str).collect()
        }
    };
    let fields: Vec<String> = ids.iter().map(|run| format!("run={}", escaped(run))).collect();
    match fields.len() {
        0 => Err("there is no run yet".to_owned()),
        _ => Ok(format!("/compare?{}", fields.join("&"))),
    }
}

/// Id, name and note of a run as a sentence wants them; what it does not say stays.
pub fn description(app: &App, slots: &Slots, runs: &Runs<'_>) -> Option<Value> {
    let text = |name: &str| slots.get(name).and_then(Value::as_str).map(str::to_owned);
    let id = runs.find(&text("run").unwrap_or_default()).ok()?;
    let facts = Ledger::open_to_read(&app.reports).ok()?.facts(id).ok()?;
    let note = match (facts.note.filter(|note| !note.is_empty()), text("note")) {
        (Some(old), Some(new)) => Some(format!("{old}\n{new}")),
        (old, new) => new.or(old),
    };
    Some(json!({ "id": id, "name": text("name").or(facts.name), "note": note }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(json: Value) -> Slots {
        let Value::Object(slots) = json else { panic!("an object") };
        slots
    }

    #[test]
    fn a_run_that_does_not_exist_is_said_and_no_other_one_is_taken_for_it() {
        let ids = ["20261128-222529-sprt", "20261127-101010-match"].map(str::to_owned);
        let runs = |kind| Runs { ids: &ids, kind, format: None };
        let page = |intent, json: Value, kind| page(intent, &slots(json), &runs(kind));
        let of_last = json!({ "run": "last" });
        let sprt = Ok(Some("/run/20261128-222529-sprt/".to_owned()));
        let of_match = Ok(Some("/run/20261127-101010-match/".to_owned()));
        assert_eq!(page(Intent::RunStatus, of_last.clone(), None), sprt);
        assert_eq!(page(Intent::DeleteRun, of_last.clone(), Some("match")), of_match.clone());
        assert!(page(Intent::StopRun, of_last, Some("tune")).is_err());
        let previous = json!({ "run": PREVIOUS });
        assert_eq!(page(Intent::RunStatus, previous.clone(), None), of_match);
        assert!(page(Intent::DeleteRun, previous, Some("match")).is_err());
        for run in ["2", "42", "2026"] {
            assert!(page(Intent::DeleteRun, json!({ "run": run }), None).is_err(), "{run}");
        }
        assert!(page(Intent::CompareRuns, json!({ "runs": ["20", "23"] }), None).is_err());
        let both = json!({ "runs": ["last match", "last sprt"] });
        let both_runs = "/compare?run=20261127-101010-match&run=20261128-222529-sprt";
        assert_eq!(page(Intent::CompareRuns, both, None), Ok(Some(both_runs.to_owned())));
        let of_kind = json!({ "runs": "last two", "kind": "match" });
        let matches = "/compare?run=20261127-101010-match".to_owned();
        assert_eq!(page(Intent::CompareRuns, of_kind, None), Ok(Some(matches)));
        let of_one = json!({ "runs": ["20261128-1530", "last sprt"] });
        assert!(page(Intent::CompareRuns, of_one, None).is_err());
        let last_two = "/compare?run=20261128-222529-sprt&run=20261127-101010-match";
        assert_eq!(
            page(Intent::CompareRuns, json!({ "runs": "last two" }), None),
            Ok(Some(last_two.to_owned()))
        );
        let game = json!({ "run": "20261127", "game": 4 });
        let address = "/run/20261127-101010-match/game/2.2";
        assert_eq!(page(Intent::OpenGame, game.clone(), None), Ok(Some(address.to_owned())));
        assert_eq!(page(Intent::WhyLost, game, None), Ok(Some(format!("{address}#lost"))));
        assert!(page(Intent::WhyLost, json!({ "run": "30", "game": 12 }), None).is_err());
    }

    #[test]
    fn runs_begin_in_their_forms() {
        for (intent, json, yaml) in [
            (
                Intent::Gate,
                json!({ "engine": ".", "base": "main" }),
                "command: gate\narguments: [\"gate.yaml\"]\nengine: \".\"\nbase: \"main\"\n",
            ),
            (
                Intent::Generate,
                json!({ "games": 100, "limit": "nodes=5000" }),
                "command: data generate\ngames: 100\nnodes: \"5000\"\noutput: games.vf\n",
            ),
            (
                Intent::Train,
                json!({ "file": "net.yaml" }),
                "command: train\narguments: [\"net.yaml\"]\n",
            ),
            (Intent::Loop, json!({}), "command: loop\narguments: [\"loop.yaml\"]\n"),
        ] {
            assert_eq!(run(intent, &slots(json)).as_deref(), Some(yaml));
        }
    }
}
