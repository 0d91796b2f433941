//! A book of openings, in an order that a seed fixes.
//!
//! A book is indexed, not loaded: of two million positions only their offsets are in memory.

pub mod chess960;
mod epd;
mod fastchess;
mod format;
pub mod generate;
mod pgn;
mod polyglot;
mod random;
mod text;

use std::fs::File;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::opening_error::OpeningError;
use super::record::Opening;
use super::variant::{Rules, Variant};
use harness_base::input;
use harness_base::text::grouped;
use harness_stats::random::order::shuffled;
use text::{Span, Text};

/// The built-in book, made by `harness openings generate`.
const EMBEDDED: &str = suites::OPENINGS;

/// Which openings, in which order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningsSpec {
    /// EPD, FEN, PGN or Polyglot; `None`: the book that comes with the harness, for Chess960 the 960 start
    /// positions, for a variant random moves.
    #[serde(default, with = "harness_base::text::path", skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// SHA-256 of the book, in hex: a resumed run refuses another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The order.
    pub order: Order,
    /// Openings to skip in that order.
    #[serde(default)]
    pub skip: u64,
    /// Openings to play, from the first that is not skipped; the first follows the last. `None`: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<NonZeroU64>,
    /// Plies of a PGN game (`None`: all) or of a Polyglot book (`None`: 8).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    /// Seed of the order.
    pub seed: u64,
    /// The variant.
    #[serde(flatten)]
    pub rules: Rules,
}

impl Default for OpeningsSpec {
    /// The book that comes with the harness, shuffled by seed 1.
    fn default() -> OpeningsSpec {
        OpeningsSpec {
            file: None,
            sha256: None,
            order: Order::Random,
            skip: 0,
            count: None,
            plies: None,
            seed: 1,
            rules: Rules::Chess,
        }
    }
}

/// In which order openings are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[derive(strum::Display, strum::EnumMessage, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// As in the file.
    Sequential,
    /// Shuffled by the seed.
    Random,
    /// Shuffled by the seed in the way of fastchess, to share a book with machines that run it.
    Fastchess,
}

/// A book that cannot be used.
#[derive(Debug, Error, Diagnostic)]
pub enum BookError {
    /// The file cannot be read.
    #[error("cannot read the openings {}: {}", .0.display(), .1)]
    #[diagnostic(help(
        "--openings wants a file of EPD or FEN lines, of PGN games, each compressed (.zst, .gz, .bz2) \
         or not, or a Polyglot book (*.bin)"
    ))]
    Unreadable(PathBuf, #[source] std::io::Error),
    /// A book of another program.
    #[error("{} is a book of {program}, whose format is not read", .path.display())]
    #[diagnostic(help(
        "save its lines or games with that program as PGN or EPD, or its book as a Polyglot book \
         (*.bin)"
    ))]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Whose format it is.
        program: &'static str,
    },
    /// An opening is wrong.
    #[error("{book}, line {line}: {source}")]
    #[diagnostic(help("{}", source.advice()))]
    Faulty {
        /// The file.
        book: String,
        /// From 1.
        line: u64,
        /// Description of the fault.
        source: OpeningError,
    },
    /// It has no opening.
    #[error("{0} has no opening")]
    #[diagnostic(help("--openings wants a file of EPD or FEN lines, or of PGN games"))]
    Empty(String),
    /// A Polyglot book without a line.
    #[error("{} has no move of a weight above 0 in the start position of chess", .0.display())]
    #[diagnostic(help(
        "openings are the lines of a Polyglot book from the start position; take another book, or \
         EPD or PGN"
    ))]
    NoLine(PathBuf),
    /// Not the file that the run was started with.
    #[error("{} has changed since the run was started", .0.display())]
    #[diagnostic(help("put the old file back, or start a new run"))]
    Changed(PathBuf),
    /// All openings are skipped.
    #[error("{book} has {openings} openings: {skip} cannot be left out")]
    #[diagnostic(help("choose a smaller --opening-start"))]
    SkipsAll {
        /// The file.
        book: String,
        /// Openings of the book.
        openings: usize,
        /// Openings to skip.
        skip: u64,
    },
}

/// The moves of a PGN game, from where it started.
pub(super) fn pgn_moves(game: &[u8], rules: Rules) -> Result<Opening, OpeningError> {
    pgn::moves(game, None, rules)
}

