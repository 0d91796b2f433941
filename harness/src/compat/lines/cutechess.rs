//! The lines of cutechess-cli, and those that fastchess prints with `-output format=cutechess`.

use std::collections::BTreeMap;

use super::counts::Counts;
use super::estimates::Estimates;
use super::{fixed, general, quotient};
use crate::stats::{Decision, Sprt};

/// The score so far.
pub fn score(first: &str, second: &str, counts: &Counts) -> String {
    let Counts { wins, losses, draws, .. } = *counts;
    let score = Estimates::of_games(counts).score;
    format!(
        "Score of {first} vs {second}: {wins} - {losses} - {draws}  [{}] {}\n",
        fixed(score, 3),
        counts.games()
    )
}

/// Elo of two engines, as fastchess writes it in cutechess's form.
pub fn fastchess_elo(counts: &Counts) -> String {
    let Estimates { elo, elo_error, los, .. } = Estimates::of_games(counts);
    format!(
        "Elo difference: {} +/- {}, LOS: {} %, DrawRatio: {} %\n",
        fixed(elo, 2),
        fixed(elo_error, 2),
        fixed(los * 100.0, 2),
        fixed(quotient(counts.draws as f64, counts.games() as f64) * 100.0, 2),
    )
}

/// The state of a test, as fastchess writes it in cutechess's form.
pub fn fastchess_llr(sprt: &Sprt, counts: &Counts) -> String {
    let llr = sprt.llr(&counts.pentanomial()).unwrap_or(0.0);
    let [lower, upper] = sprt.bounds_of(&counts.pentanomial());
    let share = if llr < 0.0 { llr / lower } else { llr / upper } * 100.0;
    let end = verdict(sprt, counts, llr);
    format!("SPRT: llr {llr:.2} ({share:.1}%), lbound {lower:.2}, ubound {upper:.2}{end}\n")
}

fn verdict(sprt: &Sprt, counts: &Counts, llr: f64) -> &'static str {
    match sprt.decide_at(counts.pentanomial().pairs() as f64, llr) {
        Some(Decision::Accepted) => " - H1 was accepted",
        Some(Decision::Rejected) => " - H0 was accepted",
        None => "",
    }
}

/// Results of an engine by its colour: won, lost and drawn games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByColour {
    /// With White.
    pub white: [u64; 3],
    /// With Black.
    pub black: [u64; 3],
}

/// Results by colours, and Elo: of the first of two engines.
pub fn elo(name: &str, sides: &ByColour, counts: &Counts, sprt: Option<&Sprt>) -> String {
    let mut text = String::new();
    let games = |[won, lost, drawn]: [u64; 3]| won + lost + drawn;
    let points = |[won, _, drawn]: [u64; 3]| 2 * won + drawn;
    for (colour, results) in [("White", sides.white), ("Black", sides.black)] {
        let [won, lost, drawn] = results;
        if games(results) > 0 {
            let score = points(results) as f64 / (2 * games(results)) as f64;
            text.push_str(&format!(
                "...      {name} playing {colour}: {won} - {lost} - {drawn}  [{score:.3}] {}\n",
                games(results)
            ));
        }
    }
    let all = games(sides.white) + games(sides.black);
    if all > 0 {
        let (white, black) = (sides.white, sides.black);
        let of_white = points(white) + 2 * games(black) - points(black);
        text.push_str(&format!(
            "...      White vs Black: {} - {} - {}  [{:.3}] {all}\n",
            white[0] + black[1],
            white[1] + black[0],
            white[2] + black[2],
            of_white as f64 / (2 * all) as f64,
        ));
    }
    let Estimates { elo, elo_error, .. } = Estimates::of_games(counts);
    let decisive = (counts.wins + counts.losses) as f64;
    let los = crate::stats::normal_cdf(quotient(
        counts.wins as f64 - counts.losses as f64,
        decisive.sqrt(),
    ));
    let draws = quotient(counts.draws as f64, counts.games() as f64);
    let [elo, error, los, draws] = [elo, elo_error, los * 100.0, draws * 100.0].map(plain);
    text.push_str(&format!(
        "Elo difference: {elo} +/- {error}, LOS: {los} %, DrawRatio: {draws} %\n"
    ));
    text.push_str(&sprt.map_or_else(String::new, |sprt| llr(sprt, counts)));
    text
}

/// One digit, as Qt writes numbers: what is none has no sign.
fn plain(number: f64) -> String {
    if number.is_nan() { "nan".to_owned() } else { format!("{number:.1}") }
}

/// The state of a test.
fn llr(sprt: &Sprt, counts: &Counts) -> String {
    let llr = sprt.llr(&counts.pentanomial()).unwrap_or(0.0);
    let [lower, upper] = sprt.bounds_of(&counts.pentanomial());
    let [number, lbound, ubound] = [llr, lower, upper].map(|number| general(number, 3));
    let end = verdict(sprt, counts, llr);
    format!(
        "SPRT: llr {number} ({:.1}%), lbound {lbound}, ubound {ubound}{end}\n",
        llr / upper * 100.0
    )
}

/// The ends of games, each with its number, by engine.
pub fn outcomes(engines: &[(&str, BTreeMap<String, u64>)]) -> String {
    let mut text = String::new();
    for (name, counts) in engines {
        text.push_str(&format!("\nPlayer: {name}"));
        for (words, count) in counts {
            text.push_str(&format!("\n   \"{words}\": {count}"));
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// The table of three engines and more.
pub fn ranking(engines: &[(&str, Counts)]) -> String {
    let mut rows: Vec<(&str, Counts, Estimates)> = engines
        .iter()
        .map(|&(name, counts)| (name, counts, Estimates::of_games(&counts)))
        .collect();
    rows.sort_by(|(_, _, one), (_, _, other)| {
        one.score.is_nan().cmp(&other.score.is_nan()).then(other.score.total_cmp(&one.score))
    });
    let mut text = format!(
        "{:>4} {:<25} {:>7} {:>7} {:>7} {:>7} {:>7} \n",
        "Rank", "Name", "Elo", "+/-", "Games", "Score", "Draw"
    );
    for (index, (name, counts, estimates)) in rows.iter().enumerate() {
        let whole = |number: f64| match number.is_nan() {
            true => "nan".to_owned(),
            false => format!("{number:.0}"),
        };
        let draws = quotient(counts.draws as f64, counts.games() as f64);
        text.push_str(&format!(
            "{:>4} {name:<25} {:>7} {:>7} {:>7} {:>6}% {:>6}% \n",
            index + 1,
            whole(estimates.elo),
            whole(estimates.elo_error),
            counts.games(),
            plain(estimates.score * 100.0),
            plain(draws * 100.0),
        ));
    }
    // It ends its table with an empty line.
    text.push('\n');
    text
}
