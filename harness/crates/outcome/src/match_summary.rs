//! The result of a match or an SPRT, as `--json` prints it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::race::RaceSummary;
use super::tournament::TournamentSummary;
use super::workers::{TakenOut, WorkerShare};
use super::{Estimate, PlayerRow};
use harness_stats::{Remaining, Sequential, Sprt, Stop, Verdict};

/// The result of a match or an SPRT, seen from the first engine.
///
/// Unknown values are `null` in JSON, never left out and never NaN.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchSummary {
    /// The id of the run.
    pub run: String,
    /// Finished games.
    pub games: u64,
    /// Won by the first engine. (With more than two players, of the games it took part in; and
    /// so for draws, losses and pairs.)
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost by the first engine.
    pub losses: u64,
    /// Game pairs by pair score 0, 1/2, 1, 3/2, 2 of the first engine.
    pub pentanomial: [u64; 5],
    /// Logistic Elo difference.
    pub elo: Estimate,
    /// Normalized Elo difference.
    pub nelo: Estimate,
    /// Why there is no Elo and no nElo.
    #[serde(default)]
    pub elo_undefined: Option<String>,
    /// Likelihood of superiority, 0 to 1.
    pub los: Option<f64>,
    /// Smallest visible effect: logistic Elo difference that as many games detect with a power of
    /// 80 %; unknown if there is none.
    #[serde(default)]
    pub visible_effect: Option<f64>,
    /// Share of pairs that ended 1 : 1.
    #[serde(default)]
    pub draw_ratio: Option<f64>,
    /// Pairs won over pairs lost.
    #[serde(default)]
    pub pairs_ratio: Option<f64>,
    /// Log-likelihood ratio; only of an SPRT.
    pub llr: Option<f64>,
    /// Where the LLR ends the test, lower and upper; only of an SPRT.
    pub bounds: Option<[f64; 2]>,
    /// Only of an SPRT.
    pub verdict: Option<Verdict>,
    /// Reason of its end; `null` while nothing did, or where it was stopped by hand. Only of an SPRT.
    #[serde(default)]
    pub stopped: Option<Stop>,
    /// Median-unbiased Elo, without the stopping bias of the test; only of an SPRT.
    #[serde(default)]
    pub sequential: Option<Sequential>,
    /// Expected rest of the test at the observed Elo; only of an SPRT.
    #[serde(default)]
    pub remaining: Option<Remaining>,
    /// Games by how they ended; see [`count_terminations`].
    pub terminations: BTreeMap<String, u64>,
    /// Wall time of playing, in seconds.
    pub seconds: f64,
    /// A row a player when there are more than two; otherwise empty.
    #[serde(default)]
    pub players: Vec<PlayerRow>,
    /// Warnings about the result.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Contribution of each worker on another machine; empty of a run of one process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workers: Vec<WorkerShare>,
    /// Workers whose results were taken out, and played again by others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken_out: Vec<TakenOut>,
    /// Why the result does not stand: it depends on one worker, or two sides of the workers differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// Nodes a second of the linked engine on one core that the workers' time limits were scaled
    /// to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_nps: Option<f64>,
    /// The rounds of a knockout or a Swiss tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament: Option<TournamentSummary>,
    /// The course of a race; then wins, draws, losses and all that follows from them are those of its final,
    /// seen from the candidate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub race: Option<RaceSummary>,
    /// The block for commit messages; see [`super::openbench_block`].
    #[serde(default)]
    pub openbench: String,
    /// Facts known before the first game.
    #[serde(flatten)]
    pub facts: MatchFacts,
}

impl MatchSummary {
    /// Notes who was taken out, and why the result does not stand; a test is undecided then.
    pub fn note_workers(&mut self, taken_out: Vec<TakenOut>, doubt: Option<String>) {
        self.warnings.extend(taken_out.iter().map(TakenOut::warning));
        self.warnings.extend(doubt.clone());
        self.taken_out = taken_out;
        if doubt.is_some() && self.verdict.is_some() {
            self.verdict = Some(Verdict::Inconclusive);
        }
        self.doubt = doubt;
    }
}

/// Facts known before the first game.
///
/// A command stores it under the key `facts` of its plan, so that a run which is not finished
/// can be reported too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchFacts {
    /// `match`, `sprt` or `race`.
    pub command: String,
    /// The engines, the first one first.
    pub engines: Vec<EngineFacts>,
    /// Limit of a search: `tc=8+0.08`, `nodes=5000`.
    pub limit: String,
    /// Most games; `None` without a bound.
    pub games_asked: Option<u64>,
    /// Where the openings are from: a file, with the number of openings.
    pub openings: Option<String>,
    /// Games played at the same time.
    pub jobs: usize,
    /// Seed of all randomness.
    pub seed: Option<u64>,
    /// The test; only of an SPRT.
    pub sprt: Option<Sprt>,
    /// The command line, so that it can be repeated; see [`harness_base::text::shell_words`].
    pub command_line: Option<String>,
}

/// An engine, for reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineFacts {
    /// The name in this run.
    pub name: String,
    /// Description for people: `builtin`, a path, `git 1a2b3c4 (HEAD~1)`.
    pub what: String,
    /// UCI options that were set, by name.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Defaults of `Threads` and `Hash`, if known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub defaults: BTreeMap<String, String>,
}

/// Terminations by a fault of an engine or of the setup.
pub(super) const TROUBLE: [&str; 6] =
    ["time_forfeit", "crash", "illegal_move", "disconnect", "stall", "no_move"];

/// Counts games by termination. Faults are always listed, also when they are 0.
pub fn count_terminations<'a>(
    terminations: impl IntoIterator<Item = &'a str>,
) -> BTreeMap<String, u64> {
    let mut counts: BTreeMap<String, u64> =
        TROUBLE.into_iter().map(|kind| (kind.to_owned(), 0)).collect();
    for kind in terminations {
        *counts.entry(kind.to_owned()).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::super::Tally;
    use super::*;

    #[test]
    fn the_documented_keys_are_there_also_when_nothing_is_known() {
        let facts = MatchFacts {
            command: "match".to_owned(),
            engines: Vec::new(),
            limit: "depth=1".to_owned(),
            games_asked: None,
            openings: None,
            jobs: 1,
            seed: None,
            sprt: None,
            command_line: None,
        };
        let summary = Tally::new("a").summary("20261121-143015-match", &facts, 0.0);
        let json = serde_json::to_value(&summary).expect("plain data");
        let keys: Vec<&str> =
            json.as_object().expect("an object").keys().map(String::as_str).collect();
        let documented = [
            "games",
            "wins",
            "draws",
            "losses",
            "pentanomial",
            "elo",
            "nelo",
            "los",
            "llr",
            "bounds",
            "verdict",
            "terminations",
            "seconds",
            "run",
        ];
        let more = [
            "command",
            "command_line",
            "draw_ratio",
            "elo_undefined",
            "engines",
            "games_asked",
            "jobs",
            "limit",
            "openbench",
            "openings",
            "pairs_ratio",
            "players",
            "remaining",
            "seed",
            "sequential",
            "sprt",
            "stopped",
            "visible_effect",
            "warnings",
        ];
        let mut expected = [&documented[..], &more].concat();
        expected.sort_unstable();
        assert_eq!(keys, expected);
        for estimate in [&json["elo"], &json["nelo"]] {
            for key in ["value", "error95", "low95", "high95", "method"] {
                assert_eq!(estimate.get(key), Some(&serde_json::Value::Null), "{key}");
            }
        }
        let read: MatchSummary = serde_json::from_value(json).expect("reads back");
        assert_eq!(read, summary);
    }
}
