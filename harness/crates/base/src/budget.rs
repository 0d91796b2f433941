//! Cores of this machine that the runs of a user share.
//!
//! Each core is a file in the user's cache folder that a process locks while it uses the core; the system
//! unlocks what a process leaves behind, however it ends.

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Mutex;

use crate::sync::lock;
use crate::system;

/// The folder of the locks in the user's cache.
const FOLDER: &str = "cores";

/// Cores that this process holds, by number.
static HELD: Mutex<Vec<(usize, File)>> = Mutex::new(Vec::new());

/// The cores of this machine.
pub struct Budget {
    folder: PathBuf,
    cores: usize,
}

/// Cores of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Those that it holds.
    pub held: usize,
    /// Those that other processes of the harness hold.
    pub others: usize,
}

impl Budget {
    /// Of this user, on a machine with this many cores; `None` where the user has no folder for it.
    pub fn of_user(cores: usize) -> Option<Budget> {
        let folder = system::cache()?.join(FOLDER);
        fs::create_dir_all(&folder).ok()?;
        Some(Budget { folder, cores })
    }

    /// Holds as many cores as there are free, until this process has `wanted`; it keeps them until it ends
    /// or gives them back.
    pub fn hold(&self, wanted: usize) -> Share {
        self.hold_in(&mut lock(&HELD), wanted)
    }

    fn hold_in(&self, held: &mut Vec<(usize, File)>, wanted: usize) -> Share {
        let mut others = 0;
        for core in 0..self.cores {
            if held.iter().any(|(number, _)| *number == core) {
                continue;
            }
            // A file that cannot be made or locked is no reason not to play.
            let file = File::create(self.folder.join(core.to_string()));
            match file.map(|file| (file.try_lock().is_ok(), file)) {
                Ok((true, file)) if held.len() < wanted => held.push((core, file)),
                Ok((false, _)) => others += 1,
                Ok((true, _)) | Err(_) => {}
            }
        }
        Share { held: held.len(), others }
    }
}

/// Gives all cores of this process back.
pub fn give_back() {
    lock(&HELD).clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_process_gets_what_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let budget = Budget { folder: folder.path().to_owned(), cores: 4 };
        let (mut first, mut second, mut third) = (Vec::new(), Vec::new(), Vec::new());
        let share = |held, others| Share { held, others };
        assert_eq!(budget.hold_in(&mut first, 3), share(3, 0));
        assert_eq!(budget.hold_in(&mut first, 2), share(3, 0));
        assert_eq!(budget.hold_in(&mut second, 2), share(1, 3));
        assert_eq!(budget.hold_in(&mut third, 4), share(0, 4));
        first.clear();
        assert_eq!(budget.hold_in(&mut third, 9), share(3, 1));
        assert_eq!(budget.hold_in(&mut second, 4), share(1, 3));
    }
}
