//! Verbs without which an intent that ends or deletes something is not meant: "open the last run" deletes none,
//! however many examples of deleting speak of the last run.

mod of_runs;

pub use self::of_runs::wished as wished_of_a_run;
use self::of_runs::{compares_two, said_of_a_run};
use super::intent::Intent;
use super::words::SIGN;
use super::{coverage, kinds, names, nearest, similar, spelling, tags, thesaurus};

/// Words of which one has to be said.
const VERBS: [(Intent, &[&str]); 7] = [
    (
        Intent::MarkMove,
        &[
            "mark",
            "marked",
            "annotate",
            "sign",
            "label",
            "tag",
            "flag",
            "exclamation",
            "question",
            "call",
            "give",
            "put",
            "set",
            "add",
            "blunder",
            "brilliant",
            "nag",
            "attach",
            SIGN,
        ],
    ),
    (
        Intent::CommentMove,
        &[
            "{text}",
            "words",
            "comment",
            "note",
            "write",
            "wrote",
            "written",
            "remark",
            "annotate",
            "annotation",
            "jot",
            "say",
            "text",
            "put",
            "place",
            "add",
            "attach",
            "set",
        ],
    ),
    (
        Intent::DescribeRun,
        &[
            "call",
            "name",
            "rename",
            "label",
            "title",
            "tag",
            "note",
            "describe",
            "description",
            "comment",
            "remark",
            "annotate",
            "title",
            "write",
            "jot",
            "enter",
            "baptise",
            "christen",
            "dub",
            "bear",
        ],
    ),
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

/// A word that no example has is one of them, misspelt, if it is so like it.
const ALIKE: f32 = 0.75;

/// Whether a sentence of these words may have an intent: one of its verbs is said, or it needs none.
pub fn are_said(intent: Intent, words: &[String]) -> bool {
    let Some((_, verbs)) = VERBS.iter().find(|(of, _)| *of == intent) else { return true };
    let class = class_of(intent);
    let is_verb = |word: &String| {
        coverage::stems(word).any(|stem| verbs.contains(&stem))
            || class.is_some_and(|class| thesaurus::means(word, class))
            // Tarrasch is no trash.
            || (!nearest::is_known(word)
                && (!names::is_of_opening(word) || verbs.iter().any(|verb| spelling::slip(word, verb).is_some()))
                && verbs
                    .iter()
                    .any(|verb| verb.len() > 3 && similar::similarity(word, verb) > ALIKE))
    };
    let is_negated = |at: usize| at > 0 && matches!(words[at - 1].as_str(), "not" | "never");
    words.iter().enumerate().any(|(at, word)| is_verb(word) && !is_negated(at))
        || (intent == Intent::Move && words.iter().any(|word| tags::is_move(word)))
}

/// What is done to a run where a sentence begins with the verb and the run: "stop the loop" begins none.
pub fn about_a_run(words: &[String]) -> Option<Intent> {
    const POLITE: [&str; 10] =
        ["please", "now", "ok", "can", "could", "would", "you", "and", "just", "quickly"];
    let polite = words.iter().take_while(|word| POLITE.contains(&word.as_str())).count();
    if let [game, number, of, ..] = &words[polite..]
        && game == "game"
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && matches!(of.as_str(), "of" | "in" | "from")
        && words.iter().any(|word| kinds::is_of_run(word))
    {
        return Some(Intent::OpenGame);
    }
    let of_run = said_of_a_run(&words[polite..]).or_else(|| wished_of_a_run(&words[polite..]));
    if of_run.is_some() {
        return of_run;
    }
    if compares_two(&words[polite..]) {
        return Some(Intent::CompareRuns);
    }
    let (verb, rest) = words[polite..].split_first()?;
    let goes_on = matches!(verb.as_str(), "carry" | "go" | "keep")
        && matches!(rest, [on, with, ..] if matches!(&**on, "on" | "going") && with == "with");
    let names = matches!(verb.as_str(), "name" | "rename" | "title" | "label" | "call");
    let intent = match verb.as_str() {
        _ if goes_on => Intent::ResumeRun,
        // "Call the match off" ends it.
        _ if names && !words.iter().any(|word| word == "off") => Intent::DescribeRun,
        "compare" => Intent::CompareRuns,
        verb => ended_by(verb)?,
    };
    let rest = if goes_on { &rest[2..] } else { rest };
    let is_link = |word: &&String| {
        matches!(
            word.as_str(),
            "the"
                | "my"
                | "our"
                | "this"
                | "that"
                | "last"
                | "latest"
                | "newest"
                | "current"
                | "running"
                | "network"
        )
    };
    let noun = rest.iter().find(|word| !is_link(word))?;
    // "Kill everything except the gate": one at a time.
    if matches!(noun.as_str(), "everything" | "all" | "every") && ended_by(verb).is_some() {
        let is_run = |word: &String| kinds::command(word).is_some() || word == "runs";
        return ended_by(verb).filter(|_| rest.iter().any(is_run));
    }
    let is_run = kinds::is_of_run(noun) || matches!(noun.as_str(), "data" | "generation");
    is_run.then_some(intent)
}

/// "Carry out run 7 once more": a run that is to be done again is not resumed.
pub fn repeats(words: &[String]) -> bool {
    const AGAIN: [&[&str]; 4] =
        [&["once", "more"], &["second", "time"], &["another", "time"], &["from", "scratch"]];
    let is_said =
        |said: &&[&str]| words.windows(said.len()).any(|part| part.iter().eq(said.iter()));
    let goes_on = ["resume", "continue", "on", "going", "pick", "unpause", "proceed"];
    AGAIN.iter().any(is_said) && !words.iter().any(|word| goes_on.contains(&word.as_str()))
}

/// The intent of a verb about a run.
fn ended_by(verb: &str) -> Option<Intent> {
    if verb == "end" {
        return Some(Intent::StopRun);
    }
    let is_it =
        |intent: &Intent| class_of(*intent).is_some_and(|class| thesaurus::means(verb, class));
    [Intent::StopRun, Intent::ResumeRun, Intent::DeleteRun].into_iter().find(is_it)
}

/// The class of the thesaurus whose words say what is done to a run.
fn class_of(intent: Intent) -> Option<&'static str> {
    match intent {
        Intent::StopRun => Some("stop"),
        Intent::ResumeRun => Some("resume"),
        Intent::DeleteRun => Some("delete"),
        Intent::DescribeRun => Some("name"),
        _ => None,
    }
}

