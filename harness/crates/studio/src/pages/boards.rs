//! The list of boards, and the form of a new one.

use std::sync::Arc;

use axum::Extension;
use axum::Router;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use maud::{Markup, html};
use serde::Deserialize;

use crate::boards::levels;
use crate::boards::new_game::{NewGame, start};
use crate::boards::opponent::wake;
use crate::boards::shelf::ListedBoard;
use crate::form::Form;
use crate::frame::{self, FramedPage};
use crate::role::Role;
use crate::state::App;
use harness_base::config::Config;
use harness_games::pasted::read_pasted;
use harness_games::tree::{GameTree, NodeId};
use harness_report::html::{as_sentence, with_code};

/// Boards that are listed.
const MAX_BOARDS: usize = 60;

/// Boards that are searched.
const MAX_SEARCHED: usize = 5000;

/// Query of the address.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct BoardsQuery {
    /// A position to begin from.
    fen: String,
    /// Words of the boards that are listed.
    q: String,
}

/// The routes of this page.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/boards", get(list).post(make))
}

/// `/boards`, `/boards?fen=FEN`, `/boards?q=TEXT`.
pub async fn list(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Query(query): Query<BoardsQuery>,
    headers: HeaderMap,
) -> Response {
    let part = headers.contains_key("x-fragment");
    let rendered = tokio::task::spawn_blocking(move || {
        if part {
            return listed(&app, role, &query.q).into_string();
        }
        let sent = Form::new(vec![("fen".to_owned(), query.fen), ("q".to_owned(), query.q)]);
        page(&app, role, &sent, None)
    });
    let page = rendered.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
    frame::response(page)
}

/// The page, with what was written into its form, and why it was refused.
fn page(app: &App, role: Role, sent: &Form, refused: Option<&str>) -> String {
    let content = html! {
        h1 { "Boards" }
        p { a href="/pgn" { "PGN files" } }
        @if let Some(reason) = refused { p #wrong.flash.error role="alert" { (with_code(&as_sentence(reason))) } }
        @if role == Role::Control { (form(app, sent)) }
        section.card data-pages #boards-list { (listed(app, role, sent.get("q"))) }
    };
    FramedPage { title: "Boards", tab: "/boards", topic: None, role, content }.page()
}

/// The boards that have all words of a text in their players, results or names.
fn listed(app: &App, role: Role, text: &str) -> Markup {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let boards = if words.is_empty() {
        app.shelf.newest(MAX_BOARDS)
    } else {
        let mut boards = app.shelf.newest(MAX_SEARCHED);
        boards.retain(|board| {
            let line = line(board);
            let result = line.result.replace('`', "").replace("½-½", "½-½ 1/2-1/2");
            let text = format!("{} {result} {}", line.title, board.id).to_lowercase();
            words.iter().all(|word| text.contains(word))
        });
        boards.truncate(MAX_BOARDS);
        boards
    };
    html! {
        h2 { "Games and studies" }
        form.filter-form method="get" action="/boards" data-filter role="search" {
            label { "Search" input #search type="search" name="q" value=(text) placeholder="player, result"; }
            noscript { button.button { "Search" } }
        }
        (table(&boards, (role == Role::Control).then(|| app.secrets.csrf()), !words.is_empty()))
    }
}

/// Engines that can be chosen without writing a name.
pub fn engine_names() -> Vec<String> {
    let mut names = vec!["builtin".to_owned()];
    // `config_fault` says what is wrong with a file that cannot be read.
    let config = Config::find().unwrap_or_default();
    names.extend(config.engines.into_keys());
    names
}

/// Why the engines of the configuration are not among those that can be chosen.
pub fn config_fault() -> Markup {
    let error = Config::find().err();
    html! {
        @if let Some(error) = error {
            p.flash.error { (with_code(&as_sentence(&error.to_string()))) ". The engines of this file cannot be chosen until then." }
        }
    }
}

fn form(app: &App, sent: &Form) -> Markup {
    html! {
        section.card {
            h2 { "New game" }
            (config_fault())
            form.filter-form #new-game method="post" action="/boards" {
                input type="hidden" name="csrf" value=(app.secrets.csrf());
                (game_fields(sent))
                label { "From a position" input name="fen" value=(sent.get("fen")) placeholder="FEN" spellcheck="false"; }
                button.button.primary name="do" value="game" { "Play" }
                button.button name="do" value="study" { "Empty board" }
            }
        }
    }
}

/// The fields of a new game, with what was written into them.
pub fn game_fields(sent: &Form) -> Markup {
    let names = engine_names();
    let or = |name: &str, usual: &str| match sent.get(name) {
        "" => usual.to_owned(),
        text => text.to_owned(),
    };
    let level = or("level", "5");
    html! {
        @for (side, title, usual) in [("white", "White", "human"), ("black", "Black", "builtin")] {
            label { (title) input name=(side) value=(or(side, usual)) list="players" required; }
        }
        datalist #players {
            option value="human" {}
            @for name in &names { option value=(name) {} }
        }
        label { "Level of builtin"
            select name="level" {
                @for number in 1..=levels::COUNT {
                    option value=(number) selected[number.to_string() == level] {
                        (number)
                        @match levels::elo(number) {
                            Some(elo) => { " (Elo " (elo) ")" }
                            None => { " (full strength)" }
                        }
                    }
                }
            }
        }
        label { "Clock" input name="clock" value=(sent.get("clock")) placeholder="none, or 5+3"; }
        label { "Opening" input name="opening" value=(sent.get("opening")) placeholder="any"; }
        label { input type="checkbox" name="chess960" value="yes" checked[!sent.get("chess960").is_empty()]; " Chess960" }
    }
}

