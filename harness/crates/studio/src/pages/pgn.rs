//! PGN files: listed page by page, their games opened on boards.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Extension;
use axum::Router;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use futures_util::StreamExt;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::refusal::{Refusal, answer, blocking};
use crate::error::StudioError;
use crate::form::Form;
use crate::frame::{self, FramedPage};
use crate::games::files::{PgnFile, holds_games, unpack_in_place, unpacked_name};
use crate::role::Role;
use crate::secrets::same;
use crate::state::App;
use crate::views::{escaped, parts};
use harness_base::text::grouped;
use harness_games::pasted::game_of_file;
use harness_ledger::within;

/// Games of a part of the list.
const PAGE_ROWS: usize = 100;

/// Largest file that is uploaded, in bytes; larger ones are opened by their path.
const MAX_UPLOAD_BYTES: u64 = 4 << 30;

/// Bytes that an upload has to have on average, after the time of its first part.
const LEAST_BYTES_A_SECOND: u64 = 1_000;

/// A file of which nothing comes for so long is given up.
const PART_TIMEOUT: Duration = Duration::from_secs(30);

/// The file of a name: one of the folder, or, for who may start programs here, any by its path.
///
/// # Errors
/// When it cannot be read; in words for people.
pub fn file(app: &App, role: Role, name: &str) -> Result<Arc<PgnFile>, String> {
    let place = match app.pgn.listed(name) {
        Some(place) if place.exists() || role == Role::View => place,
        _ if role == Role::Control => PathBuf::from(name),
        _ => return Err(format!("`{name}` is not one of the files that are listed")),
    };
    app.pgn.get(&place)
}

/// The routes of these pages.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/pgn", get(list))
        .route("/pgn/games", get(games))
        .route("/pgn/open", post(open))
        .route("/pgn/delete", post(delete))
        .route("/pgn/upload", post(upload))
}

/// `/pgn`: the files, and how others come here.
pub async fn list(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Query(query): Query<PgnQuery>,
    headers: HeaderMap,
) -> Response {
    let files = files(&app, role, &query.q);
    if headers.contains_key("x-fragment") {
        return frame::response(files.into_string());
    }
    let content = html! {
        h1 { "PGN files" }
        @if role == Role::Control { (ways_in(&app)) }
        section.card data-pages #pgn-files-list { (files) }
    };
    let framed = FramedPage { title: "PGN files", tab: "/boards", topic: None, role, content };
    frame::response(framed.page())
}

/// The uploaded files whose names have a text.
fn files(app: &App, role: Role, text: &str) -> Markup {
    let mut files = app.pgn.uploaded();
    let wanted = text.trim().to_lowercase();
    files.retain(|file| file.name.to_lowercase().contains(&wanted));
    html! {
        h2 { "Files" }
        form.filter-form method="get" action="/pgn" data-filter role="search" {
            label { "Search" input #search type="search" name="q" value=(text) placeholder="name"; }
            noscript { button.button { "Search" } }
        }
        @if files.is_empty() {
            p.soft { @if wanted.is_empty() { "There are none yet." } @else { "None is called so." } }
        }
        ul.pgn-files {
            @for file in &files {
                li {
                    a href={ "/pgn/games?file=" (escaped(&file.name)) } { (file.name) }
                    " " span.soft { (size(file.bytes)) }
                    @if role == Role::Control {
                        form method="post" action="/pgn/delete" {
                            input type="hidden" name="csrf" value=(app.secrets.csrf());
                            input type="hidden" name="file" value=(file.name);
                            button.button.danger data-confirm={ "Delete " (file.name) "?" } aria-label={ "Delete " (file.name) } { "Delete" }
                        }
                    }
                }
            }
        }
    }
}

/// `POST /pgn/delete`: deletes an uploaded file; those elsewhere on this machine are not its business.
///
/// # Errors
/// When there is no such file, or it cannot be removed.
pub async fn delete(State(app): State<Arc<App>>, sent: Form) -> Result<Response, StudioError> {
    let name = sent.get("file");
    let missing = || StudioError::NotFound(format!("uploaded file `{name}`"));
    let known = app.pgn.uploaded().into_iter().any(|file| file.name == name);
    let path = app.pgn.listed(name).filter(|_| known).ok_or_else(missing)?;
    std::fs::remove_file(&path)
        .map_err(|error| StudioError::Form(format!("cannot remove {}: {error}", path.display())))?;
    Ok(Redirect::to("/pgn").into_response())
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

fn ways_in(app: &App) -> Markup {
    html! {
        section.card {
            h2 { "Open a file" }
            form.filter-form method="get" action="/pgn/games" {
                label { "Path on this machine" input name="file" required placeholder="/home/me/games.pgn" spellcheck="false"; }
                button.button { "Open" }
            }
            form.filter-form #pgn-upload data-csrf=(app.secrets.csrf()) {
                label { "From the browser" input type="file" name="file" accept=".pgn,.gz,.zst,.bz2" required; }
                button.button { "Upload" }
                p #upload-state role="status" {}
            }
        }
    }
}

/// Query of the list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PgnQuery {
    file: String,
    q: String,
    offset: u64,
}

