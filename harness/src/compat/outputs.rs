//! The files of `-pgnout` and `-epdout`, written game by game.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Write};
use std::path::PathBuf;

use miette::Diagnostic;
use thiserror::Error;

use super::crc32::Crc32;
use super::lines::reason::pgn_tag;
use crate::arena::{OpeningError, pgn};
use crate::hint::reports_command;
use crate::runs::games::KeptGame;

/// The files to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    /// The games.
    pub pgn: Option<Output>,
    /// The final positions.
    pub epd: Option<Output>,
    /// The tag `Site` of the games.
    pub site: Option<String>,
    /// The checksum of the games is printed.
    pub checksum: bool,
}

/// A file to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Its path; `None`: not written, as the run's folder has the games.
    pub file: Option<PathBuf>,
    /// Overwrite an existing file instead of appending to it.
    pub overwrite: bool,
    /// Without comments.
    pub minimal: bool,
    /// Nodes are written as fastchess writes them, `n=1234`.
    pub nodes: bool,
}

/// A file that cannot be written.
#[derive(Debug, Error, Diagnostic)]
pub enum OutputError {
    /// Before any game was played.
    #[error("cannot write {}: {source}", path.display())]
    #[diagnostic(help("no game was played: name a file in a folder that can be written"))]
    Beforehand { path: PathBuf, source: io::Error },
    /// A game.
    #[error("cannot write {}: {source}", path.display())]
    #[diagnostic(help(
        "the games are kept: {}",
        reports_command("report", format_args!("last --format {format} -o FILE"))
    ))]
    Game { path: PathBuf, format: &'static str, source: io::Error },
    /// A game whose moves cannot be read.
    #[error("a game of round {pair} cannot be read: {error}")]
    #[diagnostic(help("the file of final positions lacks it; the games are kept"))]
    Unreadable { pair: u64, error: OpeningError },
}

impl Outputs {
    /// The requested outputs.
    pub fn all(&self) -> impl Iterator<Item = Output> + use<> {
        self.pgn.clone().into_iter().chain(self.epd.clone())
    }

    /// The same, each with the format of `harness report`.
    pub fn formats(&self) -> impl Iterator<Item = (&'static str, Output)> + use<> {
        let pgn = self
            .pgn
            .clone()
            .map(|output| (if output.minimal { "pgn-moves" } else { "pgn" }, output));
        pgn.into_iter().chain(self.epd.clone().map(|output| ("epd", output)))
    }

    /// Opens the files before the first game. One to overwrite is emptied, unless the run `continues`.
    ///
    /// # Errors
    /// When one cannot be written.
    pub fn open(&self, continues: bool) -> Result<GameFiles, OutputError> {
        let open = |output: &Option<Output>| {
            let Some(output) = output else { return Ok(None) };
            output.file.clone().map(|path| OpenFile::open(path, output, continues)).transpose()
        };
        let (mut pgn, epd) = (open(&self.pgn)?, open(&self.epd)?);
        if let Some(file) = pgn.as_mut().filter(|_| self.checksum) {
            file.read_checksum()?;
        }
        Ok(GameFiles { pgn, epd, site: self.site.clone() })
    }
}

/// The open files.
#[derive(Debug)]
pub struct GameFiles {
    pgn: Option<OpenFile>,
    epd: Option<OpenFile>,
    site: Option<String>,
}

/// A file that is written game by game.
#[derive(Debug)]
struct OpenFile {
    path: PathBuf,
    file: File,
    minimal: bool,
    nodes: bool,
    /// Of the whole file, if it is asked for.
    crc: Option<Crc32>,
}

/// The checksum of a file so far.
pub struct Checksum {
    /// The file, as it was named.
    pub file: String,
    /// Its CRC-32.
    pub crc: u32,
}

impl OpenFile {
    fn open(path: PathBuf, output: &Output, continues: bool) -> Result<OpenFile, OutputError> {
        let overwrite = output.overwrite && !continues;
        let mut options = OpenOptions::new();
        options.create(true).append(!overwrite).write(true).truncate(overwrite);
        match options.open(&path) {
            Ok(file) => {
                let Output { minimal, nodes, .. } = *output;
                Ok(OpenFile { path, file, minimal, nodes, crc: None })
            }
            Err(source) => Err(OutputError::Beforehand { path, source }),
        }
    }

