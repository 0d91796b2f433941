//! Generates a book: random moves from the start position, kept if an engine's score is balanced, or if its
//! model expects a wanted share of draws.
//!
//! Candidate number i follows from the seed and i alone, and candidates are taken in the order of
//! their numbers: the book does not depend on the number of players.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write};
use std::ops::{ControlFlow, RangeInclusive};
use std::time::Duration;

use miette::Diagnostic;
use shakmaty::fen::{Epd, Fen};
use shakmaty::{Bitboard, CastlingMode, Chess, Color, EnPassantMode, Position, Role};
use thiserror::Error;

use super::chess960;
use harness_base::session::Interrupt;
use harness_player::pool::{Ended, InOrder, Pool, Seats, Start};
use harness_player::{EngineSpec, Fault, FaultKind, Go, Info, Line, Player, Score, unobserved};
use harness_stats::draw_chance::DrawChance;
use harness_stats::random::order::{below, random};

/// Candidates between two checks of the number of openings.
const BATCH: u64 = 256;

/// A search that takes longer than this is a hang.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(60);

/// Candidates in a row without an opening after which the search ends.
const MAX_REJECTED: u64 = 20_000;

/// A book that cannot be made.
#[derive(Debug, Error, Diagnostic)]
pub enum GenerateError {
    /// The engine failed.
    #[error("{0}")]
    #[diagnostic(help("`harness check ENGINE` shows what it prints"))]
    Engine(Fault),
    /// Too few different positions are balanced, or drawn as often as wanted.
    #[error("only {found} openings found in {candidates} candidates")]
    #[diagnostic(help("{advice}"))]
    TooFew {
        /// Openings found.
        found: usize,
        /// Candidates searched.
        candidates: u64,
        /// The remedy.
        advice: &'static str,
    },
    /// The engine does not say how likely a draw is.
    #[error("{0} reports no chances of win, draw and loss (`wdl`), by which openings are chosen")]
    #[diagnostic(help("--engine builtin has them, and so has an engine with UCI_ShowWDL"))]
    NoChances(String),
}

/// Settings of a new book.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// Openings wanted.
    pub count: usize,
    /// Random plies, drawn again for each candidate.
    pub plies: RangeInclusive<u32>,
    /// Seed of all randomness.
    pub seed: u64,
    /// Nodes of the search of a candidate.
    pub nodes: u64,
    /// Largest absolute score of a balanced position, in centipawns; with a target of any position.
    pub max_score: u32,
    /// The wanted share of draws; `None`: openings are balanced.
    pub target: Option<DrawTarget>,
    /// Openings are of Chess960.
    pub chess960: bool,
}

/// A wanted share of draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawTarget {
    /// The share.
    pub draw_rate: f64,
    /// Largest distance from it.
    pub tolerance: f64,
    /// Share of draws of balanced openings at the limit that the book is for; `None`: as the engine's model
    /// has it.
    pub level: Option<f64>,
    /// Most openings with the same pawns.
    pub per_structure: usize,
}

impl DrawTarget {
    /// Whether an opening with these chances is wanted. If no balanced opening is drawn as often as asked
    /// for, those are that are drawn most.
    fn accepts(&self, chance: &DrawChance) -> bool {
        let wanted = self.draw_rate.min(chance.level);
        (chance.draw - wanted).abs() <= self.tolerance
    }
}

/// An opening of a new book.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    position: Chess,
    score: i32,
    /// The expected share of draws, where it was asked for.
    pub draw: Option<f64>,
}

impl fmt::Display for Made {
    /// A line of EPD with the score and the counters of the FEN.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let epd = Epd::from_position(&self.position, EnPassantMode::Legal);
        let fullmoves = self.position.fullmoves();
        let halfmoves = self.position.halfmoves();
        write!(f, "{epd} ce {}; fmvn {fullmoves}; hmvc {halfmoves};", self.score)
    }
}

