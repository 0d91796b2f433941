//! The plan of a run of games, and its pairs in order.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::game::Conduct;
use super::openings::{BookError, Openings, OpeningsSpec};
use super::record::{Colours, Leg, PairJob, Side};
use super::shard::Shard;
use super::stage::Stage;
use harness_player::pool::Settings;
use harness_player::{EngineSpec, Limit};
use harness_stats::race::RaceRule;

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
    /// Colours, openings and rounds.
    #[serde(default)]
    pub pairing: Pairing,
    /// The part of the pairs that is played; `None`: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// The others have published ratings, by which the first engine is rated: a gauntlet whose opponents
    /// depend on its results, of at most [`Plan::rounds`] pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatingGoal>,
    /// The rule of a race, whose base is the first engine; then the format says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub race: Option<RaceRule>,
}

/// A gauntlet that rates the first engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingGoal {
    /// The published ratings of the other engines, in their order.
    pub references: Vec<PublishedRating>,
    /// Half of the 95 % interval that is narrow enough.
    pub error95: f64,
    /// Fewest pairs between two choices of an opponent.
    pub batch: u64,
}

/// A published rating.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublishedRating {
    /// In Elo.
    pub elo: f64,
    /// Half of its 95 % interval; 0 where none was published.
    #[serde(default)]
    pub error95: f64,
}

/// How pairs are made of a format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pairing {
    /// Who has White.
    pub colours: Colours,
    /// Each pair has an opening of its own, not all pairings of a round the same one.
    pub own_openings: bool,
    /// How many of the first engines play a gauntlet; `None`: the first one.
    pub seeds: Option<usize>,
    /// Those engines of a gauntlet play each other, too.
    pub seeds_meet: bool,
    /// Rounds of a Swiss tournament; `None`: enough to tell all engines apart.
    pub swiss_rounds: Option<u64>,
}

/// Format of a tournament.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[derive(strum::Display, strum::EnumMessage, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// The first engine plays each of the others.
    #[default]
    Gauntlet,
    /// Each engine plays each other.
    RoundRobin,
    /// Each engine plays all before it, one after the other: another engine can come last.
    Pyramid,
    /// Who loses a match is out; the first engines meet last.
    Knockout,
    /// In each round engines with as many points meet, none twice.
    Swiss,
}

impl Format {
    /// Whether later pairings depend on earlier results.
    pub fn depends_on_results(self) -> bool {
        matches!(self, Format::Knockout | Format::Swiss)
    }
}

impl Plan {
    /// Whether later pairings depend on earlier results.
    pub fn depends_on_results(&self) -> bool {
        self.race.is_some() || self.rating.is_some() || self.format.depends_on_results()
    }

    /// Pairings by index, all that are possible where they depend on results; the first engine has
    /// White in the first game of a pair, unless colours are reversed.
    pub fn pairings(&self) -> Vec<(usize, usize)> {
        if !self.pairings.is_empty() {
            return self.pairings.clone();
        }
        let engines = self.engines.len();
        if self.race.is_some() {
            return all_pairings(engines);
        }
        let seeds = match self.format {
            Format::Gauntlet => self.pairing.seeds.unwrap_or(1),
            _ => engines,
        };
        match self.format {
            Format::Pyramid => {
                (1..engines).flat_map(|other| (0..other).map(move |first| (first, other))).collect()
            }
            Format::Gauntlet => (0..seeds.min(engines))
                .flat_map(|first| {
                    let next = if self.pairing.seeds_meet { first + 1 } else { seeds };
                    (next..engines).map(move |other| (first, other))
                })
                .collect(),
            Format::RoundRobin | Format::Knockout | Format::Swiss => all_pairings(engines),
        }
    }

    /// Encounters that are played, each of [`Plan::rounds`] pairs.
    fn encounters(&self) -> u64 {
        let engines = self.engines.len() as u64;
        match self.format {
            _ if self.rating.is_some() => 1,
            Format::Knockout => engines.saturating_sub(1),
            Format::Swiss => self.swiss_rounds().saturating_mul(engines / 2),
            _ => self.pairings().len() as u64,
        }
    }

