//! Candidates for a suite: positions of games.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;
use std::path::Path;

use miette::Diagnostic;
use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::fen::{Epd, Fen};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position, Square};
use thiserror::Error;

use crate::arena::{Rules, chess_position};
use crate::failure::{Failure, OrFail};
use crate::input;
use crate::ledger::Ledger;
use crate::random::order::{below, random, shuffled};

/// Why there are no candidates.
#[derive(Debug, Error, Diagnostic)]
enum CandidatesError {
    #[error("cannot read the games {0}: {1}")]
    #[diagnostic(help("--from wants a run of the ledger (`harness runs`), or a PGN file"))]
    Unreadable(String, io::Error),
    #[error("{0} has no games")]
    #[diagnostic(help(
        "`harness runs` lists the runs and their games; --from names one of them, or a PGN file"
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
const FEWEST_MOVES: usize = 3;

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
    pub fn of(from: &str, reports: &Path, seed: u64, every: u32) -> Result<Candidates, Failure> {
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
        let mut reader = Reader::new(pgn);
        while let Some(game) = reader.read_game(&mut Eligible)? {
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
    fen: Option<String>,
    variant: Option<String>,
}

impl Tags {
    fn title(&self) -> String {
        let names = self.white.as_ref().zip(self.black.as_ref());
        let names = names.map(|(white, black)| format!("{white} - {black}"));
        let round = self.round.as_ref().map(|round| format!("round {round}"));
        names.into_iter().chain(round).collect::<Vec<_>>().join(", ")
    }

    /// Notation of castling; `None` for other variants.
    fn castling(&self) -> Option<CastlingMode> {
        match Rules::of_tag(self.variant.as_deref().unwrap_or_default())? {
            Rules::Chess => {
                let fen = self.fen.as_ref().and_then(|fen| fen.parse::<Fen>().ok());
                Some(fen.map_or(CastlingMode::Standard, |fen| CastlingMode::detect(fen.as_setup())))
            }
            Rules::Chess960 => Some(CastlingMode::Chess960),
            Rules::Variant(_) => None,
        }
    }
}

/// Reads the eligible positions of a game.
struct Eligible;

struct Reading {
    position: Chess,
    captured_on: Option<Square>,
    game: Game,
}

impl Reading {
    fn look(&mut self) {
        let ply = ply(&self.position);
        if ply >= FIRST_PLY && self.position.legal_moves().len() >= FEWEST_MOVES {
            let (position, captured_on) = (self.position.clone(), self.captured_on);
            self.game.eligible.push(Standing { ply, position, captured_on });
        }
    }
}

/// Plies since the start of the game, from the move number.
fn ply(position: &Chess) -> u32 {
    let moves = position.fullmoves().get() - 1;
    moves.saturating_mul(2).saturating_add(u32::from(position.turn() == Color::Black))
}

impl Visitor for Eligible {
    type Tags = Tags;
    type Movetext = Reading;
    type Output = Game;

    fn begin_tags(&mut self) -> ControlFlow<Game, Tags> {
        ControlFlow::Continue(Tags::default())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Game> {
        let place = match name {
            b"White" => &mut tags.white,
            b"Black" => &mut tags.black,
            b"Round" => &mut tags.round,
            b"FEN" => &mut tags.fen,
            b"Variant" => &mut tags.variant,
            _ => return ControlFlow::Continue(()),
        };
        let text = value.decode_utf8_lossy().trim().to_owned();
        *place = Some(text).filter(|text| !matches!(text.as_str(), "" | "?" | "-"));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Game, Reading> {
        let castling = tags.castling();
        let game = Game {
            title: tags.title(),
            castling: castling.unwrap_or(CastlingMode::Standard),
            eligible: Vec::new(),
            faulty: true,
        };
        let position = castling.and_then(|castling| match &tags.fen {
            None => Some(Chess::default()),
            Some(fen) => chess_position(fen, castling).ok(),
        });
        match position {
            Some(position) => ControlFlow::Continue(Reading {
                position,
                captured_on: None,
                game: Game { faulty: false, ..game },
            }),
            None => ControlFlow::Break(game),
        }
    }

    fn san(&mut self, reading: &mut Reading, san: SanPlus) -> ControlFlow<Game> {
        let Ok(played) = san.san.to_move(&reading.position) else {
            let eligible = std::mem::take(&mut reading.game.eligible);
            let title = std::mem::take(&mut reading.game.title);
            let castling = reading.game.castling;
            return ControlFlow::Break(Game { title, castling, eligible, faulty: true });
        };
        reading.captured_on = played.is_capture().then(|| played.to());
        reading.position.play_unchecked(played);
        reading.look();
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Reading) -> ControlFlow<Game, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, reading: Reading) -> Game {
        reading.game
    }
}
