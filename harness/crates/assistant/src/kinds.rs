//! Words that say the kind of a run, whatever else a sentence has in common with examples: `sprt`, `gauntlet`, "50
//! games", "from here".

use super::intent::Intent;
use super::nearest;
use super::similar::similarity;
use super::tags::Tagged;

/// Words that say the kind of a run.
const KINDS: [(Intent, &[&str]); 4] = [
    (
        Intent::Sprt,
        &[
            "sprt",
            "gsprt",
            "bounds",
            "elo0",
            "elo1",
            "hypotheses",
            "sequential",
            "regression",
            "simplification",
            "nonregression",
        ],
    ),
    (Intent::Suite, &["{suite}", "suite", "solve", "eigenmann", "tactics", "tactical"]),
    (
        Intent::Tune,
        &[
            "tune",
            "tuning",
            "tuner",
            "spsa",
            "cmaes",
            "bayesian",
            "optimise",
            "optimisation",
            "optimiser",
            "swarm",
            "nelder",
        ],
    ),
    (
        Intent::Match,
        &[
            "match",
            "tournament",
            "tourney",
            "gauntlet",
            "knockout",
            "robin",
            "swiss",
            "pyramid",
            "cup",
            "league",
            "encounter",
            "duel",
            "knock",
        ],
    ),
];

/// Whether a word says that a run is of this kind.
pub fn says(word: &str, intent: Intent) -> bool {
    KINDS.iter().any(|(kind, words)| *kind == intent && words.contains(&word))
}

/// Whether a word says a kind of run, whichever.
pub fn is_said(word: &str) -> bool {
    word == "mead" || KINDS.iter().any(|(_, words)| words.contains(&word))
}

/// Kinds of runs as they are said, and their commands.
const COMMANDS: [(&str, &str); 18] = [
    ("sprt", "sprt"),
    ("match", "match"),
    ("matches", "match"),
    ("tournament", "match"),
    ("tourney", "match"),
    ("gauntlet", "match"),
    ("knockout", "match"),
    ("suite", "suite"),
    ("tuning", "tune"),
    ("tune", "tune"),
    ("spsa", "tune"),
    ("gate", "gate"),
    ("race", "race"),
    ("bisection", "bisect"),
    ("training", "train"),
    ("loop", "loop"),
    ("datagen", "data"),
    ("calibration", "calibrate"),
];

/// Whether a word is a run, of whatever kind.
pub fn is_of_run(word: &str) -> bool {
    matches!(word, "run" | "test") || COMMANDS.iter().any(|(said, _)| *said == word)
}

/// The command of a kind of run by its name, also of several: `sprts`.
pub fn command(word: &str) -> Option<&'static str> {
    let exact = |word: &str| COMMANDS.iter().find(|(said, _)| *said == word);
    let found = exact(word).or_else(|| exact(word.strip_suffix('s')?));
    found.map(|(_, command)| *command)
}

/// The command of the kind of run that words speak of, if it is one: of "how is the last SPRT" `sprt`, and of "stop the
/// match, but leave the SPRT" `match`.
pub fn command_of_all(words: &[String]) -> Option<&'static str> {
    let is_other = |at: &usize| matches!(words[*at].as_str(), "but" | "then");
    let end = (1..words.len()).find(is_other).unwrap_or(words.len());
    // "Not the match, stop the tuning".
    let is_refused = |words: &[String], at: usize| {
        let before = |by: usize| at.checked_sub(by).map_or("", |at| words[at].as_str());
        before(1) == "not" || (before(2) == "not" && matches!(before(1), "the" | "a" | "an"))
    };
    let kinds = |words: &[String]| -> Vec<&'static str> {
        let wanted = (0..words.len()).filter(|at| !is_refused(words, *at));
        wanted.filter_map(|at| command(&words[at])).collect()
    };
    let (wish, all) = (kinds(&words[..end]), kinds(words));
    let said = if wish.is_empty() { all } else { wish };
    let first = said.first().copied()?;
    said.iter().all(|other| *other == first).then_some(first)
}

