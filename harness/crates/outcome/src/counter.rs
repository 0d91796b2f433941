//! Counting the games of a match as they end, and those of a test in their order.

use std::collections::BTreeMap;

use super::{MatchFacts, Outcome, Tally};
use harness_stats::Sprt;

/// Counts finished games.
///
/// Those of a test count pair by pair in the order of the pairs' numbers, up to the one that decides
/// it. A sequential test that took pairs as they end would see short games first, which are not like
/// the others, and its verdict would depend on how many are played at the same time. In this order
/// it depends on the games alone.
#[derive(Clone, Debug, Default)]
pub struct Counter {
    tally: Tally,
    sprt: Option<Sprt>,
    /// The pair of a test that counts next.
    next: u64,
    /// Finished games of a test whose turn has not come.
    waiting: BTreeMap<u64, Vec<Outcome>>,
    /// The test is decided. Looked at once a pair, as the LLR takes a solver.
    is_decided: bool,
}

impl Counter {
    /// For a match or test of which nothing is played.
    pub fn new(facts: &MatchFacts) -> Counter {
        let head = facts.engines.first().map_or("", |engine| engine.name.as_str());
        Counter { tally: Tally::new(head), sprt: facts.sprt, ..Counter::default() }
    }

    /// Counts a game, or keeps it until its turn comes.
    pub fn add(&mut self, game: Outcome) {
        let Some(sprt) = self.sprt else { return self.tally.add(&game) };
        self.waiting.entry(game.pair).or_default().push(game);
        while !self.is_decided
            && let Some(first) = self.waiting.first_entry()
            && *first.key() == self.next
            && first.get().len() == 2
        {
            for game in first.remove() {
                self.tally.add(&game);
            }
            self.next += 1;
            self.is_decided = sprt.decide(&self.tally.pairs()).is_some();
        }
    }

    /// The games that have counted.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Whether the test, if it is one, is decided.
    pub fn is_decided(&self) -> bool {
        self.is_decided
    }

    /// The first pair that does not count, once the test is decided.
    pub fn end(&self) -> Option<u64> {
        self.is_decided.then_some(self.next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_stats::{GameScore, Model};

    fn game(pair: u64, score: GameScore) -> Outcome {
        let [first, second, termination] = ["a", "b", "checkmate"].map(str::to_owned);
        Outcome { pair, first, second, score, termination }
    }

    fn counter(sprt: Option<Sprt>) -> Counter {
        Counter { tally: Tally::new("a"), sprt, ..Counter::default() }
    }

    #[test]
    fn a_pair_of_a_test_waits_for_those_before_it() {
        let sprt = Sprt::new(Model::default(), 0.0, 5.0, 0.05, 0.05).unwrap();
        let mut test = counter(Some(sprt));
        let mut open = counter(None);
        let mut counted = Vec::new();
        for pair in [1, 1, 0, 2, 0, 3, 2] {
            test.add(game(pair, GameScore::Draw));
            open.add(game(pair, GameScore::Draw));
            counted.push(test.tally().games());
        }
        assert_eq!(counted, [0, 0, 0, 0, 4, 4, 6]);
        assert_eq!((open.tally().games(), test.end()), (7, None));
    }

    /// In whatever order the games end, the test is decided by the same pairs.
    #[test]
    fn the_order_of_the_ends_does_not_change_the_decision() {
        let sprt = Sprt::new(Model::default(), 0.0, 100.0, 0.05, 0.05).unwrap();
        let score =
            |pair: u64| if pair.is_multiple_of(5) { GameScore::Draw } else { GameScore::Win };
        let decided = |order: &mut dyn Iterator<Item = u64>| {
            let mut test = counter(Some(sprt));
            for pair in order {
                test.add(game(pair, score(pair)));
                test.add(game(pair, score(pair + 1)));
            }
            (test.end().expect("decided"), test.tally().pairs())
        };
        let forward = decided(&mut (0..200));
        assert!(forward.0 < 200);
        assert_eq!(forward, decided(&mut (0..200).rev()));
        assert_eq!(forward, decided(&mut (0..200).map(|pair| pair ^ 7)));
    }
}
