//! Generates a book: random moves from the start position, kept if an engine's score is balanced.
//!
//! Candidate number i follows from the seed and i alone, and candidates are taken in the order of
//! their numbers: the book does not depend on the number of players.

use std::collections::HashSet;
use std::fmt::{self, Write};
use std::ops::{ControlFlow, RangeInclusive};
use std::time::Duration;

use miette::Diagnostic;
use shakmaty::fen::{Epd, Fen};
use shakmaty::{Chess, EnPassantMode, Position};
use thiserror::Error;

use harness_base::session::Interrupt;
use harness_player::pool::{Ended, InOrder, Pool, Seats, Start};
use harness_player::{EngineSpec, Fault, FaultKind, Go, Line, Player, Score, unobserved};
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
    /// Too few different positions are balanced.
    #[error("only {found} openings found in {candidates} candidates")]
    #[diagnostic(help(
        "allow more plies, a larger --max-score, or more --nodes: an engine that is stopped too \
         early gives no score at all"
    ))]
    TooFew {
        /// Openings found.
        found: usize,
        /// Candidates searched.
        candidates: u64,
    },
}

/// Settings of a new book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Openings wanted.
    pub count: usize,
    /// Random plies, drawn again for each candidate.
    pub plies: RangeInclusive<u32>,
    /// Seed of all randomness.
    pub seed: u64,
    /// Nodes of the search of a candidate.
    pub nodes: u64,
    /// Largest absolute score of a balanced position, in centipawns.
    pub max_score: u32,
}

/// An opening of a new book.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    position: Chess,
    score: i32,
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
    let mut book = Book { recipe, made: Vec::new(), before: 0, in_vain: 0 };
    if show(0, 0).is_break() || recipe.count == 0 {
        return Ok(book.made);
    }
    let mut seen = HashSet::new();
    let candidates = (0..).map(|number| {
        let new =
            |position: &Chess| seen.insert(Epd::from_position(position, EnPassantMode::Legal));
        (number, candidate(recipe, number).filter(new))
    });
    let work = |seats: &mut Seats<'_>, (number, candidate): (u64, Option<Chess>)| {
        let Some(position) = candidate else { return Ok((number, None)) };
        let score = score(&position, recipe.nodes, seats.one(0, engine)?)?;
        Ok((number, score.map(|score| (position, score))))
    };
    let mut order = InOrder::from(0);
    let ended = pool.run(candidates, work, &mut |(number, scored)| {
        order.put(number, scored);
        while let Some((number, scored)) = order.take() {
            if book.take(number, scored, show)?.is_break() {
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
    made: Vec<Made>,
    /// Openings at the beginning of the batch.
    before: usize,
    /// Candidates since the last batch with an opening.
    in_vain: u64,
}

impl Book<'_> {
    /// Takes the next candidate, with its score if it has one.
    fn take(
        &mut self,
        number: u64,
        scored: Option<(Chess, Score)>,
        show: &mut dyn FnMut(usize, u64) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, GenerateError> {
        if let Some((position, Score::Centipawns(score))) = scored
            && score.unsigned_abs() <= self.recipe.max_score
            && self.made.len() < self.recipe.count
        {
            self.made.push(Made { position, score });
        }
        let found = self.made.len();
        let candidates = number + 1;
        if !candidates.is_multiple_of(BATCH) {
            return Ok(ControlFlow::Continue(()));
        }
        self.in_vain = if found > self.before { 0 } else { self.in_vain + BATCH };
        self.before = found;
        if self.in_vain >= MAX_REJECTED {
            return Err(GenerateError::TooFew { found, candidates });
        }
        let ends = show(found, candidates).is_break() || found >= self.recipe.count;
        Ok(if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}

/// A position after random moves; `None` if the game is over, the side to move is in check, or a
/// castling right is lost.
fn candidate(recipe: &Recipe, number: u64) -> Option<Chess> {
    let mut random = random(recipe.seed, number);
    let least = *recipe.plies.start();
    let most = *recipe.plies.end();
    let choices = most.saturating_sub(least) as usize + 1;
    let plies = least as usize + below(&mut random, choices);
    let mut position = Chess::default();
    for _ in 0..plies {
        let legal = position.legal_moves();
        let chosen = *legal.get(below(&mut random, legal.len()))?;
        position.play_unchecked(chosen);
    }
    let all_may_castle = position.castles().castling_rights().count() == 4;
    let calm = all_may_castle && !position.is_check() && !position.is_game_over();
    calm.then_some(position)
}

/// The score for the side to move, with an empty transposition table.
fn score(position: &Chess, nodes: u64, player: &mut dyn Player) -> Result<Option<Score>, Fault> {
    player.new_game(false)?;
    let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
    let line = Line { fen: Some(&fen), moves: &[] };
    match player.go(line, &Go::Nodes(nodes), SEARCH_TIMEOUT, &mut unobserved) {
        Ok(reply) => Ok(reply.info.score),
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

    const RECIPE: Recipe = Recipe { count: 300, plies: 4..=6, seed: 1, nodes: 1, max_score: 60 };

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

    #[test]
    fn a_book_that_asks_for_more_than_there_is_ends_with_an_error() {
        let recipe = Recipe { plies: 1..=1, ..RECIPE };
        let show = &mut |_, _| ControlFlow::Continue(());
        let made = make_with(&recipe, Score::Centipawns(0), 1, show);
        assert!(matches!(made, Err(GenerateError::TooFew { found: 20, .. })), "{made:?}");
    }
}