/// Formats of tournaments as they are said, and as the test bench names them.
const FORMATS: [(&[&str], &str); 6] = [
    (&["gauntlet"], "gauntlet"),
    (&["round", "robin"], "round-robin"),
    (&["knockout"], "knockout"),
    (&["knock", "out"], "knockout"),
    (&["swiss"], "swiss"),
    (&["pyramid"], "pyramid"),
];

/// The format of a tournament that is said, if it is one.
pub fn format(words: &[String]) -> Option<&'static str> {
    let is_said = |said: &[&str]| words.windows(said.len()).any(|part| part.iter().eq(said.iter()));
    let mut said = FORMATS.iter().filter(|(said, _)| is_said(said)).map(|(_, format)| *format);
    said.next().filter(|_| said.next().is_none())
}

/// Whether a run is spoken of in which no engines play each other: "the latest training".
pub fn has_no_games(words: &[String]) -> bool {
    matches!(command_of_all(words), Some("train" | "tune" | "data" | "suite" | "calibrate"))
        && !words.iter().any(|word| matches!(word.as_str(), "game" | "games"))
}

/// The command of an intent that begins a run of one of the kinds.
pub fn command_of(intent: Intent) -> Option<&'static str> {
    Some(match intent {
        Intent::Sprt => "sprt",
        Intent::Match => "match",
        Intent::Suite => "suite",
        Intent::Tune => "tune",
        Intent::Gate => "gate",
        Intent::Train => "train",
        Intent::Loop => "loop",
        Intent::Generate => "data",
        _ => return None,
    })
}

/// Words with which a number of games is a maximum: it makes no match.
const MAXIMUM: [&str; 7] = ["max", "maximum", "most", "stop", "after", "capped", "limit"];

/// How many words say that games are played at once: "in parallel", "at the same time".
pub fn at_once(words: &[&str]) -> Option<usize> {
    match words {
        ["at", "the", "same", "time", ..] => Some(4),
        ["at" | "in", "same", "time", ..] => Some(3),
        ["in", "the", "same", "time", ..] => Some(4),
        ["at", "a" | "one", "time", ..] => Some(3),
        ["side", "by", "side", ..] => Some(3),
        ["at", "once", ..] => Some(2),
        ["in", parallel, ..] if is_like_parallel(parallel) => Some(2),
        [parallel, ..] if is_like_parallel(parallel) => Some(1),
        _ => None,
    }
}

/// "Parallel" and the like, if need be misspelt: ten games "paralel" are no maximum.
fn is_like_parallel(word: &str) -> bool {
    const PARALLEL: [&str; 5] =
        ["parallel", "concurrent", "concurrently", "simultaneous", "simultaneously"];
    let is_misspelt = word.len() > 5 && !nearest::is_known(word) && !is_concurrency(word);
    PARALLEL.contains(&word)
        || is_misspelt && PARALLEL.iter().any(|known| similarity(word, known) > 0.8)
}

/// "Concurrency", which has its number behind it, if need be misspelt.
pub fn is_concurrency(word: &str) -> bool {
    similarity(word, "concurrency") > 0.85
}

/// Whether a number of games is said that are to be played, and neither a maximum nor games at once.
fn counts_games(tagged: &[Tagged]) -> bool {
    let text = |at: usize| tagged.get(at).map_or("", |token| &*token.text);
    let is_at_once = |at: usize| at_once(&[0, 1, 2, 3].map(|by| text(at + by))).is_some();
    // "50 quick games".
    let is_games = |at: usize| matches!(text(at), "games" | "game");
    let is_count = |at: usize| {
        let noun = if is_games(at + 1) { at + 1 } else { at + 2 };
        text(at) == "{n}" && is_games(noun) && !is_at_once(noun + 1)
    };
    let is_maximum = |at: usize| {
        MAXIMUM.contains(&text(at))
            || (matches!(text(at), "no" | "not")
                && (1..3).any(|by| text(at + by) == "more" && text(at + by + 1) == "than"))
    };
    (0..tagged.len()).any(is_count) && !(0..tagged.len()).any(is_maximum)
}

