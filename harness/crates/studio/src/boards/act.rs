//! Changes of a board, as pages ask for them.

use shakmaty::Color;
use shakmaty::uci::UciMove;

use super::action::Action;
use super::board::State;
use super::game::{Game, Seat, name, won_by};
use harness_games::pasted::read_pasted;
use harness_games::tree::{GameTree, NodeId, TreeError, check_whole};

/// A score at which an engine takes a draw: no better than this for itself, in centipawns.
const DRAW_AT_MOST: i32 = 0;

/// Plies before which an engine takes no draw.
const DRAW_FROM: usize = 20;

/// A clock as PGN has it: `1:02:03`, `0:00:09.5`.
fn is_clock(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    let [hours, minutes, seconds] = parts[..] else { return false };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, part) = seconds.split_once('.').unwrap_or((seconds, "0"));
    let sixty = |text: &str| digits(text) && text.len() == 2 && text < "60";
    digits(hours)
        && hours.len() <= 3
        && sixty(minutes)
        && sixty(whole)
        && digits(part)
        && part.len() <= 3
}

impl State {
    /// Makes a change.
    ///
    /// # Errors
    /// When it cannot be made; in words for people. The state is as it was.
    pub fn act(&mut self, action: Action) -> Result<(), String> {
        match action {
            Action::Move(at, uci) => self.make_move(at, uci)?,
            Action::Delete(id) => self.edit(|tree| tree.delete(id).map(drop))?,
            Action::Promote(id) => self.edit(|tree| tree.promote(id))?,
            Action::MainLine(id) => self.edit(|tree| tree.make_main_line(id))?,
            Action::Comment(id, text) => self.tree.comment(id, &text)?,
            Action::Nag(id, nag) => self.tree.toggle_nag(id, nag)?,
            Action::Marks(id, marks) => self.tree.set_marks(id, marks)?,
            Action::Tag(name, value) => self.set_tag(&name, &value)?,
            Action::TakeBack(wanted) => self.take_back(wanted)?,
            Action::Resign(side) => self.resign(side)?,
            Action::Draw(side) => self.draw(side)?,
            Action::Clock(id, text) => {
                if !text.is_empty() && !is_clock(&text) {
                    return Err(format!(
                        "`{text}` is no clock: hours:minutes:seconds, as in 0:05:00"
                    ));
                }
                self.tree.annotations_mut(id)?.clock = (!text.is_empty()).then_some(text);
            }
            Action::Flag => {
                if let Some((game, tree)) = self.running()
                    && let Some(ending) = game.flag(tree)
                {
                    game.end(tree, ending);
                }
            }
            Action::Leave => self.game = None,
            Action::SetUp { fen, chess960 } => {
                check_whole(&fen)?;
                self.tree = GameTree::new(Some(&fen), chess960)?;
                self.game = None;
            }
            Action::Load { text, game } => {
                self.tree = read_pasted(text.as_bytes(), game)?.tree;
                self.game = None;
            }
            Action::New(new) => {
                let (tree, game) = new.begin()?;
                (self.tree, self.game) = (tree, Some(game));
            }
            Action::Level(level) => self.set_level(level)?,
        }
        Ok(())
    }

    /// Sets a tag. The result of a game that is or was played here is that of its end.
    fn set_tag(&mut self, name: &str, value: &str) -> Result<(), String> {
        let is_result = name == "Result" && value != self.tree.result();
        match &self.game {
            Some(game) if is_result && game.over.is_none() => {
                Err("the game goes on: resign or agree to a draw, and it has a result".to_owned())
            }
            Some(_) if is_result => Err(format!(
                "this game was played here and ended {}: its result stays",
                self.tree.result()
            )),
            _ => Ok(self.tree.set_tag(name, value)?),
        }
    }

    /// Content of the board that would be lost, in words: "a game of 12 moves".
    pub fn holds(&self) -> Option<String> {
        let is_running = self.game.as_ref().is_some_and(|game| game.over.is_none());
        let moves = self.tree.nodes().count().saturating_sub(1);
        let comments = self.tree.nodes().any(|node| !node.annotations.comment.is_empty());
        match (moves, comments) {
            (0, false) => None,
            (0, true) => Some("a comment".to_owned()),
            (moves, _) => {
                let what = if is_running { "a running game of" } else { "a game or study of" };
                Some(format!(
                    "{what} {moves} {}",
                    if moves == 1 { "half-move" } else { "half-moves" }
                ))
            }
        }
    }

