//! Rating opening books: what their openings decide between two engines of known difference.
//!
//! Each book is played in matches of their own, which are runs of the ledger like any other; the run of the
//! rating keeps which, and continues with the one that was interrupted. At fixed nodes an opening that is
//! played again gives the same games, so each repetition has a few nodes more.

use std::collections::BTreeMap;
use std::path::PathBuf;

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shakmaty::EnPassantMode;
use shakmaty::fen::Fen;
use thiserror::Error;

use crate::games::{self, GamesRun, Starting, interruption, of_whole};
use crate::read_plan;
use harness_arena::{BookError, Conduct, Format, Openings, OpeningsSpec, Pairing, Plan, Referee};
use harness_base::failure::{Failure, OrFail};
use harness_base::session::Session;
use harness_base::text::{self, shell_words};
use harness_ledger::{Ledger, LedgerError, Resumed, Run, Status};
use harness_outcome::MatchSummary;
use harness_outcome::book::{BookReport, PlayedOpening, RatedBook, compare};
use harness_player::{self as player, EngineSpec, Limit, NamedFiles};
use harness_stats::GameScore;
use harness_stats::book::BookCounts;

/// The command under which the ledger has the runs.
pub const COMMAND: &str = "openings";

/// By how much the nodes of each repetition are more than those of the one before.
const MORE_NODES: f64 = 0.03;

/// Books to be rated.
#[derive(Clone, Debug)]
pub struct BookRequest {
    /// The engines, the one that should be stronger first.
    pub engines: [EngineSpec; 2],
    /// Their limits.
    pub limits: [Limit; 2],
    /// The books; `None`: what comes with the harness.
    pub books: Vec<Option<PathBuf>>,
    /// Most openings of each.
    pub openings: u64,
    /// Pairs of each opening.
    pub repeats: u64,
    /// The order of the openings, its seed, and the rules.
    pub order: OpeningsSpec,
    /// How games are played.
    pub conduct: Conduct,
    /// Games at the same time; `None`: one a core.
    pub jobs: Option<usize>,
    /// How engines are started.
    pub starting: Starting,
    /// See [`BookReport::dead_below`].
    pub dead_below: f64,
}

/// A planned rating; nothing was played.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BookRating {
    /// The matches, those of a book one after the other.
    parts: Vec<Part>,
    starting: Starting,
    dead_below: f64,
    /// Files that the engines' options name.
    #[serde(default, skip_serializing_if = "NamedFiles::is_empty")]
    files: NamedFiles,
    command_line: Option<String>,
}

/// A match of a book.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Part {
    /// Which book, from 0.
    book: usize,
    /// Its name.
    name: String,
    plan: Plan,
}

/// Something that happens while books are rated.
pub enum Event<'a> {
    /// The run begins or continues.
    Started {
        /// Its id.
        run: &'a str,
        /// Its matches.
        matches: usize,
    },
    /// A match begins or continues.
    Begins {
        /// Its number from 1.
        number: usize,
        /// All of them.
        of: usize,
        /// The book.
        book: &'a str,
    },
    /// Something happened in its games.
    Games(&'a games::Event<'a>),
}

/// Takes every event; those of games from several threads at once.
pub type Sink<'a> = dyn Fn(&Event<'_>) + Sync + 'a;

/// A rating that makes no sense.
#[derive(Debug, Error, Diagnostic)]
pub enum BookRatingError {
    /// Nothing but the depth ends a search.
    #[error("at a fixed depth both engines play the same games")]
    #[diagnostic(help("rate at fixed nodes or a clock, or name another engine with --against"))]
    SameGames,
}

/// The limit of the weaker engine: this share of nodes and time.
///
/// # Errors
/// When only a depth ends the searches.
pub fn share_of(limit: Limit, share: f64) -> Result<Limit, BookRatingError> {
    let less = |nodes: u64| ((nodes as f64 * share).round() as u64).max(1);
    match limit.scaled(share) {
        Limit::Depth(_) => Err(BookRatingError::SameGames),
        Limit::Nodes(nodes) => Ok(Limit::Nodes(less(nodes))),
        Limit::Combined { time, nodes, depth } => {
            Ok(Limit::Combined { time, nodes: nodes.map(less), depth })
        }
        scaled => Ok(scaled),
    }
}

/// The limit of a repetition, from 0.
fn repeated(limit: Limit, repetition: u64) -> Limit {
    match limit {
        Limit::Nodes(nodes) => {
            let factor = 1.0 + MORE_NODES * repetition as f64;
            // Another number also where three of a hundred are less than one.
            Limit::Nodes(((nodes as f64 * factor).round() as u64).max(nodes + repetition))
        }
        other => other,
    }
}

