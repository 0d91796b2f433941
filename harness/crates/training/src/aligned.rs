//! Arrays that begin at a cache line.
//!
//! A register of 16 numbers is as long as a line. From an array that begins elsewhere each load
//! touches two lines, which halves the speed of what is limited by loads.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line.
const LINE: usize = 64;

/// An array that begins at a cache line.
#[derive(Debug, Default)]
pub struct Aligned {
    buffer: Vec<f32>,
    /// Where the array begins in the buffer.
    start: usize,
    len: usize,
}

impl Aligned {
    /// Changes the length; the content is unspecified.
    pub fn resize(&mut self, len: usize) {
        if self.start + len > self.buffer.len() {
            self.buffer = vec![0.0; len + LINE / size_of::<f32>()];
            self.start = self.buffer.as_ptr().align_offset(LINE);
        }
        self.len = len;
    }

    /// Copies numbers.
    pub fn set(&mut self, numbers: &[f32]) {
        self.resize(numbers.len());
        self.copy_from_slice(numbers);
    }
}

impl Deref for Aligned {
    type Target = [f32];

    #[inline]
    fn deref(&self) -> &[f32] {
        &self.buffer[self.start..self.start + self.len]
    }
}

impl DerefMut for Aligned {
    #[inline]
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.buffer[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_any_length_begin_at_a_line() {
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