    fn make_move(&mut self, at: NodeId, uci: UciMove) -> Result<(), String> {
        let tip = Game::tip(&self.tree);
        // The board shows the position: its FEN says nothing more.
        let text = uci.to_string();
        let refused = |error: TreeError| match error {
            TreeError::Illegal { .. } => format!("`{text}` is not a legal move here"),
            other => other.to_string(),
        };
        if let Some((game, tree)) = self.running()
            && at == tip
        {
            if game.engine_to_move(tree) {
                return Err("it is the engine's turn".to_owned());
            }
            return game.play(tree, uci).map(drop).map_err(refused);
        }
        self.tree.play(at, uci).map(drop).map_err(refused)
    }

    /// Changes what is no part of a running game.
    fn edit(
        &mut self,
        change: impl FnOnce(&mut GameTree) -> Result<(), TreeError>,
    ) -> Result<(), String> {
        let mut changed = self.tree.clone();
        change(&mut changed)?;
        if self.running().is_some() && changed.main_line() != self.tree.main_line() {
            return Err("the moves of a game in progress stay; take them back instead".to_owned());
        }
        self.tree = changed;
        Ok(())
    }

    /// The side of the person; where both are people the one that was named, or the one to move.
    fn own_side(game: &Game, tree: &GameTree, named: Option<Color>) -> Color {
        game.person().or(named).unwrap_or_else(|| Game::turn(tree))
    }

    fn resign(&mut self, side: Option<Color>) -> Result<(), String> {
        let (game, tree) = self.running().ok_or("no game is being played")?;
        let side = State::own_side(game, tree, side);
        game.end(tree, (won_by(side.other()), format!("{} resigned", name(side))));
        Ok(())
    }

    fn draw(&mut self, side: Option<Color>) -> Result<(), String> {
        let (game, tree) = self.running().ok_or("no game is being played")?;
        let side = State::own_side(game, tree, side);
        let other = game.seat(side.other());
        if let Seat::Engine { .. } = other {
            let last_score = game.last_scores[usize::from(side.is_white())];
            let long = tree.main_line().len() >= DRAW_FROM;
            if !long || last_score.is_none_or(|score| score > DRAW_AT_MOST) {
                return Err("the engine plays on".to_owned());
            }
            game.end(tree, ("1/2-1/2", "draw agreed".to_owned()));
            return Ok(());
        }
        // Asked a second time by the other side, it is accepted.
        if game.draw_offered.is_some_and(|by_white| by_white != side.is_white()) {
            game.end(tree, ("1/2-1/2", "draw agreed".to_owned()));
        } else {
            game.draw_offered = Some(side.is_white());
        }
        Ok(())
    }

