//! Points for moves, in the two notations of published suites.

use shakmaty::{Chess, Move};

use super::error::LineError;
use super::line::{Operation, operation};
use super::moves;
use crate::pgn::NoMove;

/// Points for moves; empty where moves are not scored.
///
/// Either `c0 "f5=10, Be5+=2"`, or scores in `c8` for the moves in `c9`
/// (Strategic Test Suite, editions 2 and later), or in `c7`, where they are in SAN, if there is no `c9`. Anything else in
/// these is a comment.
pub(super) fn of_operations(
    position: &Chess,
    operations: &[Operation],
) -> Result<Vec<(Move, u32)>, LineError> {
    if let Some(c0) = operation(operations, "c0")
        && let Some(points) = pairs(position, c0)?
    {
        return Ok(points);
    }
    let named = operation(operations, "c9").or_else(|| operation(operations, "c7"));
    match (operation(operations, "c8"), named) {
        (Some(scores), Some(moves)) => columns(position, scores, moves),
        _ => Ok(Vec::new()),
    }
}

/// `f5=10, Be5+=2`; `None` when it is a comment.
fn pairs(position: &Chess, c0: &Operation) -> Result<Option<Vec<(Move, u32)>>, LineError> {
    let mut points = Vec::new();
    let mut unreadable = None;
    for operand in &c0.operands {
        for (token, start) in moves::tokens(operand) {
            let Some((text, score)) = token.rsplit_once('=') else { return Ok(None) };
            let place = start + token.len() - score.len();
            let Ok(score) = score.parse() else {
                let is_move = is_other_number(score) && moves::read(position, text).is_ok();
                return if is_move { Err(wrong_points(score, place)) } else { Ok(None) };
            };
            let describe = |why| moves::describe(&why, position, text, start..start + text.len());
            match moves::read(position, text) {
                Ok(best) => points.push((best, score)),
                Err(why @ NoMove::Unreadable) => {
                    unreadable.get_or_insert_with(|| describe(why));
                }
                Err(why) => return Err(describe(why)),
            }
        }
    }
    // "elo=2500": without a move it is a comment.
    match unreadable.filter(|_| !points.is_empty()) {
        Some(error) => Err(error),
        None => Ok(Some(points).filter(|points| !points.is_empty())),
    }
}

/// Whether a text is a number that cannot be points.
fn is_other_number(text: &str) -> bool {
    let is_numeric = text.bytes().any(|byte| byte.is_ascii_digit());
    is_numeric && text.parse::<u32>().is_err() && text.parse::<f64>().is_ok()
}

fn wrong_points(text: &str, start: usize) -> LineError {
    LineError::at(start..start + text.len(), format!("`{text}` is no number of points"))
        .with_help("points are whole numbers from 0 on: multiply all of the suite, or round them")
}

/// `10 6 5 1` for `f4f5 e3d4 h2h4 a2a3`.
fn columns(
    position: &Chess,
    scores: &Operation,
    named: &Operation,
) -> Result<Vec<(Move, u32)>, LineError> {
    let tokens: Vec<(&str, usize)> = scores.operands.iter().flat_map(moves::tokens).collect();
    let points = tokens.iter().map(|(token, _)| token.parse());
    let Ok(points) = points.collect::<Result<Vec<u32>, _>>() else {
        // A comment has words.
        let is_number = |token: &str| token.parse::<u32>().is_ok() || is_other_number(token);
        let is_comment = !tokens.iter().all(|(token, _)| is_number(token));
        let wrong = tokens.iter().find(|(token, _)| is_other_number(token));
        return match wrong.filter(|_| !is_comment) {
            Some((token, start)) => Err(wrong_points(token, *start)),
            None => Ok(Vec::new()),
        };
    };
    let moves = moves::of_operation(position, named)?;
    if moves.len() != points.len() {
        let Operation { opcode, span, .. } = named;
        let what = format!("{} scores in c8 for {} moves in {opcode}", points.len(), moves.len());
        return Err(LineError::at(span.clone(), what)
            .with_help("c8 gives the points of the moves in c9, one each, in the same order"));
    }
    Ok(moves.into_iter().zip(points).collect())
}
