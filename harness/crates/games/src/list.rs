//! The games of a large PGN file: where each begins, and what its tags say.
//!
//! One pass over the bytes, without reading moves; each name is kept once. A game is then read from
//! its place in the file, so that a page of a list costs the same in any file.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use harness_base::text::{TextSource, is_utf16};
use harness_notation::pgn::{Event, Lexer, Tag};

/// Tags that are kept of each game.
pub const TAGS: [&str; 7] = ["White", "Black", "Result", "Event", "Date", "ECO", "Opening"];

/// Characters of a value that are kept.
const MAX_VALUE_CHARS: usize = 200;

/// A game of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    /// Where it begins, in bytes of the text; see [`part`].
    offset: u64,
    /// Numbers of the values of [`TAGS`].
    values: [u32; TAGS.len()],
}

/// The games of a PGN file.
#[derive(Debug, Default)]
pub struct PgnList {
    games: Vec<Entry>,
    /// Each value once; the first is empty.
    values: Vec<Box<str>>,
    /// Where the last game ends.
    end: u64,
}

impl PgnList {
    /// Lists the games of a file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(path: &Path) -> io::Result<PgnList> {
        let mut lexer = Lexer::new(File::open(path)?).main_line();
        let mut scan = Scan::default();
        // No value.
        scan.list.values.push("".into());
        let mut begin = 0;
        while let Some(event) = lexer.next_event()? {
            match event {
                Event::Begin => (begin, scan.is_listed) = (lexer.offset(), false),
                Event::Tag(tag) => scan.tag(begin, tag),
                // Behind it the next game begins.
                Event::End { .. } => scan.list.end = lexer.offset(),
                Event::Comment(_) => {}
                // Moves without tags are a game as well.
                _ => scan.game(begin),
            }
        }
        Ok(scan.list)
    }

    /// How many games there are.
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// The values of [`TAGS`] of a game; empty ones where the game has no such tag.
    pub fn tags(&self, game: usize) -> [&str; TAGS.len()] {
        let values = self.games.get(game).map_or([0; TAGS.len()], |entry| entry.values);
        values.map(|value| self.values.get(value as usize).map_or("", |value| value))
    }

    /// From which byte to which a game stands in the text; see [`part`].
    pub fn place(&self, game: usize) -> Option<(u64, u64)> {
        let begin = self.games.get(game)?.offset;
        Some((begin, self.games.get(game + 1).map_or(self.end, |next| next.offset)))
    }

    /// The numbers of the games with a tag that contains each word of a text, in any case.
    pub fn search(&self, text: &str) -> Vec<u32> {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        // Each value is compared once, however many games have it.
        let matches: Vec<Vec<bool>> = words
            .iter()
            .map(|word| {
                self.values.iter().map(|value| value.to_lowercase().contains(word)).collect()
            })
            .collect();
        let fits = |entry: &Entry| {
            matches.iter().all(|known| entry.values.iter().any(|value| known[*value as usize]))
        };
        let games = self.games.iter().enumerate().filter(|(_, entry)| fits(entry));
        games.map(|(number, _)| number as u32).collect()
    }

    /// The text of a game.
    ///
    /// # Errors
    /// When the file cannot be read, or has no such game.
    pub fn text(&self, path: &Path, game: usize) -> io::Result<Vec<u8>> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, format!("no game {}", game + 1));
        let (begin, end) = self.place(game).ok_or_else(missing)?;
        part(path, begin, end)
    }
}

/// A part of a file's text. Of a file in UTF-16 it is that of the text in UTF-8, which is decoded from
/// its beginning.
///
/// # Errors
/// When the file cannot be read.
pub fn part(path: &Path, begin: u64, end: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut first = Vec::new();
    file.by_ref().take(2).read_to_end(&mut first)?;
    let decoded = is_utf16(&first);
    file.seek(SeekFrom::Start(if decoded { 0 } else { begin }))?;
    let mut text = Vec::new();
    if decoded {
        let mut source = TextSource::in_place(file);
        io::copy(&mut source.by_ref().take(begin), &mut io::sink())?;
        source.take(end - begin).read_to_end(&mut text)?;
    } else {
        file.take(end - begin).read_to_end(&mut text)?;
    }
    Ok(text)
}

