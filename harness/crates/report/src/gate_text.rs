//! A gate's report for people and for CI.

use std::path::Path;

use super::junit;
use super::terminal;
use super::text::duration;
use harness_outcome::gate::{CheckResult, GateReport, Verdict};

/// The verdict as a word.
pub fn gate_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "passed",
        Verdict::Failed => "FAILED",
        Verdict::Undecided => "undecided",
    }
}

/// How a check ended, and what it counts as where that is not its verdict: `undecided (passes)`.
pub fn check_verdict(check: &CheckResult) -> String {
    let counts = match check.counts_as {
        Some(Verdict::Passed) => " (passes)",
        Some(Verdict::Failed) => " (fails)",
        _ => "",
    };
    format!("{}{counts}", gate_word(check.verdict))
}

/// For the terminal.
pub fn gate_text(report: &GateReport) -> String {
    let rows = report.checks.iter().map(|check| {
        vec![
            check.name.clone(),
            check_verdict(check),
            duration(check.seconds),
            check.detail.clone(),
        ]
    });
    let text = terminal::table(["Check", "Verdict", "Time", "What was seen"], rows, 9);
    format!("{text}\n{} against {}: {}\n", report.revision, report.base, gate_word(report.verdict))
}

/// For a pull request or a job's summary. `runs` is the folder of the runs, relative to the text:
/// each check links to the page of its run; without it the run is named.
pub fn gate_markdown(report: &GateReport, runs: Option<&Path>) -> String {
    let mut text = format!(
        "### Gate {}\n\n`{}` against `{}`\n\n| check | verdict | time | what was seen |\n\
         |---|---|---|---|\n",
        gate_word(report.verdict),
        report.revision,
        report.base
    );
    for check in &report.checks {
        let mut detail = check.detail.replace('|', "\\|").replace('\n', " ");
        if let Some(run) = &check.run {
            detail += &match runs {
                Some(runs) => format!(" ([{run}]({}/{run}/report.html))", runs.display()),
                None => format!(" (run `{run}`)"),
            };
        }
        let verdict = check_verdict(check);
        let seconds = duration(check.seconds);
        text += &format!("| {} | {verdict} | {seconds} | {detail} |\n", check.name);
    }
    text
}

/// GitHub's workflow commands, which annotate the change with failures.
pub fn gate_annotations(report: &GateReport) -> String {
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

/// As JUnit XML.
pub fn gate_junit(report: &GateReport) -> String {
    let cases = report.checks.iter().map(|check| junit::Case {
        name: &check.name,
        seconds: check.seconds,
        outcome: match check.verdict {
            Verdict::Passed => junit::CaseOutcome::Passed(&check.detail),
            Verdict::Failed => junit::CaseOutcome::Failed(&check.detail),
            Verdict::Undecided => junit::CaseOutcome::Skipped(&check.detail),
        },
    });
    junit::suite("gate", cases)
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_outcome::gate::overall;

    #[test]
    fn failures_are_annotated_and_everything_is_in_the_table() {
        let check = |name: &str, verdict, detail: &str| CheckResult {
            name: name.to_owned(),
            verdict,
            detail: detail.to_owned(),
            counts_as: None,
            measured: None,
            run: None,
            seconds: 1.0,
        };
        let report = GateReport {
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
        assert_eq!(gate_annotations(&report), "::error title=gate: speed::50 %25 | slow%0Avery\n");
        assert!(
            gate_markdown(&report, None)
                .contains("| speed | FAILED | 1.0 s | 50 % \\| slow very |")
        );
        assert!(gate_text(&report).contains("HEAD against main: FAILED"));
    }

    #[test]
    fn the_runs_of_checks_are_linked_and_what_is_undecided_says_what_it_counts_as() {
        let check = CheckResult {
            name: "sprt".to_owned(),
            verdict: Verdict::Undecided,
            counts_as: Some(Verdict::Passed),
            detail: "LLR 0".to_owned(),
            measured: None,
            run: Some("20261123-010203-sprt".to_owned()),
            seconds: 1.0,
        };
        let report = GateReport {
            run: None,
            commit: None,
            verdict: overall(std::slice::from_ref(&check)),
            revision: "HEAD".to_owned(),
            base: "main".to_owned(),
            checks: vec![check],
        };
        assert_eq!(report.verdict, Verdict::Passed);
        assert!(gate_text(&report).contains("undecided (passes)"), "{}", gate_text(&report));
        let linked = gate_markdown(&report, Some(Path::new("reports/runs")));
        assert!(linked.contains("](reports/runs/20261123-010203-sprt/report.html)"), "{linked}");
        assert!(gate_markdown(&report, None).contains("(run `20261123-010203-sprt`)"));
        let page = crate::html::gate_page(&report, crate::html::Shown::Finished).file();
        assert!(page.contains("href=\"../20261123-010203-sprt/report.html\""), "{page}");
    }
}
