//! The lines of fastchess.

use super::counts::Counts;
use super::estimates::Estimates;
use super::{fixed, general, quotient};
use crate::player::TimeControl;
use crate::stats::{GameScore, Sprt};

/// A line around a block of results.
const RULE: &str = "--------------------------------------------------\n";

/// A saved configuration is not read.
pub const DISCARDING: &str = "Discarding config file\n";

/// The openings of a file are shuffled.
pub const SHUFFLING: &str = "Indexing opening suite...\n";

/// Number of a game, from 1: those of a pair follow each other.
pub fn started(number: u64, games: u64, white: &str, black: &str) -> String {
    format!("Started game {number} of {games} ({white} vs {black})\n")
}

/// The end of a game.
pub fn finished(number: u64, white: &str, black: &str, result: GameScore, reason: &str) -> String {
    format!("Finished game {number} ({white} vs {black}): {} {{{reason}}}\n", result.pgn())
}

/// Parts of the heading of a block of results.
#[derive(Clone, Debug, Default)]
pub struct Heading {
    /// Each engine's limit.
    pub limits: [String; 2],
    /// Each engine's `Threads`, if it has that option.
    pub threads: [Option<String>; 2],
    /// Each engine's `Hash`, if it has that option.
    pub hash: [Option<String>; 2],
    /// The file of the openings, without its folder.
    pub book: String,
}

/// A text for both engines where they are the same.
fn both([first, second]: [String; 2]) -> String {
    if first == second { first } else { format!("{first} - {second}") }
}

impl Heading {
    fn text(&self, first: &str, second: &str) -> String {
        let unit = |values: &[Option<String>; 2], unit: &str| {
            let [one, other] = values.clone();
            both([one, other].map(|value| {
                value.map_or_else(|| "NULL".to_owned(), |value| format!("{value}{unit}"))
            }))
        };
        let book = if self.book.is_empty() { String::new() } else { format!(", {}", self.book) };
        format!(
            "Results of {first} vs {second} ({}, {}, {}{book}):",
            both(self.limits.clone()),
            unit(&self.threads, "t"),
            unit(&self.hash, "MB"),
        )
    }
}

/// An engine's limit in the heading of a block: a clock in seconds, or another limit with its unit.
pub fn clock(control: &TimeControl) -> String {
    let moves = control.moves.map_or_else(String::new, |moves| format!("{moves}/"));
    let increment = match control.increment.as_millis() {
        0 => String::new(),
        milliseconds => format!("+{}", general(milliseconds as f64 / 1000.0, 2)),
    };
    format!("{moves}{}{increment}", control.base.as_millis() as f64 / 1000.0)
}

/// The block of results of two engines; `by_pairs`: with the pentanomial, and statistics from pairs.
pub fn block(
    names: [&str; 2],
    heading: &Heading,
    counts: &Counts,
    by_pairs: bool,
    sprt: Option<&Sprt>,
) -> String {
    let [first, second] = names;
    let estimates = estimates(counts, by_pairs);
    let Estimates { elo, elo_error, nelo, nelo_error, los, .. } = estimates;
    let mut text = format!(
        "{RULE}{}\nElo: {} +/- {}, nElo: {} +/- {}\nLOS: {} %, DrawRatio: {} %",
        heading.text(first, second),
        fixed(elo, 2),
        fixed(elo_error, 2),
        fixed(nelo, 2),
        fixed(nelo_error, 2),
        fixed(los * 100.0, 2),
        fixed(draw_ratio(counts, by_pairs), 2),
    );
    if by_pairs {
        let won = (counts.penta_WW + counts.penta_WD) as f64;
        let lost = (counts.penta_LD + counts.penta_LL) as f64;
        text.push_str(&format!(", PairsRatio: {}", fixed(quotient(won, lost), 2)));
    }
    let Counts { wins, losses, draws, .. } = *counts;
    text.push_str(&format!(
        "\nGames: {}, Wins: {wins}, Losses: {losses}, Draws: {draws}, Points: {:.1} ({} %)\n",
        counts.games(),
        counts.points(),
        fixed(points_ratio(counts), 2),
    ));
    if by_pairs {
        let ratio = quotient(counts.penta_WL as f64, counts.penta_DD as f64);
        text.push_str(&format!(
            "Ptnml(0-2): {}, WL/DD Ratio: {}\n",
            pentanomial(counts),
            fixed(ratio, 2)
        ));
    }
    text.push_str(&sprt.map_or_else(String::new, |sprt| llr_line(sprt, counts)));
    text.push_str(RULE);
    text
}

/// The state of a test: its log-likelihood ratio from pairs, which decides it.
fn llr_line(sprt: &Sprt, counts: &Counts) -> String {
    let llr = sprt.llr(&counts.pentanomial()).unwrap_or(0.0);
    let [lower, upper] = sprt.bounds_of(&counts.pentanomial());
    let share = if llr >= 0.0 { llr / upper } else { -llr / lower };
    let hypotheses = hypotheses(sprt);
    format!("LLR: {llr:.2} ({:.1}%) ({lower:.2}, {upper:.2}) {hypotheses}\n", share * 100.0)
}

