//! The training set and the validation set.

use std::ops::ControlFlow;
use std::path::Path;

use engine::board::Position;
use rand::Rng;

use super::config::Config;
use super::packed::{PackedPosition, SIZE};
use super::positions::PositionSet;
use harness_data::bulk::{Keys, RowFile, RowWriter, Shuffle, Workspace};
use harness_data::dataset::{self, DataError};
use harness_data::sources::{STRIDE, check_stopped};
use harness_outcome::positions::Counts;
use harness_stats::random;

/// Positions on which a quantised network is compared with its floating-point weights.
const COMPARED: usize = 4_096;

/// Bytes of memory for each step of the work on a data set; the rest is on disk.
pub const MEMORY: u64 = 256 << 20;

/// Bytes of a position in a compressed file, at least.
const MIN_BYTES: u64 = 4;

/// The byte of a row that says whether the position is in the validation set, one that packed positions
/// leave free.
const IS_VALIDATION: usize = SIZE - 1;

/// The positions of a training, on disk.
pub struct Data {
    /// The training set, in random order.
    pub train: PositionSet,
    /// The validation set.
    pub validation: PositionSet,
    /// How many were read, kept and dropped.
    pub counts: Counts,
}

impl Data {
    /// Reads the files of a configuration; `progress` is called with the bytes read, and may stop it. Of
    /// equal positions the first one stays.
    ///
    /// # Errors
    /// When a file cannot be read or holds what is no labelled position, the disk is full, or `progress`
    /// stops it.
    pub fn read(
        config: &Config,
        workspace: Workspace<'_>,
        progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Data, DataError> {
        let seed = config.learning.seed;
        let bytes = bytes(&config.data);
        let mut keys = Keys::new(bytes / MIN_BYTES, workspace)?;
        let mut rows = RowWriter::create(workspace.folder)?;
        let mut split = (0, false);
        let mut take = |labelled: dataset::Sample| {
            if split.0 != labelled.game {
                let mut chance = random::stream("training split", seed, labelled.game);
                split = (labelled.game, chance.random::<f64>() < config.validation);
            }
            let mut row = packed(&labelled).to_bytes();
            row[IS_VALIDATION] = split.1.into();
            rows.push(&row)?;
            keys.push(labelled.position.key())
        };
        let labels = config.learning.labels(&config.network);
        let mut counts = dataset::each(&config.data, &config.filters, labels, &mut take, progress)?;
        let order = random::stream("training order", seed, u64::MAX);
        let unique = Unique { rows: rows.finish()?, keys };
        let (train, validation) =
            unique.split(order, workspace, &mut counts, &mut || progress(bytes))?;
        Ok(Data { train, validation, counts })
    }

    /// A hash of all positions.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn fingerprint(&self) -> Result<u64, DataError> {
        let mut hash = self.train.len() as u64;
        let mut add = |sample: &PackedPosition| {
            hash = (hash ^ sample.fingerprint()).wrapping_mul(0x0100_0000_01b3).rotate_left(17);
            Ok(())
        };
        self.train.each(&mut add)?;
        self.validation.each(&mut add)?;
        Ok(hash)
    }

    /// The first positions of the validation set.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn compared(&self) -> Result<Vec<Position>, DataError> {
        let mut samples = Vec::new();
        let count = COMPARED.min(self.validation.len());
        self.validation.read(0..count, &mut Vec::new(), &mut samples)?;
        Ok(samples.iter().map(PackedPosition::position).collect())
    }
}

/// A sample with its labels. Without a score the filters let only pass what needs none.
fn packed(sample: &dataset::Sample) -> PackedPosition {
    let own = sample.own_score.unwrap_or(0);
    PackedPosition::new(&sample.position, own, sample.result)
        .with_later(sample.score.unwrap_or(own))
}

/// Rows in the order of the files, with their keys.
struct Unique<'a> {
    rows: RowFile<SIZE>,
    keys: Keys<'a>,
}

impl Unique<'_> {
    /// The training set in random order, and the validation set.
    fn split(
        self,
        order: rand_pcg::Pcg64Mcg,
        workspace: Workspace<'_>,
        counts: &mut Counts,
        progress: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<(PositionSet, PositionSet), DataError> {
        let Unique { rows, keys } = self;
        let repeats = keys.repeats()?;
        counts.take_back(repeats.count(), 0);
        let mut validation = RowWriter::create(workspace.folder)?;
        // Positions of one game are correlated: a batch must not be made of neighbours.
        let mut shuffle = Shuffle::new(rows.count() - repeats.count(), order, workspace)?;
        let mut number = 0_u64;
        repeats.each_with(&rows, &mut |row, is_repeated| {
            number += 1;
            if number.is_multiple_of(STRIDE) {
                check_stopped(progress())?;
            }
            match row[IS_VALIDATION] {
                _ if is_repeated => Ok(()),
                0 => shuffle.push(row),
                _ => validation.push(row),
            }
        })?;
        drop(rows);
        let mut train = RowWriter::create(workspace.folder)?;
        shuffle.finish(&mut |row| train.push(row))?;
        let sets = (PositionSet::new(train.finish()?), PositionSet::new(validation.finish()?));
        Ok(sets)
    }
}

