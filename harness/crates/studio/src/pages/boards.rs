//! The list of boards, and the form of a new one.

use std::sync::Arc;

use axum::Extension;
use axum::Router;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use maud::{Markup, html};
use serde::Deserialize;

use crate::boards::levels;
use crate::boards::new_game::NewGame;
use crate::boards::opponent::wake;
use crate::boards::shelf::ListedBoard;
use crate::error::StudioError;
use crate::form::Form;
use crate::frame::{self, FramedPage};
use crate::role::Role;
use crate::state::App;
use harness_base::config::Config;
use harness_games::pasted::read_pasted;
use harness_games::tree::GameTree;

/// Boards that are listed.
const MAX_BOARDS: usize = 60;

/// Query of the address.
#[derive(Deserialize)]
pub struct BoardsQuery {
    /// A position to begin from.
    #[serde(default)]
    fen: String,
}

/// The routes of this page.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/boards", get(list).post(make))
}

/// `/boards`, `/boards?fen=FEN`.
pub async fn list(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Query(query): Query<BoardsQuery>,
) -> Response {
    let content = html! {
        h1 { "Boards" }
        p { a href="/pgn" { "PGN files" } }
        @if role == Role::Control { (form(&app, &query.fen)) }
        section.card {
            h2 { "Games and studies" }
            (table(&app.shelf.newest(MAX_BOARDS)))
        }
    };
    let framed = FramedPage { title: "Boards", tab: "/boards", topic: None, role, content };
    frame::response(framed.page())
}

/// Engines that can be chosen without writing a name.
pub fn engine_names() -> Vec<String> {
    let mut names = vec!["builtin".to_owned()];
    // A file that cannot be read is reported where an engine of it is query for.
    let config = Config::find().unwrap_or_default();
    names.extend(config.engines.into_keys());
    names
}

fn form(app: &App, fen: &str) -> Markup {
    html! {
        section.card {
            h2 { "New game" }
            form.filter-form #new-game method="post" action="/boards" {
                input type="hidden" name="csrf" value=(app.secrets.csrf());
                (game_fields())
                label { "From a position" input name="fen" value=(fen) placeholder="FEN" spellcheck="false"; }
                button.button.primary name="do" value="game" { "Play" }
                button.button name="do" value="study" { "Empty board" }
            }
        }
    }
}

/// The fields of a new game.
pub fn game_fields() -> Markup {
    let names = engine_names();
    html! {
        @for (side, chosen) in [("white", "human"), ("black", "builtin")] {
            label { (if side == "white" { "White" } else { "Black" })
                input name=(side) value=(chosen) list="players" required;
            }
        }
        datalist #players {
            option value="human" {}
            @for name in &names { option value=(name) {} }
        }
        label { "Level of builtin"
            select name="level" {
                @for level in 1..=levels::COUNT {
                    option value=(level) selected[level == 5] {
                        (level)
                        @match levels::elo(level) {
                            Some(elo) => { " (Elo " (elo) ")" }
                            None => { " (full strength)" }
                        }
                    }
                }
            }
        }
        label { "Clock" input name="clock" placeholder="none, or 5+3"; }
        label { "Opening" input name="opening" placeholder="any"; }
        label { input type="checkbox" name="chess960" value="yes"; " Chess960" }
    }
}

fn table(boards: &[ListedBoard]) -> Markup {
    html! {
        @if boards.is_empty() { p.soft { "There is none yet." } }
        div.scroll tabindex="0" role="region" aria-label="Boards" {
            table.boards-list {
                thead { tr { th { "Game" } th { "Result" } th.number { "Moves" } th { "Changed" } } }
                tbody {
                    @for listed in boards { (row(listed)) }
                }
            }
        }
    }
}

fn row(listed: &ListedBoard) -> Markup {
    let Some(board) = &listed.board else {
        return html! { tr { td { (listed.id) ": its file cannot be read" } td {} td {} td {} } };
    };
    let state = board.state();
    let tree = &state.tree;
    let player = |name: &str| tree.tag(name).unwrap_or("?").to_owned();
    let title = match (tree.tag("White"), tree.tag("Black")) {
        (None, None) => "Study".to_owned(),
        _ => format!("{} – {}", player("White"), player("Black")),
    };
    let over = state.game.as_ref().and_then(|game| game.over.clone()).unwrap_or_default();
    let moves = tree.main_line().len().div_ceil(2);
    let changed = jiff::Timestamp::try_from(listed.changed).unwrap_or_default();
    let changed = changed.strftime("%Y-%m-%d %H:%M").to_string();
    html! {
        tr {
            td { a href={ "/board/" (listed.id) } { (title) } }
            td { (tree.result()) " " (over) }
            td.number { (moves) }
            td { time { (changed) } }
        }
    }
}

/// `POST /boards`: a new game, an empty board, or the game of a text.
///
/// # Errors
/// When the form is wrong, or the board cannot be written.
pub async fn make(State(app): State<Arc<App>>, sent: Form) -> Result<Response, StudioError> {
    let board = match sent.get("do") {
        "study" => {
            let fen = Some(sent.get("fen").trim()).filter(|fen| !fen.is_empty());
            let tree = GameTree::new(fen, !sent.get("chess960").is_empty());
            tree.map_err(|error| error.to_string()).and_then(|tree| app.shelf.make(tree, None))
        }
        "text" => {
            let game = sent.get("game").parse().unwrap_or(1);
            let read = read_pasted(sent.get("text").as_bytes(), game).map_err(String::from);
            read.and_then(|read| app.shelf.make(read.tree, None))
        }
        _ => NewGame::read(&sent)
            .and_then(|new| new.begin())
            .and_then(|(tree, game)| app.shelf.make(tree, Some(game))),
    };
    let board = board.map_err(StudioError::Form)?;
    wake(&board, &app.engines);
    Ok(Redirect::to(&format!("/board/{}", board.id)).into_response())
}
