//! "Where was it lost": the moves to blame, checked by an engine.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use axum::Extension;
use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess};

use super::game::{MAX_FALLS, NOTICEABLE, before, move_text, place, position_id};
use super::games::game_path;
use crate::checks::{Check, CheckedMove};
use crate::error::StudioError;
use crate::form::Form;
use crate::frame::{self, FramedPage};
use crate::lookup::with_help;
use crate::role::Role;
use crate::state::{App, with_ledger};
use harness_base::config::Config;
use harness_base::session::Session;
use harness_base::sync::lock;
use harness_base::text::{counted, limit_words};
use harness_games::viewed::{falls, view};
use harness_outcome::ViewedGame;
use harness_player::{self as player, Go, Limit, Line, Player, Score, StartSettings, unobserved};

/// How long a search may take beyond its limit until the engine counts as hung.
const CHECK_TIMEOUT: Duration = Duration::from_secs(120);

/// The routes of this page.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/run/{id}/game/{key}/check", post(begin))
        .route("/run/{id}/game/{key}/check/{number}", get(page))
}

/// Units in which the form asks for a limit, with their beginnings and ends in command lines.
pub const LIMIT_UNITS: [(&str, [&str; 2]); 3] =
    [("seconds", ["movetime=", "s"]), ("nodes", ["nodes=", ""]), ("plies deep", ["depth=", ""])];

/// The limit of a form; without a unit it is that of a command line.
fn limit(sent: &Form) -> String {
    let limit = sent.get("limit").trim();
    let unit = LIMIT_UNITS.iter().find(|(unit, _)| *unit == sent.get("unit"));
    unit.map_or_else(|| limit.to_owned(), |(_, [begin, end])| format!("{begin}{limit}{end}"))
}

/// `POST /run/ID/game/KEY/check`: begins; the page of the check shows how far it is.
///
/// # Errors
/// When there is no such game, or the engine or the limit is none.
pub async fn begin(
    State(app): State<Arc<App>>,
    Path((id, key)): Path<(String, String)>,
    sent: Form,
) -> Result<Response, StudioError> {
    let (engine, limit) = (sent.get("engine").trim().to_owned(), limit(&sent));
    let shared = Arc::clone(&app);
    let address = with_ledger(app, move |app, ledger| {
        let missing = || StudioError::NotFound(format!("game {key} of run `{id}`"));
        let (pair, number) = place(&key).ok_or_else(missing)?;
        let stored = ledger.game(&id, pair, number)?.ok_or_else(missing)?;
        let game = view(&stored)?;
        let bad = |error: &dyn std::fmt::Display| StudioError::Form(error.to_string());
        let parsed: Limit = limit.parse().map_err(|error| bad(&error))?;
        let config = Config::find().map_err(|error| bad(&error))?;
        player::look_up(&engine, &config).map_err(|error| StudioError::Form(with_help(&error)))?;
        let count = falls(&game, NOTICEABLE).len().min(MAX_FALLS);
        let chess960 = stored.pgn.contains("[Variant \"Chess960\"]");
        let progress = Mutex::default();
        let check = Arc::new(Check { run: id, game, engine, limit, count, progress });
        let number = app.checks.add(&check);
        let address = format!("{}/check/{number}", game_path(&check.run, &check.game.key));
        let app = shared;
        thread::spawn(move || {
            let ended = run(&app, &check, &parsed, &config, chess960);
            lock(&check.progress).ended = Some(ended);
        });
        Ok(address)
    });
    Ok(Redirect::to(&address.await?).into_response())
}

/// `/run/ID/game/KEY/check/NUMBER`: what was found so far.
///
/// # Errors
/// When there is no such check.
pub async fn page(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Path((id, key, number)): Path<(String, String, usize)>,
) -> Result<Response, StudioError> {
    let missing = || StudioError::NotFound(format!("check {number} of game {key} of run `{id}`"));
    let check = app.checks.get(number).filter(|check| check.run == id && check.game.key == key);
    let check = check.ok_or_else(missing)?;
    let Check { game, engine, limit, count, .. } = &*check;
    let progress = lock(&check.progress);
    let done = progress.checked.len();
    let content = html! {
        h1 { "Where was it lost? " (game.white) " – " (game.black) }
        p.soft {
            a href=(game_path(&id, &game.key)) { "Game " (game.key) }
            ", checked by " strong { (engine) } " with " (limit_words(limit, "move"))
        }
        @match &progress.ended {
            None => {
                p role="status" #check-state { "Move " (done + 1) " of " (count) " is searched…" }
                progress value=(done) max=(count) aria-label="Moves checked" {}
                div data-reload="400" {}
                noscript { a.button href="" { "Look again" } }
            }
            Some(Ok(())) => p role="status" #check-state { "Checked: " (done) " of " (counted(*count as u64, "move", "moves")) "." },
            Some(Err(reason)) => p.wrong role="alert" #check-state {
                "Checked: " (done) " of " (counted(*count as u64, "move", "moves")) ", then it failed: " (reason)
            },
        }
        @if done > 0 || progress.ended.is_some() {
            (table(&id, game, &progress.checked, app.secrets.csrf(), role))
        }
    };
    let title = "Where was it lost?";
    let tab = "/games";
    let framed = FramedPage { title, tab, topic: None, role, content };
    Ok(frame::response(framed.page()))
}

/// Checks one move after the other.
///
/// # Errors
/// When the engine fails; in words for people.
fn run(
    app: &App,
    check: &Check,
    limit: &Limit,
    config: &Config,
    chess960: bool,
) -> Result<(), String> {
    let (go, _) = limit.single_search();
    let session = Session {
        reports: app.reports.clone(),
        probe: false,
        quiet: true,
        on: None,
        interrupt: app.interrupt.clone(),
    };
    let spec =
        player::resolve(&check.engine, config, &session).map_err(|error| with_help(&error))?;
    let mut player = player::start(&spec, &StartSettings::default(), &app.interrupt)
        .map_err(|error| error.to_string())?;
    player.new_game(chess960).map_err(|error| error.to_string())?;
    for fall in falls(&check.game, NOTICEABLE).iter().take(MAX_FALLS) {
        let found = check_move(&mut *player, &check.game, fall.ply, &go, chess960);
        lock(&check.progress).checked.push(found.map_err(|error| error.to_string())?);
    }
    Ok(())
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

fn table(id: &str, game: &ViewedGame, checked: &[CheckedMove], csrf: &str, role: Role) -> Markup {
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
                                    } @else if role == Role::Control {
                                        (make(id, game, found, csrf))
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @if checked.is_empty() { p { "No move is checked: no expected score fell noticeably." } }
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
