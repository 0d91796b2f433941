//! Actions on a board that a form may request.

use shakmaty::Color;
use shakmaty::uci::UciMove;

use super::board::State;
use super::levels;
use super::new_game::NewGame;
use super::take_back::TakeBack;
use crate::form::Form;
use harness_games::pasted::read_pasted;
use harness_games::tree::{GameTree, Mark, NodeId, check_whole};

/// A change that a page asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A move after a node; a move of the game where it is the turn of who asks.
    Move(NodeId, UciMove),
    /// Deletes a move and what follows.
    Delete(NodeId),
    /// Makes a variation the first.
    Promote(NodeId),
    /// Makes the line to a node the main line.
    MainLine(NodeId),
    /// Sets the comment after a move.
    Comment(NodeId, String),
    /// Adds a sign, or takes it away.
    Nag(NodeId, u16),
    /// Sets arrows and squares.
    Marks(NodeId, Vec<Mark>),
    /// Sets a tag.
    Tag(String, String),
    /// Takes back the last moves, to a turn of the one who asks.
    TakeBack(TakeBack),
    /// Resigns; of two people the side that asks, or else the one to move.
    Resign(Option<Color>),
    /// Offers a draw, or accepts one.
    Draw(Option<Color>),
    /// Sets the clock after a move; an empty text removes it.
    Clock(NodeId, String),
    /// Reports a time forfeit.
    Flag,
    /// Ends the game without a result, to study it.
    Leave,
    /// Begins from a position.
    SetUp { fen: String, chess960: bool },
    /// Shows a game or a position of a text, by its number from 1.
    Load {
        /// The text.
        text: String,
        /// Which of its games.
        game: usize,
    },
    /// Begins a game.
    New(NewGame),
    /// Continues the game from a node with another level.
    Level(u8),
}

impl Action {
    /// Reads the action of a form.
    ///
    /// # Errors
    /// When it is not understood; in words for people.
    pub fn read(what: &str, sent: &Form) -> Result<Action, String> {
        let node = || {
            let text = sent.get("node");
            text.parse().map(NodeId).map_err(|_| format!("`{text}` is no number of a move"))
        };
        Ok(match what {
            "move" => Action::Move(node()?, uci(sent.get("uci"))?),
            "delete" => Action::Delete(node()?),
            "promote" => Action::Promote(node()?),
            "mainline" => Action::MainLine(node()?),
            "comment" => Action::Comment(node()?, sent.get("text").to_owned()),
            "nag" => {
                let text = sent.get("nag");
                let nag = text.parse().map_err(|_| format!("`{text}` is no sign from 1 to 255"))?;
                Action::Nag(node()?, nag)
            }
            "marks" => {
                let list = sent.get("marks").split(',').filter(|mark| !mark.is_empty());
                Action::Marks(node()?, list.map(Mark::parse).collect::<Result<_, _>>()?)
            }
            "tag" => Action::Tag(sent.get("name").to_owned(), sent.get("value").to_owned()),
            "takeback" => Action::TakeBack(TakeBack::read(sent)?),
            "resign" => Action::Resign(side(sent.get("side"))),
            "draw" => Action::Draw(side(sent.get("side"))),
            "clock" => Action::Clock(node()?, sent.get("text").trim().to_owned()),
            "flag" => Action::Flag,
            "leave" => Action::Leave,
            "setup" => Action::SetUp {
                fen: sent.get("fen").to_owned(),
                chess960: !sent.get("chess960").is_empty(),
            },
            "load" => {
                let game = sent.get("game").parse().unwrap_or(1);
                Action::Load { text: sent.get("text").to_owned(), game }
            }
            "new" => Action::New(NewGame::read(sent)?),
            "level" => Action::Level(levels::read(sent.get("level"))?),
            _ => return Err(format!("there is no action `{what}`")),
        })
    }
}

impl Action {
    /// Looks at what it brings before anybody is asked about what it replaces.
    ///
    /// # Errors
    /// When a position or a text cannot be put on a board; in words for people.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Action::SetUp { fen, chess960 } => {
                check_whole(fen)?;
                GameTree::new(Some(fen), *chess960)?;
            }
            Action::Load { text, game } => {
                read_pasted(text.as_bytes(), *game)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Content of a board that would be lost by it, in words.
    pub fn loses(&self, state: &State) -> Option<String> {
        let is_over = state.game.as_ref().is_some_and(|game| game.over.is_some());
        let replaced = |lost: String| format!("The board has {lost}, which would be replaced.");
        let deleted = |lost: String| format!("{lost} would be lost with these moves.");
        match self {
            Action::Load { .. } | Action::SetUp { .. } => state.holds().map(replaced),
            // A finished game is in the ledger.
            Action::New(_) if !is_over => state.holds().map(replaced),
            Action::TakeBack(wanted) => state.lost_by_taking_back(*wanted).map(deleted),
            Action::Delete(id) => state.lost_by_deleting(*id),
            _ => None,
        }
    }
}

fn uci(text: &str) -> Result<UciMove, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is no move, as in e2e4"))
}

fn side(text: &str) -> Option<Color> {
    match text {
        "white" => Some(Color::White),
        "black" => Some(Color::Black),
        _ => None,
    }
}
