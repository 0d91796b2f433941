//! Starting, resuming, finishing and listing runs.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::{Timestamp, Unit};
use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::id::{NEWEST, new_id, resolve};
use super::run::{is_locked, lock};
use super::{Ledger, LedgerError, Machine, Run};
use harness_base::files::write_atomically;
use harness_base::secret::shown_line;
use harness_base::starter::starter;
use harness_base::text::{arguments, shell_words};

/// State of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A process works on it.
    Running,
    /// It is finished and has a summary.
    Finished,
    /// Its process ended early; `harness resume` continues.
    Interrupted,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Status::Running => "running",
            Status::Finished => "finished",
            Status::Interrupted => "interrupted",
        })
    }
}

/// A run as `harness runs` lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRow {
    /// The id.
    pub run: String,
    /// The command: `match`, `sprt`, `suite`, ...
    pub command: String,
    /// When it started, RFC 3339 in UTC.
    pub started: String,
    /// Who started it: `user@host`, a page, a service; `None`: unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_by: Option<String>,
    /// Its state.
    pub status: Status,
    /// Name that the user gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Games recorded.
    pub games: u64,
    /// Suite positions recorded.
    pub positions: u64,
    /// The run that it is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
}

/// A run, without its lock.
#[derive(Clone, Debug, PartialEq)]
pub struct RunFacts {
    /// The whole id.
    pub id: String,
    /// The command.
    pub command: String,
    /// When it started, RFC 3339 in UTC.
    pub started: String,
    /// Who started it: `user@host`, a page, a service; `None`: unknown.
    pub started_by: Option<String>,
    /// The command line of the process that started it; the plan may have one of its own.
    pub command_line: Option<String>,
    /// When it came to its end, the same.
    pub finished: Option<String>,
    /// Its state.
    pub status: Status,
    /// Name that the user gave it.
    pub name: Option<String>,
    /// Note of the user.
    pub note: Option<String>,
    /// Where its files are.
    pub folder: PathBuf,
    /// The plan it was started with.
    pub plan: Value,
    /// The result, once finished.
    pub summary: Option<Value>,
}

/// A run resumed by this process.
#[derive(Debug)]
pub struct Resumed {
    /// The locked run.
    pub run: Run,
    /// The command that started it.
    pub command: String,
    /// The plan it was started with.
    pub plan: Value,
}

/// The start of a run, as the ledger and `run.yaml` have it.
struct Start<'a> {
    command: &'a str,
    started: &'a str,
    started_by: Option<&'a str>,
    command_line: Option<&'a str>,
    /// The number of the run that it is a part of.
    part_of: Option<i64>,
    plan: &'a Value,
}

/// Content of `run.yaml`: all that is needed to repeat the run.
#[derive(Serialize)]
struct RunFile<'a> {
    run: &'a str,
    command: &'a str,
    started: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command_line: Option<&'a str>,
    harness: &'a str,
    machine: Machine,
    plan: &'a Value,
}

impl RunFacts {
    fn start(&self) -> Start<'_> {
        let RunFacts { command, started, plan, .. } = self;
        let [started_by, command_line] =
            [&self.started_by, &self.command_line].map(|text| text.as_deref());
        // Only the row says what it is a part of.
        Start { command, started, started_by, command_line, part_of: None, plan }
    }
}

/// The id of a run, and the number of its row.
pub(super) struct RunKey {
    pub(super) id: String,
    pub(super) number: i64,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Takes what is secret in addresses out of the command lines of a plan or a summary.
fn strip_command_lines(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(line) if name == "command_line" => *line = shown_line(line),
                    field => strip_command_lines(field),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(strip_command_lines),
        _ => {}
    }
}

impl Ledger {
    /// Starts a run: a new id, its folder with `run.yaml`, its row, its lock.
    ///
    /// `plan` must hold all that is needed to resume after a crash; it must not hold
    /// a password or key, as it is stored in plain text.
    ///
    /// # Errors
    /// When the folder or the ledger cannot be written.
    pub fn start_run(&self, command: &str, plan: &Value) -> Result<Run, LedgerError> {
        self.start_part(None, command, plan)
    }

