//! Legal moves that agree with all that a sentence names, whatever its verb: "tuck my king away on the short side", "c8 falls
//! to my pawn, which turns into a bishop, not a queen". What is no part of it is named.

mod agreement;
mod clues;

use self::agreement::agrees;
use self::clues::{Clue, clues, weight};
use super::super::context::Context;
use super::super::words::{self, Word};
use super::wings;

/// The moves that agree with a sentence.
pub struct Agreeing {
    /// Legal moves, as engines and as people write them.
    pub moves: Vec<(String, String)>,
    /// What is no part of the move, as it was typed.
    pub unread: Vec<String>,
}

/// More moves than this are no answer.
const MAX_MOVES: usize = 4;

/// The least [weight] of the clues of a sentence that describes a move.
const MIN_WEIGHT: usize = 3;

/// The legal moves that agree with all that a sentence names; `None` where it names too little, or none or many agree.
pub fn agreeing(text: &str, split: &[Word], context: &Context) -> Option<Agreeing> {
    let said: Vec<&str> = split.iter().map(|word| wings::letter(&word.text)).collect();
    if states(&said) || super::is_no_move(&said) {
        return None;
    }
    let (clues, rest) = clues(&said, context);
    let weight: usize = clues.iter().map(weight).sum();
    if weight < MIN_WEIGHT {
        return None;
    }
    let mut moves: Vec<(String, String)> =
        context.legal.iter().filter(|legal| agrees(&clues, legal, context)).cloned().collect();
    // "Finish him": of several moves that which mates.
    if clues.contains(&Clue::Mates) && moves.iter().any(|(_, san)| san.ends_with('#')) {
        moves.retain(|(_, san)| san.ends_with('#'));
    }
    // A square alone is that of a pawn, as in a move that is written.
    let names_piece = clues.iter().any(|clue| matches!(clue, Clue::Piece(..) | Clue::Takes));
    let of_pawn = |(_, san): &(String, String)| !san.starts_with(char::is_uppercase);
    if !names_piece && moves.iter().any(of_pawn) {
        moves.retain(of_pawn);
    }
    if moves.is_empty() || moves.len() > MAX_MOVES {
        return None;
    }
    Some(Agreeing { moves, unread: typed(text, split, &rest) })
}

/// "My queen is trapped on d1" says how something stands, "d4 is what I meant" and "the knight that is at home" do not.
fn states(words: &[&str]) -> bool {
    let before = |at: usize| words[at.saturating_sub(1)];
    (1..words.len()).any(|at| {
        matches!(words[at], "is" | "are" | "was" | "looks" | "seems")
            && !matches!(before(at), "that" | "which")
            && words.get(at + 1) != Some(&"what")
    })
}

/// The words at these places, those beside each other together.
fn typed(text: &str, split: &[Word], places: &[usize]) -> Vec<String> {
    let together =
        places.chunk_by(|one, next| one + 1 == *next && !words::has_sign(text, split, *next));
    together
        .map(|part| text[split[part[0]].chunk.0..split[part[part.len() - 1]].chunk.1].to_owned())
        .collect()
}
