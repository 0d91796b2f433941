//! Moves that are taken back: which ones, in words, and the notes that would be lost with moves.

use harness_base::text::counted;
use harness_games::tree::{GameTree, NodeId};
use shakmaty::{Color, Position};

use super::board::State;
use super::game::Seat;
use crate::form::Form;

/// Moves that are named one by one.
const MAX_NAMED: usize = 6;

/// Half-moves that are deleted without a question.
const FEW_MOVES: usize = 2;

/// Moves that are to be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakeBack {
    /// Moves of the person who plays an engine, with the replies to them; of anybody else half-moves.
    Moves(usize),
    /// Half-moves, and one more where an engine would be to move.
    HalfMoves(usize),
    /// This move of the main line, and all after it.
    From(NodeId),
}

impl TakeBack {
    /// The unit of half-moves, as forms and sentences have it.
    pub const HALF_MOVES: &str = "half-moves";

    /// Of a form: `from`, the number of a move; or `count`, which counts the `unit`.
    ///
    /// # Errors
    /// When a field is no number or no unit; in words for people.
    pub fn read(sent: &Form) -> Result<TakeBack, String> {
        let number = |name: &str| {
            let text = sent.get(name);
            let number = text.parse::<u32>().ok().filter(|number| *number > 0);
            number.ok_or_else(|| format!("`{text}` is no number of moves"))
        };
        if !sent.get("from").is_empty() {
            return Ok(TakeBack::From(NodeId(number("from")?)));
        }
        let count = if sent.get("count").is_empty() { 1 } else { number("count")? as usize };
        match sent.get("unit") {
            TakeBack::HALF_MOVES => Ok(TakeBack::HalfMoves(count)),
            "" | "moves" => Ok(TakeBack::Moves(count)),
            unit => Err(format!("moves are counted as `moves` or `half-moves`, not as `{unit}`")),
        }
    }
}

impl State {
    /// The moves of the main line that go, the first of them first.
    ///
    /// # Errors
    /// When there is none; in words for people.
    pub fn taken_back(&self, wanted: TakeBack) -> Result<Vec<NodeId>, String> {
        let mut line = self.tree.main_line();
        if line.is_empty() {
            return Err("no move has been played".to_owned());
        }
        let own: Vec<usize> = match self.side_against_engine() {
            Some(side) => {
                let is_own = |at: &usize| self.mover(&line, *at) == side;
                (0..line.len()).filter(is_own).collect()
            }
            None => (0..line.len()).collect(),
        };
        let no_own = || "you have not moved yet".to_owned();
        let first = match wanted {
            TakeBack::From(id) => {
                let at = line.iter().position(|known| *known == id);
                at.ok_or("this move is no longer one of the game")?
            }
            TakeBack::Moves(count) => {
                *own.get(own.len().saturating_sub(count.max(1))).ok_or_else(no_own)?
            }
            TakeBack::HalfMoves(count) => {
                let at = line.len().saturating_sub(count.max(1));
                // Then it is the turn of the one who asks.
                let before = own.iter().rev().find(|own| **own <= at);
                *before.or(own.first()).ok_or_else(no_own)?
            }
        };
        Ok(line.split_off(first))
    }

