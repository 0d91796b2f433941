//! Head of a run's page: its engines with the subjects of their commits, the limit, the command line.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

use maud::{Markup, html};
use serde_json::Value;

use harness_base::sync::lock;
use harness_ledger::RunFacts;
use harness_player::{commit_words, git_here, is_same_commit};
use harness_report::html::command_words;
use harness_runs::kinds;

/// An engine of a plan.
#[derive(Debug, PartialEq, Eq)]
struct PlannedEngine {
    name: String,
    /// `builtin`, a path, `git 1a2b3c4 (HEAD~1)`; empty if it says no more than the name.
    what: String,
    /// The hash of its commit.
    commit: Option<String>,
}

/// The card with which the page of a run begins.
pub fn about(run: &RunFacts) -> Markup {
    let engines = engines(&run.plan);
    let commits: Vec<&String> =
        engines.iter().filter_map(|engine| engine.commit.as_ref()).collect();
    let limit = kinds::limit_in_words(&run.command, &run.plan);
    let line = kinds::starting_line(run);
    html! {
        @if !engines.is_empty() || line.is_some() || run.started_by.is_some() {
            dl.about {
                @for engine in &engines {
                    div {
                        dt { "Engine" }
                        dd {
                            strong { (engine.name) }
                            @if !engine.what.is_empty() { " " code { (engine.what) } }
                            @if let Some(subject) = engine.commit.as_deref().and_then(subject) { " " (subject) }
                        }
                    }
                }
                @if let [one, other, ..] = commits[..] {
                    @if one != other {
                        div { dt { "Difference" } dd { (difference(other, one)) } }
                    }
                }
                @if let Some(starter) = &run.started_by { div { dt { "Started by" } dd { (starter) } } }
                @if !limit.is_empty() { div { dt { "Limit" } dd { (limit) } } }
                @if let Some(line) = &line { div { dt { "Command" } dd { code { (command_words(line)) } } } }
            }
        }
    }
}

/// The engines of a plan: objects in that of a match, texts in that of a suite, one in that of a tuning.
fn engines(plan: &Value) -> Vec<PlannedEngine> {
    let text = |value: &Value, key: &str| {
        value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let read = |value: &Value| {
        let name = value.as_str().map_or_else(|| text(value, "name"), str::to_owned);
        let what = text(value, "what");
        let what = if what.is_empty() { revision_of(value).unwrap_or_default() } else { what };
        let commit = commit_of(&what);
        // A name that is the hash itself says it.
        let is_named = commit.as_deref().is_some_and(|commit| is_same_commit(commit, &name));
        let what = if what == name || is_named { String::new() } else { what };
        let name = commit.clone().filter(|_| is_named).unwrap_or(name);
        (!name.is_empty()).then_some(PlannedEngine { name, what, commit })
    };
    let listed = plan.pointer("/facts/engines").and_then(Value::as_array);
    let resolved = plan.get("engines").and_then(Value::as_array);
    match (listed, resolved, plan.get("engine")) {
        // The facts of a suite have names alone.
        (Some(facts), Some(engines), _)
            if facts.len() == engines.len() && facts.iter().all(Value::is_string) =>
        {
            engines.iter().filter_map(read).collect()
        }
        (Some(list), ..) | (None, Some(list), _) => list.iter().filter_map(read).collect(),
        (None, None, Some(one)) => read(one).into_iter().collect(),
        (None, None, None) => Vec::new(),
    }
}

/// `git 1a2b3c4d5e (HEAD~1)` of an engine that was built from a revision.
fn revision_of(engine: &Value) -> Option<String> {
    let revision = engine.pointer("/program/executable/revision")?;
    let field = |name: &str| revision.get(name).and_then(Value::as_str);
    let commit = field("commit")?;
    Some(commit_words(commit, field("asked")))
}

/// The hash in `git 1a2b3c4 (HEAD~1)`.
fn commit_of(what: &str) -> Option<String> {
    let hash = what.strip_prefix("git ")?.split([' ', ',']).next()?;
    let is_hash =
        (7..=40).contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| hash.to_owned())
}

/// The first line of a commit's message; `None` outside its repository. A page is rendered often, and
/// a commit never changes.
fn subject(commit: &str) -> Option<String> {
    static KNOWN: OnceLock<Mutex<HashMap<String, Option<String>>>> = OnceLock::new();
    let known = KNOWN.get_or_init(Mutex::default);
    if let Some(subject) = lock(known).get(commit) {
        return subject.clone();
    }
    let found = git_here(&["log", "-1", "--format=%s", commit]);
    let found = found.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    lock(known).insert(commit.to_owned(), found.clone());
    found
}

