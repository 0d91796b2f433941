//! Comma-separated values (RFC 4180), for spreadsheets and data frames.

use crate::outcome::SuiteReport;

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

/// A line a position and engine.
pub fn suite(report: &SuiteReport) -> String {
    const HEADER: &str = "engine,id,solved,move,san,expected,avoid,score,max_score,time_ms,nodes,\
                          depth,found_ms,theme,fault,fen\n";
    let mut text = HEADER.to_owned();
    for engine in report.engines() {
        for result in &engine.results {
            let number = |number: Option<u64>| number.map_or_else(String::new, |n| n.to_string());
            text += &line([
                engine.engine.clone(),
                result.id.clone(),
                result.solved.to_string(),
                result.r#move.clone().unwrap_or_default(),
                result.san.clone().unwrap_or_default(),
                result.expected.join(" "),
                result.avoid.join(" "),
                result.score.to_string(),
                result.max_score.to_string(),
                result.time_ms.to_string(),
                number(result.nodes),
                number(result.depth.map(u64::from)),
                number(result.found_ms),
                result.theme.clone().unwrap_or_default(),
                result.fault.clone().unwrap_or_default(),
                result.fen.clone(),
            ]);
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