/// Makes a book with `jobs` players of an engine.
///
/// `show` is called with the number of openings and of candidates so far. If it breaks, or after an
/// interrupt, the openings found until then are returned.
///
/// # Errors
/// When an engine fails, or no more balanced positions are found.
pub fn generate(
    recipe: &Recipe,
    engine: &EngineSpec,
    jobs: usize,
    start: &Start<'_>,
    interrupt: &Interrupt,
    show: &mut dyn FnMut(usize, u64) -> ControlFlow<()>,
) -> Result<Vec<Made>, GenerateError> {
    let pool = Pool::new(jobs, interrupt, |interrupt| Seats::new(start, interrupt));
    let mut pool = pool.map_err(GenerateError::Engine)?;
    for seats in pool.workers() {
        seats.one(0, engine).map_err(GenerateError::Engine)?;
    }
    let mut book = Book {
        recipe,
        engine: &engine.name,
        made: Vec::new(),
        structures: HashMap::new(),
        before: 0,
        in_vain: 0,
    };
    if show(0, 0).is_break() || recipe.count == 0 {
        return Ok(book.made);
    }
    let mut seen = HashSet::new();
    let candidates = (0..).map(|number| {
        let new = |position: &Chess| seen.insert(identity(recipe, position));
        (number, candidate(recipe, number).filter(new))
    });
    let work = |seats: &mut Seats<'_>, (number, candidate): (u64, Option<Chess>)| {
        let Some(position) = candidate else { return Ok((number, None)) };
        let info = search(&position, recipe, seats.one(0, engine)?)?;
        Ok((number, info.map(|info| (position, info))))
    };
    let mut order = InOrder::from(0);
    let ended = pool.run(candidates, work, &mut |(number, searched)| {
        order.put(number, searched);
        while let Some((number, searched)) = order.take() {
            if book.take(number, searched, show)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    });
    match ended {
        Ok(()) | Err(Ended::Interrupted) => Ok(book.made),
        Err(Ended::Worker(fault)) => Err(GenerateError::Engine(fault)),
        Err(Ended::Keeper(error)) => Err(error),
    }
}

/// The openings that were found.
struct Book<'a> {
    recipe: &'a Recipe,
    /// Its name.
    engine: &'a str,
    made: Vec<Made>,
    /// Openings by the pawns of both colours.
    structures: HashMap<[Bitboard; 2], usize>,
    /// Openings at the beginning of the batch.
    before: usize,
    /// Candidates since the last batch with an opening.
    in_vain: u64,
}

impl Book<'_> {
    /// Takes the next candidate, with the info of its search if it has one.
    fn take(
        &mut self,
        number: u64,
        searched: Option<(Chess, Info)>,
        show: &mut dyn FnMut(usize, u64) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, GenerateError> {
        if let Some((position, info)) = searched
            && let Some(Score::Centipawns(score)) = info.exact_score()
            && score.unsigned_abs() <= self.recipe.max_score
            && self.made.len() < self.recipe.count
            && let Some(draw) = self.wanted(&position, &info)?
        {
            self.made.push(Made { position, score, draw });
        }
        let found = self.made.len();
        let candidates = number + 1;
        if !candidates.is_multiple_of(BATCH) {
            return Ok(ControlFlow::Continue(()));
        }
        self.in_vain = if found > self.before { 0 } else { self.in_vain + BATCH };
        self.before = found;
        if self.in_vain >= MAX_REJECTED {
            return Err(GenerateError::TooFew { found, candidates, advice: self.advice() });
        }
        let ends = show(found, candidates).is_break() || found >= self.recipe.count;
        Ok(if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}

impl Book<'_> {
    /// The expected share of draws of a wanted opening, where there is a target; outer `None`: it is not wanted.
    fn wanted(
        &mut self,
        position: &Chess,
        info: &Info,
    ) -> Result<Option<Option<f64>>, GenerateError> {
        let Some(target) = &self.recipe.target else { return Ok(Some(None)) };
        let chances = info.wdl.ok_or_else(|| GenerateError::NoChances(self.engine.to_owned()))?;
        let chance =
            DrawChance::new(chances.map(|chance| f64::from(chance) / 1000.0), target.level);
        if !target.accepts(&chance) {
            return Ok(None);
        }
        let same = self.structures.entry(pawns(position)).or_default();
        *same += 1;
        Ok((*same <= target.per_structure).then_some(Some(chance.draw)))
    }

    fn advice(&self) -> &'static str {
        match self.recipe.target {
            None => {
                "allow more plies, a larger --max-score, or more --nodes: an engine that is stopped too \
                 early gives no score at all"
            }
            Some(_) => {
                "allow more plies, a larger --tolerance or --per-structure, or another target: of most \
                 positions the engine expects another share of draws"
            }
        }
    }
}

/// The pawns of both colours.
fn pawns(position: &Chess) -> [Bitboard; 2] {
    let pawns = position.board().by_role(Role::Pawn);
    [Color::White, Color::Black].map(|color| pawns & position.board().by_color(color))
}

/// A text that two candidates share if they are one opening: the same position by other moves; and where there
/// is a target, the same with colours swapped, as each opening is played with both.
fn identity(recipe: &Recipe, position: &Chess) -> String {
    let epd = Epd::from_position(position, EnPassantMode::Legal).to_string();
    if recipe.target.is_none() {
        return epd;
    }
    let swapped = with_colours_swapped(&epd);
    epd.min(swapped)
}

