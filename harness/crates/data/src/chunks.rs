//! PGN in chunks of whole games, read by several threads, returned in order.

use std::io::{self, Read};
use std::sync::mpsc::sync_channel;

use memchr::{memchr, memchr2, memrchr, memrchr_iter, memrchr2};
use rayon::ThreadPoolBuilder;
use rayon::iter::{ParallelBridge, ParallelIterator};

use super::formats::FormatError;
use super::game::Game;
use super::pgn::Reader;
use harness_base::text::TextSource;
use harness_notation::pgn::{line_ends, tag};
use harness_player::pool::InOrder;

/// Bytes of a chunk, about.
const SIZE: usize = 1 << 20;

/// Most bytes of a game: what is longer is no PGN.
const MAX_GAME: usize = 64 << 20;

/// Games of a PGN, whole.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// Their text.
    pub text: &'a [u8],
    /// The byte of the file where it begins.
    pub offset: u64,
    /// Lines before it.
    pub lines: u64,
}

/// Works on each chunk of a PGN in one of `jobs` threads, and gives what comes out to `take`, in
/// order; an error of `take` ends it.
///
/// # Errors
/// When the file cannot be read, or `take` fails.
pub fn each<T: Send, E: From<io::Error>>(
    source: impl Read + Send,
    jobs: usize,
    work: impl Fn(Chunk<'_>) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let jobs = jobs.max(1);
    let threads = ThreadPoolBuilder::new().num_threads(jobs).build().map_err(io::Error::other)?;
    let (sender, results) = sync_channel(jobs);
    threads.in_place_scope(|scope| {
        // Owned here, and gone when an error ends it: then no thread waits to hand over.
        let results = results;
        let chunks = Chunks::new(source);
        scope.spawn(|_| {
            // What cannot be handed over is not wanted any more.
            let _ = (0..).zip(chunks).par_bridge().try_for_each_with(sender, |sender, one| {
                let (number, chunk): (u64, io::Result<Owned>) = one;
                sender.send((number, chunk.map(|chunk| work(chunk.borrowed()))))
            });
        });
        let mut order = InOrder::from(0);
        for (number, result) in results {
            order.put(number, result);
            while let Some((_, result)) = order.take() {
                take(result?)?;
            }
        }
        Ok(())
    })
}

/// Reads the games of a PGN in `jobs` threads, each chunk by what `reader` makes of it, and gives
/// them to `take`, in order; an error of `take` ends it.
///
/// # Errors
/// When the file cannot be read, a game is damaged, or `take` fails.
pub fn games<E: From<io::Error> + From<FormatError>>(
    source: impl Read + Send,
    jobs: usize,
    reader: impl for<'c> Fn(Chunk<'c>) -> Reader<&'c [u8]> + Sync,
    mut take: impl FnMut(Game) -> Result<(), E>,
) -> Result<(), E> {
    let work = |chunk: Chunk<'_>| {
        let mut reader = reader(chunk);
        let games: Vec<Result<Game, FormatError>> = reader.by_ref().collect();
        (games, reader.number())
    };
    let mut before = 0;
    each(source, jobs, work, |(games, read)| {
        for game in games {
            // The reader of a chunk counts from its beginning.
            take(game.map_err(|error| error.counted_from(before))?)?;
        }
        before += read;
        Ok(())
    })
}

struct Owned {
    text: Vec<u8>,
    offset: u64,
    lines: u64,
}

impl Owned {
    fn borrowed(&self) -> Chunk<'_> {
        Chunk { text: &self.text, offset: self.offset, lines: self.lines }
    }
}

struct Chunks<R> {
    source: TextSource<R>,
    /// Bytes of a chunk, about.
    size: usize,
    /// Begin of a game that is not whole yet.
    left: Vec<u8>,
    /// Where it begins.
    offset: u64,
    lines: u64,
    ended: bool,
}

impl<R: Read> Chunks<R> {
    fn new(source: R) -> Chunks<R> {
        let source = TextSource::in_place(source);
        Chunks { source, size: SIZE, left: Vec::new(), offset: 0, lines: 0, ended: false }
    }
}

impl<R: Read> Iterator for Chunks<R> {
    type Item = io::Result<Owned>;

    fn next(&mut self) -> Option<io::Result<Owned>> {
        let chunk = self.read().transpose();
        // Nothing is read behind an error.
        self.ended |= matches!(chunk, Some(Err(_)));
        chunk
    }
}

