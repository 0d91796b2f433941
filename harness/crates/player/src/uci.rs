//! The text of the Universal Chess Interface: `position`, `go`, `bestmove`; `info.rs` has `info`.
//!
//! Source: Stefan Meyer-Kahlen, "Description of the universal chess interface", April 2006.

use std::time::Duration;

use shakmaty::uci::UciMove;

pub use super::info::{InfoLine, read_info};
use super::{Go, Line, Timed};

/// The `position` command of a game, extended move by move.
#[derive(Default)]
pub struct PositionCommand {
    text: Vec<u8>,
    fen: Option<String>,
    /// The moves in `text`, as [`code`] has them.
    moves: Vec<u32>,
}

impl PositionCommand {
    /// The command without its line end.
    pub fn write(&mut self, line: Line<'_>) -> &[u8] {
        let grows = !self.text.is_empty()
            && self.fen.as_deref() == line.fen
            && self.moves.len() <= line.moves.len()
            && self.moves.iter().zip(line.moves).all(|(&written, played)| written == code(played));
        if !grows {
            self.text.clear();
            self.moves.clear();
            self.fen = line.fen.map(str::to_owned);
            match line.fen {
                Some(fen) => {
                    self.text.extend_from_slice(b"position fen ");
                    self.text.extend_from_slice(fen.as_bytes());
                }
                None => self.text.extend_from_slice(b"position startpos"),
            }
        }
        for played in &line.moves[self.moves.len()..] {
            if self.moves.is_empty() {
                self.text.extend_from_slice(b" moves");
            }
            self.text.push(b' ');
            played.append_ascii_to(&mut self.text);
            self.moves.push(code(played));
        }
        &self.text
    }
}

/// A move in one number. All moves of a game are compared at each of its moves, and parts one by one
/// take three times as long.
fn code(played: &UciMove) -> u32 {
    match *played {
        UciMove::Normal { from, to, promotion } => {
            let promotion = promotion.map_or(0, u32::from);
            u32::from(from) | u32::from(to) << 8 | promotion << 16
        }
        UciMove::Put { role, to } => 1 << 24 | u32::from(role) << 8 | u32::from(to),
        UciMove::Null => 2 << 24,
    }
}

/// Appends the `go` command with its line end. `moves` are those to search; none means all.
pub fn write_go(command: &mut Vec<u8>, go: &Go, moves: &[UciMove]) {
    command.extend_from_slice(b"go");
    write_limits(command, go, moves);
}

/// Appends the `go ponder` command with its line end.
pub fn write_ponder(command: &mut Vec<u8>, go: &Go) {
    command.extend_from_slice(b"go ponder");
    write_limits(command, go, &[]);
}

fn write_limits(command: &mut Vec<u8>, go: &Go, moves: &[UciMove]) {
    let (time, nodes, depth) = go.parts();
    let mut number = |name: &str, value: u64| {
        command.push(b' ');
        command.extend_from_slice(name.as_bytes());
        command.push(b' ');
        command.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    };
    let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    match time {
        Some(Timed::Clock(clocks)) => {
            // Engines take a clock of 0 for no clock, and search for ever.
            number("wtime", milliseconds(clocks.white).max(1));
            number("btime", milliseconds(clocks.black).max(1));
            number("winc", milliseconds(clocks.white_increment));
            number("binc", milliseconds(clocks.black_increment));
            clocks.moves_to_go.into_iter().for_each(|moves| number("movestogo", moves.into()));
        }
        Some(Timed::MoveTime(time)) => number("movetime", milliseconds(time)),
        None => {}
    }
    nodes.into_iter().for_each(|nodes| number("nodes", nodes));
    depth.into_iter().for_each(|depth| number("depth", depth.into()));
    if !moves.is_empty() {
        command.extend_from_slice(b" searchmoves");
    }
    for &searched in moves {
        command.push(b' ');
        searched.append_ascii_to(command);
    }
    command.push(b'\n');
}

/// A line that an engine prints during a search.
#[derive(Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// `info`, with what follows.
    Info(&'a [u8]),
    /// `bestmove`, with its move and the reply that is expected; that is empty without one.
    BestMove(&'a [u8], &'a [u8]),
    /// Anything else.
    Other,
}

/// Classifies a line.
pub fn parse_message(line: &[u8]) -> Message<'_> {
    let mut words = words(line);
    match words.next() {
        Some(b"info") => Message::Info(&line[4..]),
        Some(b"bestmove") => {
            let best = words.next().unwrap_or_default();
            let ponder = words.next().filter(|word| *word == b"ponder").and_then(|_| words.next());
            Message::BestMove(best, ponder.unwrap_or_default())
        }
        _ => Message::Other,
    }
}

