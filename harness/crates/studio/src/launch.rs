//! Runs that are started from a page: commands of this program, each a process of its own.
//!
//! A run that a page starts is the one that its command line starts in a terminal. It outlives the
//! studio, and a crash of it harms nothing here.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

use crate::recipe::FindFlag;
use harness_base::platform;
use harness_base::secret::shown_words;
use harness_base::starter::{STARTED_BY, page_starter};
use harness_base::sync::lock;
use harness_base::text::shell_words;
use harness_ledger::{Ledger, ListedRun, RunQuery};
use harness_runs::kinds;

/// Bytes of a log that are shown.
const MAX_LOG_BYTES: usize = 16 * 1024;

/// Runs in which that of a command is looked for.
const MAX_RUNS: u32 = 100;

/// The newest runs of a ledger; none of one that is not there or cannot be read.
fn newest(reports: &Path, limit: u32) -> Vec<ListedRun> {
    let query = RunQuery { limit, ..RunQuery::default() };
    let list = Ledger::open_to_read(reports).and_then(|ledger| ledger.list(&query));
    list.map(|list| list.rows).unwrap_or_default()
}

/// Checks command lines.
#[derive(Clone, Copy)]
pub struct Launcher {
    /// Checks the words of a command line; the error is the one that the command prints.
    pub check: fn(&[String]) -> Result<(), String>,
    /// Finds flags of commands.
    pub flag: FindFlag,
}

/// Commands that were started.
#[derive(Default)]
pub struct LaunchedCommands {
    commands: Mutex<Vec<Arc<LaunchedCommand>>>,
}

/// A command that was started.
pub struct LaunchedCommand {
    /// Its number, from 1.
    pub number: usize,
    /// Its words, without the program.
    pub words: Vec<String>,
    /// The text of the form that it was made of.
    pub typed: String,
    /// Its process.
    pub pid: u32,
    /// The newest run of the ledger when it was started.
    before: Option<String>,
    log: PathBuf,
    ended: Mutex<Option<Option<i32>>>,
}

impl LaunchedCommands {
    /// Starts a command of this program, which works in the ledger of `reports`; what it prints goes to a
    /// file in `folder`.
    ///
    /// # Errors
    /// When the file cannot be written or the program not be started.
    pub fn start(
        &self,
        folder: &Path,
        reports: &Path,
        words: Vec<String>,
        typed: String,
    ) -> io::Result<Arc<LaunchedCommand>> {
        fs::create_dir_all(folder)?;
        let mut commands = self.commands();
        let number = commands.len() + 1;
        let log = folder.join(format!("{}-{number}.log", std::process::id()));
        let output = File::create(&log)?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args(&words).stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        command.env(STARTED_BY, page_starter());
        // Ctrl-C in the studio's terminal is not for it.
        platform::keep_in_background(&mut command);
        let before = newest(reports, 1).into_iter().next().map(|listed| listed.run);
        let mut child = command.spawn()?;
        let (pid, ended) = (child.id(), Mutex::default());
        let started = Arc::new(LaunchedCommand { number, words, typed, pid, before, log, ended });
        commands.push(Arc::clone(&started));
        let waited = Arc::clone(&started);
        thread::spawn(move || {
            let code = child.wait().ok().and_then(|status| status.code());
            *lock(&waited.ended) = Some(code);
        });
        Ok(started)
    }

    /// The command of a number.
    pub fn get(&self, number: usize) -> Option<Arc<LaunchedCommand>> {
        self.commands().get(number.checked_sub(1)?).cloned()
    }

    /// The command lines of those that have not ended.
    pub fn running(&self) -> Vec<String> {
        let commands = self.commands();
        let running = commands.iter().filter(|started| started.ended().is_none());
        running.map(|started| started.line()).collect()
    }

    fn commands(&self) -> MutexGuard<'_, Vec<Arc<LaunchedCommand>>> {
        lock(&self.commands)
    }
}

impl LaunchedCommand {
    /// Its words as they are shown: without what is secret in addresses.
    pub fn line(&self) -> String {
        shell_words(shown_words(&self.words))
    }

    /// Its exit status once it has ended; `None` in it: a signal.
    pub fn ended(&self) -> Option<Option<i32>> {
        *lock(&self.ended)
    }

    /// The run that it made in the ledger of `reports`: the one since its start that has its command line.
    pub fn run(&self, reports: &Path) -> Option<String> {
        let line = self.line();
        let has_line = |listed: &ListedRun| {
            kinds::command_line(&listed.plan).is_some_and(|known| known.ends_with(&line))
        };
        let since = newest(reports, MAX_RUNS).into_iter();
        let mut since = since.take_while(|listed| Some(&listed.run) != self.before.as_ref());
        since.find(has_line).map(|listed| listed.run)
    }

    /// The end of what it printed.
    pub fn printed(&self) -> String {
        let bytes = fs::read(&self.log).unwrap_or_default();
        let begin = bytes.len().saturating_sub(MAX_LOG_BYTES);
        String::from_utf8_lossy(&bytes[begin..]).into_owned()
    }
}
