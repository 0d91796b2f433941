//! PGN in chunks of whole games, read by several threads, returned in order.

use std::io::{self, Read};
use std::sync::mpsc::sync_channel;

use rayon::ThreadPoolBuilder;
use rayon::iter::{ParallelBridge, ParallelIterator};

use super::formats::FormatError;
use super::game::Game;
use super::pgn::Reader;
use crate::player::pool::InOrder;

/// Bytes of a chunk, about.
const SIZE: usize = 1 << 20;

/// Most bytes of a game: what is longer is no PGN.
const LONGEST: usize = 64 << 20;

/// Works on each chunk of a PGN in one of `jobs` threads, and gives what comes out to `take`, in
/// order; an error of `take` ends it.
///
/// # Errors
/// When the file cannot be read, or `take` fails.
pub fn each<T: Send, E: From<io::Error>>(
    source: impl Read + Send,
    jobs: usize,
    work: impl Fn(&[u8]) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let jobs = jobs.max(1);
    let threads = ThreadPoolBuilder::new().num_threads(jobs).build().map_err(io::Error::other)?;
    let (sender, results) = sync_channel(jobs);
    threads.in_place_scope(|scope| {
        // Owned here, and gone when an error ends it: then no thread waits to hand over.
        let results = results;
        let chunks = Chunks { source, left: Vec::new(), ended: false };
        scope.spawn(|_| {
            // What cannot be handed over is not wanted any more.
            let _ = (0..).zip(chunks).par_bridge().try_for_each_with(sender, |sender, one| {
                let (number, chunk): (u64, io::Result<Vec<u8>>) = one;
                sender.send((number, chunk.map(|chunk| work(&chunk))))
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
    reader: impl for<'c> Fn(&'c [u8]) -> Reader<&'c [u8]> + Sync,
    mut take: impl FnMut(Game) -> Result<(), E>,
) -> Result<(), E> {
    let work = |chunk: &[u8]| {
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

struct Chunks<R> {
    source: R,
    /// Begin of a game that is not whole yet.
    left: Vec<u8>,
    ended: bool,
}

impl<R: Read> Iterator for Chunks<R> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<io::Result<Vec<u8>>> {
        let chunk = self.read().transpose();
        // Nothing is read behind an error.
        self.ended |= matches!(chunk, Some(Err(_)));
        chunk
    }
}

impl<R: Read> Chunks<R> {
    /// The next games; `None` at the end.
    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut chunk = std::mem::take(&mut self.left);
        while !self.ended {
            let wanted = (SIZE.max(2 * chunk.len()) - chunk.len()) as u64;
            let read = self.source.by_ref().take(wanted).read_to_end(&mut chunk)?;
            self.ended = (read as u64) < wanted;
            if self.ended {
                break;
            }
            if let Some(end) = last_begin(&chunk) {
                self.left = chunk.split_off(end);
                return Ok(Some(chunk));
            }
            if chunk.len() > LONGEST {
                let what = format!("no game begins within {} MiB", LONGEST >> 20);
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
        }
        Ok((!chunk.is_empty()).then_some(chunk))
    }
}

/// Where the last game begins, but the first: at a tag behind an empty line.
fn last_begin(text: &[u8]) -> Option<usize> {
    let begins = |at: &usize| {
        text[*at] == b'[' && (text[..*at].ends_with(b"\n\n") || text[..*at].ends_with(b"\n\r\n"))
    };
    (1..text.len()).rev().find(begins)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::flaws::Flaws;
    use crate::data::pgn;

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
            let work = |chunk: &[u8]| {
                let games = pgn::Reader::new("x", chunk, &Flaws::default());
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
    fn an_error_of_the_consumer_ends_it() {
        let text = games(3_000);
        let mut taken = 0;
        let ended = each(text.as_bytes(), 2, <[u8]>::len, |_| {
            taken += 1;
            Err(io::Error::other("enough"))
        });
        assert_eq!((ended.map_err(|error| error.to_string()), taken), (Err("enough".into()), 1));
    }
}
