//! The loops of a network, over blocks in registers.

use super::vectors::{Lane, Vectors};

/// The largest unit of accumulators that are squared, so that sums in 32 bits are safe.
pub(super) const MAX_SQUARED_UNIT: i64 = 511;
/// Blocks whose products may be added up in one of [`Vectors::Sums`]: a clipped number is at most
/// [`MAX_SQUARED_UNIT`], and times its weight at most 2^15 - 1. A block adds four of such products to
/// each sum at most, and 4 * 32 * 511 * (2^15 - 1) is below 2^31.
const SAFE_BLOCKS: usize = 32;

/// The use of the blocks of an accumulator while they are in registers. (No closure: those
/// would be compiled without the instructions that [`Vectors`] stands for, unless it happens to be inlined.)
pub(super) trait Reader<V: Vectors> {
    /// The weights that go with `N` blocks.
    type Weights<const N: usize>: Copy;

    /// The weights of the blocks from a number on.
    fn weights<const N: usize>(&self, from: usize) -> Self::Weights<N>;

    /// Reads block `number` of those. Blocks go to parts 0 and 1 in turns, which do not wait for
    /// each other.
    fn read<const PART: usize, const N: usize>(
        &mut self,
        vectors: V,
        weights: Self::Weights<N>,
        number: usize,
        block: V::Block,
    );
}

/// Nothing is done.
impl<V: Vectors> Reader<V> for () {
    type Weights<const N: usize> = ();

    #[inline(always)]
    fn weights<const N: usize>(&self, _from: usize) {}

    #[inline(always)]
    fn read<const PART: usize, const N: usize>(
        &mut self,
        _vectors: V,
        (): (),
        _number: usize,
        _block: V::Block,
    ) {
    }
}

/// The rows of weights that a move adds and removes.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub added: &'a [Lane],
    pub removed: &'a [Lane],
    pub captured: Option<&'a [Lane]>,
}

/// `N` blocks from a number on.
#[inline(always)]
fn part<const N: usize>(row: &[Lane], from: usize) -> &[Lane; N] {
    row[from..].first_chunk().expect("rows of one length")
}

/// `after = before + added rows - removed rows`, in one pass, with a reader of the result.
#[inline(always)]
pub(super) fn combine<V: Vectors>(
    vectors: V,
    before: &[Lane],
    after: &mut [Lane],
    rows: Rows<'_>,
    reader: &mut impl Reader<V>,
) {
    let blocks = after.len();
    let mut done = 0;
    while blocks - done >= 8 {
        combine_part::<V, 8>(vectors, before, after, rows, reader, done);
        done += 8;
    }
    while blocks - done >= 2 {
        combine_part::<V, 2>(vectors, before, after, rows, reader, done);
        done += 2;
    }
    if done < blocks {
        combine_part::<V, 1>(vectors, before, after, rows, reader, done);
    }
}

/// The same for `N` blocks.
#[inline(always)]
#[expect(clippy::manual_map, reason = "a closure may not be inlined into the code of a processor")]
fn combine_part<V: Vectors, const N: usize>(
    vectors: V,
    before: &[Lane],
    after: &mut [Lane],
    rows: Rows<'_>,
    reader: &mut impl Reader<V>,
    from: usize,
) {
    let before: &[Lane; N] = part(before, from);
    let after: &mut [Lane; N] = after[from..].first_chunk_mut().expect("rows of one length");
    let added = part(rows.added, from);
    let removed = part(rows.removed, from);
    let captured = match rows.captured {
        Some(captured) => Some(part(captured, from)),
        None => None,
    };
    let weights = reader.weights::<N>(from);
    let mut number = 0;
    while number < N {
        let block = combined(vectors, before, added, removed, captured, number);
        vectors.store(block, &mut after[number]);
        reader.read::<0, N>(vectors, weights, number, block);
        if number + 1 < N {
            let block = combined(vectors, before, added, removed, captured, number + 1);
            vectors.store(block, &mut after[number + 1]);
            reader.read::<1, N>(vectors, weights, number + 1, block);
        }
        number += 2;
    }
}

/// A block plus that of an added row minus those of removed rows.
#[inline(always)]
fn combined<V: Vectors, const N: usize>(
    vectors: V,
    before: &[Lane; N],
    added: &[Lane; N],
    removed: &[Lane; N],
    captured: Option<&[Lane; N]>,
    number: usize,
) -> V::Block {
    let sum = vectors.add(vectors.load(&before[number]), vectors.load(&added[number]));
    let sum = vectors.subtract(sum, vectors.load(&removed[number]));
    match captured {
        Some(captured) => vectors.subtract(sum, vectors.load(&captured[number])),
        None => sum,
    }
}

/// Reads an accumulator.
#[inline(always)]
pub(super) fn read<V: Vectors>(vectors: V, sums: &[Lane], reader: &mut impl Reader<V>) {
    for (number, pair) in sums.chunks(2).enumerate() {
        let from = 2 * number;
        let weights = reader.weights::<1>(from);
        reader.read::<0, 1>(vectors, weights, 0, vectors.load(&pair[0]));
        if let Some(second) = pair.get(1) {
            let weights = reader.weights::<1>(from + 1);
            reader.read::<1, 1>(vectors, weights, 0, vectors.load(second));
        }
    }
}