    /// As [`start_run`](Self::start_run), for a part of another run, given by its id: `last` means the whole.
    ///
    /// # Errors
    /// As [`start_run`](Self::start_run); and when there is no such run.
    pub fn start_part(
        &self,
        whole: Option<&str>,
        command: &str,
        plan: &Value,
    ) -> Result<Run, LedgerError> {
        let part_of = whole.map(|id| self.find(id)).transpose()?.map(|whole| whole.number);
        let mut plan = plan.clone();
        strip_command_lines(&mut plan);
        let plan = &plan;
        let now = Timestamp::now();
        let started = now.round(Unit::Second).unwrap_or(now).to_string();
        let (started_by, line) = (starter(), shell_words(arguments()));
        let start = Start {
            command,
            started: &started,
            started_by: started_by.as_deref(),
            command_line: Some(&line),
            part_of,
            plan,
        };
        // Two runs of one command in one second: the id belongs to the first that makes the folder.
        let mut attempt = 1;
        let (id, folder) = loop {
            let id = new_id(command, now, attempt);
            let folder = self.folder(&id);
            if self.claim(&folder)? && !self.ids()?.contains(&id) {
                break (id, folder);
            }
            attempt += 1;
        };
        // Locked before it is visible: an unlocked run counts as interrupted.
        let Some(lock) = lock(&folder)? else {
            return Err(LedgerError::RunningNow(id));
        };
        let number = match self.insert_run(&id, &start) {
            Ok(number) => number,
            Err(error) => {
                // The run did not start: remove its folder.
                let _ = fs::remove_dir_all(&folder);
                return Err(error);
            }
        };
        let origin = (started.clone(), started_by.clone());
        let run = Run::new(RunKey { id, number }, folder, lock, origin);
        self.write_run_file(&run, &start)?;
        Ok(run)
    }

    /// Resumes a run: `query` is an id, a unique prefix, or `last`.
    ///
    /// # Errors
    /// When there is no such run, it is finished, or another process works on it.
    pub fn resume_run(&self, query: &str) -> Result<Resumed, LedgerError> {
        let key = self.find(query)?;
        let folder = self.folder(&key.id);
        let Some(lock) = lock(&folder)? else {
            return Err(LedgerError::RunningNow(key.id));
        };
        // Read under the lock: no other process can finish it now.
        let facts = self.facts(&key.id)?;
        if facts.status == Status::Finished {
            return Err(LedgerError::AlreadyFinished(key.id));
        }
        let origin = (facts.started.clone(), facts.started_by.clone());
        let run = Run::new(key, folder, lock, origin);
        if !run.folder().join("run.yaml").exists() {
            self.write_run_file(&run, &facts.start())?;
        }
        Ok(Resumed { run, command: facts.command, plan: facts.plan })
    }

    /// Takes up a run to which more is added, finished or not: `query` is an id.
    ///
    /// # Errors
    /// When there is no such run, or another process works on it.
    pub fn reopen_run(&self, query: &str) -> Result<Run, LedgerError> {
        let key = self.find(query)?;
        let folder = self.folder(&key.id);
        match lock(&folder)? {
            Some(lock) => {
                let RunFacts { started, started_by, .. } = self.facts(&key.id)?;
                Ok(Run::new(key, folder, lock, (started, started_by)))
            }
            None => Err(LedgerError::RunningNow(key.id)),
        }
    }

    /// Changes the plan of a run, in the ledger and in `run.yaml`; one that was finished is open again.
    ///
    /// # Errors
    /// When the ledger or the file cannot be written.
    pub fn change_plan(&self, run: &Run, plan: &Value) -> Result<(), LedgerError> {
        let mut plan = plan.clone();
        strip_command_lines(&mut plan);
        let facts = self.facts(run.id())?;
        self.connection
            .execute(
                "UPDATE runs SET plan = ?2, finished = NULL, summary = NULL WHERE number = ?1",
                params![run.number(), plan.to_string()],
            )
            .map_err(|error| self.failed(error))?;
        self.write_run_file(run, &Start { plan: &plan, ..facts.start() })
    }

