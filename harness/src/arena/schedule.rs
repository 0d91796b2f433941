//! The plan of a run of games, and its pairs in order.

use std::collections::HashSet;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::game::Conduct;
use super::openings::{BookError, Openings, OpeningsSpec};
use super::record::{Leg, PairJob, Side};
use super::shard::Shard;
use crate::player::pool::Settings;
use crate::player::{EngineSpec, Limit};

/// Everything that decides the games of a run.
///
/// Pair k follows from the plan and k alone: a resumed run needs no stored schedule, and any
/// executor may play a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The engines, the first one first.
    pub engines: Vec<EngineSpec>,
    /// The limit of each engine.
    pub limits: Vec<Limit>,
    /// Pairings of the engines.
    pub format: Format,
    /// Pairings chosen one by one, by index; empty: those of the format.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairings: Vec<(usize, usize)>,
    /// Pairs of each pairing.
    pub rounds: u64,
    /// Where games start.
    pub openings: OpeningsSpec,
    /// Rules of the games.
    pub conduct: Conduct,
    /// Pairs played at the same time.
    pub jobs: usize,
    /// The PGN's event.
    pub event: String,
    /// The part of the pairs that is played; `None`: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

/// Format of a tournament.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// The first engine plays each of the others.
    #[default]
    Gauntlet,
    /// Each engine plays each other.
    RoundRobin,
}

impl Plan {
    /// Pairings by index; the first engine has White in the first game of a pair.
    pub fn pairings(&self) -> Vec<(usize, usize)> {
        if !self.pairings.is_empty() {
            return self.pairings.clone();
        }
        let firsts = match self.format {
            Format::Gauntlet => 1,
            Format::RoundRobin => self.engines.len(),
        };
        let others = |first| (first + 1..self.engines.len()).map(move |other| (first, other));
        (0..firsts).flat_map(others).collect()
    }

    /// Pairs of the whole run, all shards together.
    pub fn pairs(&self) -> u64 {
        self.rounds.saturating_mul(self.pairings().len() as u64)
    }

    /// Pairs that are played: those of the shard.
    pub fn own_pairs(&self) -> u64 {
        self.shard.map_or(self.pairs(), |shard| shard.share(self.pairs()))
    }
}

/// The pairs of a plan.
#[derive(Debug)]
pub struct Schedule {
    pairings: Vec<(usize, usize)>,
    sides: Vec<Side>,
    openings: Openings,
    pairs: u64,
    shard: Option<Shard>,
}

impl Schedule {
    /// The schedule of a plan, with its loaded openings.
    pub fn new(plan: &Plan, openings: Openings) -> Schedule {
        let sides = plan.engines.iter().zip(&plan.limits).enumerate();
        let sides = sides.map(|(number, (engine, &limit))| Side {
            number,
            name: engine.name.clone(),
            engine: engine.clone(),
            settings: Settings::new(),
            limit,
        });
        let (pairings, sides) = (plan.pairings(), sides.collect());
        Schedule { pairings, sides, openings, pairs: plan.pairs(), shard: plan.shard }
    }

    /// How many pairs there are.
    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// The book.
    pub fn openings(&self) -> &Openings {
        &self.openings
    }

    /// A pair by its number; `None` after the last. All pairings of a round share its opening.
    ///
    /// # Errors
    /// When the opening cannot be read.
    pub fn pair(&self, pair: u64) -> Result<Option<PairJob>, BookError> {
        let pairings = self.pairings.len() as u64;
        if pair >= self.pairs || pairings == 0 {
            return Ok(None);
        }
        let which = usize::try_from(pair % pairings).unwrap_or(0);
        let (first, second) = self.pairings[which];
        let sides = [first, second].map(|engine| self.sides[engine].clone());
        let opening = self.openings.get(pair / pairings)?;
        Ok(Some(PairJob { pair, sides, opening, only: None }))
    }

    /// The pairs of the shard of which a game is not `done`, in order.
    pub fn jobs<'a>(
        &'a self,
        done: &'a HashSet<(u64, Leg)>,
    ) -> impl Iterator<Item = Result<PairJob, BookError>> + Send + 'a {
        let own = (0..self.pairs).filter(|pair| self.shard.is_none_or(|shard| shard.has(*pair)));
        own.filter_map(move |pair| {
            let missing = |leg: &Leg| !done.contains(&(pair, *leg));
            let only = match Leg::BOTH.map(|leg| missing(&leg)) {
                [false, false] => return None,
                [true, true] => None,
                [..] => Leg::BOTH.into_iter().find(missing),
            };
            let job = self.pair(pair).transpose()?;
            Some(job.map(|job| PairJob { only, ..job }))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(engines: usize, format: Format) -> Plan {
        let engine = |number: usize| EngineSpec::builtin(&format!("engine {number}"));
        Plan {
            engines: (0..engines).map(engine).collect(),
            limits: vec![Limit::Nodes(1); engines],
            format,
            pairings: Vec::new(),
            rounds: 3,
            openings: OpeningsSpec::default(),
            conduct: Conduct::default(),
            jobs: 1,
            event: String::new(),
            shard: None,
        }
    }

    #[test]
    fn each_pairing_is_played_once_a_round_from_the_same_opening() {
        for (format, engines, expected) in [
            (Format::Gauntlet, 2, vec![(0, 1)]),
            (Format::RoundRobin, 2, vec![(0, 1)]),
            (Format::Gauntlet, 3, vec![(0, 1), (0, 2)]),
            (Format::RoundRobin, 4, vec![(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]),
        ] {
            let plan = plan(engines, format);
            let schedule = Schedule::new(&plan, Openings::load(&plan.openings).unwrap());
            assert_eq!(schedule.pairs(), 3 * expected.len() as u64);
            for round in 0..3 {
                let first = round * expected.len() as u64;
                let jobs: Vec<PairJob> = (first..first + expected.len() as u64)
                    .map(|pair| schedule.pair(pair).unwrap().unwrap())
                    .collect();
                let met = jobs.iter().map(|job| (job.sides[0].number, job.sides[1].number));
                let met: Vec<_> = met.collect();
                assert_eq!(met, expected);
                let openings: HashSet<_> = jobs.iter().map(|job| job.opening.fen.clone()).collect();
                assert_eq!(openings.len(), 1);
            }
            assert_eq!(schedule.pair(schedule.pairs()).unwrap(), None);
        }
    }

    #[test]
    fn chosen_pairings_are_played_and_no_others() {
        let plan = Plan { pairings: vec![(2, 0), (1, 2)], ..plan(4, Format::RoundRobin) };
        let schedule = Schedule::new(&plan, Openings::load(&plan.openings).unwrap());
        assert_eq!(schedule.pairs(), 6);
        let sides = |pair| schedule.pair(pair).unwrap().unwrap().sides.map(|side| side.number);
        assert_eq!((0..4).map(sides).collect::<Vec<_>>(), [[2, 0], [1, 2], [2, 0], [1, 2]]);
    }

    #[test]
    fn a_plan_read_back_gives_the_same_pairs() {
        let first = plan(3, Format::RoundRobin);
        let text = serde_json::to_string(&first).unwrap();
        let second: Plan = serde_json::from_str(&text).unwrap();
        assert_eq!(first, second);
        let pairs = |plan: &Plan| {
            let schedule = Schedule::new(plan, Openings::load(&plan.openings).unwrap());
            (0..schedule.pairs()).map(|pair| schedule.pair(pair).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(pairs(&first), pairs(&second));
    }
}
