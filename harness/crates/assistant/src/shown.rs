//! Actions in words, for people: shown before they are done.

use serde_json::Value;

use super::intent::Intent;
use super::limits;
use super::past::PREVIOUS;
use super::slots::{LEVELS, NO_CLOCK, Slots};

/// The command in words; for the test bench its command line.
pub fn shown(intent: Intent, slots: &Slots) -> String {
    let said = Arguments(slots);
    board(intent, &said).or_else(|| bench(intent, &said)).unwrap_or_default()
}

/// The action in plain words, as one of some that may be meant.
pub fn choice(intent: Intent, slots: &Slots) -> String {
    let said = Arguments(slots);
    let (new, old) = (said.or("new", "HEAD"), said.or("old", "main"));
    let (first, second) = (said.or("first", "builtin"), said.or("second", "stockfish"));
    let others = said.with_list(", ", "others");
    let run = match said.or("run", "last") {
        last if last == "last" => "the last run".to_owned(),
        previous if previous == PREVIOUS => "the run before the last one".to_owned(),
        run => format!("run {run}"),
    };
    let plain = match intent {
        Intent::PlayOpening => {
            format!("Put the {} on the board{}", said.text("opening"), said.with(", ", "side", ""))
        }
        Intent::Sprt => format!("Test {new} against {old} by an SPRT"),
        Intent::Match => format!("Let {first} play {second}{others}"),
        Intent::Suite => {
            let engine = said.or("engine", "builtin");
            format!("Let {engine}{others} solve the suite {}", said.or("suite", "wac"))
        }
        Intent::Tune => format!("Tune the parameters of {}", said.or("file", "tune.yaml")),
        Intent::Gate => format!("Check {} by the gate", said.or("engine", "HEAD")),
        Intent::Generate => {
            format!("Let {} generate training data", said.or("engine", "builtin"))
        }
        Intent::Train => format!("Train the network of {}", said.or("file", "train.yaml")),
        Intent::Loop => format!("Run the loop of {}", said.or("file", "loop.yaml")),
        Intent::PlayOut => {
            let engine = said.or("engine", "builtin");
            let against = said.or("against", &engine);
            format!("Let {engine} and {against} play from this position")
        }
        Intent::StopRun => format!("Stop {run}"),
        Intent::ResumeRun => format!("Resume {run}"),
        Intent::DeleteRun => format!("Delete {run}"),
        Intent::RunStatus => format!("Show {run}"),
        _ => return shown(intent, slots),
    };
    let flags = match intent {
        Intent::PlayOut => said.with(" --games ", "games", "") + &said.limit(),
        _ => said.flags(intent),
    };
    if flags.is_empty() { plain } else { format!("{plain} ({})", flags.trim()) }
}

/// Slots of a run and their flags.
const FLAGS: [(&str, &str); 12] = [
    ("alpha", "alpha"),
    ("beta", "beta"),
    ("ponder", "ponder"),
    ("seed", "seed"),
    ("format", "format"),
    ("rounds", "swiss-rounds"),
    ("lines", "multipv"),
    ("method", "method"),
    ("book", "openings"),
    ("jobs", "jobs"),
    ("variant", "variant"),
    ("chess960", "chess960"),
];

/// Flags of the gate and of the generation of data, by the names of their slots.
const OWN_FLAGS: [&str; 4] = ["engine", "base", "plies", "output"];

/// The flags of a run and their values: `true` of a flag that has none, a list of one that is repeated.
pub fn flags(intent: Intent, slots: &Slots) -> Vec<(&'static str, Value)> {
    let mut flags = Vec::new();
    if let Some([low, high]) = slots.get("bounds").and_then(Value::as_array).map(Vec::as_slice) {
        flags.extend([("elo0", low.clone()), ("elo1", high.clone())]);
    }
    if matches!(intent, Intent::Gate | Intent::Generate) {
        let own = OWN_FLAGS.into_iter().filter_map(|flag| Some((flag, slots.get(flag)?.clone())));
        flags.extend(own);
    }
    let games = if intent == Intent::Sprt { "max-games" } else { "games" };
    let value = |(slot, flag): (&str, &'static str)| Some((flag, slots.get(slot)?.clone()));
    flags.extend(FLAGS.into_iter().chain([("games", games)]).filter_map(value));
    if let Some(limit) = slots.get("limit").and_then(Value::as_str) {
        let (flag, value) = limits::flag(limit);
        flags.push((flag, value.into()));
    }
    let options = [("Threads", "threads"), ("Hash", "hash")];
    let option = |(name, slot): (&str, &str)| Some(format!("{name}={}", slots.get(slot)?));
    let options: Vec<Value> = options.into_iter().filter_map(option).map(Value::from).collect();
    if !options.is_empty() {
        flags.push(("option", options.into()));
    }
    flags
}

/// The slots as text.
struct Arguments<'a>(&'a Slots);

