//! Functions that a model may call: one for each intent, with the names and numbers of its sentence.

use serde_json::{Map, Value, json};

use crate::intent::Intent;
use crate::moves::Named;
use crate::slots::Slots;
use crate::{Confirm, Context, Understood, moves, names, shown, words};

/// Longest text of an argument.
const MAX_ARGUMENT: usize = 200;

/// Largest number of an argument.
const MAX_NUMBER: u64 = 1_000_000;

/// The kind of an argument.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Text,
    Number,
    Flag,
    Choice(&'static [&'static str]),
    /// An opening by a name like one of the list.
    Opening,
    /// A legal move.
    Move,
}

use Kind::{Choice, Flag, Number, Opening, Text};

const RESULTS: Kind = Choice(&["lost", "won", "drawn"]);

/// Orders of games: the shortest, the longest, the last, those that turned the most.
const SORTS: Kind = Choice(&["plies", "-plies", "-number", "-swing"]);

const SIDES: Kind = Choice(&["white", "black"]);

/// The limit of a search for one answer.
const LIMIT: (&str, Kind) = ("limit", Text);

/// Description of a function, and its arguments.
type Function = (&'static str, &'static [(&'static str, Kind)]);

/// The function of an intent; `None` of what cannot be called.
fn function(intent: Intent) -> Option<Function> {
    of_board(intent).or_else(|| of_bench(intent))
}

/// Intents of a board, or of the program.
fn of_board(intent: Intent) -> Option<Function> {
    Some(match intent {
        Intent::PlayOpening => {
            ("Put an opening on the board, or play it.", &[("opening", Opening), ("side", SIDES)])
        }
        Intent::Flip => ("Turn the board.", &[("side", SIDES)]),
        Intent::Move => ("Make a move.", &[("move", Kind::Move)]),
        Intent::TakeBack => (
            "Take moves back: one's own with the replies to them, or half-moves.",
            &[("count", Number), ("unit", Choice(&["half-moves"]))],
        ),
        Intent::GoTo => (
            "Show another position of the game.",
            &[("place", Choice(&["start", "end", "next", "previous"])), ("move", Number)],
        ),
        Intent::NewGame => (
            "Begin a game. The clock is minutes+seconds, as 5+3; the level is from 1 to 9.",
            &[
                ("level", Number),
                ("engine", Text),
                ("colour", Choice(&["white", "black", "random", "other"])),
                ("clock", Text),
                ("chess960", Flag),
                ("here", Flag),
            ],
        ),
        Intent::SetLevel => ("Set the strength of the opponent, 1 to 9.", &[("level", Number)]),
        Intent::Resign => ("Give the game up.", &[]),
        Intent::OfferDraw => ("Offer a draw.", &[]),
        Intent::Hint => (
            "Recommend a move. The limit is as depth=20 or movetime=5s.",
            &[("engine", Text), LIMIT],
        ),
        Intent::Evaluate => ("Say who is ahead, and why.", &[("engine", Text), LIMIT]),
        Intent::CommentGame => ("Comment on the whole game.", &[]),
        Intent::MarkMove => (
            "Put a sign at a move of the game, or remove it.",
            &[
                ("remove", Flag),
                ("sign", Choice(&["!", "?", "!!", "??", "!?", "?!"])),
                ("move", Number),
                ("side", SIDES),
            ],
        ),
        Intent::CommentMove => (
            "Write a comment at a move of the game.",
            &[("text", Text), ("move", Number), ("side", SIDES)],
        ),
        Intent::Threat => ("Say what the opponent threatens.", &[("engine", Text), LIMIT]),
        Intent::OpeningName => ("Name the opening on the board.", &[]),
        Intent::EngineOn => ("Let an engine analyse.", &[("engine", Text)]),
        Intent::EngineOff => ("Stop the analysis.", &[]),
        Intent::EditPosition => (
            "Set up a position.",
            &[("preset", Choice(&["empty", "start"])), ("fen", Text), ("turn", SIDES)],
        ),
        Intent::Explorer => ("Show the moves that are played in this position.", &[]),
        Intent::PlayOut => (
            "Let engines play games from this position.",
            &[("games", Number), ("engine", Text), ("against", Text)],
        ),
        Intent::Practice => (
            "Show a puzzle or an ending.",
            &[
                ("theme", Choice(&["mate", "ending", "tactics", "mistakes", "games"])),
                ("mate_in", Number),
                ("piece", Choice(&["pawn", "knight", "bishop", "rook", "queen"])),
            ],
        ),
        Intent::Export => (
            "Copy the position or the game, or save a picture.",
            &[("what", Choice(&["pgn", "fen", "link", "picture"]))],
        ),
        Intent::SpeechOn => ("Read moves aloud.", &[]),
        Intent::SpeechOff => ("Be silent.", &[]),
        Intent::Help => ("Say what can be asked.", &[]),
        _ => return None,
    })
}

/// Intents of the test bench.
fn of_bench(intent: Intent) -> Option<Function> {
    Some(match intent {
        Intent::Sprt => (
            "Test an engine against an older one. The limit is as 8+0.08 or nodes=20000.",
            &[("new", Text), ("old", Text), ("limit", Text)],
        ),
        Intent::Match => (
            "Let two engines play a match.",
            &[("first", Text), ("second", Text), ("games", Number), ("limit", Text)],
        ),
        Intent::Suite => (
            "Let an engine solve a test suite.",
            &[("suite", Text), ("engine", Text), ("limit", Text)],
        ),
        Intent::Tune => ("Tune an engine by a file.", &[("file", Text)]),
        Intent::Gate => {
            ("Check a revision by the gate.", &[("engine", Text), ("base", Text), ("file", Text)])
        }
        Intent::Generate => (
            "Generate training data by games of an engine with itself.",
            &[("engine", Text), ("games", Number), ("limit", Text), ("output", Text)],
        ),
        Intent::Train => ("Train a network by a file.", &[("file", Text)]),
        Intent::Loop => ("Run the loop of data, training and test by a file.", &[("file", Text)]),
        Intent::DescribeRun => {
            ("Name a run, or write a note to it.", &[("run", Text), ("name", Text), ("note", Text)])
        }
        Intent::OpenGame => (
            "Show a game of a run: by its number, or the first one of a list.",
            &[
                ("game", Number),
                ("run", Text),
                ("result", RESULTS),
                ("player", Text),
                ("sort", SORTS),
                ("nth", Number),
            ],
        ),
        Intent::StopRun => ("Stop a run.", &[("run", Text)]),
        Intent::ResumeRun => ("Go on with a run.", &[("run", Text)]),
        Intent::DeleteRun => ("Delete a run.", &[("run", Text)]),
        Intent::RunStatus => ("Say how a run is going.", &[("run", Text)]),
        Intent::WhyLost => {
            ("Say why a game of a run was lost.", &[("game", Number), ("run", Text)])
        }
        Intent::ListGames => (
            "List games of a run. Lengths are in half-moves.",
            &[
                ("run", Text),
                ("result", RESULTS),
                ("player", Text),
                ("colour", SIDES),
                ("opening", Opening),
                ("min_plies", Number),
                ("max_plies", Number),
                ("sort", SORTS),
            ],
        ),
        Intent::CompareRuns => ("Compare runs.", &[]),
        Intent::OpenPage => (
            "Show a page.",
            &[(
                "page",
                Choice(&[
                    "runs", "games", "compare", "history", "board", "practice", "pgn", "suite",
                    "start", "workers", "data",
                ]),
            )],
        ),
        _ => return None,
    })
}

/// The functions as the protocol describes them.
pub fn tools() -> Vec<Value> {
    let described = Intent::ALL.into_iter().filter_map(|intent| {
        let (description, arguments) = function(intent)?;
        let properties: Map<String, Value> =
            arguments.iter().map(|(name, kind)| ((*name).to_owned(), schema(*kind))).collect();
        let parameters = json!({
            "type": "object", "properties": properties, "additionalProperties": false,
        });
        Some(json!({
            "type": "function",
            "function": {
                "name": intent.name(), "description": description, "parameters": parameters,
            },
        }))
    });
    described.collect()
}

fn schema(kind: Kind) -> Value {
    match kind {
        Text => json!({ "type": "string" }),
        Number => json!({ "type": "integer", "minimum": 0 }),
        Flag => json!({ "type": "boolean" }),
        Choice(choices) => json!({ "type": "string", "enum": choices }),
        Opening => json!({ "type": "string", "description": "the English name of an opening" }),
        Kind::Move => json!({ "type": "string", "description": "a legal move, as in Nf3" }),
    }
}

/// A call as it was understood.
///
/// # Errors
/// When there is no such function, or an argument makes no sense; in words for people.
pub fn call(name: &str, arguments: &str, context: &Context) -> Result<Understood, String> {
    let shortened: String = name.chars().take(40).collect();
    let unknown = || format!("there is no function `{shortened}`");
    let intent = Intent::from_name(name).ok_or_else(unknown)?;
    let (_, known) = function(intent).ok_or_else(unknown)?;
    let text = if arguments.trim().is_empty() { "{}" } else { arguments };
    let values: Value =
        serde_json::from_str(text).map_err(|_| format!("the arguments of `{name}` are no JSON"))?;
    let Value::Object(values) = values else {
        return Err(format!("the arguments of `{name}` are no object"));
    };
    let mut slots = Slots::new();
    for (argument, value) in &values {
        let wrong = |reason: &str| format!("`{name}`: `{argument}` {reason}");
        let shape = known.iter().find(|(known, _)| known == argument);
        let (argument, kind) = shape.ok_or_else(|| wrong("is no argument of it"))?;
        // A flag that is false is none.
        if value.is_null() || value.as_str() == Some("") || *value == Value::Bool(false) {
            continue;
        }
        let read =
            argument_of(*kind, value, context, &mut slots).map_err(|reason| wrong(&reason))?;
        slots.insert((*argument).to_owned(), read);
    }
    if intent == Intent::Move && !slots.contains_key("uci") {
        return Err("`move` names no move".to_owned());
    }
    let shown = shown::shown(intent, &slots);
    let (unread, confirm) = (Vec::new(), Confirm::Always);
    Ok(Understood { intent, slots, confirm, ..Understood::unknown(shown, unread) })
}

fn argument_of(
    kind: Kind,
    value: &Value,
    context: &Context,
    slots: &mut Slots,
) -> Result<Value, String> {
    let text = || {
        let text = value.as_str().ok_or("is no text")?;
        let plain = text.len() <= MAX_ARGUMENT && !text.chars().any(char::is_control);
        if plain { Ok(text) } else { Err("is too long, or no plain text") }
    };
    match kind {
        Flag => value.as_bool().map(Value::from).ok_or("is neither true nor false".to_owned()),
        Number => {
            let number = value.as_u64().or_else(|| value.as_str()?.parse().ok());
            let number = number.filter(|number| *number <= MAX_NUMBER);
            number.map(Value::from).ok_or("is no number".to_owned())
        }
        Text => Ok(json!(text()?)),
        Choice(choices) => {
            let text = text()?;
            if choices.contains(&text) {
                Ok(json!(text))
            } else {
                Err(format!("is none of {}", choices.join(", ")))
            }
        }
        Opening => {
            let found = names::opening(text()?, 1).into_iter().next();
            found.map(|found| json!(found.name)).ok_or("is no opening of the list".to_owned())
        }
        Kind::Move => {
            let text = text()?;
            let (uci, san) = match moves::named_move(text, &words::split(text), context) {
                Named::One(uci, san) => (uci, san),
                Named::Several(_) => return Err("may be more than one move here".to_owned()),
                Named::None => return Err("is not legal here".to_owned()),
            };
            slots.insert("uci".to_owned(), json!(uci));
            Ok(json!(san))
        }
    }
}
