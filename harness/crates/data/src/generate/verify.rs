//! Whether a game of another machine can be one of a recipe, without playing it again.

use thiserror::Error;

use super::play::{Board, openings};
use super::recipe::Recipe;
use crate::game::Game;
use harness_arena::Adjudicator;

/// Why a game is none of its recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotOfRecipe {
    /// It starts elsewhere.
    #[error("its opening is none of the random ones of this number")]
    Opening,
    /// Moves follow its end.
    #[error("it goes on after it was over, at move {0} from its opening")]
    Continued(usize),
    /// Its result is not that of the last position, or of the scores.
    #[error("neither the rules nor its scores give its result")]
    Result,
}

/// Verifies opening, end and result of game number `number`, whose moves are legal.
///
/// # Errors
/// [`NotOfRecipe`] says what differs.
pub fn verify(recipe: &Recipe, number: u64, game: &Game) -> Result<(), NotOfRecipe> {
    if !openings(recipe, number).any(|opening| opening.fen(false) == game.start.fen(false)) {
        return Err(NotOfRecipe::Opening);
    }
    let mut board = Board::new(game.start);
    let mut adjudicator = Adjudicator::new(&recipe.adjudication);
    let mut result = None;
    for (at, turn) in game.turns.iter().enumerate() {
        if result.is_some() {
            return Err(NotOfRecipe::Continued(at));
        }
        board.play(turn.played);
        let score = turn.eval.map(|eval| eval.score);
        let adjudicated = adjudicator.count_move(board.last_move(score));
        result = adjudicated.map(|(result, _)| result).or_else(|| board.result());
    }
    if result.is_some() && result == game.result { Ok(()) } else { Err(NotOfRecipe::Result) }
}

#[cfg(test)]
mod tests {
    use shakmaty::ByColor;

    use super::*;
    use crate::generate::play;
    use harness_base::session::Interrupt;
    use harness_player::{EngineSpec, StartSettings, start};
    use harness_stats::GameScore;

    #[test]
    fn games_as_they_arrive_are_of_their_recipe_and_changed_ones_are_not() {
        let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
        let engine = EngineSpec::builtin("a");
        let recipe = Recipe::new(engine.clone(), 50).expect("a recipe");
        let player = || start(&engine, &StartSettings::default(), &interrupt).expect("it starts");
        let mut white = player();
        let mut black = player();
        for number in 0..12 {
            let players = ByColor { white: &mut *white as _, black: &mut *black as _ };
            let game = play(&recipe, number, players).expect("a game");
            assert_eq!(verify(&recipe, number, &game), Ok(()), "{number}");

            assert_eq!(verify(&recipe, number + 1, &game), Err(NotOfRecipe::Opening));
            let mut cut = game.clone();
            cut.turns.truncate(game.turns.len() - 1);
            assert_eq!(verify(&recipe, number, &cut), Err(NotOfRecipe::Result));
            let mut longer = game.clone();
            longer.turns.extend(game.turns.last().cloned());
            assert_eq!(
                verify(&recipe, number, &longer),
                Err(NotOfRecipe::Continued(game.turns.len()))
            );
            let other = match game.result {
                Some(GameScore::Win) => GameScore::Loss,
                _ => GameScore::Win,
            };
            let lie = Game { result: Some(other), ..game };
            assert_eq!(verify(&recipe, number, &lie), Err(NotOfRecipe::Result));
        }
    }
}