impl Arguments<'_> {
    /// A slot; empty without one.
    fn text(&self, name: &str) -> String {
        match self.0.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        }
    }

    /// A slot between two texts; empty without one.
    fn with(&self, before: &str, name: &str, after: &str) -> String {
        match self.text(name) {
            value if value.is_empty() => String::new(),
            value => format!("{before}{value}{after}"),
        }
    }

    /// A slot, or what is meant without one.
    fn or(&self, name: &str, other: &str) -> String {
        match self.text(name) {
            value if value.is_empty() => other.to_owned(),
            value => value,
        }
    }

    /// A list between spaces; empty without one.
    fn with_list(&self, before: &str, name: &str) -> String {
        let list = self.0.get(name).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str).map(|text| format!("{before}{text}")).collect()
    }

    /// The rating of the level, and the one that was asked for; empty of the highest level, and without one.
    fn level_note(&self) -> String {
        let level = self.0.get("level").and_then(Value::as_u64).unwrap_or(0);
        let rating = level.checked_sub(1).and_then(|at| LEVELS.get(at as usize));
        rating.map_or_else(String::new, |rating| {
            format!(" (Elo {rating}{})", self.with(", nearest to ", "rating", ""))
        })
    }

    /// Changes of squares; of `-q` that all black queens are taken off.
    fn edits(&self) -> String {
        let edits = self.0.get("edits").and_then(Value::as_array).into_iter().flatten();
        let text = |edit: &str| match edit.as_bytes() {
            [b'-', letter] => format!(" without {}", pieces(char::from(*letter))),
            _ => format!(" {edit}"),
        };
        edits.filter_map(Value::as_str).map(text).collect()
    }

    /// The rights to castle that are taken away, or that are left.
    fn rights(&self) -> String {
        let rights = self.text("rights");
        match rights.split_at_checked(1) {
            Some(("=", left)) => format!(", castling {left} alone"),
            Some((_, gone)) => format!(", no castling {gone}"),
            None => String::new(),
        }
    }

    /// The clock of a game, or that it has none.
    fn clock(&self) -> String {
        match self.text("clock") {
            none if none == NO_CLOCK => ", without a clock".to_owned(),
            _ => self.with(", ", "clock", ""),
        }
    }

    /// The move at which something is written.
    fn reference(&self) -> String {
        let number = self.with("move ", "move", "");
        let side = self.with(" of ", "side", "");
        if let Some(described) = self.0.get("to").and_then(|_| self.played()) {
            return described;
        }
        match (number.as_str(), self.text("san"), self.text("place").as_str()) {
            ("", san, _) if !san.is_empty() => san,
            ("", _, "last") => "your last move".to_owned(),
            ("", _, "latest") => "the last move".to_owned(),
            ("", ..) => "the move on the board".to_owned(),
            (_, san, _) if san.is_empty() => format!("{number}{side}"),
            (_, san, _) => format!("{number}{side}, {san}"),
        }
    }

    /// The other moves that are taken back with the first one.
    fn others(&self) -> String {
        let others = self.0.get("with").and_then(Value::as_array).into_iter().flatten();
        let played = |slots: &Value| Arguments(slots.as_object()?).played();
        others.filter_map(played).map(|other| format!(" and {other}")).collect()
    }

    /// A move of the game by its number, its notation or what it did; `None` where none is named.
    fn played(&self) -> Option<String> {
        let side = self.with(" of ", "side", "");
        if self.0.contains_key("to") {
            let capture = if self.0.contains_key("capture") { "x" } else { "" };
            let piece = self.text("piece").replace('P', "pawn ");
            return Some(format!("{piece}{capture}{}{side}", self.text("to")));
        }
        let number = self.with("move ", "move", "");
        let san = self.text("san");
        let named = match (number.as_str(), san.as_str()) {
            ("", _) => san,
            (_, "") => number,
            (_, _) => return Some(format!("{number}{side}, {san},")),
        };
        (!named.is_empty()).then(|| format!("{named}{side}"))
    }

    /// The games of a list, or the one that is meant: "second shortest lost game of weiss with white, run 12".
    fn games(&self, noun: &str) -> String {
        let sort = match self.text("sort").as_str() {
            "plies" => "shortest ",
            "-plies" => "longest ",
            "-swing" => "wildest ",
            "-time" => "slowest ",
            "-number" => "last ",
            _ => "",
        };
        let nth = match self.text("nth").as_str() {
            "" | "1" if sort.is_empty() && noun == "game" => "first ".to_owned(),
            "" | "1" => String::new(),
            nth => format!("{nth}. "),
        };
        let length = match (self.text("min_plies").as_str(), self.text("max_plies").as_str()) {
            ("", "") => String::new(),
            ("", most) => format!(", {most} plies at most"),
            (least, "") => format!(", {least} plies at least"),
            (least, most) => format!(", {least} to {most} plies"),
        };
        [
            self.with("", "most", " "),
            nth,
            sort.to_owned(),
            self.with("", "result", " "),
            noun.to_owned(),
            self.with(" of ", "player", ""),
            self.with(" with ", "colour", ""),
            self.with(", ended by ", "ending", "").replace('_', " "),
            length,
            self.with(", ", "opening", ""),
            self.with(", run ", "run", ""),
        ]
        .concat()
    }

    /// The runs that are compared.
    fn runs(&self) -> String {
        match self.with_list(" ", "runs") {
            list if list.is_empty() => self.or("runs", "last two"),
            list => list.trim().to_owned(),
        }
    }

    /// The flags of a run as on its command line.
    fn flags(&self, intent: Intent) -> String {
        let flag = |(name, value): (&str, Value)| match value {
            Value::Bool(_) => format!(" --{name}"),
            Value::Array(values) => {
                let values = values.iter().filter_map(Value::as_str);
                values.map(|value| format!(" --{name} {value}")).collect()
            }
            Value::String(text) => format!(" --{name} {text}"),
            value => format!(" --{name} {value}"),
        };
        flags(intent, self.0).into_iter().map(flag).collect()
    }

    /// The flag of a limit.
    fn limit(&self) -> String {
        match self.text("limit") {
            limit if limit.is_empty() => String::new(),
            limit => {
                let (flag, value) = limits::flag(&limit);
                format!(" --{flag} {value}")
            }
        }
    }
}

