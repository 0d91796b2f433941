//! An audit for people, at most 100 columns wide.

use std::fmt::Write;

use super::plain_table::{push, table, words};
use harness_outcome::audit::{Audit, FindingKind};

/// Renders an audit.
pub fn audit_text(audit: &Audit) -> String {
    let Audit { suite, engine, nodes, positions, counts, findings, seconds } = audit;
    let mut text = format!(
        "{suite}: {positions} positions, searched by {engine} with {nodes} nodes each time\n\n"
    );
    if !findings.is_empty() {
        let mut table = table(words(["Line", "Position", "Finding", "What is wrong"]), 4);
        for finding in findings {
            let line = finding.line.to_string();
            let kind = kind(finding.kind).to_owned();
            table.add_row([line, finding.id.clone(), kind, finding.what.clone()]);
        }
        push(&mut text, &table);
    }
    // Writing to a `String` cannot fail.
    let unscored = match counts.unscored {
        0 => String::new(),
        count => format!(", {count} unscored"),
    };
    let _ = writeln!(
        text,
        "{} illegal, {} duplicate, {} unsolvable, {} unsound, {} ambiguous{unscored}, in {seconds:.1} s",
        counts.illegal, counts.duplicate, counts.unsolvable, counts.unsound, counts.ambiguous
    );
    if counts.unscored > 0 {
        text += "Unscored are positions for which the engine answers without a score: give more --nodes.\n";
    }
    if counts.unsound + counts.ambiguous > 0 {
        text += "Unsound and ambiguous is what this engine takes for it; more --nodes see more.\n";
    }
    text
}

fn kind(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Illegal => "illegal",
        FindingKind::Duplicate => "duplicate",
        FindingKind::Unsolvable => "unsolvable",
        FindingKind::Unsound => "unsound",
        FindingKind::Ambiguous => "ambiguous",
        FindingKind::Unscored => "unscored",
    }
}
