//! Games of self-play, to train on.

use std::fmt::Write;
use std::io;

use serde::{Deserialize, Serialize};

use super::kind::{Finished, Mismatch, Names, RemoteWork, Work};
use crate::ClusterError;
use crate::machine::Machine;
use harness_arena::Watch;
use harness_base::session::Interrupt;
use harness_data::formats::viri::{self, Flavour};
use harness_data::game::Game;
use harness_data::generate::{Recipe, play_with, start_players, verify};
use harness_player::pool::{Hand, Seats};
use harness_player::{Fault, FaultKind, Limit};

/// Shared configuration of the games of a run: their recipe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelfPlay(pub Recipe);

/// A game with its result. It is sent in hex, as in a file of games without its head
/// ([`formats::viri`](harness_data::formats::viri)).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SentGame {
    game: Game,
}

impl SentGame {
    /// A game that has a result; else `None`.
    pub fn new(game: Game) -> Option<SentGame> {
        game.result.is_some().then_some(SentGame { game })
    }

    /// The game.
    pub fn into_game(self) -> Game {
        self.game
    }
}

impl From<SentGame> for String {
    fn from(sent: SentGame) -> String {
        // A text that is no game is refused by who receives it.
        to_text(&sent.game).unwrap_or_default()
    }
}

impl TryFrom<String> for SentGame {
    type Error = &'static str;

    fn try_from(text: String) -> Result<SentGame, &'static str> {
        from_text(&text).and_then(SentGame::new).ok_or("a damaged game")
    }
}

impl Work for SelfPlay {
    /// The number of the game.
    type Task = u64;
    type Answer = SentGame;
    type Tools<'a> = ();
    type Trouble = Fault;

    fn number(task: &u64) -> u64 {
        *task
    }

    fn tools(&self, _: Option<&Watch<'_>>, _: &Interrupt) -> Result<(), Fault> {
        Ok(())
    }

    fn start_players(&self, seats: &mut Seats<'_>) -> Result<(), Fault> {
        start_players(&self.0, seats)
    }

    fn perform(
        &self,
        (): &(),
        seats: &mut Seats<'_>,
        number: &u64,
        hand: &Hand<'_, SentGame>,
    ) -> Result<(), Fault> {
        let game = play_with(&self.0, *number, seats)?;
        let game = SentGame::new(game).ok_or_else(|| Fault {
            player: self.0.engine.name.clone(),
            kind: FaultKind::NoMove,
            detail: format!("game {number} has no result"),
        })?;
        // Without a receiver the run is over.
        let _ = hand(game);
        Ok(())
    }
}

impl RemoteWork for SelfPlay {
    const NAMES: Names = Names { rules: "self_play", task: "game", answer: "game" };
    const IS_REVOCABLE: bool = false;

    fn tablebases(&mut self) -> Option<&mut String> {
        self.0.adjudication.tablebases.as_mut().map(|rule| &mut rule.folders)
    }

    fn limits(&self, _: &u64) -> Vec<Limit> {
        vec![Limit::Nodes(self.0.nodes)]
    }

    fn fingerprint(game: &SentGame) -> Vec<String> {
        vec![to_text(&game.game).unwrap_or_default()]
    }

    fn verify(&self, number: &u64, sent: &SentGame) -> Result<(), Mismatch> {
        verify(&self.0, *number, &sent.game).map_err(|error| Mismatch(error.to_string()))
    }

    fn localise(&mut self, machine: &Machine<'_>) -> Result<(), ClusterError> {
        machine.set_tablebases(self.tablebases());
        machine.set_engine(&mut self.0.engine)
    }

    fn finished(_: &SentGame) -> Finished {
        Finished { all: 1, faults: 0 }
    }
}

/// The bytes of a file of games with depths, in hex.
fn to_text(game: &Game) -> io::Result<String> {
    let mut bytes = Vec::new();
    viri::write(game, &mut bytes, Flavour::WithDepths)?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

/// The game of a text; `None` if it is damaged.
fn from_text(text: &str) -> Option<Game> {
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
    use harness_data::generate::play;
    use harness_player::{EngineSpec, StartSettings, start};

    #[test]
    fn a_game_arrives_as_it_was_and_is_of_its_recipe_and_a_damaged_one_is_not() {
        let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
        let engine = EngineSpec::builtin("a");
        let recipe = Recipe::new(engine.clone(), 50).expect("a recipe");
        let player = || start(&engine, &StartSettings::default(), &interrupt).expect("it starts");
        let mut white = player();
        let mut black = player();
        for number in 20..40 {
            let players = ByColor { white: &mut *white as _, black: &mut *black as _ };
            let game = play(&recipe, number, players).expect("a game");
            let sent = SentGame::new(game).expect("it has a result");
            let arrived = SentGame::try_from(String::from(sent)).expect("a game");
            assert_eq!(verify(&recipe, number, &arrived.game), Ok(()), "{number}");
        }
        let players = ByColor { white: &mut *white as _, black: &mut *black as _ };
        let game = play(&recipe, 7, players).expect("a game");
        let sent = SentGame::new(game.clone()).expect("it has a result");
        let text = String::from(sent.clone());
        assert_eq!(SentGame::try_from(text.clone()), Ok(sent));
        for damaged in [&text[..text.len() - 3], &text[..40], "", "xyz", &format!("{text}00")] {
            assert!(SentGame::try_from(damaged.to_owned()).is_err(), "{damaged}");
        }
        assert_eq!(SentGame::new(Game { result: None, ..game }), None);
    }
}
