//! A race while it is played, and its result.

use std::collections::BTreeMap;

use super::event::RaceEvent;
use super::record::counted;
use super::stored_plan::StoredPlan;
use crate::report::{ReportError, read};
use harness_arena::{Plan, RaceCourse};
use harness_ledger::{Ledger, RunFacts};
use harness_outcome::{
    CurvePoint, MatchSummary, Outcome, RaceDropped, RacePoint, RaceRunner, RaceSummary, Tally,
    openbench_block,
};
use harness_stats::race::{BASE, Dropped, Race, RaceRule};
use harness_stats::{GameScore, Pentanomial, Sprt, Summary, Verdict};

/// Most points of the curves of evidence.
const POINTS: usize = 100;

/// How far a race has come, and the games of its final.
pub struct RaceRecord {
    course: RaceCourse,
    games: Tally,
}

/// Something that happens in a race.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "a few of them exist, for a moment each")]
pub(super) enum RaceStep {
    /// A runner is dropped.
    Dropped { runner: usize, dropped: Dropped, left: usize },
    /// The final begins with pair `first`.
    Final { candidate: usize, sprt: Sprt, first: u64 },
}

impl RaceStep {
    /// With names.
    pub fn event(self, plan: &Plan) -> RaceEvent<'_> {
        let name = |engine: usize| plan.engines[engine].name.as_str();
        match self {
            RaceStep::Dropped { runner, dropped: Dropped { heat, pairs, by }, left } => {
                let (engine, by) = (name(runner), by.map(name));
                RaceEvent::Dropped { engine, heat, games: 2 * pairs, by, left }
            }
            RaceStep::Final { candidate, first, .. } => {
                RaceEvent::Final { engine: name(candidate), base: name(BASE), games: 2 * first }
            }
        }
    }
}

impl RaceRecord {
    /// Of a race of which nothing is played.
    pub fn new(rule: RaceRule) -> RaceRecord {
        RaceRecord { course: RaceCourse::new(rule), games: Tally::default() }
    }

    /// How far it has come.
    pub fn course(&self) -> &RaceCourse {
        &self.course
    }

    fn race(&self) -> &Race {
        self.course.race()
    }

    /// The test of the final with its first pair, once the final has begun.
    pub fn test(&self) -> Option<(Sprt, u64)> {
        Some((*self.race().final_test(), self.race().final_begins()?))
    }

    /// The first pair that does not count, once the race is over.
    pub fn end(&self) -> Option<u64> {
        self.course.is_over().then_some(self.race().pairs())
    }

    /// Takes the results that are there; what happens by them.
    pub(super) fn advance(&mut self, scores: &dyn Fn(u64) -> Option<u8>) -> Vec<RaceStep> {
        let before: Vec<Option<Dropped>> = self.race().dropped().to_vec();
        let began = self.race().final_begins();
        self.course.advance(scores);
        let race = self.race();
        let both = race.dropped().iter().zip(before).enumerate();
        let mut new: Vec<(usize, Dropped)> = both
            .filter_map(|(runner, (now, before))| {
                Some((runner, (*now).filter(|_| before.is_none())?))
            })
            .collect();
        new.sort_by_key(|(_, dropped)| dropped.pairs);
        let left = race.running().len();
        let after = (0..new.len()).rev();
        let mut steps: Vec<RaceStep> = new
            .into_iter()
            .zip(after)
            .map(|((runner, dropped), later)| RaceStep::Dropped {
                runner,
                dropped,
                left: left + later,
            })
            .collect();
        if let (None, Some(first), Some(candidate)) = (began, race.final_begins(), race.leader()) {
            steps.push(RaceStep::Final { candidate, sprt: *race.final_test(), first });
        }
        steps
    }

    /// Counts a game, if it is one of the final.
    pub(super) fn count(&mut self, game: &Outcome, plan: &Plan) {
        let Some(candidate) = self.race().leader() else { return };
        if self.race().final_begins().is_some_and(|first| game.pair >= first) {
            if self.games.games() == 0 {
                self.games = Tally::new(&plan.engines[candidate].name);
            }
            self.games.add(game);
        }
    }

    /// Forgets the games of the final, to be counted again.
    pub(super) fn recount(&mut self) {
        self.games = Tally::default();
    }

    /// The curve of the final.
    pub fn curve(&self) -> Vec<CurvePoint> {
        self.games.curve(Some(self.race().final_test()))
    }

    /// Puts the result of the final in the place of that of the first engine, and adds the race.
    pub fn fill(&self, summary: &mut MatchSummary, plan: &Plan) {
        let race = self.race();
        let (counts, games) = (race.final_counts(), self.games.wdl());
        let stats = Summary::of_pairs(counts, Some(race.final_test()));
        (summary.wins, summary.draws, summary.losses) = (games.wins, games.draws, games.losses);
        let Pentanomial(pentanomial) = *counts;
        summary.pentanomial = pentanomial;
        (summary.elo, summary.nelo) = (stats.elo.into(), stats.nelo.into());
        let no_final = "the final is not played".to_owned();
        let is_played = counts.pairs() > 0;
        summary.elo_undefined = if is_played { stats.elo_undefined } else { Some(no_final) };
        (summary.los, summary.visible_effect) = (stats.los, stats.visible_effect);
        (summary.draw_ratio, summary.pairs_ratio) = (stats.draw_ratio, stats.pairs_ratio);
        (summary.llr, summary.bounds) = (stats.llr, stats.bounds);
        (summary.sequential, summary.remaining) = (stats.sequential, stats.remaining);
        summary.verdict = Some(race.verdict().unwrap_or(Verdict::Inconclusive));
        summary.facts.sprt = Some(*race.final_test());
        summary.race = Some(result(race, plan));
        summary.openbench = openbench_block(summary);
    }
}