/// Entry of a board in the list.
struct Line {
    title: String,
    /// `½-½ stalemate`; what is code stands between backticks.
    result: String,
    moves: usize,
}

/// The players of a game; a study has none.
pub fn title(tree: &GameTree) -> String {
    let player = |name: &str| tree.tag(name).unwrap_or("?").to_owned();
    match (tree.tag("White"), tree.tag("Black")) {
        (None, None) => "Study".to_owned(),
        _ => format!("{} – {}", player("White"), player("Black")),
    }
}

fn line(listed: &ListedBoard) -> Line {
    let Some(board) = &listed.board else {
        let title = format!("{}: its file cannot be read", listed.id);
        return Line { title, result: String::new(), moves: 0 };
    };
    let state = board.state();
    let tree = &state.tree;
    let over = state.game.as_ref().and_then(|game| game.over.clone()).unwrap_or_default();
    let result = format!("{} {over}", tree.result().replace("1/2-1/2", "½-½"));
    Line { title: title(tree), result, moves: tree.main_line().len().div_ceil(2) }
}

fn table(boards: &[ListedBoard], csrf: Option<&str>, searched: bool) -> Markup {
    html! {
        @if boards.is_empty() {
            p.soft { @if searched { "None is like this." } @else { "There are none yet." } }
        } @else {
            div.scroll tabindex="0" role="region" aria-label="Games and studies" {
                table.boards-list {
                    thead { tr {
                        th { "Game" } th { "Result" } th.number { "Moves" } th.changed { "Changed" }
                        @if csrf.is_some() { th { span.visually-hidden { "Action" } } }
                    } }
                    tbody { @for listed in boards { (row(listed, csrf)) } }
                }
            }
        }
    }
}

fn row(listed: &ListedBoard, csrf: Option<&str>) -> Markup {
    let Line { title, result, moves } = line(listed);
    let changed = jiff::Timestamp::try_from(listed.changed).unwrap_or_default();
    let changed = changed.strftime("%Y-%m-%d %H:%M").to_string();
    html! {
        tr {
            td.named {
                @if listed.board.is_some() { a href={ "/board/" (listed.id) } { (title) } } @else { (title) }
                div.soft.on-phone { time { (changed) } }
            }
            td { (with_code(&result)) }
            td.number { (moves) }
            td.changed { time { (changed) } }
            @if let Some(csrf) = csrf {
                td {
                    form method="post" action="/boards" {
                        input type="hidden" name="csrf" value=(csrf);
                        input type="hidden" name="board" value=(listed.id);
                        button.button.danger name="do" value="delete" data-confirm={ "Delete " (title) "? Its moves and notes are lost." } aria-label={ "Delete " (title) " of " (changed) } { "Delete" }
                    }
                }
            }
        }
    }
}

/// `POST /boards`: a new game, an empty board, the game of a text, a game to analyse; or a board is deleted. What is refused is on
/// the page again, with the reason and the text that was written.
pub async fn make(State(app): State<Arc<App>>, sent: Form) -> Response {
    let answered = tokio::task::spawn_blocking(move || {
        let made = made(&app, &sent);
        made.map_err(|reason| page(&app, Role::Control, &sent, Some(&reason)))
    });
    match answered.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic())) {
        Ok(place) => Redirect::to(&place).into_response(),
        Err(page) => (StatusCode::UNPROCESSABLE_ENTITY, frame::response(page)).into_response(),
    }
}

