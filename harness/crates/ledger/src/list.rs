//! Searching the list of runs.

use std::cmp::Reverse;
use std::path::PathBuf;

use serde_json::Value;

use super::search::has_words;
use super::{Ledger, LedgerError, Status};

/// Characters of a plan that a search looks at: the engines stand at its beginning, a whole suite
/// may follow.
const SEARCHED: usize = 4096;

/// Most games of a run that is not finished that a list counts wins, draws and losses of.
pub const COUNTED: u64 = 50_000;

/// Sort key of runs. Equal ones stay newest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunSort {
    /// When they were started.
    #[default]
    Started,
    /// The name that a user gave, else the engines and other parts of the plan.
    Name,
    /// The command.
    Command,
    /// The limit of a search.
    Limit,
    /// The state: interrupted, running, finished.
    Status,
    /// The Elo of the result; of a suite the positions solved. Those without a number come last.
    Result,
    /// Games and positions recorded.
    Games,
}

/// What runs are sorted by their results by: Elo, which nothing but wins and nothing but losses do not have, or positions solved.
macro_rules! result_key {
    () => {
        "coalesce(json_extract(summary, '$.elo.value'),
                  json_extract(summary, '$.validation.elo.value'),
                  CASE WHEN json_extract(summary, '$.games') = 0 THEN NULL
                       WHEN json_extract(summary, '$.wins') = json_extract(summary, '$.games') THEN 1e9
                       WHEN json_extract(summary, '$.losses') = json_extract(summary, '$.games') THEN -1e9 END,
                  json_extract(summary, '$.solved'))"
    };
}

impl RunSort {
    /// Sort keys for SQLite: first whether there is nothing to sort by, which comes last in both directions.
    fn keys(self) -> [&'static str; 2] {
        match self {
            RunSort::Started | RunSort::Status => ["number IS NULL", "number"],
            RunSort::Name => ["number IS NULL", "lower(ifnull(name, substr(plan, 1, 200)))"],
            RunSort::Command => ["number IS NULL", "command"],
            RunSort::Limit => [
                "json_extract(plan, '$.facts.limit') IS NULL",
                "json_extract(plan, '$.facts.limit')",
            ],
            RunSort::Result => [concat!(result_key!(), " IS NULL"), result_key!()],
            RunSort::Games => [
                "number IS NULL",
                "(SELECT count(*) FROM games WHERE run = number)
                 + (SELECT count(*) FROM solutions WHERE run = number)",
            ],
        }
    }
}

/// Which runs of the ledger, newest first.
#[derive(Clone, Debug, Default)]
pub struct RunQuery {
    /// Words of which each occurs in the id, the name, the note, who started it or the plan.
    pub text: String,
    /// Started by this command.
    pub command: Option<String>,
    /// In this state.
    pub status: Option<Status>,
    /// Whether its result is an error, as of work that failed; `None` for both.
    pub has_error: Option<bool>,
    /// A run in a few words by its command and plan, by which those without a name are sorted.
    pub title: Option<fn(&str, &Value) -> String>,
    /// Sort key.
    pub sort: RunSort,
    /// The smallest or oldest first.
    pub ascending: bool,
    /// Runs to leave out at the beginning; beyond the end the last part is meant.
    pub offset: u64,
    /// Most runs.
    pub limit: u32,
}

impl RunQuery {
    /// States of runs, as lists name them.
    pub const STATES: [&str; 4] = ["running", "finished", "failed", "interrupted"];

    /// Only the runs in one of [`STATES`](Self::STATES); all for another word.
    pub fn in_state(self, state: &str) -> RunQuery {
        let status = match state {
            "running" => Status::Running,
            "finished" | "failed" => Status::Finished,
            "interrupted" => Status::Interrupted,
            _ => return self,
        };
        let has_error = (status == Status::Finished).then_some(state == "failed");
        RunQuery { status: Some(status), has_error, ..self }
    }
}

/// A part of the runs that a query asks for.
#[derive(Clone, Debug, Default)]
pub struct RunList {
    /// The part.
    pub rows: Vec<ListedRun>,
    /// Runs left out at its beginning.
    pub offset: u64,
    /// All of them.
    pub total: u64,
}