/// The kinds of runs that a word of a sentence says, those first whose words say nothing else. A number of games says
/// a match where no word says a kind.
pub fn said(tagged: &[Tagged]) -> impl Iterator<Item = Intent> {
    let is_refused = |at: usize| {
        let before = |by: usize| at.checked_sub(by).map_or("", |at| &*tagged[at].text);
        matches!(before(1), "no" | "not") || (before(2) == "not" && matches!(before(1), "a" | "an"))
    };
    // "The book balanced.epd" is no suite.
    let is_book = |at: usize| {
        let before = at.checked_sub(1).map_or("", |at| &*tagged[at].text);
        tagged[at].text == "{suite}" && matches!(before, "book" | "books" | "openings" | "from")
    };
    let is_said = move |words: &[&str]| {
        let mut tokens = tagged.iter().enumerate();
        tokens.any(|(at, token)| {
            // `elo0=-3`
            let name = token.text.split('=').next().unwrap_or_default();
            words.contains(&name) && !is_refused(at) && !is_book(at)
        })
    };
    let is_tested = is_said(&["sprt", "gsprt"]);
    KINDS
        .iter()
        .filter(move |(kind, words)| {
            is_said(words) || (*kind == Intent::Match && !is_tested && counts_games(tagged))
        })
        .map(|(intent, _)| *intent)
}

/// The kinds of the first of two wishes, "a match of A and B, then an SPRT of these", where its words say one.
pub fn of_first_wish(tagged: &[Tagged]) -> Vec<Intent> {
    let is_second = |token: &Tagged| matches!(token.text.as_str(), "then" | "afterwards");
    let end = tagged.iter().position(is_second).unwrap_or(tagged.len());
    let first: Vec<Intent> = said(&tagged[..end]).collect();
    if first.is_empty() { said(tagged).collect() } else { first }
}

/// Words that say that games begin with the position on the board.
const FROM_HERE: [&str; 7] = [
    "it out",
    "this out",
    "position out",
    "from here",
    "from this position",
    "from the current position",
    "from the position on the board",
];

/// Whether games are to begin with the position on the board.
pub fn is_from_here(words: &[String]) -> bool {
    let is_said = |phrase: &&str| {
        let count = phrase.split(' ').count();
        words.windows(count).any(|part| part.iter().eq(phrase.split(' ')))
    };
    FROM_HERE.iter().any(is_said)
}

/// Whether engines "battle it out", which is a match where no position is spoken of.
pub fn is_battle(words: &[String]) -> bool {
    let is_of_position =
        |word: &String| matches!(word.as_str(), "here" | "this" | "position" | "board");
    let is_said = |part: &[String]| {
        matches!(part[0].as_str(), "battle" | "fight" | "slug")
            && part[1] == "it"
            && part[2] == "out"
    };
    words.windows(3).any(is_said) && !words.iter().any(is_of_position)
}

#[cfg(test)]
mod tests {
    use super::super::{Context, kind_of_run, tags};
    use super::*;

    #[test]
    fn the_kind_of_a_run_is_said_with_slips_too() {
        for (text, expected) in [
            ("lost games of last macth", Some("match")),
            ("how is the last sprt", Some("sprt")),
            ("compare the last match with the last sprt", None),
            ("stop the match, but let the sprt go on", Some("match")),
            ("stop the sprt, no, the match", Some("match")),
            ("stop the sprt, not the match", Some("sprt")),
            ("no, not the match, stop the tuning", Some("tune")),
        ] {
            assert_eq!(kind_of_run(text), expected, "{text}");
        }
    }

    #[test]
    fn a_word_says_the_kind_of_a_run() {
        let kind = |text: &str| {
            let words = super::super::words::texts(text);
            let split = super::super::words::split(text);
            let tagged = tags::tag(text, &split, &words, &Context::default());
            said(&tagged).next()
        };
        assert_eq!(kind("sprt head main"), Some(Intent::Sprt));
        assert_eq!(kind("head against main, 50 quick games"), Some(Intent::Match));
        assert_eq!(kind("head against main, at most 50 games"), None);
        assert_eq!(kind("head against main, 8 games in parallel"), None);
        assert_eq!(kind("head against main, 8 games paralel"), None);
        assert_eq!(kind("wac with head"), Some(Intent::Suite));
    }
}