/// `/pgn/games?file=NAME&q=TEXT&offset=N`.
///
/// # Errors
/// When the file cannot be read.
pub async fn games(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Query(query): Query<PgnQuery>,
    headers: HeaderMap,
) -> Result<Response, StudioError> {
    let part = headers.contains_key("x-fragment");
    let rendered = tokio::task::spawn_blocking(move || {
        let file = file(&app, role, &query.file).map_err(StudioError::Form)?;
        let csrf = (role == Role::Control).then(|| app.secrets.csrf());
        let list = listed(&query, &file, csrf);
        if part {
            return Ok(list.into_string());
        }
        let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let content = html! {
            h1 { (name) }
            p { a href="/pgn" { "PGN files" } }
            section.card data-pages #games { (list) }
        };
        Ok(FramedPage { title: &name, tab: "/boards", topic: None, role, content }.page())
    });
    let page: Result<String, StudioError> =
        rendered.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
    Ok(frame::response(page?))
}

fn listed(query: &PgnQuery, file: &PgnFile, csrf: Option<&str>) -> Markup {
    let list = &file.list;
    let q = query.q.trim();
    let found = (!q.is_empty()).then(|| list.search(q));
    let total = found.as_ref().map_or(list.len(), Vec::len);
    let offset = within(query.offset, total as u64, PAGE_ROWS as u64);
    let rows = (offset as usize..total.min(offset as usize + PAGE_ROWS))
        .map(|row| found.as_ref().map_or(row, |found| found[row] as usize));
    let link = |offset: u64| {
        format!("/pgn/games?file={}&q={}&offset={offset}", escaped(&query.file), escaped(q))
    };
    html! {
        form.filter-form method="get" action="/pgn/games" data-filter role="search" {
            input type="hidden" name="file" value=(query.file);
            label { "Player, event, year, opening"
                input #search type="search" name="q" value=(query.q) placeholder="Carlsen 2013";
            }
            noscript { button.button { "Search" } }
        }
        @if total == 0 {
            p.soft { "No game is like this." }
        } @else {
            form method="post" action="/pgn/open" {
                @if let Some(csrf) = csrf {
                    input type="hidden" name="csrf" value=(csrf);
                    input type="hidden" name="file" value=(query.file);
                }
                div.scroll tabindex="0" role="region" aria-label="Games" {
                    table.games {
                        thead { tr {
                            th.number { "Game" } th { "White" } th { "Black" } th { "Result" }
                            th { "Event" } th { "Date" } th { "Opening" }
                        } }
                        tbody { @for game in rows { (row(file, game, csrf.is_some())) } }
                    }
                }
            }
        }
        (parts(total as u64, offset, PAGE_ROWS as u64, link))
    }
}

fn row(file: &PgnFile, game: usize, control: bool) -> Markup {
    let [white, black, result, event, date, eco, opening] = file.list.tags(game);
    let number = grouped(game as u64 + 1);
    html! {
        tr {
            td.number {
                @if control {
                    button.button name="game" value=(game + 1) aria-label={ "Open game " (number) } { (number) }
                } @else { (number) }
            }
            td.named { (white) } td.named { (black) } td { (result.replace("1/2-1/2", "½-½")) }
            td { (event) } td { (date) } td { (eco) " " (opening) }
        }
    }
}

/// `POST /pgn/open`: a game of a file on a board of its own.
///
/// # Errors
/// When there is no such game, or nothing of it can be read.
pub async fn open(State(app): State<Arc<App>>, sent: Form) -> Result<Response, StudioError> {
    let name = sent.get("file").to_owned();
    let game = sent.get("game").to_owned();
    let made = tokio::task::spawn_blocking(move || {
        let file = file(&app, Role::Control, &name)?;
        let number: usize = game.parse().map_err(|_| format!("`{game}` is no number of a game"))?;
        let index = number.checked_sub(1).ok_or("games are counted from 1")?;
        let text = file.list.text(&file.path, index).map_err(|error| error.to_string())?;
        let tree = game_of_file(&text)?;
        app.shelf.make(tree, None)
    });
    let board = made.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
    let board = board.map_err(StudioError::Form)?;
    Ok(Redirect::to(&format!("/board/{}#node=0", board.id)).into_response())
}

