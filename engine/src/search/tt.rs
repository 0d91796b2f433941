//! The transposition table, shared by all threads.
//!
//! Threads share it without locks. A slot is two words, both atomic: the data, and the key xor the
//! data (R. Hyatt and T. Mann, "A lock-less transposition table implementation", 2002). What makes
//! that sound:
//! - Every access is an atomic load or store, so there is no data race in the sense of the memory
//!   model, whatever the order; and `clear` and `new` have the table to themselves (`&mut`).
//! - Two threads may still write one slot at once, so that a reader sees the first word of one
//!   entry and the second of another. Then word xor data is the key of neither, but some other
//!   number: the entry is taken for one of another position, and not found. For a false match the
//!   data words `a` and `b` of keys `k` and `l` would have to satisfy `k ^ a ^ b == key`, a chance
//!   of 2^-64 a torn read, like that of two positions with one key.
//! - No access orders anything else (all are relaxed): an entry carries all that is meant by it,
//!   and its move is checked for legality before it is played.
//! - So a reader gets an entry that some thread stored for this key, or none. Which one depends on
//!   timing; with a single thread there is one order, that of the program.
//!
//! Two tools check that argument, both with a nightly compiler and its `rust-src`: the thread
//! sanitizer on every search in the tests, and Miri on threads that share a bucket:
//!
//! ```sh
//! TSAN_OPTIONS=allocator_may_return_null=1 RUSTFLAGS=-Zsanitizer=thread cargo +nightly test \
//!     -Zbuild-std --target x86_64-unknown-linux-gnu --release -p tench --lib search::
//! cargo +nightly miri test -p tench --lib search::tt::tests::threads
//! ```

use std::alloc::{Layout, handle_alloc_error};
use std::collections::TryReserveError;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

use super::large_pages;
use super::prefetch::prefetch;
use super::score::{TB_WIN_IN_MAX_PLY, Value, Window, is_decisive};
use crate::board::Move;

/// How a stored value relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// No value, only a move or an evaluation.
    None,
    /// Upper bound: all moves failed low.
    Upper,
    /// Lower bound: a move failed high.
    Lower,
    /// The exact value.
    Exact,
}

impl Bound {
    /// Whether a value with this bound is a better estimate than `estimate`: an exact value always
    /// is, a bound if it excludes the estimate.
    pub fn refines(self, value: Value, estimate: Value) -> bool {
        match self {
            Bound::None => false,
            Bound::Exact => true,
            Bound::Lower => value > estimate,
            Bound::Upper => value < estimate,
        }
    }
}

/// An entry of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub best_move: Option<Move>,
    pub value: Value,
    /// Static evaluation; `None` in check.
    pub eval: Option<Value>,
    /// Search depth of the value, in plies.
    pub depth: i32,
    pub bound: Bound,
    /// The position was part of a principal variation.
    pub was_pv: bool,
}

impl Entry {
    /// The stored value if its bound decides the window.
    pub fn cutoff(&self, window: Window) -> Option<Value> {
        let decides = match self.bound {
            Bound::None => false,
            Bound::Exact => true,
            Bound::Lower => self.value >= window.beta,
            Bound::Upper => self.value <= window.alpha,
        };
        decides.then_some(self.value)
    }

    /// A better evaluation than the static one: the stored value, where its bound excludes `eval`.
    pub fn refine(&self, eval: Value) -> Value {
        let refines = !is_decisive(self.value) && self.bound.refines(self.value, eval);
        if refines { self.value } else { eval }
    }
}

const NO_EVAL: i16 = i16::MIN;
/// Slots of a bucket.
const WAYS: usize = 4;
/// Number of different ages: a search has that of the one 64 searches before.
const AGES: u64 = 64;
/// Plies that an entry may be shallower than the one of the same search that it replaces.
const MAX_DEPTH_LOSS: i32 = 3;
/// Plies of depth that an entry loses in worth with each search.
const AGE_PENALTY: i64 = 8;
/// Buckets of the sample of [`TranspositionTable::hashfull`].
const HASHFULL_SAMPLE: usize = 250;

