//! `harness sprt --plan`: what a test would say and take, before a game is played.

use serde::Serialize;

use crate::context::Context;
use crate::failure::Failure;
use crate::report::terminal::table;
use crate::report::text::plus;
use crate::stats::{Expectation, Model, Sprt, sigma_of_draws};

/// Shares of drawn games for which the plan is made unless others are asked for.
pub const DRAW_RATIOS: [f64; 3] = [0.3, 0.5, 0.7];

/// Steps from beyond one hypothesis to beyond the other.
const STEPS: i32 = 8;

/// The JSON object of `harness sprt --plan --json`.
#[derive(Serialize)]
struct Plan {
    sprt: Sprt,
    bounds: [f64; 2],
    plans: Vec<Spread>,
}

/// The plan for one share of drawn games.
#[derive(Serialize)]
struct Spread {
    draw_ratio: f64,
    /// Standard deviation of a game's score.
    sigma: f64,
    expectations: Vec<Expectation>,
}

/// Prints pass probability and expected games over a range of true differences.
///
/// # Errors
/// When they cannot be written.
pub fn run(sprt: Sprt, draw_ratios: &[f64], context: &Context) -> Result<(), Failure> {
    let plans = draw_ratios.iter().map(|&ratio| spread(&sprt, ratio)).collect();
    let plan = Plan { sprt, bounds: sprt.bounds(), plans };
    if context.json {
        context.print(&format!("{}\n", serde_json::json!(plan)))
    } else {
        context.print(&text(&plan))
    }
}

fn spread(sprt: &Sprt, draw_ratio: f64) -> Spread {
    let sigma = sigma_of_draws(draw_ratio);
    let [from, to] = sprt.logistic_hypotheses(sigma);
    let margin = (to - from) / 2.0;
    let step = (to - from + 2.0 * margin) / f64::from(STEPS);
    let expectations = (0..=STEPS)
        .map(|at| sprt.expectation(from - margin + step * f64::from(at), sigma))
        .collect();
    Spread { draw_ratio, sigma, expectations }
}

fn text(plan: &Plan) -> String {
    let Sprt { model, elo0, elo1, alpha, beta } = plan.sprt;
    let unit = match model {
        Model::Logistic => "Elo",
        Model::Normalized => "nElo",
    };
    let mut text = format!("SPRT [{elo0}, {elo1}] {unit}, alpha {alpha}, beta {beta}\n");
    for Spread { draw_ratio, expectations, .. } in &plan.plans {
        let rows = expectations.iter().map(|expectation| {
            vec![
                plus(expectation.elo, 2),
                plus(expectation.nelo, 2),
                format!("{:.1} %", 100.0 * expectation.pass),
                format!("{:.0}", expectation.games),
            ]
        });
        let header = ["True Elo", "True nElo", "Passes", "Games"];
        text.push_str(&format!(
            "\n{:.0} % of games drawn\n{}\n",
            100.0 * draw_ratio,
            table(header, rows, 0)
        ));
    }
    text
}
