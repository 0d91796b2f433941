//! Who played whom in all runs of a ledger, under which conditions.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::players::{Identity, Roster};
use super::turned;
use crate::games::{MATCH, RACE, SPRT};
use crate::gate::run::COMMAND as GATE;
use crate::gate::{matches_of_gates, series};
use crate::report::{count_games, facts};
use harness_arena::Plan;
use harness_ledger::{Ledger, LedgerError, RunFacts, RunRow};
use harness_outcome::gate::{GateReport, Measured as GateMeasured};
use harness_outcome::{MatchFacts, MatchSummary};
use harness_player::{EngineSpec, Limit, Program};
use harness_report::strength::LeftOut;
use harness_stats::Pentanomial;

/// Pairs of two players under one condition. A test has a row of its own, since it stopped by its result.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub first: usize,
    pub second: usize,
    /// `tc=8+0.08, book.pgn`
    pub condition: String,
    pub is_test: bool,
    pub pairs: Pentanomial,
    pub games: u64,
    /// Games that were played again with the same moves.
    pub repeated: u64,
    pub runs: Vec<String>,
}

/// All comparisons of a ledger.
pub(super) struct Collected {
    pub roster: Roster,
    pub measured: Vec<Measured>,
    pub left_out: Vec<LeftOut>,
}

/// A match or an SPRT.
struct Played {
    run: String,
    engines: Vec<Identity>,
    condition: String,
    /// The engine of a test that the others are changes of, by its place.
    base: Option<usize>,
    /// Games under one name begin with the same ones; `None`: they are never the same.
    series: Option<String>,
    /// Pairs of two engines, by their places.
    meetings: Vec<(usize, usize, Pentanomial)>,
}

/// Reads all matches and SPRTs, finished or not.
pub(super) fn collect(ledger: &Ledger) -> Result<Collected, LedgerError> {
    let rows = ledger.runs()?;
    let is_wanted = |row: &&RunRow| [MATCH, SPRT, RACE, GATE].contains(&&*row.command);
    let facts: Vec<RunFacts> = rows
        .iter()
        .filter(is_wanted)
        .map(|row| ledger.facts(&row.run))
        .collect::<Result<_, _>>()?;
    let of_gates = matches_of_gates(&facts.iter().collect::<Vec<_>>());
    let mut roster = Roster::default();
    let mut left_out = Vec::new();
    let mut played = Vec::new();
    for run in &facts {
        if run.command == GATE {
            note_same_games(run, &mut roster);
            continue;
        }
        match Played::read(ledger, run, &of_gates) {
            Ok(one) => played.extend(one),
            Err(reason) => left_out.push(LeftOut { run: run.id.clone(), reason }),
        }
    }
    played.iter().flat_map(|one| &one.engines).for_each(|engine| roster.note(engine));
    let measured = measured(played, &mut roster);
    Ok(Collected { roster, measured, left_out })
}

/// A gate found that its commit plays the games of its base: they are one player.
fn note_same_games(run: &RunFacts, roster: &mut Roster) {
    let report = run.summary.as_ref().and_then(|summary| GateReport::deserialize(summary).ok());
    let is_same = |measured: &Option<GateMeasured>| {
        matches!(measured, Some(GateMeasured::Elo { value: Some(0.0), error95: Some(0.0), .. }))
    };
    let checks = report.map(|report| report.checks).unwrap_or_default();
    let GatePlan { engines } = GatePlan::deserialize(&run.plan).unwrap_or_default();
    let commits: Vec<String> = engines.iter().filter_map(commit_of).collect();
    if let ([commit, base], true) =
        (&commits[..], checks.iter().any(|check| is_same(&check.measured)))
    {
        roster.note_same(commit, base);
    }
}

/// The part of a gate's plan that names its engine and the base.
#[derive(Default, Deserialize)]
struct GatePlan {
    engines: Vec<EngineSpec>,
}

fn commit_of(engine: &EngineSpec) -> Option<String> {
    match &engine.program {
        Program::Executable { revision, .. } => revision.as_ref()?.commit.clone(),
        Program::Builtin => None,
    }
}

