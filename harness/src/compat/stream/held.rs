//! Lines that wait for the end of a game: what a thread says after a game is printed behind that game's end.

use std::collections::{HashMap, VecDeque};
use std::thread::ThreadId;

use crate::arena::Leg;

/// A game by pair and leg.
type Key = (u64, Leg);

/// By thread: its games that have ended and are not kept yet, in order, each with the lines that come
/// behind it. A thread may be several games ahead of their keeper.
#[derive(Debug, Default)]
pub struct HeldLines {
    threads: HashMap<ThreadId, VecDeque<(Key, String)>>,
}

impl HeldLines {
    /// A thread has ended a game.
    pub fn end(&mut self, thread: ThreadId, game: Key) {
        self.threads.entry(thread).or_default().push_back((game, String::new()));
    }

    /// Takes a line of a thread; gives it back if it is to be printed at once.
    pub fn hold(&mut self, thread: ThreadId, line: String) -> Option<String> {
        match self.threads.get_mut(&thread).and_then(VecDeque::back_mut) {
            Some((_, lines)) => {
                lines.push_str(&line);
                None
            }
            None => Some(line),
        }
    }

    /// The end of a game is printed: gives the lines behind it. Where an earlier game of its thread
    /// still waits, they wait with that one.
    pub fn keep(&mut self, game: Key) -> String {
        let found = self.threads.iter_mut().find_map(|(thread, games)| {
            let at = games.iter().position(|(key, _)| *key == game)?;
            Some((*thread, games, at))
        });
        let Some((thread, games, at)) = found else { return String::new() };
        let (_, lines) = games.remove(at).unwrap_or((game, String::new()));
        let is_last = games.is_empty();
        let earlier = at.checked_sub(1).and_then(|at| games.get_mut(at));
        let printed = match earlier {
            Some((_, waiting)) => {
                waiting.push_str(&lines);
                String::new()
            }
            None => lines,
        };
        if is_last {
            self.threads.remove(&thread);
        }
        printed
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn lines_come_behind_the_end_of_the_game_before_them_however_late_it_is_kept() {
        let thread = thread::current().id();
        let game = |pair| (pair, Leg::First);
        let mut held = HeldLines::default();
        assert_eq!(held.hold(thread, "1 starts\n".into()).as_deref(), Some("1 starts\n"));
        held.end(thread, game(1));
        assert_eq!(held.hold(thread, "2 starts\n".into()), None);
        held.end(thread, game(2));
        assert_eq!(held.hold(thread, "3 starts\n".into()), None);
        assert_eq!(held.keep(game(1)), "2 starts\n");
        assert_eq!(held.keep(game(9)), "", "a game of no thread");
        held.end(thread, game(3));
        assert_eq!(held.hold(thread, "4 starts\n".into()), None);
        assert_eq!(held.keep(game(3)), "", "the second is not kept yet");
        assert_eq!(held.keep(game(2)), "3 starts\n4 starts\n");
        assert_eq!(held.hold(thread, "x\n".into()).as_deref(), Some("x\n"));
    }
}
