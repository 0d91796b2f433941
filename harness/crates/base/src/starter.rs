//! The starter of a run: a person, a page, or a service for continuous integration.

use crate::platform;

/// Environment variable that names the starter of a run; empty: it is not recorded.
pub const STARTED_BY: &str = "TENCH_STARTED_BY";

/// Most characters of a starter.
const MAX_LENGTH: usize = 200;

/// Services for continuous integration: the variable that each sets, its name, and the variable with the
/// person behind a job.
const SERVICES: [(&str, &str, &str); 5] = [
    ("GITHUB_ACTIONS", "GitHub Actions", "GITHUB_ACTOR"),
    ("GITLAB_CI", "GitLab CI", "GITLAB_USER_LOGIN"),
    ("BUILDKITE", "Buildkite", "BUILDKITE_BUILD_CREATOR"),
    ("JENKINS_URL", "Jenkins", "BUILD_USER_ID"),
    ("CI", "CI", "USER"),
];

/// Who starts a run in this process: `TENCH_STARTED_BY`, else a service with the person behind the job, else
/// `user@host`. `None`: unknown, or not to be recorded.
pub fn starter() -> Option<String> {
    starter_of(|name| std::env::var(name).ok(), account)
}

/// The starter of a run that a page starts.
pub fn page_starter() -> String {
    match starter() {
        Some(person) => format!("studio, {person}"),
        None => "studio".to_owned(),
    }
}

/// The starter by the variables of an environment, and the account of a process.
fn starter_of(
    variable: impl Fn(&str) -> Option<String>,
    account: impl Fn() -> Option<String>,
) -> Option<String> {
    if let Some(named) = variable(STARTED_BY) {
        return one_line(&named);
    }
    let set = |name: &str| variable(name).filter(|value| !value.is_empty() && value != "false");
    let service = SERVICES.iter().find(|(name, ..)| set(name).is_some());
    let starter = match service {
        Some((_, service, person)) => match set(person) {
            Some(person) => Some(format!("{service}, {person}")),
            None => Some((*service).to_owned()),
        },
        None => account(),
    };
    starter.and_then(|starter| one_line(&starter))
}

/// `user@host`, or the part of it that is known.
fn account() -> Option<String> {
    let parts = [platform::user_name(), platform::host_name()];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join("@"))
}

/// A text as one short line; `None` for an empty one.
fn one_line(text: &str) -> Option<String> {
    let words: Vec<&str> =
        text.split(|letter: char| letter.is_whitespace() || letter.is_control()).collect();
    let line = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let line: String = line.chars().take(MAX_LENGTH).collect();
    (!line.is_empty()).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_started_by_a_person_a_service_or_who_is_named() {
        for (variables, expected) in [
            (&[][..], Some("ann@box")),
            (&[("CI", "true")], Some("CI")),
            (&[("CI", "false")], Some("ann@box")),
            (
                &[("CI", "true"), ("GITHUB_ACTIONS", "true"), ("GITHUB_ACTOR", "bob")],
                Some("GitHub Actions, bob"),
            ),
            (&[("GITLAB_CI", "true"), ("GITLAB_USER_LOGIN", "eve")], Some("GitLab CI, eve")),
            (&[("GITLAB_CI", "true"), ("GITLAB_USER_LOGIN", "")], Some("GitLab CI")),
            (&[(STARTED_BY, "night tests\n of\tbob"), ("CI", "true")], Some("night tests of bob")),
            (&[(STARTED_BY, "")], None),
            (&[(STARTED_BY, " \u{7} ")], None),
        ] {
            let variable = |name: &str| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            let starter = starter_of(variable, || Some("ann@box".to_owned()));
            assert_eq!(starter.as_deref(), expected, "{variables:?}");
        }
        assert_eq!(one_line(&"x".repeat(5_000)).map(|line| line.len()), Some(MAX_LENGTH));
    }
}
