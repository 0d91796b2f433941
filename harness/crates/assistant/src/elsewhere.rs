//! What is no business of a board, such as other commands of the test bench: it is named, and nothing else is begun
//! instead. Either an example sentence has it as its subject, `unknown:bisect`, or a word says it.

use super::intent::Intent;
use super::nearest;
use super::tags::Tagged;

/// Words of a sentence, all of them, and the command that they ask for.
const COMMANDS: [(&[&str], &str); 35] = [
    (&["bisect"], "bisect"),
    (&["bisection"], "bisect"),
    (&["which", "commit"], "bisect"),
    (&["find", "commit"], "bisect"),
    (&["perft"], "perft"),
    (&["nps"], "speed"),
    (&["speed", "measure"], "speed"),
    (&["nodes", "second"], "speed"),
    (&["gate"], "gate"),
    (&["race"], "race"),
    (&["rate", "{engine}"], "rate"),
    (&["rate", "{rev}"], "rate"),
    (&["rating", "{engine}"], "rate"),
    (&["rating", "{rev}"], "rate"),
    (&["ladder"], "rate"),
    (&["conformance"], "check"),
    (&["uci"], "check"),
    (&["conforms"], "check"),
    (&["compliance"], "check"),
    (&["calibrate"], "calibrate"),
    (&["calibration"], "calibrate"),
    (&["lichess"], "lichess"),
    (&["texel"], "tune texel"),
    (&["screen", "{file}"], "tune screen"),
    (&["import"], "data import"),
    (&["generate"], "data generate"),
    (&["training", "games"], "data generate"),
    (&["training", "data"], "data generate"),
    (&["selfplay"], "data generate"),
    (&["train", "{file}"], "train"),
    (&["train", "network"], "train"),
    (&["train", "net"], "train"),
    (&["loop"], "loop"),
    (&["server"], "serve"),
    (&["statistics", "{file}"], "stats --pgn"),
];

/// The words of all commands.
pub fn words() -> impl Iterator<Item = &'static &'static str> {
    COMMANDS.iter().flat_map(|(words, _)| words.iter()).filter(|word| !word.starts_with('{'))
}

/// The command that a sentence asks for, if no example of the intent has its words.
pub fn command(tagged: &[Tagged], intent: Intent) -> Option<&'static str> {
    let is_said = |word: &&str| tagged.iter().any(|tagged| tagged.text == **word);
    let is_foreign = |words: &[&str]| {
        intent == Intent::Unknown
            || words.iter().any(|word| nearest::templates_with(word, intent) == 0)
    };
    let found = COMMANDS.iter().find(|(words, _)| words.iter().all(&is_said) && is_foreign(words));
    found.map(|(_, command)| *command)
}

/// Subjects that are no commands, and what to do instead.
const SUBJECTS: [(&str, &str); 7] = [
    ("again", "no run is repeated from here: say all of it, with what is to change"),
    (
        "glossary",
        "`harness docs glossary` has the words, and `harness docs statistics` the methods",
    ),
    ("engines", "the form of a new run lists the engines"),
    ("suites", "`harness suite --help` lists the suites"),
    ("game", "the list of games opens single ones, also by how they ended"),
    ("report", "the page of a run has its report and its games"),
    ("message", "nothing here does this"),
];

/// Why nothing is done for a subject of the examples; `None` of one without a reason.
pub fn reason(subject: &str) -> Option<String> {
    if subject.is_empty() {
        return None;
    }
    let known = SUBJECTS.iter().find(|(name, _)| *name == subject);
    Some(known.map_or_else(|| of_command(subject), |(_, reason)| (*reason).to_owned()))
}

/// The same of a command.
pub fn of_command(command: &str) -> String {
    format!("`harness {command}` does this; a board does not")
}
