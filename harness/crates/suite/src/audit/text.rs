//! An audit for people, at most 100 columns wide.

use std::fmt::Write;

use super::super::text::{push, table, words};
use super::finding::{Audit, Evidence, FindingKind, Opinion};
use harness_player::Score;

/// Renders an audit.
pub fn text(audit: &Audit) -> String {
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
    let _ = writeln!(
        text,
        "{} illegal, {} duplicate, {} unsolvable, {} unsound, {} ambiguous, in {seconds:.1} s",
        counts.illegal, counts.duplicate, counts.unsolvable, counts.unsound, counts.ambiguous
    );
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
    }
}

/// Both scores, that of the suite's moves first.
pub(super) fn compared(evidence: &Evidence, names_moves_to_find: bool) -> String {
    let Evidence { nodes, solving, failing } = evidence;
    if names_moves_to_find {
        format!("{}, but {} ({nodes} nodes)", opinion(solving), opinion(failing))
    } else {
        format!("{}, to be avoided, and {} ({nodes} nodes)", opinion(failing), opinion(solving))
    }
}

/// `Qd1+ +3.20`, `Rxb7 mates in 3`
fn opinion(opinion: &Opinion) -> String {
    let score = match opinion.score {
        Score::Centipawns(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        Score::Mate(moves) if moves > 0 => format!("mates in {moves}"),
        Score::Mate(moves) => format!("is mated in {}", moves.unsigned_abs()),
    };
    format!("{} {score}", opinion.san)
}
