//! Counts of games and pairs, as fastchess counts them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::stats::{GameScore, Pentanomial};

/// Results of one engine against another, seen from the first. The keys are those of fastchess's saved
/// configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(non_snake_case)]
pub struct Counts {
    /// Games won.
    pub wins: u64,
    /// Games lost.
    pub losses: u64,
    /// Games drawn.
    pub draws: u64,
    /// Pairs of two wins.
    pub penta_WW: u64,
    /// Pairs of a win and a draw.
    pub penta_WD: u64,
    /// Pairs of a win and a loss.
    pub penta_WL: u64,
    /// Pairs of two draws.
    pub penta_DD: u64,
    /// Pairs of a loss and a draw.
    pub penta_LD: u64,
    /// Pairs of two losses.
    pub penta_LL: u64,
}

impl Counts {
    /// Games.
    pub fn games(&self) -> u64 {
        self.wins + self.losses + self.draws
    }

    /// Pairs.
    pub fn pairs(&self) -> u64 {
        self.pentanomial().pairs()
    }

    /// Points.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Pairs by their score.
    pub fn pentanomial(&self) -> Pentanomial {
        let even = self.penta_WL + self.penta_DD;
        Pentanomial([self.penta_LL, self.penta_LD, even, self.penta_WD, self.penta_WW])
    }

    /// The same seen from the other engine.
    pub fn reversed(&self) -> Counts {
        Counts {
            wins: self.losses,
            losses: self.wins,
            penta_WW: self.penta_LL,
            penta_WD: self.penta_LD,
            penta_LD: self.penta_WD,
            penta_LL: self.penta_WW,
            ..*self
        }
    }

    fn add_game(&mut self, score: GameScore) {
        *match score {
            GameScore::Win => &mut self.wins,
            GameScore::Draw => &mut self.draws,
            GameScore::Loss => &mut self.losses,
        } += 1;
    }

    fn add_pair(&mut self, scores: [GameScore; 2]) {
        use GameScore::{Draw, Loss, Win};
        *match scores {
            [Win, Win] => &mut self.penta_WW,
            [Win, Draw] | [Draw, Win] => &mut self.penta_WD,
            [Win, Loss] | [Loss, Win] => &mut self.penta_WL,
            [Draw, Draw] => &mut self.penta_DD,
            [Loss, Draw] | [Draw, Loss] => &mut self.penta_LD,
            [Loss, Loss] => &mut self.penta_LL,
        } += 1;
    }

    /// Adds the counts of others.
    pub fn add(&mut self, other: &Counts) {
        self.wins += other.wins;
        self.losses += other.losses;
        self.draws += other.draws;
        self.penta_WW += other.penta_WW;
        self.penta_WD += other.penta_WD;
        self.penta_WL += other.penta_WL;
        self.penta_DD += other.penta_DD;
        self.penta_LD += other.penta_LD;
        self.penta_LL += other.penta_LL;
    }
}

/// Results of all engines by pairing.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    /// Games count with their pair only, as with `-report penta=true`.
    by_pairs: bool,
    /// By the indices of both engines, the smaller one first.
    results: BTreeMap<(usize, usize), Counts>,
    /// First games of pairs, each with the score of the engine with the smaller index.
    halves: BTreeMap<u64, GameScore>,
}

/// A game of the scoreboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scored {
    /// Number of its pair, from 0.
    pub pair: u64,
    /// Index of the engine that had White.
    pub white: usize,
    /// Index of the engine that had Black.
    pub black: usize,
    /// The result for White.
    pub result: GameScore,
}

impl Scored {
    /// Both engines, the smaller index first.
    pub fn pairing(&self) -> (usize, usize) {
        (self.white.min(self.black), self.white.max(self.black))
    }

    /// The score of the engine with the smaller index.
    fn first_score(&self) -> GameScore {
        if self.white < self.black { self.result } else { self.result.reversed() }
    }
}

impl Scoreboard {
    /// An empty one; `by_pairs`: games count with their pair only.
    pub fn new(by_pairs: bool) -> Scoreboard {
        Scoreboard { by_pairs, ..Scoreboard::default() }
    }

    /// Adds a game; whether its pair is complete.
    pub fn add(&mut self, game: &Scored) -> bool {
        let counts = self.results.entry(game.pairing()).or_default();
        let score = game.first_score();
        if !self.by_pairs {
            counts.add_game(score);
        }
        let Some(other) = self.halves.remove(&game.pair) else {
            self.halves.insert(game.pair, score);
            return false;
        };
        if self.by_pairs {
            [other, score].into_iter().for_each(|score| counts.add_game(score));
        }
        counts.add_pair([other, score]);
        true
    }

    /// Results of two engines, seen from the first.
    pub fn of(&self, first: usize, second: usize) -> Counts {
        let counts = |one, other| self.results.get(&(one, other)).copied().unwrap_or_default();
        if first < second { counts(first, second) } else { counts(second, first).reversed() }
    }

    /// Results of an engine against all others.
    pub fn of_all(&self, engine: usize) -> Counts {
        let mut sum = Counts::default();
        for (&(first, second), counts) in &self.results {
            if first == engine {
                sum.add(counts);
            } else if second == engine {
                sum.add(&counts.reversed());
            }
        }
        sum
    }
}
