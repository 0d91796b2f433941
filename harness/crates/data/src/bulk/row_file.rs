//! Rows of one size in a file on disk without a name, read by their numbers.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::Path;

use crate::error::DataError;
use harness_base::platform::{read_ahead, read_exact_at, unnamed_file};

/// Bytes of a file's buffer.
const BUFFER: usize = 1 << 16;

/// A file to which rows of `N` bytes are added.
pub struct RowWriter<const N: usize> {
    file: BufWriter<File>,
    count: u64,
}

/// Visitor of each block of rows.
pub type TakeRows<'a, const N: usize> = dyn FnMut(&[[u8; N]]) -> Result<(), DataError> + 'a;

impl<const N: usize> RowWriter<N> {
    /// A file without rows, in a folder.
    ///
    /// # Errors
    /// When it cannot be made there.
    pub fn create(folder: &Path) -> Result<RowWriter<N>, DataError> {
        let file = unnamed_file(folder).map_err(DataError::Disk)?;
        Ok(RowWriter { file: BufWriter::with_capacity(BUFFER, file), count: 0 })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// When the disk is full.
    #[inline]
    pub fn push(&mut self, row: &[u8; N]) -> Result<(), DataError> {
        self.count += 1;
        self.file.write_all(row).map_err(DataError::Disk)
    }

    /// The rows, to be read.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn finish(self) -> Result<RowFile<N>, DataError> {
        let RowWriter { file, count } = self;
        let file = file.into_inner().map_err(|error| DataError::Disk(error.into_error()))?;
        Ok(RowFile { file, count })
    }
}

/// A file of rows of `N` bytes. Threads may read it at the same time.
#[derive(Debug)]
pub struct RowFile<const N: usize> {
    file: File,
    count: u64,
}

impl<const N: usize> RowFile<N> {
    /// Number of rows.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Fills `rows` with those from a number on.
    ///
    /// # Errors
    /// When they cannot be read, or there are not as many.
    pub fn read(&self, first: u64, rows: &mut [[u8; N]]) -> Result<(), DataError> {
        let bytes = rows.as_flattened_mut();
        read_exact_at(&self.file, bytes, first * N as u64).map_err(DataError::Disk)
    }

    /// Announces that rows will be read soon.
    pub fn read_ahead(&self, first: u64, count: u64) {
        read_ahead(&self.file, first * N as u64, count * N as u64);
    }

    /// Passes rows to `take` in their order, `most` at a time and the rest.
    ///
    /// # Errors
    /// When they cannot be read, or `take` fails.
    pub fn each_block(
        &self,
        numbers: Range<u64>,
        most: usize,
        take: &mut TakeRows<'_, N>,
    ) -> Result<(), DataError> {
        let Range { start, end } = numbers;
        let mut rows = vec![[0; N]; most.min(end.saturating_sub(start) as usize)];
        for first in numbers.step_by(most) {
            let rows = &mut rows[..most.min((end - first) as usize)];
            self.read(first, rows)?;
            take(rows)?;
        }
        Ok(())
    }

    /// Passes rows to `take` in their order.
    ///
    /// # Errors
    /// When they cannot be read, or `take` fails.
    pub fn each(
        &self,
        numbers: Range<u64>,
        take: &mut dyn FnMut(&[u8; N]) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        self.each_block(numbers, BUFFER / N, &mut |rows| rows.iter().try_for_each(&mut *take))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_by_their_numbers() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut writer = RowWriter::<3>::create(folder.path()).expect("begun");
        for number in 0..100_000_u32 {
            let [a, b, c, _] = number.to_le_bytes();
            writer.push(&[a, b, c]).expect("room");
        }
        let file = writer.finish().expect("room");
        assert_eq!(file.count(), 100_000);
        let mut rows = [[0; 3]; 2];
        file.read_ahead(65_535, 2);
        file.read(65_535, &mut rows).expect("there");
        assert_eq!(rows, [[255, 255, 0], [0, 0, 1]]);
        assert!(file.read(99_999, &mut rows).is_err(), "there is only one");
        for range in [0..0, 0..1, 5..100_000, 70_000..70_001, 0..100_000] {
            let mut numbers = Vec::new();
            let done = file.each(range.clone(), &mut |&[a, b, c]| {
                numbers.push(u64::from(u32::from_le_bytes([a, b, c, 0])));
                Ok(())
            });
            done.expect("read");
            assert!(numbers.into_iter().eq(range));
        }
    }
}