/// Name of an upload, and the token of its page.
#[derive(Deserialize)]
pub struct Upload {
    #[serde(default)]
    csrf: String,
    #[serde(default)]
    name: String,
    /// `yes` for a file of this name that is there already to be replaced.
    #[serde(default)]
    replace: String,
}

/// `POST /pgn/upload?name=NAME&csrf=TOKEN`: a file, as it is; a compressed one is unpacked.
///
/// # Errors
/// When its name is not plain, it is too large, or it cannot be written.
pub async fn upload(
    State(app): State<Arc<App>>,
    Query(query): Query<Upload>,
    body: Body,
) -> Result<Response, Refusal> {
    if !same(&query.csrf, app.secrets.csrf()) {
        return Err(Refusal(StatusCode::FORBIDDEN, "it is not of this studio".to_owned()));
    }
    let wrong = || {
        let name = &query.name;
        Refusal::wrong(format!(
            "`{name}` is no name of a file: at most 200 letters, no dot at the beginning, none of \
             < > : \" | ? * / \\, and .pgn behind them (.pgn.gz, .zst or .bz2 if it is compressed)"
        ))
    };
    let name = unpacked_name(&query.name).to_owned();
    let place = app.pgn.place(&name).ok_or_else(wrong)?;
    if place.exists() && query.replace != "yes" {
        let error = format!("There is a file `{name}` already, which would be replaced.");
        let value = json!({ "error": error, "replaces": name });
        return Ok(answer(StatusCode::CONFLICT, &value));
    }
    let folder = app.pgn.folder().map_err(|error| Refusal::wrong(error.to_string()))?;
    let part = folder.join(format!(".{name}.part"));
    let written = write(&part, body).await;
    if let Err(error) = written {
        let _ = std::fs::remove_file(&part);
        return Err(Refusal::wrong(format!("{}: {error}", place.display())));
    }
    blocking(move || {
        let failed = |error: std::io::Error| format!("{}: {error}", place.display());
        let unpacked = unpack_in_place(&part, MAX_UPLOAD_BYTES).map_err(|error| error.to_string());
        if let Err(reason) = unpacked.and_then(|()| holds_games(&part)) {
            let _ = std::fs::remove_file(&part);
            return Err(Refusal::wrong(format!("`{}` is not kept: {reason}", query.name)));
        }
        std::fs::rename(&part, &place).map_err(failed)?;
        let games = app.pgn.get(&place)?.list.len();
        Ok(answer(StatusCode::OK, &json!({ "name": name, "games": games })))
    })
    .await
}

/// Whether an upload has fewer bytes after this time than a connection that is in use.
fn is_too_slow(bytes: u64, time: Duration) -> bool {
    time > PART_TIMEOUT && bytes < time.as_secs().saturating_mul(LEAST_BYTES_A_SECOND)
}

async fn write(path: &Path, body: Body) -> io::Result<()> {
    let mut file = std::fs::File::create(path)?;
    let mut stream = body.into_data_stream();
    let (mut bytes, begun) = (0, Instant::now());
    loop {
        let part = tokio::time::timeout(PART_TIMEOUT, stream.next()).await;
        let Some(part) = part.map_err(io::Error::from)? else { break };
        let part = part.map_err(std::io::Error::other)?;
        bytes += part.len() as u64;
        if is_too_slow(bytes, begun.elapsed()) {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "it arrives too slowly"));
        }
        if bytes > MAX_UPLOAD_BYTES {
            return Err(std::io::Error::other(
                "the file is larger than 4 GiB; open it by its path",
            ));
        }
        tokio::task::block_in_place(|| file.write_all(&part))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upload_has_to_arrive_at_some_speed() {
        for (bytes, seconds, slow) in [
            (0, 5, false),
            (1, 30, false),
            (1, 31, true),
            (30_999, 31, true),
            (31_000, 31, false),
            (1 << 32, 3_600, false),
            (3_599_999, 3_600, true),
        ] {
            assert_eq!(is_too_slow(bytes, Duration::from_secs(seconds)), slow, "{bytes} {seconds}");
        }
    }
}
