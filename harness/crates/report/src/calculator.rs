//! Results of `harness stats` and `harness sprt --plan`, as text.

use super::terminal::table;
use super::text::{
    grouped, plain_nelo_text, plus, remaining_text, rule_text, sequential_text, two_digits,
    verdict_word,
};
use harness_stats::{
    Method, Model, Replayed, RulePlan, Sprt, SprtPlan, SprtSpread, SumRatio, Summary, TestTotals,
    Verdict, Wdl, signed,
};

/// The pass probability and the expected games of a test over a range of true differences.
pub fn sprt_plan_text(plan: &SprtPlan) -> String {
    let Sprt { model, elo0, elo1, alpha, beta, .. } = plan.sprt;
    let unit = unit(model);
    let rule = rule_text(&plan.sprt);
    let mut text = format!("SPRT [{elo0}, {elo1}] {unit}, alpha {alpha}, beta {beta}{rule}\n");
    for SprtSpread { draw_ratio, expectations, rules, .. } in &plan.plans {
        let elo = decimals(expectations.iter().map(|expectation| expectation.elo));
        let nelo = decimals(expectations.iter().map(|expectation| expectation.nelo));
        let rows = expectations.iter().map(|expectation| {
            vec![
                plus(expectation.elo, elo),
                plus(expectation.nelo, nelo),
                format!("{:.1} %", 100.0 * expectation.pass),
                format!("{:.1} %", 100.0 * expectation.undecided),
                grouped(expectation.games.round().max(0.0) as u64),
            ]
        });
        let header = ["True Elo", "True nElo", "Passes", "Undecided", "Games"];
        let table = table(header, rows, 0);
        text += &format!("\n{:.0} % of games drawn\n{table}\n", 100.0 * draw_ratio);
        text += &rules_text(rules, unit);
    }
    text + RULES_NOTE
}

/// Explanation of the rows of the forms of bounds.
const RULES_NOTE: &str = "
Mean games by the true difference, games that 95 of 100 tests half way do not exceed, error rates:
how often the test accepts at the first hypothesis, rejects at the second, ends without a verdict.
";

/// A test with each form of bounds, a column each: numbers of games may be long, and there are six at most.
fn rules_text(rules: &[RulePlan], unit: &str) -> String {
    let Some(first) = rules.first() else { return String::new() };
    let places = 10_f64.powi(decimals(first.courses.iter().map(|course| course.elo)) as i32);
    let at = |course: usize| {
        let elo = (places * first.courses[course].elo).round() / places;
        format!("{elo:+} {unit}")
    };
    let row = |name: String, cell: &dyn Fn(&RulePlan) -> String| {
        std::iter::once(name).chain(rules.iter().map(cell)).collect::<Vec<String>>()
    };
    let games = |games: f64| grouped(games.round().max(0.0) as u64);
    let share = |share: f64| format!("{:.2} %", 100.0 * share);
    let middle = first.courses.len() / 2;
    let mut rows: Vec<Vec<String>> = (0..first.courses.len())
        .map(|course| {
            row(format!("Games, {}", at(course)), &|rule| games(rule.courses[course].games))
        })
        .collect();
    rows.push(row(format!("95 %, {}", at(middle)), &|rule| games(rule.courses[middle].games95)));
    rows.push(row("At most".to_owned(), &|rule| grouped(rule.max_games)));
    rows.push(row(format!("Errs {}", at(1)), &|rule| share(rule.rates.alpha)));
    rows.push(row(format!("Errs {}", at(3)), &|rule| share(rule.rates.beta)));
    rows.push(row("Open".to_owned(), &|rule| {
        share(rule.rates.undecided[0].max(rule.rates.undecided[1]))
    }));
    let mut headers = vec!["Bounds".to_owned()];
    headers.extend(rules.iter().map(|rule| {
        let futile = rule.futile.map_or("", |_| " + futile");
        format!("{}{futile}", rule.bounds)
    }));
    format!("{}\n", table(headers, rows, 1))
}

/// Decimals by which neighbouring values differ, at least two.
fn decimals(mut values: impl Iterator<Item = f64>) -> usize {
    let step = values.next().zip(values.next()).map_or(0.0, |(first, second)| second - first);
    // The logarithm of 0 is no number of places.
    if step == 0.0 { 2 } else { (1.0 - step.abs().log10().floor()).clamp(2.0, 12.0) as usize }
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
    let nelo = summary.nelo.map(|nelo| format!("{nelo}  (95 %)"));
    // What stands behind the colon of the reason is a bound in Elo.
    let reason = |why: &String| why.split_once(':').map_or(why.as_str(), |(why, _)| why).to_owned();
    let nelo = nelo.or_else(|| summary.elo_undefined.as_ref().map(reason));
    lines.push(("nElo", nelo.unwrap_or_else(|| "-".to_owned())));
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
        let hypotheses = format!("[{}, {}] {}", sprt.elo0, sprt.elo1, unit(sprt.model));
        lines.push(("SPRT", hypotheses + &rule_text(sprt)));
        lines.push(("LLR", format!("{llr}  ({lower:.3}, {upper:.3})  {verdict}")));
        let sequential = summary.sequential.as_ref();
        let sequential = sequential.map(|both| sequential_text(both, summary.stopped));
        let sequential = sequential.map(|text| format!("{text}  (Elo, unbiased by the stop)"));
        lines.push(("Sequential", or_reason(sequential)));
    }
    let remaining = summary.remaining.as_ref().and_then(remaining_text);
    lines.extend(remaining.map(|text| ("Left", format!("{text}, at the Elo so far"))));
    lines.iter().map(|(name, value)| format!("{name:<13}{value}\n")).collect()
}

