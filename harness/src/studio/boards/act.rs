//! What a page may ask of a board.

use shakmaty::Color;
use shakmaty::uci::UciMove;

use super::board::State;
use super::game::{Clock, Game, Seat, name, won_by};
use super::levels;
use crate::arena::chess960;
use crate::assistant::names;
use crate::data::eco;
use crate::data::tree::{GameTree, Mark, NodeId, read_game};
use crate::studio::security::Sent;

/// A score at which an engine takes a draw: no better than this for itself, in centipawns.
const DRAW_AT_MOST: i32 = 0;

/// Plies before which an engine takes no draw.
const DRAW_FROM: usize = 20;

/// How like the name of an opening a text must be to mean it.
const LIKE: f32 = 0.6;

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
    Nag(NodeId, u8),
    /// Sets arrows and squares.
    Marks(NodeId, Vec<Mark>),
    /// Sets a tag.
    Tag(String, String),
    /// Takes back the last moves, to a turn of the one who asks.
    TakeBack(usize),
    /// Resigns; of two people the side that asks, or else the one to move.
    Resign(Option<Color>),
    /// Offers a draw, or accepts one.
    Draw(Option<Color>),
    /// Sets the clock after a move; an empty text removes it.
    Clock(NodeId, String),
    /// Says that somebody's time is over.
    Flag,
    /// Ends the game without a result, to study it.
    Leave,
    /// Begins from a position.
    SetUp { fen: String, chess960: bool },
    /// Shows a game from PGN.
    Load(String),
    /// Begins a game.
    New(NewGame),
    /// Lets the game go on from a node with another level.
    Level(u8),
}

/// A game to begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewGame {
    /// White's and Black's engine; none for people.
    pub engines: [Option<String>; 2],
    /// The level of the built-in engine.
    pub level: u8,
    /// `5+3`; empty without clocks.
    pub clock: String,
    /// From a random start position.
    pub chess960: bool,
    /// The opening that engines steer into; empty for any.
    pub opening: String,
    /// A start position; empty for the usual one.
    pub fen: String,
}

impl Action {
    /// What a form asks for.
    ///
    /// # Errors
    /// When it is not understood; in words for people.
    pub fn read(what: &str, sent: &Sent) -> Result<Action, String> {
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
            "takeback" => Action::TakeBack(sent.get("count").parse().unwrap_or(1)),
            "resign" => Action::Resign(side(sent.get("side"))),
            "draw" => Action::Draw(side(sent.get("side"))),
            "clock" => Action::Clock(node()?, sent.get("text").trim().to_owned()),
            "flag" => Action::Flag,
            "leave" => Action::Leave,
            "setup" => Action::SetUp {
                fen: sent.get("fen").to_owned(),
                chess960: !sent.get("chess960").is_empty(),
            },
            "load" => Action::Load(sent.get("pgn").to_owned()),
            "new" => Action::New(NewGame::read(sent)?),
            "level" => Action::Level(level(sent.get("level"))?),
            _ => return Err(format!("there is no action `{what}`")),
        })
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

fn level(text: &str) -> Result<u8, String> {
    let known = text.trim().parse().ok().filter(|level| (1..=levels::COUNT).contains(level));
    known.ok_or_else(|| format!("`{text}` is no level from 1 to {}", levels::COUNT))
}

impl NewGame {
    /// From a form.
    ///
    /// # Errors
    /// When a field is wrong; in words for people.
    pub fn read(sent: &Sent) -> Result<NewGame, String> {
        let engine = |field: &str| {
            let text = sent.get(field).trim();
            (!text.is_empty() && text != "human").then(|| text.to_owned())
        };
        let clock = sent.get("clock").trim().to_owned();
        if !clock.is_empty() && Clock::parse(&clock).is_none() {
            return Err(format!("`{clock}` is no clock: minutes+seconds, as in 5+3"));
        }
        let asked = sent.get("level");
        Ok(NewGame {
            engines: [engine("white"), engine("black")],
            level: if asked.is_empty() { levels::COUNT } else { level(asked)? },
            clock,
            chess960: !sent.get("chess960").is_empty(),
            opening: sent.get("opening").trim().to_owned(),
            fen: sent.get("fen").trim().to_owned(),
        })
    }

    /// The tree and the game at their start.
    ///
    /// # Errors
    /// When the position or the opening is unknown; in words for people.
    pub fn begin(&self) -> Result<(GameTree, Game), String> {
        let start = match (self.fen.is_empty(), self.chess960) {
            (false, _) => Some(self.fen.clone()),
            (true, true) => chess960::opening(random(960)).fen,
            (true, false) => None,
        };
        let mut tree = GameTree::new(start.as_deref(), self.chess960)?;
        let opening = match self.opening.as_str() {
            "" => Vec::new(),
            named => moves_of(named).or_else(|error| moves_of(&like(named).ok_or(error)?))?,
        };
        let seats = self.engines.clone().map(|engine| match engine {
            None => Seat::Human,
            Some(name) => {
                let level = (name == "builtin").then_some(self.level);
                Seat::Engine { name, level }
            }
        });
        let today = jiff::Zoned::now().strftime("%Y.%m.%d").to_string();
        let facts = [("Event", "Casual game"), ("Date", &today)];
        for (name, value) in facts {
            tree.set_tag(name, value)?;
        }
        tree.set_tag("White", &seats[0].title())?;
        tree.set_tag("Black", &seats[1].title())?;
        if !self.clock.is_empty() {
            tree.set_tag("TimeControl", &self.clock)?;
        }
        Ok((tree, Game::new(seats, Clock::parse(&self.clock), opening)))
    }
}