impl Played {
    /// `None` of a run without games.
    fn read(
        ledger: &Ledger,
        run: &RunFacts,
        of_gates: &HashMap<String, String>,
    ) -> Result<Option<Played>, String> {
        let plan = Plan::deserialize(&run.plan)
            .map_err(|error| format!("another version wrote its plan: {error}"))?;
        if !plan.openings.rules.is_chess() {
            return Err("games of a variant are of another strength".to_owned());
        }
        let meetings = meetings(ledger, run, &plan)?;
        if meetings.is_empty() {
            return Ok(None);
        }
        let mut engines = identities(run, &plan);
        if let (Some(commit), Some(engine)) = (of_gates.get(&run.id), engines.first_mut()) {
            engine.commit = Some(commit.clone());
        }
        Ok(Some(Played {
            run: run.id.clone(),
            engines,
            condition: condition(&plan),
            base: base(&run.command, &plan),
            series: series(&plan),
            meetings,
        }))
    }
}

/// The base of a test or a race. With odds of time or nodes nothing was changed.
fn base(command: &str, plan: &Plan) -> Option<usize> {
    let place = match command {
        SPRT => 1,
        RACE => 0,
        _ => return None,
    };
    has_one_limit(plan).then_some(place)
}

/// The pairs of a run, those of an unfinished one too.
fn meetings(
    ledger: &Ledger,
    run: &RunFacts,
    plan: &Plan,
) -> Result<Vec<(usize, usize, Pentanomial)>, String> {
    let summary = run.summary.as_ref().and_then(|summary| MatchSummary::deserialize(summary).ok());
    if let (Some(summary), 2) = (&summary, plan.engines.len()) {
        let pairs = Pentanomial(summary.pentanomial);
        return Ok(if pairs.pairs() > 0 { vec![(0, 1, pairs)] } else { Vec::new() });
    }
    let facts: MatchFacts = facts(run).map_err(|error| error.to_string())?;
    let (counter, _) = count_games(ledger, run, &facts).map_err(|error| error.to_string())?;
    let place = |name: &str| plan.engines.iter().position(|engine| engine.name == name);
    let met = counter.tally().meetings().filter(|(.., pairs)| pairs.pairs() > 0);
    Ok(met
        .filter_map(|(first, second, pairs)| Some((place(first)?, place(second)?, *pairs)))
        .collect())
}

/// `Hash=64`
fn options(engine: &EngineSpec) -> Vec<String> {
    engine.options.iter().map(|(name, value)| format!("{name}={value}")).collect()
}

/// Options that all engines have.
fn common_options(plan: &Plan) -> Vec<String> {
    let mut common = plan.engines.first().map(options).unwrap_or_default();
    for engine in &plan.engines {
        let own = options(engine);
        common.retain(|option| own.contains(option));
    }
    common
}

/// Whether all engines have one limit.
fn has_one_limit(plan: &Plan) -> bool {
    plan.limits.windows(2).all(|two| two[0] == two[1])
}

fn identities(run: &RunFacts, plan: &Plan) -> Vec<Identity> {
    let common = common_options(plan);
    let engines = plan.engines.iter().zip(&plan.limits);
    let identity = |(engine, limit): (&EngineSpec, &Limit)| {
        let commit = commit_of(engine);
        let program = match &engine.program {
            Program::Builtin => format!("linked engine of {}", run.id),
            Program::Executable { sha256, args, .. } => {
                format!("{sha256} {}", args.join(" ")).trim_end().to_owned()
            }
        };
        let mut handicap = options(engine);
        handicap.retain(|option| !common.contains(option));
        handicap.extend((!has_one_limit(plan)).then(|| limit.to_string()));
        Identity { commit, program, handicap: handicap.join(", "), name: engine.name.clone() }
    };
    engines.map(identity).collect()
}

