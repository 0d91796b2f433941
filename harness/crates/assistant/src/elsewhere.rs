//! What is no business of a board, such as other commands of the test bench: it is named, and nothing else is begun
//! instead. Either an example sentence has it as its subject, `unknown:bisect`, or a word says it.

use super::intent::Intent;
use super::kinds;
use super::nearest;
use super::tags::Tagged;

/// Words of a sentence, all of them, and the command that they ask for.
const COMMANDS: [(&[&str], &str); 97] = [
    (&["manual"], "docs"),
    (&["handbook"], "docs"),
    (&["documentation"], "docs"),
    (&["write", "code"], "program"),
    (&["write", "function"], "program"),
    (&["refactor"], "program"),
    (&["lofi"], "outside"),
    (&["spotify"], "outside"),
    (&["playlist"], "outside"),
    (&["podcast"], "outside"),
    (&["logistic"], "methods"),
    (&["anova"], "methods"),
    (&["correlation"], "methods"),
    (&["covariance"], "methods"),
    (&["linear", "regression"], "methods"),
    (&["fit", "regression"], "methods"),
    (&["histogram"], "methods"),
    (&["scatterplot"], "methods"),
    (&["ordo"], "rate"),
    (&["bayeselo"], "rate"),
    (&["ratings", "tournament"], "rate"),
    (&["watch", "gate"], "watch"),
    (&["gate", "every"], "watch"),
    (&["convert", "{file}"], "data import"),
    (&["extract", "{file}"], "data import"),
    (&["turn", "{file}"], "data import"),
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
    (&["training", "positions"], "data generate"),
    (&["training", "position"], "data generate"),
    (&["datagen"], "data generate"),
    (&["selfplay"], "data generate"),
    (&["train", "{file}"], "train"),
    (&["train", "network"], "train"),
    (&["train", "net"], "train"),
    (&["train", "nnue"], "train"),
    (&["learn", "network"], "train"),
    (&["learn", "net"], "train"),
    (&["self", "improvement"], "loop"),
    (&["selfimprovement"], "loop"),
    (&["improvement", "cycle"], "loop"),
    (&["loop"], "loop"),
    (&["server"], "serve"),
    (&["statistics", "{file}"], "stats --pgn"),
    (&["email"], "message"),
    (&["mail"], "message"),
    (&["whatsapp"], "message"),
    (&["telegram"], "message"),
    (&["slack"], "message"),
    (&["discord"], "message"),
    (&["notification"], "message"),
    (&["notifications"], "message"),
    (&["notify"], "message"),
    (&["remind", "me"], "message"),
    (&["reminder"], "message"),
    (&["microphone"], "listen"),
    (&["mic"], "listen"),
    (&["internet"], "online"),
    (&["online"], "online"),
    (&["multiplayer"], "online"),
    (&["invite"], "online"),
    (&["download"], "download"),
    (&["install"], "download"),
    (&["upgrade"], "download"),
    (&["update", "{engine}"], "download"),
    (&["print"], "print"),
    (&["script"], "program"),
    (&["broadcast"], "outside"),
    (&["livestream"], "outside"),
    (&["twitch"], "outside"),
    (&["youtube"], "outside"),
];

/// Games that are none of chess.
const OTHER_GAMES: [&str; 18] = [
    "checkers",
    "draughts",
    "shogi",
    "xiangqi",
    "janggi",
    "makruk",
    "othello",
    "reversi",
    "backgammon",
    "poker",
    "sudoku",
    "tetris",
    "solitaire",
    "hangman",
    "mahjong",
    "gomoku",
    "baduk",
    "monopoly",
];

/// Whether another game is asked for, "a game of Go", "drop the pawn, crazyhouse style": a board has none of it.
pub fn is_of_other_game(words: &[String], is_of_runs: bool) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    (0..words.len()).any(|at| match word(at) {
        "go" => {
            at + 1 == words.len() && at > 0 && word(at - 1) == "play"
                || (at > 1 && word(at - 1) == "of" && matches!(word(at - 2), "game" | "round"))
        }
        "crazyhouse" | "bughouse" => !is_of_runs,
        word => OTHER_GAMES.contains(&word),
    })
}

