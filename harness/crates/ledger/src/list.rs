//! Searching the list of runs; naming and deleting them.

use std::cmp::Reverse;
use std::fs;
use std::path::PathBuf;

use rusqlite::params;
use serde_json::Value;

use super::run::lock;
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

/// How far a run is, and what people call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunProgress {
    /// Its state.
    pub status: Status,
    /// The row of its newest game; 0 without one.
    pub newest_game: i64,
    /// Positions of a suite that were searched.
    pub positions: i64,
    /// Its name.
    pub name: Option<String>,
    /// What is noted of it.
    pub note: Option<String>,
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

    /// A number that is another one once the ledger has changed: runs, games, and positions of runs that are not
    /// finished, as those of the others stay. Nothing is scanned but the runs.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn version(&self) -> Result<[i64; 4], LedgerError> {
        let select = "SELECT (SELECT max(rowid) FROM games), (SELECT count(*) FROM runs),
                             (SELECT count(*) FROM runs WHERE finished IS NOT NULL),
                             (SELECT count(*) FROM solutions
                              WHERE run IN (SELECT number FROM runs WHERE finished IS NULL))";
        self.connection
            .query_row(select, [], |row| {
                let newest: Option<i64> = row.get(0)?;
                Ok([newest.unwrap_or(0), row.get(1)?, row.get(2)?, row.get(3)?])
            })
            .map_err(|error| self.failed(error))
    }

    /// The ids of the runs with games, newest first.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn with_games(&self) -> Result<Vec<String>, LedgerError> {
        let select = "SELECT id FROM runs
                      WHERE EXISTS (SELECT 1 FROM games WHERE run = number) ORDER BY number DESC";
        self.connection
            .prepare_cached(select)
            .and_then(|mut select| select.query_map([], |row| row.get(0))?.collect())
            .map_err(|error| self.failed(error))
    }

    /// Games of a run.
    ///
    /// # Errors
    /// When there is no such run or the ledger cannot be read.
    pub fn count_games(&self, run: &str) -> Result<u64, LedgerError> {
        let number = self.find(run)?.number;
        self.connection
            .query_row("SELECT count(*) FROM games WHERE run = ?1", [number], |row| {
                Ok(row.get::<_, i64>(0)?.cast_unsigned())
            })
            .map_err(|error| self.failed(error))
    }

    /// Whether a run has more games than a number, without counting all of them.
    ///
    /// # Errors
    /// When there is no such run or the ledger cannot be read.
    pub fn has_more_games(&self, run: &str, than: u64) -> Result<bool, LedgerError> {
        let number = self.find(run)?.number;
        let select = "SELECT count(*) FROM (SELECT 1 FROM games WHERE run = ?1 LIMIT ?2)";
        let limit = i64::try_from(than).unwrap_or(i64::MAX).saturating_add(1);
        self.connection
            .query_row(select, [number, limit], |row| Ok(row.get::<_, i64>(0)? == limit))
            .map_err(|error| self.failed(error))
    }

    /// State, newest game, number of positions, name and note of a run: what changes while it is executed, and afterwards.
    ///
    /// # Errors
    /// When there is no such run or the ledger cannot be read.
    pub fn progress_of(&self, run: &str) -> Result<RunProgress, LedgerError> {
        let found = self.find(run)?;
        let select = "SELECT finished IS NOT NULL,
                             (SELECT max(rowid) FROM games WHERE run = number),
                             (SELECT count(*) FROM solutions WHERE run = number), name, note
                      FROM runs WHERE number = ?1";
        let row = self.connection.query_row(select, [found.number], |row| {
            let progress = RunProgress {
                status: Status::Finished,
                newest_game: row.get::<_, Option<i64>>(1)?.unwrap_or(0),
                positions: row.get(2)?,
                name: row.get(3)?,
                note: row.get(4)?,
            };
            Ok((row.get(0)?, progress))
        });
        let (finished, progress) = row.map_err(|error| self.failed(error))?;
        Ok(RunProgress { status: self.status(&found.id, finished), ..progress })
    }

    /// Sets what people call a run and say of it; an empty text is none.
    ///
    /// # Errors
    /// When there is no such run, or the ledger cannot be written.
    pub fn describe(&self, run: &str, name: &str, note: &str) -> Result<(), LedgerError> {
        let number = self.find(run)?.number;
        let text = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        self.connection
            .execute(
                "UPDATE runs SET name = ?2, note = ?3 WHERE number = ?1",
                params![number, text(name), text(note)],
            )
            .map(drop)
            .map_err(|error| self.failed(error))
    }

    /// Deletes a run with its games, results and files.
    ///
    /// # Errors
    /// When there is no such run, it is running, or the ledger or its folder cannot be written.
    pub fn delete(&self, run: &str) -> Result<(), LedgerError> {
        let found = self.find(run)?;
        let folder = self.folder(&found.id);
        let Some(_lock) = lock(&folder)? else {
            return Err(LedgerError::RunningNow(found.id));
        };
        self.connection
            .execute("DELETE FROM runs WHERE number = ?1", [found.number])
            .map_err(|error| self.failed(error))?;
        fs::remove_dir_all(&folder).map_err(|error| LedgerError::write(&folder, error))
    }
}