/// The move of a `bestmove`, a drop of crazyhouse included; `None` for `(none)`, `0000` and garbage.
pub fn best_move(word: &[u8]) -> Option<UciMove> {
    UciMove::from_ascii(word).ok().filter(|best| *best != UciMove::Null)
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::Clocks;
    use super::*;

    fn moves(text: &str) -> Vec<UciMove> {
        text.split_whitespace().map(|word| word.parse().unwrap()).collect()
    }

    #[test]
    fn the_position_command_grows_and_starts_anew() {
        let mut command = PositionCommand::default();
        let game = moves("e2e4 e7e5 g1f3");
        let mut of = |fen, moves: &[UciMove]| {
            String::from_utf8(command.write(Line { fen, moves }).to_vec()).unwrap()
        };
        assert_eq!(of(None, &[]), "position startpos");
        assert_eq!(of(None, &game[..1]), "position startpos moves e2e4");
        assert_eq!(of(None, &game), "position startpos moves e2e4 e7e5 g1f3");
        assert_eq!(of(None, &moves("e2e4 c7c5")), "position startpos moves e2e4 c7c5");
        assert_eq!(
            of(Some("8/8/8/8/8/8/8/8 w - - 0 1"), &[]),
            "position fen 8/8/8/8/8/8/8/8 w - - 0 1"
        );
        assert_eq!(of(None, &[]), "position startpos");
        for (one, other) in [
            ("a7a8q", "a7a8n"),
            ("a7a8", "a7a8p"),
            ("N@f3", "B@f3"),
            ("P@a2", "b1a2"),
            ("e2e4", "e2e3"),
            ("e2e4", "d2e4"),
            ("0000", "a1a1"),
        ] {
            assert_eq!(of(None, &moves(one)), format!("position startpos moves {one}"));
            assert_eq!(of(None, &moves(other)), format!("position startpos moves {other}"));
        }
    }

    #[test]
    fn every_go_form_is_written() {
        let clocks = |moves_to_go| Clocks {
            white: Duration::from_millis(1234),
            black: Duration::from_secs(2),
            white_increment: Duration::from_millis(80),
            black_increment: Duration::ZERO,
            moves_to_go,
        };
        let time = Some(Timed::Clock(clocks(None)));
        for (go, text) in [
            (Go::Clock(clocks(None)), "go wtime 1234 btime 2000 winc 80 binc 0\n"),
            (Go::Clock(clocks(Some(40))), "go wtime 1234 btime 2000 winc 80 binc 0 movestogo 40\n"),
            (
                Go::Combined { time, nodes: Some(7), depth: None },
                "go wtime 1234 btime 2000 winc 80 binc 0 nodes 7\n",
            ),
            (Go::Combined { time: None, nodes: Some(7), depth: Some(3) }, "go nodes 7 depth 3\n"),
            (Go::MoveTime(Duration::from_millis(100)), "go movetime 100\n"),
            (Go::Nodes(5000), "go nodes 5000\n"),
            (Go::Depth(8), "go depth 8\n"),
        ] {
            let mut command = Vec::new();
            write_go(&mut command, &go, &[]);
            assert_eq!(String::from_utf8(command).unwrap(), text);
        }
        let mut command = Vec::new();
        write_ponder(&mut command, &Go::Clock(clocks(None)));
        assert_eq!(command, b"go ponder wtime 1234 btime 2000 winc 80 binc 0\n");
        let mut command = Vec::new();
        write_go(&mut command, &Go::Nodes(50), &moves("e2e4 a7a8q"));
        assert_eq!(command, b"go nodes 50 searchmoves e2e4 a7a8q\n");
    }

    #[test]
    fn only_a_move_is_a_best_move() {
        for (line, is_move) in [
            (&b"bestmove e2e4 ponder e7e5"[..], true),
            (b"  bestmove a7a8q", true),
            (b"bestmove (none)", false),
            (b"bestmove 0000", false),
            (b"bestmove", false),
            (b"bestmove \xff\xff", false),
            (b"bestmove N@f3", true),
            (b"bestmove N@", false),
        ] {
            let Message::BestMove(word, _) = parse_message(line.trim_ascii()) else { panic!() };
            assert_eq!(best_move(word).is_some(), is_move, "{}", line.escape_ascii());
        }
        for (line, ponder) in [
            (&b"bestmove e2e4 ponder e7e5"[..], &b"e7e5"[..]),
            (b"bestmove e2e4 ponder", b""),
            (b"bestmove e2e4", b""),
            (b"bestmove e2e4 e7e5", b""),
        ] {
            assert_eq!(parse_message(line), Message::BestMove(b"e2e4", ponder));
        }
        assert_eq!(parse_message(b"bestmoves e2e4"), Message::Other);
    }
}
