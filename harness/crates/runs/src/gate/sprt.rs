//! Strength beside the base: an SPRT, unless both play the same games.

use std::collections::HashMap;

use super::comparison::{CheckOutcome, Gate};
use super::config::{Sprt, Suite};
use super::error::CheckError;
use harness_arena::Termination;
use harness_ledger::{Ledger, LedgerError, StoredGame};
use harness_notation::pgn::{Event, Lexer};
use harness_outcome::MatchSummary;
use harness_outcome::gate::{Measured, Verdict};
use harness_stats as stats;

/// Where no suite is configured, both engines search these positions.
const SIGNATURE_SUITE: &str = "bk";

/// Games that two engines which may be the same play. Where both games of all 64 pairs are the same, fewer than one pair in 21
/// differs with 95 % confidence ((1 - 1/21)^64 < 0.05), which costs 17 Elo at most.
const SAME_GAMES: u64 = 128;

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
        // An SPRT that was begun: the games differ.
        if self.left_over(&line)?.is_none()
            && let Some(same) = self.same_games(sprt)?
        {
            return Ok(same);
        }
        let played = self.play(&line, sprt, sprt.max_games, Some(sprt.test()?))?;
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
        if is_at_fault(&forfeits) {
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

    /// The outcome where both play the same games, so that no SPRT has to tell them apart.
    ///
    /// A bench alone does not show it: it may not reach what was changed, nor may searches of positions without a game before
    /// them. So some games are played to their ends, and both of each pair must have the same moves, scores and nodes.
    fn same_games(&self, sprt: &Sprt) -> Result<Option<CheckOutcome>, CheckError> {
        if self.engine.1.sha256 == self.base.1.sha256 {
            let detail = "no game needed: the same program as the base".to_owned();
            return Ok(Some(same_strength(detail, 0)));
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
        let games = sprt.max_games.min(SAME_GAMES);
        let [new, old] = self.paths();
        let (flag, limit) = sprt.limit();
        let count = games.to_string();
        let mut line = vec!["match", &new, &old, flag, &limit, "--games", &count];
        line.extend(sprt.restart.then_some("--restart"));
        let MatchSummary { run, games, .. } = self.play(&line, sprt, games, None)?;
        let forfeits = self.forfeits(&run)?;
        // A crash that comes by chance may not come again.
        if is_at_fault(&forfeits) {
            let crashes = forfeits[0].join(", ");
            let detail = format!("forfeited by the change in {games} games: {crashes}");
            return Ok(Some(CheckOutcome::new(Verdict::Failed, detail).of_run(Some(run))));
        }
        if !are_mirrored(&Ledger::open_existing(&self.session.reports)?.games(&run)?) {
            return Ok(None);
        }
        let detail = format!(
            "no SPRT needed: the same bench as the base, the same searches of {positions} positions and the same {games} games"
        );
        Ok(Some(same_strength(detail, games).of_run(Some(run))))
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

/// Whether the engine forfeited games and its base did not: one crash is enough, whatever the strength.
fn is_at_fault([by_engine, by_base]: &[Vec<String>; 2]) -> bool {
    !by_engine.is_empty() && by_base.is_empty()
}

fn same_strength(detail: String, games: u64) -> CheckOutcome {
    let measured = Measured::Elo { value: Some(0.0), error95: Some(0.0), games };
    CheckOutcome::new(Verdict::Passed, detail).with(measured)
}

/// Whether both games of every pair are the same, so that it made no difference who had which colour.
fn are_mirrored(games: &[StoredGame]) -> bool {
    let mut first: HashMap<u64, String> = HashMap::new();
    for game in games {
        let Some(searched) = searched(&game.pgn) else { return false };
        match first.remove(&game.pair) {
            None => {
                first.insert(game.pair, searched);
            }
            Some(other) if other == searched => {}
            Some(_) => return false,
        }
    }
    first.is_empty()
}

/// The start, the moves, and what the engines said of each but its time; `None` of what is no PGN.
fn searched(pgn: &str) -> Option<String> {
    let mut lexer = Lexer::new(pgn.as_bytes());
    let mut text = String::new();
    while let Some(event) = lexer.next_event().ok()? {
        match event {
            Event::Tag(tag) if tag.name == b"FEN" => text += &tag.text(),
            Event::Move(word) => text += &String::from_utf8_lossy(word),
            // `+0.69/8 0.012s 49n, White mates`.
            Event::Comment(comment) => {
                let comment = comment.text();
                let said = comment.split(',').next().unwrap_or_default().split_whitespace();
                said.filter(|word| !word.ends_with('s')).for_each(|word| text += word);
            }
            Event::Result(result) => text += &result.to_string(),
            Event::Unknown(_) => return None,
            _ => continue,
        }
        text.push(' ');
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(pair: u64, moves: &str) -> StoredGame {
        StoredGame {
            pair,
            game: 0,
            white: "a".to_owned(),
            black: "b".to_owned(),
            first_is_white: true,
            first_half_points: 1,
            termination: "repetition".to_owned(),
            plies: 2,
            milliseconds: 3,
            pgn: format!("[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n"),
            worker: None,
        }
    }

    #[test]
    fn games_are_the_same_but_for_names_and_times() {
        let one = "1. e4 {+0.69/8 0.012s 49n} e5 {-M3/9 1.2s 50n, White mates}";
        for (other, same) in [
            ("1. e4 {+0.69/8 0.345s 49n} e5 {-M3/9 2s 50n, Black mates}", true),
            ("1. e4 {+0.70/8 0.012s 49n} e5 {-M3/9 1.2s 50n}", false),
            ("1. e4 {+0.69/8 0.012s 48n} e5 {-M3/9 1.2s 50n}", false),
            ("1. e4 {+0.69/8 0.012s 49n} c5 {-M3/9 1.2s 50n}", false),
        ] {
            let games = [game(0, one), game(1, other), game(1, one), game(0, one)];
            assert_eq!(are_mirrored(&games), same, "{other}");
        }
        assert!(!are_mirrored(&[game(0, one)]), "half a pair");
    }
}
