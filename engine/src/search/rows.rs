//! Rows of history entries, cleared where they were written to.

use super::history::PieceTo;

/// A row: an entry for each piece and destination.
pub(super) type Row = [i16; PieceTo::COUNT];

/// Rows of entries, initially 0. A game writes to some of them, a search of few nodes to hardly any, so clearing those
/// alone is cheap.
pub(super) struct Rows {
    rows: Vec<Row>,
    /// Whether a row was written to since it was cleared.
    written: Vec<bool>,
}

impl Rows {
    /// A number of rows.
    pub fn new(count: usize) -> Rows {
        Rows { rows: vec![[0; PieceTo::COUNT]; count], written: vec![false; count] }
    }

    /// A row to read.
    #[inline(always)]
    pub fn row(&self, number: usize) -> &Row {
        &self.rows[number]
    }

    /// A row to write to.
    #[inline(always)]
    pub fn row_mut(&mut self, number: usize) -> &mut Row {
        self.written[number] = true;
        &mut self.rows[number]
    }

    /// Sets all entries to 0.
    pub fn clear(&mut self) {
        for (row, written) in self.rows.iter_mut().zip(&mut self.written) {
            if std::mem::take(written) {
                row.fill(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_cleared() {
        let mut rows = Rows::new(5);
        for number in [1, 3, 4] {
            rows.row_mut(number)[7] = 9;
        }
        rows.row_mut(2);
        assert_eq!([0, 1, 2, 3, 4].map(|number| rows.row(number)[7]), [0, 9, 0, 9, 9]);
        rows.clear();
        assert!(rows.rows.iter().flatten().all(|&entry| entry == 0));
        rows.row_mut(1)[0] = 4;
        rows.clear();
        assert_eq!(rows.row(1)[0], 0);
    }
}
