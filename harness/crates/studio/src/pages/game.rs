//! A game, beside the other one of its pair.

use std::sync::Arc;

use axum::Extension;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::{Markup, html};

use super::check::LIMIT_UNITS;
use super::games::game_path;
use crate::error::StudioError;
use crate::frame::{self, FramedPage};
use crate::role::Role;
use crate::state::{App, with_ledger};
use crate::views::run_path;
use harness_base::text::fen::is_black_to_move;
use harness_games::viewed::{Fall, falls, view};
use harness_ledger::StoredGame;
use harness_outcome::ViewedGame;
use harness_report::html::viewer::viewer;

/// A fall of the expected score by fewer thousandths is not listed.
pub const NOTICEABLE: i32 = 50;

/// Most falls of a game that are listed.
pub const MAX_FALLS: usize = 5;

/// A game as the address names it: `12.1`, or `12.1.pgn`.
pub fn place(key: &str) -> Option<(u64, u8)> {
    let (pair, game) = key.split_once('.')?;
    let (pair, game): (u64, u8) = (pair.parse().ok()?, game.parse().ok()?);
    ((1..=2).contains(&game) && pair > 0).then(|| (pair - 1, game - 1))
}

/// The routes of this page.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/run/{id}/game/{key}", get(page))
}

/// `/run/ID/game/KEY`, and with `.pgn` behind it the PGN.
///
/// # Errors
/// When there is no such game.
pub async fn page(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Path((id, key)): Path<(String, String)>,
) -> Result<Response, StudioError> {
    if let Some(key) = key.strip_suffix(".pgn") {
        return pgn(app, id, key.to_owned()).await;
    }
    let page = with_ledger(app, move |app, ledger| {
        let missing = || StudioError::NotFound(format!("game {key} of run `{id}`"));
        let (pair, number) = place(&key).ok_or_else(missing)?;
        let stored = ledger.game(&id, pair, number)?.ok_or_else(missing)?;
        let other = ledger.game(&id, pair, 1 - number)?;
        let game = view(&stored)?;
        let other = other.as_ref().map(view).transpose()?;
        let neighbours = ledger.neighbours(&id, pair, number)?;
        let content = html! {
            header.game-head {
                h1 { (game.white) " – " (game.black) " " (result_text(game.result)) }
                p.soft {
                    "Game " (game.key) " of " a href=(run_path(&id)) { (id) } " · " (game.ending)
                    @if let Some(worker) = &stored.worker { " · played by " (worker) }
                }
                nav.pages aria-label="Games" {
                    @for (place, name) in neighbours.into_iter().zip(["Previous game", "Next game"]) {
                        @if let Some((pair, game)) = place {
                            a href=(game_path(&id, &format!("{}.{}", pair + 1, game + 1))) { (name) }
                        }
                    }
                    a href={ "/games?run=" (id) } { "All games" }
                    a href={ (game_path(&id, &game.key)) ".pgn" } { "PGN" }
                }
            }
            section.card data-csrf=[(role == Role::Control).then(|| app.secrets.csrf())] { (viewer(&game, Some("pair"))) }
            (lost(&id, &game, role, app.secrets.csrf()))
            @if let Some(other) = &other {
                section.card {
                    h2 {
                        "The other game of the pair: "
                        a href=(game_path(&id, &other.key)) { (other.white) " – " (other.black) " " (result_text(other.result)) }
                    }
                    (viewer(other, Some("pair")))
                }
            }
        };
        let title = format!("{} – {}", game.white, game.black);
        Ok(FramedPage { title: &title, tab: "/games", topic: None, role, content }.page())
    });
    Ok(frame::response(page.await?))
}

async fn pgn(app: Arc<App>, id: String, key: String) -> Result<Response, StudioError> {
    let stored = with_ledger(app, move |_, ledger| {
        let missing = || StudioError::NotFound(format!("game {key} of run `{id}`"));
        let (pair, number) = place(&key).ok_or_else(missing)?;
        ledger.game(&id, pair, number)?.ok_or_else(missing)
    });
    let StoredGame { pgn, .. } = stored.await?;
    let kind = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    Ok((kind, pgn).into_response())
}

