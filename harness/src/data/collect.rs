//! From games to labelled positions.

use super::filter::{Filters, Reason};
use super::flaws::Flaws;
use super::record::Record;
pub use crate::outcome::positions::Counts;

impl Counts {
    /// Counts a position, and whether the filters keep it.
    pub fn sift(&mut self, record: &Record, filters: &Filters) -> bool {
        self.positions += 1;
        match filters.refuse(record) {
            None => {
                self.kept += 1;
                true
            }
            Some(reason) => {
                *self.dropped.entry(reason).or_default() += 1;
                false
            }
        }
    }

    /// Adds up.
    pub fn add(&mut self, other: &Counts) {
        self.games += other.games;
        self.positions += other.positions;
        self.kept += other.kept;
        for (&reason, &count) in &other.dropped {
            *self.dropped.entry(reason).or_default() += count;
        }
        for (all, more) in [
            (&mut self.games_dropped, &other.games_dropped),
            (&mut self.games_corrected, &other.games_corrected),
        ] {
            for (&flaw, &games) in more {
                *all.entry(flaw).or_default() += games;
            }
        }
    }

    /// Takes over what was counted while files were read.
    pub fn note(&mut self, flaws: &Flaws) {
        self.games_dropped = flaws.dropped();
        self.games_corrected = flaws.corrected();
    }

    /// Takes back what was kept at first: duplicates, and positions without the
    /// score that the new file needs.
    pub fn take_back(&mut self, repeated: u64, unscored: u64) {
        self.kept -= repeated + unscored;
        for (reason, count) in [(Reason::Repeated, repeated), (Reason::NoScore, unscored)] {
            if count > 0 {
                *self.dropped.entry(reason).or_default() += count;
            }
        }
    }
}
