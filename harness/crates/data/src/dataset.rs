//! Labelled positions of a data set, read from files and filtered.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::board::Position;
use miette::Diagnostic;
use serde::Serialize;
use thiserror::Error;

pub use super::error::DataError;
use super::filter::Filters;
use super::flaws::Flaws;
use super::formats::{Format, records_from};
use super::record::Record;
use super::sources::check_stopped;
use super::td_lambda::TdLambda;
use harness_base::input::unpacked;
use harness_base::text::grouped;
pub use harness_outcome::positions::Counts;

/// Smallest size of a training set and of a validation set: with fewer positions, a fit is noise.
const MIN_POSITIONS: usize = 100;

/// A position and how its game went.
pub struct Sample {
    /// The position.
    pub position: Position,
    /// Score of the label, in centipawns for White: of a search, or blended with later ones.
    pub score: Option<i32>,
    /// The score of the position's own search.
    pub own_score: Option<i32>,
    /// Result for White: 0, 0.5 or 1.
    pub result: f64,
    /// Positions of one game stay together when the data are split.
    pub game: u64,
}

/// Sizes of a training set and its validation set.
#[derive(Debug, Serialize)]
pub struct Positions {
    /// Positions of the training set.
    pub train: usize,
    /// Positions of the validation set.
    pub validation: usize,
    /// Positions read, dropped and kept.
    #[serde(flatten)]
    pub counts: Counts,
}

/// A set that is too small.
#[derive(Debug, Error, Diagnostic)]
#[error("{train} positions to train on and {validation} to validate with are too few")]
#[diagnostic(help("{MIN_POSITIONS} of each are the fewest; {dropped}"))]
pub struct TooFew {
    train: usize,
    validation: usize,
    dropped: String,
}

impl Positions {
    /// Checks that both sets are large enough.
    ///
    /// # Errors
    /// When one is not.
    pub fn check(&self) -> Result<(), TooFew> {
        let &Positions { train, validation, ref counts } = self;
        if train >= MIN_POSITIONS && validation >= MIN_POSITIONS {
            return Ok(());
        }
        Err(TooFew { train, validation, dropped: dropped(counts) })
    }

    /// The sizes as a line.
    pub fn text(&self) -> String {
        format!(
            "{} positions of {} games: {} in the training set, {} in the validation set\n",
            grouped(self.counts.kept),
            grouped(self.counts.games),
            grouped(self.train as u64),
            grouped(self.validation as u64),
        )
    }
}

/// The dropped positions and games by reason, as words.
pub fn dropped(counts: &Counts) -> String {
    let positions = counts.dropped.iter();
    let positions = positions.map(|(reason, count)| format!("{} {reason}", grouped(*count)));
    let games = counts.games_dropped.iter();
    let games = games.map(|(flaw, count)| format!("{} games dropped ({flaw})", grouped(*count)));
    let parts: Vec<String> = positions.chain(games).collect();
    if parts.is_empty() {
        "none left out".to_owned()
    } else {
        format!("left out: {}", parts.join(", "))
    }
}

/// Parts of labels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Labels {
    /// Whether positions without a score are dropped.
    pub needs_score: bool,
    /// The blend of scores with later ones of the game; `None`: each position has its own score.
    pub td_lambda: Option<TdLambda>,
}

/// Receives a sample; an error ends the reading.
pub type Take<'a> = dyn FnMut(Sample) -> Result<(), DataError> + 'a;

