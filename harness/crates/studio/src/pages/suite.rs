//! The suite of positions that were picked from games.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Extension;
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use maud::{Markup, html};
use shakmaty::fen::{Epd, Fen};
use shakmaty::san::San;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move};

use crate::error::StudioError;
use crate::form::Form;
use crate::frame::{self, FramedPage};
use crate::role::Role;
use crate::state::{App, with_ledger};
use crate::views::escaped;
use harness_notation::epd::{EpdPosition, read};
use harness_report::html::{Arrow, board};

/// The file in the reports folder.
const FILE: &str = "studio/positions.epd";

fn path(app: &App) -> PathBuf {
    app.reports.join(FILE)
}

/// The routes of this page.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/suite", get(page).post(add))
}

/// `GET /suite`: the positions so far.
///
/// # Errors
/// When the file cannot be read.
pub async fn page(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
) -> Result<Response, StudioError> {
    let page = with_ledger(app, move |app, _| {
        let path = path(app);
        let text = fs::read(&path).unwrap_or_default();
        let positions = read(&path.display().to_string(), &text);
        let content = html! {
            h1 { "Positions picked from games" }
            p.soft { code { (path.display()) } }
            @match &positions {
                Ok(positions) if positions.is_empty() => p {
                    "None yet: a game that was lost offers its moves under “Where was it lost?”."
                },
                Ok(positions) => {
                    @if role == Role::Control {
                        p { a.button #run-suite href={ "/start?suite=" (escaped(&path.display().to_string())) } { "Run as a suite" } }
                    }
                    div.positions { @for position in positions { (card(position)) } }
                }
                Err(error) => section.card.warning { pre { (error.to_string()) } },
            }
        };
        let title = "Positions";
        let tab = "/games";
        let topic = None;
        Ok(FramedPage { title, tab, topic, role, content }.page())
    });
    Ok(frame::response(page.await?))
}

fn card(position: &EpdPosition) -> Markup {
    let uci = |moves: &[Move]| -> Vec<String> {
        moves.iter().map(|one| one.to_uci(position.castling).to_string()).collect()
    };
    let best = uci(&position.best);
    let avoid = uci(&position.avoid);
    let best = best.iter().map(|text| (Arrow::Expected, text.as_str()));
    let avoid = avoid.iter().map(|text| (Arrow::Played, text.as_str()));
    let arrows: Vec<(Arrow, &str)> = best.chain(avoid).collect();
    let fen = &position.fen;
    html! {
        article.position {
            h3 { (position.id) }
            @if let Some(drawing) = board(fen, &arrows) { (drawing) }
            code { (fen) }
        }
    }
}

/// `POST /suite`: adds a position, with its best move or the move to avoid.
///
/// # Errors
/// When the position or the move makes no sense, or the file cannot be written.
pub async fn add(State(app): State<Arc<App>>, sent: Form) -> Result<Response, StudioError> {
    let line = line(&sent)?;
    let path = path(&app);
    let failed = |error| StudioError::Unwritable(path.display().to_string(), error);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let known = harness_base::input::read_text(&path).unwrap_or_default();
    if !known.lines().any(|old| old == line) {
        let file = OpenOptions::new().create(true).append(true).open(&path);
        file.and_then(|mut file| writeln!(file, "{line}")).map_err(failed)?;
    }
    Ok(Redirect::to("/suite").into_response())
}

/// The position as a line of EPD.
fn line(sent: &Form) -> Result<String, StudioError> {
    let bad = |what: &str| StudioError::Form(format!("the {what} makes no sense"));
    let fen: Fen = sent.get("fen").parse().map_err(|_| bad("position"))?;
    let position: Chess =
        fen.clone().into_position(CastlingMode::Chess960).map_err(|_| bad("position"))?;
    let (opcode, text) = match sent.get("best") {
        "" => ("am", sent.get("avoid")),
        best => ("bm", best),
    };
    let uci: UciMove = text.parse().map_err(|_| bad("move"))?;
    let legal = uci.to_move(&position).map_err(|_| bad("move"))?;
    let san = San::from_move(&position, legal);
    let epd = Epd::from_position(&position, EnPassantMode::Legal);
    // EPD has no way to escape a quote.
    let plain = |text: &str| text.replace(|letter: char| letter == '"' || letter.is_control(), "'");
    let id = plain(sent.get("id"));
    let game = plain(sent.get("game"));
    Ok(format!("{epd} {opcode} {san}; id \"{id}\"; c0 \"{game}\";"))
}