/// The position in which Black stands as White did.
fn with_colours_swapped(epd: &str) -> String {
    let swap = |text: &str| -> String {
        let swapped = |c: char| {
            if c.is_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
        };
        text.chars().map(swapped).collect()
    };
    let mut fields = epd.split(' ');
    let mut next = || fields.next().unwrap_or("-");
    let board: Vec<String> = next().rsplit('/').map(swap).collect();
    let turn = if next() == "w" { "b" } else { "w" };
    let rights = swap(next());
    let (white, black): (String, String) = rights.chars().partition(char::is_ascii_uppercase);
    let en_passant = next().replace('3', "x").replace('6', "3").replace('x', "6");
    format!("{} {turn} {white}{black} {en_passant}", board.join("/"))
}

/// The start position of Chess960 of this number.
fn chess960_start(number: usize) -> Option<Chess> {
    let fen: Fen = chess960::opening(number).fen?.parse().ok()?;
    fen.into_position(CastlingMode::Chess960).ok()
}

/// A position after random moves; `None` if the game is over, the side to move is in check, or a
/// castling right is lost.
fn candidate(recipe: &Recipe, number: u64) -> Option<Chess> {
    let mut random = random(recipe.seed, number);
    let least = *recipe.plies.start();
    let most = *recipe.plies.end();
    let choices = most.saturating_sub(least) as usize + 1;
    let plies = least as usize + below(&mut random, choices);
    let mut position = match recipe.chess960 {
        true => chess960_start(below(&mut random, 960))?,
        false => Chess::default(),
    };
    for _ in 0..plies {
        let legal = position.legal_moves();
        let chosen = *legal.get(below(&mut random, legal.len()))?;
        position.play_unchecked(chosen);
    }
    let all_may_castle = position.castles().castling_rights().count() == 4;
    let calm = all_may_castle && !position.is_check() && !position.is_game_over();
    calm.then_some(position)
}

