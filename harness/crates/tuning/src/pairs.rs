//! Pairs of games between two settings of one engine, as pair jobs.

use std::collections::HashMap;

use harness_arena::{BookError, Colours, GameRecord, Leg, Openings, PairJob, Side, Termination};
use harness_player::pool::Settings;
use harness_player::{EngineSpec, Limit};
use harness_stats::GameScore;

/// Shared configuration of a run's pairs.
pub struct Pairs<'a> {
    /// The engine, with the options of every game.
    pub engine: &'a EngineSpec,
    /// Limit of its searches.
    pub limit: Limit,
    /// Where games start.
    pub openings: &'a Openings,
}

impl Pairs<'_> {
    /// Pair number `pair` between two settings; the first one has White in the first game.
    ///
    /// # Errors
    /// When the opening cannot be read.
    pub fn job(&self, pair: u64, settings: [Settings; 2]) -> Result<PairJob, BookError> {
        let opening = self.openings.get(pair)?;
        let [first, second] = settings;
        let side = |number, name: &str, settings| Side {
            number,
            name: name.to_owned(),
            engine: self.engine.clone(),
            settings,
            limit: self.limit,
        };
        let sides = [side(0, "first", first), side(1, "second", second)];
        Ok(PairJob {
            pair,
            sides,
            opening,
            second_opening: None,
            colours: Colours::default(),
            only: None,
        })
    }
}

/// A finished pair.
#[derive(Clone, Debug)]
pub struct PlayedPair {
    /// Its number.
    pub pair: u64,
    /// Both games.
    pub games: [GameRecord; 2],
}

/// First games of pairs whose second game is not there yet.
#[derive(Debug, Default)]
pub struct Halves(HashMap<u64, GameRecord>);

impl Halves {
    /// Takes a game; gives the pair that it completes.
    pub fn complete(&mut self, game: GameRecord) -> Option<PlayedPair> {
        let pair = game.pair;
        match self.0.remove(&pair) {
            Some(first) => Some(PlayedPair { pair, games: [first, game] }),
            None => {
                self.0.insert(pair, game);
                None
            }
        }
    }
}

impl PlayedPair {
    /// Pair score of the first player; `None` if one of them did not count, because a
    /// player crashed, hung or answered nonsense: that says nothing of its settings.
    pub fn scores(&self) -> Option<[GameScore; 2]> {
        let [first, second] = &self.games;
        let counts = |game: &GameRecord| {
            !game.termination.needs_restart()
                && !matches!(game.termination, Termination::IllegalMove | Termination::NoMove)
        };
        (counts(first) && counts(second)).then(|| [first.result, second.result.reversed()])
    }
}

/// Score of White, as the ledger keeps it for the first player of a pair.
pub fn first_half_points(leg: Leg, result: GameScore) -> u8 {
    let first = if leg == Leg::First { result } else { result.reversed() };
    first as u8
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::ops::ControlFlow;
    use std::time::Duration;

    use super::*;
    use harness_arena::{Adjudication, Conduct, Executor, LocalExecutor, OpeningsSpec, Strictness};
    use harness_base::context::Interrupt;
    use harness_player::pool::start_with;
    use harness_player::{Program, StartSettings};

    fn builtin() -> EngineSpec {
        EngineSpec {
            name: "builtin".to_owned(),
            program: Program::Builtin,
            options: [("Hash".to_owned(), "1".to_owned())].into(),
        }
    }

    fn settings(value: i32) -> Settings {
        [("rfp_margin".to_owned(), value.to_string())].into()
    }

    #[test]
    fn equal_sides_draw_every_pair_and_results_do_not_depend_on_the_workers() {
        let openings = Openings::load(&OpeningsSpec::default()).expect("the book");
        let conduct = Conduct {
            adjudication: Adjudication { max_moves: Some(40), ..Default::default() },
            strictness: Strictness { margin: None, watchdog: Duration::from_secs(60) },
            ..Conduct::default()
        };
        let engine = builtin();
        let pairs = Pairs { engine: &engine, limit: Limit::Nodes(200), openings: &openings };
        let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
        let start = start_with(StartSettings::default());
        let played = |jobs| {
            let mut executor =
                LocalExecutor::new(&conduct, "test", jobs, &start, &interrupt).expect("a pipe");
            let mut scores = BTreeMap::new();
            let mut halves = Halves::default();
            // Two batches: players are set up again between them.
            for batch in [0..4, 4..6] {
                let mut jobs = batch.map(|pair| {
                    let other = if pair < 3 { 75 } else { 30 };
                    pairs.job(pair, [settings(75), settings(other)])
                });
                let keep = &mut |games: Vec<GameRecord>| {
                    let whole = games.into_iter().filter_map(|game| halves.complete(game));
                    scores.extend(whole.map(|pair| (pair.pair, pair.scores())));
                    ControlFlow::Continue(())
                };
                executor.play(&mut jobs, keep).expect("no trouble");
            }
            scores
        };
        let alone = played(1);
        assert_eq!(alone, played(3));
        assert_eq!(alone.len(), 6);
        for pair in 0..3 {
            let [first, second] = alone[&pair].expect("no fault");
            assert_eq!(first, second.reversed(), "pair {pair}");
        }
    }
}
