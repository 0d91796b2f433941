//! The file of generated games, and the card beside it.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::recipe::Recipe;
use crate::StateError;
use crate::formats::viri::{self, Flavour};
use crate::formats::{Format, FormatError};
use crate::game::Game;
use harness_base::files::write_atomically;
use harness_base::input;
use harness_base::yaml;

/// How long a finished game may wait to be written.
const FLUSH_EVERY: Duration = Duration::from_secs(1);

/// The card in error messages.
const KIND: yaml::Kind = yaml::Kind {
    forms: &[],
    keys: &[],
    help: "it stores the settings of the games; without it they cannot be resumed",
};

/// The settings and the counts of a file of games; the file `FILE.yaml` beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// The settings.
    pub recipe: Recipe,
    /// Games in the file.
    pub games: u64,
    /// Moves in the file.
    pub moves: u64,
    /// White's wins, draws and losses.
    pub results: [u64; 3],
}

/// The file while games are added.
pub struct Output {
    path: PathBuf,
    flavour: Flavour,
    sink: BufWriter<File>,
    flushed: Instant,
    card: Card,
}

impl Output {
    /// Creates a file, or with `resume` opens an existing one; an incomplete last game is cut off.
    ///
    /// # Errors
    /// When it exists and `resume` is not set, has other settings, is damaged, or cannot be
    /// written.
    pub fn open(path: &Path, recipe: Recipe, resume: bool) -> Result<Output, StateError> {
        let Some(flavour) = Flavour::from_format(Format::from_path(path)?) else {
            let reason = "games are written as .games or .vf";
            return Err(FormatError::unfit(path.display(), reason).into());
        };
        if input::is_compressed(path) {
            let reason = "compressed files are read, and not written";
            return Err(FormatError::unfit(path.display(), reason).into());
        }
        let mut card = Card { recipe, games: 0, moves: 0, results: [0; 3] };
        if path.exists() {
            if !resume {
                let help = "`--resume` continues with it; or name another file";
                return Err(StateError::Exists { path: path.to_owned(), help });
            }
            compare(&card.recipe, path)?;
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(path).map_err(StateError::unusable("write", path))?;
        let end = count(path, &file, flavour, &mut card)?;
        file.set_len(end).map_err(StateError::unusable("write", path))?;
        let mut output = Output {
            path: path.to_owned(),
            flavour,
            sink: BufWriter::new(file),
            flushed: Instant::now(),
            card,
        };
        output.begin(end).map_err(StateError::unusable("write", path))?;
        output.write_card()?;
        Ok(output)
    }

    fn begin(&mut self, end: u64) -> io::Result<()> {
        use std::io::Seek;
        self.sink.seek(io::SeekFrom::Start(end))?;
        if end == 0 {
            viri::write_head(&mut self.sink, self.flavour)?;
        }
        self.sink.flush()
    }

    /// The facts about the file.
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// Adds a game.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, game: &Game) -> Result<(), StateError> {
        let mut written = viri::write(game, &mut self.sink, self.flavour);
        if self.flushed.elapsed() >= FLUSH_EVERY {
            written = written.and_then(|()| self.sink.flush());
            self.flushed = Instant::now();
        }
        written.map_err(StateError::unusable("write", &self.path))?;
        count_game(game, &mut self.card);
        Ok(())
    }

    /// Writes what is left, and the card.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> Result<Card, StateError> {
        let written = self.sink.flush().and_then(|()| self.sink.get_ref().sync_data());
        written.map_err(StateError::unusable("write", &self.path))?;
        self.write_card()?;
        Ok(self.card)
    }

    fn write_card(&self) -> Result<(), StateError> {
        let path = card_path(&self.path);
        let text = serde_yaml::to_string(&self.card).map_err(io::Error::other);
        text.and_then(|text| write_atomically(&path, text.as_bytes()))
            .map_err(StateError::unusable("write", &path))
    }
}

/// The card beside a file of games.
pub fn card_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".yaml");
    PathBuf::from(name)
}

fn count_game(game: &Game, card: &mut Card) {
    card.games += 1;
    card.moves += game.turns.len() as u64;
    if let Some(result) = game.result {
        card.results[2 - result as usize] += 1;
    }
}

/// Checks that a file has the same settings.
fn compare(recipe: &Recipe, path: &Path) -> Result<(), StateError> {
    let card = card_path(path);
    let found: Card = yaml::read(&card, KIND)?;
    if found.recipe == *recipe {
        return Ok(());
    }
    let lines = |recipe: &Recipe| serde_yaml::to_string(recipe).unwrap_or_default();
    let then = lines(&found.recipe);
    let now = lines(recipe);
    let differs = then.lines().zip(now.lines()).find(|(then, now)| then != now);
    let what = match differs {
        Some((then, now)) => format!("`{}` then, `{}` now", then.trim(), now.trim()),
        None => "its options".to_owned(),
    };
    let help = "give the same options as then, or name another file";
    Err(StateError::Other { path: path.to_owned(), what, help })
}

/// Counts the games; the offset at which the last complete one ends.
fn count(path: &Path, file: &File, flavour: Flavour, card: &mut Card) -> Result<u64, StateError> {
    let mut reader = viri::Reader::new(&path.display().to_string(), BufReader::new(file), flavour);
    let mut end = 0;
    loop {
        match reader.next() {
            None => return Ok(end.max(reader.offset())),
            Some(Ok(game)) => {
                count_game(&game, card);
                end = reader.offset();
            }
            Some(Err(FormatError::Short { .. })) => return Ok(end),
            Some(Err(error)) => return Err(error.into()),
        }
    }
}
