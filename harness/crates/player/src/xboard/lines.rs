//! The lines of an xboard engine, and commands that need more than a word.

use std::time::Duration;

use shakmaty::uci::UciMove;
use shakmaty::{Color, Role, Square};

use super::super::{Clocks, Info, Line, Score};
use harness_base::text::fen::is_black_to_move;

/// Scores from here on are mates, in moves beyond it.
const MATE: i32 = 100_000;

/// A line that an engine prints while it thinks.
#[derive(Debug, PartialEq)]
pub enum Message<'a> {
    /// Its move.
    Move(&'a [u8]),
    /// It resigns.
    Resignation,
    /// It claims a result: who won, `None` a draw.
    Result(Option<Color>),
    /// It does not take the move that it was sent.
    Refusal,
    /// Something that the user should see.
    Complaint,
    /// Its thinking output.
    Thinking(Info),
    /// Anything else.
    Other,
}

/// Classifies a line.
pub fn parse(line: &[u8]) -> Message<'_> {
    let mut words = words(line);
    match words.next() {
        Some(b"move") => Message::Move(words.next().unwrap_or_default()),
        // The form of version 1, which GNU Chess still prints.
        Some(b"My") if line.starts_with(b"My move is") => {
            Message::Move(words.last().unwrap_or_default())
        }
        Some(b"resign") => Message::Resignation,
        Some(b"1-0") => Message::Result(Some(Color::White)),
        Some(b"0-1") => Message::Result(Some(Color::Black)),
        Some(b"1/2-1/2") => Message::Result(None),
        Some(b"Illegal") if is_refusal(line) => Message::Refusal,
        Some(b"tellusererror") => Message::Complaint,
        Some(first) => thinking(first, words).map_or(Message::Other, Message::Thinking),
        None => Message::Other,
    }
}

/// `Illegal move: e2e4`, also with a reason. Some engines say the same of commands that they do not
/// know: `Illegal move: sd 4`.
fn is_refusal(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"Illegal move") else { return false };
    let text = rest.splitn(2, |&byte| byte == b':').nth(1).unwrap_or_default().trim_ascii();
    text.is_empty() || read_move(text).is_some()
}

/// `PLY SCORE TIME NODES PV`; the ply may have a sign behind it, the time is in hundredths of a
/// second.
fn thinking<'a>(ply: &[u8], mut rest: impl Iterator<Item = &'a [u8]>) -> Option<Info> {
    let digits = ply.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let depth = number(&ply[..digits])?;
    let score: i32 = number(rest.next()?)?;
    let time: u64 = number(rest.next()?)?;
    let nodes = number(rest.next()?)?;
    let score = match score {
        _ if score >= MATE => Score::Mate((score - MATE).max(1)),
        _ if score <= -MATE => Score::Mate(score.saturating_add(MATE)),
        _ => Score::Centipawns(score),
    };
    Some(Info {
        depth: Some(depth),
        score: Some(score),
        nodes: Some(nodes),
        time: Some(Duration::from_millis(time.saturating_mul(10))),
        line: 1,
        pv: rest.map_while(read_move).collect(),
        ..Info::default()
    })
}

