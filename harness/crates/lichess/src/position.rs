//! A game's state: position, moves and clocks from the newest gameState.

use std::time::{Duration, Instant};

use shakmaty::uci::UciMove;
use shakmaty::{ByColor, Color};

use super::keys::Variant;
use super::messages::{GameFull, GameState};
use harness_arena::{Opening, Referee};

/// A game and its state.
#[derive(Clone, Debug)]
pub struct Position {
    /// The constant part.
    pub full: GameFull,
    /// Chess960: castling is king takes rook.
    pub chess960: bool,
    /// Where it starts.
    pub start: Opening,
    /// Moves made so far, in the notation of the game's castling mode.
    pub moves: Vec<UciMove>,
    /// The same moves in the notation of the server, which may write castling as king takes rook.
    sent_moves: Vec<UciMove>,
    /// The rules.
    pub referee: Referee,
    /// The newest state.
    pub state: GameState,
    /// When it was read from the stream.
    pub seen_at: Instant,
    /// Milliseconds on the mover's clock after each move, where they are known.
    pub clocks: Vec<Option<u64>>,
}

impl Position {
    /// From a whole game that was read at `seen_at`.
    ///
    /// # Errors
    /// When its variant is not played here, or its start or a move is illegal; in words.
    pub fn new(full: GameFull, seen_at: Instant) -> Result<Position, String> {
        let variant = full.variant.known();
        let variant =
            variant.ok_or_else(|| format!("`{}` is not played here", full.variant.key))?;
        let fen = (full.initial_fen != "startpos").then(|| full.initial_fen.clone());
        let start = |chess960| Referee::new(fen.as_deref(), chess960);
        // A game from a position may castle as in Chess960.
        let mut chess960 = variant == Variant::Chess960;
        if !chess960 && start(false).is_err() && start(true).is_ok() {
            chess960 = true;
        }
        let referee = start(chess960).map_err(|error| error.to_string())?;
        let state = full.state.clone();
        let mut position = Position {
            full,
            chess960,
            start: Opening { fen, moves: Vec::new() },
            moves: Vec::new(),
            sent_moves: Vec::new(),
            referee,
            state: state.clone(),
            seen_at,
            clocks: Vec::new(),
        };
        position.update(state, seen_at)?;
        Ok(position)
    }

    /// Takes a newer state that was read at `seen_at`; on an error nothing is changed.
    ///
    /// # Errors
    /// When it has an illegal move; in words.
    pub fn update(&mut self, state: GameState, seen_at: Instant) -> Result<(), String> {
        let sent: Result<Vec<UciMove>, _> =
            state.moves.split_whitespace().map(str::parse).collect();
        let sent = sent.map_err(|_| "the server sent a move that is no UCI move".to_owned())?;
        let mut referee = self.referee.clone();
        let mut moves = Vec::with_capacity(sent.len());
        if sent.starts_with(&self.sent_moves) {
            moves.clone_from(&self.moves);
        } else {
            // A takeback, or castling in another notation.
            referee = Referee::new(self.start.fen.as_deref(), self.chess960)
                .map_err(|error| error.to_string())?;
        }
        for uci in &sent[moves.len()..] {
            let legal = referee.legal(*uci);
            let legal = legal.ok_or_else(|| format!("the server sent an illegal move, {uci}"))?;
            moves.push(referee.make(legal).uci);
        }
        let unchanged = self.moves.iter().zip(&moves).take_while(|(old, new)| old == new).count();
        self.clocks.truncate(unchanged);
        self.clocks.resize(moves.len(), None);
        // The clocks of a state are those after the last move of each side.
        let mut mover = !referee.turn();
        for clock in self.clocks.iter_mut().rev().take(2) {
            if clock.is_none() && self.full.clock.is_some() {
                *clock = Some(mover.fold_wb(state.wtime, state.btime));
            }
            mover = !mover;
        }
        (self.referee, self.moves, self.sent_moves) = (referee, moves, sent);
        (self.state, self.seen_at) = (state, seen_at);
        Ok(())
    }

    /// Moves made so far.
    pub fn plies(&self) -> usize {
        self.moves.len()
    }