#[derive(Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// One cache line.
#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; WAYS]);

/// The transposition table.
pub struct TranspositionTable {
    buckets: Vec<Bucket>,
    age: u64,
}

impl TranspositionTable {
    /// An empty table of about this many MiB.
    pub fn new(mib: usize) -> TranspositionTable {
        TranspositionTable::allocate(mib, 1).unwrap_or_else(|_| {
            handle_alloc_error(
                Layout::array::<Bucket>(buckets(mib)).unwrap_or(Layout::new::<Bucket>()),
            )
        })
    }

    /// An empty table of about this many MiB, initialised by this number of threads.
    ///
    /// # Errors
    /// When memory does not suffice.
    pub fn allocate(mib: usize, threads: usize) -> Result<TranspositionTable, TryReserveError> {
        let count = buckets(mib);
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(count)?;
        large_pages::advise(&mut buckets.spare_capacity_mut()[..count]);
        in_chunks(&mut buckets.spare_capacity_mut()[..count], threads, |chunk| {
            for bucket in chunk {
                bucket.write(Bucket::default());
            }
        });
        // SAFETY: `count` buckets were reserved, and all of them have been written: `in_chunks`
        // returns only when every chunk has been handled.
        unsafe { buckets.set_len(count) };
        Ok(TranspositionTable { buckets, age: 0 })
    }

    /// Its size in MiB, at least 1.
    pub fn mib(&self) -> usize {
        (size_of_val(self.buckets.as_slice()) >> 20).max(1)
    }

    /// Clears the table with this number of threads.
    pub fn clear(&mut self, threads: usize) {
        in_chunks(&mut self.buckets, threads, |chunk| chunk.fill_with(Bucket::default));
        self.age = 0;
    }

