//! Results in Markdown, for pull requests and notes.

use super::race_text::{evidence_note, leaving};
use super::text::{
    duration, grouped, headline, percent, plain_nelo, points, remaining_text, scaled_limit,
    sequential_text, sprt_text, verdict_word,
};
use crate::mermaid;
use harness_outcome::{
    CurvePoint, Estimate, MatchSummary, RaceSummary, SuiteReport, openbench_block,
};
use harness_stats::signed;

/// A match or an SPRT, with a chart of its course.
pub fn match_markdown(summary: &MatchSummary, curve: &[CurvePoint]) -> String {
    let facts = &summary.facts;
    let names: Vec<String> = facts.engines.iter().map(|engine| escaped(&engine.name)).collect();
    let mut text = match &summary.race {
        Some(race) => format!("## Race against {}\n\n", escaped(&race.base)),
        None => format!("## {}\n\n", names.join(" vs ")),
    };
    if let Some(verdict) = summary.verdict {
        text += &format!("**{}.** ", verdict_word(verdict));
    }
    text += &format!("{}\n\n", escaped(&headline(summary)));
    for warning in &summary.warnings {
        text += &format!("> **Warning**: {}\n\n", escaped(warning));
    }
    let estimate = |estimate: Estimate| format!("{estimate:.2}").replace("+-", "±");
    let mut row = |name: &str, value: &str| text += &format!("| {name} | {value} |\n");
    row("", "");
    row("---", "---");
    match &summary.elo_undefined {
        Some(reason) => row("Elo (95 %)", &format!("none: {}", escaped(reason))),
        None => {
            row("Elo (95 %)", &estimate(summary.elo));
            row("Normalized Elo (95 %)", &estimate(summary.nelo));
            if let Some(plain) = plain_nelo(summary) {
                row("Normalized Elo, plain", &plain);
            }
        }
    }
    if let Some(sequential) = &summary.sequential {
        row("Elo, unbiased by the stop", &escaped(&sequential_text(sequential, summary.stopped)));
    }
    // Of several players the ratings show it.
    if summary.players.is_empty() {
        row("LOS", &percent(summary.los));
    }
    if let (Some(llr), Some([lower, upper])) = (summary.llr, summary.bounds) {
        row("LLR", &format!("{} in ({lower:.2}, {upper:.2})", signed(llr, 2)));
    }
    if let Some(remaining) = summary.remaining.as_ref().and_then(remaining_text) {
        row("Left, at the Elo so far", &remaining);
    }
    if let Some(sprt) = &facts.sprt {
        row("Test", &sprt_text(sprt));
    }
    let MatchSummary { wins, draws, losses, pentanomial, .. } = summary;
    row("Games", &format!("{}: +{wins} ={draws} -{losses}", grouped(summary.games)));
    row("Pentanomial", &format!("{pentanomial:?}"));
    row("Limit", &escaped(&scaled_limit(&facts.limit, summary.reference_nps)));
    row("Time", &duration(summary.seconds));
    row("Run", &escaped(&summary.run));
    text += &format!("\n```\n{}```\n", openbench_block(summary));
    let chart = match summary.bounds {
        Some(bounds) => mermaid::llr_chart(curve, bounds),
        None => mermaid::elo_chart(curve),
    };
    text.extend(chart.map(|chart| format!("\n{chart}")));
    text += &summary.race.as_ref().map(race_markdown).unwrap_or_default();
    if !summary.players.is_empty() {
        text += "\n| Player | Elo (95 %) | Points | Games |\n| --- | ---: | ---: | ---: |\n";
        for player in &summary.players {
            let name = escaped(&player.name);
            let elo = estimate(player.elo);
            text += &format!("| {name} | {elo} | {} | {} |\n", player.points, player.games);
        }
    }
    text
}

/// The heats of a race.
fn race_markdown(race: &RaceSummary) -> String {
    let mut text =
        "\n| Place | Runner | Games | Score | Evidence | Left the heats |\n| ---: | --- | ---: | \
                    ---: | ---: | --- |\n"
            .to_owned();
    for (place, runner) in (1..).zip(&race.runners) {
        let base = if runner.is_base { " (base)" } else { "" };
        let score = runner.score.map_or("–".to_owned(), |score| percent(Some(score)));
        let evidence = runner.evidence.map_or("–".to_owned(), |evidence| signed(evidence, 2));
        text += &format!(
            "| {place} | {}{base} | {} | {score} | {evidence} | {} |\n",
            escaped(&runner.name),
            grouped(runner.games),
            escaped(&leaving(race, runner))
        );
    }
    let note = evidence_note(race).map(|note| format!("\n{note}\n"));
    let chart = mermaid::evidence_chart(race).map(|chart| format!("\n{chart}"));
    text + &note.unwrap_or_default() + &chart.unwrap_or_default()
}

/// A suite.
pub fn suite_markdown(report: &SuiteReport) -> String {
    let first = &report.first;
    let title = first.title.as_deref().unwrap_or(&first.suite);
    let mut text = format!("## {}\n\n{} a position\n\n", escaped(title), escaped(&first.limit));
    text += "| Engine | Solved | Score | Time |\n| --- | ---: | ---: | ---: |\n";
    for engine in report.engines() {
        text += &format!(
            "| {} | {} of {} | {} of {} | {} |\n",
            escaped(&engine.engine),
            engine.solved,
            engine.positions,
            points(engine.score),
            points(engine.max_score),
            duration(engine.seconds)
        );
    }
    for engine in report.engines() {
        if engine.solved == engine.positions {
            continue;
        }
        text += &format!("\nMissed by {}:\n\n", escaped(&engine.engine));
        text += "| Position | Played | Expected | FEN |\n| --- | --- | --- | --- |\n";
        for result in engine.missed() {
            let expected = if result.expected.is_empty() {
                format!("not {}", result.avoid.join(", "))
            } else {
                result.expected.join(", ")
            };
            let played = result.san.as_deref().or(result.fault.as_deref()).unwrap_or("no move");
            text += &format!(
                "| {} | {} | {} | `{}` |\n",
                escaped(&result.id),
                escaped(played),
                escaped(&expected),
                result.fen.replace(['`', '|'], "")
            );
        }
    }
    text += &format!("\nRun {}\n", escaped(&first.run));
    text
}

/// Text that Markdown shows as it is, also within a table.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => escaped.push(' '),
            '<' => escaped.push_str("&lt;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '#' => escaped.extend(['\\', letter]),
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_shown_as_it_is() {
        assert_eq!(escaped("a|b <i> *c*\nd"), "a\\|b &lt;i> \\*c\\* d");
    }
}
