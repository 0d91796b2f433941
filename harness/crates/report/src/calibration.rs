//! The tables of a calibration.

use engine::search::{KNOTS, Knot};

use super::table::table;
use super::text::grouped;
use harness_outcome::calibration::{Calibrated, Calibration};

/// The levels, the anchors, and the engine's table of knots if these were measured.
pub fn calibration_text(calibration: &Calibration) -> String {
    let header =
        ["Player", "Stated", "Measured Elo, 95%", "Off by", "Games", "Won", "Drawn", "Lost"];
    let rows = calibration.levels.iter().chain(&calibration.anchors).map(row);
    let mut text = table(header, rows, 1);
    for level in &calibration.levels {
        if let Some(reason) = &level.elo_undefined {
            text += &format!("{} has no Elo: {reason}\n", level.name);
        }
    }
    text += &format!("\n{}\n", scale(calibration));
    if let Some(knots) = knots_text(&calibration.levels) {
        text += &format!("\nThe table of engine/src/search/strength.rs:\n{knots}");
    }
    let seed = calibration.seed.map(|seed| format!(", seed {seed}")).unwrap_or_default();
    text + &format!("\n{} games{seed}, run {}\n", grouped(calibration.games), calibration.run)
}

fn row(player: &Calibrated) -> Vec<String> {
    let off = player.elo.value.map(|elo| format!("{:+.0}", elo - player.stated));
    let elo = match player.elo.value {
        Some(_) => format!("{:.0}", player.elo),
        None => "none".to_owned(),
    };
    vec![
        player.name.clone(),
        format!("{:.0}", player.stated),
        elo,
        off.unwrap_or_default(),
        player.games.to_string(),
        player.wins.to_string(),
        player.draws.to_string(),
        player.losses.to_string(),
    ]
}

fn scale(calibration: &Calibration) -> String {
    let anchors = "The scale is what the fixed opponents state; what one measures is by the statements of \
                   the others.";
    match calibration.stretch.value {
        None => anchors.to_owned(),
        Some(_) => format!(
            "{anchors}\nOne Elo of it is worth {:.2} Elo in games of the levels with each other.",
            calibration.stretch
        ),
    }
}

/// The engine's table with the measured Elo; `None` unless the levels are its knots. A knot that is
/// not stronger than the one before it is left out.
fn knots_text(levels: &[Calibrated]) -> Option<String> {
    let same = |(level, knot): (&Calibrated, &Knot)| level.stated == knot.elo.round();
    if levels.len() != KNOTS.len() || !levels.iter().zip(&KNOTS).all(same) {
        return None;
    }
    let mut text = String::new();
    let mut highest = f64::NEG_INFINITY;
    for (level, knot) in levels.iter().zip(&KNOTS) {
        let elo = level.elo.value?.round();
        if elo <= highest {
            text += &format!("    // {elo}: no stronger than the knot before it: {knot:?}\n");
            continue;
        }
        highest = elo;
        let Knot { nodes, overlook, misjudge, .. } = knot;
        text += &format!(
            "    Knot {{ elo: {elo:.1}, nodes: {nodes:.1}, overlook: {overlook:?}, misjudge: {misjudge:?} }},\n"
        );
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_outcome::Estimate;

    fn level(stated: f64, measured: f64) -> Calibrated {
        Calibrated {
            name: format!("builtin level {stated}"),
            stated,
            elo: Estimate::new(measured, 12.0),
            elo_undefined: None,
            games: 400,
            wins: 200,
            draws: 20,
            losses: 180,
        }
    }

    #[test]
    fn the_knots_are_printed_where_they_were_measured_and_only_in_rising_order() {
        let measured = |knot: &Knot| level(knot.elo.round(), knot.elo.round() + 30.0);
        let mut levels: Vec<Calibrated> = KNOTS.iter().map(measured).collect();
        let text = knots_text(&levels).expect("these are the knots");
        assert_eq!(text.lines().count(), KNOTS.len());
        let first =
            format!("elo: {:.1}, nodes: {:.1}", KNOTS[0].elo.round() + 30.0, KNOTS[0].nodes);
        assert!(text.contains(&first), "{text}");
        levels[2].elo = Estimate::new(KNOTS[0].elo - 100.0, 12.0);
        let text = knots_text(&levels).expect("these are the knots");
        assert_eq!(text.matches("// ").count(), 1, "{text}");
        levels.pop();
        assert_eq!(knots_text(&levels), None);
    }

    #[test]
    fn the_table_fits_the_terminal() {
        let calibration = Calibration {
            run: "20261121-143015-match".to_owned(),
            seed: Some(7),
            games: 800,
            levels: vec![level(800.0, 830.0), level(1000.0, 970.0)],
            anchors: vec![level(1350.0, 1340.0)],
            stretch: Estimate::new(1.8, 0.2),
            dispersion: 0.9,
            pairings: Vec::new(),
        };
        let text = calibration_text(&calibration);
        assert!(text.contains("+30") && text.contains("seed 7"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
}
