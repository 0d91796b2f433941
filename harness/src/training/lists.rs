//! Lists of numbers, such as the inputs that positions turn on.

/// Several lists, one after the other in memory.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    items: Vec<u16>,
    /// Where each list ends.
    ends: Vec<u32>,
}

impl Lists {
    /// Forgets all lists.
    pub fn clear(&mut self) {
        self.items.clear();
        self.ends.clear();
    }

    /// Adds a list.
    #[inline]
    pub fn push(&mut self, items: impl Iterator<Item = u16>) {
        self.items.extend(items);
        self.ends.push(self.items.len() as u32);
    }

    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The least number that is greater than all in the lists.
    #[inline(always)]
    pub fn bound(&self) -> usize {
        let greatest = self.items.iter().fold(0, |greatest, &item| greatest.max(item));
        if self.items.is_empty() { 0 } else { usize::from(greatest) + 1 }
    }

    /// List by list.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = &[u16]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let list = &self.items[start..end as usize];
            start = end as usize;
            list
        })
    }

    /// For each number below `count` the lists that have it, in their order, and last a list of
    /// them all.
    #[inline(always)]
    pub fn turn(&self, count: usize, into: &mut Lists) {
        let Lists { items, ends } = into;
        ends.clear();
        ends.resize(count + 1, 0);
        for &item in &self.items {
            ends[usize::from(item) + 1] += 1;
        }
        // Where each begins; what is put there moves it on to where it ends.
        for item in 0..count {
            ends[item + 1] += ends[item];
        }
        items.resize(self.items.len(), 0);
        for (number, list) in self.iter().enumerate() {
            for &item in list {
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
    fn turned_lists_have_the_lists_of_each_number_and_all() {
        let mut lists = Lists::default();
        for list in [vec![3, 1], vec![], vec![0, 3]] {
            lists.push(list.into_iter());
        }
        let mut turned = Lists::default();
        lists.turn(4, &mut turned);
        let expected: [&[u16]; 5] = [&[2], &[0], &[], &[0, 2], &[0, 1, 2]];
        assert_eq!(turned.iter().collect::<Vec<_>>(), expected);
        assert_eq!((lists.len(), lists.bound(), Lists::default().bound()), (3, 4, 0));
    }
}