fn number<T: std::str::FromStr>(word: &[u8]) -> Option<T> {
    let text = std::str::from_utf8(word).ok()?;
    text.strip_prefix('+').unwrap_or(text).parse().ok()
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// A move in coordinates; promotions may be written with a capital letter.
pub fn read_move(word: &[u8]) -> Option<UciMove> {
    UciMove::from_ascii(&word.to_ascii_lowercase()).ok().filter(|read| read.is_normal())
}

/// A move that the engine makes: in coordinates, or castling as `O-O`.
pub fn read_answer(word: &[u8], turn: Color) -> Option<UciMove> {
    let castling = match (word.trim_ascii_end(), turn) {
        (b"O-O" | b"0-0" | b"o-o", Color::White) => b"e1g1",
        (b"O-O" | b"0-0" | b"o-o", Color::Black) => b"e8g8",
        (b"O-O-O" | b"0-0-0" | b"o-o-o", Color::White) => b"e1c1",
        (b"O-O-O" | b"0-0-0" | b"o-o-o", Color::Black) => b"e8c8",
        _ => return read_move(word),
    };
    read_move(castling)
}

/// Who is to move.
pub fn turn(line: Line<'_>) -> Color {
    let first = Color::from_black(line.fen.is_some_and(is_black_to_move));
    if line.moves.len().is_multiple_of(2) { first } else { !first }
}

/// The `level` command of a clock before the first move; later ones only where its period began
/// again, which `time` tells the engine: `None`.
pub fn level(clocks: &Clocks, turn: Color, is_first: bool) -> Option<String> {
    if !is_first {
        return None;
    }
    let (left, increment) = turn
        .fold_wb((clocks.white, clocks.white_increment), (clocks.black, clocks.black_increment));
    // A clock of no seconds is none to some engines.
    let seconds = left.saturating_sub(increment).as_secs().max(1);
    let minutes = seconds / 60;
    let seconds = seconds % 60;
    let moves = clocks.moves_to_go.unwrap_or(0);
    Some(format!("level {moves} {minutes}:{seconds:02} {}\n", increment.as_secs_f64()))
}

/// The `edit` commands that set a position up, for engines without `setboard`; `None` if it is no
/// FEN. They say nothing of castling rights and en passant.
pub fn edit(fen: &str) -> Option<String> {
    let mut parts = fen.split_whitespace();
    let board = parts.next()?;
    // The side to move is that after the moves so far; xboard does the same.
    let mut commands = match parts.next()? {
        "b" => "a2a3\n".to_owned(),
        _ => String::new(),
    };
    commands.push_str("edit\n#\n");
    for color in [Color::White, Color::Black] {
        if color == Color::Black {
            commands.push_str("c\n");
        }
        for (rank, row) in (0..8_u32).rev().zip(board.split('/')) {
            let mut file = 0;
            for letter in row.chars() {
                if let Some(empty) = letter.to_digit(10) {
                    file += empty;
                    continue;
                }
                let square = Square::try_from(8 * rank + file).ok()?;
                let role = Role::from_char(letter)?;
                if letter.is_uppercase() == color.is_white() {
                    commands.push_str(&format!("{}{square}\n", role.upper_char()));
                }
                file += 1;
            }
        }
    }
    commands.push_str(".\n");
    Some(commands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        for (line, message) in [
            (&b"move e2e4"[..], Message::Move(b"e2e4")),
            (b"My move is : d7d5", Message::Move(b"d7d5")),
            (b"My move is: d7d5", Message::Move(b"d7d5")),
            (b"1. ... d7d5", Message::Other),
            (b"resign", Message::Resignation),
            (b"0-1 {Black mates}", Message::Result(Some(Color::Black))),
            (b"1/2-1/2 {Draw by repetition}", Message::Result(None)),
            (b"Illegal move: e2e5", Message::Refusal),
            (b"Illegal move (in check): e2e5", Message::Refusal),
            (b"Illegal move: sd 4", Message::Other),
            (b"tellusererror out of memory", Message::Complaint),
            (b"Error (unknown command): usermove", Message::Other),
            (b"# comment 1 2 3", Message::Other),
            (b"", Message::Other),
        ] {
            assert_eq!(parse(line), message, "{}", line.escape_ascii());
        }
    }

    #[test]
    fn thinking_is_read_with_its_score_and_the_moves_in_coordinates() {
        let Message::Thinking(info) = parse(b" 9. +25 130 48000 e2e4 e7e5 Nf3") else { panic!() };
        assert_eq!((info.depth, info.score), (Some(9), Some(Score::Centipawns(25))));
        assert_eq!((info.nodes, info.time), (Some(48_000), Some(Duration::from_millis(1300))));
        assert_eq!(info.pv.len(), 2);
        for (score, expected) in [("100003", Score::Mate(3)), ("-100002", Score::Mate(-2))] {
            let line = format!("5 {score} 1 2");
            let Message::Thinking(info) = parse(line.as_bytes()) else { panic!("{line}") };
            assert_eq!(info.score, Some(expected));
        }
        for line in ["5 x 1 2", "5 10", "x 1 2 3 4"] {
            assert_eq!(parse(line.as_bytes()), Message::Other, "{line}");
        }
    }

    #[test]
    fn moves_are_coordinates_and_nothing_else() {
        assert_eq!(read_move(b"e7e8Q").map(|read| read.to_string()).as_deref(), Some("e7e8q"));
        for text in [&b"Nf3"[..], b"O-O", b"0000", b"", b"\xff"] {
            assert_eq!(read_move(text), None);
        }
        let castling = |text: &[u8], turn| read_answer(text, turn).map(|read| read.to_string());
        assert_eq!(castling(b"O-O", Color::White).as_deref(), Some("e1g1"));
        assert_eq!(castling(b"O-O-O", Color::Black).as_deref(), Some("e8c8"));
        assert_eq!(castling(b"e2e4", Color::White).as_deref(), Some("e2e4"));
    }

    #[test]
    fn a_level_has_the_period_the_base_and_the_increment() {
        let clocks = |white, moves_to_go| Clocks {
            white: Duration::from_millis(white),
            black: Duration::from_secs(1),
            white_increment: Duration::from_millis(500),
            black_increment: Duration::ZERO,
            moves_to_go,
        };
        let white = |clocks| level(&clocks, Color::White, true);
        assert_eq!(white(clocks(90_500, Some(40))).as_deref(), Some("level 40 1:30 0.5\n"));
        assert_eq!(white(clocks(200, None)).as_deref(), Some("level 0 0:01 0.5\n"));
        assert_eq!(level(&clocks(1, None), Color::White, false), None);
    }

    #[test]
    fn a_position_is_edited_piece_by_piece() {
        assert_eq!(
            edit("4k3/8/8/8/8/8/4P3/4K2R b K - 0 1").as_deref(),
            Some("a2a3\nedit\n#\nPe2\nKe1\nRh1\nc\nKe8\n.\n")
        );
        assert_eq!(edit("4k3/9x w - -"), None);
        assert_eq!(edit("rubbish"), None);
    }

    #[test]
    fn the_side_to_move_follows_from_the_start_and_the_moves() {
        let moves: Vec<UciMove> = vec!["e2e4".parse().unwrap()];
        let black = "4k3/8/8/8/8/8/8/4K3 b - - 0 1";
        for (fen, count, expected) in [
            (None, 0, Color::White),
            (None, 1, Color::Black),
            (Some(black), 0, Color::Black),
            (Some(black), 1, Color::White),
        ] {
            assert_eq!(turn(Line { fen, moves: &moves[..count] }), expected);
        }
    }
}
