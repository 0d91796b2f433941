//! Logs of the conversation with each engine: a file an engine, rotated by size.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;

use super::transcript::Transcript;
use harness_base::sync::lock;

/// Older files that are kept of each engine: `NAME.log.1` is the newest of them.
const OLDER_FILES: u32 = 4;

/// The logs of a run's engines.
///
/// A line is the time in UTC, the process, `>` for what was sent or `<` for what was received, and
/// the text: `2026-11-24T18:03:21.123456Z 4711 > go nodes 5000`.
#[derive(Debug)]
pub struct UciLogs {
    folder: PathBuf,
    /// Bytes at which a file is rotated.
    limit: u64,
    logs: Mutex<BTreeMap<String, Arc<UciLog>>>,
}

impl UciLogs {
    /// Logs in a folder, which is made with the first line; each file has at most `limit` bytes.
    pub fn new(folder: PathBuf, limit: u64) -> UciLogs {
        UciLogs { folder, limit, logs: Mutex::default() }
    }

    /// The log of an engine.
    pub(super) fn engine_log(&self, engine: &str) -> Arc<UciLog> {
        let name = file_name(engine);
        let mut logs = lock(&self.logs);
        let new = || UciLog::new(self.folder.join(format!("{name}.log")), self.limit);
        Arc::clone(logs.entry(name.clone()).or_insert_with(|| Arc::new(new())))
    }
}

/// A name that is one file in its folder on every system.
fn file_name(engine: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "._-+#".contains(letter);
    let name: String =
        engine.chars().map(|letter| if plain(letter) { letter } else { '_' }).collect();
    match name.trim_start_matches('.') {
        "" => "engine".to_owned(),
        name => name.to_owned(),
    }
}

/// The log of one engine, of all its processes.
#[derive(Debug)]
pub(super) struct UciLog {
    path: PathBuf,
    limit: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// `None` before the first line and after an error.
    file: Option<File>,
    length: u64,
    /// The line that is written; its memory is reused.
    line: Vec<u8>,
    /// A line could not be written: nothing more is.
    failed: bool,
}

impl UciLog {
    fn new(path: PathBuf, limit: u64) -> UciLog {
        UciLog { path, limit, state: Mutex::default() }
    }

    /// Notes a line. A log that cannot be written ends, and the games continue.
    fn note(&self, process: u32, direction: char, text: &[u8]) {
        let mut state = lock(&self.state);
        if state.failed {
            return;
        }
        if let Err(error) = self.write(&mut state, process, direction, text) {
            tracing::warn!("the log ends, {} cannot be written: {error}", self.path.display());
            *state = State { failed: true, ..State::default() };
        }
    }

    fn write(
        &self,
        state: &mut State,
        process: u32,
        direction: char,
        text: &[u8],
    ) -> io::Result<()> {
        let State { file, length, line, .. } = state;
        line.clear();
        write!(line, "{:.6} {process} {direction} ", Timestamp::now())?;
        line.extend_from_slice(text);
        line.push(b'\n');
        if file.is_none() {
            (*file, *length) = self.open()?;
        }
        if *length > 0 && *length + line.len() as u64 > self.limit {
            *file = None;
            self.rotate()?;
            (*file, *length) = self.open()?;
        }
        // One write a line: the file is whole whenever it is read, also after a kill.
        file.iter_mut().try_for_each(|file| file.write_all(line))?;
        *length += line.len() as u64;
        Ok(())
    }

    fn open(&self) -> io::Result<(Option<File>, u64)> {
        self.path.parent().map_or(Ok(()), fs::create_dir_all)?;
        let file = OpenOptions::new().create(true).append(true).open(&self.path)?;
        let length = file.metadata()?.len();
        Ok((Some(file), length))
    }

