//! Groups of things that are near each other.

use std::cmp::Ordering;

/// A symmetric table, computed once for each pair.
pub(crate) fn table(count: usize, value: impl Fn(usize, usize) -> f32) -> Vec<Vec<f32>> {
    let lower: Vec<Vec<f32>> = (0..count).map(|a| (0..a).map(|b| value(a, b)).collect()).collect();
    let entry = |a: usize, b: usize| match a.cmp(&b) {
        Ordering::Less => lower[b][a],
        Ordering::Equal => 0.0,
        Ordering::Greater => lower[a][b],
    };
    (0..count).map(|a| (0..count).map(|b| entry(a, b)).collect()).collect()
}

/// The mean of a value of all pairs of two groups.
pub(crate) fn mean(a: &[usize], b: &[usize], value: impl Fn(usize, usize) -> f32) -> f32 {
    let sum: f32 = a.iter().map(|&a| b.iter().map(|&b| value(a, b)).sum::<f32>()).sum();
    sum / (a.len() * b.len()) as f32
}

/// Groups of places whose mean distance is below a limit, by average linkage (R. Sokal and C.
/// Michener, 1958).
pub(crate) fn clustered(distances: &[Vec<f32>], limit: f32) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = (0..distances.len()).map(|at| vec![at]).collect();
    loop {
        let mut nearest = (limit, 0, 0);
        for a in 0..groups.len() {
            for b in 0..a {
                let apart = mean(&groups[a], &groups[b], |x, y| distances[x][y]);
                if apart < nearest.0 {
                    nearest = (apart, a, b);
                }
            }
        }
        let (_, a, b) = nearest;
        if a == b {
            return groups;
        }
        let group = groups.swap_remove(a);
        groups[b].extend(group);
    }
}
