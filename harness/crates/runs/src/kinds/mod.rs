//! The kinds of runs, each described in one file.
//!
//! A [`Kind`] is a table of everything that differs by kind: what lists, pages, the terminal and other
//! programs show of a run, and how it is resumed. [`KINDS`] is the registry. A new kind is a file here,
//! with its `KIND`, and its line in the registry; what it leaves out is that of [`Kind::PLAIN`].
//!
//! Events are passed on in the words of [`RunEvent`], the same for all kinds: who shows runs matches these
//! alone. A result is shown as an [`Outcome`].

pub mod bisect;
pub mod boards;
mod comparison;
mod event;
mod figures;
pub mod games;
pub mod gate;
pub mod generate;
pub mod history;
mod kind;
pub mod lichess;
pub mod loop_;
pub mod openings;
mod outcome;
pub mod recorded;
pub mod render;
mod running;
pub mod suite;
pub mod train;
pub mod tune;

use serde_json::Value;

pub use self::comparison::{Comparison, Curve, SolvedPositions};
pub use self::event::{Begun, Moment, RunEvent, RunSink};
pub use self::kind::{Form, Games, Kind};
pub use self::outcome::{Outcome, Workflow};
pub use self::running::{LiveState, Running, losses};
pub use crate::heads::{command_line, jobs};

use self::kind::Resume;
use harness_base::failure::Failure;
use harness_base::session::Session;
use harness_base::text::{counted, limit_words, shell_split, shell_words};
use harness_ledger::{Ledger, ListedRun, Resumed, RunFacts};

/// All kinds of runs.
pub static KINDS: &[&Kind] = &[
    &bisect::KIND,
    &generate::KIND,
    &recorded::IMPORT,
    &gate::KIND,
    &lichess::KIND,
    &loop_::KIND,
    &games::MATCH,
    &games::SPRT,
    &games::RACE,
    &boards::KIND,
    &recorded::BOOK,
    &openings::KIND,
    &suite::KIND,
    &recorded::AUDIT,
    &recorded::MADE_SUITE,
    &recorded::TEXEL,
    &train::KIND,
    &tune::KIND,
];

impl Kind {
    /// The kind that a command starts; `None` if this version does not know it.
    pub fn by_key(command: &str) -> Option<&'static Kind> {
        KINDS.iter().find(|kind| kind.key == command).copied()
    }
}

/// The kinds that a page may start, in the order of their forms.
pub fn with_forms() -> Vec<(&'static Kind, &'static Form)> {
    let mut forms: Vec<_> =
        KINDS.iter().filter_map(|kind| Some((*kind, kind.form.as_ref()?))).collect();
    forms.sort_by_key(|(_, form)| form.place);
    forms
}

/// The command that starts a run again: that of its plan, else that of the process that started it.
pub fn starting_line(run: &RunFacts) -> Option<String> {
    command_line(&run.plan).or_else(|| run.command_line.clone())
}

/// A command as it is typed: `tune texel`; one that this version does not know as the ledger has it.
pub fn command_words(command: &str) -> &str {
    Kind::by_key(command).map_or(command, |kind| kind.command())
}

/// A run in a few words: the engines of a match, the suite and its engines, what is tuned. May be empty.
pub fn title(command: &str, plan: &Value) -> String {
    Kind::by_key(command).map(|kind| (kind.title)(plan)).unwrap_or_default()
}

/// The limit of a run's searches; may be empty.
pub fn limit(command: &str, plan: &Value) -> String {
    (Kind::by_key(command).unwrap_or(&Kind::PLAIN).limit)(plan)
}

/// The same in words, as people read it.
pub fn limit_in_words(command: &str, plan: &Value) -> String {
    let of = if command == suite::KIND.key { "position" } else { "move" };
    limit_words(&limit(command, plan), of)
}

/// How a run of a command is continued that `harness resume` does not resume; `None`: that does.
pub fn continued_by(command: &str, plan: &Value) -> Option<String> {
    match &Kind::by_key(command)?.resume {
        Resume::By(_) => None,
        Resume::FromFiles { .. } => Some(continuing_line(plan)),
        Resume::Refused { help, .. } => Some((*help).to_owned()),
    }
}

/// The words of the command that continues a run from its files, the program first; `None` where
/// [`resume`] does it, or nothing.
pub fn continuing_words(command: &str, plan: &Value) -> Option<Vec<String>> {
    let Resume::FromFiles { .. } = Kind::by_key(command)?.resume else { return None };
    with_resume(plan)
}

/// The command of a run with `--resume`, which stands before arguments that are no flags whatever they begin with.
fn with_resume(plan: &Value) -> Option<Vec<String>> {
    const RESUME: &str = "--resume";
    let mut words = shell_split(&command_line(plan)?)?;
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    if !words[..end].iter().any(|word| word == RESUME) {
        words.insert(end, RESUME.to_owned());
    }
    Some(words)
}

/// The command that continues from files, in words.
fn continuing_line(plan: &Value) -> String {
    with_resume(plan).map_or_else(
        || "its command with `--resume` continues it".to_owned(),
        |words| format!("`{}` continues it", shell_words(words)),
    )
}

/// Whether a run has ended without what it was to do: work without a plan that stopped with an error.
pub fn failed(command: &str, summary: Option<&Value>) -> bool {
    let is_planned = Kind::by_key(command).is_none_or(Kind::is_planned);
    !is_planned && summary.is_some_and(|summary| summary["error"].is_string())
}

