//! Sparse rows (CSR), such as the active features of positions.

/// The longest row: more than two features for each of 32 pieces.
pub const MAX_ROW: usize = 96;

/// Rows of a sparse matrix of zeros and ones: the columns of the ones, row after row.
#[derive(Clone, Debug, Default)]
pub struct SparseRows {
    items: Vec<u16>,
    /// Where each row ends.
    ends: Vec<u32>,
}

impl SparseRows {
    /// Removes all rows.
    pub fn clear(&mut self) {
        self.items.clear();
        self.ends.clear();
    }

    /// Adds a row that a function writes; it returns the length.
    #[inline]
    pub fn push(&mut self, write: impl FnOnce(&mut [u16; MAX_ROW]) -> usize) {
        let start = self.items.len();
        self.items.resize(start + MAX_ROW, 0);
        let row = self.items.last_chunk_mut().expect("as many were just added");
        let length = write(row);
        self.items.truncate(start + length);
        self.ends.push(self.items.len() as u32);
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The least number of columns that holds all rows.
    #[inline(always)]
    pub fn bound(&self) -> usize {
        let greatest = self.items.iter().fold(0, |greatest, &item| greatest.max(item));
        if self.items.is_empty() { 0 } else { usize::from(greatest) + 1 }
    }

    /// Row by row.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = &[u16]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let row = &self.items[start..end as usize];
            start = end as usize;
            row
        })
    }

    /// The transpose of a matrix of `count` columns, and last a row of ones for the biases.
    #[inline(always)]
    pub fn transpose(&self, count: usize, into: &mut SparseRows) {
        let SparseRows { items, ends } = into;
        ends.clear();
        ends.resize(count + 1, 0);
        for &item in &self.items {
            ends[usize::from(item) + 1] += 1;
        }
        // Where each begins; what is put there moves it to where it ends.
        for item in 0..count {
            ends[item + 1] += ends[item];
        }
        items.resize(self.items.len(), 0);
        for (number, row) in self.iter().enumerate() {
            for &item in row {
                let place = &mut ends[usize::from(item)];
                items[*place as usize] = number as u16;
                *place += 1;
            }
        }
        items.extend(0..self.ends.len() as u16);
        ends[count] = items.len() as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_transpose_has_the_rows_of_each_column_and_all() {
        let mut rows = SparseRows::default();
        for list in [vec![3, 1], vec![], vec![0, 3]] {
            rows.push(|row| {
                row[..list.len()].copy_from_slice(&list);
                list.len()
            });
        }
        let mut transposed = SparseRows::default();
        rows.transpose(4, &mut transposed);
        let expected: [&[u16]; 5] = [&[2], &[0], &[], &[0, 2], &[0, 1, 2]];
        assert_eq!(transposed.iter().collect::<Vec<_>>(), expected);
        assert_eq!((rows.len(), rows.bound(), SparseRows::default().bound()), (3, 4, 0));
    }
}