impl BookRating {
    /// Reads and checks the books.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn plan(request: BookRequest) -> Result<BookRating, Failure> {
        let mut parts = Vec::new();
        let jobs = request.jobs.unwrap_or_else(games::cores);
        let names = request.engines.each_ref().map(|engine| engine.name.as_str()).join(" vs ");
        for (book, file) in request.books.iter().enumerate() {
            let spec = OpeningsSpec { file: file.clone(), ..request.order.clone() };
            let openings = Openings::load(&spec).or_usage()?;
            let name = match file {
                Some(path) => path.display().to_string(),
                None => openings.title(),
            };
            let rounds = request.openings.min(openings.until_end());
            for repetition in 0..request.repeats {
                parts.push(Part {
                    book,
                    name: name.clone(),
                    plan: Plan {
                        engines: request.engines.to_vec(),
                        limits: request.limits.map(|limit| repeated(limit, repetition)).to_vec(),
                        format: Format::Gauntlet,
                        pairings: Vec::new(),
                        rounds,
                        openings: openings.spec().or_usage()?,
                        conduct: request.conduct.clone(),
                        jobs,
                        event: format!("{names}: {name}"),
                        pairing: Pairing::default(),
                        shard: None,
                        rating: None,
                        race: None,
                    },
                });
            }
        }
        Ok(BookRating {
            files: NamedFiles::new(&request.engines),
            parts,
            starting: request.starting,
            dead_below: request.dead_below,
            command_line: Some(shell_words(text::arguments())),
        })
    }

    /// Games of the book that has the fewest.
    pub fn fewest_games(&self) -> u64 {
        let mut games = BTreeMap::<usize, u64>::new();
        for part in &self.parts {
            *games.entry(part.book).or_default() += 2 * part.plan.rounds;
        }
        games.into_values().min().unwrap_or(0)
    }

    /// Starts a run in the ledger, and plays.
    ///
    /// # Errors
    /// When an engine fails, a result cannot be kept, or the user interrupts.
    pub fn start(&self, session: &Session, sink: &Sink<'_>) -> Result<BookReport, Failure> {
        let ledger = Ledger::open(&session.reports).or_failed()?;
        let run = ledger.start_run(COMMAND, &json!(self)).or_failed()?;
        self.play_rest(&ledger, &run, session, sink)
    }

    fn play_rest(
        &self,
        ledger: &Ledger,
        run: &Run,
        session: &Session,
        sink: &Sink<'_>,
    ) -> Result<BookReport, Failure> {
        sink(&Event::Started { run: run.id(), matches: self.parts.len() });
        let begun = matches_of(ledger, run.id()).or_failed()?;
        for (number, part) in (0u32..).zip(&self.parts) {
            if session.interrupt.is_finishing() {
                return Err(interruption(run, session));
            }
            sink(&Event::Begins {
                number: number as usize + 1,
                of: self.parts.len(),
                book: &part.name,
            });
            let watch = |event: &games::Event<'_>| sink(&Event::Games(event));
            let played = match begun.get(&number) {
                Some(id) => finish(ledger, id, session, &watch),
                None => {
                    let games = GamesRun::of_plan(part.plan.clone(), None, self.starting)?;
                    let keep = &mut |of: &Run| {
                        ledger.record_check(run, number, &json!({ "run": of.id() })).or_failed()
                    };
                    games.start_in(ledger, run, session, &watch, keep).map(drop)
                }
            };
            played.map_err(|failure| of_whole(failure, run, session))?;
        }
        let report = self.report(ledger, run.id())?;
        ledger.finish(run, &json!(report)).or_failed()?;
        crate::write_page(run, &harness_report::html::book_page(&report))?;
        Ok(report)
    }

    /// The result of the games that are there.
    ///
    /// # Errors
    /// When the ledger or a book cannot be read.
    pub fn report(&self, ledger: &Ledger, run: &str) -> Result<BookReport, Failure> {
        let begun = matches_of(ledger, run).or_failed()?;
        let count = self.parts.iter().map(|part| part.book + 1).max().unwrap_or(0);
        let mut books = Vec::with_capacity(count);
        let mut warnings = Vec::new();
        for book in 0..count {
            let parts = (0u32..).zip(&self.parts).filter(|(_, part)| part.book == book);
            let matches: Vec<(&Part, &String)> =
                parts.filter_map(|(number, part)| Some((part, begun.get(&number)?))).collect();
            for (_, id) in &matches {
                let summary = ledger.facts(id).or_failed()?.summary;
                let summary =
                    summary.and_then(|it| serde_json::from_value::<MatchSummary>(it).ok());
                warnings.extend(summary.into_iter().flat_map(|summary| summary.warnings));
            }
            let Some(part) = self.parts.iter().find(|part| part.book == book) else { continue };
            let played = played(ledger, part, &matches)?;
            let runs = matches.iter().map(|(_, id)| (*id).clone()).collect();
            books.push(RatedBook::new(part.name.clone(), runs, &played, self.dead_below));
        }
        compare(&mut books);
        warnings.sort();
        warnings.dedup();
        let first = &self.parts[0].plan;
        Ok(BookReport {
            run: run.to_owned(),
            engines: [0, 1].map(|side| first.engines[side].name.clone()),
            limits: [0, 1].map(|side| first.limits[side].to_string()),
            dead_below: self.dead_below,
            games: books.iter().map(|book| book.games).sum(),
            books,
            warnings,
        })
    }

    /// The books, and the limits of the first match: what lists show.
    pub(crate) fn title(plan: &Value) -> (String, String) {
        let Ok(rating) = BookRating::deserialize(plan) else { return Default::default() };
        let mut names: Vec<&str> = rating.parts.iter().map(|part| part.name.as_str()).collect();
        names.dedup();
        let limits = rating.parts.first().map(|part| part.plan.limits.as_slice());
        let limits: Vec<String> = limits.unwrap_or_default().iter().map(Limit::to_string).collect();
        (names.join(", "), limits.join(" against "))
    }
}

