//! A run: its name, its head, and what can be done with it.

use maud::{Markup, html};

use super::about::about;
use super::{status, time};
use crate::hub::LiveRun;
use crate::pages::data::{data_files, data_name, data_path};
use crate::role::Role;
use harness_ledger::{RunFacts, Status};
use harness_report::html::with_code;
use harness_runs::kinds::{self, Kind};

/// Title of a run.
pub fn title(run: &RunFacts) -> String {
    let title = kinds::title(&run.command, &run.plan);
    match &run.name {
        Some(name) => name.clone(),
        None if title.is_empty() => run.id.clone(),
        None => title,
    }
}

/// Name, state, note and what can be done with the run.
pub fn head(run: &RunFacts, role: Role, csrf: &str) -> Markup {
    let result = run.summary.as_ref().zip(Kind::by_key(&run.command));
    let result = result.map(|(summary, kind)| (kind.result_line)(summary));
    let result = result.filter(|line| !line.is_empty());
    let has_games = Kind::by_key(&run.command).is_some_and(Kind::has_games);
    html! {
        div.run-head {
            div {
                p.soft {
                    (kinds::command_words(&run.command)) " · " (time(&run.started)) " · " code { (run.id) } " "
                    (status(run.status, kinds::failed(&run.command, run.summary.as_ref())))
                }
                @if let Some(name) = &run.name { p { strong { (name) } } }
                @if let Some(note) = &run.note { p.note { (super::note(note)) } }
                (about(run))
                @if let Some(result) = &result { p.run-result { strong { (result) } } }
            }
            @if role == Role::Control && run.status == Status::Interrupted {
                @if let Some(help) = kinds::continued_by(&run.command, &run.plan) { p.soft.continued { (with_code(&help)) } }
            }
            div.actions {
                @if !data_files(run).is_empty() { a.button href=(data_path(&run.id)) { (data_name(run)) } }
                @if has_games { a.button href={ "/games?run=" (run.id) } { "Games" } }
                a.button href={ "/compare?run=" (run.id) } { "Compare" }
                @if role == Role::Control { (actions(run, csrf)) }
            }
        }
    }
}

fn actions(run: &RunFacts, csrf: &str) -> Markup {
    html! {
        @match run.status {
            Status::Running => (stopping(run, csrf)),
            Status::Interrupted => {
                @if is_continued(run) { (action(&run.id, "resume", "Resume", csrf, None)) }
            }
            Status::Finished => {}
        }
        @if kinds::command_line(&run.plan).is_some() || Kind::by_key(&run.command).is_none_or(Kind::is_planned) { a.button href={ "/start?like=" (run.id) } { "Repeat with changes" } }
        details #describe.describe {
            summary { "Name and note" }
            form method="post" action={ "/run/" (run.id) "/do/describe" } {
                input type="hidden" name="csrf" value=(csrf);
                label { "Name" input #run-name name="name" maxlength="200" value=[run.name.as_ref()]; }
                label { "Note"
                    textarea #run-note name="note" rows="3" maxlength="10000" { (run.note.as_deref().unwrap_or_default()) }
                }
                button.button { "Save" }
            }
        }
        @if run.status != Status::Running {
            (action(&run.id, "delete", "Delete", csrf, Some("Its games and results are deleted, too. Delete the run?")))
        }
    }
}

/// Whether a button continues the run: by its plan, or by its command and the files that it has written.
fn is_continued(run: &RunFacts) -> bool {
    kinds::continued_by(&run.command, &run.plan).is_none()
        || kinds::continuing_words(&run.command, &run.plan).is_some()
}

/// The buttons that stop a run.
fn stopping(run: &RunFacts, csrf: &str) -> Markup {
    let kind = Kind::by_key(&run.command).unwrap_or(&Kind::PLAIN);
    if kind.finishes_at_once {
        return action(&run.id, "finish", "Stop; what is done is kept", csrf, None);
    }
    let finish = format!("Stop after the {} in progress", kind.in_progress);
    let confirm = format!("The {} in progress are abandoned. Stop?", kind.in_progress);
    html! {
        (action(&run.id, "finish", &finish, csrf, None))
        (action(&run.id, "stop", "Stop now", csrf, Some(&confirm)))
    }
}

/// A button that does something with a run.
pub fn action(run: &str, what: &str, name: &str, csrf: &str, confirm: Option<&str>) -> Markup {
    html! {
        form method="post" action={ "/run/" (run) "/do/" (what) } {
            input type="hidden" name="csrf" value=(csrf);
            button.button.danger[confirm.is_some()] id={ "do-" (what) } data-confirm=[confirm] { (name) }
        }
    }
}

/// The head of the page of something that the ledger does not know.
pub fn head_of_process(id: &str, run: &LiveRun, role: Role, csrf: &str) -> Markup {
    html! {
        div.run-head {
            div {
                h1 { (run.title) }
                p.soft { (kinds::command_words(&run.command)) " · " code { (id) } " " (status(Status::Running, false)) }
            }
            @if role == Role::Control {
                div.actions { (action(id, "finish", "Stop; what is done is kept", csrf, None)) }
            }
        }
    }
}
