//! The page of work that has no plan: data, trainings, books, suites, audits.

use maud::{Markup, html};

use super::super::board::{Arrow, board, piece_symbols};
use super::layout::{Page, command_words, number, with_code};
use super::training_page::loss_curve;
use crate::text::{duration, grouped};
use harness_base::text::fen::is_black_to_move;
use harness_outcome::training::Losses;

/// Recorded work.
pub struct RecordedWork<'a> {
    /// The command.
    pub command: &'a str,
    /// The work in a few words.
    pub title: &'a str,
    /// The command line that starts it again.
    pub command_line: Option<&'a str>,
    /// The exit status, once it has ended.
    pub exit: Option<u8>,
    /// Why it failed.
    pub error: Option<&'a str>,
    /// Advice on that.
    pub help: Option<&'a str>,
    /// Seconds that it took.
    pub seconds: f64,
    /// How much is done: `1,000 games`.
    pub done: &'a str,
    /// Of how much: `of 2,000`.
    pub of: &'a str,
    /// Its files with their sizes in bytes; `None`: the file is not there.
    pub files: &'a [(String, Option<u64>)],
    /// Losses of each epoch.
    pub losses: &'a [Losses],
    /// The text of its configuration file.
    pub config: Option<&'a str>,
    /// The figures of its result.
    pub figures: &'a [(String, String)],
    /// The positions of its result.
    pub positions: &'a [RecordedPosition],
}

/// A position of a result.
pub struct RecordedPosition {
    /// Its id.
    pub id: String,
    /// Heading of `text`: `unsound in line 2`, `Move to find`.
    pub name: String,
    /// The finding or the move.
    pub text: String,
    /// The position; may be empty.
    pub fen: String,
    /// The move of an arrow, in UCI notation; may be empty.
    pub r#move: String,
}

/// Most positions with a diagram.
const MAX_POSITIONS: usize = 100;

/// Start, end, files and figures of recorded work.
pub fn recorded_page(work: &RecordedWork<'_>) -> Page {
    let title = heading(if work.title.is_empty() { work.command } else { work.title });
    let content = html! {
        header { h1 { (title) } }
        section.card {
            (state(work))
            dl.numbers {
                @if !work.done.is_empty() { (number("Done", work.done, work.of)) }
                @if work.exit.is_some() { (number("Time", &duration(work.seconds), "")) }
                @if let Some(best) = Losses::best_epoch(work.losses) { (chosen(best, work.losses)) }
            }
        }
        (loss_curve(work.losses))
        (files(work.files))
        (figures(work.figures))
        (positions(work.positions))
        @if let Some(config) = work.config { section.card { h2 { "Configuration" } pre { (config) } } }
        @if let Some(line) = work.command_line {
            section.card {
                h2 { "Command" }
                pre { (command_words(line)) }
                p { a href="run.yaml" { "run.yaml" } " has it with the version and the machine." }
            }
        }
    };
    Page::new(title, content)
}

/// A title as a heading: `Training of net`. The name of a file stays as it is.
fn heading(title: &str) -> String {
    match (title.contains(' '), title.chars().next()) {
        (true, Some(first)) => first.to_uppercase().chain(title.chars().skip(1)).collect(),
        _ => title.to_owned(),
    }
}

/// The losses of the epoch whose network is taken.
fn chosen(best: u32, epochs: &[Losses]) -> Markup {
    let losses = epochs[best as usize - 1];
    let beside = format!("epoch {best} of {}, training loss {:.6}", epochs.len(), losses.train);
    html! {
        (number("Validation loss", &format!("{:.6}", losses.validation), &beside))
        @if let Some(scores) = losses.scores {
            (number("By scores alone", &format!("{scores:.6}"), "which chooses the epoch"))
        }
    }
}

fn state(work: &RecordedWork<'_>) -> Markup {
    html! {
        @match (work.exit, work.error) {
            (Some(exit), Some(error)) => {
                p.verdict.bad { "failed" }
                p { (error) " (exit status " (exit) ")" }
                @if let Some(help) = work.help { p.soft { (with_code(help)) } }
            }
            (Some(0), None) => p.verdict.good { "done" },
            (Some(exit), None) => p.verdict.even { "done, exit status " (exit) },
            (None, _) => {}
        }
    }
}

fn files(files: &[(String, Option<u64>)]) -> Markup {
    html! {
        @if !files.is_empty() {
            section.card {
                h2 { "Files" }
                div.scroll tabindex="0" role="region" aria-label="Files" {
                    table {
                        thead { tr { th { "File" } th.number { "Bytes" } } }
                        tbody {
                            @for (path, size) in files {
                                tr {
                                    td { code { (path) } }
                                    td.number { @match size { Some(size) => (grouped(*size)), None => "not there" } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn figures(figures: &[(String, String)]) -> Markup {
    html! {
        @if !figures.is_empty() {
            section.card {
                h2 { "Figures" }
                div.scroll tabindex="0" role="region" aria-label="Figures" {
                    table {
                        tbody { @for (name, value) in figures { tr { th scope="row" { (name) } td { (value) } } } }
                    }
                }
            }
        }
    }
}

fn positions(all: &[RecordedPosition]) -> Markup {
    html! {
        @if !all.is_empty() {
            (piece_symbols())
            section.card {
                h2 { "Positions (" (grouped(all.len() as u64)) ")" }
                @if all.len() > MAX_POSITIONS { p.soft { "The first " (MAX_POSITIONS) "." } }
                div.positions { @for one in all.iter().take(MAX_POSITIONS) { (position(one)) } }
            }
        }
    }
}

fn position(one: &RecordedPosition) -> Markup {
    let RecordedPosition { id, name, text, fen, r#move } = one;
    let arrow = (!r#move.is_empty()).then_some((Arrow::Expected, r#move.as_str()));
    let side = if is_black_to_move(fen) { "black to move" } else { "white to move" };
    html! {
        article.position {
            h3 { (id) @if !fen.is_empty() { span { (side) } } }
            @if let Some(drawing) = board(fen, arrow.as_slice()) { (drawing) }
            dl { dt { (name) } dd { (text) } }
            @if !fen.is_empty() { code { (fen) } }
        }
    }
}
