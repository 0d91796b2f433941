//! Locks that the panic of another thread does not poison: what they protect is valid after every
//! statement, so that the other threads continue.

use std::sync::{LockResult, Mutex, MutexGuard, PoisonError};

/// Locks a mutex.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    unpoisoned(mutex.lock())
}

/// The guard or value of a lock, poisoned or not: for conditions, `RwLock` and `into_inner`.
pub fn unpoisoned<T>(result: LockResult<T>) -> T {
    result.unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_lock_is_usable_after_a_panic_of_its_holder() {
        let count = Mutex::new(1);
        thread::scope(|scope| {
            let panicked = scope.spawn(|| {
                let _held = count.lock();
                panic!("while it is locked");
            });
            assert!(panicked.join().is_err());
        });
        *lock(&count) += 1;
        assert_eq!(*lock(&count), 2);
        assert_eq!(unpoisoned(count.into_inner()), 2);
    }
}