/// The pieces of a letter: `q` are the black queens.
fn pieces(letter: char) -> String {
    let side = if letter.is_ascii_uppercase() { "white" } else { "black" };
    let plural = if letter.eq_ignore_ascii_case(&'k') { "" } else { "s" };
    format!("{side} {}{plural}", piece(letter))
}

/// The piece of a letter of either case.
fn piece(letter: char) -> &'static str {
    match letter.to_ascii_lowercase() {
        'k' => "king",
        'q' => "queen",
        'r' => "rook",
        'b' => "bishop",
        'n' => "knight",
        _ => "pawn",
    }
}

/// Intents of a board, or of the program.
fn board(intent: Intent, said: &Arguments<'_>) -> Option<String> {
    Some(match intent {
        Intent::PlayOpening => {
            format!("Play the {}{}", said.text("opening"), said.with(", you are ", "side", ""))
        }
        Intent::Flip => format!("Turn the board{}", said.with(": ", "side", " below")),
        Intent::Move => format!("Move: {}", said.text("move")),
        Intent::TakeBack => {
            if said.0.contains_key("stands") {
                let side = said.with("", "side", " ");
                let piece = said.text("piece").chars().next().map_or("piece", piece);
                return Some(format!(
                    "Take back until the {side}{piece} is on {}",
                    said.text("to")
                ));
            }
            if let Some(from) = said.played() {
                let from = format!("{from}{}", said.others());
                let what = match said.0.contains_key("after") {
                    true => format!("what follows {from}"),
                    false => format!("{from} and what follows"),
                };
                return Some(format!("Take back {what}"));
            }
            let (count, unit) = (said.or("count", "1"), said.or("unit", "moves"));
            let unit = if count == "1" { unit.trim_end_matches('s') } else { &unit };
            format!("Take back {count} {unit}")
        }
        Intent::GoTo if said.0.contains_key("back") => {
            format!("Go to the end, {} plies back", said.text("back"))
        }
        Intent::GoTo if said.0.contains_key("ply") => format!("Go to ply {}", said.text("ply")),
        Intent::GoTo if said.0.contains_key("san") || said.0.contains_key("to") => {
            let before = if said.0.contains_key("before") { "before" } else { "behind" };
            format!("Go {before} {}", said.played().unwrap_or_default())
        }
        Intent::GoTo => {
            let places = [said.with("the ", "place", ""), said.with("move ", "move", "")];
            let places: Vec<&str> =
                places.iter().map(String::as_str).filter(|place| !place.is_empty()).collect();
            format!(
                "Go to {}{}{}",
                places.join(" "),
                said.with(" of ", "side", ""),
                said.with(", ", "count", " times")
            )
        }
        Intent::NewGame => format!(
            "New game{}{}{}{}{}{}{}",
            match said.text("colour").as_str() {
                "other" => " with the other colour".to_owned(),
                _ => said.with(" as ", "colour", ""),
            },
            said.with(" against ", "engine", ""),
            said.with(", level ", "level", &said.level_note()),
            said.clock(),
            said.with(", ", "opening", "") + &said.with(", from ", "fen", ""),
            if said.0.contains_key("chess960") { ", Chess960" } else { "" },
            if said.0.contains_key("here") { ", from this position" } else { "" }
        ),
        Intent::SetLevel => format!(
            "Level {}{}{}",
            said.or("level", "(1 to 9)"),
            said.with(" by ", "by", ""),
            said.level_note()
        ),
        Intent::MarkMove if said.0.contains_key("remove") => {
            format!("Take {} away from {}", said.or("sign", "the signs"), said.reference())
        }
        Intent::MarkMove => format!("Mark {} with {}", said.reference(), said.text("sign")),
        Intent::CommentMove => match said.text("text") {
            text if text.is_empty() => format!("Remove the comment at {}", said.reference()),
            text => format!("Write “{text}” at {}", said.reference()),
        },
        Intent::Resign => "Resign".to_owned(),
        Intent::OfferDraw => "Offer a draw".to_owned(),
        Intent::Hint => {
            format!("Hint{}{}", said.with(" by ", "engine", ""), said.with(", ", "limit", ""))
        }
        Intent::Evaluate => format!(
            "Who is better?{}{}",
            said.with(" (", "engine", ")"),
            said.with(" (", "limit", ")")
        ),
        Intent::CommentGame => "Review the game".to_owned(),
        Intent::Threat => {
            format!(
                "The threat{}{}",
                said.with(", by ", "engine", ""),
                said.with(", ", "limit", "")
            )
        }
        Intent::OpeningName => "Name of the opening".to_owned(),
        Intent::EngineOn => format!(
            "Analyse{}{}{}",
            said.with(" with ", "engine", ""),
            said.with(", ", "lines", if said.text("lines") == "1" { " line" } else { " lines" }),
            said.with(" (it goes on until you stop it, also beyond ", "limit", ")")
        ),
        Intent::EngineOff => "Analysis off".to_owned(),
        Intent::EditPosition => format!(
            "Edit the position{}{}{}{}{}",
            said.with(": ", "preset", ""),
            said.with(": ", "fen", ""),
            said.edits(),
            said.with(", ", "turn", " to move"),
            said.rights()
        ),
        Intent::Explorer => "Explorer".to_owned(),
        Intent::PlayOut => format!(
            "harness match {} {}{}{}{}{} from this position",
            said.or("engine", "builtin"),
            said.or("against", &said.or("engine", "builtin")),
            said.with(" --games ", "games", ""),
            said.with(" --jobs ", "jobs", ""),
            if said.0.contains_key("no_swap") { " --no-swap" } else { "" },
            said.limit()
        ),
        Intent::Practice => format!(
            "Practice: {}{}{}",
            said.text("theme"),
            said.with(" in ", "mate_in", ""),
            said.with(", ", "piece", "")
        ),
        Intent::Export if said.text("what") == "picture" => format!(
            "Save a picture of the board{}{}{}",
            said.with(": ", "file", ""),
            said.with(", ", "side", " below"),
            said.with(", ", "pixels", " pixels")
        ),
        Intent::Export => match said.text("file") {
            file if file.is_empty() => format!("Copy the {}", said.text("what").to_uppercase()),
            file => format!("Save the {} as {file}", said.text("what").to_uppercase()),
        },
        Intent::SpeechOn => "Say the moves".to_owned(),
        Intent::SpeechOff => "Do not say the moves".to_owned(),
        Intent::Help => "Help".to_owned(),

        _ => return None,
    })
}