impl<R: Read> Chunks<R> {
    /// The next games; `None` at the end.
    fn read(&mut self) -> io::Result<Option<Owned>> {
        let mut text = std::mem::take(&mut self.left);
        while !self.ended {
            let wanted = (self.size.max(2 * text.len()) - text.len()) as u64;
            let read = self.source.by_ref().take(wanted).read_to_end(&mut text)?;
            self.ended = (read as u64) < wanted;
            if self.ended {
                break;
            }
            if let Some(end) = last_begin(&text) {
                self.left = text.split_off(end);
                break;
            }
            if text.len() > MAX_GAME {
                let what = format!("no game begins within {} MiB", MAX_GAME >> 20);
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
        }
        let offset = self.offset;
        let lines = self.lines;
        self.offset += text.len() as u64;
        self.lines += line_ends(&text, self.left.first());
        Ok((!text.is_empty()).then_some(Owned { text, offset, lines }))
    }
}

/// Where the last game begins, but the first: at a tag at the start of a line, behind something else
/// than a tag, or behind tags of another game. Where only reading from the beginning shows whether a
/// place is inside a comment, it is none.
fn last_begin(text: &[u8]) -> Option<usize> {
    // The last brace before a place shows whether it is in a comment: behind a closing one nothing is
    // open, and an opening one may be text of a tag or of an escaped line.
    let mut brace = memrchr2(b'{', b'}', text);
    memrchr_iter(b'[', text).filter(|&at| at > 0).find(|&at| {
        let before = &text[..at];
        if brace.is_some_and(|place| place > at) {
            brace = memrchr2(b'{', b'}', before);
        }
        let is_outside = brace.is_none_or(|place| text[place] == b'}');
        matches!(before.last(), Some(b'\n' | b'\r'))
            && is_outside
            && tag::begins(&text[at..])
            && (ends_game(before.trim_ascii_end()) || repeats_tags(before, &text[at..]))
    })
}

/// Whether tags behind tags are those of another game, as [`Lexer`](harness_notation::pgn::Lexer) has it: they
/// stand behind two blank lines, or behind one and begin again.
fn repeats_tags(before: &[u8], tags: &[u8]) -> bool {
    let mut rest = before.trim_ascii_end();
    let between = line_ends(&before[rest.len()..], None);
    if between < 2 {
        // Most tags: the walk below would make a long list of them take quadratic time.
        return false;
    }
    let name = tag::usual_name(tags);
    // Lines with braces may be those of a comment.
    while let Some(line) = last_line(rest).filter(|line| tag::begins(line) && !has_brace(line)) {
        if between > 2 || name & tag::usual_name(line) != 0 {
            return true;
        }
        rest = &rest[..rest.len() - line.len()];
        let kept = rest.trim_ascii_end();
        if line_ends(&rest[kept.len()..], None) != 1 {
            return false;
        }
        rest = kept;
    }
    false
}

fn last_line(text: &[u8]) -> Option<&[u8]> {
    let begin = memrchr2(b'\n', b'\r', text).map_or(0, |end| end + 1);
    (begin < text.len()).then(|| &text[begin..])
}

fn has_brace(line: &[u8]) -> bool {
    memchr2(b'{', b'}', line).is_some()
}

/// Whether tags behind a text are those of another game: its last line is neither a tag nor a line
/// that may stand between tags, nor a comment that may belong to them.
fn ends_game(text: &[u8]) -> bool {
    let line = &text[memrchr2(b'\n', b'\r', text).map_or(0, |end| end + 1)..];
    let is_moves = |line: &[u8]| {
        let line = line.trim_ascii();
        !matches!(line.first(), None | Some(b'[' | b'%')) && memchr(b';', line).is_none()
    };
    if !is_moves(line) || !text.ends_with(b"}") {
        return is_moves(line);
    }
    // A comment may have lines that look like moves.
    let closed = memrchr(b'}', &text[..text.len() - 1]).map_or(0, |end| end + 1);
    let Some(opened) = memchr(b'{', &text[closed..]).map(|at| closed + at) else { return false };
    let begin = memrchr2(b'\n', b'\r', &text[..opened]).map_or(0, |end| end + 1);
    is_moves(&text[begin..opened])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::DataError;
    use crate::flaws::Flaws;
    use crate::pgn;

    fn games(count: usize) -> String {
        let game = |number: usize| {
            let filler = "{a long comment [with brackets]} ".repeat(number % 90);
            format!("[White \"{number}\"]\n[Result \"1-0\"]\n\n1. e4 {filler}e5 2. Nf3 1-0\n\n")
        };
        (0..count).map(game).collect()
    }

    #[test]
    fn games_come_whole_and_in_order_however_many_threads_read() {
        let text = games(3_000);
        assert!(text.len() > 3 * SIZE);
        for jobs in [1, 3] {
            let mut names: Vec<String> = Vec::new();
            let work = |chunk: Chunk<'_>| {
                let games = pgn::Reader::of_chunk("x", chunk, &Flaws::default());
                games.map(|game| game.expect("whole").names[0].clone()).collect::<Vec<String>>()
            };
            each(text.as_bytes(), jobs, work, |mut some| {
                names.append(&mut some);
                Ok::<(), io::Error>(())
            })
            .expect("read");
            assert_eq!(names, (0..3_000).map(|n| n.to_string()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn games_of_tags_alone_may_be_many() {
        for between in ["\n", "\n\n"] {
            let text = format!("[White \"a\"]\n[Result \"1-0\"]\n{between}").repeat(4_000);
            let chunks = Chunks { size: 1_000, ..Chunks::new(text.as_bytes()) };
            let mut games = 0;
            for chunk in chunks {
                let chunk = chunk.expect("read");
                assert!(chunk.text.len() < 4_000, "{}", chunk.text.len());
                games += Reader::of_chunk("x", chunk.borrowed(), &Flaws::default()).count();
            }
            assert_eq!(games, 4_000);
        }
    }

    #[test]
    fn a_long_list_of_tags_is_read_once() {
        // With a walk back from each of them it takes hours.
        let tags: String = (0..1_000_000).map(|number| format!("[T{number} \"x\"]\n")).collect();
        let text = format!("{tags}\n1. e4 1-0\n\n{tags}\n1. d4 0-1\n");
        let chunks = Chunks { size: 1 << 20, ..Chunks::new(text.as_bytes()) };
        let mut games = 0;
        for chunk in chunks {
            let chunk = chunk.expect("read");
            games += Reader::of_chunk("x", chunk.borrowed(), &Flaws::default()).count();
        }
        assert_eq!(games, 2);
    }

    #[test]
    fn a_file_in_utf16_is_read_in_chunks() {
        let text = format!("\u{feff}{}", games(3_000).replace("[White \"", "[White \"Ω♞ "));
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let mut names = Vec::new();
        super::games(
            bytes.as_slice(),
            2,
            |chunk| Reader::of_chunk("x", chunk, &Flaws::default()),
            |game| {
                names.push(game.names[0].clone());
                Ok::<(), DataError>(())
            },
        )
        .expect("read");
        assert_eq!(names, (0..3_000).map(|n| format!("Ω♞ {n}")).collect::<Vec<_>>());
    }

    #[test]
    fn an_error_of_the_consumer_ends_it() {
        let text = games(3_000);
        let mut taken = 0;
        let ended = each(
            text.as_bytes(),
            2,
            |chunk| chunk.text.len(),
            |_| {
                taken += 1;
                Err(io::Error::other("enough"))
            },
        );
        assert_eq!((ended.map_err(|error| error.to_string()), taken), (Err("enough".into()), 1));
    }

    #[test]
    fn chunks_end_where_the_reader_ends_a_game() {
        let game = "[White \"a\"]\n\n[Black \"{\"]\n\n1. e4 {x\n\n[White \"b\"]\n} e5 1-0\n";
        let text = [
            game,
            "[White \"c\"]\n; between {\n[Black \"d\"]\n1. d4 1-0\n",
            "[White \"e\"]\n%between {\n[Black \"f\"]\n1. d4 {no result}\n",
            "\r\n{ of the\n1. e4 next 1-0 }\n[White \"g\"]\n\n*\n",
            "[White \"h\"]\n\n{late}\n\n0-1 {so}\n[White \"i\"]\n\n1. e4 (1. d4\n",
            "[White \"j\"]\n\n1. d4 *\n",
            // Tags alone: a game each behind one blank line that begin again, or behind two.
            "[White \"k\"]\n[Result \"1-0\"]\n\n[White \"l\"]\r\n[Result \"1-0\"]\r\n\r\n",
            "[White \"m\"]\n[Result \"1-0\"]\n\n[Round \"1\"]\n\n\n[Event \"n\"]\n\n",
            "[White \"o\"]\n{\n[White \"none\"]}\n\n[White \"p\"]\n\n1. d4 *\n",
        ]
        .concat()
        .repeat(3);
        let all = |chunk: Chunk<'_>| {
            let flaws = Flaws::default();
            let reader = Reader::of_chunk("x", chunk, &flaws);
            let games: Vec<String> =
                reader.map(|game| format!("{:?}", game.expect("read"))).collect();
            (games, flaws.to_string())
        };
        let whole = all(Chunk { text: text.as_bytes(), offset: 0, lines: 0 });
        assert_eq!(whole.0.len(), 36, "{whole:?}");
        for size in [1, 7, 50, 120, 200, 400] {
            let chunks = Chunks { size, ..Chunks::new(text.as_bytes()) };
            let mut games = Vec::new();
            let mut offset = 0;
            let mut parts = 0;
            for chunk in chunks {
                let chunk = chunk.expect("read");
                assert_eq!(chunk.offset, offset);
                assert_eq!(chunk.lines, line_ends(&text.as_bytes()[..offset as usize], None));
                (offset, parts) = (offset + chunk.text.len() as u64, parts + 1);
                games.extend(all(chunk.borrowed()).0);
            }
            assert_eq!(games, whole.0, "{size}");
            assert!(parts > 2, "{size}: {parts}");
        }
    }
}
