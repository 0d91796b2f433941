//! The loops of a network, over blocks in registers.

use super::vectors::{LANE, Lane, Vectors};

/// The largest unit of accumulators that are squared, so that sums in 32 bits are safe.
pub(super) const MAX_SQUARED_UNIT: i64 = 511;
/// Blocks whose products may be added up in 32 bits: a clipped number is at most
/// [`MAX_SQUARED_UNIT`], below 2^9, and times its weight below 2^15, so that 128 of their products
/// are below 2^31.
const SAFE_BLOCKS: usize = 128 / LANE;

/// What changes in the sums of the first layer: rows of weights, by the number of their input.
#[derive(Clone, Copy)]
pub(super) struct Change<'a> {
    pub added: &'a [u16],
    pub removed: &'a [u16],
}

/// `sums[to..] = sums[from..] + added rows - removed rows`, over as many blocks as a row has.
#[inline(always)]
pub(super) fn update<V: Vectors>(
    vectors: V,
    sums: &mut [Lane],
    [from, to]: [usize; 2],
    rows: &[Lane],
    blocks: usize,
    change: Change<'_>,
) {
    let mut done = 0;
    if V::FIT >= 8 {
        while blocks - done >= 8 {
            strip::<V, 8>(vectors, sums, [from + done, to + done], &rows[done..], blocks, change);
            done += 8;
        }
    }
    if V::FIT >= 4 {
        while blocks - done >= 4 {
            strip::<V, 4>(vectors, sums, [from + done, to + done], &rows[done..], blocks, change);
            done += 4;
        }
    }
    while done < blocks {
        strip::<V, 1>(vectors, sums, [from + done, to + done], &rows[done..], blocks, change);
        done += 1;
    }
}

/// The same for `N` blocks of rows that are `stride` blocks apart, all in registers.
#[inline(always)]
fn strip<V: Vectors, const N: usize>(
    vectors: V,
    sums: &mut [Lane],
    [from, to]: [usize; 2],
    rows: &[Lane],
    stride: usize,
    change: Change<'_>,
) {
    let known = &sums[from..from + N];
    let mut kept: [V::Block; N] = std::array::from_fn(|block| vectors.load(&known[block]));
    for &row in change.added {
        let row = &rows[usize::from(row) * stride..][..N];
        for (kept, weights) in kept.iter_mut().zip(row) {
            *kept = vectors.add(*kept, vectors.load(weights));
        }
    }
    for &row in change.removed {
        let row = &rows[usize::from(row) * stride..][..N];
        for (kept, weights) in kept.iter_mut().zip(row) {
            *kept = vectors.subtract(*kept, vectors.load(weights));
        }
    }
    for (sums, kept) in sums[to..to + N].iter_mut().zip(kept) {
        vectors.store(kept, sums);
    }
}

/// The sum of clipped numbers squared times weights, when 1 is `one` as a number; in units of
/// `one` squared times that of the weights.
#[inline(always)]
pub(super) fn squares<V: Vectors>(vectors: V, sums: &[Lane], weights: &[Lane], one: i16) -> i64 {
    let (mut total, mut done) = (0, 0);
    while done < sums.len() {
        let end = sums.len().min(done + SAFE_BLOCKS);
        let mut part = vectors.no_sums();
        for (sums, weights) in sums[done..end].iter().zip(&weights[done..end]) {
            let clipped = vectors.clip(vectors.load(sums), one);
            // The product fits into 16 bits: the weights are checked when they are loaded.
            let weighted = vectors.multiply(clipped, vectors.load(weights));
            part = vectors.add_products(part, clipped, weighted);
        }
        total += i64::from(vectors.total(part));
        done = end;
    }
    total
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
