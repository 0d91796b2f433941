//! An exact shuffle of any number of rows in bounded memory: the order is the one that a shuffle in memory
//! gives.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Seek, Write};

use rand::Rng;
use rand_pcg::Pcg64Mcg;

use super::stream::Workspace;
use crate::error::DataError;
use harness_base::platform::unnamed_file;

/// Greatest number of parts, each with two open files.
const MAX_PARTS: u64 = 256;

/// Bytes of a file's buffer.
const BUFFER: usize = 1 << 15;

/// A Fisher-Yates shuffle (R. Durstenfeld, 1964) of rows of `N` bytes that come one by one: row `t` goes
/// to a random place up to `t`, and the row that was there to place `t`.
///
/// Places are in parts that fit in memory. A row moves to later places only, so that the parts are done
/// one after the other, each in the order of time: the rows that come to a part from outside are known
/// before anything happens in it (time-forward processing; Y. Chiang and others, "External-memory graph
/// algorithms", 1995). The first part is done while rows come.
pub struct Shuffle<const N: usize> {
    places: Places,
    /// Greatest number of rows.
    most: u64,
    /// Rows of a part.
    range: u64,
    /// Rows so far.
    time: u64,
    /// The part that is in memory.
    part: Part<N>,
    /// The parts behind it.
    waiting: VecDeque<Waiting>,
}

/// Places from `first` on.
struct Part<const N: usize> {
    first: u64,
    rows: Vec<[u8; N]>,
}

/// Rows that come to a part that is not in memory.
struct Waiting {
    /// Time, place in the part and row, for each row that goes there, in the order of time.
    moves: BufWriter<File>,
    /// Place in the part and row, for each row of an earlier part that has to give way to one.
    arrivals: BufWriter<File>,
}

impl<const N: usize> Shuffle<N> {
    /// A shuffle of at most `most` rows, in the order of rand's `SliceRandom::shuffle`.
    ///
    /// # Errors
    /// When parts on disk cannot be made.
    pub fn new(
        most: u64,
        random: Pcg64Mcg,
        workspace: Workspace<'_>,
    ) -> Result<Shuffle<N>, DataError> {
        let bytes = most * N as u64;
        let parts = bytes.div_ceil(workspace.memory.max(1)).clamp(1, MAX_PARTS);
        let range = most.div_ceil(parts).max(1);
        let behind = most.div_ceil(range).max(1) - 1;
        let file = || unnamed_file(workspace.folder).map_err(DataError::Disk);
        let writer = || Ok::<_, DataError>(BufWriter::with_capacity(BUFFER, file()?));
        let waiting = (0..behind)
            .map(|_| Ok::<_, DataError>(Waiting { moves: writer()?, arrivals: writer()? }));
        Ok(Shuffle {
            places: Places::new(most, random),
            most,
            range,
            time: 0,
            part: Part { first: 0, rows: vec![[0; N]; range.min(most) as usize] },
            waiting: waiting.collect::<Result<_, _>>()?,
        })
    }

    /// Adds the next row.
    ///
    /// # Errors
    /// When the disk is full.
    ///
    /// # Panics
    /// When it is one more than the greatest number of rows.
    pub fn push(&mut self, row: &[u8; N]) -> Result<(), DataError> {
        assert!(self.time < self.most, "a row beyond the {} that were announced", self.most);
        let time = self.time;
        self.time += 1;
        let place = self.places.next();
        let number = (place / self.range) as usize;
        if number == 0 {
            return self.put(time, place, row);
        }
        let within = place % self.range;
        let moves = &mut self.waiting[number - 1].moves;
        write(moves, &[&time.to_le_bytes(), &within.to_le_bytes(), row])
    }

    /// Puts a row to a place of the part in memory; the one that is there goes to the place of the time.
    fn put(&mut self, time: u64, place: u64, row: &[u8; N]) -> Result<(), DataError> {
        let Part { first, rows } = &mut self.part;
        let displaced = std::mem::replace(&mut rows[(place - *first) as usize], *row);
        if time == place {
            return Ok(());
        }
        if let Some(there) = rows.get_mut((time - *first) as usize) {
            *there = displaced;
            return Ok(());
        }
        let behind = (time - *first) / self.range;
        let within = time % self.range;
        let arrivals = &mut self.waiting[behind as usize - 1].arrivals;
        write(arrivals, &[&within.to_le_bytes(), &displaced])
    }

    /// Passes all rows in their new order to `take`.
    ///
    /// # Errors
    /// When parts cannot be read back, or `take` fails.
    pub fn finish(
        mut self,
        take: &mut dyn FnMut(&[u8; N]) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        loop {
            let Part { first, rows } = &self.part;
            let count = self.range.min(self.time.saturating_sub(*first)) as usize;
            rows[..count].iter().try_for_each(&mut *take)?;
            match self.waiting.pop_front() {
                Some(waiting) => self.next_part(waiting)?,
                None => return Ok(()),
            }
        }
    }

