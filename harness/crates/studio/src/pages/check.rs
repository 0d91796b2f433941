//! "Where was it lost": the moves to blame, checked by an engine.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::post;
use maud::{Markup, html};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess};

use super::game::{MAX_FALLS, before, move_text, place, position_id};
use super::games::game_path;
use crate::error::StudioError;
use crate::form::Form;
use crate::frame::{self, FramedPage};
use crate::role::Role;
use crate::state::{App, with_ledger};
use harness_base::config::Config;
use harness_base::session::Session;
use harness_games::viewed::{falls, view};
use harness_outcome::ViewedGame;
use harness_player::{self as player, Go, Limit, Line, Player, Score, StartSettings, unobserved};

/// Falls of fewer centipawns are not checked.
const MIN_LOSS: i32 = 80;

/// How long a search may take beyond its limit until the engine counts as hung.
const CHECK_TIMEOUT: Duration = Duration::from_secs(120);

/// An engine's verdict on a move.
struct CheckedMove {
    ply: usize,
    best: String,
    best_uci: String,
    /// Of the best move and of the one that was played, from the mover's view.
    scores: [Option<Score>; 2],
}

/// The routes of this page.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/run/{id}/game/{key}/check", post(page))
}

/// `POST /run/ID/game/KEY/check`.
///
/// # Errors
/// When there is no such game, or the engine fails.
pub async fn page(
    State(app): State<Arc<App>>,
    Path((id, key)): Path<(String, String)>,
    sent: Form,
) -> Result<Response, StudioError> {
    let page = with_ledger(app, move |app, ledger| {
        let missing = || StudioError::NotFound(format!("game {key} of run `{id}`"));
        let (pair, number) = place(&key).ok_or_else(missing)?;
        let stored = ledger.game(&id, pair, number)?.ok_or_else(missing)?;
        let game = view(&stored)?;
        let engine = sent.get("engine").trim();
        let limit = sent.get("limit").trim();
        let checked =
            check(app, &game, engine, limit, stored.pgn.contains("[Variant \"Chess960\"]"))?;
        let content = html! {
            h1 { "Where was it lost? " (game.white) " – " (game.black) }
            p.soft {
                a href=(game_path(&id, &game.key)) { "Game " (game.key) }
                ", checked by " strong { (engine) } " with " (limit) " a move"
            }
            (table(&id, &game, &checked, app.secrets.csrf()))
        };
        let title = "Where was it lost?";
        let tab = "/games";
        let topic = None;
        let role = Role::Control;
        Ok(FramedPage { title, tab, topic, role, content }.page())
    });
    Ok(frame::response(page.await?))
}

fn check(
    app: &App,
    game: &ViewedGame,
    engine: &str,
    limit: &str,
    chess960: bool,
) -> Result<Vec<CheckedMove>, StudioError> {
    let bad = |error: &dyn std::fmt::Display| StudioError::Form(error.to_string());
    let limit: Limit = limit.parse().map_err(|error| bad(&error))?;
    let (go, _) = limit.single_search();
    let session = Session {
        reports: app.reports.clone(),
        probe: false,
        quiet: true,
        on: None,
        interrupt: app.interrupt.clone(),
    };
    let config = Config::find().map_err(|error| bad(&error))?;
    let spec = player::resolve(engine, &config, &session).map_err(|error| bad(&error))?;
    let mut player = player::start(&spec, &StartSettings::default(), &app.interrupt)
        .map_err(|error| bad(&error))?;
    player.new_game(chess960).map_err(|error| bad(&error))?;
    let mut checked = Vec::new();
    for fall in falls(game, MIN_LOSS).iter().take(MAX_FALLS) {
        let found = check_move(&mut *player, game, fall.ply, &go, chess960);
        checked.push(found.map_err(|error| bad(&error))?);
    }
    Ok(checked)
}

fn check_move(
    player: &mut dyn Player,
    game: &ViewedGame,
    ply: usize,
    go: &Go,
    chess960: bool,
) -> Result<CheckedMove, player::Fault> {
    let fen = before(game, ply);
    let mut search = |fen: &str| {
        let line = Line { fen: Some(fen), moves: &[] };
        player.go(line, go, CHECK_TIMEOUT, &mut unobserved)
    };
    let best = search(fen)?;
    let after = search(&game.plies[ply].fen);
    // The other side's score; without a legal move there is none.
    let played = after.ok().and_then(|reply| reply.info.score).map(|score| match score {
        Score::Centipawns(value) => Score::Centipawns(-value),
        Score::Mate(moves) => Score::Mate(-moves),
    });
    let mode = CastlingMode::from_chess960(chess960);
    let position = fen.parse::<Fen>().ok().and_then(|fen| fen.into_position::<Chess>(mode).ok());
    let san = position.and_then(|position| {
        let legal = best.best_move.to_move(&position).ok()?;
        Some(SanPlus::from_move(position, legal).to_string())
    });
    let best_uci = best.best_move.to_string();
    Ok(CheckedMove {
        ply,
        best: san.unwrap_or_else(|| best_uci.clone()),
        best_uci,
        scores: [best.info.score, played],
    })
}

fn table(id: &str, game: &ViewedGame, checked: &[CheckedMove], csrf: &str) -> Markup {
    html! {
        section.card {
            div.scroll tabindex="0" role="region" aria-label="Checked moves" {
                table {
                    thead { tr {
                        th { "Played" } th.number { "Score" } th { "Best" } th.number { "Score" } th { span.visually-hidden { "Action" } }
                    } }
                    tbody {
                        @for found in checked {
                            tr {
                                td { a href={ (game_path(id, &game.key)) "#ply=" (found.ply + 1) } { (move_text(game, found.ply)) } }
                                td.number { (score(found.scores[1])) }
                                td { (found.best) }
                                td.number { (score(found.scores[0])) }
                                td {
                                    @if found.best_uci == game.plies[found.ply].uci {
                                        "The engine plays it, too."
                                    } @else {
                                        (make(id, game, found, csrf))
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @if checked.is_empty() { p { "No score fell noticeably." } }
        }
    }
}

fn make(id: &str, game: &ViewedGame, found: &CheckedMove, csrf: &str) -> Markup {
    html! {
        form method="post" action="/suite" {
            input type="hidden" name="csrf" value=(csrf);
            input type="hidden" name="game" value=(game_path(id, &game.key));
            input type="hidden" name="id" value=(position_id(id, game, found.ply));
            input type="hidden" name="fen" value=(before(game, found.ply));
            input type="hidden" name="best" value=(found.best_uci);
            button.button { "Make suite position" }
        }
    }
}

fn score(score: Option<Score>) -> String {
    match score {
        None => "–".to_owned(),
        Some(Score::Centipawns(value)) => {
            harness_report::text::plus(f64::from(value) / 100.0, 2).replace('-', "−")
        }
        Some(Score::Mate(moves)) if moves < 0 => format!("−M{}", -moves),
        Some(Score::Mate(moves)) => format!("M{moves}"),
    }
}