    /// Rounds of a Swiss tournament: as many as asked for, but none in which engines would have to
    /// meet again; otherwise as many as a knockout would have.
    pub fn swiss_rounds(&self) -> u64 {
        let engines = self.engines.len() as u64;
        let most = if engines.is_multiple_of(2) { engines.saturating_sub(1) } else { engines };
        let usual = u64::from(engines.max(2).next_power_of_two().ilog2());
        self.pairing.swiss_rounds.unwrap_or(usual).clamp(1, most.max(1))
    }

    /// Pairs of the whole run, all shards together; of a knockout without its tie-breaks.
    pub fn pairs(&self) -> u64 {
        match &self.race {
            Some(race) => race.max_pairs,
            None => self.rounds.saturating_mul(self.encounters()),
        }
    }

    /// Number of different openings of this many games, if the book has them.
    pub fn openings_of(&self, games: u64) -> u64 {
        let pairs = games.div_ceil(2);
        let of_pairs = match self.format {
            _ if self.pairing.own_openings || self.rating.is_some() => pairs,
            Format::Pyramid => pairs.min(self.rounds),
            Format::Knockout | Format::Swiss => {
                pairs.div_ceil((self.engines.len() as u64 / 2).max(1))
            }
            _ => pairs / (self.pairings().len() as u64).max(1),
        };
        if self.pairing.colours.fixed { 2 * of_pairs } else { of_pairs }
    }

    /// Pairs that are played: those of the shard.
    pub fn own_pairs(&self) -> u64 {
        self.shard.map_or(self.pairs(), |shard| shard.share(self.pairs()))
    }
}

fn all_pairings(engines: usize) -> Vec<(usize, usize)> {
    let with_later = |first| (first + 1..engines).map(move |other| (first, other));
    (0..engines).flat_map(with_later).collect()
}

/// The pairs of a plan.
#[derive(Debug)]
pub struct Schedule {
    pairings: Vec<(usize, usize)>,
    sides: Vec<Side>,
    openings: Openings,
    pairs: u64,
    rounds: u64,
    format: Format,
    pairing: Pairing,
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
        let pairings = plan.pairings();
        let sides = sides.collect();
        Schedule {
            pairings,
            sides,
            openings,
            pairs: plan.pairs(),
            rounds: plan.rounds,
            format: plan.format,
            pairing: plan.pairing,
            shard: plan.shard,
        }
    }

    /// How many pairs there are.
    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// The book.
    pub fn openings(&self) -> &Openings {
        &self.openings
    }

    /// A pair by its number; `None` after the last. All pairings of a round share its opening, so
    /// that each has as many openings, and the same ones, unless each pair has its own. Not of a
    /// format whose pairings depend on results.
    ///
    /// # Errors
    /// When the opening cannot be read.
    pub fn pair(&self, pair: u64) -> Result<Option<PairJob>, BookError> {
        let pairings = self.pairings.len() as u64;
        if pair >= self.pairs || pairings == 0 {
            return Ok(None);
        }
        let (which, round) = match self.format {
            Format::Pyramid => (pair / self.rounds, pair % self.rounds),
            _ => (pair % pairings, pair / pairings),
        };
        let which = usize::try_from(which).unwrap_or(0);
        self.job(pair, self.pairings[which], round).map(Some)
    }

    /// A pair of two engines, in a round.
    fn job(&self, pair: u64, engines: (usize, usize), round: u64) -> Result<PairJob, BookError> {
        let Pairing { colours, own_openings, .. } = self.pairing;
        let number = if own_openings { pair } else { round };
        let (opening, second_opening) = match colours.fixed {
            true => {
                let second = self.openings.get(2 * number + 1)?;
                (self.openings.get(2 * number)?, Some(second))
            }
            false => (self.openings.get(number)?, None),
        };
        let sides = [engines.0, engines.1].map(|engine| self.sides[engine].clone());
        Ok(PairJob { pair, sides, opening, second_opening, colours, only: None })
    }

    /// The pairs of a stage of which a game is not `done`, in order.
    pub fn stage_jobs<'a>(
        &'a self,
        stage: &'a Stage,
        done: &'a HashSet<(u64, Leg)>,
    ) -> impl Iterator<Item = Result<PairJob, BookError>> + Send + 'a {
        missing(stage.pairs(), done, move |pair| self.stage_pair(stage, pair))
    }

    /// A pair of a stage, by its number.
    ///
    /// # Errors
    /// When its opening cannot be read.
    pub fn stage_pair(&self, stage: &Stage, pair: u64) -> Result<PairJob, BookError> {
        let (engines, round) = stage.pairing(pair);
        self.job(pair, engines, round)
    }

    /// The pairs of the shard of which a game is not `done`, in order.
    pub fn jobs<'a>(
        &'a self,
        done: &'a HashSet<(u64, Leg)>,
    ) -> impl Iterator<Item = Result<PairJob, BookError>> + Send + 'a {
        let own = (0..self.pairs).filter(|pair| self.shard.is_none_or(|shard| shard.has(*pair)));
        missing(own, done, |pair| Ok(self.pair(pair)?.expect("a pair of the schedule")))
    }
}

