//! Questions that the position on the board answers by itself: whose move it is, castling, and the pieces of either side.

use super::context::Context;

/// Pieces as they are said, and their letters.
const PIECES: [(&str, char); 5] =
    [("queen", 'q'), ("rook", 'r'), ("bishop", 'b'), ("knight", 'n'), ("pawn", 'p')];

/// The answer to a question about the position, in words.
pub fn answer(words: &[String], context: &Context) -> Option<String> {
    let mut fields = context.fen.split(' ');
    let mover = fields.nth(1)?;
    let rights = fields.next().unwrap_or_default();
    let has = |said: &[&str]| words.iter().any(|word| said.contains(&word.as_str()));
    let mover = if mover == "b" { "Black" } else { "White" };
    if asks_for_mover(words) {
        return Some(format!("it is {mover}'s move"));
    }
    if words.iter().any(|word| word.starts_with("castl")) && !has(&["what", "why", "how", "should"])
    {
        let is_black = has(&["black", "he", "his"]) && !has(&["i", "me"]);
        let side = match (is_black, has(&["white"]), context.plays) {
            (true, false, Some("black")) => "White",
            (true, ..) => "Black",
            (_, true, _) => "White",
            (.., Some("black")) => "Black",
            (.., Some(_)) => "White",
            _ => mover,
        };
        return Some(castling(side, mover, rights, context));
    }
    counts(words, context)
}

/// "By how many pawns": a measure of the lead, and no count.
fn measures_lead(words: &[String]) -> bool {
    let is_one = |part: &[String]| {
        part[0] == "by" && part[1] == "how" && matches!(&*part[2], "many" | "much")
    };
    words.windows(3).any(is_one)
}

/// The answer to a question about how many pieces, or how much material, either side has.
pub fn counts(words: &[String], context: &Context) -> Option<String> {
    let board = context.fen.split(' ').next().filter(|board| !board.is_empty())?;
    let has = |said: &[&str]| words.iter().any(|word| said.contains(&word.as_str()));
    let piece = PIECES
        .iter()
        .find(|(name, _)| words.iter().any(|word| word.trim_end_matches('s') == *name));
    let Some((name, letter)) = piece else {
        return has(&["material"]).then(|| material(board));
    };
    if !has(&["many", "material", "count"]) || measures_lead(words) {
        return None;
    }
    let count = |letter: char| board.chars().filter(|sign| *sign == letter).count();
    let (white, black) = (count(letter.to_ascii_uppercase()), count(*letter));
    let in_words = |count: usize| format!("{count} {name}{}", if count == 1 { "" } else { "s" });
    Some(format!("White has {}, Black {}", in_words(white), in_words(black)))
}

/// The usual values of the pieces of both sides, in pawns.
fn material(board: &str) -> String {
    const VALUES: [(char, u32); 5] = [('q', 9), ('r', 5), ('b', 3), ('n', 3), ('p', 1)];
    let value = |sign: char| {
        VALUES.iter().find(|(piece, _)| *piece == sign.to_ascii_lowercase()).map_or(0, |it| it.1)
    };
    let (white, black): (Vec<char>, Vec<char>) =
        board.chars().filter(char::is_ascii_alphabetic).partition(char::is_ascii_uppercase);
    let sum = |pieces: Vec<char>| pieces.into_iter().map(value).sum::<u32>();
    format!("White has material of {} pawns, Black of {}", sum(white), sum(black))
}

/// "Whose turn is it", "who is to move here".
pub fn asks_for_mover(words: &[String]) -> bool {
    const SAID: [&[&str]; 7] = [
        &["whose", "turn"],
        &["whose", "move"],
        &["whose", "go"],
        &["who", "is", "to", "move"],
        &["who", "is", "on", "move"],
        &["who", "has", "to", "move"],
        &["who", "moves"],
    ];
    SAID.iter().any(|said| words.windows(said.len()).any(|part| part.iter().eq(said.iter())))
}

/// Whether a side may castle.
fn castling(side: &str, mover: &str, rights: &str, context: &Context) -> String {
    let legal: Vec<&str> = context
        .legal
        .iter()
        .map(|(_, san)| san.as_str())
        .filter(|san| san.starts_with("O-O"))
        .collect();
    if side == mover && !legal.is_empty() {
        return format!("{side} can castle now: {}", legal.join(", "));
    }
    let letters = if side == "White" { ['K', 'Q'] } else { ['k', 'q'] };
    match letters.iter().any(|letter| rights.contains(*letter)) {
        true => format!("{side} cannot castle now, but may do so later"),
        false => format!("{side} cannot castle any more"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    #[test]
    fn the_position_answers() {
        let fen = "rnbqkbnr/ppp1pppp/8/8/4p3/2P5/PP1P1PPP/RNBQKBNR w kq - 0 3";
        let context = Context { fen: fen.to_owned(), ..Context::default() };
        for (text, expected) in [
            ("whose turn is it in this position?", "it is White's move"),
            ("is castling still possible for me?", "White cannot castle any more"),
            ("can black still castle?", "Black cannot castle now, but may do so later"),
            ("how many pawns am I down?", "White has 7 pawns, Black 8 pawns"),
            ("am I down in material?", "White has material of 38 pawns, Black of 39"),
        ] {
            assert_eq!(answer(&words::texts(text), &context).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(answer(&words::texts("who is better?"), &context), None);
    }
}
