//! The list of games, of a run or of all.

use std::sync::Arc;

use axum::Extension;
use axum::Router;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use maud::{Markup, html};
use serde::Deserialize;

use crate::error::StudioError;
use crate::frame::{self, FramedPage};
use crate::games::index::{Facets, GamePage, GameQuery, GameResult, GameRow, Sort, SortKey};
use crate::role::Role;
use crate::state::{App, with_ledger};
use crate::views::{choice, part_path, parts, run_path};
use harness_base::text::{duration, grouped};
use harness_ledger::{Ledger, within};

/// Games of a part of the list.
const PAGE_ROWS: u32 = 50;

/// Openings that the filter offers, the most frequent first.
const OPENINGS: usize = 200;

/// Query of the address; it can be passed on.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct GamesQuery {
    run: String,
    player: String,
    outcome: String,
    colour: String,
    ending: String,
    opening: String,
    min_plies: String,
    max_plies: String,
    min_swing: String,
    sort: String,
    /// Games of the list at most: "the ten shortest".
    most: String,
    offset: u64,
}

impl GamesQuery {
    /// Whether games are chosen by anything but their run.
    fn filters(&self) -> bool {
        let texts = [&self.player, &self.outcome, &self.colour, &self.ending, &self.opening];
        let numbers = [&self.min_plies, &self.max_plies, &self.min_swing];
        texts.into_iter().chain(numbers).any(|text| !text.is_empty())
    }

    fn query(&self) -> GameQuery {
        let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let number = |text: &str| text.trim().parse().ok();
        let (by, descending) = self.sort();
        // A number of pawns.
        let swing = self.min_swing.trim().parse::<f64>().ok().filter(|percent| *percent > 0.0);
        GameQuery {
            run: given(&self.run),
            player: given(&self.player),
            outcome: match self.outcome.as_str() {
                "won" => Some(GameResult::Won),
                "drawn" => Some(GameResult::Drawn),
                "lost" => Some(GameResult::Lost),
                _ => None,
            },
            with_white: match self.colour.as_str() {
                "white" => Some(true),
                "black" => Some(false),
                _ => None,
            },
            ending: given(&self.ending),
            opening: given(&self.opening),
            min_plies: number(&self.min_plies),
            max_plies: number(&self.max_plies),
            min_swing: swing.map(|percent| (10.0 * percent) as u32),
            sort: Sort { by, descending },
            offset: self.offset,
            limit: self.most().saturating_sub(self.offset).min(PAGE_ROWS.into()) as u32,
        }
    }

    /// Has the games of the run read, of which the query then has the whole id, or all games; how many are left to read.
    fn want(&mut self, app: &App, ledger: &Ledger) -> Result<u64, StudioError> {
        if self.run.is_empty() {
            return app.games.want_all(ledger);
        }
        self.run = ledger.facts(&self.run)?.id;
        app.games.want(ledger, &self.run)
    }

    /// Games of the list at most.
    fn most(&self) -> u64 {
        self.most.trim().parse().unwrap_or(u64::MAX)
    }

    fn sort(&self) -> (SortKey, bool) {
        let (key, descending) = match self.sort.strip_prefix('-') {
            Some(key) => (key, true),
            None => (self.sort.as_str(), false),
        };
        let by = match key {
            "run" => SortKey::Run,
            "plies" => SortKey::Plies,
            "swing" => SortKey::Swing,
            "time" => SortKey::Time,
            "white" => SortKey::White,
            "black" => SortKey::Black,
            "result" => SortKey::Result,
            "ending" => SortKey::Ending,
            "opening" => SortKey::Opening,
            _ => SortKey::Number,
        };
        (by, descending)
    }

    fn link(&self, sort: &str, offset: u64) -> String {
        let fields = [
            ("run", self.run.as_str()),
            ("player", &self.player),
            ("outcome", &self.outcome),
            ("colour", &self.colour),
            ("ending", &self.ending),
            ("opening", &self.opening),
            ("min_plies", &self.min_plies),
            ("max_plies", &self.max_plies),
            ("min_swing", &self.min_swing),
            ("sort", sort),
            ("most", &self.most),
        ];
        part_path("/games", &fields, offset)
    }
}

/// The routes of this page.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/games", get(list)).route("/games/first", get(first))
}

