//! A rating on a known scale, for the terminal.

use super::table::{table, wrap};
use super::text::grouped;
use harness_outcome::rating::{RatingReport, ReferenceRow};
use harness_stats::signed;

/// The rating in a line: `2,812 ± 19 (CCRL Blitz)`.
pub fn rating_line(report: &RatingReport) -> String {
    let list = if report.list.is_empty() { "" } else { &report.list };
    match (report.rating.value, report.rating.error95) {
        (Some(value), Some(error)) => format!("{value:.0} ± {error:.0} ({list})"),
        _ => report.rating_undefined.clone().unwrap_or_else(|| "no rating yet".to_owned()),
    }
}

fn row(row: &ReferenceRow) -> Vec<String> {
    let published = match row.reference.error {
        error if error > 0.0 => format!("{:.0} ± {error:.0}", row.reference.rating),
        _ => format!("{:.0}", row.reference.rating),
    };
    let performance = match (row.performance.value, row.performance.error95) {
        (Some(value), Some(error)) => format!("{} ± {error:.0}", signed(value, 0)),
        _ => "–".to_owned(),
    };
    vec![
        row.reference.name.clone(),
        row.reference.version.clone(),
        published,
        grouped(row.games),
        format!("{} – {} – {}", row.wins, row.draws, row.losses),
        performance,
    ]
}

/// The rating, its parts, and the games with each reference.
pub fn rating_text(report: &RatingReport) -> String {
    let mut text = format!(
        "{}: {}, {} games at {}\n\n",
        report.engine,
        rating_line(report),
        grouped(report.games),
        report.limit
    );
    let header = ["Reference", "Version", "Published", "Games", "W – D – L", "Shows"];
    text += &table(header, report.references.iter().map(row), 2);
    text.push('\n');
    if let (Some(games), Some(references)) = (report.games95, report.references95) {
        text += &wrap(&format!(
            "Of the error ± {games:.0} is that of the games and ± {references:.0} that of the published ratings."
        ));
    }
    if let Some(factor) = report.disagreement.filter(|factor| *factor > 1.05) {
        text += &wrap(&format!(
            "The references disagree by more than their errors: both are widened by {factor:.2}."
        ));
    }
    if !report.reached {
        text += &wrap(&format!(
            "The interval is wider than ± {:.0}: {}.",
            report.wanted_error95,
            missing(report)
        ));
    }
    text += &wrap(
        "A rating list has its own time control, hardware and books: at other ones this is an estimate on \
         its scale.",
    );
    text
}

fn missing(report: &RatingReport) -> String {
    match report.references95 {
        Some(own) if own >= report.wanted_error95 => {
            "games cannot make it narrower, since that is the error of the references; add others with \
             --references"
                .to_owned()
        }
        Some(_) => "more games make it narrower (--max-games)".to_owned(),
        None => "there is no rating without points won and lost; add references that are nearer".to_owned(),
    }
}