fn hypotheses(sprt: &Sprt) -> String {
    format!("[{:.2}, {:.2}]", sprt.elo0, sprt.elo1)
}

/// The end of a decided test.
pub fn decided(sprt: &Sprt, accepted: bool) -> String {
    let hypothesis = if accepted { "H1" } else { "H0" };
    format!("SPRT ({}) completed - {hypothesis} was accepted\n", hypotheses(sprt))
}

/// The table of three engines and more: each one's name with its counts.
pub fn ranking(engines: &[(&str, Counts)], by_pairs: bool, with_pairs: bool) -> String {
    let mut rows: Vec<(&str, Counts, Estimates)> = engines
        .iter()
        .map(|&(name, counts)| (name, counts, estimates(&counts, by_pairs)))
        .collect();
    rows.sort_by(|(_, _, one), (_, _, other)| {
        one.elo.is_nan().cmp(&other.elo.is_nan()).then(other.elo.total_cmp(&one.elo))
    });
    let width = rows.iter().map(|(name, ..)| name.len()).max().unwrap_or(0).max(25);
    let mut text = format!(
        "{:<4} {:<width$} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "Rank", "Name", "Elo", "+/-", "nElo", "+/-", "Games", "Score", "Draw",
    );
    if with_pairs {
        text.push_str(&format!(" {:>20}", "Ptnml(0-2)"));
    }
    text.push('\n');
    for (index, (name, counts, estimates)) in rows.iter().enumerate() {
        let Estimates { elo, elo_error, nelo, nelo_error, .. } = estimates;
        let [elo, elo_error, nelo, nelo_error] =
            [elo, elo_error, nelo, nelo_error].map(|number| fixed(*number, 2));
        text.push_str(&format!(
            "{:>4} {name:<width$} {elo:>10} {elo_error:>10} {nelo:>10} {nelo_error:>10} {:>10} \
             {:>9}% {:>9}%",
            index + 1,
            counts.games(),
            fixed(points_ratio(counts), 1),
            fixed(draw_ratio(counts, by_pairs), 1),
        ));
        if with_pairs {
            let pairs = if by_pairs { pentanomial(counts) } else { String::new() };
            text.push_str(&format!(" {pairs:>20}"));
        }
        text.push('\n');
    }
    text
}

/// A block with the table of three engines and more.
pub fn ranking_block(engines: &[(&str, Counts)], by_pairs: bool) -> String {
    format!("{RULE}{}{RULE}", ranking(engines, by_pairs, true))
}

fn estimates(counts: &Counts, by_pairs: bool) -> Estimates {
    if by_pairs { Estimates::of_pairs(counts) } else { Estimates::of_games(counts) }
}

/// Draws in percent: of pairs those of one point each.
fn draw_ratio(counts: &Counts, by_pairs: bool) -> f64 {
    let (drawn, all) = match by_pairs {
        true => (counts.penta_WL + counts.penta_DD, counts.pairs()),
        false => (counts.draws, counts.games()),
    };
    quotient(drawn as f64, all as f64) * 100.0
}

fn points_ratio(counts: &Counts) -> f64 {
    quotient(counts.points(), counts.games() as f64) * 100.0
}

fn pentanomial(counts: &Counts) -> String {
    let [ll, ld, even, wd, ww] = counts.pentanomial().0;
    format!("[{ll}, {ld}, {even}, {wd}, {ww}]")
}

/// Losses by a clock and by a crash, of the players that have any.
pub fn losses(players: &[(&str, u64, u64)]) -> String {
    if players.is_empty() {
        return String::new();
    }
    let of_player = |(name, timeouts, crashes): &(&str, u64, u64)| {
        format!("Player: {name}\n  Timeouts: {timeouts}\n  Crashed: {crashes}\n")
    };
    format!("\n{}\n", players.iter().map(of_player).collect::<String>())
}

/// The end of a match that took this number of seconds.
pub fn end(seconds: u64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!(
        "Finished match\nTotal Time: {hours:02}:{minutes:02}:{seconds:02} \
         (hours:minutes:seconds)\n\n"
    )
}

/// The checksum of a file so far.
pub fn checksum(file: &str, crc: u32) -> String {
    format!("File {file} has CRC32: {crc:#x}\n")
}

/// How a match that ended early is continued.
pub fn interrupted(program: &str, config: &str) -> String {
    format!(
        "Tournament was interrupted. To resume the tournament, run: {program} -config \
         file={config}\n"
    )
}

/// A match that ends since an engine crashed, without `-recover`.
pub fn not_recovered(number: u64) -> String {
    format!(
        "Game {number} stalled / disconnected and no recover option set for engine, stopping \
         tournament.\n"
    )
}
