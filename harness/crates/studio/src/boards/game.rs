//! A game on a board: players, turns, clocks, draws and endings.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use shakmaty::uci::UciMove;
use shakmaty::{Color, Position};

use super::{book, levels};
use harness_games::tree::{GameTree, NodeId, TreeError, clock_text};
use harness_player::{Clocks, Go};

/// Time of an engine's move in a game without clocks.
const ENGINE_MOVE: Duration = Duration::from_secs(1);

/// Who plays a side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seat {
    /// Whoever sits at the browser.
    Human,
    /// An engine.
    Engine {
        /// As the harness names engines.
        name: String,
        /// The level of the built-in engine, from 1; `None` of any other engine.
        level: Option<u8>,
    },
}

impl Seat {
    /// The name in PGN.
    pub fn title(&self) -> String {
        match self {
            Seat::Human => "Human".to_owned(),
            Seat::Engine { name, level: None } => name.clone(),
            Seat::Engine { name, level: Some(level) } => match levels::elo(*level) {
                Some(elo) => format!("{name} level {level} ({elo})"),
                None => format!("{name} level {level}"),
            },
        }
    }

    fn is_engine(&self) -> bool {
        matches!(self, Seat::Engine { .. })
    }
}

/// The clocks of a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Clock {
    /// Time left when the turn began: White's, Black's.
    pub left: [Duration; 2],
    /// Added after each move.
    pub increment: Duration,
    /// When the turn began; the clocks stand before the second move and after the game.
    #[serde(skip)]
    pub since: Option<Instant>,
}

impl Clock {
    /// From `5+3`: minutes and seconds; `None` of anything else.
    pub fn parse(text: &str) -> Option<Clock> {
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        let number =
            |text: &str| text.trim().parse::<f64>().ok().filter(|n| (0.0..=600.0).contains(n));
        let base = Duration::from_secs_f64(number(base)? * 60.0);
        let increment = Duration::from_secs_f64(number(increment)?);
        let usable = base + increment > Duration::ZERO;
        usable.then_some(Clock { left: [base; 2], increment, since: None })
    }

    /// Time left now, while it is this side's turn.
    fn now(&self, side: Color, turn: Color) -> Duration {
        let spent = self.since.filter(|_| side == turn).map(|since| since.elapsed());
        self.left[index(side)].saturating_sub(spent.unwrap_or_default())
    }
}

fn index(side: Color) -> usize {
    usize::from(side.is_black())
}

/// Where the ledger has a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerPlace {
    /// The run.
    pub run: String,
    /// Which pair of it.
    pub pair: u64,
}

/// A game that is played on a board: the main line of its tree.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Game {
    /// White's and Black's player.
    pub seats: [Seat; 2],
    /// None in a casual game.
    pub clock: Option<Clock>,
    /// Moves of an opening that engines follow as long as the other player does.
    pub opening: Vec<String>,
    /// Who has offered a draw.
    pub draw_offered: Option<bool>,
    /// Why the game is over; the result is the tree's.
    pub over: Option<String>,
    /// The newest score of each engine, for itself, in centipawns.
    #[serde(skip)]
    #[serde(rename = "judged")]
    pub last_scores: [Option<i32>; 2],
    /// It is in the ledger as it ended last.
    #[serde(default)]
    pub recorded: bool,
    /// Where the ledger has it: a game that is taken back and ends again stays one game.
    #[serde(default)]
    pub place: Option<LedgerPlace>,
    /// When it began, or was read again after a restart.
    #[serde(skip)]
    pub begun: Option<Instant>,
}

