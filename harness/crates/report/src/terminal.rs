//! The result of a match or an SPRT for people, at most 100 columns wide.

use std::fmt::Write;

use super::race_text::{evidence_note, parts_text, race_text};
use super::ratings::standings_text;
pub use super::table::{WIDTH, table, wrap, wrap_indented};
use super::text::{
    duration, grouped, headline, percent, plain_nelo, remaining_text, scaled_limit,
    sequential_text, verdict_word,
};
use harness_outcome::MatchSummary;
use harness_outcome::{elo_text, openbench_block};

/// The result of a match or an SPRT: OpenBench's block for commit messages, then the rest.
pub fn match_text(summary: &MatchSummary) -> String {
    let mut text = String::new();
    if let Some(tournament) = &summary.tournament {
        text += &tournament.text();
        text.push('\n');
    }
    if let Some(race) = &summary.race {
        text += &race_text(race);
        text += &evidence_note(race).map(|note| wrap(&note)).unwrap_or_default();
        text.push('\n');
    }
    if !summary.players.is_empty() {
        text += &players(summary);
        text.push('\n');
    }
    text += &openbench_block(summary);
    text.push('\n');
    let mut line = |label: &str, value: &str| {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{label:<5} | {value}");
    };
    line("nElo", &elo_text(summary.nelo, summary));
    if let Some(plain) = plain_nelo(summary) {
        line("Plain", &format!("nElo {plain}"));
    }
    if let Some(sequential) = &summary.sequential {
        line(
            "Seq",
            &format!(
                "{} (Elo, unbiased by the stop)",
                sequential_text(sequential, summary.stopped)
            ),
        );
    }
    if let Some(remaining) = summary.remaining.as_ref().and_then(remaining_text) {
        line("Left", &format!("{remaining}, at the Elo so far"));
    }
    // Of several players the matrix has the likelihoods of superiority.
    if summary.players.is_empty() {
        line("LOS", &percent(summary.los));
    }
    let pairs_ratio = summary.pairs_ratio.map_or_else(|| "–".to_owned(), |r| format!("{r:.2}"));
    line("Pairs", &format!("drawn {}, won over lost {pairs_ratio}", percent(summary.draw_ratio)));
    line("Ended", &terminations(summary));
    match &summary.race {
        Some(race) => line("Time", &parts_text(summary, race)),
        None => line("Time", &duration(summary.seconds)),
    }
    if summary.reference_nps.is_some() {
        line("Limit", &scaled_limit(&summary.facts.limit, summary.reference_nps));
    }
    if let (Some(openings), Some(seed)) = (&summary.facts.openings, summary.facts.seed) {
        line("Seed", &format!("{seed} ({openings})"));
    }
    line("Run", &summary.run);
    for warning in &summary.warnings {
        text += &wrap(&format!("\nwarning: {warning}"));
    }
    let verdict = summary.verdict.map_or_else(String::new, |verdict| {
        let word = verdict_word(verdict);
        format!("{}: ", word.to_uppercase())
    });
    text + &wrap(&format!("\n{verdict}{}", headline(summary)))
}

/// `checkmate 812, repetition 400, time forfeit 2`, the most frequent first.
fn terminations(summary: &MatchSummary) -> String {
    let mut kinds: Vec<(&String, &u64)> =
        summary.terminations.iter().filter(|(_, count)| **count > 0).collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let kinds: Vec<String> = kinds
        .into_iter()
        .map(|(kind, count)| format!("{} {}", kind.replace('_', " "), grouped(*count)))
        .collect();
    if kinds.is_empty() { "–".to_owned() } else { kinds.join(", ") }
}

fn players(summary: &MatchSummary) -> String {
    let standings = standings_text(&summary.players);
    if let Some(race) = &summary.race {
        let part = match &race.final_candidate {
            Some(candidate) => format!("The final, {candidate} against {}:", race.base),
            None => "The final:".to_owned(),
        };
        return format!("{standings}\n{part}\n");
    }
    let name = summary.facts.engines.first().map_or("?", |engine| engine.name.as_str());
    format!("{standings}\n{name} against all others:\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_outcome::{Estimate, MatchSummary};
    use serde_json::json;

    fn summary() -> MatchSummary {
        serde_json::from_value(json!({
            "run": "20261121-143015-sprt", "games": 3112, "wins": 851, "draws": 1522,
            "losses": 739, "pentanomial": [55, 330, 722, 371, 78],
            "elo": { "value": 12.51, "error95": 8.3 }, "nelo": { "value": 18.0, "error95": 12.2 },
            "los": 0.998, "llr": 2.95, "bounds": [-2.94, 2.94], "verdict": "accepted",
            "terminations": { "checkmate": 2000, "threefold_repetition": 1112, "crash": 0 },
            "seconds": 725.0, "command": "sprt", "limit": "tc=8+0.08", "games_asked": null,
            "engines": [
                { "name": "new", "what": "git", "options": { "Hash": "16", "Threads": "1" } },
                { "name": "old", "what": "git", "options": { "Hash": "16", "Threads": "2" } },
            ],
            "openings": null, "jobs": 2, "seed": 1, "command_line": null,
            "sprt": {
                "model": "normalized", "elo0": 0.0, "elo1": 5.0, "alpha": 0.05, "beta": 0.05
            },
        }))
        .expect("the documented keys")
    }

    #[test]
    fn a_finished_test_begins_with_the_block_people_paste() {
        let text = match_text(&summary());
        let expected = "\
Elo   | 12.51 +- 8.30 (95%)
SPRT  | 8.0+0.08s Hash=16MB
LLR   | 2.95 (-2.94, 2.94) [0.00, 5.00]
Games | N: 3112 W: 851 L: 739 D: 1522
Penta | [55, 330, 722, 371, 78]
";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.contains("ACCEPTED: "), "{text}");
        assert!(text.contains("Ended | checkmate 2,000, threefold repetition 1,112\n"), "{text}");
    }

    #[test]
    fn no_line_is_wider_than_a_hundred_columns() {
        let mut summary = summary();
        summary.facts.engines[0].name = "a name that goes on ".repeat(4);
        summary.warnings = vec!["something that one should know ".repeat(9)];
        for line in match_text(&summary).lines() {
            assert!(line.chars().count() <= usize::from(WIDTH), "{line}");
        }
    }

    #[test]
    fn unknown_numbers_are_not_zeros() {
        let mut summary = summary();
        summary.elo = Estimate::default();
        summary.los = None;
        let text = match_text(&summary);
        assert!(text.contains("Elo   | ? +- ? (95%)") && text.contains("LOS   | –"), "{text}");
        summary.elo_undefined = Some("every game was won".to_owned());
        let text = match_text(&summary);
        assert!(text.contains("Elo   | none: every game was won\n"), "{text}");
    }
}