/// Difference of two commits: a page of the repository's host, or the command that shows it.
fn difference(from: &str, to: &str) -> Markup {
    static HOST: OnceLock<Option<String>> = OnceLock::new();
    let host = HOST.get_or_init(|| page_of_remote(&git_here(&["remote", "get-url", "origin"])?));
    html! {
        @match host {
            Some(host) => a href={ (host) "/compare/" (from) "..." (to) } rel="noreferrer" { (from) "..." (to) },
            None => code { "git diff " (from) ".." (to) },
        }
    }
}

/// The page of a repository on GitHub or GitLab by the address of its remote.
fn page_of_remote(remote: &str) -> Option<String> {
    let remote = remote.trim().trim_end_matches(".git");
    let (host, path) = match remote.strip_prefix("git@") {
        Some(rest) => rest.split_once(':')?,
        // What stands before an @ is secret.
        None => remote.strip_prefix("https://")?.rsplit('@').next()?.split_once('/')?,
    };
    ["github.com", "gitlab.com"].contains(&host).then(|| format!("https://{host}/{path}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn engines_are_read_of_plans_of_every_kind() {
        let engine = |name: &str, what: &str, commit: Option<&str>| PlannedEngine {
            name: name.to_owned(),
            what: what.to_owned(),
            commit: commit.map(str::to_owned),
        };
        for (plan, expected) in [
            (
                json!({ "facts": { "engines": [
                    { "name": "new", "what": "git 1a2b3c4d5e (HEAD)" }, { "name": "builtin", "what": "builtin" },
                ] } }),
                vec![
                    engine("new", "git 1a2b3c4d5e (HEAD)", Some("1a2b3c4d5e")),
                    engine("builtin", "", None),
                ],
            ),
            (
                json!({ "facts": { "engines": ["a", "b"] } }),
                vec![engine("a", "", None), engine("b", "", None)],
            ),
            (
                json!({ "facts": { "engines": ["HEAD", "b"] }, "engines": [
                    { "name": "HEAD", "program": { "executable": { "revision": {
                        "asked": "HEAD", "commit": "0f5ff0a6827f1e163549fe0056ce34906f78cbae" } } } },
                    { "name": "b", "program": "builtin" },
                ] }),
                vec![
                    engine("HEAD", "git 0f5ff0a682 (HEAD)", Some("0f5ff0a682")),
                    engine("b", "", None),
                ],
            ),
            (
                json!({ "engines": [
                    { "name": "0f5ff0a6827f1e163549fe0056ce34906f78cbae", "program": { "executable": { "revision": {
                        "asked": "0f5ff0a6827f1e163549fe0056ce34906f78cbae",
                        "commit": "0f5ff0a6827f1e163549fe0056ce34906f78cbae" } } } },
                    { "name": "new", "program": { "executable": { "revision": {
                        "asked": "0f5ff0a6", "commit": "0f5ff0a6827f1e163549fe0056ce34906f78cbae" } } } },
                ] }),
                vec![
                    engine("0f5ff0a682", "", Some("0f5ff0a682")),
                    engine("new", "git 0f5ff0a682", Some("0f5ff0a682")),
                ],
            ),
            (json!({ "engine": { "name": "a" } }), vec![engine("a", "", None)]),
            (json!({ "engine": "HEAD" }), vec![engine("HEAD", "", None)]),
            (json!({ "title": "x" }), vec![]),
        ] {
            assert_eq!(engines(&plan), expected, "{plan}");
        }
        // An option of git is no hash.
        assert_eq!(commit_of("git --output=x (HEAD)"), None);
    }

    #[test]
    fn the_page_of_a_remote_has_no_secret() {
        for (remote, page) in [
            ("https://github.com/a/b.git\n", Some("https://github.com/a/b")),
            ("git@github.com:a/b.git", Some("https://github.com/a/b")),
            ("https://user:key@gitlab.com/a/b", Some("https://gitlab.com/a/b")),
            ("/srv/b.git", None),
            ("https://example.org/b", None),
        ] {
            assert_eq!(page_of_remote(remote).as_deref(), page, "{remote}");
        }
    }
}