    /// The colour of an account; `None` if it does not play.
    pub fn colour_of(&self, id: &str) -> Option<Color> {
        let is = |user: &super::messages::User| user.id.as_deref() == Some(id);
        if is(&self.full.white) {
            Some(Color::White)
        } else {
            is(&self.full.black).then_some(Color::Black)
        }
    }

    /// Time on both clocks at the last move, and their increments; `None` without clocks.
    pub fn time(&self) -> Option<ByColor<(Duration, Duration)>> {
        self.full.clock?;
        let time = |left, gained| (Duration::from_millis(left), Duration::from_millis(gained));
        Some(ByColor {
            white: time(self.state.wtime, self.state.winc),
            black: time(self.state.btime, self.state.binc),
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::messages::{GameLine, game_line};

    /// A game with some moves.
    pub fn game(variant: &str, fen: &str, moves: &str) -> GameFull {
        let line = serde_json::json!({
            "type": "gameFull", "id": "abcdefgh", "variant": { "key": variant }, "speed": "blitz",
            "perf": { "name": "Blitz" }, "rated": true, "createdAt": 1_745_112_707_998_i64,
            "white": { "id": "one", "name": "One", "rating": 2000, "title": "BOT" },
            "black": { "id": "two", "name": "Two", "rating": 1900 },
            "initialFen": fen, "clock": { "initial": 60_000, "increment": 1000 },
            "state": state(moves),
        });
        match game_line(&line.to_string()) {
            Ok(GameLine::Full(full)) => *full,
            other => panic!("{other:?}"),
        }
    }

    pub fn state(moves: &str) -> serde_json::Value {
        serde_json::json!({
            "type": "gameState", "moves": moves, "wtime": 50_000, "btime": 40_000,
            "winc": 1000, "binc": 1000, "status": "started",
        })
    }

    #[test]
    fn both_notations_of_castling_are_one_game() {
        let before = "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5";
        let mut position =
            Position::new(game("standard", "startpos", before), Instant::now()).expect("legal");
        for castled in ["e1h1", "e1g1"] {
            let state = serde_json::from_value(state(&format!("{before} {castled}")));
            let seen_at = Instant::now() - Duration::from_millis(7);
            position.update(state.expect("a state"), seen_at).expect("legal");
            assert_eq!(position.moves.last().expect("a move").to_string(), "e1g1");
            assert_eq!(position.seen_at, seen_at);
            assert_eq!(position.clocks[5..], [Some(40_000), Some(50_000)]);
        }
        assert_eq!(position.clocks[0], None, "it was not seen");
        assert_eq!(position.colour_of("two"), Some(Color::Black));
        assert_eq!(position.colour_of("three"), None);
    }

    #[test]
    fn a_takeback_is_followed_and_a_state_with_an_illegal_move_changes_nothing() {
        let full = game("standard", "startpos", "e2e4 e7e5 g1f3");
        let mut position = Position::new(full, Instant::now()).expect("legal");
        let state = |moves: &str| serde_json::from_value(state(moves)).expect("a state");
        for wrong in ["e2e4 e7e5 g1f3 a1a8", "e2e4 e7e5 nonsense", "e2e5"] {
            let before = format!("{position:?}");
            assert!(position.update(state(wrong), Instant::now()).is_err(), "{wrong}");
            assert_eq!(format!("{position:?}"), before);
        }
        position.update(state("e2e4"), Instant::now()).expect("legal");
        assert_eq!((position.plies(), position.referee.turn()), (1, Color::Black));
        position.update(state("e2e4 c7c5"), Instant::now()).expect("legal");
        assert_eq!(position.moves[1].to_string(), "c7c5");
        assert_eq!(position.clocks.len(), 2);
    }

    #[test]
    fn a_position_whose_rooks_stand_elsewhere_is_played_as_chess960() {
        let fen = "1rk4r/pppppppp/8/8/8/8/PPPPPPPP/1RK4R w KQkq - 0 1";
        let position = Position::new(game("fromPosition", fen, ""), Instant::now()).expect("legal");
        assert!(position.chess960);
        assert!(Position::new(game("atomic", "startpos", ""), Instant::now()).is_err());
        assert!(Position::new(game("standard", "startpos", "e2e5"), Instant::now()).is_err());
    }
}