    /// Begins the checksum with what the file has already.
    fn read_checksum(&mut self) -> Result<(), OutputError> {
        let mut crc = Crc32::default();
        let read = || -> io::Result<()> {
            let mut file = BufReader::new(File::open(&self.path)?);
            let mut part = vec![0; 1 << 16];
            loop {
                match file.read(&mut part)? {
                    0 => return Ok(()),
                    length => crc.add(&part[..length]),
                }
            }
        };
        let mut read = read;
        read().map_err(|source| OutputError::Beforehand { path: self.path.clone(), source })?;
        self.crc = Some(crc);
        Ok(())
    }

    fn add(&mut self, text: &str, format: &'static str) -> Result<(), OutputError> {
        // One write: a reader never finds half a game.
        self.file.write_all(text.as_bytes()).map_err(|source| OutputError::Game {
            path: self.path.clone(),
            format,
            source,
        })?;
        if let Some(crc) = &mut self.crc {
            crc.add(text.as_bytes());
        }
        Ok(())
    }
}

impl GameFiles {
    /// Writes a game; the checksum of the games' file, if it is asked for.
    ///
    /// # Errors
    /// When a file cannot be written, or the game's moves not be read.
    pub fn add(&mut self, game: &KeptGame<'_>) -> Result<Option<Checksum>, OutputError> {
        if let Some(epd) = &mut self.epd {
            let position = pgn::final_position(game.pgn)
                .map_err(|error| OutputError::Unreadable { pair: game.pair + 1, error })?;
            epd.add(&format!("{position}\n"), "epd")?;
        }
        let Some(file) = &mut self.pgn else { return Ok(None) };
        let text = with_tags(game, self.site.as_deref());
        let text = match (file.minimal, file.nodes) {
            (true, _) => pgn::without_comments(&text),
            (false, true) => with_named_nodes(&text),
            (false, false) => text,
        };
        file.add(&format!("{}\n\n", text.trim_end()), "pgn")?;
        let named = |crc: Crc32| Checksum {
            file: file.path.to_string_lossy().into_owned(),
            crc: crc.value(),
        };
        Ok(file.crc.map(named))
    }
}

/// A game whose comments have `n=1234` behind a comma instead of `1234n`.
fn with_named_nodes(game: &str) -> String {
    let mut text = String::with_capacity(game.len() + game.len() / 8);
    let (tags, moves) = game.split_once("\n\n").unwrap_or(("", game));
    text.push_str(tags);
    text.push_str(if tags.is_empty() { "" } else { "\n\n" });
    let mut is_behind_time = false;
    for word in moves.split_inclusive([' ', '\n']) {
        let bare = word.trim_end();
        let count = bare.trim_end_matches([',', '}']).strip_suffix('n');
        let is_count =
            |count: &&str| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
        match count.filter(is_count).filter(|_| is_behind_time) {
            Some(count) => {
                // The white space before it is one byte.
                text.insert(text.len() - 1, ',');
                text.push_str("n=");
                text.push_str(count);
                text.push_str(&word[count.len() + 1..]);
            }
            None => text.push_str(word),
        }
        is_behind_time = bare.ends_with('s') && bare.contains('.');
    }
    text
}

/// A game with the tag of its place, and the tag of its end in the words of fastchess.
fn with_tags(game: &KeptGame<'_>, site: Option<&str>) -> String {
    let tag = |value: &str| format!("[Termination \"{value}\"]");
    let (own, theirs) = (game.termination.pgn_tag(), pgn_tag(game.termination));
    let text = game.pgn.replacen(&tag(own), &tag(theirs), 1);
    let Some(site) = site else { return text };
    let site = site.replace('\\', "\\\\").replace('"', "\\\"");
    text.replacen("[Site \"?\"]", &format!("[Site \"{site}\"]"), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_written_in_the_other_form() {
        for (ours, theirs) in [
            (
                "[Event \"5s 12n,\"]\n\n1. e4 {+0.26/12 0.050s 12345n, sd=4} e5 {0.050s\n7n} *",
                "[Event \"5s 12n,\"]\n\n1. e4 {+0.26/12 0.050s, n=12345, sd=4} e5 {0.050s,\nn=7} *",
            ),
            (
                "[A \"b\"]\n\n1. e4 {book} e5 {+0.10/3 0.001s} *",
                "[A \"b\"]\n\n1. e4 {book} e5 {+0.10/3 0.001s} *",
            ),
            (
                "[A \"b\"]\n\n1. e4 {+M1/3 0.001s 5n, White mates} 1-0",
                "[A \"b\"]\n\n1. e4 {+M1/3 0.001s, n=5, White mates} 1-0",
            ),
        ] {
            assert_eq!(with_named_nodes(ours), theirs);
        }
    }
}
