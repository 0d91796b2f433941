//! Candidates for a suite: positions of games.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, BufReader, Read};
use std::path::Path;

use miette::Diagnostic;
use shakmaty::fen::Epd;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position, Square};
use thiserror::Error;

use harness_arena::StartTags;
use harness_base::failure::{Failure, OrFail};
use harness_base::hint::reports_command;
use harness_base::input;
use harness_ledger::Ledger;
use harness_notation::pgn::{Event, Lexer, Tag, find_shakmaty_move};
use harness_stats::random::order::{below, random, shuffled};

/// Why there are no candidates.
#[derive(Debug, Error, Diagnostic)]
enum CandidatesError {
    #[error("cannot read the games {0}: {1}")]
    #[diagnostic(help(
        "--from wants a run of the ledger ({}), or a PGN file",
        reports_command("runs", "")
    ))]
    Unreadable(String, io::Error),
    #[error("{0} has no games")]
    #[diagnostic(help(
        "{} lists the runs and their games; --from names one of them, or a PGN file",
        reports_command("runs", "")
    ))]
    NoGames(String),
    #[error("no position of the {1} games of {0} is a candidate")]
    #[diagnostic(help(
        "candidates come after ply 12 and have three legal moves or more; games of other variants \
         and what follows an illegal move are left out"
    ))]
    NoCandidates(String, u64),
}

/// Before this ply a position is still one of the opening.
const FIRST_PLY: u32 = 12;

/// Least number of legal moves.
const MIN_MOVES: usize = 3;

/// A position to search.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Which game, from 0.
    pub game: u64,
    /// Plies played before it.
    pub ply: u32,
    /// The position.
    pub position: Chess,
    /// Notation of castling.
    pub castling: CastlingMode,
    /// Where the move before it captured.
    pub captured_on: Option<Square>,
}

impl Candidate {
    /// Board, side to move, castling rights and en passant square.
    pub fn epd(&self) -> String {
        Epd::from_position(&self.position, EnPassantMode::Legal).to_string()
    }
}

/// The candidates of many games, at most one of each window of a few plies.
#[derive(Debug)]
pub struct Candidates {
    seed: u64,
    every: u32,
    list: Vec<Candidate>,
    seen: HashSet<Zobrist64>,
    /// Titles by number of the games with candidates.
    titles: BTreeMap<u64, String>,
    /// Games read.
    pub games: u64,
    /// Games of another variant, and games with an illegal move: the positions before it count.
    pub faulty: u64,
}

impl Candidates {
    /// None yet; of each `every` plies of a game one is chosen by `seed`.
    pub fn new(seed: u64, every: u32) -> Candidates {
        Candidates {
            seed,
            every: every.max(1),
            list: Vec::new(),
            seen: HashSet::new(),
            titles: BTreeMap::new(),
            games: 0,
            faulty: 0,
        }
    }

    /// The candidates of the games of a PGN file, or of a run of the ledger in `reports`; see
    /// [`Candidates::new`].
    ///
    /// # Errors
    /// When the games cannot be read, or none of their positions is a candidate.
    pub fn from_source(
        from: &str,
        reports: &Path,
        seed: u64,
        every: u32,
    ) -> Result<Candidates, Failure> {
        let mut candidates = Candidates::new(seed, every);
        let path = Path::new(from);
        let unreadable = |reason| CandidatesError::Unreadable(from.to_owned(), reason);
        if input::ending(path) == "pgn" || path.is_file() {
            let read = input::open(path).and_then(|pgn| candidates.read(BufReader::new(pgn)));
            read.map_err(unreadable).or_usage()?;
        } else {
            let ledger = Ledger::open_to_read(reports)?;
            let run = ledger.facts(from)?.id;
            ledger.each_game(&run, |game| {
                candidates.read(game.pgn.as_bytes()).map_err(unreadable).or_failed()
            })?;
        }
        let from = from.to_owned();
        match candidates.games {
            0 => Err(CandidatesError::NoGames(from)).or_usage(),
            games if candidates.is_empty() => {
                Err(CandidatesError::NoCandidates(from, games)).or_usage()
            }
            _ => Ok(candidates),
        }
    }