/// Bytes of all files.
pub fn bytes(paths: &[impl AsRef<Path>]) -> u64 {
    paths.iter().filter_map(|path| path.as_ref().metadata().ok()).map(|file| file.len()).sum()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::PathBuf;

    use rand::seq::SliceRandom;

    use super::*;
    use harness_data::filter::Filters;

    /// Lines of `FEN | score | result` of a walk that often comes back.
    fn lines(count: usize) -> String {
        let mut chance = random::stream("test lines", 1, 0);
        let mut position = Position::startpos();
        let mut lines = String::new();
        for number in 0..count {
            let moves = position.legal_moves();
            if number % 9 == 8 || moves.is_empty() {
                position = Position::startpos();
                continue;
            }
            position.play(moves[chance.random_range(0..moves.len().min(6))]);
            let score = chance.random_range(-300..300);
            let result = chance.random_range(0..3);
            let result = f64::from(result) / 2.0;
            lines += &format!("{} | {score} | {result}\n", position.fen(false));
        }
        lines
    }

    /// The training set and the validation set in memory, as they are defined.
    fn in_memory(config: &Config) -> [Vec<PackedPosition>; 2] {
        let mut sets = [Vec::new(), Vec::new()];
        let mut keys = HashSet::new();
        let mut take = |sample: dataset::Sample| {
            if keys.insert(sample.position.key()) {
                let mut chance =
                    random::stream("training split", config.learning.seed, sample.game);
                let validates = chance.random::<f64>() < config.validation;
                sets[usize::from(validates)].push(packed(&sample));
            }
            Ok(())
        };
        let labels = config.learning.labels(&config.network);
        let progress = &mut |_| ControlFlow::Continue(());
        let read = dataset::each(&config.data, &config.filters, labels, &mut take, progress);
        read.expect("sound lines");
        let seed = config.learning.seed;
        sets[0].shuffle(&mut random::stream("training order", seed, u64::MAX));
        sets
    }

    fn listed(set: &PositionSet) -> Vec<PackedPosition> {
        let mut positions = Vec::new();
        set.read(0..set.len(), &mut Vec::new(), &mut positions).expect("read");
        positions
    }

    #[test]
    fn sets_on_disk_are_those_in_memory_however_little_of_it_there_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| -> PathBuf { folder.path().join(name) };
        std::fs::write(at("a.txt"), lines(6_000)).expect("written");
        std::fs::write(at("b.txt"), lines(500)).expect("written");
        std::fs::write(at("net.yaml"), "data: [a.txt, b.txt]\nvalidation: 0.2\nseed: 5\n")
            .expect("written");
        let mut config = Config::read(&at("net.yaml")).expect("sound");
        config.filters = Filters { min_ply: 0, checks: true, tactical: true, ..config.filters };
        let [train, validation] = in_memory(&config);
        assert!(train.len() > 500 && validation.len() > 100, "{} positions", train.len());
        for memory in [1 << 28, 10_000, 1] {
            let workspace = Workspace { memory, folder: folder.path() };
            let mut progress = |_| ControlFlow::Continue(());
            let data = Data::read(&config, workspace, &mut progress).expect("sound");
            assert!(listed(&data.train) == train, "in {memory} bytes");
            assert!(listed(&data.validation) == validation, "in {memory} bytes");
            assert_eq!(data.counts.kept as usize, train.len() + validation.len());
            let repeated = data.counts.dropped.values().sum::<u64>();
            assert_eq!(repeated, data.counts.positions - data.counts.kept);
            assert!(repeated > 1_000, "{repeated}");
            let compared = data.compared().expect("read");
            assert_eq!(compared.len(), validation.len().min(COMPARED));
            assert_eq!(compared[7], validation[7].position());
        }
        let workspace = Workspace { memory: 1 << 20, folder: folder.path() };
        let stopped = Data::read(&config, workspace, &mut |_| ControlFlow::Break(()));
        assert!(matches!(stopped, Err(DataError::Stopped)));
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 3);
    }
}
