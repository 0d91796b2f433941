//! Errors of pages, and the page that shows them.

use std::io;
use std::net::SocketAddr;

use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use engine::tablebase::TablebaseError;
use maud::html;
use miette::Diagnostic;
use thiserror::Error;

use super::frame::error_page;
use super::games::IndexError;
use harness_base::failure::Failure;
use harness_games::viewed::ViewError;
use harness_ledger::LedgerError;
use harness_report::html::{as_sentence, with_code};
use harness_runs::report::ReportError;

/// An error of the studio.
#[derive(Debug, Error, Diagnostic)]
pub enum StudioError {
    /// The address is taken, or not of this machine.
    #[error("cannot listen at {0}: {1}")]
    #[diagnostic(help("choose another port with `--port N`; 0 takes any that is free"))]
    Listen(SocketAddr, #[source] io::Error),
    /// The files of the studio cannot be written.
    #[error("cannot write {0}: {1}")]
    #[diagnostic(help("name a folder that can be written with `--reports DIR`"))]
    Unwritable(String, #[source] io::Error),
    /// No token, or a wrong one.
    #[error("this page needs the address with its token")]
    #[diagnostic(help("open the address that `harness studio` printed"))]
    NoToken,
    /// The request comes from another place.
    #[error("the request was refused: {0}")]
    #[diagnostic(help("open the address that `harness studio` printed"))]
    Refused(&'static str),
    /// The token allows to look only.
    #[error("this address allows to look, not to change anything")]
    #[diagnostic(help("open the first address that `harness studio` printed"))]
    ReadOnly,
    /// A form is not understood.
    #[error("{0}")]
    #[diagnostic(help("go back and change it"))]
    Form(String),
    /// The form is too large.
    #[error("the form is larger than {kilobytes} kB")]
    #[diagnostic(help("large files are read by name: write their path"))]
    TooLarge {
        /// Maximum size of a form.
        kilobytes: usize,
    },
    /// There is no such page.
    #[error("there is no {0}")]
    #[diagnostic(help("the list of runs shows what there is"))]
    NotFound(String),
    /// The run does not answer.
    #[error("run `{0}` is not running, or does not answer")]
    #[diagnostic(help("the list of runs shows its state"))]
    NotRunning(String),
    /// A folder of tablebases cannot be used.
    #[error(transparent)]
    #[diagnostic(help("--tb wants folders of Syzygy tables (*.rtbw), with `:` between them"))]
    Tablebases(#[from] TablebaseError),
    /// The folders of tablebases have one half of the files.
    #[error("{0}")]
    #[diagnostic(help("--tb wants folders of Syzygy tables (*.rtbw), with `:` between them"))]
    HalfTablebases(&'static str),
    /// The ledger cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Ledger(#[from] LedgerError),
    /// The index of games cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Index(#[from] IndexError),
    /// A game cannot be shown.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Game(#[from] ViewError),
    /// A run cannot be shown.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Report(#[from] ReportError),
}

impl StudioError {
    fn status(&self) -> StatusCode {
        match self {
            StudioError::NoToken => StatusCode::UNAUTHORIZED,
            StudioError::Refused(_) | StudioError::ReadOnly => StatusCode::FORBIDDEN,
            StudioError::Form(_) => StatusCode::UNPROCESSABLE_ENTITY,
            StudioError::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            StudioError::NotFound(_)
            | StudioError::Ledger(
                LedgerError::UnknownRun { .. }
                | LedgerError::AmbiguousRun { .. }
                | LedgerError::NoRuns { .. },
            ) => StatusCode::NOT_FOUND,
            StudioError::NotRunning(_) | StudioError::Ledger(LedgerError::RunningNow(_)) => {
                StatusCode::CONFLICT
            }
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl StudioError {
    /// The address and the name of the list of what there is in place of what is not there.
    fn list(&self) -> Option<(&'static str, &'static str)> {
        match self {
            StudioError::NotFound(what) if what.starts_with("board ") => {
                Some(("/boards", "The list of boards"))
            }
            _ if self.status() == StatusCode::NOT_FOUND => Some(("/", "The list of runs")),
            _ => None,
        }
    }
}

impl IntoResponse for StudioError {
    fn into_response(self) -> Response {
        let help = self.help().map(|help| help.to_string());
        let status = self.status();
        // Who is not let in has no other page to go to.
        let is_refused = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        let title = match status {
            StatusCode::NOT_FOUND => "Not found",
            _ if is_refused => "Not allowed",
            _ => "Error",
        };
        let content = html! {
            h1 { (title) }
            section.card.warning {
                p { (with_code(&as_sentence(&self.to_string()))) }
                @if let Some((path, list)) = self.list() {
                    p.soft { a href=(path) { (list) } " shows what there is." }
                } @else if let Some(help) = help {
                    p.soft { (with_code(&as_sentence(&help))) }
                }
            }
        };
        (status, Html(error_page(title, &content, !is_refused))).into_response()
    }
}

impl From<StudioError> for Failure {
    fn from(error: StudioError) -> Failure {
        match error {
            StudioError::Listen(..) | StudioError::Tablebases(_) => Failure::Usage(error.into()),
            error => Failure::Failed(error.into()),
        }
    }
}
