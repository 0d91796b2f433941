//! Labelled positions from files, and which of them count.

use std::cell::Cell;
use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use engine::board::{Color, Position};
use miette::Diagnostic;
use rand::Rng;
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{games, lines};
use crate::tuning::random;

/// A position and how its game went.
pub struct Sample {
    /// The position.
    pub position: Position,
    /// What a search said of it, in centipawns for White.
    pub score: Option<i32>,
    /// What White got: 0, 0.5 or 1.
    pub result: f64,
    /// Positions of one game stay together when the data are split.
    pub game: u64,
}

/// Which positions count.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Filters {
    /// One position in so many, at random.
    pub every: u32,
    /// Plies from the start of the game that teach nothing, as the FEN counts moves.
    pub min_ply: u32,
    /// The most that a score may be, in centipawns to either side.
    pub max_score: i32,
}

impl Default for Filters {
    fn default() -> Filters {
        Filters { every: 1, min_ply: 8, max_score: 1_500 }
    }
}

/// Why a position does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The side to move is in check.
    InCheck,
    /// A capture or a promotion was played.
    Tactical,
    /// The score is a mate.
    Mate,
    /// The score is beyond the limit.
    Lopsided,
    /// It came too early in its game.
    Opening,
    /// It has no score, and the fit wants one.
    NoScore,
    /// Its game has no result that it was played to.
    NoResult,
    /// It was there before.
    Repeated,
    /// It is not the one in `every`.
    NotDrawn,
}

impl Reason {
    /// The words for it.
    pub fn words(self) -> &'static str {
        match self {
            Reason::InCheck => "in check",
            Reason::Tactical => "before a capture or promotion",
            Reason::Mate => "with a mate score",
            Reason::Lopsided => "with a score beyond the limit",
            Reason::Opening => "of the opening",
            Reason::NoScore => "without a score",
            Reason::NoResult => "of games without a fair result",
            Reason::Repeated => "that were there before",
            Reason::NotDrawn => "not drawn",
        }
    }
}

/// What became of the positions of a data set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Positions that count.
    pub kept: u64,
    /// Games (of PGN), or blocks of lines, that they come from.
    pub games: u64,
    /// Positions that do not.
    pub dropped: BTreeMap<Reason, u64>,
}

impl Counts {
    /// Counts a position that does not count for the fit.
    pub(super) fn drop(&mut self, reason: Reason, positions: u64) {
        if positions > 0 {
            *self.dropped.entry(reason).or_default() += positions;
        }
    }
}

/// Data that cannot be used.
#[derive(Debug, Error, Diagnostic)]
pub enum DataError {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    #[diagnostic(help("`data` names files, seen from the folder of the YAML"))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A line is no labelled position.
    #[error("{}:{line}: {reason}", path.display())]
    #[diagnostic(help(
        "a line is `FEN | score in centipawns for White | result` with result 1, 0.5 or 0 for \
         White, or EPD with c9 \"1-0\", \"0-1\" or \"1/2-1/2\"; CSV has columns fen, score, result"
    ))]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// A game is not one.
    #[error("{}: game {game}: {reason}", path.display())]
    #[diagnostic(help("mend the game or leave it out: what follows it may be wrong too"))]
    Game {
        /// The file.
        path: PathBuf,
        /// From 1.
        game: u64,
        /// What is wrong.
        reason: String,
    },
    /// The reader was told to stop.
    #[error("stopped")]
    Stopped,
}

/// Takes what passes, and counts what does not.
pub(super) struct Sieve<'a> {
    filters: Filters,
    needs_score: bool,
    chance: Pcg64Mcg,
    seen: HashSet<u64>,
    pub counts: Counts,
    pub take: &'a mut dyn FnMut(Sample),
}

impl Sieve<'_> {
    /// The number of a game, or block of lines, that begins here.
    pub fn next_game(&mut self) -> u64 {
        self.counts.games += 1;
        self.counts.games
    }

    pub fn sift(&mut self, sample: Sample) {
        match self.objection(&sample) {
            Some(reason) => self.counts.drop(reason, 1),
            None => {
                self.counts.kept += 1;
                (self.take)(sample);
            }
        }
    }

    fn objection(&mut self, sample: &Sample) -> Option<Reason> {
        let position = &sample.position;
        let black = u32::from(position.side() == Color::Black);
        let ply = 2 * (u32::from(position.fullmoves()).max(1) - 1) + black;
        if position.in_check() {
            Some(Reason::InCheck)
        } else if self.needs_score && sample.score.is_none() {
            Some(Reason::NoScore)
        } else if sample.score.is_some_and(|score| score.abs() > self.filters.max_score) {
            Some(Reason::Lopsided)
        } else if ply < self.filters.min_ply && sample.position.fullmoves() > 1 {
            Some(Reason::Opening)
        } else if self.filters.every > 1 && self.chance.random_range(0..self.filters.every) > 0 {
            Some(Reason::NotDrawn)
        } else if !self.seen.insert(position.key()) {
            Some(Reason::Repeated)
        } else {
            None
        }
    }
}

/// Reads files and hands on what passes the filters.
///
/// `told` learns after every few games or lines how many bytes were read, and may stop it. Without
/// `needs_score`, positions without a score pass too.
///
/// # Errors
/// When a file cannot be read or holds what is no labelled position; [`DataError::Stopped`] when
/// `told` says so.
pub fn read(
    paths: &[PathBuf],
    filters: &Filters,
    needs_score: bool,
    seed: u64,
    take: &mut dyn FnMut(Sample),
    told: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Counts, DataError> {
    let mut sieve = Sieve {
        filters: filters.clone(),
        needs_score,
        chance: random::stream("texel data", seed, 0),
        seen: HashSet::new(),
        counts: Counts::default(),
        take,
    };
    let mut before = 0;
    for path in paths {
        let file = File::open(path)
            .map_err(|source| DataError::Unreadable { path: path.clone(), source })?;
        let bytes = Cell::new(0);
        let source = Counted { inner: BufReader::new(file), bytes: &bytes };
        let mut told = || told(before + bytes.get());
        let has_extension =
            |name: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(name));
        if has_extension("pgn") {
            games::read(path, source, &mut sieve, &mut told)?;
        } else {
            lines::read(path, has_extension("csv"), source, &mut sieve, &mut told)?;
        }
        before += bytes.get();
    }
    Ok(sieve.counts)
}

/// Counts the bytes that were read.
struct Counted<'a, R> {
    inner: R,
    bytes: &'a Cell<u64>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.bytes.set(self.bytes.get() + read as u64);
        Ok(read)
    }
}

/// What White got by the words of PGN or by a number.
pub(super) fn result(text: &str) -> Option<f64> {
    match text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '[' | ']')) {
        "1-0" | "1" | "1.0" => Some(1.0),
        "0-1" | "0" | "0.0" => Some(0.0),
        "1/2-1/2" | "1/2" | "0.5" => Some(0.5),
        _ => None,
    }
}

pub(super) fn unreadable(path: &Path) -> impl Fn(io::Error) -> DataError + '_ {
    |source| DataError::Unreadable { path: path.to_owned(), source }
}
