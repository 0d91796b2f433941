//! A gate's report for people and for CI.

use super::checks::{Report, Verdict};
use crate::report::terminal;
use crate::report::text::duration;

pub(super) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "passed",
        Verdict::Failed => "FAILED",
        Verdict::Undecided => "undecided",
    }
}

/// For the terminal.
pub fn table(report: &Report) -> String {
    let rows = report.checks.iter().map(|check| {
        let (verdict, seconds) = (word(check.verdict).to_owned(), duration(check.seconds));
        vec![check.name.clone(), verdict, seconds, check.detail.clone()]
    });
    let text = terminal::table(["Check", "Verdict", "Time", "What was seen"], rows, 9);
    format!("{text}\n{} against {}: {}\n", report.revision, report.base, word(report.verdict))
}

/// For a pull request or a job's summary.
pub fn markdown(report: &Report) -> String {
    let mut text = format!(
        "### Gate {}\n\n`{}` against `{}`\n\n| check | verdict | time | what was seen |\n\
         |---|---|---|---|\n",
        word(report.verdict),
        report.revision,
        report.base
    );
    for check in &report.checks {
        let detail = check.detail.replace('|', "\\|").replace('\n', " ");
        let (verdict, seconds) = (word(check.verdict), duration(check.seconds));
        text += &format!("| {} | {verdict} | {seconds} | {detail} |\n", check.name);
    }
    text
}

/// GitHub's workflow commands, which set failures beside the change.
pub fn annotations(report: &Report) -> String {
    let failed = report.checks.iter().filter(|check| check.verdict != Verdict::Passed);
    failed
        .map(|check| {
            let kind = if check.verdict == Verdict::Failed { "error" } else { "warning" };
            // As GitHub's toolkit escapes data.
            let detail = check.detail.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
            format!("::{kind} title=gate: {}::{detail}\n", check.name)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::checks::Result;
    use super::*;

    #[test]
    fn failures_are_annotated_and_everything_is_in_the_table() {
        let check = |name: &str, verdict, detail: &str| Result {
            name: name.to_owned(),
            verdict,
            detail: detail.to_owned(),
            measured: None,
            seconds: 1.0,
        };
        let report = Report {
            run: None,
            commit: None,
            verdict: Verdict::Failed,
            revision: "HEAD".to_owned(),
            base: "main".to_owned(),
            checks: vec![
                check("bench", Verdict::Passed, "5 nodes"),
                check("speed", Verdict::Failed, "50 % | slow\nvery"),
            ],
        };
        assert_eq!(annotations(&report), "::error title=gate: speed::50 %25 | slow%0Avery\n");
        assert!(markdown(&report).contains("| speed | FAILED | 1.0 s | 50 % \\| slow very |"));
        assert!(table(&report).contains("HEAD against main: FAILED"));
    }
}
