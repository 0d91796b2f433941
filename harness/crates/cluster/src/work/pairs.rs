//! Pairs of games, of a match, a test or a tuning run.

use serde::{Deserialize, Serialize};

use super::kind::{Finished, Mismatch, Names, RemoteWork, Work, are_fixed};
use crate::ClusterError;
use crate::machine::Machine;
use harness_arena::{Conduct, GameRecord, Leg, PairJob, PairPlayer, Unplayed, Watch, verify_game};
use harness_base::session::Interrupt;
use harness_player::Limit;
use harness_player::pool::{Hand, Seats};

/// Shared configuration of the pairs of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GamePairs {
    /// The event of the PGN.
    pub event: String,
    /// How games are played.
    pub conduct: Conduct,
}

impl Work for GamePairs {
    type Task = Box<PairJob>;
    type Answer = Vec<GameRecord>;
    type Tools<'a> = PairPlayer<'a>;
    type Trouble = Unplayed;

    fn number(job: &Box<PairJob>) -> u64 {
        job.pair
    }

    fn tools<'a>(
        &'a self,
        watch: Option<&'a Watch<'a>>,
        interrupt: &Interrupt,
    ) -> Result<PairPlayer<'a>, Unplayed> {
        let player = PairPlayer::new(&self.conduct, &self.event, interrupt)?;
        Ok(match watch {
            Some(watch) => player.watched_by(watch),
            None => player,
        })
    }

    fn perform(
        &self,
        player: &PairPlayer<'_>,
        seats: &mut Seats<'_>,
        job: &Box<PairJob>,
        hand: &Hand<'_, Vec<GameRecord>>,
    ) -> Result<(), Unplayed> {
        player.play(job, seats, &|game| hand(vec![game]))
    }

    fn whole(job: &Box<PairJob>, parts: Vec<Vec<GameRecord>>) -> Option<Vec<GameRecord>> {
        let wanted = if job.only.is_some() { 1 } else { 2 };
        let games: Vec<GameRecord> = parts.into_iter().flatten().collect();
        (games.len() == wanted).then_some(games)
    }
}

impl RemoteWork for GamePairs {
    const NAMES: Names = Names { rules: "games", task: "pair", answer: "games" };
    const IS_REVOCABLE: bool = true;

    fn tablebases(&mut self) -> Option<&mut String> {
        self.conduct.adjudication.tablebases.as_mut().map(|rule| &mut rule.folders)
    }

    fn hash_mib(job: &Box<PairJob>) -> u64 {
        job.sides.iter().map(|side| side.engine.hash_mib()).fold(0, u64::saturating_add)
    }

    fn limits(&self, job: &Box<PairJob>) -> Vec<Limit> {
        job.sides.iter().map(|side| side.limit).collect()
    }

    fn repeats(&self, job: &Box<PairJob>) -> bool {
        job.only.is_none() && are_fixed(&self.limits(job))
    }

    fn fingerprint(games: &Vec<GameRecord>) -> Vec<String> {
        games.iter().map(|game| moves_of(&game.pgn)).collect()
    }

    fn verify(&self, job: &Box<PairJob>, games: &Vec<GameRecord>) -> Result<(), Mismatch> {
        let legs: Vec<Leg> =
            Leg::BOTH.into_iter().filter(|leg| job.only.is_none_or(|only| only == *leg)).collect();
        Mismatch::unless(games.len() == legs.len(), || "it has other games".to_owned())?;
        for (game, &leg) in games.iter().zip(&legs) {
            verify_game(job, leg, (&self.event, &self.conduct), game)
                .map_err(|error| Mismatch(format!("game {}: {error}", leg.number())))?;
        }
        Ok(())
    }

    fn localise(&mut self, machine: &Machine<'_>) -> Result<(), ClusterError> {
        machine.set_tablebases(self.tablebases());
        Ok(())
    }

    fn localise_task(job: &mut Box<PairJob>, machine: &Machine<'_>) -> Result<(), ClusterError> {
        for side in &mut job.sides {
            side.limit = machine.limit(side.limit);
            machine.set_engine(&mut side.engine)?;
        }
        Ok(())
    }

    fn finished(games: &Vec<GameRecord>) -> Finished {
        let faults = games.iter().filter(|game| game.termination.is_fault()).count();
        Finished { all: games.len(), faults }
    }
}

/// The moves of a game with its result, without tags and comments, which have times.
pub fn moves_of(pgn: &str) -> String {
    let mut depth = 0;
    let lines = pgn.lines().filter(|line| !line.starts_with('['));
    let letters = lines.flat_map(|line| line.chars().chain([' ']));
    let kept: String = letters
        .filter(|letter| {
            depth += i32::from(*letter == '{');
            let is_kept = depth == 0;
            depth -= i32::from(*letter == '}');
            is_kept
        })
        .collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}