/// The info of a search with an empty transposition table.
fn search(
    position: &Chess,
    recipe: &Recipe,
    player: &mut dyn Player,
) -> Result<Option<Info>, Fault> {
    player.new_game(recipe.chess960)?;
    let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
    let line = Line { fen: Some(&fen), moves: &[] };
    match player.go(line, &Go::Nodes(recipe.nodes), SEARCH_TIMEOUT, &mut unobserved) {
        Ok(reply) => Ok(Some(reply.info)),
        Err(fault) if fault.kind == FaultKind::NoMove => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// A book as EPD. Each line of `header` becomes a comment operation (`c0`, `c1`, ...) of the first
/// opening: EPD has no comment lines.
pub fn to_epd(header: &str, book: &[Made]) -> String {
    let mut text = String::with_capacity(book.len() * 90);
    for (index, made) in book.iter().enumerate() {
        write!(text, "{made}").expect("writing to a string cannot fail");
        for (number, line) in header.lines().enumerate().filter(|_| index == 0) {
            // A quoted operand has no escape for a quote.
            let line = line.replace('"', "'");
            write!(text, " c{number} \"{line}\";").expect("writing to a string cannot fail");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::super::scripted::Scripted;
    use super::*;

    const RECIPE: Recipe = Recipe {
        count: 300,
        plies: 4..=6,
        seed: 1,
        nodes: 1,
        max_score: 60,
        target: None,
        chess960: false,
    };

    const TARGET: DrawTarget =
        DrawTarget { draw_rate: 0.5, tolerance: 0.05, level: None, per_structure: 2 };

    /// Makes a book with players that see this score everywhere.
    fn make_with(
        recipe: &Recipe,
        score: Score,
        jobs: usize,
        show: &mut dyn FnMut(usize, u64) -> ControlFlow<()>,
    ) -> Result<Vec<Made>, GenerateError> {
        let engine = EngineSpec::builtin("scripted");
        let start = |_: &EngineSpec, _: &Interrupt| {
            let player = Scripted { score_of_default: Some(score), ..Default::default() };
            Ok(Box::new(player) as Box<dyn Player + Send>)
        };
        let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
        generate(recipe, &engine, jobs, &start, &interrupt, show)
    }

    fn make(recipe: &Recipe, jobs: usize) -> String {
        let show = &mut |_, _| ControlFlow::Continue(());
        let made = make_with(recipe, Score::Centipawns(7), jobs, show);
        to_epd("made\nfor a \"test\"", &made.unwrap())
    }

    #[test]
    fn the_book_depends_on_the_seed_and_not_on_the_number_of_threads() {
        let book = make(&RECIPE, 1);
        assert_eq!(book, make(&RECIPE, 3));
        assert_ne!(book, make(&Recipe { seed: 2, ..RECIPE }, 1));
        let lines: HashSet<&str> = book.lines().collect();
        assert_eq!(lines.len(), 300);
    }

    #[test]
    fn every_line_of_a_book_is_an_opening_for_other_programs_too() {
        let book = make(&RECIPE, 1);
        let (first, others) = book.split_once('\n').expect("300 lines");
        assert!(first.ends_with(" c0 \"made\"; c1 \"for a 'test'\";"), "{first}");
        for line in others.lines() {
            assert!(line.contains(" ce 7; fmvn ") && !line.contains(" c0 "), "{line}");
        }
        let own = suites::OPENINGS;
        for line in book.lines().chain(own.lines()) {
            let fields: Vec<&str> = line.splitn(5, ' ').collect();
            assert!(fields[..4].join(" ").parse::<Epd>().is_ok(), "{line}");
        }
    }

    #[test]
    fn unbalanced_positions_and_mates_are_left_out() {
        for score in [Score::Centipawns(61), Score::Centipawns(-61), Score::Mate(5)] {
            let mut looks = 0;
            let made = make_with(&RECIPE, score, 1, &mut |found, _| {
                looks += 1;
                assert_eq!(found, 0);
                if looks < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            assert_eq!(made.unwrap(), []);
        }
    }

    /// Makes a book with players that see these chances everywhere.
    fn make_expecting(recipe: &Recipe, wdl: Option<[u16; 3]>) -> Result<Vec<Made>, GenerateError> {
        let start = move |_: &EngineSpec, _: &Interrupt| {
            let player = Scripted {
                score_of_default: Some(Score::Centipawns(90)),
                wdl_of_default: wdl,
                ..Default::default()
            };
            Ok(Box::new(player) as Box<dyn Player + Send>)
        };
        let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
        let mut looks = 0;
        let show = &mut |_, _| {
            looks += 1;
            if looks < 9 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        generate(recipe, &EngineSpec::builtin("scripted"), 2, &start, &interrupt, show)
    }

    #[test]
    fn with_a_target_lines_are_kept_by_the_draws_that_the_engine_expects() {
        let recipe =
            Recipe { count: 100, max_score: 9999, target: Some(TARGET), plies: 8..=8, ..RECIPE };
        let found = |wdl| make_expecting(&recipe, Some(wdl)).expect("chances").len();
        assert_eq!(found([450, 500, 50]), 100);
        assert_eq!(found([800, 190, 10]), 0, "too few draws");
        assert_eq!(found([100, 830, 70]), 0, "too many");
        // No balanced line is drawn as often as asked for: those are taken that come nearest.
        assert_eq!(found([330, 340, 330]), 100);
        let error = make_expecting(&recipe, None).expect_err("no chances");
        assert!(matches!(error, GenerateError::NoChances(_)), "{error}");
        // A book for a limit at which balanced lines are drawn more often.
        let level = Some(DrawTarget { level: Some(0.8), ..TARGET });
        let longer = Recipe { target: level, ..recipe.clone() };
        assert_eq!(make_expecting(&longer, Some([330, 340, 330])).expect("chances").len(), 0);
        assert_eq!(make_expecting(&longer, Some([500, 319, 181])).expect("chances").len(), 100);
    }

    #[test]
    fn with_a_target_no_line_is_there_twice_and_no_structure_often() {
        for chess960 in [false, true] {
            let recipe = Recipe {
                count: 400,
                max_score: 9999,
                plies: 1..=3,
                chess960,
                target: Some(TARGET),
                ..RECIPE
            };
            let made = make_expecting(&recipe, Some([450, 500, 50])).expect("chances");
            assert!(made.len() > 50, "{}", made.len());
            let mut seen = HashSet::new();
            let mut structures: HashMap<[Bitboard; 2], usize> = HashMap::new();
            for Made { position, .. } in &made {
                let epd = Epd::from_position(position, EnPassantMode::Legal).to_string();
                assert!(!seen.contains(&with_colours_swapped(&epd)), "{epd}");
                assert!(seen.insert(epd.clone()), "{epd}");
                *structures.entry(pawns(position)).or_default() += 1;
                let mode = if chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
                let read: Epd = epd.parse().expect("EPD");
                assert!(read.into_position::<Chess>(mode).is_ok(), "{epd}");
            }
            assert!(structures.values().all(|count| *count <= 2));
        }
        let epd = "rnbqkbnr/pp1ppppp/8/8/2pPP3/8/PPP2PPP/RNBQKBNR b KQkq d3";
        let swapped = with_colours_swapped(epd);
        assert_eq!(swapped, "rnbqkbnr/ppp2ppp/8/2Ppp3/8/8/PP1PPPPP/RNBQKBNR w KQkq d6");
        assert_eq!(with_colours_swapped(&swapped), epd);
    }

    #[test]
    fn a_book_that_asks_for_more_than_there_is_ends_with_an_error() {
        let recipe = Recipe { plies: 1..=1, ..RECIPE };
        let show = &mut |_, _| ControlFlow::Continue(());
        let made = make_with(&recipe, Score::Centipawns(0), 1, show);
        assert!(matches!(made, Err(GenerateError::TooFew { found: 20, .. })), "{made:?}");
    }
}
