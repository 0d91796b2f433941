//! A board: played on, analysed, annotated.

use std::sync::Arc;

use axum::Extension;
use axum::Router;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};
use serde_json::Value;

use super::ask::prepare;
use super::boards::{game_fields, title};
use crate::boards::analysis::MAX_LINES;
use crate::boards::board::Board;
use crate::boards::opponent::wake_sleeping;
use crate::error::StudioError;
use crate::form::Form;
use crate::frame::{self, FramedPage};
use crate::games::files::UploadedFile;
use crate::role::Role;
use crate::state::App;

/// The routes of this page.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/board/{id}", get(page))
}

/// `/board/ID`.
///
/// # Errors
/// When there is no such board.
pub async fn page(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Path(id): Path<String>,
) -> Result<Response, StudioError> {
    let missing = || StudioError::NotFound(format!("board `{id}`"));
    let board = app.shelf.get(&id).map_err(StudioError::Form)?.ok_or_else(missing)?;
    wake_sleeping(&board, &app.engines);
    let control = role == Role::Control;
    if control {
        prepare();
    }
    let content = html! {
        h1.visually-hidden { "Board" }
        div #board-page data-board=(id) data-csrf=[control.then(|| app.secrets.csrf())] {
            script type="application/json" #board-state { (maud::PreEscaped(in_script(&board.view()))) }
            (without_script(&board))
            @if control { (ask()) }
            div.board-columns.needs-script {
                div.board-left {
                    div.player.top { span.name {} span.clock {} }
                    div.board-and-bar {
                        div #evaluation-bar role="meter" aria-label="White's chances" aria-valuemin="0" aria-valuemax="100" aria-valuenow="50" hidden { div {} }
                        div #board-frame {}
                    }
                    div.player.bottom { span.name {} span.clock {} }
                    div #lines-below {}
                    div.legal-box { p #legal-note.soft role="status" {} p #tablebase.soft {} }
                    (buttons(control))
                    p #board-line.viewer-line role="status" {}
                }
                div.board-right {
                    div #opening-name.soft {}
                    div #move-tree.moves-box.scroll role="group" aria-label="Moves" {}
                    div #board-graph hidden {}
                    @if control { (annotate()) }
                    @if control { (engines()) }
                    (panels(control, &app.pgn.uploaded()))
                }
            }
            p.visually-hidden #spoken aria-live="polite" {}
        }
    };
    let title = title(&board.state().tree);
    let framed = FramedPage { title: &title, tab: "/boards", topic: None, role, content };
    Ok(frame::response(framed.page()))
}

/// The page without JavaScript: the moves, and why nothing else is there.
fn without_script(board: &Board) -> Markup {
    html! {
        noscript {
            section.card {
                p { "A board needs JavaScript, which is switched off in this browser. Its moves as PGN: "
                    a href={ "/board/" (board.id) "/game.pgn" } { "game.pgn" } "." }
                pre { (board.state().tree.to_pgn()) }
            }
        }
    }
}

/// JSON inside a script element: nothing in it may end the element.
fn in_script(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

fn ask() -> Markup {
    html! {
        form.needs-script #ask autocomplete="off" role="search" aria-label="Moves and commands" {
            input #ask-text name="text" spellcheck="false" aria-label="Move or command" placeholder="A move or a wish: Nf3 · play the caro kann · hint · sprt head against main";
            button.button { "Do" }
            button.button #listen type="button" hidden { "Listen" }
            output #understood for="ask-text" {}
        }
        div #load-report role="status" {}
    }
}

fn buttons(control: bool) -> Markup {
    let moves = [
        ("first", "First"),
        ("back", "Back"),
        ("forward", "Forward"),
        ("last", "Last"),
        ("flip", "Turn board"),
    ];
    let game = [
        ("takeback", "Take back"),
        ("hint", "Hint"),
        ("threat", "Threat"),
        ("draw", "Draw"),
        ("resign", "Resign"),
    ];
    html! {
        div.viewer-buttons.board-buttons role="group" aria-label="Places in the game" {
            @for (what, name) in moves { button.button type="button" data-go=(what) { (name) } }
        }
        @if control {
            div.viewer-buttons.board-buttons role="group" aria-label="Game" {
                @for (what, name) in game { button.button type="button" data-do=(what) { (name) } }
            }
        }
    }
}

/// Signs of moves: the glyph's number, the sign, its name.
const SIGNS: [(u8, &str, &str); 6] = [
    (3, "!!", "brilliant"),
    (1, "!", "good"),
    (5, "!?", "interesting"),
    (6, "?!", "dubious"),
    (2, "?", "mistake"),
    (4, "??", "blunder"),
];

fn annotate() -> Markup {
    html! {
        details #annotate {
            summary { "Annotate" }
            div.viewer-buttons role="group" aria-label="Signs" {
                @for (nag, sign, name) in SIGNS {
                    button.button type="button" data-nag=(nag) aria-label=(name) title=(name) aria-pressed="false" { (sign) }
                }
            }
            label { "Comment" textarea #comment rows="2" maxlength="10000" aria-describedby="comment-changed" {} }
            p #comment-changed.soft role="status" {}
            label { "Clock" input #clock-after placeholder="0:05:00" spellcheck="false"; }
            div.actions {
                button.button type="button" #save-comment { "Save comment and clock" }
                button.button type="button" data-edit="promote" { "First variation" }
                button.button type="button" data-edit="mainline" { "Main line" }
                button.button.danger type="button" data-edit="delete" { "Delete from here" }
                button.button type="button" #mark-move { "Arrow of this move" }
                button.button type="button" #clear-marks { "No arrows" }
            }
            p.soft { "Arrows: hold Shift and drag from square to square." }
            form.filter-form #tags-form {
                @for name in ["White", "Black", "Event", "Site", "Date", "Round"] {
                    label { (name) input name=(name) maxlength="200" spellcheck="false"; }
                }
                label { "Result"
                    select name="Result" { @for result in ["*", "1-0", "0-1", "1/2-1/2"] { option { (result) } } }
                }
                button.button { "Save tags" }
            }
        }
    }
}

