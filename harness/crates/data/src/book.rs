//! Opening books from games: the frequency and the score of each move.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use engine::book::{Entry, code, key, write};
use miette::Diagnostic;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};
use thiserror::Error;

use super::flaws::Flaws;
use super::game::Game;
use super::pgn;
use harness_base::context::Interrupt;
use harness_base::failure::{Failure, OrFail};
use harness_base::input;
use harness_stats::GameScore;

/// Settings of a book.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// Plies of a game that are counted.
    pub plies: usize,
    /// Games in which a move must have been played.
    pub min_games: u32,
}

/// Why there is no book.
#[derive(Debug, Error, Diagnostic)]
enum BookError {
    #[error("cannot read {}: {}", .0.display(), .1)]
    #[diagnostic(help("name PGN files, or `-` for standard input"))]
    Unreadable(PathBuf, io::Error),
    #[error("no move was played in {0} games of {1} and ever did better than to lose")]
    #[diagnostic(help("ask for less with --min-games, or name more games"))]
    Nothing(u32, u64),
}

/// A book, and what it is made of.
#[derive(Debug)]
pub struct BookMade {
    /// Games that count.
    pub games: u64,
    /// Games without a result on the board.
    pub unfinished: u64,
    /// Positions of the book.
    pub positions: usize,
    /// Its moves.
    pub moves: usize,
    /// The file.
    pub bytes: Vec<u8>,
}

/// Makes a book of the games of some files; `flaws` counts what is wrong with them.
///
/// # Errors
/// When a file cannot be read, no move is left, or the user interrupts.
pub fn make(
    recipe: Recipe,
    files: &[PathBuf],
    flaws: &Flaws,
    interrupt: &Interrupt,
) -> Result<BookMade, Failure> {
    let mut maker = BookMaker::new(recipe);
    for path in files {
        let unreadable = |source| BookError::Unreadable(path.clone(), source);
        let source = input::open(path).map_err(unreadable).or_usage()?;
        for game in pgn::Reader::new(&path.display().to_string(), source, flaws) {
            maker.add(&game.or_usage()?);
            if interrupt.is_set() {
                return Err(Failure::Interrupted("nothing was written".to_owned()));
            }
        }
    }
    let entries = maker.entries();
    let games = maker.games();
    let unfinished = maker.unfinished();
    if entries.is_empty() {
        return Err(BookError::Nothing(recipe.min_games, games)).or_usage();
    }
    // They are in the order of their keys.
    let positions = entries.chunk_by(|a, b| a.key == b.key).count();
    let moves = entries.len();
    let mut bytes = Vec::new();
    write(entries, &mut bytes).expect("a vector grows");
    Ok(BookMade { games, unfinished, positions, moves, bytes })
}

/// Games and points of a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    games: u32,
    /// Half points of the side that moved.
    points: u32,
}

/// Moves of games, counted.
#[derive(Debug)]
pub struct BookMaker {
    recipe: Recipe,
    /// By key of the position and code of the move.
    moves: BTreeMap<(u64, u16), Tally>,
    games: u64,
    unfinished: u64,
}

impl BookMaker {
    /// Before the first game.
    pub fn new(recipe: Recipe) -> BookMaker {
        BookMaker { recipe, moves: BTreeMap::new(), games: 0, unfinished: 0 }
    }

    /// Counts the moves of a game; one without a result on the board is left out.
    pub fn add(&mut self, game: &Game) {
        let Some(result) = game.result else {
            self.unfinished += 1;
            return;
        };
        self.games += 1;
        let mut position = game.start;
        // The keys of books need shakmaty's board, which keeps an en passant square even if
        // no capture is legal.
        let Some(mut board) = board(&position.fen(true)) else { return };
        for turn in game.turns.iter().take(self.recipe.plies) {
            let m = turn.played;
            self.count(key(&board), code(m.from(), m.to(), m.promotion()), result, board.turn());
            let uci: Result<UciMove, _> = position.uci(m, true).to_string().parse();
            let Some(played) = uci.ok().and_then(|uci| uci.to_move(&board).ok()) else { return };
            board.play_unchecked(played);
            position.play(m);
        }
    }

    fn count(&mut self, key: u64, code: u16, result: GameScore, mover: shakmaty::Color) {
        let tally = self.moves.entry((key, code)).or_default();
        tally.games += 1;
        tally.points += result.seen_from(mover) as u32;
    }

    /// Games that count.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Games without a result on the board.
    pub fn unfinished(&self) -> u64 {
        self.unfinished
    }