/// The offset of a part of a list: that of the last part where it is beyond the end.
pub fn within(offset: u64, total: u64, limit: u64) -> u64 {
    if offset < total { offset } else { total.saturating_sub(1) / limit.max(1) * limit }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::StoredGame;
    use super::*;

    fn ledger() -> (tempfile::TempDir, Ledger) {
        let folder = tempfile::tempdir().expect("temporary folder");
        let ledger = Ledger::open(folder.path()).expect("opens");
        (folder, ledger)
    }

    fn found(ledger: &Ledger, query: &RunQuery) -> Vec<String> {
        let list = ledger.list(&RunQuery { limit: 10, ..query.clone() }).expect("readable");
        list.rows.into_iter().map(|row| row.run).collect()
    }

    #[test]
    fn runs_are_found_by_words_command_and_state() {
        let (_folder, ledger) = ledger();
        let first = ledger.start_run("match", &json!({ "engines": ["a_b", "stockfish"] }));
        let first = first.expect("started");
        let second = ledger.start_run("sprt", &json!({ "engines": ["axb"] })).expect("started");
        ledger.finish(&first, &json!({})).expect("finished");
        ledger.describe(second.id(), "Late move reductions", "the\nsecond try").expect("written");
        let query = |text: &str| RunQuery { text: text.to_owned(), ..RunQuery::default() };
        let one = first.id().to_owned();
        let two = second.id().to_owned();
        assert_eq!(found(&ledger, &query("")), [two.clone(), one.clone()]);
        assert_eq!(found(&ledger, &query("STOCK a_b")), std::slice::from_ref(&one));
        assert_eq!(found(&ledger, &query("reductions second")), std::slice::from_ref(&two));
        assert_eq!(found(&ledger, &query("%")), [""; 0]);
        // The keys of a plan are no words of a run.
        assert_eq!(found(&ledger, &query("engines")), [""; 0]);
        let by = |status| RunQuery { status: Some(status), ..RunQuery::default() };
        assert_eq!(found(&ledger, &by(Status::Running)), [two]);
        assert_eq!(found(&ledger, &by(Status::Finished)), std::slice::from_ref(&one));
        let command = RunQuery { command: Some("match".to_owned()), ..RunQuery::default() };
        assert_eq!(found(&ledger, &command), [one]);
        for (offset, limit, expected) in
            [(1, 5, (1, 1, 2)), (7, 1, (1, 1, 2)), (u64::MAX, 5, (2, 0, 2))]
        {
            let part = RunQuery { offset, limit, ..RunQuery::default() };
            let list = ledger.list(&part).expect("readable");
            assert_eq!((list.rows.len(), list.offset, list.total), expected);
        }
        // Work that failed has an error as its result.
        let failed = ledger.start_run("train", &json!({})).expect("started");
        ledger.finish(&failed, &json!({ "error": "no such file" })).expect("finished");
        let done = ledger.start_run("train", &json!({})).expect("started");
        ledger.finish(&done, &json!({ "error": null })).expect("finished");
        let by = |has_error| RunQuery { has_error: Some(has_error), ..RunQuery::default() };
        assert_eq!(found(&ledger, &by(true)), [failed.id()]);
        assert!(found(&ledger, &by(false)).contains(&done.id().to_owned()));
    }

    #[test]
    fn runs_are_sorted_by_every_key_and_those_without_one_come_last() {
        let (_folder, ledger) = ledger();
        let mut ids = Vec::new();
        for (command, limit, elo) in [
            ("match", json!("nodes=9"), json!(5.5)),
            ("suite", json!(null), json!(null)),
            ("sprt", json!("depth=3"), json!(-2.0)),
        ] {
            let plan = json!({ "facts": { "limit": limit } });
            let run = ledger.start_run(command, &plan).expect("started");
            ledger.finish(&run, &json!({ "elo": { "value": elo } })).expect("finished");
            ids.push(run.id().to_owned());
        }
        ledger.describe(&ids[0], "Zeta", "").expect("written");
        ledger.describe(&ids[1], "alpha", "").expect("written");
        ledger.describe(&ids[2], "beta", "").expect("written");
        for (sort, ascending, expected) in [
            (RunSort::Started, false, [2, 1, 0]),
            (RunSort::Started, true, [0, 1, 2]),
            (RunSort::Name, true, [1, 2, 0]),
            (RunSort::Command, true, [0, 2, 1]),
            (RunSort::Limit, true, [2, 0, 1]),
            (RunSort::Limit, false, [0, 2, 1]),
            (RunSort::Result, false, [0, 2, 1]),
            (RunSort::Result, true, [2, 0, 1]),
            (RunSort::Games, false, [2, 1, 0]),
            (RunSort::Status, false, [2, 1, 0]),
        ] {
            let query = RunQuery { sort, ascending, ..RunQuery::default() };
            let expected = expected.map(|index: usize| ids[index].clone());
            assert_eq!(found(&ledger, &query), expected, "{sort:?} {ascending}");
        }
    }

    #[test]
    fn a_run_that_won_all_or_lost_all_is_first_or_last_by_its_result() {
        let (_folder, ledger) = ledger();
        let ids: Vec<String> = [
            json!({ "games": 4, "wins": 4, "losses": 0, "elo": { "value": null } }),
            json!({ "games": 9, "wins": 5, "losses": 4, "elo": { "value": 38.0 } }),
            json!({ "games": 3, "wins": 0, "losses": 3, "elo": { "value": null } }),
            json!({ "games": 0, "wins": 0, "losses": 0, "elo": { "value": null } }),
        ]
        .iter()
        .map(|summary| {
            let run = ledger.start_run("match", &json!({})).expect("started");
            ledger.finish(&run, summary).expect("finished");
            run.id().to_owned()
        })
        .collect();
        for (ascending, expected) in [(false, [0, 1, 2, 3]), (true, [2, 1, 0, 3])] {
            let query = RunQuery { sort: RunSort::Result, ascending, ..RunQuery::default() };
            let expected = expected.map(|index: usize| ids[index].clone());
            assert_eq!(found(&ledger, &query), expected, "{ascending}");
        }
    }

    #[test]
    fn runs_without_a_name_are_sorted_by_their_titles() {
        let (_folder, ledger) = ledger();
        let start = |command: &str, title: &str| {
            // What stands first in a plan is not what is shown.
            let plan = json!({ "a": command, "title": title });
            ledger.start_run(command, &plan).expect("started").id().to_owned()
        };
        let ids =
            [start("c", "Beta"), start("b", "alpha"), start("a", "gamma"), start("a", "beta")];
        ledger.describe(&ids[2], "aa", "").expect("written");
        let title = |_: &str, plan: &Value| plan["title"].as_str().unwrap_or_default().to_owned();
        for (ascending, expected) in [(true, [2, 1, 3, 0]), (false, [3, 0, 1, 2])] {
            let query = RunQuery {
                sort: RunSort::Name,
                title: Some(title),
                ascending,
                ..RunQuery::default()
            };
            let expected = expected.map(|index: usize| ids[index].clone());
            assert_eq!(found(&ledger, &query), expected, "{ascending}");
        }
    }

    #[test]
    fn the_last_run_is_one_that_was_planned() {
        let (_folder, ledger) = ledger();
        let recorded = json!({ "recorded": true });
        let first = ledger.start_run("train", &recorded).expect("started");
        assert_eq!(ledger.facts("last").expect("the only one").id, first.id());
        let planned = ledger.start_run("match", &json!({})).expect("started");
        ledger.start_run("openings", &recorded).expect("started");
        assert_eq!(ledger.facts("last").expect("a run").id, planned.id());
        // A part of another run means the whole.
        let part = ledger.start_part(Some(planned.id()), "sprt", &json!({})).expect("started");
        assert_eq!(ledger.facts("last").expect("a run").id, planned.id());
        let rows = ledger.runs().expect("readable");
        let whole_of =
            |id: &str| rows.iter().find(|row| row.run == id).expect("a row").part_of.clone();
        assert_eq!(whole_of(part.id()).as_deref(), Some(planned.id()));
        assert_eq!(whole_of(planned.id()), None);
    }

    #[test]
    fn a_deleted_run_leaves_nothing_and_a_running_one_stays() {
        let (folder, ledger) = ledger();
        let run = ledger.start_run("match", &json!({})).expect("started");
        let game = StoredGame {
            pair: 0,
            game: 0,
            white: "a".to_owned(),
            black: "b".to_owned(),
            first_is_white: true,
            first_half_points: 1,
            termination: "stalemate".to_owned(),
            plies: 1,
            milliseconds: 1,
            pgn: String::new(),
            worker: None,
        };
        ledger.record_games(&run, &[game]).expect("recorded");
        let id = run.id().to_owned();
        assert!(matches!(ledger.delete(&id), Err(LedgerError::RunningNow(_))));
        assert_eq!(ledger.games(&id).expect("there").len(), 1);
        drop(run);
        ledger.delete(&id).expect("deleted");
        assert!(ledger.facts(&id).is_err() && !folder.path().join("runs").join(&id).exists());
        assert_eq!(ledger.version().expect("readable"), [0; 4]);
    }
}
