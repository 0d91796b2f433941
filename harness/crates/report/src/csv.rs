//! Comma-separated values (RFC 4180), for spreadsheets and data frames.

use harness_outcome::{SuiteReport, SuiteResult};

/// One line; fields are quoted where they must be.
pub fn line<S: AsRef<str>>(fields: impl IntoIterator<Item = S>) -> String {
    let fields: Vec<String> = fields.into_iter().map(|field| quoted(field.as_ref())).collect();
    fields.join(",") + "\n"
}

fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

/// The columns of a suite: name and value.
type Column = (&'static str, fn(&SuiteResult) -> String);
const SUITE: [Column; 15] = [
    ("id", |result| result.id.clone()),
    ("solved", |result| result.solved.to_string()),
    ("move", |result| text(&result.r#move)),
    ("san", |result| text(&result.san)),
    ("expected", |result| result.expected.join(" ")),
    ("avoid", |result| result.avoid.join(" ")),
    ("score", |result| result.score.to_string()),
    ("max_score", |result| result.max_score.to_string()),
    ("time_ms", |result| result.time_ms.to_string()),
    ("nodes", |result| text(&result.nodes)),
    ("depth", |result| text(&result.depth)),
    ("found_ms", |result| text(&result.found_ms)),
    ("theme", |result| text(&result.theme)),
    ("fault", |result| text(&result.fault)),
    ("fen", |result| result.fen.clone()),
];

fn text<T: ToString>(value: &Option<T>) -> String {
    value.as_ref().map_or_else(String::new, T::to_string)
}

/// A line a position and engine.
pub fn suite(report: &SuiteReport) -> String {
    let mut text = line(["engine"].into_iter().chain(SUITE.map(|(name, _)| name)));
    for engine in report.engines() {
        for result in &engine.results {
            let cells = SUITE.map(|(_, value)| value(result));
            text += &line([engine.engine.clone()].into_iter().chain(cells));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_with_separators_are_quoted() {
        assert_eq!(line(["a", "b c", ""]), "a,b c,\n");
        assert_eq!(line(["a,b", "say \"hi\"", "x\ny"]), "\"a,b\",\"say \"\"hi\"\"\",\"x\ny\"\n");
    }
}
