//! Cost of a generation: the processor time of its steps, kept in its folder, so that the time
//! before a kill counts.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::folder::{COST, Folder};
use harness_base::platform::processor_time;
use harness_base::sync::lock;
use harness_data::StateError;
use harness_outcome::loop_summary::Cost;

/// Time between two writes. A kill loses no more than it.
const INTERVAL: Duration = Duration::from_secs(5);

/// A step of which the cost is counted.
pub type Part = fn(&mut Cost) -> &mut f64;

/// Counts the cost of a step.
pub struct Meter<'a> {
    folder: &'a Folder,
    /// The cost before.
    before: Cost,
    part: Part,
    /// The processor time of this process before.
    began: Duration,
    written: Mutex<Instant>,
}

impl<'a> Meter<'a> {
    /// Begins with what the folder says.
    ///
    /// # Errors
    /// When the file in the folder is damaged.
    pub fn start(folder: &'a Folder, part: Part) -> Result<Meter<'a>, StateError> {
        let before = folder.read(COST)?.unwrap_or_default();
        let written = Mutex::new(Instant::now());
        Ok(Meter { folder, before, part, began: processor_time(), written })
    }

    fn cost(&self) -> Cost {
        let mut cost = self.before;
        *(self.part)(&mut cost) += processor_time().saturating_sub(self.began).as_secs_f64();
        cost
    }

    /// Writes the cost now and then; called at every event of the step.
    pub fn tick(&self) {
        let mut written = lock(&self.written);
        if written.elapsed() >= INTERVAL {
            *written = Instant::now();
            // A disk that is full ends the step by its own files; here a little time is lost.
            let _ = self.folder.write(COST, &self.cost());
        }
    }

    /// Writes the cost at the end of the step, or of the process.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn stop(self) -> Result<(), StateError> {
        self.folder.write(COST, &self.cost())
    }
}