/// The end of a game: its result, and why.
pub type Ending = (&'static str, String);

impl Game {
    /// The side of the person in a game with an engine.
    pub fn person(&self) -> Option<Color> {
        match &self.seats {
            [Seat::Human, Seat::Engine { .. }] => Some(Color::White),
            [Seat::Engine { .. }, Seat::Human] => Some(Color::Black),
            _ => None,
        }
    }

    /// A game at its start.
    pub fn new(seats: [Seat; 2], clock: Option<Clock>, opening: Vec<String>) -> Game {
        let begun = Some(Instant::now());
        let last_scores = [None; 2];
        Game {
            seats,
            clock,
            opening,
            draw_offered: None,
            over: None,
            last_scores,
            recorded: false,
            place: None,
            begun,
        }
    }

    /// The last move that was played, or the start position.
    pub fn tip(tree: &GameTree) -> NodeId {
        tree.main_line().last().copied().unwrap_or(GameTree::ROOT)
    }

    /// Whose turn it is.
    pub fn turn(tree: &GameTree) -> Color {
        tree.node(Game::tip(tree)).map_or(Color::White, |node| node.position.turn())
    }

    /// The player of a side.
    pub fn seat(&self, side: Color) -> &Seat {
        &self.seats[index(side)]
    }

    /// Is an engine to move?
    pub fn engine_to_move(&self, tree: &GameTree) -> bool {
        self.over.is_none() && self.seat(Game::turn(tree)).is_engine()
    }

    /// Plays the move of the side whose turn it is: clocks, draw offers and endings follow.
    ///
    /// # Errors
    /// When the move is illegal.
    pub fn play(&mut self, tree: &mut GameTree, uci: UciMove) -> Result<NodeId, TreeError> {
        let tip = Game::tip(tree);
        let side = Game::turn(tree);
        if let Some(ending) = self.flag(tree) {
            self.end(tree, ending);
            return Ok(tip);
        }
        let id = tree.play(tip, uci)?;
        if let Some(clock) = &mut self.clock {
            let left = clock.now(side, side) + clock.increment;
            clock.left[index(side)] = left;
            clock.since = Some(Instant::now());
            tree.annotations_mut(id)?.clock = Some(clock_text(left));
        }
        if self.draw_offered.is_some_and(|by_white| by_white != side.is_white()) {
            self.draw_offered = None;
        }
        if let Some(ending) = ending(tree, id)? {
            self.end(tree, ending);
        }
        Ok(id)
    }

    /// The end by time, if it has come.
    pub fn flag(&self, tree: &GameTree) -> Option<Ending> {
        let side = Game::turn(tree);
        let clock = self.clock.as_ref().filter(|_| self.over.is_none())?;
        if clock.since.is_none() || clock.now(side, side) > Duration::ZERO {
            return None;
        }
        let position = &tree.node(Game::tip(tree)).ok()?.position;
        let winner = side.other();
        if position.has_insufficient_material(winner) {
            return Some(("1/2-1/2", "time out against too little material".to_owned()));
        }
        Some((won_by(winner), format!("{} out of time", name(side))))
    }

    /// Ends the game.
    pub fn end(&mut self, tree: &mut GameTree, (result, why): Ending) {
        let turn = Game::turn(tree);
        if let Some(clock) = &mut self.clock {
            clock.left = [Color::White, Color::Black].map(|side| clock.now(side, turn));
            clock.since = None;
        }
        self.over = Some(why);
        tree.set_result(result).expect("the results of endings are results");
    }

    /// The `go` command for the engine that is to move.
    pub fn go(&self, tree: &GameTree) -> Go {
        let Some(clock) = &self.clock else { return Go::MoveTime(ENGINE_MOVE) };
        let turn = Game::turn(tree);
        Go::Clock(Clocks {
            white: clock.now(Color::White, turn),
            black: clock.now(Color::Black, turn),
            white_increment: clock.increment,
            black_increment: clock.increment,
            moves_to_go: None,
        })
    }

    /// Milliseconds left: White's, Black's.
    pub fn clocks(&self, tree: &GameTree) -> Option<[u64; 2]> {
        let turn = Game::turn(tree);
        let clock = self.clock.as_ref()?;
        Some([Color::White, Color::Black].map(|side| clock.now(side, turn).as_millis() as u64))
    }

    /// The next move of the opening, wherever in it the game stands.
    pub fn steered(&self, tree: &GameTree) -> Option<UciMove> {
        book::next_move(&self.opening, &tree.node(Game::tip(tree)).ok()?.position)
    }
}

/// `White`, `Black`.
pub fn name(side: Color) -> &'static str {
    side.fold_wb("White", "Black")
}

/// The result of a game that a side has won.
pub fn won_by(side: Color) -> &'static str {
    side.fold_wb("1-0", "0-1")
}