/// Does what a form asks for; gives the address that follows.
fn made(app: &App, sent: &Form) -> Result<String, String> {
    let mut place = String::new();
    let board = match sent.get("do") {
        "delete" => {
            app.shelf.delete(sent.get("board"))?;
            return Ok("/boards".to_owned());
        }
        "study" => {
            let chess960 = !sent.get("chess960").is_empty();
            app.shelf.make(start(sent.get("fen"), chess960)?, None)
        }
        "text" => {
            let game = sent.get("game").parse().unwrap_or(1);
            let read = read_pasted(sent.get("text").as_bytes(), game).map_err(String::from)?;
            app.shelf.make(read.tree, None)
        }
        "analyse" => {
            let (tree, node) = to_analyse(sent)?;
            place = format!("#node={}&analyse=yes", node.0);
            app.shelf.make(tree, None)
        }
        _ => {
            let new = NewGame::read(sent)?;
            new.check_engines(&app.engines)?;
            let (tree, game) = new.begin()?;
            app.shelf.make(tree, Some(game))
        }
    }?;
    wake(&board, &app.engines);
    Ok(format!("/board/{}{place}", board.id))
}

/// A game that a page shows, and the node of its position after `ply` half moves.
fn to_analyse(sent: &Form) -> Result<(GameTree, NodeId), String> {
    let fen = Some(sent.get("fen").trim()).filter(|fen| !fen.is_empty());
    let chess960 = !sent.get("chess960").is_empty();
    let mut tree = GameTree::new(fen, chess960).map_err(|error| error.to_string())?;
    for name in ["White", "Black", "Result"] {
        // A position has none of them.
        if !sent.get(name).is_empty() {
            tree.set_tag(name, sent.get(name)).map_err(|error| error.to_string())?;
        }
    }
    let ply: usize = sent.get("ply").parse().unwrap_or(0);
    let (mut node, mut shown) = (GameTree::ROOT, GameTree::ROOT);
    for (number, text) in (1..).zip(sent.get("moves").split_whitespace()) {
        let uci = text.parse().map_err(|_| format!("`{text}` is no move, as in e2e4"))?;
        node = tree.play(node, uci).map_err(|error| error.to_string())?;
        if number == ply {
            shown = node;
        }
    }
    Ok((tree, shown))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::game::{Game, Seat};
    use crate::boards::shelf::Shelf;

    fn form(fields: &[(&str, &str)]) -> Form {
        Form::new(
            fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        )
    }

    #[test]
    fn a_game_is_analysed_at_the_position_that_was_shown() {
        let lady = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        for (fields, line, node) in [
            (vec![("moves", "e2e4 e7e5 g1f3"), ("ply", "2"), ("Result", "0-1")], 3, 2),
            (vec![("fen", lady), ("moves", "g1f3"), ("ply", "9")], 1, 0),
            (vec![], 0, 0),
        ] {
            let (tree, shown) = to_analyse(&form(&fields)).expect("legal");
            assert_eq!((tree.main_line().len(), shown.0), (line, node), "{fields:?}");
            let is_over = fields.contains(&("Result", "0-1"));
            assert_eq!(tree.result(), if is_over { "0-1" } else { "*" });
        }
        // The king takes its rook.
        let bare = [("fen", "4k3/8/8/8/8/8/8/5KR1 w G - 0 1"), ("moves", "f1g1")];
        let (tree, _) =
            to_analyse(&form(&[&bare[..], &[("chess960", "yes")]].concat())).expect("legal");
        assert_eq!(tree.main_line().len(), 1);
        assert!(to_analyse(&form(&[("moves", "e2e5")])).is_err());
        assert!(to_analyse(&form(&[("fen", "nonsense")])).is_err());
    }

    #[test]
    fn the_list_shows_halves_and_code_as_other_tables_do() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let shelf = Shelf::new(folder.path());
        for (result, why) in
            [("1-0", "Black failed: `e2e4` is not a legal move"), ("1/2-1/2", "stalemate")]
        {
            let mut tree = GameTree::default();
            let mut game = Game::new([Seat::Human, Seat::Human], None, Vec::new());
            game.end(&mut tree, (result, why.to_owned()));
            shelf.make(tree, Some(game)).expect("made");
        }
        let html = table(&shelf.newest(9), None, false).into_string();
        assert!(html.contains("failed: <code>e2e4</code> is not"), "{html}");
        assert!(html.contains("½-½ stalemate") && !html.contains("1/2"), "{html}");
    }
}
