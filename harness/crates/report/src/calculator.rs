//! Results of `harness stats` and `harness sprt --plan`, as text.

use super::terminal::table;
use super::text::{
    plain_nelo_text, plus, remaining_text, sequential_text, two_digits, verdict_word,
};
use harness_stats::{Method, Model, Sprt, SprtPlan, SprtSpread, Summary, Verdict, Wdl, signed};

/// The pass probability and the expected games of a test over a range of true differences.
pub fn sprt_plan_text(plan: &SprtPlan) -> String {
    let Sprt { model, elo0, elo1, alpha, beta } = plan.sprt;
    let unit = unit(model);
    let mut text = format!("SPRT [{elo0}, {elo1}] {unit}, alpha {alpha}, beta {beta}\n");
    for SprtSpread { draw_ratio, expectations, .. } in &plan.plans {
        let rows = expectations.iter().map(|expectation| {
            vec![
                plus(expectation.elo, 2),
                plus(expectation.nelo, 2),
                format!("{:.1} %", 100.0 * expectation.pass),
                format!("{:.0}", expectation.games),
            ]
        });
        let table = table(["True Elo", "True nElo", "Passes", "Games"], rows, 0);
        text += &format!("\n{:.0} % of games drawn\n{table}\n", 100.0 * draw_ratio);
    }
    text
}

/// The statistics of counts, a line each; `sprt` is the test that they are of.
pub fn summary_text(wdl: Option<&Wdl>, summary: &Summary, sprt: Option<&Sprt>) -> String {
    let or_reason = |number: Option<String>| {
        number.or_else(|| summary.elo_undefined.clone()).unwrap_or_else(|| "-".to_owned())
    };
    let mut lines = vec![("Games", summary.games.to_string())];
    if let Some(pairs) = &summary.pentanomial {
        lines.push(("Pairs", format!("{}  {pairs}  (score 0, 1/2, 1, 3/2, 2)", pairs.pairs())));
    }
    lines.extend(wdl.map(|wdl| ("Results", wdl.to_string())));
    lines.extend(summary.score.map(|score| ("Score", percent(score))));
    lines.push(("Elo", or_reason(summary.elo.map(|elo| format!("{elo}  (95 %)")))));
    lines.push(("nElo", or_reason(summary.nelo.map(|nelo| format!("{nelo}  (95 %)")))));
    let regularised = summary.nelo.filter(|nelo| nelo.method == Method::Dirichlet);
    lines.extend(regularised.map(|nelo| ("Plain nElo", plain_text(summary, nelo.plain))));
    lines.extend(summary.los.map(|los| ("LOS", percent(los))));
    let effect = summary.visible_effect.map(|elo| {
        format!(
            "about {} Elo is the smallest effect that this number of games shows",
            two_digits(elo)
        )
    });
    lines.extend(effect.map(|text| ("Visible", text)));
    lines.extend(summary.draw_ratio.map(|ratio| ("Draw ratio", percent(ratio))));
    lines.extend(summary.pairs_ratio.map(|ratio| ("Pairs ratio", format!("{ratio:.3}"))));
    if let Some(sprt) = sprt {
        let [lower, upper] = summary.bounds.unwrap_or_else(|| sprt.bounds());
        let llr = or_reason(summary.llr.map(|llr| signed(llr, 3)));
        let verdict = verdict_word(summary.verdict.unwrap_or(Verdict::Inconclusive));
        lines.push(("SPRT", format!("[{}, {}] {}", sprt.elo0, sprt.elo1, unit(sprt.model))));
        lines.push(("LLR", format!("{llr}  ({lower:.3}, {upper:.3})  {verdict}")));
        let sequential = summary.sequential.as_ref().map(sequential_text);
        let sequential = sequential.map(|text| format!("{text}  (Elo, unbiased by the stop)"));
        lines.push(("Sequential", or_reason(sequential)));
    }
    let remaining = summary.remaining.as_ref().and_then(remaining_text);
    lines.extend(remaining.map(|text| ("Left", format!("{text}, at the Elo so far"))));
    lines.iter().map(|(name, value)| format!("{name:<13}{value}\n")).collect()
}

fn plain_text(summary: &Summary, plain: f64) -> String {
    match &summary.pentanomial {
        Some(pairs) => plain_nelo_text(plain, pairs.pairs(), "pairs"),
        None => plain_nelo_text(plain, summary.games, "games"),
    }
}

fn unit(model: Model) -> &'static str {
    match model {
        Model::Logistic => "Elo",
        Model::Normalized => "nElo",
    }
}

/// Never 0 or 100 for a share that is only near.
fn percent(share: f64) -> String {
    match 100.0 * share {
        percent if percent > 99.99 && share < 1.0 => "> 99.99 %".to_owned(),
        percent if percent < 0.01 && share > 0.0 => "< 0.01 %".to_owned(),
        percent => format!("{percent:.2} %"),
    }
}