/// The jobs of pairs of which a game is not done.
fn missing<'a>(
    pairs: impl Iterator<Item = u64> + Send + 'a,
    done: &'a HashSet<(u64, Leg)>,
    job: impl Fn(u64) -> Result<PairJob, BookError> + Send + 'a,
) -> impl Iterator<Item = Result<PairJob, BookError>> + Send + 'a {
    pairs.filter_map(move |pair| {
        let missing = |leg: &Leg| !done.contains(&(pair, *leg));
        let only = match Leg::BOTH.map(|leg| missing(&leg)) {
            [false, false] => return None,
            [true, true] => None,
            [..] => Leg::BOTH.into_iter().find(missing),
        };
        Some(job(pair).map(|job| PairJob { only, ..job }))
    })
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
            pairing: Pairing::default(),
            shard: None,
            rating: None,
            race: None,
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
    fn a_pyramid_adds_one_engine_after_the_other_and_a_gauntlet_may_have_several_seeds() {
        let mut plan = plan(4, Format::Pyramid);
        let schedule = |plan: &Plan| Schedule::new(plan, Openings::load(&plan.openings).unwrap());
        let met = |plan: &Plan| -> Vec<(usize, usize)> {
            let schedule = schedule(plan);
            let jobs = (0..schedule.pairs()).map(|pair| schedule.pair(pair).unwrap().unwrap());
            jobs.map(|job| (job.sides[0].number, job.sides[1].number)).collect()
        };
        let pairings = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)];
        let expected: Vec<_> = pairings.iter().flat_map(|&pairing| [pairing; 3]).collect();
        assert_eq!(met(&plan), expected);
        // Without the last engine the beginning is the same.
        plan.engines.pop();
        plan.limits.pop();
        assert_eq!(met(&plan), expected[..9]);
        let mut plan = self::plan(4, Format::Gauntlet);
        (plan.pairing.seeds, plan.rounds) = (Some(2), 1);
        assert_eq!(met(&plan), [(0, 2), (0, 3), (1, 2), (1, 3)]);
        plan.pairing.seeds_meet = true;
        assert_eq!(met(&plan), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)]);
    }

    #[test]
    fn colours_and_openings_are_as_asked_for() {
        let openings =
            |job: &PairJob| [job.opening(Leg::First).clone(), job.opening(Leg::Second).clone()];
        let mut plan = plan(3, Format::RoundRobin);
        let jobs = |plan: &Plan| -> Vec<PairJob> {
            let schedule = Schedule::new(plan, Openings::load(&plan.openings).unwrap());
            (0..schedule.pairs()).map(|pair| schedule.pair(pair).unwrap().unwrap()).collect()
        };
        plan.pairing.own_openings = true;
        let own = jobs(&plan);
        let distinct: HashSet<_> = own.iter().map(|job| job.opening.fen.clone()).collect();
        assert_eq!(distinct.len(), own.len(), "each pair has its own");
        assert!(own.iter().all(|job| openings(job)[0] == openings(job)[1]));
        plan.pairing.own_openings = false;
        plan.pairing.colours = Colours { fixed: true, reversed: false };
        let fixed = jobs(&plan);
        for job in &fixed {
            assert!(
                Leg::BOTH.iter().all(|&leg| job.sides(leg).white.number == job.sides[0].number)
            );
            assert_ne!(openings(job)[0], openings(job)[1], "no game is played twice");
        }
        assert_eq!(openings(&fixed[0]), openings(&fixed[2]), "a round has its openings");
        plan.pairing.colours = Colours { fixed: false, reversed: true };
        let reversed = jobs(&plan);
        assert_eq!(reversed[0].sides(Leg::First).white.number, 1);
        assert_eq!(reversed[0].sides(Leg::Second).white.number, 0);
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
