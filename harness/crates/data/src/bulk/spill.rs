//! Rows in parts that fit in memory: on disk when they are many, in memory when they are few.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::Path;

use crate::error::DataError;
use harness_base::platform::unnamed_file;

/// Most parts, each an open file.
const MAX_PARTS: u64 = 256;

/// Rows distributed to parts.
pub struct Spill {
    size: usize,
    parts: Vec<Part>,
}

enum Part {
    Memory(Vec<u8>),
    Disk(BufWriter<File>),
}

impl Spill {
    /// With enough parts for about `bytes` in all, such that each fits in `memory` bytes twice.
    /// The files have no names: whatever ends the process, nothing is left in `folder`.
    pub fn new(size: usize, bytes: u64, memory: u64, folder: &Path) -> Result<Spill, DataError> {
        let count = bytes.saturating_mul(2).div_ceil(memory.max(1)).clamp(1, MAX_PARTS);
        let part = |_| {
            if count == 1 {
                return Ok(Part::Memory(Vec::new()));
            }
            Ok(Part::Disk(BufWriter::with_capacity(1 << 16, unnamed_file(folder)?)))
        };
        let parts = (0..count).map(part).collect::<io::Result<_>>();
        Ok(Spill { size, parts: parts.map_err(DataError::Disk)? })
    }

    /// How many parts there are.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Adds a row to a part.
    pub fn push(&mut self, part: usize, row: &[u8]) -> Result<(), DataError> {
        match &mut self.parts[part] {
            Part::Memory(rows) => rows.extend_from_slice(row),
            Part::Disk(file) => file.write_all(row).map_err(DataError::Disk)?,
        }
        Ok(())
    }

    /// Passes each part in turn to `take`.
    pub fn each(
        self,
        mut take: impl FnMut(Rows) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        for part in self.parts {
            let bytes = match part {
                Part::Memory(rows) => rows,
                Part::Disk(file) => read_back(file).map_err(DataError::Disk)?,
            };
            take(Rows { size: self.size, bytes })?;
        }
        Ok(())
    }
}

fn read_back(file: BufWriter<File>) -> io::Result<Vec<u8>> {
    let mut file = file.into_inner()?;
    let mut bytes = Vec::with_capacity(file.stream_position()? as usize);
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Rows in memory.
pub struct Rows {
    size: usize,
    bytes: Vec<u8>,
}

impl Rows {
    /// Number of rows.
    pub fn count(&self) -> usize {
        self.bytes.len() / self.size
    }

    /// A row.
    pub fn row(&self, number: usize) -> &[u8] {
        &self.bytes[number * self.size..][..self.size]
    }

    /// A mutable row.
    pub fn row_mut(&mut self, number: usize) -> &mut [u8] {
        &mut self.bytes[number * self.size..][..self.size]
    }
}