    /// The book. As in Polyglot's own books, a move weighs two for each win and one for each draw;
    /// where the largest weight of a position is too large for the format, all are scaled down. A
    /// move that only lost is left out.
    pub fn entries(&self) -> Vec<Entry> {
        let kept = |tally: &Tally| tally.games >= self.recipe.min_games && tally.points > 0;
        let mut largest: BTreeMap<u64, u32> = BTreeMap::new();
        for ((key, _), tally) in self.moves.iter().filter(|(_, tally)| kept(tally)) {
            let most = largest.entry(*key).or_default();
            *most = tally.points.max(*most);
        }
        let weight = |key: &u64, points: u32| {
            let most = largest.get(key).copied().unwrap_or(points).max(u16::MAX.into());
            let scaled = u64::from(points) * u64::from(u16::MAX) / u64::from(most);
            // A scaled weight of 0 would remove the move.
            scaled.clamp(1, u16::MAX.into()) as u16
        };
        self.moves
            .iter()
            .filter(|(_, tally)| kept(tally))
            .map(|(&(key, code), tally)| Entry { key, code, weight: weight(&key, tally.points) })
            .collect()
    }
}

fn board(fen: &str) -> Option<Chess> {
    fen.parse::<Fen>().ok()?.into_position(CastlingMode::Chess960).ok()
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use engine::board;
    use engine::book::Book;

    use super::*;

    const GAMES: &str = "[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. O-O 1-0\n\n\
         [Result \"0-1\"]\n\n1. e4 c5 2. d4 0-1\n\n\
         [Result \"1/2-1/2\"]\n\n1. e4 e5 2. f4 1/2-1/2\n\n\
         [Result \"1-0\"]\n\n1. d4 d5 1-0\n\n\
         [Result \"*\"]\n\n1. a3 *\n\n";

    fn maker(text: &str, plies: usize, min_games: u32) -> BookMaker {
        let mut maker = BookMaker::new(Recipe { plies, min_games });
        let games = pgn::Reader::new("x.pgn", text.as_bytes(), &Flaws::default());
        games.for_each(|game| maker.add(&game.expect("a game")));
        maker
    }

    /// The moves and weights that the book has after some moves, the first one first.
    fn moves(maker: &BookMaker, played: &str) -> Vec<(String, u16)> {
        let mut bytes = Vec::new();
        write(maker.entries(), &mut bytes).expect("a vector grows");
        let mut book = Book::new(Cursor::new(bytes)).expect("a book");
        let mut position = board::Position::startpos();
        for text in played.split_whitespace() {
            let m = position.parse_uci(text, false).expect("legal");
            position.play(m);
        }
        let moves = book.moves(&position).expect("readable");
        moves.iter().map(|&(m, weight)| (position.uci(m, false).to_string(), weight)).collect()
    }

    fn expected(moves: &[(&str, u16)]) -> Vec<(String, u16)> {
        moves.iter().map(|&(m, weight)| (m.to_owned(), weight)).collect()
    }

    #[test]
    fn a_move_weighs_two_a_win_and_one_a_draw_of_its_side() {
        let maker = maker(GAMES, 99, 1);
        assert_eq!((maker.games(), maker.unfinished()), (4, 1));
        assert_eq!(moves(&maker, ""), expected(&[("e2e4", 3), ("d2d4", 2)]));
        // The answer that drew counts; that which won for Black counts more.
        assert_eq!(moves(&maker, "e2e4"), expected(&[("c7c5", 2), ("e7e5", 1)]));
        assert_eq!(moves(&maker, "d2d4"), expected(&[]));
        let castled = "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6";
        assert_eq!(moves(&maker, castled), expected(&[("e1g1", 2)]));
    }

    #[test]
    fn moves_played_too_seldom_or_too_late_are_left_out() {
        assert_eq!(moves(&maker(GAMES, 99, 3), ""), expected(&[("e2e4", 3)]));
        let short = maker(GAMES, 1, 1);
        assert_eq!(short.entries().len(), 2);
        assert_eq!(moves(&short, "e2e4"), expected(&[]));
    }

    #[test]
    fn weights_too_large_for_the_format_are_scaled_down_together() {
        let mut maker = BookMaker::new(Recipe { plies: 1, min_games: 1 });
        for (code, points) in [(1, 200_000), (2, 100_000), (3, 1)] {
            maker.moves.insert((7, code), Tally { games: points, points });
        }
        let weights: Vec<u16> = maker.entries().iter().map(|entry| entry.weight).collect();
        assert_eq!(weights, [65_535, 32_767, 1]);
    }
}
