//! The transposition table: what is known of positions seen before.
//!
//! Entries are two atomic words, the second holding the data and the first the key xor the data,
//! so that threads may share the table without locks: a torn entry does not match its key
//! (R. Hyatt and T. Mann, "A lock-less transposition table implementation", 2002).

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::score::{MATE_FOUND, Value};
use crate::board::Move;

/// Which side of the true value a stored value is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// No value is stored, only a move or an evaluation.
    None,
    /// The truth is at most this: every move failed low.
    Upper,
    /// The truth is at least this: a move failed high.
    Lower,
    /// This is the truth.
    Exact,
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub best_move: Option<Move>,
    pub value: Value,
    /// Static evaluation; `None` in check.
    pub eval: Option<Value>,
    /// Plies that the value looks ahead.
    pub depth: i32,
    pub bound: Bound,
    /// It was part of a principal variation.
    pub was_pv: bool,
}

const NO_EVAL: i16 = i16::MIN;
const WAYS: usize = 4;
const AGES: u64 = 64;

#[derive(Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// One cache line.
#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; WAYS]);

/// The table.
pub struct Table {
    buckets: Vec<Bucket>,
    age: u64,
}

impl Table {
    /// An empty table of about this many MiB.
    pub fn new(mib: usize) -> Table {
        let count = (mib.max(1) << 20) / size_of::<Bucket>();
        let mut buckets = Vec::new();
        buckets.resize_with(count, Bucket::default);
        Table { buckets, age: 0 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.buckets.fill_with(Bucket::default);
        self.age = 0;
    }

    /// Marks what is in the table as older than what comes.
    pub fn new_search(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    fn bucket(&self, key: u64) -> &Bucket {
        // The high half of the product spreads keys evenly over any number of buckets.
        let index = (u128::from(key) * self.buckets.len() as u128) >> 64;
        &self.buckets[index as usize]
    }

    /// What is known of the position with this key, seen from `ply` plies below the root.
    pub(super) fn probe(&self, key: u64, ply: usize) -> Option<Entry> {
        let slot = self.bucket(key).0.iter().find_map(|slot| {
            let data = slot.data.load(Relaxed);
            (data != 0 && slot.check.load(Relaxed) ^ data == key).then_some(data)
        })?;
        let mut entry = unpack(slot);
        if entry.value >= MATE_FOUND {
            entry.value -= ply as Value;
        } else if entry.value <= -MATE_FOUND {
            entry.value += ply as Value;
        }
        Some(entry)
    }

    /// Keeps what was found; a deeper entry of this search gives way only to an exact one or to
    /// one of about its depth.
    pub(super) fn store(&self, key: u64, ply: usize, mut entry: Entry) {
        if entry.value >= MATE_FOUND {
            entry.value += ply as Value;
        } else if entry.value <= -MATE_FOUND {
            entry.value -= ply as Value;
        }
        let bucket = self.bucket(key);
        let mut worst: Option<(&Slot, i64)> = None;
        for slot in &bucket.0 {
            let data = slot.data.load(Relaxed);
            if data != 0 && slot.check.load(Relaxed) ^ data == key {
                let old = unpack(data);
                if age_of(data) == self.age
                    && entry.bound != Bound::Exact
                    && old.depth > entry.depth + 3
                {
                    return;
                }
                entry.best_move = entry.best_move.or(old.best_move);
                worst = Some((slot, 0));
                break;
            }
            let worth = if data == 0 {
                i64::MIN
            } else {
                let years = (self.age + AGES - age_of(data)) % AGES;
                i64::from(unpack(data).depth) - 8 * years as i64
            };
            if worst.is_none_or(|(_, least)| worth < least) {
                worst = Some((slot, worth));
            }
        }
        if let Some((slot, _)) = worst {
            let data = pack(&entry, self.age);
            slot.check.store(key ^ data, Relaxed);
            slot.data.store(data, Relaxed);
        }
    }

    /// Brings the bucket of a key near, before it is asked for.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a prefetch reads nothing; every x86-64 processor has it.
            unsafe { _mm_prefetch(std::ptr::from_ref(self.bucket(key)).cast(), _MM_HINT_T0) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// Share of the table that this search has filled, in thousandths, from a sample.
    pub fn permille_full(&self) -> u32 {
        let sample = &self.buckets[..self.buckets.len().min(250)];
        let filled = sample.iter().flat_map(|bucket| &bucket.0).filter(|slot| {
            let data = slot.data.load(Relaxed);
            data != 0 && age_of(data) == self.age
        });
        (filled.count() * 1000 / (sample.len() * WAYS)) as u32
    }
}

// A data word: move 16, value 16, evaluation 16, depth 7, PV 1, bound 2, age 6 bits. It is never 0,
// since an entry has a move, a bound or an evaluation other than 0, or else the depth is biased.

fn pack(entry: &Entry, age: u64) -> u64 {
    let best_move = entry.best_move.map_or(0, Move::raw);
    let eval = entry.eval.map_or(NO_EVAL, |eval| eval as i16);
    u64::from(best_move)
        | u64::from(entry.value as i16 as u16) << 16
        | u64::from(eval as u16) << 32
        | ((entry.depth.clamp(-1, 125) + 2) as u64) << 48
        | u64::from(entry.was_pv) << 55
        | (entry.bound as u64) << 56
        | age << 58
}

fn unpack(data: u64) -> Entry {
    let eval = (data >> 32) as u16 as i16;
    Entry {
        best_move: Move::from_raw(data as u16),
        value: Value::from((data >> 16) as u16 as i16),
        eval: (eval != NO_EVAL).then_some(Value::from(eval)),
        depth: (data >> 48 & 0x7f) as i32 - 2,
        bound: match data >> 56 & 3 {
            0 => Bound::None,
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        },
        was_pv: data >> 55 & 1 != 0,
    }
}

fn age_of(data: u64) -> u64 {
    data >> 58
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::{mate_in, mated_in};

    fn entry(value: Value, depth: i32) -> Entry {
        Entry {
            best_move: None,
            value,
            eval: Some(-7),
            depth,
            bound: Bound::Lower,
            was_pv: depth == 5,
        }
    }

    #[test]
    fn what_is_stored_is_found() {
        let table = Table::new(1);
        for value in [-31_000, -1, 0, 1, 31_000] {
            table.store(0xdead_beef, 0, entry(value, 5));
            assert_eq!(table.probe(0xdead_beef, 0), Some(entry(value, 5)));
        }
        assert_eq!(table.probe(0xdead_bee0, 0), None);
    }

    #[test]
    fn a_mate_keeps_its_distance_from_the_position() {
        let table = Table::new(1);
        table.store(1, 4, entry(mate_in(7), 5));
        assert_eq!(table.probe(1, 4).map(|entry| entry.value), Some(mate_in(7)));
        assert_eq!(table.probe(1, 2).map(|entry| entry.value), Some(mate_in(5)));
        table.store(1, 2, entry(mated_in(6), 5));
        assert_eq!(table.probe(1, 3).map(|entry| entry.value), Some(mated_in(7)));
    }

    #[test]
    fn old_and_shallow_entries_give_way_first() {
        let mut table = Table::new(1);
        // Keys this near share a bucket.
        for (key, depth) in [(1, 9), (2, 3), (3, 9), (4, 9)] {
            table.store(key, 0, entry(0, depth));
        }
        table.store(5, 0, entry(0, 1));
        assert_eq!(table.probe(2, 0), None);
        assert!(table.probe(1, 0).is_some() && table.probe(5, 0).is_some());
        table.new_search();
        table.new_search();
        table.store(5, 0, entry(0, 1));
        table.store(6, 0, entry(0, 1));
        assert!(table.probe(5, 0).is_some() && table.probe(6, 0).is_some());
    }
}
