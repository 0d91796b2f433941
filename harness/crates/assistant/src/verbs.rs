//! Verbs without which an intent that ends or deletes something is not meant: "open the last run" deletes none,
//! however many examples of deleting speak of the last run.

use super::intent::Intent;
use super::tags::Tagged;
use super::{coverage, nearest, similar, tags};

/// Words of which one has to be said.
const VERBS: [(Intent, &[&str]); 4] = [
    (
        Intent::Move,
        &[
            "castle",
            "castling",
            "promote",
            "promotion",
            "underpromote",
            "take",
            "capture",
            "move",
            "pawn",
            "king",
            "queen",
            "rook",
            "bishop",
            "knight",
            "horse",
            "check",
            "mate",
            "passant",
            "square",
            "retake",
            "recapture",
            "push",
            "exchange",
            "trade",
            "sacrifice",
            "make",
        ],
    ),
    (
        Intent::DeleteRun,
        &[
            "delete",
            "deleted",
            "remove",
            "erase",
            "rid",
            "throw",
            "thrown",
            "discard",
            "drop",
            "trash",
            "bin",
            "wipe",
            "clean",
            "strike",
            "purge",
            "scrap",
            "forget",
            "dump",
            "clear",
            "destroy",
            "eliminate",
            "del",
            "rm",
            "scratch",
        ],
    ),
    (
        Intent::StopRun,
        &[
            "stop",
            "stopped",
            "abort",
            "cancel",
            "kill",
            "end",
            "terminate",
            "halt",
            "interrupt",
            "break",
            "pause",
            "suspend",
            "quit",
            "shut",
            "finish",
            "enough",
            "plug",
            "call",
            "drop",
            "give",
            "scrap",
            "hold",
            "freeze",
            "cease",
            "exit",
            "ctrl",
        ],
    ),
    (
        Intent::ResumeRun,
        &[
            "resume",
            "resumed",
            "continue",
            "continued",
            "go",
            "going",
            "carry",
            "keep",
            "proceed",
            "restart",
            "unpause",
            "pick",
            "take",
            "reopen",
            "start",
            "finish",
            "complete",
            "let",
            "wake",
            "revive",
            "back",
            "get",
            "reactivate",
        ],
    ),
];

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
            "knock",
        ],
    ),
];

/// Words with which a number of games is a maximum: it makes no match.
const MAXIMUM: [&str; 7] = ["max", "maximum", "most", "stop", "after", "capped", "limit"];

/// Whether a number of games is said that are to be played, and neither a maximum nor games at once.
fn counts_games(tagged: &[Tagged]) -> bool {
    let text = |at: usize| tagged.get(at).map_or("", |token| &*token.text);
    let is_at_once = |at: usize| {
        matches!((text(at), text(at + 1)), ("at", "once" | "a" | "one") | ("in", "parallel"))
            || matches!(text(at), "concurrently" | "simultaneously" | "parallel")
    };
    // "50 quick games".
    let is_count = |at: usize| {
        let noun = if text(at + 1) == "games" { at + 1 } else { at + 2 };
        text(at) == "{n}" && text(noun) == "games" && !is_at_once(noun + 1)
    };
    let is_maximum = |token: &Tagged| MAXIMUM.contains(&&*token.text);
    (0..tagged.len()).any(is_count) && !tagged.iter().any(is_maximum)
}

/// The kinds of runs that a word of a sentence says, those first whose words say nothing else.
pub fn kinds(tagged: &[Tagged]) -> impl Iterator<Item = Intent> {
    let is_said = |words: &[&str]| tagged.iter().any(|token| words.contains(&&*token.text));
    KINDS
        .iter()
        .filter(move |(kind, words)| {
            is_said(words) || (*kind == Intent::Match && counts_games(tagged))
        })
        .map(|(intent, _)| *intent)
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

/// A word that no example has is one of them, misspelt, if it is so like it.
const ALIKE: f32 = 0.75;

/// Whether a sentence of these words may have an intent: one of its verbs is said, or it needs none.
pub fn are_said(intent: Intent, words: &[String]) -> bool {
    let Some((_, verbs)) = VERBS.iter().find(|(of, _)| *of == intent) else { return true };
    let is_verb = |word: &String| {
        coverage::stems(word).any(|stem| verbs.contains(&stem))
            || (!nearest::is_known(word)
                && verbs
                    .iter()
                    .any(|verb| verb.len() > 3 && similar::similarity(word, verb) > ALIKE))
    };
    let is_negated = |at: usize| at > 0 && matches!(words[at - 1].as_str(), "not" | "never");
    words.iter().enumerate().any(|(at, word)| is_verb(word) && !is_negated(at))
        || (intent == Intent::Move && words.iter().any(|word| tags::is_move(word)))
}

#[cfg(test)]
mod tests {
    use super::super::{Context, understand};
    use super::*;

    #[test]
    fn nothing_is_ended_or_deleted_without_its_verb() {
        for text in [
            "open the latest run",
            "show the last run",
            "the last run please",
            "take me to the latest test",
            "did you delete run 4?",
            "the runs that were stopped",
        ] {
            let found = understand(text, &Context::default());
            assert!(!found.intent.changes_runs(), "{text}: {found:?}");
        }
        for (text, intent) in [
            ("delte the last run", Intent::DeleteRun),
            ("get rid of run 7", Intent::DeleteRun),
            ("sotp the match", Intent::StopRun),
            ("run 5 should continue", Intent::ResumeRun),
        ] {
            let found = understand(text, &Context::default());
            assert_eq!(found.intent, intent, "{text}: {found:?}");
        }
        let words = |text: &str| super::super::words::texts(text);
        assert!(!are_said(Intent::StopRun, &words("do not stop it")));
        assert!(are_said(Intent::Flip, &words("the other side")));
    }

    #[test]
    fn a_word_says_the_kind_of_a_run() {
        let kind = |text: &str| {
            let words = super::super::words::texts(text);
            let split = super::super::words::split(text);
            let tagged = tags::tag(text, &split, &words, &Context::default());
            kinds(&tagged).next()
        };
        assert_eq!(kind("sprt head main"), Some(Intent::Sprt));
        assert_eq!(kind("head against main, 50 quick games"), Some(Intent::Match));
        assert_eq!(kind("head against main, at most 50 games"), None);
        assert_eq!(kind("head against main, 8 games in parallel"), None);
        assert_eq!(kind("wac with head"), Some(Intent::Suite));
    }
}
