//! A part of a run's pairs, to be played apart from the others.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// One of several equal parts of a run: `3/8` has the pairs 2, 10, 18, ...
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    /// Which part, from 1.
    pub number: u64,
    /// How many there are.
    pub of: u64,
}

/// A text that is no shard.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a shard is its number and the number of all, as 3/8")]
pub struct ParseShardError;

impl Shard {
    /// Whether a pair belongs to it.
    pub fn has(&self, pair: u64) -> bool {
        pair % self.of == self.number - 1
    }

    /// How many of the first `pairs` pairs belong to it.
    pub fn share(&self, pairs: u64) -> u64 {
        (pairs + self.of - self.number) / self.of
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = ParseShardError;

    fn from_str(text: &str) -> Result<Shard, ParseShardError> {
        let (number, of) = text.split_once('/').ok_or(ParseShardError)?;
        let part = |text: &str| text.trim().parse::<u64>().map_err(|_| ParseShardError);
        let shard = Shard { number: part(number)?, of: part(of)? };
        let is_part = (1..=shard.of).contains(&shard.number) && shard.of <= 1_000_000;
        is_part.then_some(shard).ok_or(ParseShardError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_is_in_one_shard() {
        for pairs in [0, 1, 7, 8, 9, 100] {
            let shards = (1..=8).map(|number| Shard { number, of: 8 });
            let counts = shards.map(|shard| {
                let own = (0..pairs).filter(|&pair| shard.has(pair)).count() as u64;
                assert_eq!(own, shard.share(pairs), "{shard} of {pairs}");
                own
            });
            assert_eq!(counts.sum::<u64>(), pairs);
        }
    }

    #[test]
    fn a_shard_is_read_as_it_is_written() {
        assert_eq!("3/8".parse(), Ok(Shard { number: 3, of: 8 }));
        for wrong in ["0/8", "9/8", "3", "3/0", "a/b", "-1/4"] {
            assert_eq!(wrong.parse::<Shard>(), Err(ParseShardError), "{wrong}");
        }
    }
}