/// A book, indexed and checked.
#[derive(Debug)]
pub struct Openings {
    name: String,
    text: Text,
    places: Places,
    /// Order of playing; empty if it is that of the file.
    order: Vec<u32>,
    spec: OpeningsSpec,
}

/// The openings of a book.
#[derive(Debug)]
enum Places {
    Lines(Vec<Span>),
    Games(Vec<Span>),
    /// Lines of a Polyglot book.
    Book(Vec<Opening>),
    /// The 960 start positions.
    Chess960,
    /// Random moves of a variant.
    Random(Variant),
}

impl Openings {
    /// Reads, indexes and checks a book.
    ///
    /// # Errors
    /// When it cannot be read, has an invalid opening, or has changed.
    pub fn load(spec: &OpeningsSpec) -> Result<Openings, BookError> {
        let own = |name: &str, lines| (name.to_owned(), Text::embedded(lines));
        let (name, text) = match (&spec.file, spec.rules) {
            (Some(path), _) => (path.display().to_string(), open(path)?),
            (None, Rules::Variant(_)) => own("random moves of the variant", ""),
            (None, Rules::Chess960) => own("the 960 start positions", ""),
            (None, Rules::Chess) => own("the harness's own openings", EMBEDDED),
        };
        if let (Some(path), Some(before)) = (&spec.file, &spec.sha256)
            && text.sha256().map_err(|source| unreadable(path, source))? != *before
        {
            return Err(BookError::Changed(path.clone()));
        }
        let places = places(spec, &name, &text)?;
        let mut book = Openings { name, text, places, order: Vec::new(), spec: spec.clone() };
        let openings = book.size();
        if openings == 0 {
            return Err(BookError::Empty(book.name));
        }
        // fastchess starts again behind the last opening.
        if spec.skip >= openings as u64 && spec.order != Order::Fastchess {
            let skip = spec.skip;
            return Err(BookError::SkipsAll { book: book.name, openings, skip });
        }
        match spec.order {
            Order::Sequential => {}
            Order::Random => book.order = shuffled(openings, spec.seed),
            Order::Fastchess => book.order = fastchess::shuffled(openings, spec.seed),
        }
        Ok(book)
    }

    /// The spec, with the checksum of the file filled in.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn spec(&self) -> Result<OpeningsSpec, BookError> {
        let mut spec = self.spec.clone();
        if let Some(path) = &spec.file {
            let sum = self.text.sha256().map_err(|source| unreadable(path, source))?;
            spec.sha256 = Some(sum);
        }
        Ok(spec)
    }

    /// How many are played: those of the book, or fewer if fewer were asked for.
    pub fn len(&self) -> usize {
        let count = self.spec.count.and_then(|count| usize::try_from(count.get()).ok());
        count.map_or(self.size(), |count| count.min(self.size()))
    }

    /// How many are played before the end of the book, none of them twice and none that is skipped.
    pub fn until_end(&self) -> u64 {
        let left = (self.size() as u64).saturating_sub(self.spec.skip);
        left.min(self.len() as u64)
    }

    /// The openings of batch number `batch` of a run, from 0, whose other batches have played `rounds`: of a book that is played in
    /// its order those behind, otherwise those of another seed.
    pub fn of_batch(&self, batch: u64, rounds: u64) -> OpeningsSpec {
        let mut spec = self.spec.clone();
        match spec.order {
            Order::Sequential => spec.skip += rounds % self.until_end().max(1),
            Order::Random | Order::Fastchess => spec.seed = spec.seed.wrapping_add(batch),
        }
        spec
    }

    /// How many the book has.
    fn size(&self) -> usize {
        match &self.places {
            Places::Lines(spans) | Places::Games(spans) => spans.len(),
            Places::Book(lines) => lines.len(),
            Places::Chess960 => 960,
            Places::Random(_) => random::COUNT,
        }
    }

    /// Never true for a book that was loaded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The book for people: its name and how many openings it has.
    pub fn title(&self) -> String {
        match (self.len(), self.size()) {
            (1, 1) => format!("{} (1 opening)", self.name),
            (all, size) if all == size => {
                format!("{} ({} openings)", self.name, grouped(size as u64))
            }
            (some, size) => {
                let [some, size] = [some, size].map(|count| grouped(count as u64));
                format!("{} ({some} of {size} openings)", self.name)
            }
        }
    }

    /// The opening of a round, from 0; after the last one follows the first.
    ///
    /// # Errors
    /// When the file cannot be read, or has changed.
    pub fn get(&self, round: u64) -> Result<Opening, BookError> {
        let (played, size) = (self.len() as u64, self.size() as u64);
        let skip = self.spec.skip % size;
        let turn = usize::try_from((skip + round % played) % size).unwrap_or(0);
        let index = self.order.get(turn).map_or(turn, |&index| index as usize);
        let (spans, plies) = match &self.places {
            Places::Chess960 => return Ok(chess960::opening(index)),
            Places::Random(variant) => return Ok(random::opening(*variant, index)),
            Places::Book(lines) => return Ok(lines[index].clone()),
            Places::Lines(spans) => (spans, None),
            Places::Games(spans) => (spans, Some(self.spec.plies)),
        };
        let span = spans[index];
        let bytes = self.text.read(span).map_err(|source| {
            unreadable(self.spec.file.as_deref().unwrap_or(Path::new("-")), source)
        })?;
        match plies {
            None => epd::opening(&bytes, self.spec.rules),
            Some(plies) => pgn::opening(&bytes, plies, self.spec.rules),
        }
        .map_err(|source| faulty(&self.name, span, source))
    }
}