/// The end of a game by the rules of the board.
pub fn ending(tree: &GameTree, id: NodeId) -> Result<Option<Ending>, TreeError> {
    let position = &tree.node(id)?.position;
    Ok(if position.is_checkmate() {
        Some((won_by(position.turn().other()), "checkmate".to_owned()))
    } else if position.is_stalemate() {
        Some(("1/2-1/2", "stalemate".to_owned()))
    } else if position.is_insufficient_material() {
        Some(("1/2-1/2", "too little material".to_owned()))
    } else if position.halfmoves() >= 100 {
        Some(("1/2-1/2", "fifty moves without progress".to_owned()))
    } else if tree.repetitions(id)? >= 3 {
        Some(("1/2-1/2", "threefold repetition".to_owned()))
    } else {
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_people() -> Game {
        Game::new([Seat::Human, Seat::Human], Clock::parse("5+3"), Vec::new())
    }

    fn play(game: &mut Game, tree: &mut GameTree, moves: &str) {
        for uci in moves.split(' ') {
            game.play(tree, uci.parse().expect("a move")).expect("legal");
        }
    }

    #[test]
    fn a_game_ends_with_mate_and_its_clocks_stand() {
        let mut game = two_people();
        let mut tree = GameTree::default();
        play(&mut game, &mut tree, "f2f3 e7e5 g2g4 d8h4");
        assert_eq!(game.over.as_deref(), Some("checkmate"));
        assert_eq!(tree.result(), "0-1");
        assert!(game.clock.as_ref().is_some_and(|clock| clock.since.is_none()));
        assert!(tree.to_pgn().contains("[%clk 0:05:0"), "{}", tree.to_pgn());
    }

    #[test]
    fn a_game_ends_with_the_third_repetition() {
        let mut game = two_people();
        let mut tree = GameTree::default();
        play(&mut game, &mut tree, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1");
        assert_eq!(game.over, None);
        play(&mut game, &mut tree, "f6g8");
        assert_eq!(game.over.as_deref(), Some("threefold repetition"));
    }

    #[test]
    fn a_player_out_of_time_loses_unless_the_other_cannot_mate() {
        let mut game = two_people();
        let mut tree = GameTree::default();
        play(&mut game, &mut tree, "e2e4");
        let late = |game: &mut Game| {
            let clock = game.clock.as_mut().expect("it has one");
            clock.left = [Duration::ZERO; 2];
            clock.since = Some(Instant::now());
        };
        late(&mut game);
        assert_eq!(game.flag(&tree), Some(("1-0", "Black out of time".to_owned())));
        let mut tree =
            GameTree::new(Some("8/8/4k3/8/8/4K3/4Q3/8 w - - 0 1"), false).expect("legal");
        let mut game = two_people();
        play(&mut game, &mut tree, "e2e1");
        play(&mut game, &mut tree, "e6d6");
        late(&mut game);
        assert!(game.flag(&tree).is_some_and(|(result, _)| result == "1/2-1/2"));
    }

    #[test]
    fn an_opening_is_followed_until_somebody_leaves_it() {
        let mut game = two_people();
        game.opening = ["e2e4", "c7c6"].map(str::to_owned).to_vec();
        let mut tree = GameTree::default();
        assert_eq!(game.steered(&tree).map(|uci| uci.to_string()), Some("e2e4".to_owned()));
        play(&mut game, &mut tree, "e2e4");
        assert_eq!(game.steered(&tree).map(|uci| uci.to_string()), Some("c7c6".to_owned()));
        play(&mut game, &mut tree, "e7e5");
        assert_eq!(game.steered(&tree), None);
    }

    #[test]
    fn an_opening_is_entered_where_the_position_of_a_game_stands_in_it() {
        let mut game = two_people();
        game.opening = ["e2e4", "c7c5", "g1f3"].map(str::to_owned).to_vec();
        for (fen, next) in [
            ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", Some("c7c5")),
            // The same position by another way, with other counters.
            ("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 7 9", Some("g1f3")),
            // Castling is another one.
            ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b Kkq - 0 1", None),
            // Its end.
            ("rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2", None),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", None),
        ] {
            let tree = GameTree::new(Some(fen), false).expect("legal");
            assert_eq!(game.steered(&tree).map(|uci| uci.to_string()).as_deref(), next, "{fen}");
        }
    }

    #[test]
    fn clocks_are_read_in_minutes_and_seconds() {
        let clock = Clock::parse("5+3").expect("a clock");
        assert_eq!((clock.left[0].as_secs(), clock.increment.as_secs()), (300, 3));
        assert_eq!(Clock::parse("0.5").expect("a clock").left[1].as_secs(), 30);
        for wrong in ["", "a+b", "-1+3", "0+0", "5+3+2", "nan"] {
            assert!(Clock::parse(wrong).is_none(), "{wrong}");
        }
    }
}