/// Tests under an old rule and a new one: a line each, if there are any lines, then all together.
pub fn replay_text(tests: &[ReplayLine<'_>], totals: &ReplayTotals) -> String {
    let side = |replayed: &Replayed| {
        let beyond = if replayed.open { " +" } else { "" };
        [format!("{}{beyond}", grouped(replayed.games)), verdict_word(replayed.verdict).to_owned()]
    };
    let rows = tests.iter().map(|line| {
        let [old, new] = [line.old, line.new].map(side);
        [vec![line.name.to_owned()], old.to_vec(), new.to_vec()].concat()
    });
    let header = ["Test", "Games", "Old verdict", "Games", "New verdict"];
    let mut text = if tests.is_empty() { String::new() } else { table(header, rows, 1) + "\n" };
    if totals.complete > 1 {
        text += &totals.by_rule.as_ref().map_or_else(String::new, by_rule_text);
    }
    let [old, new] = totals.games;
    text += &format!(
        "{} of {} tests end within their pairs by both rules; {} have the same verdict.\n",
        totals.complete, totals.tests, totals.agree
    );
    if let Some(ratio) = totals.ratio {
        let (old, new) = (grouped(old), grouped(new));
        text +=
            &format!("Games: {old} by the old rule, {new} by the new: {}.\n", ratio_text(ratio));
    }
    if let Some(ratio) = totals.ratio_with_expected.filter(|_| totals.complete < totals.tests) {
        let ratio = ratio_text(ratio);
        text += &format!("With the games expected beyond (+), at the Elo seen: {ratio}.\n");
    }
    text
}

/// The complete tests by the old rule and by the new one.
fn by_rule_text(totals: &[TestTotals; 2]) -> String {
    let rows = ["old", "new"].into_iter().zip(totals).map(|(rule, totals)| {
        let mean = format!("{:.0}", totals.mean);
        let error = totals.error95.map_or_else(String::new, |error| format!(" ± {error:.0}"));
        let games = [totals.median, totals.games95, totals.most].map(grouped);
        let verdicts =
            [totals.accepted, totals.rejected, totals.inconclusive].map(|count| count.to_string());
        [vec![rule.to_owned()], verdicts.to_vec(), vec![mean + &error], games.to_vec()].concat()
    });
    let header = ["Rule", "Accepted", "Rejected", "Undecided", "Games", "Half", "95 %", "Most"];
    table(header, rows, 1)
        + "Games: the mean with its 95 % interval, and what half and 95 of 100 tests do not exceed.\n\n"
}

/// A test under both rules.
pub struct ReplayLine<'a> {
    /// Its name.
    pub name: &'a str,
    /// By the old rule.
    pub old: &'a Replayed,
    /// By the new rule.
    pub new: &'a Replayed,
}

/// All tests under both rules.
pub struct ReplayTotals {
    /// All of them.
    pub tests: u64,
    /// The complete ones by the old rule and by the new.
    pub by_rule: Option<[TestTotals; 2]>,
    /// Tests that end within their pairs by both.
    pub complete: u64,
    /// Those with the same verdict.
    pub agree: u64,
    /// Their games by each rule.
    pub games: [u64; 2],
    /// New games over old ones.
    pub ratio: Option<SumRatio>,
    /// The same of all tests, with expected games where pairs run out.
    pub ratio_with_expected: Option<SumRatio>,
}

/// `0.87 ± 0.04 (95 %)`.
fn ratio_text(ratio: SumRatio) -> String {
    match ratio.error95 {
        Some(error) => format!("ratio {:.3} ± {error:.3} (95 %)", ratio.value),
        None => format!("ratio {:.3}", ratio.value),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_values_differ_in_their_last_decimals() {
        for (first, second, places) in
            [(0.0, 2.5, 2), (-1.0, -0.75, 2), (0.0, 0.00025, 5), (0.001, -0.0005, 4), (3.0, 3.0, 2)]
        {
            assert_eq!(decimals([first, second].into_iter()), places, "{first} {second}");
            let differ = first == second || plus(first, places) != plus(second, places);
            assert!(differ, "{first} {second}");
        }
    }
}