/// A race as the ledger has it.
pub struct RaceSoFar {
    /// The result so far.
    pub summary: MatchSummary,
    /// The games of the final.
    pub final_games: Tally,
}

/// A race as the ledger has it; `None` of another run.
///
/// # Errors
/// When the ledger does not have what a race of this version has.
pub fn race_so_far(ledger: &Ledger, run: &RunFacts) -> Result<Option<RaceSoFar>, ReportError> {
    if run.command != super::RACE {
        return Ok(None);
    }
    let kept: StoredPlan = read(run, "plan", &run.plan)?;
    let Some(rule) = kept.plan.race.clone() else { return Ok(None) };
    let mut race = RaceRecord::new(rule);
    let (mut games, mut scores) = (Vec::new(), BTreeMap::<u64, (u8, u8)>::new());
    let mut milliseconds = 0;
    ledger.each_result(&run.id, |game| {
        milliseconds += game.milliseconds;
        // The ledger refuses anything above 2.
        games.push(counted(&game, game.score().unwrap_or(GameScore::Win)));
        let (count, points) = scores.entry(game.pair).or_default();
        (*count, *points) = (*count + 1, *points + game.first_half_points);
        Ok::<_, ReportError>(())
    })?;
    race.advance(&|pair| {
        scores.get(&pair).filter(|(count, _)| *count == 2).map(|(_, points)| *points)
    });
    let mut tally = Tally::new(&kept.plan.engines[BASE].name);
    for game in &games {
        tally.add(game);
        race.count(game, &kept.plan);
    }
    let summary = match &run.summary {
        Some(summary) => read(run, "summary", summary)?,
        None => {
            let seconds = milliseconds as f64 / 1000.0 / kept.plan.jobs.max(1) as f64;
            let mut summary = tally.summary(&run.id, &kept.facts, seconds);
            race.fill(&mut summary, &kept.plan);
            summary
        }
    };
    Ok(Some(RaceSoFar { summary, final_games: race.games }))
}

/// The result of a race so far.
fn result(race: &Race, plan: &Plan) -> RaceSummary {
    let name = |engine: usize| plan.engines[engine].name.clone();
    let rule = race.rule();
    let final_pairs = race.final_counts().pairs();
    let step = race.history().len().div_ceil(POINTS).max(1);
    let mut evidence: Vec<RacePoint> = race
        .history()
        .iter()
        .rev()
        .step_by(step)
        .map(|point| RacePoint { games: 2 * point.pairs, evidence: point.evidence.clone() })
        .collect();
    evidence.reverse();
    RaceSummary {
        base: name(BASE),
        test: rule.test,
        batch: rule.batch,
        heats_error: rule.heats_error(),
        heats: race.heats(),
        heats_games: 2 * (race.pairs() - final_pairs),
        final_games: 2 * final_pairs,
        final_candidate: race.final_begins().and_then(|_| race.leader()).map(name),
        leader: race.leader().map(name),
        drop_at: Some(race.drop_at()).filter(|_| rule.candidates > 1),
        runners: standings(race).into_iter().map(|runner| row(race, runner, plan)).collect(),
        engines: (0..plan.engines.len()).map(name).collect(),
        evidence,
    }
}

/// The runners, the best one first: those that run by their points, then those that were dropped, the last one
/// first; at the end a base that did not run.
fn standings(race: &Race) -> Vec<usize> {
    let mut runners: Vec<usize> = (0..=race.rule().candidates).collect();
    let leader = race.leader();
    runners.sort_by(|&a, &b| {
        let runs = |runner: usize| !race.running().contains(&runner);
        let dropped = |runner: usize| race.dropped()[runner].map_or(0, |dropped| dropped.pairs);
        let surplus = |runner: usize| race.surplus(runner).0;
        (Some(a) != leader)
            .cmp(&(Some(b) != leader))
            .then_with(|| runs(a).cmp(&runs(b)))
            .then_with(|| dropped(b).cmp(&dropped(a)))
            .then_with(|| surplus(b).total_cmp(&surplus(a)))
            .then(a.cmp(&b))
    });
    runners
}

fn row(race: &Race, runner: usize, plan: &Plan) -> RaceRunner {
    let name = |engine: usize| plan.engines[engine].name.clone();
    let (surplus, pairs) = race.surplus(runner);
    let evidence = race.history().iter().rev().find_map(|point| point.evidence[runner]);
    RaceRunner {
        name: name(runner),
        is_base: runner == BASE,
        runs: race.running().contains(&runner),
        games: 2 * pairs,
        score: (pairs > 0).then(|| 0.5 + surplus / (2.0 * pairs as f64)),
        evidence,
        dropped: race.dropped()[runner].map(|Dropped { heat, pairs, by }| RaceDropped {
            heat,
            games: 2 * pairs,
            by: by.map(name),
        }),
    }
}