    /// `NAME.log` becomes `NAME.log.1`, which becomes `NAME.log.2`; the oldest one goes.
    fn rotate(&self) -> io::Result<()> {
        let older = |number: u32| older_file(&self.path, number);
        for number in (1..OLDER_FILES).rev() {
            if older(number).exists() {
                fs::rename(older(number), older(number + 1))?;
            }
        }
        fs::rename(&self.path, older(1))
    }
}

fn older_file(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

/// Who hears of the lines between the harness and a process.
#[derive(Debug, Default)]
pub(super) struct Listeners {
    /// Keeps them for a report.
    pub(super) transcript: Option<Arc<Transcript>>,
    /// The engine's log, and the process.
    pub(super) log: Option<(Arc<UciLog>, u32)>,
}

impl Listeners {
    /// Commands as they were written, one a line.
    pub(super) fn sent(&self, bytes: &[u8]) {
        if let Some(transcript) = &self.transcript {
            transcript.sent(bytes);
        }
        if let Some((log, process)) = &self.log {
            let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            bytes.split(|&byte| byte == b'\n').for_each(|line| log.note(*process, '>', line));
        }
    }

    /// A line that the engine printed.
    pub(super) fn received(&self, line: &[u8]) {
        if let Some(transcript) = &self.transcript {
            transcript.received(line);
        }
        if let Some((log, process)) = &self.log {
            log.note(*process, '<', line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path) -> String {
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    #[test]
    fn both_directions_have_a_line_each_with_time_and_process() {
        let folder = tempfile::tempdir().unwrap();
        let logs = UciLogs::new(folder.path().join("uci"), 1 << 20);
        let listeners = Listeners { transcript: None, log: Some((logs.engine_log("a/b c"), 42)) };
        listeners.sent(b"position startpos\ngo nodes 5\n");
        listeners.received(b"bestmove e2e4");
        let text = read(&folder.path().join("uci/a_b_c.log"));
        let lines: Vec<(&str, &str)> =
            text.lines().map(|line| line.split_once(' ').unwrap()).collect();
        assert!(lines.iter().all(|(time, _)| time.parse::<Timestamp>().is_ok()), "{text}");
        let lines: Vec<&str> = lines.iter().map(|(_, line)| *line).collect();
        assert_eq!(lines, ["42 > position startpos", "42 > go nodes 5", "42 < bestmove e2e4"]);
    }

    #[test]
    fn a_full_file_makes_room_and_the_oldest_lines_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        // Each line has 41 bytes: two fit.
        let log = UciLog::new(path.clone(), 120);
        for number in 100..120 {
            log.note(7, '>', format!("ping {number}").as_bytes());
        }
        let number = |line: &str| line.rsplit(' ').next().map(str::to_owned).unwrap();
        let files: Vec<PathBuf> =
            std::iter::once(path.clone()).chain((1..=4).map(|n| older_file(&path, n))).collect();
        let numbers: Vec<String> = files
            .iter()
            .rev()
            .flat_map(|file| read(file).lines().map(number).collect::<Vec<_>>())
            .collect();
        let kept: Vec<String> = (120 - numbers.len()..120).map(|n| n.to_string()).collect();
        assert_eq!(numbers, kept, "in order, the newest ones");
        assert!(files.iter().all(|file| fs::metadata(file).unwrap().len() <= 120));
        assert!(!older_file(&path, 5).exists());
    }

    #[test]
    fn a_log_goes_on_where_another_process_ended_and_one_that_cannot_be_written_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        for _ in 0..2 {
            UciLog::new(path.clone(), 1 << 20).note(7, '<', b"readyok");
        }
        assert_eq!(read(&path).lines().count(), 2);
        UciLog::new(path.join("no-folder"), 10).note(7, '<', b"readyok");
    }

    #[test]
    fn every_name_is_one_file_of_its_folder() {
        for (engine, name) in [("old v1.2", "old_v1.2"), ("../../x", "_.._x"), ("", "engine")] {
            assert_eq!(file_name(engine), name);
        }
    }
}