    fn set_level(&mut self, level: u8) -> Result<(), String> {
        let (game, tree) = self.running().ok_or("no game is being played")?;
        let mut changed = false;
        for seat in &mut game.seats {
            if let Seat::Engine { level: Some(own), .. } = seat {
                *own = level;
                changed = true;
            }
        }
        if !changed {
            return Err("only the built-in engine has levels".to_owned());
        }
        let titles = game.seats.each_ref().map(Seat::title);
        for (name, title) in ["White", "Black"].into_iter().zip(titles) {
            tree.set_tag(name, &title)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::new_game::{NewGame, moves_of};

    fn state(engines: [Option<&str>; 2]) -> State {
        let engines = engines.map(|name| name.map(str::to_owned));
        let new = NewGame { engines, level: 3, ..NewGame::default() };
        let (tree, game) = new.begin().expect("a game");
        State { tree, game: Some(game), ..State::default() }
    }

    fn play(state: &mut State, moves: &str) {
        for text in moves.split(' ') {
            let uci = text.parse().expect("a move");
            let (game, tree) = state.running().expect("a game");
            game.play(tree, uci).expect("legal");
        }
    }

    #[test]
    fn the_result_of_a_game_is_that_of_its_end() {
        let mut state = state([None, None]);
        let tag = |value: &str| Action::Tag("Result".to_owned(), value.to_owned());
        assert!(state.act(tag("1-0")).is_err());
        assert_eq!(state.act(tag("*")), Ok(()));
        state.act(Action::Resign(Some(Color::Black))).expect("a game");
        assert!(state.act(tag("0-1")).is_err());
        assert_eq!(state.act(tag("1-0")), Ok(()));
        state.game = None;
        assert_eq!((state.act(tag("0-1")), state.tree.result()), (Ok(()), "0-1"));
    }

    #[test]
    fn the_turn_of_an_engine_is_its_own() {
        let mut state = state([None, Some("builtin")]);
        let uci = "e2e4".parse().expect("a move");
        state.act(Action::Move(GameTree::ROOT, uci)).expect("legal");
        let tip = Game::tip(&state.tree);
        let reply = "e7e5".parse().expect("a move");
        let refused = state.act(Action::Move(tip, reply));
        assert_eq!(refused, Err("it is the engine's turn".to_owned()));
        assert!(state.act(Action::Delete(tip)).is_err());
        assert_eq!(
            state.tree.tag("Black"),
            Some(state.game.expect("one").seats[1].title().as_str())
        );
    }

    #[test]
    fn a_variation_of_a_running_game_does_not_become_its_moves() {
        let mut state = state([None, Some("builtin")]);
        play(&mut state, "e2e4 e7e5");
        let line = state.tree.main_line();
        let other = state.tree.play(line[0], "c7c5".parse().expect("a move")).expect("legal");
        for action in [Action::Promote(other), Action::MainLine(other), Action::Delete(line[1])] {
            assert!(state.act(action.clone()).is_err(), "{action:?}");
            assert_eq!(state.tree.main_line(), line);
        }
        state.act(Action::Delete(other)).expect("it is none of the game");
    }

    #[test]
    fn two_people_agree_on_a_draw() {
        let mut state = state([None, None]);
        play(&mut state, "e2e4");
        state.act(Action::Draw(None)).expect("offered by Black");
        assert_eq!(state.game.as_ref().and_then(|game| game.draw_offered), Some(false));
        play(&mut state, "e7e5");
        state.act(Action::Draw(None)).expect("accepted by White");
        assert_eq!(state.tree.result(), "1/2-1/2");
    }

    #[test]
    fn of_two_people_the_one_who_asks_resigns() {
        let mut state = state([None, None]);
        play(&mut state, "e2e4");
        state.act(Action::Resign(Some(Color::White))).expect("a game");
        assert_eq!(state.tree.result(), "0-1");
        assert!(state.act(Action::Resign(None)).is_err());
    }

    #[test]
    fn clocks_are_set_and_nonsense_is_refused() {
        let mut state = state([None, None]);
        play(&mut state, "e2e4");
        let tip = Game::tip(&state.tree);
        for wrong in ["1", "0:61:00", "0:1:00", "a:00:00", "0:00:00:00", "]"] {
            assert!(state.act(Action::Clock(tip, wrong.to_owned())).is_err(), "{wrong}");
        }
        state.act(Action::Clock(tip, "0:04:59.5".to_owned())).expect("a clock");
        assert!(state.tree.to_pgn().contains("[%clk 0:04:59.5]"), "{}", state.tree.to_pgn());
        state.act(Action::Clock(tip, String::new())).expect("none");
        assert!(!state.tree.to_pgn().contains("%clk"));
    }

    #[test]
    fn an_opening_is_found_by_its_name() {
        let moves = moves_of("caro-kann defense").expect("it is in the list");
        assert_eq!(moves, ["e2e4", "c7c6"]);
        assert!(moves_of("Nobody's Opening").is_err());
        let new = |opening: &str| NewGame { opening: opening.to_owned(), ..NewGame::default() };
        let (_, game) = new("the karo kann").begin().expect("like one of the list");
        assert_eq!(game.opening, moves);
        assert!(new("qqqqzzzz").begin().is_err());
    }

    #[test]
    fn a_position_that_cannot_be_is_refused_and_nothing_changes() {
        let mut state = state([None, None]);
        play(&mut state, "e2e4");
        let fen = "8/8/8/8/8/8/8/K7 w - - 0 1".to_owned();
        let error = state.act(Action::SetUp { fen, chess960: false }).expect_err("no black king");
        assert!(error.contains("no position to play from"), "{error}");
        assert_eq!(state.tree.main_line().len(), 1);
    }
}
