//! Training data that runs have written: the games or positions of a file, some at a time.

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use axum::Extension;
use axum::Router;
use axum::extract::{Query, State};
use axum::response::Response;
use axum::routing::get;
use engine::board::Position;
use maud::{Markup, html};
use serde::Deserialize;
use shakmaty::Color;

use crate::error::StudioError;
use crate::frame::{self, FramedPage};
use crate::role::Role;
use crate::state::{App, with_ledger};
use crate::views::{escaped, run_path};
use harness_base::text::grouped;
use harness_data::flaws::Flaws;
use harness_data::formats::{self, Format, FormatError};
use harness_data::game::Game;
use harness_data::record::Record;
use harness_data::view::COLLECTED;
use harness_games::viewed::comment::{centipawns, score_text};
use harness_ledger::RunFacts;
use harness_notation::pgn::san;
use harness_outcome::{ViewedGame, ViewedPly};
use harness_report::html::viewer::viewer;
use harness_report::html::{board, with_code};
use harness_runs::kinds::Kind;
use harness_runs::kinds::recorded::written_files;
use harness_stats::GameScore;

/// Games of a part of a file.
const PAGE_GAMES: usize = 4;

/// Positions of a part of a file.
const PAGE_POSITIONS: usize = 24;

/// Query of the address.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct DataQuery {
    run: String,
    /// Which of the files of the run, from 0.
    file: usize,
    offset: u64,
}

/// The routes of this page.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/data", get(page))
}

/// The items of a part of a file.
enum Items {
    Games(Vec<ViewedGame>),
    Positions(Vec<Record>),
}

/// A part of a file.
struct Part {
    items: Items,
    /// Number of items.
    length: u64,
    /// Most items of a part.
    most: u64,
    has_more: bool,
    /// Why the next item cannot be read.
    fault: Option<FormatError>,
    /// Games so far that were left out or put right, in words.
    flaws: String,
}

impl Part {
    /// The part in words: `Games 11–20`.
    fn place(&self, offset: u64) -> String {
        let units = match self.items {
            Items::Games(_) => ["Game", "Games"],
            Items::Positions(_) => ["Position", "Positions"],
        };
        let [first, last] = [offset + 1, offset + self.length].map(grouped);
        match self.length {
            1 => format!("{} {first}", units[0]),
            _ => format!("{} {first}–{last}", units[1]),
        }
    }
}

/// `/data?run=ID`: the games or positions of a file that the run has written.
///
/// # Errors
/// When there is no such run, or it has no such file.
pub async fn page(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Query(asked): Query<DataQuery>,
) -> Result<Response, StudioError> {
    let csrf = app.secrets.csrf().to_owned();
    let page = with_ledger(app, move |_, ledger| {
        let run = ledger.facts(&asked.run)?;
        let files = data_files(&run);
        let missing = || StudioError::NotFound(format!("training data of run `{}`", run.id));
        let file = files.get(asked.file).ok_or_else(missing)?;
        let content = html! {
            h1 { (data_name(&run)) " of " a href=(run_path(&run.id)) { (run.id) } }
            @if files.len() > 1 {
                nav.pages aria-label="Files" {
                    @for (number, other) in files.iter().enumerate() {
                        a href=(link(&run.id, number, 0)) aria-current=[(number == asked.file).then_some("page")] { (name(other)) }
                    }
                }
            }
            div data-csrf=[(role == Role::Control).then_some(&csrf)] { (part(&run.id, &asked, file)) }
        };
        let title = data_name(&run);
        Ok(FramedPage { title, tab: "/", topic: None, role, content }.page())
    });
    Ok(frame::response(page.await?))
}

/// The files of a run that are there and hold games or positions.
pub fn data_files(run: &RunFacts) -> Vec<PathBuf> {
    let is_data = |path: &PathBuf| Format::from_path(path).is_ok() && path.is_file();
    let files = written_files(run).into_iter().chain([run.folder.join(COLLECTED)]);
    files.filter(is_data).collect()
}

/// The name of what a run has written: a book and a suite are no training data.
pub fn data_name(run: &RunFacts) -> &'static str {
    Kind::by_key(&run.command).unwrap_or(&Kind::PLAIN).written
}

/// The address of the training data of a run.
pub fn data_path(run: &str) -> String {
    format!("/data?run={}", escaped(run))
}

/// The address of a part of a file of a run.
fn link(run: &str, file: usize, offset: u64) -> String {
    format!("/data?run={}&file={file}&offset={offset}", escaped(run))
}

fn name(path: &FilePath) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn part(run: &str, asked: &DataQuery, file: &FilePath) -> Markup {
    let part = match read(file, asked.offset) {
        Ok(part) => part,
        Err(error) => return html! { section.card { p { (with_code(&error.to_string())) } } },
    };
    let offset = asked.offset;
    let end = offset + part.length;
    html! {
        section.card {
            h2 { (name(file)) }
            @match &part.items {
                _ if part.length == 0 => p.soft { (if offset == 0 { "It is empty." } else { "It has no more." }) },
                Items::Games(games) => @for (number, game) in (offset + 1..).zip(games) {
                    h3 { "Game " (grouped(number)) ": " (game.white) " – " (game.black) " " (game.result) }
                    (viewer(game, None))
                },
                Items::Positions(positions) => div.positions {
                    @for (number, record) in (offset + 1..).zip(positions) { (position(number, record)) }
                },
            }
            @if !part.flaws.is_empty() { p.soft { "Of the games up to here:" } pre { (part.flaws) } }
            @if let Some(fault) = &part.fault { p.soft { "What follows cannot be read: " (fault.to_string()) } }
            nav.pages aria-label="Parts of the file" {
                @if offset > 0 { a rel="prev" href=(link(run, asked.file, offset.saturating_sub(part.most))) { "Previous" } }
                @if part.length > 0 { span { (part.place(offset)) } }
                @if part.has_more { a rel="next" href=(link(run, asked.file, end)) { "Next" } }
            }
        }
    }
}