/// The result of a run in a line, or how much of it there is.
pub fn result_line(run: &ListedRun) -> String {
    let Some(summary) = &run.summary else {
        return match (run.games, run.positions) {
            (0, 0) if run.checks > 0 => counted(run.checks, "check", "checks"),
            (0, 0) => unfinished_line(run),
            (0, positions) => counted(positions, "position", "positions"),
            // Of a tuning run they would be those of values that change.
            (games, _) => match run.so_far.filter(|_| is_of_two_sides(&run.command)) {
                Some([wins, draws, losses]) => format!("{wins}-{draws}-{losses} so far"),
                None => counted(games, "game", "games"),
            },
        };
    };
    Kind::by_key(&run.command).map(|kind| (kind.result_line)(summary)).unwrap_or_default()
}

/// Whether wins and losses of a run are those of its first engine.
fn is_of_two_sides(command: &str) -> bool {
    [games::MATCH.key, games::SPRT.key].contains(&command)
}

/// Games or positions of a run and of its parts, else what other work has done: steps of a training, games of training data; may
/// be empty.
pub fn done_line(run: &ListedRun, parts: (u64, u64)) -> String {
    match (run.games + parts.0, run.positions + parts.1) {
        (0, 0) => {
            let kind = Kind::by_key(&run.command).filter(|kind| kind.is_recorded);
            kind.and_then(|_| recorded::done_in(&run.folder)).unwrap_or_default()
        }
        (0, positions) => counted(positions, "position", "positions"),
        (games, _) => counted(games, "game", "games"),
    }
}

/// How far a run came that is not finished, of one that has neither games nor positions in the ledger.
fn unfinished_line(run: &ListedRun) -> String {
    Kind::by_key(&run.command).map(|kind| (kind.unfinished_line)(&run.folder)).unwrap_or_default()
}

/// Resumes a run that ended early; `resumed` holds its lock.
///
/// # Errors
/// When this version does not know how, and as the command that started it.
pub fn resume(
    ledger: &Ledger,
    resumed: Resumed,
    session: &Session,
    sink: &RunSink<'_>,
) -> Result<Outcome, Failure> {
    let Resumed { run, command, plan } = resumed;
    let refused = |help: &str, reason: String| {
        Failure::Usage(miette::miette!(help = help.to_owned(), "{reason}"))
    };
    let Some(kind) = Kind::by_key(&command) else {
        let reason = format!("a run of `{command}` cannot be resumed");
        return Err(refused("a newer harness may know how", reason));
    };
    if session.on.is_some() && !kind.plays_elsewhere {
        tracing::warn!("a run of `{command}` continues here, without workers");
    }
    match kind.resume {
        Resume::By(resume) => resume(ledger, &run, plan, session, sink),
        Resume::FromFiles { reason } => Err(refused(&continuing_line(&plan), reason.to_owned())),
        Resume::Refused { reason, help } => Err(refused(help, reason.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_kind_has_a_key_and_its_form_a_place_of_its_own() {
        let keys: BTreeSet<&str> = KINDS.iter().map(|kind| kind.key).collect();
        assert_eq!(keys.len(), KINDS.len());
        let forms = with_forms();
        for ((kind, form), place) in forms.iter().zip(1..) {
            assert_eq!(form.place, place, "{}", kind.key);
            assert_eq!(form.command.split(' ').next(), Some(kind.key));
        }
        assert_eq!(forms.len(), 9);
    }

    #[test]
    fn commands_are_named_as_they_are_typed() {
        for (key, words) in [
            ("texel", "tune texel"),
            ("data-import", "data import"),
            ("sprt", "sprt"),
            ("new", "new"),
        ] {
            assert_eq!(command_words(key), words);
        }
        assert!(KINDS.iter().all(|kind| !kind.command().contains('-')));
    }

    #[test]
    fn work_of_files_is_continued_by_its_own_command_line() {
        let plan = |line: &str| serde_json::json!({ "command_line": line });
        for (key, line, expected) in [
            ("train", "harness train a.yaml", "`harness train a.yaml --resume` continues it"),
            (
                "data",
                "harness data generate --resume -o a.vf",
                "`harness data generate --resume -o a.vf` continues it",
            ),
            (
                "train",
                "harness --reports='a b' train -- a.yaml",
                "`harness '--reports=a b' train --resume -- a.yaml` continues it",
            ),
            (
                "data",
                "harness data generate -o a.vf -- --resume",
                "`harness data generate -o a.vf --resume -- --resume` continues it",
            ),
        ] {
            assert_eq!(continued_by(key, &plan(line)).as_deref(), Some(expected));
        }
        assert_eq!(continued_by("match", &plan("harness match a b")), None);
        assert_eq!(continuing_words("match", &plan("harness match a b")), None);
        let words = continuing_words("train", &plan("harness train a.yaml")).expect("from files");
        assert_eq!(words, ["harness", "train", "a.yaml", "--resume"]);
        assert!(continued_by("train", &Value::Null).is_some());
    }

    #[test]
    fn a_run_of_an_unknown_kind_shows_what_its_plan_has() {
        let plan = serde_json::json!({
            "facts": { "limit": "nodes=5", "engines": ["a"] }, "command_line": "harness new",
        });
        assert_eq!((title("new", &plan), limit("new", &plan)), (String::new(), "nodes=5".into()));
        assert_eq!(limit_in_words("new", &plan), "5 nodes a move");
        assert_eq!(limit_in_words("suite", &plan), "5 nodes a position");
        assert_eq!((command_line(&plan), jobs(&plan)), (Some("harness new".to_owned()), 1));
    }
}
