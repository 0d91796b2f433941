//! Strength beside the base: an SPRT, unless both are shown to play the same games.

use super::comparison::{CheckOutcome, Gate};
use super::config::{Sprt, Suite};
use super::error::CheckError;
use harness_arena::Termination;
use harness_ledger::{Ledger, LedgerError};
use harness_outcome::gate::{Measured, Verdict};
use harness_stats as stats;

/// Where no suite is configured, both engines search these positions.
const SIGNATURE_SUITE: &str = "bk";

impl Gate<'_> {
    pub(super) fn sprt(&self, sprt: &Sprt) -> Result<CheckOutcome, CheckError> {
        let [new, old] = self.paths();
        let (flag, limit) = sprt.limit();
        let (elo0, elo1) = (format!("--elo0={}", sprt.elo0), format!("--elo1={}", sprt.elo1));
        let games = sprt.max_games.to_string();
        let mut line = vec!["sprt", &new, &old, flag, &limit, &elo0, &elo1, "--max-games", &games];
        line.extend(sprt.restart.then_some("--restart"));
        let rule = sprt.rule_flags();
        line.extend(rule.iter().map(String::as_str));
        // An SPRT that was begun: the searches differ.
        if self.left_over(&line)?.is_none()
            && let Some(reason) = self.same_games(sprt)?
        {
            let measured = Measured::Elo { value: Some(0.0), error95: Some(0.0), games: 0 };
            let detail = format!("no game needed: {reason}");
            return Ok(CheckOutcome::new(Verdict::Passed, detail).with(measured));
        }
        let played = self.play(&line, sprt)?;
        let forfeits = self.forfeits(&played.run)?;
        let number = |value: Option<f64>| value.map_or("–".to_owned(), |n| format!("{n:.2}"));
        let mut detail = format!(
            "[{}, {}] nElo: LLR {} after {} games, Elo {} ± {}",
            sprt.elo0,
            sprt.elo1,
            number(played.llr),
            played.games,
            number(played.elo.value),
            number(played.elo.error95)
        );
        let mut verdict = match played.verdict {
            None | Some(stats::Verdict::Accepted) => Verdict::Passed,
            Some(stats::Verdict::Inconclusive) => Verdict::Undecided,
            Some(stats::Verdict::Rejected) => Verdict::Failed,
        };
        let fewest = sprt.test()?.fewest_pairs().saturating_mul(2);
        if verdict == Verdict::Undecided && sprt.max_games < fewest {
            detail = format!(
                "{detail}; no results of {} games decide it: {fewest} at least",
                sprt.max_games
            );
        }
        let [by_engine, by_base] = &forfeits;
        if !by_engine.is_empty() {
            detail = format!("{detail}; forfeited by the change: {}", by_engine.join(", "));
        }
        if !by_base.is_empty() {
            detail = format!("{detail}; by the base: {}", by_base.join(", "));
        }
        // One crash is enough, whatever the strength, unless the base crashes too.
        if !by_engine.is_empty() && by_base.is_empty() {
            verdict = Verdict::Failed;
        }
        let measured = Measured::Elo {
            value: played.elo.value,
            error95: played.elo.error95,
            games: played.games,
        };
        Ok(CheckOutcome::new(verdict, detail)
            .counting(sprt.undecided)
            .with(measured)
            .of_run(Some(played.run)))
    }

    /// Why both play the same games, if they do.
    ///
    /// A bench alone does not show it: it may not reach what was changed. So both also search the
    /// configured suites, or Bratko and Kopec's positions, and must give the same moves after the
    /// same nodes.
    fn same_games(&self, sprt: &Sprt) -> Result<Option<String>, CheckError> {
        if self.engine.1.sha256 == self.base.1.sha256 {
            return Ok(Some("the same program as the base".to_owned()));
        }
        // By the clock even a mere slowdown costs games.
        let Some((nodes, depth)) = sprt.fixed() else { return Ok(None) };
        let benches = (self.bench(&self.engine.0), self.bench(&self.base.0));
        let (Ok(now), Ok(before)) = benches else { return Ok(None) };
        if now.nodes != before.nodes {
            return Ok(None);
        }
        let signature = Suite {
            suite: SIGNATURE_SUITE.to_owned(),
            nodes,
            depth,
            baseline: None,
            restart: sprt.restart,
        };
        let mut positions = 0;
        for suite in self.config.suites.iter().chain([&signature]) {
            let both = self.both(suite)?;
            if both.differing() > 0 {
                return Ok(None);
            }
            positions += both.now.results.len();
        }
        Ok(Some(format!(
            "the same bench as the base, and the same searches of {positions} positions"
        )))
    }

    /// Games that were forfeited other than on time, by the engine and by its base: `crash 2`.
    fn forfeits(&self, run: &str) -> Result<[Vec<String>; 2], LedgerError> {
        let games = Ledger::open_existing(&self.session.reports)?.games(run)?;
        let kinds = Termination::ALL
            .into_iter()
            .filter(|kind| kind.is_fault() && *kind != Termination::TimeForfeit);
        let mut forfeits = [Vec::new(), Vec::new()];
        for kind in kinds {
            for (side, half_points) in [0, 2].into_iter().enumerate() {
                let count = games
                    .iter()
                    .filter(|game| {
                        game.termination == kind.key() && game.first_half_points == half_points
                    })
                    .count();
                if count > 0 {
                    forfeits[side].push(format!("{} {count}", kind.key().replace('_', " ")));
                }
            }
        }
        Ok(forfeits)
    }
}
