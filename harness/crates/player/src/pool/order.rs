//! Restores the order of the jobs.

use std::collections::BTreeMap;

/// Returns numbered results in the order of their numbers.
#[derive(Debug)]
pub struct InOrder<R> {
    next: u64,
    /// Results after a missing one.
    ahead: BTreeMap<u64, R>,
}

impl<R> InOrder<R> {
    /// From this number on.
    pub fn from(first: u64) -> InOrder<R> {
        InOrder { next: first, ahead: BTreeMap::new() }
    }

    /// Takes a result, each number once.
    pub fn put(&mut self, number: u64, result: R) {
        self.ahead.insert(number, result);
    }

    /// The next one in order, with its number, if it is there.
    pub fn take(&mut self) -> Option<(u64, R)> {
        let result = self.ahead.remove(&self.next)?;
        self.next += 1;
        Some((self.next - 1, result))
    }
}