/// Reads files and hands on what passes the filters, each position once; the keys of all are held in
/// memory. Otherwise as [`each`].
///
/// # Errors
/// Those of [`each`].
pub fn read(
    paths: &[PathBuf],
    filters: &Filters,
    labels: Labels,
    take: &mut dyn FnMut(Sample),
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Counts, DataError> {
    let mut keys = HashSet::new();
    let mut repeated = 0;
    let mut take = |sample: Sample| {
        if keys.insert(sample.position.key()) {
            take(sample);
        } else {
            repeated += 1;
        }
        Ok(())
    };
    let mut counts = each(paths, filters, labels, &mut take, progress)?;
    counts.take_back(repeated, 0);
    Ok(counts)
}

/// Reads files and hands on what passes the filters, repeated positions as often as they are there, which
/// are counted as kept. Filters see the scores as they are in the files.
///
/// `progress` receives the number of bytes read from time to time, and may stop the reader.
///
/// # Errors
/// When a file cannot be read or is not labelled positions, or `take` fails; [`DataError::Stopped`] when
/// `progress` breaks.
pub fn each(
    paths: &[PathBuf],
    filters: &Filters,
    labels: Labels,
    take: &mut Take<'_>,
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Counts, DataError> {
    let filters = Filters { unscored: !labels.needs_score, ..*filters };
    let flaws = Flaws::default();
    let bytes = Arc::new(AtomicU64::new(0));
    let mut counts = Counts::default();
    for path in paths {
        let format = Format::from_path(path)?;
        let file = File::open(path)
            .map_err(|source| DataError::Unreadable { path: path.clone(), source })?;
        let source = Counted { inner: file, bytes: Arc::clone(&bytes) };
        let source = unpacked(path, source);
        let before = counts.games;
        let name = path.display().to_string();
        let mut records = records_from(format, &name, source, &flaws).peekable();
        let mut game = Vec::new();
        while let Some(record) = records.next() {
            let record = record?;
            let number = record.game;
            let next = records.peek();
            game.push(record);
            if next.is_some_and(|next| next.as_ref().is_ok_and(|next| next.game == number)) {
                continue;
            }
            counts.games += 1;
            let scores = labels.scores(&game);
            for (record, score) in game.drain(..).zip(scores) {
                if counts.positions.is_multiple_of(1_024) {
                    check_stopped(progress(bytes.load(Ordering::Relaxed)))?;
                }
                if counts.sift(filters.refuse(&record)) {
                    take(sample(&record, score, before + number))?;
                }
            }
        }
    }
    counts.note(flaws.dropped(), flaws.corrected());
    Ok(counts)
}

impl Labels {
    /// The scores of a game's positions that are part of their labels, in centipawns for White.
    pub fn scores(&self, game: &[Record]) -> Vec<Option<i32>> {
        match &self.td_lambda {
            Some(td_lambda) => td_lambda.scores(game),
            None => game.iter().map(|record| record.number().map(i32::from)).collect(),
        }
    }
}

fn sample(record: &Record, score: Option<i32>, game: u64) -> Sample {
    Sample {
        position: record.position,
        score,
        own_score: record.number().map(i32::from),
        // The filters have refused games without a result.
        result: record.result.map_or(0.5, |result| result.value()),
        game,
    }
}

/// Counts the bytes that were read.
struct Counted<R> {
    inner: R,
    bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.bytes.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::super::filter::Reason;
    use super::*;
    use harness_stats::logistic;

    const KINGS: &str = "4k3/8/8/8/8/8/4P3/4K3";

    const GAME: &str = "[Result \"1-0\"]\n[Termination \"normal\"]\n\n\
        1. e4 {+0.30/9 0.01s 99n} d5 {-0.45/9 0.01s} 2. exd5 {+0.50/9 0.01s} Qxd5 {-0.52/9 0.01s} \
        3. Nc3 {+0.55/10 0.01s} Qa5 {-0.61/10 0.01s} 4. b4 {+M5/10 0.01s} a6 {book} 1-0\n\n";

    fn read(name: &str, text: &str, scored: bool) -> Result<(Counts, Vec<Sample>), DataError> {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        let mut samples = Vec::new();
        let counts = super::read(
            &[path],
            &Filters { min_ply: 2, max_score: 1_500, ..Filters::default() },
            Labels { needs_score: scored, td_lambda: None },
            &mut |sample| samples.push(sample),
            &mut |_| ControlFlow::Continue(()),
        )?;
        Ok((counts, samples))
    }

    #[test]
    fn every_form_gives_score_and_result_from_whites_view() {
        for (name, text) in [
            ("a.txt", format!("# three fields\n{KINGS} b - - 0 40 | 120 | 1.0\n")),
            ("a.epd", format!("{KINGS} b - - c9 \"1-0\"; ce -120;\n")),
            ("b.epd", format!("{KINGS} b - - 0 40 ce -120; c9 \"1-0\";\n")),
            ("a.csv", format!("ply,fen,score,result\n79,{KINGS} b - - 0 40,120,1\n")),
            ("b.txt", format!("{KINGS} b - - 0 40 [1.0] -120\n")),
        ] {
            let (counts, samples) = read(name, &text, false).expect(name);
            assert_eq!((counts.kept, samples.len()), (1, 1), "{name}");
            let Sample { score, result, .. } = samples[0];
            assert_eq!((score, result), (Some(120), 1.0), "{name}");
        }
        for behind in [" [1.0]", "; 1-0", ";1.0", " | 1.0", " | [1-0]", " c9 \"1-0\";"] {
            let text = format!("{KINGS} b - - 0 40{behind}\n");
            for name in ["c.txt", "c.epd"] {
                let (_, samples) = read(name, &text, false).expect(&text);
                let Sample { score, result, .. } = samples[0];
                assert_eq!((score, result), (None, 1.0), "{text}");
            }
        }
        for behind in [" [0.7]", " | 1", " [1.0] x", ";35"] {
            let text = format!("{KINGS} b - - 0 40{behind}\n");
            assert!(read("d.txt", &text, false).is_err(), "{text}");
        }
    }

    #[test]
    fn quiet_moves_with_a_score_label_the_position_before_them() {
        let (counts, samples) = read("games.pgn", GAME, true).expect("a game");
        let scores: Vec<Option<i32>> = samples.iter().map(|sample| sample.score).collect();
        assert_eq!(scores, [Some(55), Some(61)]);
        let dropped =
            [(Reason::NoScore, 1), (Reason::Early, 2), (Reason::Tactical, 2), (Reason::Decided, 1)];
        assert_eq!(counts.dropped.into_iter().collect::<Vec<_>>(), dropped);
    }

    #[test]
    fn later_scores_of_the_game_count_whether_or_not_their_positions_do() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("games.pgn");
        std::fs::write(&path, GAME.repeat(2)).expect("written");
        let td_lambda = Some(TdLambda { lambda: 0.5, scale: 400.0 });
        let mut scores = Vec::new();
        let counts = super::read(
            &[path],
            &Filters { min_ply: 2, ..Filters::default() },
            Labels { needs_score: true, td_lambda },
            &mut |sample| scores.push(sample.score),
            &mut |_| ControlFlow::Continue(()),
        );
        assert_eq!(counts.expect("games").games, 2);
        // After +0.55 and +0.61 come a mate for White and White's win.
        let expected = |score: f64| logistic(score / 400.0);
        let second = 0.5 * expected(61.0) + 0.5;
        let first = 0.5 * expected(55.0) + 0.5 * second;
        let centipawns =
            |expected: f64| (400.0 * (expected / (1.0 - expected)).ln()).round() as i32;
        assert_eq!(scores, [first, second].map(|expected| Some(centipawns(expected))));
    }

    #[test]
    fn what_does_not_count_is_counted_by_reason() {
        let check = "4k3/8/8/8/8/8/4R3/4K3 b - - 0 40 | 500 | 1";
        let quiet = format!("{KINGS} w - - 0 40 | | 1");
        let lopsided = format!("{KINGS} b - - 0 40 | -9000 | 0");
        let lines = [check, &quiet, &quiet, &lopsided].join("\n");
        let (counts, samples) = read("a.txt", &lines, false).expect("lines");
        assert_eq!((samples.len(), counts.kept), (1, 1));
        let dropped = [Reason::Check, Reason::Decided, Reason::Repeated].map(|one| (one, 1));
        assert_eq!(counts.dropped.into_iter().collect::<Vec<_>>(), dropped);
        let (counts, _) = read("a.txt", &lines, true).expect("lines");
        assert_eq!(counts.dropped[&Reason::NoScore], 2);
    }

    #[test]
    fn a_line_that_is_no_label_is_reported_with_its_place_and_an_illegal_game_left_out() {
        for (name, text, says) in [
            ("a.txt", format!("# first\n{KINGS} w - - | 100 | 2"), ":2: `2` is no result"),
            ("a.txt", format!("{KINGS} w - - | 1"), ":1: 2 fields"),
        ] {
            let error = read(name, &text, false).err().expect(&text).to_string();
            assert!(error.contains(says), "{error}");
        }
        let games = |text: &str| read("a.pgn", text, false).expect("games").1.len();
        assert_eq!(games(&format!("{GAME}{}", GAME.replace("b4", "b5"))), games(GAME));
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let path = PathBuf::from("/nowhere/data.epd");
        let progress = &mut |_| ControlFlow::Continue(());
        let read =
            super::read(&[path], &Filters::default(), Labels::default(), &mut |_| {}, progress);
        assert!(read.expect_err("no file").to_string().contains("/nowhere/data.epd"));
    }
}