/// The limit, options that all have, the book, and Chess960.
fn condition(plan: &Plan) -> String {
    let limit = match plan.limits.first() {
        Some(limit) if has_one_limit(plan) => limit.to_string(),
        _ => "limits of their own".to_owned(),
    };
    let file = plan.openings.file.as_ref();
    let book = file.map(|file| file.file_name().unwrap_or(file.as_os_str()).to_string_lossy());
    let mut all = vec![limit];
    all.extend(common_options(plan));
    all.extend(book.map(|book| book.into_owned()));
    all.extend(plan.openings.rules.tag().map(str::to_owned));
    all.join(", ")
}

/// Rows of the same players, condition and kind as one; games that were played again counted once.
fn measured(played: Vec<Played>, roster: &mut Roster) -> Vec<Measured> {
    let mut rows: Vec<Measured> = Vec::new();
    // The row of each series, and its games.
    let mut series: BTreeMap<((usize, usize), String, String), usize> = BTreeMap::new();
    for one in played {
        let numbers: Vec<usize> = one.engines.iter().map(|engine| roster.player(engine)).collect();
        for (first, second, pairs) in one.meetings {
            // A change comes before its base.
            let is_turned = one.base == Some(first);
            let (first, second) = if is_turned { (second, first) } else { (first, second) };
            let pairs = turned(pairs, is_turned);
            let is_test = one.base == Some(second);
            let (first, second) = (numbers[first], numbers[second]);
            // The same program under two names.
            if first == second {
                continue;
            }
            let is_turned = !is_test && first > second;
            let (first, second) = if is_turned { (second, first) } else { (first, second) };
            let row = Measured {
                first,
                second,
                condition: one.condition.clone(),
                is_test,
                pairs: turned(pairs, is_turned),
                games: pairs.games(),
                repeated: 0,
                runs: vec![one.run.clone()],
            };
            let players = (first.min(second), first.max(second));
            let key = one.series.clone();
            let key = key.map(|name| (players, one.condition.clone(), name));
            let known = key.as_ref().and_then(|key| series.get(key).copied());
            match known {
                Some(at) => rows[at].repeat(row),
                None => {
                    series.extend(key.map(|key| (key, rows.len())));
                    rows.push(row);
                }
            }
        }
    }
    rows
}

impl Measured {
    /// The same games again, fewer or more of them: the longer run counts. A test says which of the two is the base.
    fn repeat(&mut self, mut other: Measured) {
        match other.is_test && !self.is_test {
            true => self.see_from(other.first),
            false => other.see_from(self.first),
        }
        self.repeated += self.games.min(other.games);
        if other.games > self.games {
            (self.pairs, self.games) = (other.pairs, other.games);
        }
        self.is_test |= other.is_test;
        self.runs.extend(other.runs);
    }

    /// Makes this player the first.
    fn see_from(&mut self, player: usize) {
        if self.first != player {
            std::mem::swap(&mut self.first, &mut self.second);
            self.pairs = turned(self.pairs, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(first: usize, is_test: bool, pairs: [u64; 5]) -> Measured {
        let pairs = Pentanomial(pairs);
        Measured {
            first,
            second: 1 - first,
            condition: "nodes=5000".to_owned(),
            is_test,
            pairs,
            games: pairs.games(),
            repeated: 0,
            runs: vec!["a".to_owned()],
        }
    }

    #[test]
    fn games_that_are_played_again_count_once_whoever_is_first() {
        let (few, many) = ([0, 1, 2, 3, 0], [0, 1, 3, 5, 1]);
        let reversed = |pairs| turned(Pentanomial(pairs), true).0;
        for (known, again, first, pairs) in [
            (row(0, false, few), row(1, true, reversed(many)), 1, reversed(many)),
            (row(0, false, many), row(1, true, reversed(few)), 1, reversed(many)),
            (row(1, true, few), row(0, false, reversed(many)), 1, many),
            (row(0, false, few), row(0, false, many), 0, many),
        ] {
            let mut found = known;
            found.repeat(again);
            assert_eq!((found.first, found.second), (first, 1 - first), "{found:?}");
            assert_eq!((found.pairs.0, found.games, found.repeated), (pairs, 20, 12), "{found:?}");
        }
    }
}
