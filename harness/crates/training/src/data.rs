//! The training set and the validation set.

use std::ops::ControlFlow;
use std::path::Path;

use engine::board::Position;
use rand::Rng;
use rand::seq::SliceRandom;

use super::config::Config;
use super::packed::PackedPosition;
use harness_data::dataset::{self, DataError};
use harness_outcome::positions::Counts;
use harness_stats::random;

/// Positions on which a quantised network is compared with its floating-point weights.
pub const KEPT: usize = 4_096;

/// The positions of a training.
pub struct Data {
    /// The training set, in random order.
    pub train: Vec<PackedPosition>,
    /// The validation set.
    pub validation: Vec<PackedPosition>,
    /// The first positions of the validation set, not packed.
    pub positions: Vec<Position>,
    /// How many were read, kept and dropped.
    pub counts: Counts,
}

impl Data {
    /// Reads the files of a configuration; `progress` is called with the bytes read, and may stop it.
    ///
    /// # Errors
    /// When a file cannot be read or holds what is no labelled position, or `progress` stops it.
    pub fn read(
        config: &Config,
        progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Data, DataError> {
        let seed = config.learning.seed;
        let (mut train, mut validation, mut positions) = (Vec::new(), Vec::new(), Vec::new());
        let mut split = (0, false);
        let mut take = |labelled: dataset::Sample| {
            if split.0 != labelled.game {
                let mut chance = random::stream("training split", seed, labelled.game);
                split = (labelled.game, chance.random::<f64>() < config.validation);
            }
            // Without a score the filters let only pass what needs none.
            let score = labelled.score.unwrap_or(0);
            let sample = PackedPosition::new(&labelled.position, score, labelled.result);
            if split.1 {
                validation.push(sample);
                if positions.len() < KEPT {
                    positions.push(labelled.position);
                }
            } else {
                train.push(sample);
            }
        };
        let labels = config.learning.labels(&config.network);
        let counts = dataset::read(&config.data, &config.filters, labels, &mut take, progress)?;
        // Positions of one game are correlated: a batch must not be made of neighbours.
        train.shuffle(&mut random::stream("training order", seed, u64::MAX));
        Ok(Data { train, validation, positions, counts })
    }

    /// A hash of all positions.
    pub fn fingerprint(&self) -> u64 {
        let of = |hash: u64, sample: &PackedPosition| {
            (hash ^ sample.fingerprint()).wrapping_mul(0x0100_0000_01b3).rotate_left(17)
        };
        let train = self.train.iter().fold(self.train.len() as u64, of);
        self.validation.iter().fold(train, of)
    }
}

/// Bytes of all files.
pub fn bytes(paths: &[impl AsRef<Path>]) -> u64 {
    paths.iter().filter_map(|path| path.as_ref().metadata().ok()).map(|file| file.len()).sum()
}
