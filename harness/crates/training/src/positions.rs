//! Positions on disk: a training set or a validation set may be larger than memory.

use std::ops::Range;
use std::path::Path;

use super::packed::{PackedPosition, SIZE};
use harness_data::DataError;
use harness_data::bulk::{RowFile, RowWriter};

/// Positions that are read at once.
const BLOCK: usize = 4_096;

/// A set of positions that is written.
pub struct PositionWriter(RowWriter<SIZE>);

impl PositionWriter {
    /// A set without positions, in a folder.
    ///
    /// # Errors
    /// When no file can be made there.
    pub fn create(folder: &Path) -> Result<PositionWriter, DataError> {
        RowWriter::create(folder).map(PositionWriter)
    }

    /// Adds a position.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn push(&mut self, position: &PackedPosition) -> Result<(), DataError> {
        self.0.push(&position.to_bytes())
    }

    /// The set, to be read.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn finish(self) -> Result<PositionSet, DataError> {
        self.0.finish().map(PositionSet)
    }
}

/// A set of packed positions, in order, in a file without a name.
#[derive(Debug)]
pub struct PositionSet(RowFile<SIZE>);

impl PositionSet {
    /// The set of these positions, in a folder.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn collect(
        positions: impl IntoIterator<Item = PackedPosition>,
        folder: &Path,
    ) -> Result<PositionSet, DataError> {
        let mut writer = PositionWriter::create(folder)?;
        positions.into_iter().try_for_each(|position| writer.push(&position))?;
        writer.finish()
    }

    /// The set whose positions were written by [`PackedPosition::to_bytes`].
    pub fn new(rows: RowFile<SIZE>) -> PositionSet {
        PositionSet(rows)
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.0.count() as usize
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads positions by their numbers, and adds them to a list; `rows` is memory for that.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn read(
        &self,
        numbers: Range<usize>,
        rows: &mut Vec<[u8; SIZE]>,
        into: &mut Vec<PackedPosition>,
    ) -> Result<(), DataError> {
        rows.resize(numbers.len(), [0; SIZE]);
        self.0.read(numbers.start as u64, rows)?;
        into.extend(rows.iter().map(PackedPosition::from_bytes));
        Ok(())
    }

    /// Announces that positions will be read soon.
    pub fn read_ahead(&self, numbers: Range<usize>) {
        self.0.read_ahead(numbers.start as u64, numbers.len() as u64);
    }

    /// Passes positions to `take` in their order, many at a time: all but the last time a multiple of
    /// [`GROUP`](super::group::GROUP).
    ///
    /// # Errors
    /// When they cannot be read, or `take` fails.
    pub fn each_block(
        &self,
        numbers: Range<usize>,
        take: &mut dyn FnMut(&[PackedPosition]) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let mut positions = Vec::with_capacity(BLOCK.min(numbers.len()));
        let Range { start, end } = numbers;
        self.0.each_block(start as u64..end as u64, BLOCK, &mut |rows| {
            positions.clear();
            positions.extend(rows.iter().map(PackedPosition::from_bytes));
            take(&positions)
        })
    }

    /// Passes each position to `take`, in their order.
    ///
    /// # Errors
    /// When they cannot be read, or `take` fails.
    pub fn each(
        &self,
        take: &mut dyn FnMut(&PackedPosition) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let take = &mut |positions: &[PackedPosition]| positions.iter().try_for_each(&mut *take);
        self.each_block(0..self.len(), take)
    }
}