/// Resumes a run that ended early.
///
/// # Errors
/// As [`BookRating::start`]; and when an engine is not what it was.
pub fn resume(
    ledger: &Ledger,
    run: &Run,
    plan: Value,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<BookReport, Failure> {
    let rating: BookRating = read_plan(run, plan)?;
    if let Some(part) = rating.parts.first() {
        player::check_unchanged(&part.plan.engines, &rating.files).or_usage()?;
    }
    rating.play_rest(ledger, run, session, sink)
}

/// The match of each part that has begun.
fn matches_of(ledger: &Ledger, run: &str) -> Result<BTreeMap<u32, String>, LedgerError> {
    let begun = ledger.checks(run)?.into_iter();
    let begun = begun
        .filter_map(|(number, payload)| Some((number, payload.get("run")?.as_str()?.to_owned())));
    Ok(begun.collect())
}

/// Plays what is left of a match.
fn finish(
    ledger: &Ledger,
    id: &str,
    session: &Session,
    sink: &games::Sink<'_>,
) -> Result<(), Failure> {
    if ledger.facts(id).or_failed()?.status == Status::Finished {
        return Ok(());
    }
    let Resumed { run, plan, .. } = ledger.resume_run(id).or_failed()?;
    games::resume(ledger, &run, plan, session, sink).map(drop)
}

/// The pairs of each opening of a book, over its matches.
fn played(
    ledger: &Ledger,
    part: &Part,
    matches: &[(&Part, &String)],
) -> Result<Vec<PlayedOpening>, Failure> {
    let mut counts: BTreeMap<u64, BookCounts> = BTreeMap::new();
    for (_, id) in matches {
        // Scores of the first engine with White and with Black.
        let mut pairs: BTreeMap<u64, [Option<GameScore>; 2]> = BTreeMap::new();
        ledger.each_result(id, |game| {
            let scores = pairs.entry(game.pair).or_default();
            scores[usize::from(!game.first_is_white)] = game.score();
            Ok::<_, LedgerError>(())
        })?;
        for (pair, scores) in pairs {
            if let [Some(white), Some(black)] = scores {
                counts.entry(pair).or_default().add_pair(white, black);
            }
        }
    }
    let openings = Openings::load(&part.plan.openings).or_usage()?;
    let mut played = Vec::with_capacity(counts.len());
    for (pair, counts) in counts {
        let fen = fen_of(&openings, pair, part).or_usage()?;
        played.push(PlayedOpening { fen, counts });
    }
    Ok(played)
}

/// The position of an opening, after its moves.
fn fen_of(openings: &Openings, number: u64, part: &Part) -> Result<String, BookError> {
    let opening = openings.get(number)?;
    let referee = Referee::at(&opening, part.plan.openings.rules).ok();
    let fen = referee.as_ref().and_then(|(referee, _)| {
        let chess = referee.position().chess()?;
        Some(Fen::from_position(chess, EnPassantMode::Legal).to_string())
    });
    // A variant's position as it is in the book.
    Ok(fen.unwrap_or_else(|| {
        let moves: Vec<String> = opening.moves.iter().map(ToString::to_string).collect();
        format!("{} {}", opening.fen.unwrap_or_default(), moves.join(" ")).trim().to_owned()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weaker_engine_has_a_share_of_nodes_and_time_and_a_depth_has_none() {
        for (limit, expected) in [
            ("nodes=5000", "nodes=4000"),
            ("tc=10+0.1", "tc=8+0.08"),
            ("movetime=100ms", "movetime=80ms"),
            ("nodes=1", "nodes=1"),
        ] {
            let limit: Limit = limit.parse().expect("a limit");
            assert_eq!(share_of(limit, 0.8).expect("a share").to_string(), expected);
        }
        assert!(share_of(Limit::Depth(8), 0.8).is_err());
    }

    #[test]
    fn a_repetition_has_other_nodes_and_a_clock_needs_none() {
        let nodes = |nodes, repetition| repeated(Limit::Nodes(nodes), repetition);
        assert_eq!(nodes(5000, 0), Limit::Nodes(5000));
        assert_eq!(nodes(5000, 2), Limit::Nodes(5300));
        assert_eq!([nodes(1, 1), nodes(1, 2)], [Limit::Nodes(2), Limit::Nodes(3)]);
        let clock: Limit = "tc=8+0.08".parse().expect("a clock");
        assert_eq!(repeated(clock, 3), clock);
    }
}