/// A run in a list.
#[derive(Clone, Debug)]
pub struct ListedRun {
    /// The id.
    pub run: String,
    /// The command.
    pub command: String,
    /// When it started, RFC 3339 in UTC.
    pub started: String,
    /// Its state.
    pub status: Status,
    /// Name that the user gave it.
    pub name: Option<String>,
    /// Note of the user.
    pub note: Option<String>,
    /// Where its files are.
    pub folder: PathBuf,
    /// Games recorded.
    pub games: u64,
    /// Suite positions recorded.
    pub positions: u64,
    /// Finished checks of a gate.
    pub checks: u64,
    /// Wins, draws and losses so far of a run that is not finished, of the engine that is first in each of its games;
    /// `None` where there is none such, and of more than [`COUNTED`] games.
    pub so_far: Option<[u64; 3]>,
    /// The plan.
    pub plan: Value,
    /// The result, once finished.
    pub summary: Option<Value>,
}

impl Ledger {
    /// Searches the runs.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn list(&self, query: &RunQuery) -> Result<RunList, LedgerError> {
        let mut found = self.matching(query)?;
        if let Some(status) = query.status {
            found.retain(|(_, id, finished)| self.status(id, *finished) == status);
        }
        if query.sort == RunSort::Status {
            let place = |(_, id, finished): &(i64, String, bool)| match self.status(id, *finished) {
                Status::Interrupted => 0,
                Status::Running => 1,
                Status::Finished => 2,
            };
            if query.ascending {
                found.sort_by_key(place);
            } else {
                found.sort_by_key(|run| Reverse(place(run)));
            }
        }
        if let (RunSort::Name, Some(title)) = (query.sort, query.title) {
            found = self.by_title(found, title, query.ascending)?;
        }
        let total = found.len() as u64;
        let offset = within(query.offset, total, query.limit.into());
        let part = found.iter().skip(offset as usize).take(query.limit as usize);
        let rows = part.map(|(number, id, finished)| self.listed(*number, id, *finished));
        Ok(RunList { rows: rows.collect::<Result<_, _>>()?, offset, total })
    }

    /// Sorts runs by what lists call them: the name, the title or the id, without regard to case.
    fn by_title(
        &self,
        found: Vec<(i64, String, bool)>,
        title: fn(&str, &Value) -> String,
        ascending: bool,
    ) -> Result<Vec<(i64, String, bool)>, LedgerError> {
        let select = "SELECT ifnull(name, ''), command, plan FROM runs WHERE number = ?1";
        let shown = |run: (i64, String, bool)| {
            let row = self.connection.query_row(select, [run.0], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
            });
            let (name, command, plan) = row.map_err(|error| self.failed(error))?;
            let title = match name.is_empty() {
                true => title(&command, &serde_json::from_str(&plan).unwrap_or_default()),
                false => name,
            };
            let shown = if title.is_empty() { &run.1 } else { &title };
            Ok((shown.to_lowercase(), run))
        };
        let mut shown: Vec<_> = found.into_iter().map(shown).collect::<Result<_, LedgerError>>()?;
        shown.sort_by(|(a, first), (b, second)| {
            let order = if ascending { a.cmp(b) } else { b.cmp(a) };
            order.then(second.0.cmp(&first.0))
        });
        Ok(shown.into_iter().map(|(_, run)| run).collect())
    }

    /// Number, id and whether it is finished, of the runs with the words and the command of a query.
    fn matching(&self, query: &RunQuery) -> Result<Vec<(i64, String, bool)>, LedgerError> {
        let words: Vec<String> =
            query.text.split_whitespace().map(|word| word.to_lowercase()).collect();
        let mut sql = format!(
            "SELECT number, id, finished IS NOT NULL,
                    id || ' ' || command || ' ' || ifnull(name, '') || ' ' || ifnull(note, '')
                    || ' ' || ifnull(started_by, '') || ' ' || ifnull(command_line, ''),
                    substr(plan, 1, {SEARCHED})
             FROM runs WHERE (?1 IS NULL OR command = ?1)"
        );
        if let Some(has_error) = query.has_error {
            let not = if has_error { "" } else { "NOT" };
            sql += &format!(
                " AND {not} ifnull(json_valid(summary) AND json_type(summary, '$.error') = 'text', 0)"
            );
        }
        let [none, key] = query.sort.keys();
        let direction = if query.ascending { "ASC" } else { "DESC" };
        sql += &format!(" ORDER BY {none}, {key} {direction}, number DESC");
        let read = || {
            let mut select = self.connection.prepare_cached(&sql)?;
            let mut rows = select.query([&query.command])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                if has_words(&words, || Ok((row.get(3)?, row.get(4)?)))? {
                    found.push((row.get(0)?, row.get(1)?, row.get(2)?));
                }
            }
            Ok(found)
        };
        read().map_err(|error| self.failed(error))
    }

    /// A run as lists show it.
    ///
    /// # Errors
    /// When there is no such run or the ledger cannot be read.
    pub fn listed_run(&self, run: &str) -> Result<ListedRun, LedgerError> {
        let key = self.find(run)?;
        let select = "SELECT finished IS NOT NULL FROM runs WHERE number = ?1";
        let finished = self.connection.query_row(select, [key.number], |row| row.get(0));
        self.listed(key.number, &key.id, finished.map_err(|error| self.failed(error))?)
    }

    fn listed(&self, number: i64, id: &str, finished: bool) -> Result<ListedRun, LedgerError> {
        let select = "SELECT command, started, name, note, plan, summary,
                             (SELECT count(*) FROM games WHERE run = number),
                             (SELECT count(*) FROM solutions WHERE run = number),
                             (SELECT count(*) FROM checks WHERE checks.run = runs.number)
                      FROM runs WHERE number = ?1";
        let row = self.connection.query_row(select, [number], |row| {
            let texts: (String, Option<String>) = (row.get(4)?, row.get(5)?);
            let listed = ListedRun {
                run: id.to_owned(),
                command: row.get(0)?,
                started: row.get(1)?,
                status: Status::Finished,
                name: row.get(2)?,
                note: row.get(3)?,
                folder: self.folder(id),
                games: row.get::<_, i64>(6)?.cast_unsigned(),
                positions: row.get::<_, i64>(7)?.cast_unsigned(),
                checks: row.get::<_, i64>(8)?.cast_unsigned(),
                so_far: None,
                plan: Value::Null,
                summary: None,
            };
            Ok((listed, texts))
        });
        let (mut listed, (plan, summary)) = row.map_err(|error| self.failed(error))?;
        listed.status = self.status(id, finished);
        if !finished && (1..=COUNTED).contains(&listed.games) {
            listed.so_far = self.so_far(number)?;
        }
        listed.plan = self.json(&plan, &format!("the plan of run `{id}`"))?;
        let summary = summary.map(|text| self.json(&text, &format!("the summary of run `{id}`")));
        listed.summary = summary.transpose()?;
        Ok(listed)
    }

    /// Wins, draws and losses of the engine that is first in each game of a run; `None` where that is not always the same.
    fn so_far(&self, number: i64) -> Result<Option<[u64; 3]>, LedgerError> {
        let select = "SELECT count(*) FILTER (WHERE first_half_points = 2),
                             count(*) FILTER (WHERE first_half_points = 1),
                             count(*) FILTER (WHERE first_half_points = 0),
                             count(DISTINCT CASE first_is_white WHEN 1 THEN white ELSE black END)
                      FROM games WHERE run = ?1";
        let counts = self.connection.query_row(select, [number], |row| {
            let counts: [i64; 3] = [row.get(0)?, row.get(1)?, row.get(2)?];
            Ok((row.get::<_, i64>(3)? == 1).then_some(counts.map(i64::cast_unsigned)))
        });
        counts.map_err(|error| self.failed(error))
    }
}

/// The offset of a part of a list: that of the last part where it is beyond the end.
pub fn within(offset: u64, total: u64, limit: u64) -> u64 {
    if offset < total { offset } else { total.saturating_sub(1) / limit.max(1) * limit }
}

#[cfg(test)]
mod tests;
