//! A lock between processes that is waited for.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

use harness_base::session::Interrupt;

/// How often the lock and the interrupt are looked at.
const INTERVAL: Duration = Duration::from_millis(100);

/// Locks a file, which is made if it is not there; closing it unlocks it. `waiting` is called once if another
/// process, or another thread of this one, has it. `None` after an interrupt.
///
/// # Errors
/// When the file cannot be made, or its file system knows no locks.
pub fn lock(
    path: &Path,
    interrupt: &Interrupt,
    waiting: impl FnOnce(),
) -> io::Result<Option<File>> {
    let file = File::create(path)?;
    let mut waiting = Some(waiting);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if interrupt.is_set() => return Ok(None),
            Err(TryLockError::WouldBlock) => {}
        }
        if let Some(waiting) = waiting.take() {
            waiting();
        }
        std::thread::sleep(INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_had_once_and_an_interrupt_ends_the_wait() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        let (interrupt, setter) = Interrupt::manual().expect("a pipe");
        let first = lock(&path, &interrupt, || panic!("it is not locked")).expect("made");
        let mut waited = false;
        let second = std::thread::scope(|scope| {
            let second = scope.spawn(|| lock(&path, &interrupt, || waited = true));
            setter.set();
            second.join().expect("no panic")
        });
        assert!(second.expect("a file").is_none() && first.is_some());
        drop(first);
        // A process that another test starts at this moment has the file until it runs its program.
        let (interrupt, _) = Interrupt::manual().expect("a pipe");
        let third = lock(&path, &interrupt, || ()).expect("made");
        assert!(third.is_some());
    }
}
