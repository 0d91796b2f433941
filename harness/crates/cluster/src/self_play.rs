//! Games of self-play as text: a result message is JSON.

use std::fmt::Write;
use std::io;

use harness_data::formats::viri::{self, Flavour};
use harness_data::game::Game;

/// The bytes of a file of games with depths, in hex.
///
/// # Errors
/// When the game has no result.
pub fn to_text(game: &Game) -> io::Result<String> {
    let mut bytes = Vec::new();
    viri::write(game, &mut bytes, Flavour::WithDepths)?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

/// The game of a text; `None` if it is damaged.
pub fn from_text(text: &str) -> Option<Game> {
    let mut bytes = Vec::new();
    viri::write_head(&mut bytes, Flavour::WithDepths).ok()?;
    for pair in text.as_bytes().chunks(2) {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
        bytes.push(u8::from_str_radix(pair, 16).ok()?);
    }
    let mut games = viri::Reader::new("a result", bytes.as_slice(), Flavour::WithDepths);
    let game = games.next()?.ok()?;
    games.next().is_none().then_some(game)
}

#[cfg(test)]
mod tests {
    use shakmaty::ByColor;

    use super::*;
    use harness_base::session::Interrupt;
    use harness_data::generate::{Recipe, play};
    use harness_player::{EngineSpec, StartSettings, start};

    #[test]
    fn a_game_arrives_as_it_was_and_a_damaged_one_does_not() {
        let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
        let engine = EngineSpec::builtin("a");
        let recipe = Recipe::new(engine.clone(), 50).expect("a recipe");
        let player = || start(&engine, &StartSettings::default(), &interrupt).expect("it starts");
        let (mut white, mut black) = (player(), player());
        let players = ByColor { white: &mut *white as _, black: &mut *black as _ };
        let game = play(&recipe, 7, players).expect("a game");
        let text = to_text(&game).expect("it has a result");
        assert_eq!(from_text(&text).as_ref(), Some(&game));
        for damaged in [&text[..text.len() - 3], &text[..40], "", "xyz", &format!("{text}00")] {
            assert_eq!(from_text(damaged), None, "{damaged}");
        }
    }
}