/// Intents of the test bench.
fn bench(intent: Intent, said: &Arguments<'_>) -> Option<String> {
    Some(match intent {
        Intent::Sprt => format!(
            "harness sprt {} {}{}",
            said.or("new", "HEAD"),
            said.or("old", "main"),
            said.flags(intent)
        ),
        Intent::Match => format!(
            "harness match {} {}{}{}",
            said.or("first", "builtin"),
            said.or("second", "stockfish"),
            said.with_list(" ", "others"),
            said.flags(intent)
        ),
        Intent::Suite => format!(
            "harness suite {}{}{}{}",
            said.or("suite", "wac"),
            said.with(" ", "engine", ""),
            said.with_list(" ", "others"),
            said.flags(intent)
        ),
        Intent::Tune => {
            let engine = match said.0.contains_key("engine_of_file") {
                true => " (the engine is that of the file)",
                false => "",
            };
            format!(
                "harness tune run {}{}{engine}",
                said.or("file", "tune.yaml"),
                said.flags(intent)
            )
        }
        Intent::Gate => {
            format!("harness gate{}{}", said.with(" ", "file", ""), said.flags(intent))
        }
        Intent::Generate => format!("harness data generate{}", said.flags(intent)),
        Intent::Train => format!("harness train {}", said.or("file", "train.yaml")),
        Intent::Loop => format!("harness loop {}", said.or("file", "loop.yaml")),
        Intent::DescribeRun => {
            let (name, note) = (said.with("Name ", "name", ""), said.with("Note ", "note", ""));
            format!("{name}{note}: run {}", said.text("run"))
        }
        Intent::OpenGame if said.0.contains_key("game") => format!(
            "Game {}{}{}",
            said.text("game"),
            said.with(" of run ", "run", ""),
            said.with(" at move ", "at", "") + &said.with(" at ply ", "ply", "")
        ),
        Intent::OpenGame => format!("The {}", said.games("game")),
        Intent::StopRun => format!("harness stop {}", said.text("run")),
        Intent::ResumeRun => format!("harness resume {}", said.text("run")),
        Intent::DeleteRun => format!("Delete run {}", said.text("run")),
        Intent::RunStatus => format!("How is run {}?", said.text("run")),
        Intent::WhyLost if said.0.contains_key("sort") || said.0.contains_key("nth") => {
            format!("Where was it lost? The {}", said.games("game"))
        }
        Intent::WhyLost => format!(
            "Where was {}{} lost{}?",
            said.with("game ", "game", ""),
            said.with(" of run ", "run", ""),
            said.with(" by ", "player", "")
        ),
        Intent::ListGames => format!("The {}", said.games("games")),
        Intent::CompareRuns => {
            format!("Compare runs: {}{}", said.runs(), said.with(", ", "kind", " alone"))
        }
        Intent::OpenPage => {
            let kind = said.with(", ", "kind", " alone");
            if said.0.contains_key("run") {
                return Some(format!("Page of run {}", said.text("run")));
            }
            if said.0.contains_key("kind") && said.text("page") == "start" {
                return Some(format!("Page: start, {}", said.text("kind")));
            }
            format!("Page: {}{}{kind}", said.text("page"), said.with(", ", "status", " ones"))
        }
        _ => return None,
    })
}
