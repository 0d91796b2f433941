//! Lines of UCI: commands as the engine reads them, answers as the harness does.

use engine::board::Position;
use engine::params::Values;
use engine::search::{MAX_PLY, Root};
use engine::uci::command::{self, Command, Go};
use engine::uci::options;
use harness_player::uci::{Message, best_move, parse_message, read_info};
use harness_player::{DeclaredOption, Info, Limit, TimeControl, parse_movetime};
use shakmaty::uci::UciMove;

use crate::board::sound;

/// The engine's parser: lines of commands, of which `position` sets up the next ones.
pub fn uci(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut root = Root::new(Position::startpos());
    for line in text.split('\n') {
        let chess960 = line.len() % 2 == 1;
        match Command::parse(line) {
            Ok(Some(Command::SetOption(arguments))) => {
                if let Err(error) = options::parse::<Values>(arguments) {
                    assert!(!error.to_string().is_empty());
                }
            }
            Ok(Some(Command::Position(arguments))) => {
                match command::position(arguments, chess960) {
                    Ok(read) => {
                        sound(read.position());
                        root = read;
                    }
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
            }
            Ok(Some(Command::Go(arguments))) => go(arguments, root.position(), chess960),
            _ => {}
        }
    }
}

fn go(arguments: &str, position: &Position, chess960: bool) {
    let (go, faults) = command::go(arguments, position, chess960);
    assert!(faults.iter().all(|fault| !fault.to_string().is_empty()));
    match go {
        Go::Perft(depth) => assert!(depth <= 32),
        Go::Search { limits, infinite, .. } => {
            assert!(limits.depth.is_none_or(|depth| (1..=MAX_PLY as u32).contains(&depth)));
            assert!(limits.nodes != Some(0) && limits.mate != Some(0));
            assert!(limits.search_moves.iter().all(|&m| position.is_legal(m)));
            let limited = limits.depth.is_some()
                || limits.nodes.is_some()
                || limits.mate.is_some()
                || limits.move_time.is_some()
                || limits.clock.is_some();
            assert!(limited || infinite, "a search without an end is held back until `stop`");
        }
    }
}

/// The harness's parsers of what engines print, and of limits.
pub fn replies(data: &[u8]) {
    let (mut best, mut further) = (Info::default(), Info::default());
    // As the pipe hands lines out.
    for line in data.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii) {
        match parse_message(line) {
            Message::Info(text) => {
                let before = best.clone();
                let read = read_info(text, &mut best, &mut further);
                match read.is_best {
                    Some(true) => best.pv.iter().for_each(same_move),
                    Some(false) => further.pv.iter().for_each(same_move),
                    None => {}
                }
                if before != best {
                    assert!(best.line == 1);
                }
                if read
                    .is_best
                    .is_some_and(|is_best| [&further, &best][usize::from(is_best)].score.is_none())
                {
                    assert!(read.odd.is_some(), "a score is left out without a word");
                }
            }
            Message::BestMove(word, reply) => {
                for word in [word, reply] {
                    if let Some(best) = best_move(word) {
                        same_move(&best);
                    }
                }
            }
            Message::Other => {}
        }
        let Ok(text) = std::str::from_utf8(line) else { continue };
        if let Some(option) = text.strip_prefix("option ").and_then(DeclaredOption::parse) {
            assert!(!option.name.is_empty() && !option.name.contains(['\n', '\r']));
        }
        limits(text);
    }
}

fn same_move(m: &UciMove) {
    assert_eq!(m.to_string().parse::<UciMove>().ok().as_ref(), Some(m));
}

/// A limit that was read is written as one that is read as the same.
fn limits(text: &str) {
    if let Ok(limit) = text.parse::<Limit>() {
        let again: Limit = limit.to_string().parse().expect("as it was written");
        assert_eq!(again.to_string(), limit.to_string());
    }
    if let Ok(control) = text.parse::<TimeControl>() {
        let again: TimeControl = control.to_string().parse().expect("as it was written");
        assert_eq!(again.to_string(), control.to_string());
    }
    // A time that no clock can hold is an error rather than a panic.
    let _ = parse_movetime(text);
}