/// A pass over a file.
#[derive(Default)]
struct Scan {
    list: PgnList,
    known: HashMap<Box<str>, u32>,
    /// The game that is read is in the list.
    is_listed: bool,
}

impl Scan {
    fn tag(&mut self, begin: u64, tag: Tag<'_>) {
        self.game(begin);
        if let Some(index) = TAGS.iter().position(|known| known.as_bytes() == tag.name) {
            let number = self.number(tag);
            if let Some(game) = self.list.games.last_mut() {
                game.values[index] = number;
            }
        }
    }

    /// Lists the game that is read, once.
    fn game(&mut self, begin: u64) {
        if std::mem::replace(&mut self.is_listed, true) {
            return;
        }
        self.list.games.push(Entry { offset: begin, values: [0; TAGS.len()] });
    }

    /// The number of a value.
    fn number(&mut self, tag: Tag<'_>) -> u32 {
        let text = tag.text();
        let end = text.char_indices().nth(MAX_VALUE_CHARS).map_or(text.len(), |(end, _)| end);
        let text = &text[..end];
        if text.is_empty() || text == "?" || text == "????.??.??" {
            return 0;
        }
        if let Some(number) = self.known.get(text) {
            return *number;
        }
        let number = self.list.values.len() as u32;
        let text: Box<str> = text.into();
        self.list.values.push(text.clone());
        self.known.insert(text, number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::read_game;

    const TEXT: &str = "\u{feff}[Event \"Cup\"]\n[White \"Müller, \\\"M\\\"\"]\n[Black \"Zuse\"]\n[Result \"1-0\"]\n\n\
        1. e4 { a comment\n[Event \"none\"]\n} e5 1-0\n\n\n\
        [White \"Zuse\"]\r\n[Black \"Ada\"]\r\n[ECO \"B12\"]\r\n\r\n1. e4 c6 *\r\n\
        [White \"Ada\"]\n\n1. d4 *";

    #[test]
    fn games_are_found_with_their_tags_and_read_from_their_places() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("a.pgn");
        let utf16: Vec<u8> = TEXT.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [TEXT.as_bytes(), &utf16] {
            std::fs::write(&path, bytes).expect("written");
            check_games(&path);
        }
    }

    fn check_games(path: &Path) {
        let list = PgnList::read(path).expect("read");
        assert_eq!(list.len(), 3);
        assert_eq!(list.tags(0)[..4], ["Müller, \"M\"", "Zuse", "1-0", "Cup"]);
        assert_eq!(list.tags(1)[5], "B12");
        assert_eq!(list.search("zuse"), [0, 1]);
        assert_eq!(list.search("ZUSE b12"), [1]);
        assert_eq!(list.search("nobody"), [0; 0]);
        assert_eq!(list.search("").len(), 3);
        let game = |number| read_game(&list.text(path, number).expect("read")).expect("a game");
        assert_eq!(game(0).main_line().len(), 2);
        assert_eq!(game(1).tag("Black"), Some("Ada"));
        assert_eq!(game(2).main_line().len(), 1);
        assert!(list.text(path, 3).is_err());
    }

    #[test]
    fn a_game_without_tags_and_an_empty_file_are_listed() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("a.pgn");
        std::fs::write(&path, "\n1. e4 e5 *\n").expect("written");
        let list = PgnList::read(&path).expect("read");
        assert_eq!((list.len(), list.tags(0)), (1, [""; TAGS.len()]));
        assert!(String::from_utf8_lossy(&list.text(&path, 0).expect("read")).contains("e5"));
        std::fs::write(&path, "").expect("written");
        assert!(PgnList::read(&path).expect("read").is_empty());
    }
}