    /// Ends a run: its summary goes into the ledger, then into `summary.json`.
    ///
    /// # Errors
    /// When the ledger or the file cannot be written.
    pub fn finish(&self, run: &Run, summary: &Value) -> Result<(), LedgerError> {
        let mut summary = summary.clone();
        strip_command_lines(&mut summary);
        let now = Timestamp::now();
        let finished = now.round(Unit::Second).unwrap_or(now).to_string();
        self.connection
            .execute(
                "UPDATE runs SET finished = ?2, summary = ?3 WHERE number = ?1",
                params![run.number(), finished, summary.to_string()],
            )
            .map_err(|error| self.failed(error))?;
        let path = run.folder().join("summary.json");
        let text = format!("{summary:#}\n");
        write_atomically(&path, text.as_bytes()).map_err(|error| LedgerError::write(&path, error))
    }

    /// All runs, oldest first.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn runs(&self) -> Result<Vec<RunRow>, LedgerError> {
        let mut select = self
            .connection
            .prepare_cached(
                "SELECT id, command, started, finished IS NOT NULL,
                        (SELECT count(*) FROM games WHERE run = number),
                        (SELECT count(*) FROM solutions WHERE run = number), name, started_by,
                        (SELECT id FROM runs AS whole WHERE whole.number = runs.part_of)
                 FROM runs ORDER BY number",
            )
            .map_err(|error| self.failed(error))?;
        let rows = select
            .query_map([], |row| {
                let run: String = row.get(0)?;
                let status = self.status(&run, row.get(3)?);
                Ok(RunRow {
                    run,
                    command: row.get(1)?,
                    started: row.get(2)?,
                    status,
                    games: row.get::<_, i64>(4)?.cast_unsigned(),
                    positions: row.get::<_, i64>(5)?.cast_unsigned(),
                    name: row.get(6)?,
                    started_by: row.get(7)?,
                    part_of: row.get(8)?,
                })
            })
            .map_err(|error| self.failed(error))?;
        rows.map(|row| row.map_err(|error| self.failed(error))).collect()
    }

    /// The record of a run: `query` is an id, a unique prefix, or `last`.
    ///
    /// # Errors
    /// When there is no such run or the ledger cannot be read.
    pub fn facts(&self, query: &str) -> Result<RunFacts, LedgerError> {
        let RunKey { id, number } = self.find(query)?;
        let select =
            "SELECT command, started, plan, summary, finished, name, note, started_by, command_line
                      FROM runs WHERE number = ?1";
        let (command, started, plan, summary, [finished, name, note, started_by, command_line]) =
            self.connection
                .query_row(select, [number], |row| {
                    let (plan, summary): (String, Option<String>) = (row.get(2)?, row.get(3)?);
                    let texts = [row.get(4)?, row.get(5)?, row.get(6)?, row.get(7)?, row.get(8)?];
                    Ok((row.get(0)?, row.get(1)?, plan, summary, texts))
                })
                .map_err(|error| self.failed(error))?;
        let plan = self.json(&plan, &format!("the plan of run `{id}`"))?;
        let summary = summary
            .map(|text| self.json(&text, &format!("the summary of run `{id}`")))
            .transpose()?;
        let status = self.status(&id, summary.is_some());
        let folder = self.folder(&id);
        Ok(RunFacts {
            id,
            command,
            started,
            started_by,
            command_line,
            finished,
            status,
            name,
            note,
            folder,
            plan,
            summary,
        })
    }

    /// As [`facts`](Self::facts), but `last` is the newest run that is `wanted`, if there is one.
    ///
    /// # Errors
    /// As [`facts`](Self::facts).
    pub fn facts_of(
        &self,
        query: &str,
        wanted: impl Fn(&RunRow) -> bool,
    ) -> Result<RunFacts, LedgerError> {
        let newest = match query {
            NEWEST => self.runs()?.into_iter().rev().find(wanted),
            _ => None,
        };
        self.facts(newest.as_ref().map_or(query, |row| &row.run))
    }

    /// The result of a run; `None` while it is not finished.
    ///
    /// # Errors
    /// When there is no such run or the ledger cannot be read.
    pub fn summary(&self, query: &str) -> Result<Option<Value>, LedgerError> {
        Ok(self.facts(query)?.summary)
    }

    /// Resolves a query to a run.
    pub(super) fn find(&self, query: &str) -> Result<RunKey, LedgerError> {
        // The usual case, a whole id, without reading all of them.
        let number = self.number_of(query)?;
        if let Some(number) = number {
            return Ok(RunKey { id: query.to_owned(), number });
        }
        if query == NEWEST
            && let Some(newest) = self.newest_planned()?
        {
            return Ok(newest);
        }
        let ids = self.ids()?;
        let none = || LedgerError::NoRuns { reports: self.reports.clone() };
        let id = resolve(query, &ids).ok_or_else(none)??;
        let number = self.number_of(id)?.ok_or_else(none)?;
        Ok(RunKey { id: id.to_owned(), number })
    }

    pub(super) fn json(&self, text: &str, what: &str) -> Result<Value, LedgerError> {
        let mut value = serde_json::from_str(text).map_err(|error| LedgerError::Damaged {
            path: self.path.clone(),
            what: what.to_owned(),
            reason: error.to_string(),
        })?;
        // Earlier versions kept command lines as they were typed.
        strip_command_lines(&mut value);
        Ok(value)
    }

    /// The newest run with a plan that is no part of another: work that is recorded only, as a training, is
    /// named by its id, so that it does not come between a match and `resume last`, and so are the matches
    /// of a bisection or a gate.
    fn newest_planned(&self) -> Result<Option<RunKey>, LedgerError> {
        let select = "SELECT id, number FROM runs
                      WHERE json_extract(plan, '$.recorded') IS NULL AND part_of IS NULL
                      ORDER BY number DESC LIMIT 1";
        self.connection
            .query_row(select, [], |row| Ok(RunKey { id: row.get(0)?, number: row.get(1)? }))
            .optional()
            .map_err(|error| self.failed(error))
    }

    fn number_of(&self, id: &str) -> Result<Option<i64>, LedgerError> {
        self.connection
            .prepare_cached("SELECT number FROM runs WHERE id = ?1")
            .and_then(|mut select| select.query_row([id], |row| row.get(0)).optional())
            .map_err(|error| self.failed(error))
    }

    fn ids(&self) -> Result<Vec<String>, LedgerError> {
        self.connection
            .prepare_cached("SELECT id FROM runs ORDER BY number")
            .and_then(|mut select| select.query_map([], |row| row.get(0))?.collect())
            .map_err(|error| self.failed(error))
    }

    pub(super) fn folder(&self, id: &str) -> PathBuf {
        self.reports.join("runs").join(id)
    }

    pub(super) fn status(&self, id: &str, finished: bool) -> Status {
        if finished {
            Status::Finished
        } else if is_locked(&self.folder(id)) {
            Status::Running
        } else {
            Status::Interrupted
        }
    }

    /// Makes a run's folder; false if it exists.
    fn claim(&self, folder: &Path) -> Result<bool, LedgerError> {
        let parent = self.reports.join("runs");
        fs::create_dir_all(&parent).map_err(|error| LedgerError::write(&parent, error))?;
        match fs::create_dir(folder) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(LedgerError::write(folder, error)),
        }
    }

    fn insert_run(&self, id: &str, start: &Start<'_>) -> Result<i64, LedgerError> {
        let Start { command, started, started_by, command_line, part_of, plan } = start;
        let plan = plan.to_string();
        self.connection
            .execute(
                "INSERT INTO runs
                     (id, command, started, started_by, command_line, part_of, plan, harness)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                params![id, command, started, started_by, command_line, part_of, plan, VERSION],
            )
            .map_err(|error| self.failed(error))?;
        Ok(self.connection.last_insert_rowid())
    }

    fn write_run_file(&self, run: &Run, start: &Start<'_>) -> Result<(), LedgerError> {
        let Start { command, started, started_by, command_line, plan, .. } = *start;
        let (machine, harness) = (Machine::this(), VERSION);
        let file = RunFile {
            run: run.id(),
            command,
            started,
            started_by,
            command_line,
            harness,
            machine,
            plan,
        };
        let path = run.folder().join("run.yaml");
        let text = serde_yaml::to_string(&file)
            .map_err(|error| LedgerError::write(&path, io::Error::other(error)))?;
        write_atomically(&path, text.as_bytes()).map_err(|error| LedgerError::write(&path, error))
    }
}
