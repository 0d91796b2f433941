//! The engine, driven by lines with tiny limits.

use std::cell::RefCell;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use engine::board::Position;
use engine::params::Values;
use engine::uci::Session;
use harness_player::uci::{Message, best_move, parse_message, read_info};
use harness_player::{DeclaredOption, Info};

/// Longer inputs only take longer.
const MAX_LINES: usize = 24;

/// A search of this many nodes takes far less.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(60);

/// Appended to each `go`, and so stronger than what stands before.
const LIMITS: &str = " depth 3 nodes 120";

/// What is set at the start, and set back after an input that set options.
const DEFAULTS: &str = "\
    setoption name MultiPV value 1\n\
    setoption name UCI_Chess960 value false\nsetoption name UCI_ShowWDL value false\n\
    setoption name UCI_AnalyseMode value false\nsetoption name UCI_LimitStrength value false\n\
    setoption name UCI_Elo value 3200\nsetoption name Debug value false\n\
    setoption name EvalFile value embedded\nsetoption name Algorithm value negamax\n\
    setoption name Move Overhead value 20\nsetoption name Seed value 0";

/// Commands and options that touch files, take long by design or end the session.
const LEFT_OUT: [&str; 9] =
    ["quit", "bench", "export", "perft", "evalfile", "bookfile", "syzygypath", "threads", "hash"];

thread_local! {
    /// To set up an engine takes longer than an input does: one serves them all.
    static DRIVEN: RefCell<Option<Driven>> = const { RefCell::new(None) };
}

/// Each `go` that is understood is answered by one legal `bestmove`, each `isready` by `readyok`,
/// and whatever the engine prints is understood by the harness.
pub fn session(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    DRIVEN.with_borrow_mut(|driven| {
        let mut session = driven.take().unwrap_or_else(Driven::new);
        session.handle_line("position startpos");
        for line in text.split('\n').take(MAX_LINES) {
            if !is_left_out(line) {
                session.handle_line(line);
            }
        }
        if text.contains("setoption") || text.contains("debug") {
            DEFAULTS.split('\n').for_each(|line| session.handle_line(line));
        }
        // After a panic there is nothing to go on with, and it is not put back.
        *driven = Some(session);
    });
}

fn is_left_out(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let names_no_file = lower.contains("value classical") || lower.contains("value embedded");
    LEFT_OUT.iter().any(|&name| lower.contains(name) && !(name == "evalfile" && names_no_file))
}

/// Unread output of the engine.
#[derive(Clone, Default)]
struct Printed(Arc<(Mutex<Vec<u8>>, Condvar)>);

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (text, changed) = &*self.0;
        text.lock().expect("no reader panics while it holds the lock").extend_from_slice(bytes);
        changed.notify_all();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Printed {
    fn take(&self) -> String {
        let bytes = std::mem::take(&mut *self.0.0.lock().expect("as above"));
        String::from_utf8(bytes).expect("the engine prints text")
    }

    /// Waits until a line that begins so was printed whole.
    fn wait_for(&self, word: &str) {
        let (text, changed) = &*self.0;
        let printed = |text: &mut Vec<u8>| {
            text.ends_with(b"\n")
                && text.split(|&byte| byte == b'\n').any(|line| line.starts_with(word.as_bytes()))
        };
        let guard = text.lock().expect("as above");
        let (guard, waited) = changed
            .wait_timeout_while(guard, SEARCH_TIMEOUT, |text| !printed(text))
            .expect("as above");
        drop(guard);
        assert!(!waited.timed_out(), "no `{word}` within {SEARCH_TIMEOUT:?}");
    }
}

struct Driven {
    session: Session<Values>,
    printed: Printed,
}

impl Driven {
    fn new() -> Driven {
        let printed = Printed::default();
        let mut driven = Driven { session: Session::new(printed.clone()), printed };
        // Small, so that clearing it costs little.
        driven.handle_line("setoption name Hash value 1");
        driven
    }

    fn handle_line(&mut self, line: &str) {
        let is = |word: &str| line.split_whitespace().next() == Some(word);
        if is("go") {
            self.search(&format!("{line}{LIMITS}"));
        } else {
            assert!(self.session.handle_line(line).is_continue(), "{line}");
            assert!(!self.session.is_searching(), "{line}");
            let text = self.printed.take();
            if is("isready") {
                assert!(text.ends_with("readyok\n"), "{text}");
            } else if is("uci") {
                let options = text.lines().filter_map(|line| line.strip_prefix("option "));
                options.for_each(|option| {
                    DeclaredOption::parse(option).expect("an option that the harness understands");
                });
                assert!(text.ends_with("uciok\n"));
            }
        }
    }

    fn search(&mut self, line: &str) {
        let position = *self.session.position();
        assert!(self.session.handle_line(line).is_continue());
        // What is held back is let go; a search that ended by itself takes no harm.
        assert!(self.session.handle_line("stop").is_continue());
        self.printed.wait_for("bestmove");
        let text = self.printed.take();
        let answers: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("bestmove ")).collect();
        assert_eq!(answers.len(), 1, "{line}: {text}");
        self.check_answer(&position, answers[0]);
        text.lines().for_each(check_info);
    }

    fn check_answer(&self, position: &Position, answer: &str) {
        let word = answer.split(' ').next().unwrap_or_default();
        if position.legal_moves().is_empty() {
            assert_eq!(word, "0000");
            return;
        }
        let best = best_move(word.as_bytes()).expect("a move").to_string();
        let chess960 = self.session.chess960();
        assert!(position.parse_uci(&best, chess960).is_some(), "{best}: {}", position.fen(true));
    }
}

/// The harness reads a score wherever the engine prints one that is no bound.
fn check_info(line: &str) {
    let Message::Info(text) = parse_message(line.as_bytes()) else { return };
    let is_text = line.starts_with("info string");
    let wanted = !is_text && line.contains(" score ") && !line.contains("bound");
    let read = read_info(text, &mut Info::default(), &mut Info::default());
    assert_eq!(read.is_best.is_some(), wanted, "{line}");
    assert_eq!(read.odd, None, "{line}");
}
