//! The text of the Universal Chess Interface: `position`, `go`, `info`, `bestmove`.
//!
//! Source: Stefan Meyer-Kahlen, "Description of the universal chess interface", April 2006.

use std::io::Write;
use std::time::Duration;

use shakmaty::uci::UciMove;

use super::{Go, Info, Line, Score, Timed};

/// The `position` command of a game, extended move by move.
#[derive(Default)]
pub struct PositionCommand {
    text: Vec<u8>,
    fen: Option<String>,
    moves: Vec<UciMove>,
}

impl PositionCommand {
    /// The command without its line end.
    pub fn of(&mut self, line: Line<'_>) -> &[u8] {
        let grows = !self.text.is_empty()
            && self.fen.as_deref() == line.fen
            && line.moves.starts_with(&self.moves);
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
        for &played in &line.moves[self.moves.len()..] {
            if self.moves.is_empty() {
                self.text.extend_from_slice(b" moves");
            }
            self.text.push(b' ');
            played.append_ascii_to(&mut self.text);
            self.moves.push(played);
        }
        &self.text
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
    let mut number = |name: &str, value: u128| {
        write!(command, " {name} {value}").expect("writing to a `Vec` cannot fail");
    };
    match time {
        Some(Timed::Clock(clocks)) => {
            // Engines take a clock of 0 for no clock, and search for ever.
            number("wtime", clocks.white.as_millis().max(1));
            number("btime", clocks.black.as_millis().max(1));
            number("winc", clocks.white_increment.as_millis());
            number("binc", clocks.black_increment.as_millis());
            clocks.moves_to_go.into_iter().for_each(|moves| number("movestogo", moves.into()));
        }
        Some(Timed::MoveTime(time)) => number("movetime", time.as_millis()),
        None => {}
    }
    nodes.into_iter().for_each(|nodes| number("nodes", nodes.into()));
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

/// Parses what follows `info`, if it has a score: of the best line into `best`, of another one
/// (`multipv 2`) into `further`. Returns whether it is the best line; `None` without a score.
///
/// Bounds (`lowerbound`, `upperbound`) and free text (`string`) have none; then both are unchanged.
/// The memory of their PVs is reused.
pub fn read_info(text: &[u8], best: &mut Info, further: &mut Info) -> Option<bool> {
    let mut info = Info { line: 1, ..Info::default() };
    let mut words = words(text);
    let mut pv_starts = None;
    while let Some(word) = words.next() {
        match word {
            b"depth" => info.depth = words.next().and_then(number),
            b"seldepth" => info.seldepth = words.next().and_then(number),
            b"nodes" => info.nodes = words.next().and_then(number),
            b"nps" => info.nps = words.next().and_then(number),
            b"hashfull" => info.hashfull = words.next().and_then(number),
            b"tbhits" => info.tbhits = words.next().and_then(number),
            b"time" => {
                info.time = words.next().and_then(number).map(Duration::from_millis);
            }
            b"score" => info.score = read_score(words.next(), words.next()),
            b"multipv" => info.line = words.next().and_then(number).unwrap_or(1),
            b"lowerbound" | b"upperbound" => {
                info.score = None;
                break;
            }
            b"pv" => {
                pv_starts = Some(words.clone());
                // The PV is the last thing in a line; a few engines put more behind it.
                while words.clone().next().is_some_and(|word| UciMove::from_ascii(word).is_ok()) {
                    words.next();
                }
            }
            b"string" => break,
            _ => {}
        }
    }
    info.score?;
    let is_best = info.line == 1;
    let into = if is_best { best } else { further };
    let mut pv = std::mem::take(&mut into.pv);
    pv.clear();
    if let Some(words) = pv_starts {
        pv.extend(words.map_while(|word| UciMove::from_ascii(word).ok()));
    }
    info.pv = pv;
    *into = info;
    Some(is_best)
}

fn read_score(unit: Option<&[u8]>, value: Option<&[u8]>) -> Option<Score> {
    // `i32::MIN` has no negation, which a change of sides needs.
    let value = number::<i32>(value?)?.max(-i32::MAX);
    match unit? {
        b"cp" => Some(Score::Centipawns(value)),
        b"mate" => Some(Score::Mate(value)),
        _ => None,
    }
}

fn number<T: std::str::FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
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
            String::from_utf8(command.of(Line { fen, moves }).to_vec()).unwrap()
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
    fn an_info_with_a_score_is_read_whole() {
        let mut info = Info::default();
        let line = b" depth 12 seldepth 18 multipv 1 score cp -31 wdl 1 2 3 nodes 51234 nps 99 \
            hashfull 7 tbhits 3 time 42 pv e2e4 e7e5 g1f3";
        assert_eq!(read(line, &mut info), Some(true));
        assert_eq!(info.depth, Some(12));
        assert_eq!(info.seldepth, Some(18));
        assert_eq!(info.score, Some(Score::Centipawns(-31)));
        assert_eq!(info.nodes, Some(51234));
        assert_eq!((info.nps, info.hashfull, info.tbhits), (Some(99), Some(7), Some(3)));
        assert_eq!(info.time, Some(Duration::from_millis(42)));
        assert_eq!(info.pv, moves("e2e4 e7e5 g1f3"));
    }

    #[test]
    fn what_stands_behind_the_pv_counts_too() {
        let mut info = Info::default();
        let line = b"depth 3 pv e2e4 e7e5 score mate -2 nodes 7";
        assert_eq!(read(line, &mut info), Some(true));
        assert_eq!((info.score, info.nodes), (Some(Score::Mate(-2)), Some(7)));
        assert_eq!(info.pv, moves("e2e4 e7e5"));
    }

    #[test]
    fn every_score_has_an_opposite() {
        let mut info = Info::default();
        assert_eq!(read(b"depth 1 score cp -2147483648", &mut info), Some(true));
        assert_eq!(info.score, Some(Score::Centipawns(-i32::MAX)));
        assert_eq!(read(b"depth 1 score mate -2147483648", &mut info), Some(true));
        assert_eq!(info.score, Some(Score::Mate(-i32::MAX)));
    }

    fn read(line: &[u8], info: &mut Info) -> Option<bool> {
        read_info(line, info, &mut Info::default())
    }

    #[test]
    fn a_further_line_leaves_the_best_one_as_it_was() {
        let (mut best, mut further) = (Info::default(), Info::default());
        read_info(b"depth 3 multipv 1 score cp 7 pv e2e4", &mut best, &mut further);
        let before = best.clone();
        let line = b"depth 3 multipv 2 score cp 1 pv d2d4";
        assert_eq!(read_info(line, &mut best, &mut further), Some(false));
        assert_eq!((&best, further.line, &further.pv), (&before, 2, &moves("d2d4")));
    }

    #[test]
    fn bounds_and_text_are_no_scores() {
        let mut info = Info::default();
        assert_eq!(read(b"depth 3 score cp 7 pv e2e4", &mut info), Some(true));
        let before = info.clone();
        for line in [
            &b"depth 4 score cp 99 lowerbound nodes 1 pv d2d4"[..],
            b"depth 4 score cp 99 upperbound",
            b"string score cp 5",
            b"depth 4 currmove e2e4 currmovenumber 1",
            b"depth 4 score cp \xff\xfe",
            b"score",
            b"score cp",
            b"",
        ] {
            assert_eq!(read(line, &mut info), None);
            assert_eq!(info, before, "{}", line.escape_ascii());
        }
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