/// Whether a second wish about a run begins with "and": "stop the last match and delete it".
pub fn ends_it(words: &[String], at: usize) -> bool {
    let word = |by: usize| words.get(at + by).map_or("", String::as_str);
    let is_verb = ended_by(word(1)).is_some() || matches!(word(1), "drop" | "scrap" | "rename");
    let is_link = |by: &usize| matches!(word(*by), "the" | "my" | "last" | "latest" | "newest");
    let noun = (2..5).find(|by| !is_link(by)).map_or("", word);
    let is_object = matches!(word(2), "it" | "that" | "this" | "them") || kinds::is_of_run(noun);
    word(0) == "and" && is_verb && is_object
}

/// Verbs of looking at something, beside those that do something to it.
const LOOKING: [&str; 9] =
    ["show", "open", "compare", "list", "display", "see", "view", "look", "find"];

/// The words of the first of two wishes: "show the last run, then delete it" shows it, and the other wish is named.
pub fn of_first_wish(words: &[String]) -> &[String] {
    let is_afterwards = words.last().is_some_and(|last| last == "afterwards");
    let begins_second = |at: &usize| {
        let word = |by: usize| words.get(at + by).map_or("", String::as_str);
        match word(0) {
            "then" | "afterwards" => true,
            "and" => {
                matches!(word(1), "then" | "afterwards") || is_afterwards || ends_it(words, *at)
            }
            "but" => !coverage::NARROWED.contains(&word(1)) && !matches!(word(1), "one" | "two"),
            _ => false,
        }
    };
    let Some(second) = (2..words.len()).find(begins_second) else { return words };
    let first = &words[..second];
    let looks = first.iter().any(|word| LOOKING.contains(&word.as_str()));
    let ends = [Intent::StopRun, Intent::ResumeRun, Intent::DeleteRun, Intent::DescribeRun];
    let is_wish = looks || ends.into_iter().any(|intent| are_said(intent, first));
    if is_wish { first } else { words }
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
            ("stop the loop", Intent::StopRun),
            ("pause the loop until the weekend is over", Intent::StopRun),
            ("please cancel the training", Intent::StopRun),
            ("stop the loop, it eats all my memory", Intent::StopRun),
            ("halt the data generation", Intent::StopRun),
            ("resume the loop", Intent::ResumeRun),
            ("delete the gate", Intent::DeleteRun),
        ] {
            let found = understand(text, &Context::default());
            assert_eq!(found.intent, intent, "{text}: {found:?}");
        }
        for (text, intent) in [
            ("show the last run, then delete it", Intent::RunStatus),
            ("stop run 5 and then delete it", Intent::StopRun),
            ("stop run 9 and resume run 8", Intent::StopRun),
            ("stop the last match and delete it", Intent::StopRun),
            ("show how the last sprt ended and delete it afterwards", Intent::RunStatus),
            ("compare the last two runs, but stop nothing", Intent::CompareRuns),
        ] {
            let found = understand(text, &Context::default());
            assert_eq!(found.intent, intent, "{text}: {found:?}");
        }
        let words = |text: &str| super::super::words::texts(text);
        assert!(!are_said(Intent::StopRun, &words("do not stop it")));
        assert!(are_said(Intent::Flip, &words("the other side")));
    }
}