    /// Takes in all games of a PGN.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&mut self, pgn: impl Read) -> io::Result<()> {
        let mut lexer = Lexer::new(pgn).main_line();
        while let Some(game) = next_game(&mut lexer)? {
            self.take_in(game);
        }
        Ok(())
    }

    fn take_in(&mut self, game: Game) {
        let number = self.games;
        self.games += 1;
        self.faulty += u64::from(game.faulty);
        let mut windows: BTreeMap<u32, Vec<Standing>> = BTreeMap::new();
        for standing in game.eligible {
            windows.entry((standing.ply - FIRST_PLY) / self.every).or_default().push(standing);
        }
        // Stream 0 is the order of all.
        let mut numbers = random(self.seed, number + 1);
        for (_, mut window) in windows {
            let Standing { ply, position, captured_on } =
                window.swap_remove(below(&mut numbers, window.len()));
            if self.seen.insert(position.zobrist_hash(EnPassantMode::Legal)) {
                self.titles.entry(number).or_insert_with(|| game.title.clone());
                let castling = game.castling;
                let game = number;
                self.list.push(Candidate { game, ply, position, castling, captured_on });
            }
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Title of a game: its number from 1, the players, the round.
    pub fn title(&self, game: u64) -> String {
        let title = self.titles.get(&game).map_or("", String::as_str);
        let number = game + 1;
        if title.is_empty() { format!("game {number}") } else { format!("game {number} ({title})") }
    }

    /// The candidates, shuffled by the seed.
    pub fn shuffled(&self) -> Vec<&Candidate> {
        let order = shuffled(self.list.len(), self.seed);
        order.into_iter().map(|index| &self.list[index as usize]).collect()
    }
}

/// A position of a game that is being read.
struct Standing {
    ply: u32,
    position: Chess,
    captured_on: Option<Square>,
}

/// The eligible positions of a game.
struct Game {
    title: String,
    castling: CastlingMode,
    eligible: Vec<Standing>,
    faulty: bool,
}

/// The tags that matter.
#[derive(Default)]
struct Tags {
    white: Option<String>,
    black: Option<String>,
    round: Option<String>,
    start: StartTags,
}

impl Tags {
    fn take(&mut self, tag: Tag<'_>) {
        let place = match tag.name {
            b"White" => &mut self.white,
            b"Black" => &mut self.black,
            b"Round" => &mut self.round,
            _ => return self.start.take(tag),
        };
        let text = tag.text().trim().to_owned();
        *place = Some(text).filter(|text| !matches!(text.as_str(), "" | "?" | "-"));
    }

    /// At the start of the game.
    fn begin(&self) -> Reading {
        let position = self.start.chess();
        let game = Game {
            title: self.title(),
            castling: self.start.castling().unwrap_or(CastlingMode::Standard),
            eligible: Vec::new(),
            faulty: position.is_none(),
        };
        Reading { position, captured_on: None, game }
    }

    fn title(&self) -> String {
        let names = self.white.as_ref().zip(self.black.as_ref());
        let names = names.map(|(white, black)| format!("{white} - {black}"));
        let round = self.round.as_ref().map(|round| format!("round {round}"));
        names.into_iter().chain(round).collect::<Vec<_>>().join(", ")
    }
}

/// Reads the eligible positions of the next game; `None` at the end.
fn next_game(lexer: &mut Lexer<impl Read>) -> io::Result<Option<Game>> {
    let mut tags = Tags::default();
    let mut reading: Option<Reading> = None;
    // Comments alone are no game.
    let mut is_game = false;
    while let Some(event) = lexer.next_event()? {
        is_game |= !matches!(event, Event::Begin | Event::Comment(_) | Event::End { .. });
        match event {
            Event::Tag(tag) => tags.take(tag),
            Event::Move(word) | Event::Unknown(word) => {
                let begun = reading.get_or_insert_with(|| tags.begin());
                if !begun.play(word) {
                    begun.game.faulty = true;
                    lexer.skip_game()?;
                    break;
                }
            }
            Event::End { unclosed } if is_game => {
                // What is behind its end may belong to another game.
                reading.get_or_insert_with(|| tags.begin()).game.faulty |= unclosed;
                break;
            }
            _ => {}
        }
    }
    Ok(is_game.then(|| reading.unwrap_or_else(|| tags.begin()).game))
}

struct Reading {
    /// `None` if it is not known where the game begins.
    position: Option<Chess>,
    captured_on: Option<Square>,
    game: Game,
}

impl Reading {
    /// Plays a move; `false` if it is not legal.
    fn play(&mut self, word: &[u8]) -> bool {
        let Some(mut position) = self.position.take() else { return false };
        let Some((played, _)) = find_shakmaty_move(&position, word) else { return false };
        self.captured_on = played.is_capture().then(|| played.to());
        position.play_unchecked(played);
        self.look(&position);
        self.position = Some(position);
        true
    }

    fn look(&mut self, position: &Chess) {
        let ply = ply(position);
        if ply >= FIRST_PLY && position.legal_moves().len() >= MIN_MOVES {
            let position = position.clone();
            let captured_on = self.captured_on;
            self.game.eligible.push(Standing { ply, position, captured_on });
        }
    }
}

/// Plies since the start of the game, from the move number.
fn ply(position: &Chess) -> u32 {
    let moves = position.fullmoves().get() - 1;
    moves.saturating_mul(2).saturating_add(u32::from(position.turn() == Color::Black))
}