/// Runs that a form begins, by their commands.
const FORMS: [(&str, Intent); 4] = [
    ("gate", Intent::Gate),
    ("data generate", Intent::Generate),
    ("train", Intent::Train),
    ("loop", Intent::Loop),
];

/// The intent of a command that the form of a new run has.
pub fn form(command: &str) -> Option<Intent> {
    FORMS.iter().find(|(known, _)| *known == command).map(|(_, intent)| *intent)
}

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
    // The learning rate of a training rates nothing.
    let is_rate = |words: &[&str]| words[0].starts_with("rat") && is_said(&"learning");
    let found = COMMANDS.iter().find(|(words, command)| {
        words.iter().all(&is_said)
            && is_foreign(words)
            && !is_rate(words)
            && !is_beside_a_run(words, command, tagged)
    });
    found.map(|(_, command)| *command)
}

/// "Start an SPRT of dev, and mail me the result": the run comes first, and what is no business of it is named.
fn is_beside_a_run(words: &[&str], command: &str, tagged: &[Tagged]) -> bool {
    let is_subject = SUBJECTS.iter().any(|(name, _)| *name == command);
    let place = |said: &dyn Fn(&str) -> bool| tagged.iter().position(|token| said(&token.text));
    let foreign = place(&|text| text == words[0]);
    let run =
        place(&|text| kinds::is_of_run(text) || matches!(text, "{engine}" | "{rev}" | "{suite}"));
    is_subject && run.is_some_and(|run| Some(run) < foreign)
}

/// Subjects that are no commands, and what to do instead.
const SUBJECTS: [(&str, &str); 29] = [
    ("docs", "`harness docs` has the manual: its chapters are listed there"),
    (
        "methods",
        "no statistics of your own are made here: the page of a run has its report, `harness docs statistics` the methods",
    ),
    (
        "other games",
        "chess is played here; variants are those of a match, such as `--variant crazyhouse`",
    ),
    (
        "text of a run",
        "the name and the note of a run are changed, not taken away: “note for run 23: ltc” writes another one",
    ),
    ("data", "`harness data` does this; a board does not"),
    (
        "appearance",
        "“Appearance” under a board has its colours, its pieces, the sound of moves and the theme",
    ),
    ("clock", "a game keeps the clock it began with: “new game 3+2” begins one with another"),
    (
        "file",
        "the page of PGN files opens them, and “Load” under a board takes a game or a position",
    ),
    ("boards", "the page of boards closes them"),
    ("listen", "the button “Listen” beside the input does this, where the browser can"),
    (
        "worth",
        "a question plays no move: the lines of the engine say what it is worth, “analyse” shows them",
    ),
    ("legal", "a click on a piece shows where it can go"),
    ("named", "positions have no names here: the editor sets one up, and Practice has endings"),
    ("again", "no run is repeated from here: say all of it, with what is to change"),
    (
        "glossary",
        "`harness docs glossary` has the words, and `harness docs statistics` the methods",
    ),
    ("engines", "the form of a new run lists the engines"),
    ("suites", "`harness suite --help` lists the suites"),
    ("game", "the list of games opens single ones, also by how they ended"),
    ("solution", "the page of a puzzle shows its solution"),
    ("report", "the page of a run has its report and its games"),
    ("message", "the test bench sends no messages: a hook of yours can, see `harness docs hooks`"),
    ("work", "nothing here does this"),
    ("online", "games are played on this machine; `harness lichess` plays on Lichess"),
    (
        "download",
        "nothing is downloaded or installed: an engine is a program of yours, and the form of a new run lists them",
    ),
    ("print", "the browser prints a page and saves it as a picture; “copy the PGN” has the game"),
    ("program", "nothing here writes programs: `harness --help` lists the commands there are"),
    ("sign", "a sign that a move has is taken away with the same button beside the moves"),
    ("signs", "the signs of moves stand beside the moves under the board"),
    ("outside", "that is nothing of a board or of the test bench"),
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