/// A part of a file.
fn read(file: &FilePath, offset: u64) -> Result<Part, FormatError> {
    let skipped = usize::try_from(offset).unwrap_or(usize::MAX);
    let flaws = Flaws::default();
    let part = match formats::games(file, &flaws) {
        Ok(games) => taken(games.skip(skipped), PAGE_GAMES, |games| {
            Items::Games(games.iter().map(viewed).collect())
        }),
        Err(FormatError::Unfit { .. }) => {
            let records = formats::records(file, &flaws)?;
            taken(records.skip(skipped), PAGE_POSITIONS, Items::Positions)
        }
        Err(error) => return Err(error),
    };
    Ok(Part { flaws: flaws.to_string(), ..part })
}

/// The first items, up to one that cannot be read: a file that is being written ends somewhere.
fn taken<T>(
    read: impl Iterator<Item = Result<T, FormatError>>,
    most: usize,
    items: impl FnOnce(Vec<T>) -> Items,
) -> Part {
    let mut taken = Vec::new();
    let mut fault = None;
    for item in read.take(most + 1) {
        match item {
            Ok(item) => taken.push(item),
            Err(error) => fault = Some(error),
        }
    }
    let has_more = taken.len() > most;
    taken.truncate(most);
    let (length, most) = (taken.len() as u64, most as u64);
    Part { items: items(taken), length, most, has_more, fault, flaws: String::new() }
}

fn result_text(result: Option<GameScore>) -> &'static str {
    result.map_or("*", GameScore::pgn)
}

/// A game of a file as the viewer shows it.
fn viewed(game: &Game) -> ViewedGame {
    let [white, black] = game.names.each_ref();
    let chess960 = !game.start.castles_as_in_chess();
    let named = |name: &str, side: &str| if name.is_empty() { side } else { name }.to_owned();
    let mut position = game.start;
    let plies = game.turns.iter().map(|turn| {
        let mover = Color::from_white(position.side() == engine::board::Color::White);
        let san = san::write(&position, turn.played);
        let uci = position.uci(turn.played, chess960).to_string();
        position.play(turn.played);
        let sign = mover.fold_wb(1, -1);
        ViewedPly {
            san: san.unwrap_or_else(|| uci.clone()),
            uci,
            fen: position.fen(chess960),
            cp: turn.eval.map(|eval| sign * centipawns(eval.score)),
            score: turn.eval.map(|eval| score_text(eval.score.for_white(mover))),
            depth: turn.eval.map(|eval| u32::from(eval.depth)).filter(|depth| *depth > 0),
            ms: None,
            nodes: None,
            clock: None,
            book: turn.eval.is_none(),
        }
    });
    ViewedGame {
        key: game.round.clone(),
        white: named(white, "White"),
        black: named(black, "Black"),
        plies: plies.collect(),
        result: result_text(game.result),
        ending: String::new(),
        reason: String::new(),
        variant: None,
        start: game.start.fen(chess960),
        swing: None,
    }
}

fn position(number: u64, record: &Record) -> Markup {
    let position: &Position = &record.position;
    let fen = position.fen(!position.castles_as_in_chess());
    let is_black = position.side() == engine::board::Color::Black;
    html! {
        article.position {
            h3 { "Position " (grouped(number)) span { (if is_black { "black to move" } else { "white to move" }) } }
            @if let Some(drawing) = board(&fen, &[]) { (drawing) }
            dl {
                @if let Some(score) = record.score { dt { "White's score" } dd { (score_text(score)) } }
                @if record.result.is_some() { dt { "Result" } dd { (result_text(record.result).replace("1/2-1/2", "½-½")) } }
                @if let Some(played) = record.played {
                    @if let Some(san) = san::write(position, played) { dt { "Played" } dd { (san) } }
                }
                @if let Some(ply) = record.ply { dt { "Ply" } dd { (ply) } }
                @if record.depth > 0 { dt { "Depth" } dd { (record.depth) } }
            }
            code { (fen) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_that_are_left_out_are_said_and_chess960_is_written_as_such() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let file = folder.path().join("games.pgn");
        let start = "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1";
        let text = format!(
            "[Result \"*\"]\n\n1. e4 e9 *\n\n[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"{start}\"]\n\n1. O-O *\n"
        );
        std::fs::write(&file, text).expect("written");
        let part = read(&file, 0).expect("readable");
        assert!(part.flaws.contains("dropped: 1 game: a move is not legal"), "{}", part.flaws);
        let Items::Games(games) = part.items else { panic!("games") };
        assert_eq!(games[0].start, start);
        assert_eq!(games[0].plies[0].uci, "c1g1");
    }
}