fn engines() -> Markup {
    html! {
        details #analysis {
            summary { "Analysis" }
            form.filter-form #analysis-form {
                label { "Engines" input #engines name="engines" value="builtin" list="players"; }
                label { "Lines" input #lines name="lines" type="number" min="1" max=(MAX_LINES) value="2"; }
                button.button #review type="button" { "Review the game" }
                label { input type="checkbox" #show-seen; " What the network sees" }
            }
            p #seen-note.soft hidden {}
            div #lines-inside { div #engine-lines {} }
            div #mistakes {}
        }
    }
}

/// How boards look and sound; the browser remembers it.
fn settings() -> Markup {
    let themes = [
        ("", "green"),
        ("brown", "brown"),
        ("blue", "blue"),
        ("grey", "grey"),
        ("contrast", "strong contrast"),
    ];
    html! {
        details #settings {
            summary { "Board and sound" }
            div.filter-form {
                label { "Colours"
                    select #board-theme { @for (value, name) in themes { option value=(value) { (name) } } }
                }
                label { "Pieces"
                    select #board-pieces { option value="" { "drawn" } option value="plain" { "plain" } }
                }
            }
            label { input type="checkbox" #board-sounds; " A sound for moves" }
            label { input type="checkbox" #speak; " Say moves and answers" }
        }
    }
}

/// The form of games between engines from the position that is shown.
fn play_out() -> Markup {
    html! {
        form.filter-form #playout-form {
            label { "Games from here" input name="games" type="number" min="2" max="100000" value="100"; }
            label { "Between" input name="engine" value="builtin" list="players" required; }
            label { "and" input name="against" value="builtin" list="players" required; }
            label { "Time a move" input.short name="movetime" value="50 ms" required; }
            button.button { "Play them" }
        }
    }
}

fn panels(control: bool, files: &[UploadedFile]) -> Markup {
    html! {
        details #explorer {
            summary { "Explorer" }
            label { "Games" input #explorer-source list="pgn-files" placeholder="of the ledger, or a PGN file" spellcheck="false"; }
            datalist #pgn-files { @for file in files { option value=(file.name) {} } }
            div #explorer-rows {}
            @if control { (play_out()) }
        }
        @if control {
            details #editor {
                summary { "Edit position" }
                label { "A picture of a board" input #picture-file type="file" accept="image/png,image/jpeg,image/webp"; }
                p.soft { "A screenshot that is pasted (Ctrl+V) or dropped on the page does the same." }
                div #picture-report role="status" {}
                div #palette role="radiogroup" aria-label="Piece" {}
                fieldset.castling {
                    legend { "Castling" }
                    @for (right, name) in [("K", "White short"), ("Q", "White long"), ("k", "Black short"), ("q", "Black long")] {
                        label { input type="checkbox" data-castling=(right); " " (name) }
                    }
                }
                label { "FEN" input #edit-fen spellcheck="false"; }
                div.actions {
                    button.button type="button" data-preset="start" { "Start position" }
                    button.button type="button" data-preset="empty" { "Empty" }
                    button.button type="button" data-preset="turn" { "Other side to move" }
                    button.button.primary type="button" #use-position { "Use this position" }
                }
            }
            details #new-game {
                summary { "New game" }
                form.filter-form #new-game-form {
                    (game_fields(&Form::new(Vec::new())))
                    label { input type="checkbox" name="here" value="yes"; " From this position" }
                    button.button.primary { "Play" }
                }
            }
        }
        details #share {
            summary { "Share and export" }
            div.viewer-exports {
                input #board-fen readonly aria-label="FEN" spellcheck="false";
                button.button type="button" #copy-fen { "Copy FEN" }
                button.button type="button" #copy-pgn { "Copy PGN" }
                button.button type="button" #copy-link { "Copy link" }
                button.button type="button" #copy-position-link { "Copy link to the position" }
                button.button type="button" #save-picture { "Picture file" }
                a.button href={ "game.pgn" } #download-pgn download="game.pgn" { "PGN file" }
            }
            @if control {
                div.actions {
                    @for (side, own, other) in [("white", "White", "Black"), ("black", "Black", "White")] {
                        button.button type="button" data-invite=(side) { "Copy link to play " (own) ", and play " (other) }
                    }
                }
                label { "PGN, moves, FEN or EPD to load" textarea #pgn rows="4" spellcheck="false" {} }
                label { "or a file" input #pgn-file type="file" accept=".pgn,.txt,.fen,.epd"; }
                div.actions { button.button type="button" #load-pgn { "Load" } }
                p.soft { "Pasting on the page, or dropping a file on it, does the same. Files with many games: " a href="/pgn" { "PGN files" } "." }
            }
        }
        (settings())
    }
}