/// `sums += added rows - removed rows`, by any number of features.
#[inline(always)]
pub(super) fn update<V: Vectors>(
    vectors: V,
    sums: &mut [Lane],
    rows: &[Lane],
    added: &[u16],
    removed: &[u16],
) {
    let blocks = sums.len();
    let mut done = 0;
    if V::FIT >= 8 {
        while blocks - done >= 8 {
            strip::<V, 8>(vectors, &mut sums[done..], &rows[done..], blocks, [added, removed]);
            done += 8;
        }
    }
    if V::FIT >= 4 {
        while blocks - done >= 4 {
            strip::<V, 4>(vectors, &mut sums[done..], &rows[done..], blocks, [added, removed]);
            done += 4;
        }
    }
    while done < blocks {
        strip::<V, 1>(vectors, &mut sums[done..], &rows[done..], blocks, [added, removed]);
        done += 1;
    }
}

/// The same for `N` blocks of rows that are `stride` blocks apart, all in registers. Blocks are counted: neither closures
/// nor iterators over arrays by value are sure to be inlined into the code of a processor.
#[inline(always)]
fn strip<V: Vectors, const N: usize>(
    vectors: V,
    sums: &mut [Lane],
    rows: &[Lane],
    stride: usize,
    [added, removed]: [&[u16]; 2],
) {
    let sums: &mut [Lane; N] = sums.first_chunk_mut().expect("as many blocks are left");
    let mut kept = [vectors.load(&sums[0]); N];
    for block in 1..N {
        kept[block] = vectors.load(&sums[block]);
    }
    for &row in added {
        let row: &[Lane; N] = part(rows, usize::from(row) * stride);
        for block in 0..N {
            kept[block] = vectors.add(kept[block], vectors.load(&row[block]));
        }
    }
    for &row in removed {
        let row: &[Lane; N] = part(rows, usize::from(row) * stride);
        for block in 0..N {
            kept[block] = vectors.subtract(kept[block], vectors.load(&row[block]));
        }
    }
    for block in 0..N {
        vectors.store(kept[block], &mut sums[block]);
    }
}

/// The sum of the clipped numbers of an accumulator squared times weights.
pub(super) struct Squares<'a, V: Vectors> {
    weights: &'a [Lane],
    /// The unit: the number that stands for 1, the largest clipped one.
    one: i16,
    first: V::Sums,
    second: V::Sums,
}

impl<'a, V: Vectors> Squares<'a, V> {
    #[inline(always)]
    pub fn new(vectors: V, weights: &'a [Lane], one: i16) -> Squares<'a, V> {
        // Each part reads every other block.
        assert!(weights.len() <= 2 * SAFE_BLOCKS, "wider than any first layer");
        Squares { weights, one, first: vectors.no_sums(), second: vectors.no_sums() }
    }

    /// The total of two accumulators, in units of `one` squared times that of the weights; `is_small`
    /// if it fits into 32 bits.
    #[inline(always)]
    pub fn total(self, vectors: V, theirs: Squares<'_, V>, is_small: bool) -> i64 {
        if is_small {
            // Parts may wrap around.
            let own = vectors.add_sums(self.first, self.second);
            let theirs = vectors.add_sums(theirs.first, theirs.second);
            return vectors.total(vectors.add_sums(own, theirs)).into();
        }
        vectors.wide_total(self.first)
            + vectors.wide_total(self.second)
            + vectors.wide_total(theirs.first)
            + vectors.wide_total(theirs.second)
    }
}

impl<'a, V: Vectors> Reader<V> for Squares<'a, V> {
    type Weights<const N: usize> = &'a [Lane; N];

    #[inline(always)]
    fn weights<const N: usize>(&self, from: usize) -> &'a [Lane; N] {
        part(self.weights, from)
    }

    #[inline(always)]
    fn read<const PART: usize, const N: usize>(
        &mut self,
        vectors: V,
        weights: &'a [Lane; N],
        number: usize,
        block: V::Block,
    ) {
        let clipped = vectors.clip(block, self.one);
        // The product fits into 16 bits: the weights are checked when they are loaded.
        let weighted = vectors.multiply(clipped, vectors.load(&weights[number]));
        let part = if PART == 0 { &mut self.first } else { &mut self.second };
        *part = vectors.add_products(*part, clipped, weighted);
    }
}

/// Adds to each sum the products of the numbers with a row of weights.
#[inline(always)]
pub(super) fn dense<V: Vectors>(vectors: V, numbers: &[Lane], rows: &[Lane], sums: &mut [i32]) {
    for (sum, row) in sums.iter_mut().zip(rows.chunks_exact(numbers.len())) {
        let mut parts = vectors.no_sums();
        for (numbers, weights) in numbers.iter().zip(row) {
            parts = vectors.add_products(parts, vectors.load(numbers), vectors.load(weights));
        }
        *sum += vectors.total(parts);
    }
}
