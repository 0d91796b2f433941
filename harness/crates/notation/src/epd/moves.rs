//! Parsing of moves in SAN and UCI notation.

use shakmaty::san::San;
use shakmaty::{Chess, Move, Position};

use super::error::LineError;
use super::line::{Operand, Operation};
use crate::pgn::{NoMove, find_shakmaty_move, glyphs, why_no_move};

/// The moves that an operation such as `bm` names.
pub(super) fn of_operation(
    position: &Chess,
    operation: &Operation,
) -> Result<Vec<Move>, LineError> {
    let mut moves = Vec::new();
    for operand in &operation.operands {
        for (text, start) in tokens(operand) {
            let span = start..start + text.len();
            // A move number or a glyph on its own.
            if is_sign(without_number(text)) {
                continue;
            }
            moves.push(read(position, text).map_err(|why| describe(&why, position, text, span))?);
        }
    }
    if moves.is_empty() {
        let what = format!("`{}` without a move", operation.opcode);
        return Err(LineError::at(operation.span.clone(), what));
    }
    Ok(moves)
}

/// Tokens between blanks and commas, each with its place in the line.
pub(super) fn tokens(operand: &Operand) -> impl Iterator<Item = (&str, usize)> {
    let mut at = operand.span.start;
    operand.text.split([',', ' ', '\t']).filter_map(move |token| {
        let start = at;
        at += token.len() + 1;
        (!token.is_empty()).then_some((token, start))
    })
}

/// The error for a move, with legal alternatives.
pub(super) fn describe(
    why: &NoMove,
    position: &Chess,
    text: &str,
    span: std::ops::Range<usize>,
) -> LineError {
    let side = position.turn().fold_wb("White", "Black");
    let legal = position.legal_moves();
    let square = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let to = square.get(square.len().saturating_sub(2)..).and_then(|to| to.parse().ok());
    let near: Vec<String> = legal
        .iter()
        .filter(|m| Some(m.to()) == to)
        .map(|&m| San::from_move(position, m).to_string())
        .collect();
    let choice = if near.is_empty() {
        format!("{side}, who is to move, has {} legal moves, none of them there", legal.len())
    } else {
        format!("legal moves of {side} to that square: {}", near.join(", "))
    };
    let is_mate = text.strip_prefix('#').is_some_and(|moves| moves.parse::<i32>().is_ok());
    match why {
        NoMove::Unreadable if is_mate => {
            LineError::at(span, format!("`{text}` is the length of a mate and not a move"))
                .with_help("name the moves that mate the soonest, such as `bm Qh7#;`")
        }
        NoMove::Unreadable => LineError::at(span, format!("`{text}` is not written as a move"))
            .with_help("moves are read in SAN (`Qd1+`, `exd5`, `O-O`, `e8=Q`) and UCI (`e2e4`)"),
        NoMove::Illegal => {
            LineError::at(span, format!("`{text}` is not legal here")).with_help(choice)
        }
        NoMove::Ambiguous => {
            LineError::at(span, format!("`{text}` could be more than one move")).with_help(choice)
        }
    }
}

/// Reads a move as in PGN, behind its number or without one.
pub(super) fn read(position: &Chess, text: &str) -> Result<Move, NoMove> {
    let word = without_number(text).as_bytes();
    match find_shakmaty_move(position, word) {
        Some((legal, _)) => Ok(legal),
        None => Err(why_no_move(position, word)),
    }
}

/// The text without the number of the move.
fn without_number(text: &str) -> &str {
    let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if behind.starts_with('.') { behind.trim_start_matches('.') } else { text }
}

/// Whether a text is no move, but signs that stand alone, or nothing.
fn is_sign(text: &str) -> bool {
    glyphs::all(text).is_some()
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;
    use shakmaty::fen::Fen;

    use super::*;

    fn position(fen: &str) -> Chess {
        let fen: Fen = fen.parse().expect("valid");
        let mode = CastlingMode::detect(fen.as_setup());
        fen.into_position(mode).expect("valid")
    }

    #[test]
    fn one_move_may_be_written_in_many_ways() {
        let cases: [(&str, &[&str]); 6] = [
            (
                "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1",
                &["exd5", "ed5", "e4d5", "e4xd5", "exd5!", "e4:d5"],
            ),
            (
                "4k3/P7/8/8/8/8/8/4K3 w - - 0 1",
                &["a8=Q", "a8Q", "a8=Q+", "a7a8q", "a8(Q)", "a8=q", "a8/Q", "a7-a8=Q"],
            ),
            (
                "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
                &["O-O", "0-0", "o-o", "e1g1", "e1h1", "O-O+", "O-O!?"],
            ),
            (
                "4k3/8/8/8/8/8/8/1N2K1N1 w - - 0 1",
                &["Ne2", "Ng1e2", "Ng1-e2", "Nge2", "g1e2", "♘e2", "♞\u{fe0e}g1e2", "1.Ne2"],
            ),
            (
                "4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 1",
                &["dxe6", "de6", "d5e6", "dxe6e.p.", "dxe6ep", "♙dxe6!?", "3.dxe6", "3...dxe6±"],
            ),
            (
                "1k1r4/pp6/8/8/8/8/8/2K5 b - - 0 1",
                &["Rd1+", "Rd1", "Rd1++", "Rd1#", "d8d1", "Rd1mate", "Rd1#!!", "Rd8:d1+/-"],
            ),
        ];
        for (fen, texts) in cases {
            let position = position(fen);
            let first = read(&position, texts[0]).expect("legal");
            for text in texts {
                assert_eq!(read(&position, text).ok(), Some(first), "{text}");
            }
        }
    }

    #[test]
    fn moves_that_are_not_are_told_apart() {
        let knights = position("4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1");
        assert!(matches!(read(&knights, "Ne2"), Err(NoMove::Ambiguous)));
        assert!(matches!(read(&knights, "Nd6"), Err(NoMove::Illegal)));
        assert!(matches!(read(&knights, "O-O"), Err(NoMove::Illegal)));
        assert!(matches!(read(&knights, "a7a8q"), Err(NoMove::Illegal)));
        for text in ["", "--", "x", "Nj9", "the best", "♘d6"] {
            assert!(read(&knights, text).is_err(), "{text}");
        }
    }
}
