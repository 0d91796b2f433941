//! The runs that are offered for comparison: with a search, those that were chosen first.

use maud::{Markup, html};

use super::MAX_RUNS;
use crate::error::StudioError;
use crate::views::{choice, escaped, parts};
use harness_ledger::{Ledger, ListedRun, RunQuery};
use harness_runs::kinds::{self, KINDS};

/// Runs of a part of the list.
const PAGE_ROWS: u32 = 30;

/// Query of the address.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The runs, each once, in their order.
    pub(super) chosen: Vec<String>,
    q: String,
    command: String,
    offset: u64,
}

impl Asked {
    /// Reads a query.
    pub fn read(query: &str) -> Asked {
        let fields: Vec<(String, String)> = serde_urlencoded::from_str(query).unwrap_or_default();
        let mut asked = Asked::default();
        for (name, value) in fields {
            match name.as_str() {
                "run" if !value.is_empty() && !asked.chosen.contains(&value) => {
                    asked.chosen.push(value);
                }
                "q" => asked.q = value,
                "command" => asked.command = value,
                "offset" => asked.offset = value.parse().unwrap_or(0),
                _ => {}
            }
        }
        asked
    }

    /// The runs that are shown beside each other.
    pub fn shown(&self) -> impl Iterator<Item = &String> {
        self.chosen.iter().take(MAX_RUNS)
    }

    fn link(&self, offset: u64) -> String {
        let runs: String = self.chosen.iter().map(|run| format!("run={}&", escaped(run))).collect();
        let [q, command] = [&self.q, &self.command].map(|text| escaped(text));
        format!("/compare?{runs}q={q}&command={command}&offset={offset}")
    }
}

/// The form that adds runs: a run that is ticked is compared at once.
///
/// # Errors
/// When the ledger cannot be read.
pub fn picker(ledger: &Ledger, asked: &Asked) -> Result<Markup, StudioError> {
    let query = RunQuery {
        text: asked.q.clone(),
        command: Some(asked.command.clone()).filter(|command| !command.is_empty()),
        offset: asked.offset,
        limit: PAGE_ROWS,
        ..RunQuery::default()
    };
    let list = ledger.list(&query)?;
    let chosen = chosen_rows(ledger, asked);
    let others = list.rows.iter().filter(|row| !asked.chosen.contains(&row.run));
    let keys = KINDS.iter().map(|kind| (kind.key, kind.command()));
    Ok(html! {
        section.card {
            h2 { "Runs" }
            form method="get" action="/compare" data-filter role="search" {
                div.filter-form {
                    label { "Search"
                        input #search type="search" name="q" value=(asked.q) placeholder="engine, name, note, id";
                    }
                    (choice("Command", "command", &asked.command, keys))
                }
                ul.offer {
                    @for row in &chosen { (offered(row, true)) }
                    @for row in others { (offered(row, false)) }
                }
                @if list.total == 0 {
                    @let is_all = asked.q.is_empty() && asked.command.is_empty();
                    p.soft { (if is_all { "No run yet." } else { "No run is like this." }) }
                }
                @if !chosen.is_empty() || list.total > 0 { button.button #compare { "Compare" } }
            }
            (parts(list.total, list.offset, u64::from(PAGE_ROWS), |offset| asked.link(offset)))
        }
    })
}

/// The rows of the runs that are chosen, whatever is searched for.
fn chosen_rows(ledger: &Ledger, asked: &Asked) -> Vec<ListedRun> {
    // One that was deleted meanwhile is named by the page.
    let rows = asked.chosen.iter().filter_map(|id| ledger.listed_run(id).ok());
    // A beginning of an id names a run, too.
    rows.filter(|row| asked.chosen.contains(&row.run)).collect()
}

fn offered(run: &ListedRun, chosen: bool) -> Markup {
    html! {
        li { label {
            input type="checkbox" name="run" value=(run.run) checked[chosen];
            span { (run.name.clone().unwrap_or_else(|| kinds::title(&run.command, &run.plan))) " " }
            span.soft { (kinds::command_words(&run.command)) " · " (run.run) @let result = kinds::result_line(run); @if !result.is_empty() { " · " (result) } }
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_each_run_once_and_what_is_searched_for() {
        let asked = Asked::read("run=a&run=b&run=a&run=&q=x+y&command=sprt&offset=30&more=1");
        assert_eq!(asked.chosen, ["a", "b"]);
        assert_eq!((asked.q.as_str(), asked.command.as_str(), asked.offset), ("x y", "sprt", 30));
        assert_eq!(asked.link(60), "/compare?run=a&run=b&q=x%20y&command=sprt&offset=60");
        let many: String = (0..9).map(|number| format!("run=r{number}&")).collect();
        assert_eq!(Asked::read(&many).shown().count(), MAX_RUNS);
    }
}
