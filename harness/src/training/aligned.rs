//! Numbers in memory from the beginning of a line of the cache on.
//!
//! A register of 16 numbers is as long as a line. From a list that begins elsewhere each load of
//! one touches two lines, which halves the speed of whatever is limited by loads.

use std::ops::{Deref, DerefMut};

/// Bytes of a line of the cache.
const LINE: usize = 64;

/// A list of numbers whose first is at the beginning of a line.
#[derive(Debug, Default)]
pub struct Aligned {
    room: Vec<f32>,
    /// Where the list begins in the room.
    start: usize,
    len: usize,
}

impl Aligned {
    /// Has so many numbers from now on, whatever they are.
    pub fn resize(&mut self, len: usize) {
        if self.start + len > self.room.len() {
            self.room = vec![0.0; len + LINE / size_of::<f32>()];
            self.start = self.room.as_ptr().align_offset(LINE);
        }
        self.len = len;
    }

    /// Has these numbers from now on.
    pub fn set(&mut self, numbers: &[f32]) {
        self.resize(numbers.len());
        self.copy_from_slice(numbers);
    }
}

impl Deref for Aligned {
    type Target = [f32];

    #[inline]
    fn deref(&self) -> &[f32] {
        &self.room[self.start..self.start + self.len]
    }
}

impl DerefMut for Aligned {
    #[inline]
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.room[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_any_length_begin_with_a_line() {
        let mut list = Aligned::default();
        assert!(list.is_empty());
        for len in [3, 1, 100, 17, 100_000, 0] {
            let numbers: Vec<f32> = (0..len).map(|number| number as f32).collect();
            list.set(&numbers);
            assert_eq!(*list, *numbers);
            assert!((list.as_ptr() as usize).is_multiple_of(LINE));
        }
    }
}
