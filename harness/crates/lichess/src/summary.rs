//! The counts of a run.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::record::{Ending, Finished};
use harness_stats::GameScore;

/// Summary of a run, in `--json` and in the ledger.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The run.
    pub run: String,
    /// The bot's account.
    pub account: String,
    /// The server.
    pub server: String,
    /// Games that count.
    pub games: u64,
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
    /// Games without a result: aborted, or cut off.
    pub without_result: u64,
    /// How the games ended.
    pub terminations: BTreeMap<String, u64>,
    /// Challenges accepted, declined and left without an answer.
    pub challenges: Counts,
    /// Wall time.
    pub seconds: f64,
}

/// Challenges by their answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Accepted.
    pub accepted: u64,
    /// Declined.
    pub declined: u64,
    /// Not answered: there were too many at once.
    pub ignored: u64,
    /// Sent by the bot.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sent: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Summary {
    /// Counts a game that is over.
    pub fn add(&mut self, game: &Finished) {
        let Ending { key, .. } = game.ending();
        match game.score() {
            Some(GameScore::Win) => self.wins += 1,
            Some(GameScore::Draw) => self.draws += 1,
            Some(GameScore::Loss) => self.losses += 1,
            None => {
                self.without_result += 1;
                return;
            }
        }
        self.games += 1;
        *self.terminations.entry(key.to_owned()).or_default() += 1;
    }

    /// In words.
    pub fn text(&self) -> String {
        let Summary { games, wins, draws, losses, without_result, challenges, .. } = self;
        let mut text = format!(
            "{} on {}: {games} games, +{wins} ={draws} -{losses}\n",
            self.account, self.server
        );
        let ways: Vec<String> =
            self.terminations.iter().map(|(key, count)| format!("{key} {count}")).collect();
        // Writing to a string cannot fail.
        if !ways.is_empty() {
            let _ = writeln!(text, "endings: {}", ways.join(", "));
        }
        if *without_result > 0 {
            let _ = writeln!(text, "without a result: {without_result}");
        }
        let Counts { accepted, declined, ignored, sent } = challenges;
        let _ = write!(text, "challenges: {accepted} accepted, {declined} declined");
        if *ignored > 0 {
            let _ = write!(text, ", {ignored} not answered");
        }
        if *sent > 0 {
            let _ = write!(text, ", {sent} sent");
        }
        text.push('\n');
        if games > &0 {
            let _ = writeln!(text, "run {}: `harness report {}`", self.run, self.run);
        }
        text
    }
}
