//! The course of a race, and the plan of one, as text.

use super::terminal::table;
use super::text::{duration, grouped, model_word, plus, rounded, sprt_text};
use harness_outcome::{MatchSummary, RaceRunner, RaceSummary};
use harness_stats::race::simulation::{Comparison, Cost, RacePlan, Scenario};
use harness_stats::{Sprt, Verdict};

/// The runners of a race, the best one first: what they scored in the heats, and how they left them.
pub fn race_text(race: &RaceSummary) -> String {
    let rows = (1..).zip(&race.runners).map(|(place, runner): (u32, _)| {
        let RaceRunner { name, games, score, evidence, .. } = runner;
        let name = if runner.is_base { format!("{name} (base)") } else { name.clone() };
        vec![
            place.to_string(),
            name,
            grouped(*games),
            score.map_or("–".to_owned(), |score| format!("{:.2} %", 100.0 * score)),
            evidence.map_or("–".to_owned(), |evidence| plus(evidence, 2)),
            leaving(race, runner),
        ]
    });
    let header = ["", "Runner", "Games", "Score", "Evidence", "Left the heats"];
    table(header, rows, 2)
}

/// How a runner left the heats.
pub(super) fn leaving(race: &RaceSummary, runner: &RaceRunner) -> String {
    match &runner.dropped {
        Some(out) => {
            let by = out.by.as_deref().unwrap_or("the field");
            format!("heat {}, {} games, by {by}", out.heat, grouped(out.games))
        }
        None if race.final_candidate.as_ref() == Some(&runner.name) => "for the final".to_owned(),
        None if runner.runs && race.runners.iter().filter(|one| one.runs).count() == 1 => {
            "as the best one".to_owned()
        }
        None if runner.runs => "runs".to_owned(),
        None => "did not run".to_owned(),
    }
}

/// Explanation of the evidence in the table and the chart.
pub(super) fn evidence_note(race: &RaceSummary) -> Option<String> {
    let drop_at = race.drop_at?;
    Some(format!(
        "Evidence: the logarithm of the e-value against a runner as the best one; it is dropped at {drop_at:.2}. \
         The best one is dropped with a probability of at most {:.2} %.",
        100.0 * race.heats_error
    ))
}

/// The result of a race in a sentence.
pub(super) fn race_headline(summary: &MatchSummary, race: &RaceSummary) -> String {
    let Sprt { model, elo0, elo1, .. } = race.test;
    let elo = format!("{} Elo", model_word(model));
    let base = &race.base;
    let candidates = race.runners.len().saturating_sub(1);
    let best = race.leader.as_deref().unwrap_or(base);
    let of = match candidates {
        1 => String::new(),
        _ => format!("the best of {candidates} candidates, and "),
    };
    match summary.verdict {
        Some(Verdict::Accepted) => format!(
            "{best} is {of}better than {base}: a difference of {elo1} {elo} fits the games of the final \
             better than one of {elo0}."
        ),
        Some(Verdict::Rejected) if race.leader.is_none() => {
            format!("No candidate is better than {base}, which was left alone in the heats.")
        }
        Some(Verdict::Rejected) if race.final_games == 0 => {
            format!(
                "No candidate is better than {base}: {best} is the same engine, and the best one."
            )
        }
        Some(Verdict::Rejected) => format!(
            "No candidate is better than {base}: for the best one, {best}, a difference of {elo0} {elo} fits \
             the games of the final better than one of {elo1}."
        ),
        verdict => {
            // A race that has not ended has no verdict.
            let undecided = if verdict.is_some() { "The race is undecided: " } else { "So far: " };
            if race.final_candidate.is_some() {
                format!("{undecided}the best one, {best}, is in the final against {base}.")
            } else {
                let left = race.runners.iter().filter(|runner| runner.runs).count();
                format!("{undecided}{left} runners are left, and {best} has most points.")
            }
        }
    }
}

/// Costs and error rates of a race and of other ways.
pub fn race_plan_text(plan: &RacePlan) -> String {
    let test = sprt_text(&plan.test);
    let mut text = format!(
        "{test}; {:.0} % of games drawn; {} simulated runs of each way\n",
        100.0 * plan.draw_ratio,
        grouped(plan.simulations)
    );
    for Comparison { scenario, costs } in &plan.comparisons {
        let race = costs.first().map_or(0.0, |cost| cost.games);
        let rows = costs.iter().map(|cost| cost_row(cost, race));
        let header = ["Way", "Games", "of the race's", "95 %", "False passes", "Misses"];
        let table = table(header, rows, 1);
        text += &format!("\n{}\n{table}", scenario_text(scenario, &plan.test));
    }
    text
}

fn scenario_text(scenario: &Scenario, test: &Sprt) -> String {
    let Scenario { candidates, good, others } = *scenario;
    let others = plus(others, 1);
    let noun = if candidates == 1 { "candidate" } else { "candidates" };
    match good {
        0 => format!("{candidates} {noun}, all at {others} Elo"),
        good if good == candidates => {
            format!("{candidates} {noun}, all at {} Elo", plus(test.elo1, 1))
        }
        good => format!(
            "{candidates} {noun}, {good} at {} Elo, the others at {others}",
            plus(test.elo1, 1)
        ),
    }
}

fn cost_row(cost: &Cost, race: f64) -> Vec<String> {
    let share = |share: f64| format!("{:.1} %", 100.0 * share);
    vec![
        cost.way.text().to_owned(),
        rounded(cost.games),
        format!("{:.2}", cost.games / race.max(1.0)),
        rounded(cost.games95),
        share(cost.false_passes),
        cost.missed.map_or("–".to_owned(), share),
    ]
}

/// `42,000 games in 1 h 3 min`, of both parts.
pub(super) fn parts_text(summary: &MatchSummary, race: &RaceSummary) -> String {
    let noun = if race.heats == 1 { "heat" } else { "heats" };
    format!(
        "{} games in {} {noun}, {} in the final, in {}",
        grouped(race.heats_games),
        grouped(race.heats),
        grouped(race.final_games),
        duration(summary.seconds)
    )
}
