//! A uniform sample of things that come one after the other.

use rand::Rng;
use rand::seq::SliceRandom;

/// Up to a number of the things that were added, each with the same probability, by reservoir sampling (J. Vitter,
/// "Random Sampling with a Reservoir", 1985, algorithm R).
#[derive(Clone, Debug)]
pub struct Reservoir<T> {
    size: usize,
    seen: usize,
    sample: Vec<T>,
}

impl<T> Reservoir<T> {
    /// An empty one for a sample of this size.
    pub fn new(size: usize) -> Reservoir<T> {
        Reservoir { size, seen: 0, sample: Vec::new() }
    }

    /// Adds a thing, which is made only if it gets into the sample.
    pub fn add(&mut self, make: impl FnOnce() -> T) {
        self.seen += 1;
        if self.sample.len() < self.size {
            self.sample.push(make());
            return;
        }
        let place = rand::rng().random_range(0..self.seen);
        if let Some(old) = self.sample.get_mut(place) {
            *old = make();
        }
    }

    /// Number of things that were added.
    pub fn seen(&self) -> usize {
        self.seen
    }

    /// The same with other things in the places of the sample's; those without one are left out.
    pub fn filter_map<U>(self, with: impl FnMut(T) -> Option<U>) -> Reservoir<U> {
        let Reservoir { size, seen, sample } = self;
        Reservoir { size, seen, sample: sample.into_iter().filter_map(with).collect() }
    }

    /// The same with other things in the places of the sample's.
    ///
    /// # Errors
    /// The first of `with`.
    pub fn try_map<U, E>(self, with: impl FnMut(T) -> Result<U, E>) -> Result<Reservoir<U>, E> {
        let Reservoir { size, seen, sample } = self;
        let sample = sample.into_iter().map(with).collect::<Result<_, E>>()?;
        Ok(Reservoir { size, seen, sample })
    }

    /// Takes the sample in random order, and begins again.
    pub fn take(&mut self) -> Vec<T> {
        self.seen = 0;
        let mut sample = std::mem::take(&mut self.sample);
        sample.shuffle(&mut rand::rng());
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_in_the_sample_with_the_same_probability() {
        let mut counts = [0; 40];
        for _ in 0..4_000 {
            let mut reservoir = Reservoir::new(4);
            (0..40).for_each(|number| reservoir.add(|| number));
            assert_eq!(reservoir.seen(), 40);
            let sample: Vec<usize> = reservoir.take();
            assert_eq!((sample.len(), reservoir.seen()), (4, 0));
            sample.into_iter().for_each(|number| counts[number] += 1);
        }
        // Each 400 times, give or take 19.
        assert!(counts.iter().all(|count| (290..510).contains(count)), "{counts:?}");
    }

    #[test]
    fn fewer_than_the_size_are_all_there() {
        let mut reservoir = Reservoir::new(4);
        (0..3).for_each(|number| reservoir.add(|| number));
        let mut odd = reservoir.clone().filter_map(|number| (number % 2 == 1).then_some(number));
        assert_eq!((odd.seen(), odd.take()), (3, vec![1]));
        assert_eq!(
            reservoir.try_map(|number| if number < 2 { Ok(number) } else { Err(number) }).err(),
            Some(2)
        );
    }
}