fn random(below: usize) -> usize {
    use rand::Rng;
    rand::rng().random_range(0..below)
}

/// The opening whose name is most like a text, if it is like any at all.
fn like(text: &str) -> Option<String> {
    let text = text.strip_prefix("the ").unwrap_or(text);
    let found = names::opening(text, 1).into_iter().find(|found| found.similarity >= LIKE);
    found.map(|found| found.name)
}

/// The moves of an opening of the list, the shortest line of its name.
///
/// # Errors
/// When no opening has this name; in words for people.
pub fn moves_of(name: &str) -> Result<Vec<String>, String> {
    let lines = eco::LIST.lines().skip(1).filter_map(|line| {
        let mut columns = line.split('\t').skip(1);
        let known = columns.next()?;
        known.eq_ignore_ascii_case(name).then(|| columns.next()).flatten()
    });
    let shortest = lines.min_by_key(|moves| moves.len());
    let moves = shortest.ok_or_else(|| format!("no opening of the list is called `{name}`"))?;
    Ok(moves.split(' ').map(str::to_owned).collect())
}

impl State {
    /// Makes a change.
    ///
    /// # Errors
    /// When it cannot be made; in words for people. The state is as it was.
    pub fn act(&mut self, action: Action) -> Result<(), String> {
        match action {
            Action::Move(at, uci) => self.make_move(at, uci)?,
            Action::Delete(id) => self.edit(id, |tree| tree.delete(id).map(drop))?,
            Action::Promote(id) => self.edit(id, |tree| tree.promote(id))?,
            Action::MainLine(id) => self.edit(id, |tree| tree.make_main_line(id))?,
            Action::Comment(id, text) => self.tree.comment(id, &text)?,
            Action::Nag(id, nag) => self.tree.toggle_nag(id, nag)?,
            Action::Marks(id, marks) => self.tree.set_marks(id, marks)?,
            Action::Tag(name, value) => self.tree.set_tag(&name, &value)?,
            Action::TakeBack(count) => self.take_back(count)?,
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
                self.tree = GameTree::new(Some(&fen), chess960)?;
                self.game = None;
            }
            Action::Load(pgn) => {
                self.tree = read_game(pgn.as_bytes())?;
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

    fn make_move(&mut self, at: NodeId, uci: UciMove) -> Result<(), String> {
        let tip = Game::tip(&self.tree);
        if let Some((game, tree)) = self.running()
            && at == tip
        {
            if game.engine_to_move(tree) {
                return Err("it is the engine's turn".to_owned());
            }
            game.play(tree, uci)?;
            return Ok(());
        }
        self.tree.play(at, uci)?;
        Ok(())
    }

    /// Changes what is no part of a running game.
    fn edit(
        &mut self,
        id: NodeId,
        change: impl FnOnce(&mut GameTree) -> Result<(), crate::data::tree::TreeError>,
    ) -> Result<(), String> {
        let main = self.tree.main_line();
        let of_game = main.contains(&id) || {
            let parent = self.tree.node(id)?.parent;
            parent.is_none_or(|parent| parent == GameTree::ROOT || main.contains(&parent))
        };
        if self.running().is_some() && of_game && main.contains(&id) {
            return Err("the moves of a game in progress stay; take them back instead".to_owned());
        }
        change(&mut self.tree)?;
        Ok(())
    }

    fn take_back(&mut self, count: usize) -> Result<(), String> {
        let line = self.tree.main_line();
        if line.is_empty() {
            return Err("no move has been played".to_owned());
        }
        let game = self.game.as_ref();
        let mut left = line.len().saturating_sub(count.clamp(1, line.len()));
        // Against an engine it is then the turn of the one who asks.
        let engine_at = |plies: usize| {
            let side = Game::turn(&self.tree);
            let odd = (line.len() - plies) % 2 == 1;
            let side = if odd { side.other() } else { side };
            game.is_some_and(|game| matches!(game.seat(side), Seat::Engine { .. }))
        };
        let both = game.is_some_and(|game| game.seats.iter().all(|seat| *seat != Seat::Human));
        if left > 0 && engine_at(left) && !both {
            left -= 1;
        }
        self.tree.delete(line[left])?;
        self.tree.set_result("*")?;
        let turn = Game::turn(&self.tree);
        if let Some(game) = &mut self.game {
            game.over = None;
            game.recorded = false;
            game.draw_offered = None;
            if let Some(clock) = &mut game.clock {
                clock.since = (left > 0).then(std::time::Instant::now);
            }
            tracing::debug!("taken back to {} plies, {} to move", left, name(turn));
        }
        Ok(())
    }

    /// The side of the person; where both are people the one that was named, or the one to move.
    fn own_side(game: &Game, tree: &GameTree, named: Option<Color>) -> Color {
        match &game.seats {
            [Seat::Human, Seat::Engine { .. }] => Color::White,
            [Seat::Engine { .. }, Seat::Human] => Color::Black,
            _ => named.unwrap_or_else(|| Game::turn(tree)),
        }
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
            let judged = game.judged[usize::from(side.is_white())];
            let long = tree.main_line().len() >= DRAW_FROM;
            if !long || judged.is_none_or(|score| score > DRAW_AT_MOST) {
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
    fn taking_back_against_an_engine_leads_to_the_own_turn() {
        let mut state = state([None, Some("builtin")]);
        play(&mut state, "e2e4 e7e5 g1f3 b8c6");
        state.act(Action::TakeBack(1)).expect("there are moves");
        assert_eq!(state.tree.main_line().len(), 2);
        state.act(Action::TakeBack(5)).expect("there are moves");
        assert!(state.tree.main_line().is_empty());
        assert!(state.act(Action::TakeBack(1)).is_err());
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
