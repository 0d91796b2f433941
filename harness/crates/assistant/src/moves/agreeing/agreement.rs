//! Whether a legal move has all that a sentence says of it.

use super::super::{folded, promotion, wings};
use super::clues::{Clue, Part};
use crate::context::Context;

/// Whether a legal move has all that is said.
pub fn agrees(clues: &[Clue], (uci, san): &(String, String), context: &Context) -> bool {
    let (Some(from), Some(to)) = (uci.get(..2), uci.get(2..4)) else { return false };
    let castles = san.starts_with("O-O");
    let is_short = castles && !san.starts_with("O-O-O");
    let moved = if castles {
        'K'
    } else {
        san.chars().next().filter(char::is_ascii_uppercase).unwrap_or('P')
    };
    let captures = san.contains('x');
    // What is taken in passing stands elsewhere; where the position is not known, it may be any piece.
    let taken = captures.then(|| match context.piece_on(to) {
        Some(there) => there.to_ascii_uppercase(),
        None if context.fen.is_empty() => '?',
        None => 'P',
    });
    let becomes = promotion(san);
    let is_said = |wanted: &Clue| clues.contains(wanted);
    let names_king =
        clues.iter().any(|clue| matches!(clue, Clue::Piece('K', _))) || is_said(&Clue::Castles);
    let names_new = clues.iter().any(|clue| matches!(clue, Clue::Piece(_, Part::Becomes)));
    let names_other = |letter: char| {
        clues.iter().any(|clue| matches!(clue, Clue::Piece(other, _) if *other == letter))
    };
    let agrees = |clue: &Clue| match clue {
        Clue::Piece(..) => true,
        Clue::NoPiece(letter) => {
            moved != *letter && taken != Some(*letter) && becomes != Some(*letter)
        }
        Clue::Square(square, Some(true)) => to == square,
        Clue::Square(square, Some(false)) => from == square,
        Clue::Square(square, None) => to == square || from == square,
        Clue::NoSquare(square) => to != square && from != square,
        Clue::Written(written) => *written == folded(san) || *written == folded(uci),
        Clue::Origin(origin) => origin.has(uci),
        Clue::Line(line) => line.has(uci),
        Clue::Wing(wing) => wing.has(moved, from.chars().next().unwrap_or_default()),
        Clue::Ranks(ranks) => moved == 'P' && wings::advance(uci) == Some(*ranks),
        Clue::Side(of_king) if castles => is_short == *of_king,
        // "The king hides on the queen's side" is castling.
        Clue::Side(of_king) => {
            !names_king && from.starts_with(|file| "efgh".contains(file) == *of_king)
        }
        Clue::Castles => castles,
        Clue::Takes => captures,
        Clue::Passes => captures && context.piece_on(to).is_none() && moved == 'P',
        Clue::Promotes => becomes.is_some(),
        Clue::Pushes => moved == 'P' || clues.iter().any(|clue| matches!(clue, Clue::Piece(..))),
        Clue::FromHome => is_home(moved, from),
        Clue::Centre => ["d4", "e4", "d5", "e5"].contains(&to),
        Clue::Corner => [from, to].iter().any(|square| ["a1", "a8", "h1", "h8"].contains(square)),
        Clue::Mates => true,
    };
    // Nothing else is said of castling than the king, the rook and the side.
    let is_castled = !castles
        || clues
            .iter()
            .any(|clue| matches!(clue, Clue::Side(_) | Clue::Castles | Clue::Square(..)))
            && (names_king || names_other('R') || is_said(&Clue::Castles));
    let squares = clues.iter().filter(|clue| matches!(clue, Clue::Square(..))).count();
    is_castled
        && squares < 3
        && (becomes.is_none_or(|piece| piece == 'Q')
            || names_new
            || becomes.is_some_and(names_other))
        && clues.iter().all(agrees)
        && pieces_agree(clues, moved, taken, becomes, castles)
}

/// Whether each piece that is named has a part in the move of its own.
fn pieces_agree(
    clues: &[Clue],
    moved: char,
    taken: Option<char>,
    becomes: Option<char>,
    castles: bool,
) -> bool {
    let mut free = [
        (Part::Moves, Some(moved)),
        (Part::Taken, taken),
        (Part::Becomes, becomes),
        (Part::Any, castles.then_some('R')),
    ];
    let mut named: Vec<(char, Part)> = clues
        .iter()
        .filter_map(|clue| match clue {
            Clue::Piece(letter, part) => Some((*letter, *part)),
            _ => None,
        })
        .collect();
    // Those of which more is said choose first.
    named.sort_by_key(|(_, part)| matches!(part, Part::Any));
    named.into_iter().all(|(letter, part)| {
        let fits = |(of, there): &(Part, Option<char>)| {
            let is_part = match part {
                Part::Any => true,
                Part::Own => *of != Part::Taken,
                part => *of == part,
            };
            is_part && (*there == Some(letter) || (*there == Some('?') && *of == Part::Taken))
        };
        let Some(place) = free.iter().position(fits) else { return false };
        free[place].1 = None;
        true
    })
}

/// Whether a piece begins a game on a square.
fn is_home(moved: char, from: &str) -> bool {
    let (file, rank) = from.split_at(1);
    match moved {
        'P' => matches!(rank, "2" | "7"),
        'N' => matches!(file, "b" | "g") && matches!(rank, "1" | "8"),
        'B' => matches!(file, "c" | "f") && matches!(rank, "1" | "8"),
        'R' => matches!(file, "a" | "h") && matches!(rank, "1" | "8"),
        'Q' => file == "d" && matches!(rank, "1" | "8"),
        _ => file == "e" && matches!(rank, "1" | "8"),
    }
}
