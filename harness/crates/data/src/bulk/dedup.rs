//! Each position once, with its deepest label and the mean of its results.

use super::rows::{Kind, mix};
use super::spill::Rows;

/// The rows that stay, in their order: of equal positions the one whose label is deepest, the first
/// of several such. Its result becomes the mean of all.
pub fn unique(kind: Kind, rows: &mut Rows) -> Vec<u32> {
    let mut order: Vec<(u64, u32)> =
        (0..rows.count() as u32).map(|at| (kind.key(rows.row(at as usize)), at)).collect();
    // Hash collisions are rare; they are resolved by comparing the positions of a group.
    order.sort_unstable();
    let mut kept = Vec::with_capacity(order.len());
    let mut rest = order.as_slice();
    while let [(key, _), ..] = *rest {
        let group = rest.iter().take_while(|(other, _)| *other == key).count();
        let (same, others) = rest.split_at(group);
        rest = others;
        settle(kind, rows, same, &mut kept);
    }
    kept.sort_unstable();
    kept
}

/// Rows with one key, in their order: mostly one, or all of one position.
fn settle(kind: Kind, rows: &mut Rows, group: &[(u64, u32)], kept: &mut Vec<u32>) {
    let mut left: Vec<u32> = group.iter().map(|&(_, at)| at).collect();
    while let Some(&first) = left.first() {
        let is_same = |&&at: &&u32| {
            kind.position(rows.row(at as usize)) == kind.position(rows.row(first as usize))
        };
        let same: Vec<u32> = left.iter().filter(is_same).copied().collect();
        left.retain(|at| !same.contains(at));
        let deepest =
            same.iter().rev().copied().max_by_key(|&at| kind.depth(rows.row(at as usize)));
        let Some(best) = deepest else { continue };
        if same.len() > 1
            && let Some(result) = mean(kind, rows, &same, group[0].0)
        {
            *kind.result(rows.row_mut(best as usize)) = result;
        }
        kept.push(best);
    }
}

/// The mean of the results in half points. Between two of them a number drawn from the position
/// decides, so that the mean over many positions is right.
fn mean(kind: Kind, rows: &mut Rows, same: &[u32], key: u64) -> Option<u8> {
    let mut results = Vec::with_capacity(same.len());
    for &at in same {
        results.push(*kind.result(rows.row_mut(at as usize)));
    }
    results.retain(|&result| result <= 2);
    let (sum, count) = (results.iter().map(|&r| u64::from(r)).sum::<u64>(), results.len() as u64);
    let drawn = mix(key ^ 0x6d65_616e) % count.max(1);
    (count > 0).then(|| ((sum + drawn) / count) as u8)
}