fn result_text(result: &str) -> &str {
    if result == "1/2-1/2" { "½–½" } else { result }
}

/// Where the loser's score fell.
fn lost(id: &str, game: &ViewedGame, role: Role, csrf: &str) -> Markup {
    let falls = falls(game, NOTICEABLE);
    html! {
        @if !falls.is_empty() {
            section.card #lost {
                h2 { "Where was it lost?" }
                p.soft { "Moves after which the player's expected score fell most, by the player's own evaluation. Moves of a game that was lost already are not among them." }
                div.scroll tabindex="0" role="region" aria-label="Falls" {
                    table.falls {
                        thead { tr { th { "Move" } th.number { "Score" } th.number { "Next score" } th.number { "Expected score" } th { span.visually-hidden { "Action" } } } }
                        tbody {
                            @for fall in falls.iter().take(MAX_FALLS) { (row(id, game, fall, role, csrf)) }
                        }
                    }
                }
                @if role == Role::Control {
                    form.filter-form.after method="post" action={ (game_path(id, &game.key)) "/check" } {
                        input type="hidden" name="csrf" value=(csrf);
                        label { "Engine" input #check-engine name="engine" value="builtin" required; }
                        label { "Limit a move"
                            span.with-button {
                                input.short #check-limit name="limit" value="2" inputmode="decimal" required;
                                select name="unit" aria-label="Unit of the limit" {
                                    @for (unit, _) in LIMIT_UNITS { option value=(unit) { (unit) } }
                                }
                            }
                        }
                        button.button #check-falls { "Check these moves" }
                    }
                }
            }
        }
    }
}

fn row(id: &str, game: &ViewedGame, fall: &Fall, role: Role, csrf: &str) -> Markup {
    let pawns = |centipawns: i32| {
        let text = harness_report::text::plus(f64::from(centipawns) / 100.0, 2).replace('-', "−");
        // Larger scores and mates count as this one.
        let is_bound = centipawns.abs() >= Fall::BOUND;
        let sign = if !is_bound {
            ""
        } else if centipawns < 0 {
            "≤ "
        } else {
            "≥ "
        };
        format!("{sign}{text}")
    };
    html! {
        tr {
            td { a href={ "#ply=" (fall.ply + 1) } { (move_text(game, fall.ply)) } }
            td.number { (pawns(fall.from)) }
            td.number { (pawns(fall.to)) }
            td.number { (format!("−{:.0} %", f64::from(fall.size) / 10.0)) }
            td {
                @if role == Role::Control {
                    form method="post" action="/suite" {
                        input type="hidden" name="csrf" value=(csrf);
                        input type="hidden" name="game" value=(game_path(id, &game.key));
                        input type="hidden" name="id" value=(position_id(id, game, fall.ply));
                        input type="hidden" name="fen" value=(before(game, fall.ply));
                        input type="hidden" name="avoid" value=(game.plies[fall.ply].uci);
                        button.button { "Make suite position" }
                    }
                }
            }
        }
    }
}

/// `23... Nf6`.
pub fn move_text(game: &ViewedGame, ply: usize) -> String {
    let fen = before(game, ply);
    let number = fen.split_whitespace().nth(5).unwrap_or("?");
    let dots = if is_black_to_move(fen) { "..." } else { "." };
    format!("{number}{dots} {}", game.plies[ply].san)
}

/// The position before a move.
pub fn before(game: &ViewedGame, ply: usize) -> &str {
    match ply.checked_sub(1) {
        Some(last) => &game.plies[last].fen,
        None => &game.start,
    }
}

/// The name of a position in a suite.
pub fn position_id(id: &str, game: &ViewedGame, ply: usize) -> String {
    format!("{id} {} {}", game.key, move_text(game, ply))
}