/// Formats of other programs, by the ending of the name.
const FOREIGN: [(&str, &str); 12] = [
    ("abk", "Arena"),
    ("obk", "the engines of WB2UCI and BookBuilder"),
    ("ctg", "ChessBase"),
    ("ctb", "ChessBase"),
    ("cto", "ChessBase"),
    ("cbh", "ChessBase"),
    ("cbf", "ChessBase"),
    ("cbv", "ChessBase"),
    ("2cbh", "ChessBase"),
    ("si4", "Scid"),
    ("si5", "Scid"),
    ("sg4", "Scid"),
];

fn open(path: &Path) -> Result<Text, BookError> {
    let ending = input::ending(path);
    if let Some((_, program)) = FOREIGN.iter().find(|(name, _)| *name == ending) {
        return Err(BookError::Foreign { path: path.to_owned(), program });
    }
    Text::open(path).map_err(|source| unreadable(path, source))
}

fn unreadable(path: &Path, source: std::io::Error) -> BookError {
    BookError::Unreadable(path.to_owned(), source)
}

fn faulty(book: &str, span: Span, source: OpeningError) -> BookError {
    BookError::Faulty { book: book.to_owned(), line: span.line, source }
}

fn places(spec: &OpeningsSpec, name: &str, text: &Text) -> Result<Places, BookError> {
    let Some(path) = &spec.file else {
        // A test checks the built-in book.
        return Ok(match spec.rules {
            Rules::Variant(variant) => Places::Random(variant),
            Rules::Chess960 => Places::Chess960,
            Rules::Chess => Places::Lines(epd::index(text).unwrap_or_default()),
        });
    };
    if input::ending(path) == "bin" {
        if !spec.rules.is_chess() {
            let source = std::io::Error::other("a Polyglot book is one of chess");
            return Err(unreadable(path, source));
        }
        if input::is_compressed(path) {
            let source = std::io::Error::other("unpack it first: a Polyglot book is read in place");
            return Err(unreadable(path, source));
        }
        let plies = spec.plies.unwrap_or(polyglot::DEFAULT_PLIES);
        let lines = File::open(path).and_then(|file| polyglot::lines(&file, plies));
        let lines = lines.map_err(|source| unreadable(path, source))?;
        if lines.is_empty() {
            return Err(BookError::NoLine(path.clone()));
        }
        return Ok(Places::Book(lines));
    }
    let is_pgn = format::has_games(path, text).map_err(|source| unreadable(path, source))?;
    let spans = if is_pgn { pgn::index(text) } else { epd::index(text) };
    let spans = spans.map_err(|source| unreadable(path, source))?;
    for &span in &spans {
        let bytes = text.read(span).map_err(|source| unreadable(path, source))?;
        let opening = if is_pgn {
            pgn::opening(&bytes, spec.plies, spec.rules)
        } else {
            epd::opening(&bytes, spec.rules)
        };
        opening.map_err(|source| faulty(name, span, source))?;
    }
    Ok(if is_pgn { Places::Games(spans) } else { Places::Lines(spans) })
}

#[cfg(test)]
mod tests;
