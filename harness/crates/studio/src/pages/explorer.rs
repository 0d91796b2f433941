//! Moves played in a position of a board, and games between engines from it.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Extension;
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use shakmaty::EnPassantMode;
use shakmaty::fen::Fen;

use super::games::{game_path, run_text};
use super::pgn;
use super::refusal::{Refusal, answer, blocking, find};
use crate::boards::review::question;
use crate::form::Form;
use crate::games::explored::{ExploredPosition, MoveCount};
use crate::role::Role;
use crate::state::{App, with_ledger};
use harness_base::files::write_atomically;
use harness_games::tree::{GameTree, NodeId};

/// Which position, and of which games.
#[derive(Deserialize)]
pub struct At {
    #[serde(default)]
    node: u32,
    /// A PGN file; empty: the games of the ledger.
    #[serde(default)]
    source: String,
}

/// The routes of these pages.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/board/{id}/explorer", get(explorer))
        .route("/board/{id}/playout", post(play_out))
}

/// `/board/ID/explorer?node=N&source=FILE`: what was played in this position, in the games of the
/// ledger or of a PGN file.
///
/// # Errors
/// When there is no such node or file, or the games cannot be read.
pub async fn explorer(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Path(id): Path<String>,
    Query(at): Query<At>,
) -> Result<Response, Refusal> {
    let board = find(&app, &id)?;
    let asked = question(&board.state().tree, NodeId(at.node), 1)?;
    let answer_of = |explored: ExploredPosition, named: Vec<Value>| {
        let rows: Vec<Value> = explored.moves.iter().map(MoveCount::view).collect();
        let games = explored.games;
        let of = explored.of;
        answer(StatusCode::OK, &json!({ "games": games, "of": of, "moves": rows, "named": named }))
    };
    if at.source.is_empty() {
        let found = with_ledger(app, move |app, ledger| {
            let positions = app.explorer.ledger(ledger)?;
            let (explored, games) = positions.explore(&asked.position, asked.chess960);
            let named = games
                .iter()
                .map(|(run, key)| json!({ "title": format!("{} · {key}", run_text(run)), "address": game_path(run, key) }));
            let named = named.collect();
            Ok((explored, named))
        });
        let (explored, named) = found.await.map_err(|error| Refusal::wrong(error.to_string()))?;
        return Ok(answer_of(explored, named));
    }
    blocking(move || {
        let file = pgn::file(&app, role, &at.source)?;
        let explored = file.positions()?.explore(&asked.position, asked.chess960);
        let named = explored.named.iter().map(|game| {
            let [white, black, result, ..] = file.list.tags(*game as usize);
            json!({ "title": format!("{white} – {black} {result}"), "file": at.source, "game": game + 1 })
        });
        let named = named.collect();
        Ok(answer_of(explored, named))
    })
    .await
}

/// `POST /board/ID/playout`: a match from a position, as the form of a new run has it.
///
/// # Errors
/// When there is no such node, or its file cannot be written.
pub async fn play_out(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    sent: Form,
) -> Result<Response, Refusal> {
    let board = find(&app, &id)?;
    let node = sent.get("node").parse().map(NodeId).unwrap_or(GameTree::ROOT);
    let wanted = PlayOut::read(&sent)?;
    blocking(move || {
        let yaml = wanted.yaml(&app, &board.state().tree, node)?;
        Ok(answer(StatusCode::OK, &json!({ "run": yaml })))
    })
    .await
}

/// Games between two engines from a position.
pub struct PlayOut {
    /// The engines.
    pub engines: [String; 2],
    /// How many games.
    pub games: u64,
    /// The limit, as a flag and its value.
    pub limit: (&'static str, String),
    /// Games at the same time; `None` as many as there are cores.
    pub jobs: Option<u64>,
    /// Whether the engine that is named first has White in all games.
    pub no_swap: bool,
}

impl Default for PlayOut {
    fn default() -> PlayOut {
        let engines = ["builtin", "builtin"].map(str::to_owned);
        // By time and not by nodes: engines would play the same game again and again.
        PlayOut {
            engines,
            games: 100,
            limit: ("movetime", "50ms".to_owned()),
            jobs: None,
            no_swap: false,
        }
    }
}

impl PlayOut {
    fn read(sent: &Form) -> Result<PlayOut, String> {
        let default = PlayOut::default();
        let text = |name: &str, other: &str| match sent.get(name).trim() {
            "" => other.to_owned(),
            text => text.to_owned(),
        };
        let games = text("games", "100");
        let known = games.parse().ok().filter(|games| *games > 0);
        let games = known.ok_or_else(|| format!("`{games}` is no number of games"))?;
        let engines = [text("engine", "builtin"), text("against", "builtin")];
        // `50 ms` is one word on a command line.
        let movetime = text("movetime", &default.limit.1).replace(' ', "");
        Ok(PlayOut { engines, games, limit: ("movetime", movetime), ..default })
    }

    /// The run; its position is written into a file.
    ///
    /// # Errors
    /// When there is no such node, or the file cannot be written; in words for people.
    pub fn yaml(&self, app: &App, tree: &GameTree, node: NodeId) -> Result<String, String> {
        let asked = question(tree, node, 1)?;
        let fen = Fen::from_position(&asked.position, EnPassantMode::Legal).to_string();
        let folder = app.reports.join("studio/openings");
        let name: String =
            Sha256::digest(&fen).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        let path: PathBuf = folder.join(format!("{name}.epd"));
        let path = std::path::absolute(&path).unwrap_or(path);
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        fs::create_dir_all(&folder).map_err(failed)?;
        write_atomically(&path, format!("{fen}\n").as_bytes()).map_err(failed)?;
        let engines = self.engines.each_ref().map(|engine| json!(engine).to_string());
        let chess960 = if asked.chess960 { "chess960: true\n" } else { "" };
        let no_swap = if self.no_swap { "no-swap: true\n" } else { "" };
        let jobs = self.jobs.map_or_else(String::new, |jobs| format!("jobs: {jobs}\n"));
        Ok(format!(
            "command: match\narguments: [{}]\ngames: {}\n{}: {}\nopenings: {}\n{chess960}{no_swap}{jobs}",
            engines.join(", "),
            self.games,
            self.limit.0,
            json!(self.limit.1),
            json!(path.display().to_string()),
        ))
    }
}
