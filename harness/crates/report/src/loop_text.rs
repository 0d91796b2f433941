//! A loop as text.

use super::terminal::table;
use super::text::grouped;
use harness_outcome::loop_summary::{Generation, LoopSummary, generation_name};

/// A finished generation as a line.
pub fn generation_line(done: &Generation, of: u32) -> String {
    let Generation { number, against, tested, promoted, trained, .. } = done;
    let elo = format!("{:.1}", tested.elo).replace("+-", "±");
    format!(
        "generation {number} of {of}: loss {:.6}, {elo} Elo against {}: {}",
        trained.validation_loss,
        generation_name(*against),
        if *promoted { "promoted" } else { "not promoted" }
    )
}

/// The generations as a table, and the best network.
pub fn loop_text(summary: &LoopSummary) -> String {
    let rows = summary.generations.iter().map(|done| {
        let Generation { number, played, trained, tested, promoted, elo, .. } = done;
        vec![
            number.to_string(),
            grouped(played.games),
            grouped(trained.positions as u64),
            format!("{:.6}", trained.validation_loss),
            format!("{}-{}-{}", tested.wins, tested.draws, tested.losses),
            format!("{:.1}", tested.elo),
            if *promoted { "yes" } else { "no" }.to_owned(),
            format!("{elo:.1}"),
            format!("{:.2}", done.cost.hours()),
        ]
    });
    let header = [
        "Gen.",
        "Games",
        "Positions",
        "Loss",
        "W-D-L",
        "Elo of test",
        "Best",
        "Elo over start",
        "CPU h",
    ];
    table(header, rows, 0)
        + &match summary.best.generation {
            0 => "\nNo network beat the start.\n".to_owned(),
            _ => format!("\nThe best one is {}\n", summary.best.eval_file),
        }
}
