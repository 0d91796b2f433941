//! A race as a sequence of stages: heats, and the final.

use super::super::stage::{PairScores, Stage};
use super::course::before_the_first;
use harness_stats::race::{Ask, BASE, Race, RaceRule};

/// How far a race has come. Engine 0 is the base.
///
/// The pairs of a heat are those of all runners, each round from one opening. Those of the final follow, each
/// from an opening that no heat has had: it ends with the pair that decides it, in the order of the pairs.
#[derive(Clone, Debug)]
pub struct RaceCourse {
    race: Race,
    stage: Option<Stage>,
}

impl RaceCourse {
    /// A race of which nothing is played.
    pub fn new(rule: RaceRule) -> RaceCourse {
        let race = Race::new(rule);
        let stage = next_stage(&race, &before_the_first());
        RaceCourse { race, stage }
    }

    /// Takes the results that are there, in the order of the pairs, up to the one that decides the race.
    pub fn advance(&mut self, scores: &PairScores<'_>) {
        while !self.is_over()
            && let Some(stage) = &self.stage
        {
            let first = self.race.pairs();
            let pairs = first..first + stage.encounters.len() as u64;
            let Some(round) = pairs.map(scores).collect::<Option<Vec<u8>>>() else { return };
            self.race.tell(&round);
            if self.race.pairs() == stage.pairs().end
                && let Some(next) = next_stage(&self.race, stage)
            {
                self.stage = Some(next);
            }
        }
    }

    /// The latest stage; `None` where the games do not suffice for any.
    pub fn stage(&self) -> Option<&Stage> {
        self.stage.as_ref()
    }

    /// Whether nothing is left to be played.
    pub fn is_over(&self) -> bool {
        self.race.ask() == Ask::Over
    }

    /// The results so far, and what follows from them.
    pub fn race(&self) -> &Race {
        &self.race
    }

    /// Rounds, each with an opening of its own, of the results so far.
    pub fn rounds(&self) -> u64 {
        let Some(stage) = &self.stage else { return 0 };
        let within = self.race.pairs().saturating_sub(stage.first);
        stage.earlier_rounds + within / (stage.encounters.len() as u64).max(1)
    }
}

fn next_stage(race: &Race, latest: &Stage) -> Option<Stage> {
    match race.ask() {
        Ask::Heat { number, pairings, rounds } => {
            Some(latest.next(format!("heat {number}"), pairings, rounds))
        }
        Ask::Final { candidate, pairs } => {
            Some(latest.next("final".to_owned(), vec![(candidate, BASE)], pairs))
        }
        Ask::Over => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use harness_stats::{Model, Sprt, Verdict};

    fn rule(candidates: usize, max_pairs: u64) -> RaceRule {
        let test = Sprt::new(Model::Normalized, 0.0, 100.0, 0.05, 0.05).expect("valid");
        let rule = RaceRule::new(test, candidates, max_pairs).expect("valid");
        RaceRule { batch: 8, ..rule }
    }

    /// Plays a race stage by stage, the pairs of each in `order`; the second candidate is strong.
    fn play(rule: RaceRule, order: &dyn Fn(Vec<u64>) -> Vec<u64>) -> (RaceCourse, Vec<Stage>) {
        let mut course = RaceCourse::new(rule);
        let (mut scores, mut stages) = (BTreeMap::new(), Vec::<Stage>::new());
        while !course.is_over() {
            let stage = course.stage().expect("not over").clone();
            for pair in order(stage.pairs().take(200).collect()) {
                let ((first, second), round) = stage.pairing(pair);
                let score = match (round % 3, first, second) {
                    (0, 2, _) => 4,
                    (0, _, 2) => 0,
                    _ => 2,
                };
                scores.insert(pair, score);
                course.advance(&|pair| scores.get(&pair).copied());
            }
            stages.push(stage);
        }
        (course, stages)
    }

    #[test]
    fn stages_follow_from_the_results_in_whatever_order_the_pairs_end() {
        for candidates in [1, 2, 5] {
            let (course, stages) = play(rule(candidates.max(2), 5_000), &|pairs| pairs);
            assert_eq!(course.race().verdict(), Some(Verdict::Accepted));
            let (again, others) =
                play(rule(candidates.max(2), 5_000), &|pairs| pairs.into_iter().rev().collect());
            assert_eq!(stages, others);
            assert_eq!(course.race().pairs(), again.race().pairs());
            // No opening of the final is one of a heat, and no pair is left out.
            for both in stages.windows(2) {
                assert_eq!(both[0].pairs().end, both[1].first);
                assert_eq!(both[0].earlier_rounds + both[0].rounds, both[1].earlier_rounds);
            }
            assert_eq!(stages.last().map(|stage| stage.name.as_str()), Some("final"));
            assert!(course.rounds() > 0 && course.rounds() <= course.race().pairs());
        }
    }

    #[test]
    fn a_single_candidate_has_the_final_at_once_and_no_games_are_no_race() {
        let course = RaceCourse::new(rule(1, 10));
        assert_eq!(course.stage().map(|stage| stage.name.as_str()), Some("final"));
        let course = RaceCourse::new(rule(3, 2));
        assert!(course.is_over() && course.stage().is_none());
    }
}
