//! A loop for people.

use crate::outcome::loop_summary::{Generation, LoopSummary};
use crate::report::terminal::table;
use crate::report::text::grouped;

/// What a generation is called; 0 is the start.
pub fn name(generation: u32) -> String {
    match generation {
        0 => "start".to_owned(),
        number => format!("generation {number}"),
    }
}

/// A generation that is done, in a line.
pub fn line(done: &Generation, of: u32) -> String {
    let Generation { number, against, tested, promoted, learnt, .. } = done;
    let elo = format!("{:.1}", tested.elo).replace("+-", "±");
    format!(
        "generation {number} of {of}: loss {:.6}, {elo} Elo against {}: {}",
        learnt.validation_loss,
        name(*against),
        if *promoted { "promoted" } else { "not promoted" }
    )
}

/// All of it.
pub fn summary(summary: &LoopSummary) -> String {
    let rows = summary.generations.iter().map(|done| {
        let Generation { number, played, learnt, tested, promoted, elo, .. } = done;
        vec![
            number.to_string(),
            grouped(played.games),
            grouped(learnt.positions as u64),
            format!("{:.6}", learnt.validation_loss),
            format!("{}-{}-{}", tested.wins, tested.draws, tested.losses),
            format!("{:.1}", tested.elo),
            if *promoted { "yes" } else { "no" }.to_owned(),
            format!("{elo:.1}"),
        ]
    });
    let header =
        ["Gen.", "Games", "Positions", "Loss", "W-D-L", "Elo of test", "Best", "Elo over start"];
    let mut text = table(header, rows, 0);
    text += &match summary.best.generation {
        0 => "\nNo network beat the start.\n".to_owned(),
        _ => format!("\nThe best one is {}\n", summary.best.eval_file),
    };
    text
}
