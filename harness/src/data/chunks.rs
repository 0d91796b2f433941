//! PGN in chunks of whole games, read by several threads, given back in order.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Bytes of a chunk, about.
const SIZE: usize = 1 << 20;

/// Most bytes of a game: what is longer is no PGN.
const LONGEST: usize = 64 << 20;

/// Chunks that a thread may have waiting, before and after its work.
const AHEAD: usize = 2;

/// Works on each chunk of a PGN in one of `jobs` threads, and gives what comes out to `take`, in
/// order; an error of `take` ends it.
///
/// # Errors
/// When the file cannot be read, or `take` says so.
pub fn each<T: Send, E: From<io::Error>>(
    source: impl Read + Send,
    jobs: usize,
    work: impl Fn(&[u8]) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let jobs = jobs.max(1);
    thread::scope(|scope| {
        let mut raw: Vec<SyncSender<Vec<u8>>> = Vec::new();
        let mut done: Vec<Receiver<T>> = Vec::new();
        for _ in 0..jobs {
            let (chunks, inbox) = sync_channel::<Vec<u8>>(AHEAD);
            let (outbox, results) = sync_channel(AHEAD);
            let work = &work;
            scope.spawn(move || {
                // Nobody takes results any more when an error ended it.
                inbox.into_iter().all(|chunk| outbox.send(work(&chunk)).is_ok())
            });
            raw.push(chunks);
            done.push(results);
        }
        let reader = scope.spawn(move || {
            let mut chunks = Chunks { source, left: Vec::new(), ended: false };
            for thread in (0..jobs).cycle() {
                let Some(chunk) = chunks.next()? else { break };
                if raw[thread].send(chunk).is_err() {
                    break;
                }
            }
            Ok::<(), io::Error>(())
        });
        let mut taken = Ok(());
        for results in done.iter().cycle() {
            // The first thread without a result has none because there is no further chunk.
            let Ok(result) = results.recv() else { break };
            taken = take(result);
            if taken.is_err() {
                break;
            }
        }
        drop(done);
        let read = reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        taken?;
        Ok(read?)
    })
}

struct Chunks<R> {
    source: R,
    /// Begin of a game that is not whole yet.
    left: Vec<u8>,
    ended: bool,
}

impl<R: Read> Chunks<R> {
    /// The next games; `None` at the end.
    fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
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
    fn an_error_of_whoever_takes_ends_it() {
        let text = games(3_000);
        let mut taken = 0;
        let ended = each(text.as_bytes(), 2, <[u8]>::len, |_| {
            taken += 1;
            Err(io::Error::other("enough"))
        });
        assert_eq!((ended.map_err(|error| error.to_string()), taken), (Err("enough".into()), 1));
    }
}