    /// Takes the next part into memory, and does what waits in it.
    fn next_part(&mut self, waiting: Waiting) -> Result<(), DataError> {
        let first = self.part.first + self.range;
        self.part.first = first;
        self.part.rows.truncate(self.range.min(self.most - first) as usize);
        let mut arrivals = reader(waiting.arrivals)?;
        while let Some(place) = number(&mut arrivals)? {
            let row = &mut self.part.rows[place as usize];
            arrivals.read_exact(row).map_err(DataError::Disk)?;
        }
        let mut moves = reader(waiting.moves)?;
        let mut row = [0; N];
        while let Some(time) = number(&mut moves)? {
            let place = number(&mut moves)?;
            let place = place.ok_or_else(|| DataError::Disk(ErrorKind::UnexpectedEof.into()))?;
            moves.read_exact(&mut row).map_err(DataError::Disk)?;
            self.put(time, first + place, &row)?;
        }
        Ok(())
    }
}

fn write(file: &mut BufWriter<File>, fields: &[&[u8]]) -> Result<(), DataError> {
    fields.iter().try_for_each(|field| file.write_all(field)).map_err(DataError::Disk)
}

/// Reads what was written.
fn reader(writer: BufWriter<File>) -> Result<BufReader<File>, DataError> {
    let mut file = writer.into_inner().map_err(|error| DataError::Disk(error.into_error()))?;
    file.rewind().map_err(DataError::Disk)?;
    Ok(BufReader::with_capacity(BUFFER, file))
}

/// The next number; `None` at the end.
fn number(reader: &mut BufReader<File>) -> Result<Option<u64>, DataError> {
    let mut bytes = [0; 8];
    let (first, rest) = bytes.split_at_mut(1);
    if reader.read(first).map_err(DataError::Disk)? == 0 {
        return Ok(None);
    }
    reader.read_exact(rest).map_err(DataError::Disk)?;
    Ok(Some(u64::from_le_bytes(bytes)))
}

/// A random number from 0 to `t` for each `t` from 0 on, as rand 0.9's `SliceRandom::shuffle` draws
/// them: with less than 2^32 - 1 rows in all, one draw gives several (rand's `IncreasingUniform`).
struct Places {
    random: Pcg64Mcg,
    /// Greatest number of the next draw.
    greatest: u64,
    /// Whether one draw gives several numbers.
    is_chunked: bool,
    /// Random number below `(greatest + 1) * ... * (greatest + left)`.
    chunk: u32,
    left: u8,
}

impl Places {
    fn new(most: u64, random: Pcg64Mcg) -> Places {
        // The first number is always 0, for which nothing is drawn.
        let is_chunked = most < u64::from(u32::MAX);
        Places { random, greatest: 0, is_chunked, chunk: 0, left: 1 }
    }

    fn next(&mut self) -> u64 {
        let bound = self.greatest + 1;
        self.greatest = bound;
        if !self.is_chunked {
            return self.random.random_range(..bound as usize) as u64;
        }
        // Below 2^32, as the number of rows is.
        let bound = bound as u32;
        if self.left == 0 {
            let (product, left) = product_from(bound);
            self.chunk = self.random.random_range(..product);
            self.left = left;
        }
        self.left -= 1;
        let place = if self.left == 0 { self.chunk } else { self.chunk % bound };
        self.chunk /= bound;
        place.into()
    }
}

/// The greatest product `first * (first + 1) * ...` below 2^32, with its number of factors.
fn product_from(first: u32) -> (u32, u8) {
    let mut product = first;
    let mut factors = 1;
    while let Some(greater) = product.checked_mul(first + u32::from(factors)) {
        product = greater;
        factors += 1;
    }
    (product, factors)
}

#[cfg(test)]
mod tests {
    use rand::seq::SliceRandom;

    use super::*;
    use harness_stats::random::stream;

    fn shuffled(count: u32, most: u64, memory: u64) -> Vec<u32> {
        let folder = tempfile::tempdir().expect("a folder");
        let workspace = Workspace { memory, folder: folder.path() };
        let random = stream("test", 7, u64::from(count));
        let mut shuffle = Shuffle::<4>::new(most, random, workspace).expect("begun");
        (0..count).for_each(|row| shuffle.push(&row.to_le_bytes()).expect("room"));
        let mut rows = Vec::new();
        let taken = shuffle.finish(&mut |row| {
            rows.push(u32::from_le_bytes(*row));
            Ok(())
        });
        taken.expect("read back");
        rows
    }

    #[test]
    fn the_order_is_that_of_a_shuffle_in_memory() {
        for count in [0, 1, 2, 3, 12, 13, 14, 100, 1_000, 70_000] {
            let mut wanted: Vec<u32> = (0..count).collect();
            wanted.shuffle(&mut stream("test", 7, u64::from(count)));
            let all = 4 * u64::from(count);
            for memory in [all + 1, all, all / 2 + 1, all / 7 + 1, all / 200, 1] {
                for most in [0, 1, 40, 3 * u64::from(count)].map(|more| u64::from(count) + more) {
                    let found = shuffled(count, most, memory);
                    assert!(found == wanted, "{count} rows of {most} in {memory} bytes");
                }
            }
        }
    }

    #[test]
    fn more_rows_than_a_word_has_numbers_are_drawn_one_by_one() {
        let mut places = Places::new(1 << 33, stream("test", 1, 0));
        let mut random = stream("test", 1, 0);
        for bound in 1..1_000_usize {
            assert_eq!(places.next(), random.random_range(..bound) as u64);
        }
    }
}
