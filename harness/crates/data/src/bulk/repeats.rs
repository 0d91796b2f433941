//! Which of any number of keys were there before, in bounded memory.

use super::row_file::RowFile;
use super::spill::{Rows, Spill};
use super::stream::Workspace;
use crate::error::DataError;

/// Bytes of a key with its number, and of a number.
const PAIR: usize = 16;
const NUMBER: usize = 8;

/// Numbered keys, which are evenly distributed hashes.
pub struct Keys<'a> {
    /// Keys with their numbers, in parts by the highest bits of the key.
    pairs: Spill,
    count: u64,
    workspace: Workspace<'a>,
}

impl<'a> Keys<'a> {
    /// No keys; at most about `most` will come.
    ///
    /// # Errors
    /// When parts on disk cannot be made.
    pub fn new(most: u64, workspace: Workspace<'a>) -> Result<Keys<'a>, DataError> {
        // A part is held as bytes and as numbers.
        let bytes = most.saturating_mul(PAIR as u64).saturating_mul(2);
        let pairs = Spill::new(PAIR, bytes, workspace.memory, workspace.folder)?;
        Ok(Keys { pairs, count: 0, workspace })
    }

    /// Adds a key. Its number is the number of keys before it.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn push(&mut self, key: u64) -> Result<(), DataError> {
        let mut pair = [0; PAIR];
        pair[..NUMBER].copy_from_slice(&key.to_le_bytes());
        pair[NUMBER..].copy_from_slice(&self.count.to_le_bytes());
        self.count += 1;
        let part = (u128::from(key) * self.pairs.parts() as u128) >> 64;
        self.pairs.push(part as usize, &pair)
    }

    /// Finds the keys that were there before.
    ///
    /// # Errors
    /// When parts cannot be written or read back.
    pub fn repeats(self) -> Result<Repeats, DataError> {
        let Keys { pairs, count, workspace } = self;
        let bytes = count * NUMBER as u64;
        let mut numbers = Spill::new(NUMBER, bytes, workspace.memory, workspace.folder)?;
        let range = count.div_ceil(numbers.parts() as u64).max(1);
        let mut repeated = 0;
        pairs.each(|rows| {
            let mut pairs: Vec<[u64; 2]> = (0..rows.count()).map(|at| pair(rows.row(at))).collect();
            drop(rows);
            pairs.sort_unstable();
            for two in pairs.windows(2).filter(|two| two[0][0] == two[1][0]) {
                let [_, number] = two[1];
                numbers.push((number / range) as usize, &number.to_le_bytes())?;
                repeated += 1;
            }
            Ok(())
        })?;
        Ok(Repeats { numbers, range, rows: count, count: repeated })
    }
}

/// The numbers of the keys that were there before.
pub struct Repeats {
    /// In parts of `range` numbers.
    numbers: Spill,
    range: u64,
    /// Rows that were looked at.
    rows: u64,
    count: u64,
}

/// Visitor of each row, and whether it is repeated.
type TakeMarked<'a, const N: usize> = dyn FnMut(&[u8; N], bool) -> Result<(), DataError> + 'a;

impl Repeats {
    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Passes each row of a file to `take`, with whether the key of its number was there before.
    ///
    /// # Errors
    /// When a part or the file cannot be read, or `take` fails.
    pub fn each_with<const N: usize>(
        self,
        rows: &RowFile<N>,
        take: &mut TakeMarked<'_, N>,
    ) -> Result<(), DataError> {
        let Repeats { numbers, range, rows: total, .. } = self;
        let mut first = 0;
        numbers.each(|part| {
            let end = (first + range).min(total);
            let mut repeated = sorted(&part).into_iter().peekable();
            let mut numbers = first..end;
            first = end;
            rows.each(numbers.clone(), &mut |row| {
                let number = numbers.next().unwrap_or(end);
                take(row, repeated.next_if_eq(&number).is_some())
            })
        })
    }
}

fn pair(row: &[u8]) -> [u64; 2] {
    [number(&row[..NUMBER]), number(&row[NUMBER..])]
}

fn number(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().unwrap_or_default())
}

fn sorted(rows: &Rows) -> Vec<u64> {
    let mut numbers: Vec<u64> = (0..rows.count()).map(|at| number(rows.row(at))).collect();
    numbers.sort_unstable();
    numbers
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::row_file::RowWriter;
    use super::*;
    use harness_stats::random::order::{below, random};
    use rand::RngCore;

    #[test]
    fn a_key_is_repeated_if_one_before_it_is_equal_however_little_memory_there_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut chance = random(1, 0);
        let few: Vec<u64> = (0..300).map(|_| chance.next_u64()).collect();
        for count in [0, 1, 2, 1_000, 5_000] {
            let keys: Vec<u64> = (0..count)
                .map(
                    |at| if at % 3 == 0 { few[below(&mut chance, 300)] } else { chance.next_u64() },
                )
                .collect();
            let mut seen = HashSet::new();
            let wanted: Vec<bool> = keys.iter().map(|&key| !seen.insert(key)).collect();
            for memory in [1 << 20, 20_000, 1] {
                let workspace = Workspace { memory, folder: folder.path() };
                let mut found = Keys::new(count as u64, workspace).expect("begun");
                let mut rows = RowWriter::create(folder.path()).expect("begun");
                for key in &keys {
                    found.push(*key).expect("room");
                    rows.push(&key.to_le_bytes()).expect("room");
                }
                let repeats = found.repeats().expect("found");
                let number = wanted.iter().filter(|&&repeated| repeated).count();
                assert_eq!(repeats.count(), number as u64);
                let mut taken = Vec::new();
                let done =
                    repeats.each_with(&rows.finish().expect("room"), &mut |row, repeated| {
                        taken.push((u64::from_le_bytes(*row), repeated));
                        Ok(())
                    });
                done.expect("read back");
                let all: Vec<_> = keys.iter().copied().zip(wanted.iter().copied()).collect();
                assert!(taken == all, "{count} keys, {memory} bytes");
            }
        }
    }
}