/// `/games`, `/games?run=ID`.
///
/// # Errors
/// When there is no such run, or the games cannot be read.
pub async fn list(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Query(asked): Query<GamesQuery>,
    headers: HeaderMap,
) -> Result<Response, StudioError> {
    let part = headers.contains_key("x-fragment");
    let page = with_ledger(app, move |app, ledger| {
        let mut asked = asked;
        let left = asked.want(app, ledger)?;
        let run = Some(asked.run.as_str()).filter(|run| !run.is_empty());
        let (mut page, facets) = app.games.page(&asked.query(), run)?;
        page.total = page.total.min(asked.most());
        // Beyond the end is the last part.
        let offset = within(asked.offset, page.total, PAGE_ROWS.into());
        if offset != asked.offset {
            let asked = GamesQuery { offset, ..asked.clone() };
            page.rows = app.games.page(&asked.query(), run)?.0.rows;
        }
        let list = html! { (filters(&asked, &facets)) (table(&asked, &page, offset, left)) };
        if part {
            return Ok(list.into_string());
        }
        let content = html! {
            h1 { "Games" @if let Some(run) = run { " of " a href=(run_path(run)) { (run) } } }
            section.card data-pages #games { (list) }
        };
        Ok(FramedPage { title: "Games", tab: "/games", topic: None, role, content }.page())
    });
    Ok(frame::response(page.await?))
}

/// `/games/first?run=ID&sort=plies`: the first game of such a list, from its `offset` on; the list itself while games
/// are still being read.
///
/// # Errors
/// When no game is like this, there is no such run, or the games cannot be read.
pub async fn first(
    State(app): State<Arc<App>>,
    Query(asked): Query<GamesQuery>,
) -> Result<Response, StudioError> {
    let address = with_ledger(app, move |app, ledger| {
        let mut asked = asked;
        if asked.want(app, ledger)? > 0 {
            return Ok(asked.link(&asked.sort, 0));
        }
        let run = Some(asked.run.as_str()).filter(|run| !run.is_empty());
        let query = GameQuery { limit: 1, ..asked.query() };
        let (page, _) = app.games.page(&query, run)?;
        let row = page.rows.into_iter().next();
        let row = row.ok_or_else(|| StudioError::NotFound("a game like this".to_owned()))?;
        Ok(game_path(&row.run, &row.key()))
    });
    Ok(Redirect::to(&address.await?).into_response())
}

fn filters(asked: &GamesQuery, facets: &Facets) -> Markup {
    let names = |facets: &[crate::games::index::Facet]| {
        facets.iter().map(|facet| facet.name.clone()).collect::<Vec<String>>()
    };
    let players = names(&facets.players);
    let endings = names(&facets.endings);
    let whose = if asked.player.is_empty() { "First engine" } else { &asked.player };
    html! {
        form.filter-form method="get" action="/games" data-filter role="search" {
            @if !asked.run.is_empty() { input type="hidden" name="run" value=(asked.run); }
            @if !asked.sort.is_empty() { input type="hidden" name="sort" value=(asked.sort); }
            @if !asked.most.is_empty() { input type="hidden" name="most" value=(asked.most); }
            (choice("Player", "player", &asked.player, players.iter().map(|name| (name.as_str(), name))))
            (choice(whose, "outcome", &asked.outcome, ["won", "drawn", "lost"].map(|one| (one, one))))
            (choice("Colour", "colour", &asked.colour, ["white", "black"].map(|one| (one, one))))
            (choice("Ending", "ending", &asked.ending, endings.iter().map(|ending| (ending.as_str(), ending.replace('_', " ")))))
            label { "Opening"
                input #search name="opening" list="openings" value=(asked.opening) placeholder="B90, Najdorf";
                datalist #openings {
                    @for opening in facets.openings.iter().take(OPENINGS) {
                        option value=(opening.name) { (opening.eco) " · " (grouped(opening.games)) }
                    }
                }
            }
            (number("Plies from", "min_plies", &asked.min_plies, "1"))
            (number("to", "max_plies", &asked.max_plies, "1"))
            (number("Swing from, %", "min_swing", &asked.min_swing, "1"))
            noscript { button.button { "Filter" } }
        }
    }
}

fn number(label: &str, name: &str, value: &str, step: &str) -> Markup {
    html! {
        label { (label)
            input id={ "number-" (name) } type="number" name=(name) value=(value) min="0" step=(step);
        }
    }
}

