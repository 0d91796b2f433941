//! JUnit XML, which CI systems read.
//!
//! There is no standard, but a schema that Jenkins and others agree on:
//! <https://github.com/testmoapp/junitxml>.

/// One test.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// Its name.
    pub name: &'a str,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// How it ended.
    pub outcome: CaseOutcome<'a>,
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseOutcome<'a> {
    /// Passed; details.
    Passed(&'a str),
    /// Failed; why.
    Failed(&'a str),
    /// Failed first and passed when repeated; why it failed.
    Flaky(&'a str),
    /// Skipped; why.
    Skipped(&'a str),
}

/// A suite of tests as a whole file.
pub fn suite<'a>(name: &str, cases: impl IntoIterator<Item = Case<'a>>) -> String {
    let cases: Vec<Case<'_>> = cases.into_iter().collect();
    let count = |is_it: fn(&CaseOutcome<'_>) -> bool| {
        cases.iter().filter(|case| is_it(&case.outcome)).count()
    };
    let failures = count(|outcome| matches!(outcome, CaseOutcome::Failed(_)));
    let skipped = count(|outcome| matches!(outcome, CaseOutcome::Skipped(_)));
    let seconds: f64 = cases.iter().map(|case| case.seconds).sum();
    let name = escaped(name);
    let tests = cases.len();
    let numbers = format!(
        "tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" \
         time=\"{seconds:.3}\""
    );
    let body: String = cases.iter().map(|case| element(&name, case)).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {numbers}>\n  \
         <testsuite name=\"{name}\" {numbers}>\n{body}  </testsuite>\n</testsuites>\n"
    )
}

fn element(suite: &str, case: &Case<'_>) -> String {
    let name = escaped(case.name);
    let seconds = case.seconds;
    let inner = match case.outcome {
        CaseOutcome::Passed("") => String::new(),
        CaseOutcome::Passed(seen) => format!("<system-out>{}</system-out>", escaped(seen)),
        CaseOutcome::Failed(why) => format!("<failure message=\"{}\"/>", escaped(why)),
        // The element of Maven's Surefire, which Jenkins and GitLab read.
        CaseOutcome::Flaky(why) => format!("<flakyFailure message=\"{}\"/>", escaped(why)),
        CaseOutcome::Skipped(why) => format!("<skipped message=\"{}\"/>", escaped(why)),
    };
    format!(
        "    <testcase classname=\"{suite}\" name=\"{name}\" time=\"{seconds:.3}\">{inner}\
         </testcase>\n"
    )
}

/// Text escaped for XML; invalid characters become U+FFFD.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(' '),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            letter if letter.is_control() => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_counts_its_tests_and_holds_any_text() {
        let text = suite(
            "a<b>",
            [
                Case { name: "one", seconds: 0.25, outcome: CaseOutcome::Passed("") },
                Case {
                    name: "\"two\"",
                    seconds: 1.5,
                    outcome: CaseOutcome::Failed("a & b\u{1b}[31m"),
                },
                Case { name: "four", seconds: 0.0, outcome: CaseOutcome::Flaky("once") },
                Case { name: "three", seconds: 0.0, outcome: CaseOutcome::Skipped("none") },
            ],
        );
        let numbers = "tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"1.750\"";
        assert_eq!(text.matches(numbers).count(), 2, "{text}");
        for part in [
            "classname=\"a&lt;b&gt;\" name=\"one\" time=\"0.250\"></testcase>",
            "name=\"&quot;two&quot;\"",
            "<flakyFailure message=\"once\"/>",
            "<failure message=\"a &amp; b\u{fffd}[31m\"/>",
            "<skipped message=\"none\"/>",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }
}