    /// The moves that [`taken_back`](Self::taken_back) names, in words: `2 half-moves: 2. Nf3 Nc6`.
    pub fn taken_back_text(&self, moves: &[NodeId]) -> String {
        let count = counted(moves.len() as u64, "half-move", "half-moves");
        let named = |id: &NodeId, is_first: bool| {
            let node = self.tree.node(*id).ok()?;
            let san = &node.played.as_ref()?.san;
            Some(match node.number() {
                (number, true) => format!("{number}. {san}"),
                (number, false) if is_first => format!("{number}… {san}"),
                (_, false) => san.clone(),
            })
        };
        let words: Vec<String> = match moves {
            [first, .., last] if moves.len() > MAX_NAMED => {
                [named(first, true), Some("to".to_owned()), named(last, true)]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            _ => moves.iter().enumerate().filter_map(|(at, id)| named(id, at == 0)).collect(),
        };
        format!("{count}: {}", words.join(" "))
    }

    /// Takes moves back.
    ///
    /// # Errors
    /// As [`taken_back`](Self::taken_back).
    pub(super) fn take_back(&mut self, wanted: TakeBack) -> Result<(), String> {
        for gone in self.gone_with(wanted)? {
            self.tree.delete(gone)?;
        }
        self.tree.set_result("*")?;
        let is_begun = !self.tree.main_line().is_empty();
        if let Some(game) = &mut self.game {
            game.over = None;
            game.recorded = false;
            game.draw_offered = None;
            if let Some(clock) = &mut game.clock {
                clock.since = is_begun.then(std::time::Instant::now);
            }
        }
        Ok(())
    }

    /// The moves that are deleted when moves are taken back, each with what follows it: those of a game are its main
    /// line, so that none of the variations beside them may become it.
    fn gone_with(&self, wanted: TakeBack) -> Result<Vec<NodeId>, String> {
        let first = self.taken_back(wanted)?[0];
        let parent = self.tree.node(first)?.parent.filter(|_| self.game.is_some());
        match parent {
            Some(parent) => Ok(self.tree.node(parent)?.children.clone()),
            None => Ok(vec![first]),
        }
    }

    /// Notes and variations that go with moves that are taken back, in words; `None` without any.
    pub fn lost_by_taking_back(&self, wanted: TakeBack) -> Option<String> {
        let moves = self.taken_back(wanted).ok()?;
        self.notes_of(&self.gone_with(wanted).ok()?, moves.len())
    }

    /// Content that is lost when a move is deleted, in a sentence: notes and variations, or more than a few moves; `None` where
    /// it needs no question.
    pub fn lost_by_deleting(&self, id: NodeId) -> Option<String> {
        // Those of a game in progress stay, which needs no question.
        let is_running = self.game.as_ref().is_some_and(|game| game.over.is_none());
        if is_running && self.tree.main_line().contains(&id) {
            return None;
        }
        let mut line = 0;
        let mut at = Some(id);
        while let Some(id) = at {
            line += 1;
            at = self.tree.node(id).ok()?.children.first().copied();
        }
        let notes = self.notes_of(&[id], line);
        let notes = notes.map(|lost| format!("{lost} would be lost with these moves."));
        // A slip of the hand deletes a move or two.
        let moves = || format!("{line} half-moves would be deleted.");
        notes.or_else(|| (line > FEW_MOVES).then(moves))
    }

    /// Notes and variations that people have added to these moves and all after them, of which `line` are no variation.
    fn notes_of(&self, moves: &[NodeId], line: usize) -> Option<String> {
        let (mut count, mut comments) = (0, 0);
        let mut below = moves.to_vec();
        while let Some(id) = below.pop() {
            let node = self.tree.node(id).ok()?;
            let said = &node.annotations;
            count += 1;
            let has_text = !said.comment.is_empty() || !said.before.is_empty();
            comments += u64::from(has_text || !said.nags.is_empty() || !said.marks.is_empty());
            below.extend(&node.children);
        }
        let variations = (count - line.min(count)) as u64;
        let parts = [
            (comments, counted(comments, "move with notes", "moves with notes")),
            (
                variations,
                counted(variations, "half-move of variations", "half-moves of variations"),
            ),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = parts.map(|(_, text)| text).collect();
        (!parts.is_empty()).then(|| parts.join(" and "))
    }

    /// The side of the person who plays an engine.
    fn side_against_engine(&self) -> Option<Color> {
        match &self.game.as_ref()?.seats {
            [Seat::Human, Seat::Engine { .. }] => Some(Color::White),
            [Seat::Engine { .. }, Seat::Human] => Some(Color::Black),
            _ => None,
        }
    }

    /// The side that played a move of the main line.
    fn mover(&self, line: &[NodeId], at: usize) -> Color {
        let before = at.checked_sub(1).map_or(GameTree::ROOT, |before| line[before]);
        self.tree.node(before).map_or(Color::White, |node| node.position.turn())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::action::Action;
    use crate::boards::new_game::NewGame;

    /// A board with these moves: a game of these players (`None`: a person), or a study.
    fn board(engines: Option<[Option<&str>; 2]>, moves: &str) -> State {
        let mut state = State::default();
        if let Some(engines) = engines {
            let engines = engines.map(|name| name.map(str::to_owned));
            let (tree, game) =
                NewGame { engines, level: 3, ..NewGame::default() }.begin().expect("a game");
            state = State { tree, game: Some(game), ..State::default() };
        }
        let mut at = GameTree::ROOT;
        for text in moves.split_whitespace() {
            at = state.tree.play(at, text.parse().expect("a move")).expect("legal");
        }
        state
    }

    #[test]
    fn moves_and_half_moves_are_counted_as_they_are_said() {
        const FOUR: &str = "e2e4 e7e5 g1f3 b8c6";
        const FIVE: &str = "e2e4 e7e5 g1f3 b8c6 f1b5";
        use TakeBack::{HalfMoves, Moves};
        let person_first = Some([None, Some("builtin")]);
        let engine_first = Some([Some("builtin"), None]);
        let people = Some([None, None]);
        for (engines, moves, wanted, left) in [
            // With the reply, or while the engine thinks without one.
            (person_first, FOUR, Moves(1), 2),
            (person_first, FIVE, Moves(1), 4),
            (person_first, FOUR, Moves(2), 0),
            (person_first, FIVE, Moves(2), 2),
            (person_first, FOUR, Moves(9), 0),
            (person_first, FOUR, HalfMoves(2), 2),
            (person_first, FOUR, HalfMoves(3), 0),
            (person_first, FOUR, HalfMoves(4), 0),
            (person_first, FIVE, HalfMoves(1), 4),
            (engine_first, FIVE, Moves(1), 3),
            (engine_first, FOUR, Moves(1), 3),
            // The engine's first move stays.
            (engine_first, FIVE, Moves(9), 1),
            (engine_first, FIVE, HalfMoves(9), 1),
            (people, FIVE, Moves(1), 4),
            (people, FIVE, Moves(2), 3),
            (people, FIVE, HalfMoves(4), 1),
            (None, FIVE, Moves(2), 3),
            (Some([Some("builtin"), Some("builtin")]), FIVE, Moves(2), 3),
        ] {
            let mut state = board(engines, moves);
            let gone = state.taken_back(wanted).expect("there are moves").len();
            state.act(Action::TakeBack(wanted)).expect("there are moves");
            let count = state.tree.main_line().len();
            assert_eq!(count, left, "{engines:?} {moves} {wanted:?}");
            assert_eq!(gone + left, moves.split(' ').count(), "{engines:?} {moves} {wanted:?}");
        }
        for mut state in [board(engine_first, "e2e4"), board(None, "")] {
            assert!(state.act(Action::TakeBack(Moves(1))).is_err());
        }
    }

    #[test]
    fn the_moves_that_go_are_named() {
        let state = board(Some([None, Some("builtin")]), "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6");
        for (wanted, text) in [
            (TakeBack::Moves(1), "2 half-moves: 4. Ba4 Nf6"),
            (TakeBack::HalfMoves(4), "4 half-moves: 3. Bb5 a6 4. Ba4 Nf6"),
            (TakeBack::Moves(4), "8 half-moves: 1. e4 to 4… Nf6"),
        ] {
            let moves = state.taken_back(wanted).expect("there are moves");
            assert_eq!(state.taken_back_text(&moves), text);
        }
        let state = board(None, "e2e4 e7e5");
        let moves = state.taken_back(TakeBack::Moves(1)).expect("there are moves");
        assert_eq!(state.taken_back_text(&moves), "1 half-move: 1… e5");
    }

    #[test]
    fn a_variation_beside_a_game_is_not_played_on_when_moves_are_taken_back() {
        let mut state = board(Some([None, Some("builtin")]), "e2e4 e7e5 g1f3 b8c6");
        let line = state.tree.main_line();
        assert_eq!(state.lost_by_taking_back(TakeBack::Moves(1)), None);
        let other = state.tree.play(line[1], "f2f4".parse().expect("a move")).expect("legal");
        state.tree.comment(line[3], "natural").expect("there");
        let lost = state.lost_by_taking_back(TakeBack::Moves(1));
        assert_eq!(lost.as_deref(), Some("1 move with notes and 1 half-move of variations"));
        assert_eq!(state.lost_by_deleting(other), None);
        // The moves of a running game stay, which needs no question.
        assert_eq!(state.lost_by_deleting(line[2]), None);
        let game = state.game.take();
        let lost = state.lost_by_deleting(line[2]);
        assert_eq!(lost.as_deref(), Some("1 move with notes would be lost with these moves."));
        state.game = game;
        state.act(Action::TakeBack(TakeBack::From(line[2]))).expect("a move");
        assert_eq!(state.tree.main_line(), line[..2]);
        // It is none of the game any more.
        assert!(state.act(Action::TakeBack(TakeBack::From(line[2]))).is_err());
    }
}