fn table(asked: &GamesQuery, page: &GamePage, offset: u64, left: u64) -> Markup {
    html! {
        @if left > 0 {
            p role="status" data-reload="1000" {
                (grouped(left)) " more games are being read; what is listed is not complete yet."
            }
        }
        @if page.rows.is_empty() && left > 0 && !asked.filters() {
            p.soft { "The first of them are listed in a moment." }
        } @else if page.rows.is_empty() {
            p.soft { (if asked.filters() { "No game is like this." } else { "No game yet." }) }
        } @else {
            div.scroll tabindex="0" role="region" aria-label="Games" {
                table.games {
                    thead { tr {
                        (head(asked, "Game", ""))
                        @if asked.run.is_empty() { (head(asked, "Run", "run")) }
                        (head(asked, "White", "white"))
                        (head(asked, "Black", "black"))
                        (head(asked, "Result", "result"))
                        (head(asked, "Ending", "ending"))
                        (head(asked, "Opening", "opening"))
                        (head(asked, "Plies", "plies"))
                        (head(asked, "Swing", "swing"))
                        (head(asked, "Time", "time"))
                    } }
                    tbody { @for row in &page.rows { (self::row(row, asked.run.is_empty())) } }
                }
            }
        }
        (parts(page.total, offset, u64::from(PAGE_ROWS), |offset| asked.link(&asked.sort, offset)))
    }
}

/// The head of a column by which games can be sorted: largest first, then smallest.
fn head(asked: &GamesQuery, name: &str, key: &str) -> Markup {
    let (by, descending) = asked.sort();
    let own = GamesQuery { sort: key.to_owned(), ..GamesQuery::default() }.sort().0 == by;
    let next = match (own, descending) {
        (true, true) => key.to_owned(),
        (false, _) if key.is_empty() => String::new(),
        // Names from A on, numbers from the largest on, runs from the newest on.
        (false, _) if !is_number(key) && key != "run" => key.to_owned(),
        _ => format!("-{}", if key.is_empty() { "number" } else { key }),
    };
    let sorted = match (own, descending) {
        (false, _) => None,
        (true, true) => Some("descending"),
        (true, false) => Some("ascending"),
    };
    html! {
        th.number[is_number(key)].run[key == "run"] aria-sort=[sorted] {
            a id={ "sort-" (name) } href=(asked.link(&next, 0)) { (name) }
        }
    }
}

fn is_number(key: &str) -> bool {
    matches!(key, "plies" | "swing" | "time")
}

/// When a run began and what it is, by its id: `2026-11-21 14:30 sprt`.
pub fn run_text(id: &str) -> String {
    let mut parts = id.splitn(3, '-');
    let (date, time, rest) = (parts.next(), parts.next(), parts.next());
    let text = |date: &str, time: &str, rest: &str| {
        let [year, month, day] = [date.get(..4)?, date.get(4..6)?, date.get(6..8)?];
        let [hour, minute] = [time.get(..2)?, time.get(2..4)?];
        Some(format!("{year}-{month}-{day} {hour}:{minute} {rest}"))
    };
    let text = date.zip(time).and_then(|(date, time)| text(date, time, rest.unwrap_or_default()));
    text.unwrap_or_else(|| id.to_owned())
}

/// The date, which stands above the rest where there is little room.
fn two_lines(text: &str) -> Markup {
    match text.split_once(' ') {
        Some((date, rest)) => html! { span { (date) } " " span { (rest) } },
        None => html! { (text) },
    }
}

fn row(row: &GameRow, with_run: bool) -> Markup {
    let path = game_path(&row.run, &row.key());
    let result = ["0-1", "½-½", "1-0"][usize::from(row.result.min(2))];
    html! {
        tr {
            td {
                a href=(path) { (row.key()) }
                @if with_run { div.soft.on-phone { a href=(run_path(&row.run)) { (two_lines(&run_text(&row.run))) } } }
            }
            @if with_run { td.run { a href=(run_path(&row.run)) title=(row.run) { (run_text(&row.run)) } } }
            td.named { (row.white) }
            td.named { (row.black) }
            td { (result) }
            td.ending { (row.ending.replace('_', " ")) }
            td.opening { @if let Some(opening) = &row.opening { (opening.eco) " " (opening.name) } }
            td.number { (row.plies) }
            td.number {
                @if let Some(swing) = row.swing {
                    a href={ (path) "#ply=" (row.swing_ply.map_or(0, |ply| ply + 1)) } {
                        (format!("{:.0} %", f64::from(swing) / 10.0))
                    }
                }
            }
            td.number { (duration(row.milliseconds as f64 / 1000.0)) }
        }
    }
}

/// The path of a game.
pub fn game_path(run: &str, key: &str) -> String {
    format!("/run/{run}/game/{key}")
}