    /// Starts a new age: present entries are replaced before new ones.
    pub fn new_search(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    fn bucket(&self, key: u64) -> &Bucket {
        // The high half of the product spreads keys evenly over any number of buckets.
        let index = (u128::from(key) * self.buckets.len() as u128) >> 64;
        &self.buckets[index as usize]
    }

    /// The entry of this key. `ply` converts mate values from the node to the root.
    pub(super) fn probe(&self, key: u64, ply: usize) -> Option<Entry> {
        let slot = self.bucket(key).0.iter().find_map(|slot| {
            let data = slot.data.load(Relaxed);
            (data != 0 && slot.check.load(Relaxed) ^ data == key).then_some(data)
        })?;
        let mut entry = unpack(slot);
        if entry.value >= TB_WIN_IN_MAX_PLY {
            entry.value -= ply as Value;
        } else if entry.value <= -TB_WIN_IN_MAX_PLY {
            entry.value += ply as Value;
        }
        Some(entry)
    }

    /// Stores an entry. An entry of this search for the same key is replaced only by an exact one or
    /// one that is at most [`MAX_DEPTH_LOSS`] plies shallower; otherwise the shallowest and oldest of the bucket is.
    pub(super) fn store(&self, key: u64, ply: usize, mut entry: Entry) {
        if entry.value >= TB_WIN_IN_MAX_PLY {
            entry.value += ply as Value;
        } else if entry.value <= -TB_WIN_IN_MAX_PLY {
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
                    && old.depth > entry.depth + MAX_DEPTH_LOSS
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
                i64::from(unpack(data).depth) - AGE_PENALTY * years as i64
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

    /// Prefetches the bucket of a key into the cache.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        prefetch(self.bucket(key));
    }

    /// Share of the table filled by this search, in thousandths, from a sample.
    pub fn hashfull(&self) -> u32 {
        let sample = &self.buckets[..self.buckets.len().min(HASHFULL_SAMPLE)];
        let filled = sample.iter().flat_map(|bucket| &bucket.0).filter(|slot| {
            let data = slot.data.load(Relaxed);
            data != 0 && age_of(data) == self.age
        });
        (filled.count() * 1000 / (sample.len() * WAYS)) as u32
    }
}

/// Buckets of a table of this many MiB.
fn buckets(mib: usize) -> usize {
    (mib.max(1) << 20) / size_of::<Bucket>()
}

/// Handles a slice in chunks by several threads. If a thread cannot be started, the others handle
/// its chunks.
fn in_chunks<T: Send>(slice: &mut [T], threads: usize, handle: impl Fn(&mut [T]) + Sync) {
    /// Small enough for an even distribution, large enough to avoid contention.
    const CHUNK: usize = 1 << 15;
    let threads = threads.min(slice.len().div_ceil(CHUNK));
    let chunks = Mutex::new(slice.chunks_mut(CHUNK));
    let next = || chunks.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        while let Some(chunk) = next() {
            handle(chunk);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
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

    /// Small enough for Miri, which has to look at each word.
    fn one_bucket() -> TranspositionTable {
        TranspositionTable { buckets: vec![Bucket::default()], age: 0 }
    }

    #[test]
    fn what_is_stored_is_found() {
        let table = TranspositionTable::new(1);
        for value in [-31_000, -1, 0, 1, 31_000] {
            table.store(0xdead_beef, 0, entry(value, 5));
            assert_eq!(table.probe(0xdead_beef, 0), Some(entry(value, 5)));
        }
        assert_eq!(table.probe(0xdead_bee0, 0), None);
    }

    #[test]
    fn a_mate_keeps_its_distance_from_the_position() {
        let table = TranspositionTable::new(1);
        table.store(1, 4, entry(mate_in(7), 5));
        assert_eq!(table.probe(1, 4).map(|entry| entry.value), Some(mate_in(7)));
        assert_eq!(table.probe(1, 2).map(|entry| entry.value), Some(mate_in(5)));
        table.store(1, 2, entry(mated_in(6), 5));
        assert_eq!(table.probe(1, 3).map(|entry| entry.value), Some(mated_in(7)));
    }

    #[test]
    fn old_and_shallow_entries_are_replaced_first() {
        let mut table = TranspositionTable::new(1);
        // Keys this close share a bucket.
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

    #[test]
    fn a_table_is_empty_however_many_threads_clear_it() {
        for threads in [1, 2, 7] {
            let mut table = TranspositionTable::allocate(5, threads).expect("a small table");
            let keys = (0..50_000u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            for key in keys.clone() {
                table.store(key, 0, entry(1, 5));
            }
            table.clear(threads);
            assert!(keys.clone().all(|key| table.probe(key, 0).is_none()), "{threads}");
        }
        assert!(TranspositionTable::allocate(usize::MAX >> 21, 2).is_err());
    }

    #[test]
    fn threads_that_write_at_once_never_find_an_entry_of_another_key() {
        // Few keys, all in one bucket, each with entries of its own.
        let table = one_bucket();
        let rounds = if cfg!(miri) { 100 } else { 50_000 };
        let own = |key: u64, round: u64| Entry {
            best_move: None,
            value: key as Value * 100 + (round % 100) as Value,
            eval: Some(key as Value),
            depth: (round % 100) as i32,
            bound: Bound::Exact,
            was_pv: round % 2 == 1,
        };
        thread::scope(|scope| {
            for thread in 0..4u64 {
                let table = &table;
                scope.spawn(move || {
                    for round in 0..rounds {
                        let key = 1 + (round + thread) % 6;
                        table.store(key, 0, own(key, round * 7 + thread));
                        let key = 1 + (round * 5 + thread) % 6;
                        if let Some(found) = table.probe(key, 0) {
                            assert_eq!(found, own(key, found.value as u64 % 100), "{key}");
                        }
                    }
                });
            }
        });
    }
}
