//! The pairs of a tournament whose pairings are known.

use std::ops::Range;

/// Half points of the first engine of a pair; `None` until both games are over.
pub type PairScores<'a> = dyn Fn(u64) -> Option<u8> + 'a;

/// Two engines that met, and with what result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encounter {
    /// The engines by number.
    pub engines: [usize; 2],
    /// Half points of both, tie-breaks included.
    pub half_points: [u64; 2],
    /// Who advances in a knockout, or has won a match; `None` of a level one.
    pub winner: Option<usize>,
}

/// Pairs whose pairings are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// `round 2`, `tie-break 1 of round 2`.
    pub name: String,
    /// Number of its first pair.
    pub first: u64,
    /// The engines that meet.
    pub encounters: Vec<(usize, usize)>,
    /// Pairs of each encounter.
    pub rounds: u64,
    /// Rounds before this stage, each with an opening of its own.
    pub earlier_rounds: u64,
}

impl Stage {
    /// The numbers of its pairs.
    pub fn pairs(&self) -> Range<u64> {
        self.first..self.first + self.rounds * self.encounters.len() as u64
    }

    /// The engines of a pair of this stage, and the round that gives its opening.
    pub fn pairing(&self, pair: u64) -> ((usize, usize), u64) {
        let within = pair - self.first;
        let encounters = self.encounters.len() as u64;
        let which = usize::try_from(within % encounters).unwrap_or(0);
        (self.encounters[which], self.earlier_rounds + within / encounters)
    }

    /// The stage after this one.
    pub(super) fn next(&self, name: String, encounters: Vec<(usize, usize)>, rounds: u64) -> Stage {
        let first = self.pairs().end;
        let earlier_rounds = self.earlier_rounds + self.rounds;
        Stage { name, first, encounters, rounds, earlier_rounds }
    }

    /// Half points of both engines of an encounter; `None` until all its games are over.
    pub(super) fn score(&self, encounter: usize, scores: &PairScores<'_>) -> Option<[u64; 2]> {
        let pairs = self.pairs().skip(encounter).step_by(self.encounters.len());
        let first = pairs.map(|pair| scores(pair).map(u64::from)).sum::<Option<u64>>()?;
        Some([first, 4 * self.rounds - first])
    }

    /// All encounters with their half points; `None` until all games are over.
    pub(super) fn result(&self, scores: &PairScores<'_>) -> Option<Vec<Encounter>> {
        let encounters = self.encounters.iter().enumerate();
        let encounters = encounters.map(|(index, &(first, second))| {
            let half_points = self.score(index, scores)?;
            Some(Encounter { engines: [first, second], half_points, winner: None })
        });
        encounters.collect()
    }
}
