//! One game between two players.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{ByColor, Color};

use crate::player::{Fault, FaultKind, Limit, Line, Player, Reply, Score, unobserved};

use super::adjudication::{Adjudication, Adjudicator, Seen};
use super::clock::{self, Clock, Strictness};
use super::endings::Endings;
use super::record::{Opening, Termination};
use super::referee::{Made, OpeningError, Referee};
use crate::stats::GameScore;

/// How games are played, whoever plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conduct {
    /// Chess960, castling told as king takes rook.
    #[serde(default)]
    pub chess960: bool,
    /// When to end a game early.
    #[serde(default)]
    pub adjudication: Adjudication,
    /// How strictly time is kept.
    pub strictness: Strictness,
    /// Players are started anew for every game.
    #[serde(default)]
    pub restart: bool,
}

/// A game to be played.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// Where it starts.
    pub opening: &'a Opening,
    /// What each side may use.
    pub limits: ByColor<Limit>,
    /// How it is played.
    pub conduct: &'a Conduct,
    /// Endgame tables, where `conduct` asks for them.
    pub endings: Option<&'a Endings>,
}

/// A game that was played to its end.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// The result.
    pub result: GameScore,
    /// How it came about.
    pub termination: Termination,
    /// The same in words, with evidence.
    pub reason: String,
    /// All moves, book moves first.
    pub moves: Vec<PlayedMove>,
    /// Mean nodes a move, as the players told; `None` where one told nothing.
    pub nodes: ByColor<Option<u64>>,
    /// When it began.
    pub started: Timestamp,
    /// How long it took.
    pub took: Duration,
}

impl PlayedGame {
    /// The side whose player cannot be used for another game, if there is one.
    pub fn unusable(&self) -> Option<Color> {
        let loser = match self.result {
            GameScore::Win => Color::Black,
            GameScore::Loss => Color::White,
            GameScore::Draw => return None,
        };
        self.termination.needs_restart().then_some(loser)
    }
}

/// A move and what its player said about it.
#[derive(Clone, Copy, Debug)]
pub struct PlayedMove {
    /// The move.
    pub san: SanPlus,
    /// What the player said; `None`: a book move.
    pub thought: Option<Thought>,
}

/// What a player said about its move.
#[derive(Clone, Copy, Debug)]
pub struct Thought {
    /// The mover's score.
    pub score: Option<Score>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Nodes visited.
    pub nodes: Option<u64>,
    /// Time taken, as the harness measured it.
    pub elapsed: Duration,
}

/// Mean nodes of the moves that `first` began.
fn nodes_a_move(first: Color, moves: &[PlayedMove]) -> ByColor<Option<u64>> {
    let mean = |skip: usize| {
        let told = moves.iter().skip(skip).step_by(2).filter_map(|played| played.thought?.nodes);
        let (count, sum) = told.fold((0, 0), |(count, sum), nodes| (count + 1, sum + nodes));
        (count > 0).then(|| sum / count)
    };
    let (own, other) = (mean(0), mean(1));
    first.fold_wb(ByColor { white: own, black: other }, ByColor { white: other, black: own })
}

/// Why there is no game.
#[derive(Debug)]
pub enum NoGame {
    /// Harness trouble or an interrupt: neither is a result.
    Player(Fault),
    /// Nothing can be played from this opening.
    Opening(OpeningError),
}

/// Plays a game to its end.
///
/// `seen` is shown each move of the players. Whatever a player does wrong is its loss; only a player that could not be started or a user
/// who stops the harness leave no result.
///
/// # Errors
/// [`NoGame`] says why there is no result.
pub fn play(
    setup: Setup<'_>,
    players: ByColor<&mut dyn Player>,
    seen: &mut dyn FnMut(Color, UciMove, &PlayedMove),
) -> Result<PlayedGame, NoGame> {
    let (referee, book) =
        Referee::at(setup.opening, setup.conduct.chess960).map_err(NoGame::Opening)?;
    let first = referee.turn();
    let mut game = Game::new(setup, referee, &book);
    // The date is for the PGN; a clock that is set meanwhile must not change how long it took.
    let (started, begun) = (Timestamp::now(), Instant::now());
    let ending = game.run(players, seen).map_err(NoGame::Player)?;
    Ok(PlayedGame {
        result: ending.result,
        termination: ending.termination,
        reason: ending.reason,
        nodes: nodes_a_move(first, &game.moves[book.len()..]),
        moves: game.moves,
        started,
        took: begun.elapsed(),
    })
}

struct Ending {
    result: GameScore,
    termination: Termination,
    reason: String,
}

struct Game<'a> {
    setup: Setup<'a>,
    referee: Referee,
    clocks: ByColor<Clock>,
    adjudicator: Adjudicator<'a>,
    /// What the players are told.
    line: Vec<UciMove>,
    moves: Vec<PlayedMove>,
}

impl<'a> Game<'a> {
    fn new(setup: Setup<'a>, referee: Referee, book: &[Made]) -> Game<'a> {
        let mut line = Vec::with_capacity(256);
        line.extend(book.iter().map(|made| made.uci));
        let mut moves = Vec::with_capacity(256);
        moves.extend(book.iter().map(|made| PlayedMove { san: made.san, thought: None }));
        Game {
            setup,
            referee,
            clocks: setup.limits.map(|limit| Clock::new(limit, setup.conduct.strictness)),
            adjudicator: Adjudicator::new(&setup.conduct.adjudication),
            line,
            moves,
        }
    }

    fn run(
        &mut self,
        mut players: ByColor<&mut dyn Player>,
        seen: &mut dyn FnMut(Color, UciMove, &PlayedMove),
    ) -> Result<Ending, Fault> {
        for side in [Color::White, Color::Black] {
            if let Err(fault) = players.get_mut(side).new_game(self.setup.conduct.chess960) {
                return loss_by_fault(side, fault);
            }
        }
        loop {
            let side = self.referee.turn();
            let before = self.moves.len();
            let ending = match self.ask(*players.get_mut(side)) {
                Ok(reply) => self.take(side, &reply),
                Err(fault) => return loss_by_fault(side, fault),
            };
            // A late or illegal move was not made.
            if let (Some(played), Some(&uci)) = (self.moves.get(before), self.line.last()) {
                seen(side, uci, played);
            }
            if let Some(ending) = ending {
                return Ok(ending);
            }
        }
    }

    fn ask(&self, player: &mut dyn Player) -> Result<Reply, Fault> {
        let turn = self.referee.turn();
        let (own, other) = (&self.clocks[turn], &self.clocks[!turn]);
        let line = Line { fen: self.setup.opening.fen.as_deref(), moves: &self.line };
        player.go(line, &clock::go(own, other, turn), own.patience(), &mut unobserved)
    }

    /// Puts a reply on the board; the ending, if the game ends with it.
    fn take(&mut self, side: Color, reply: &Reply) -> Option<Ending> {
        if let Err(overrun) = self.clocks.get_mut(side).spend(reply.elapsed) {
            let late = overrun.0.as_secs_f64() * 1000.0;
            let reason = format!("{} loses on time (overrun {:.0} ms)", name(side), late.ceil());
            return Some(loss(side, Termination::TimeForfeit, reason));
        }
        let Some(legal) = self.referee.legal(reply.best_move) else {
            let reason = format!("{} makes an illegal move: {}", name(side), reply.best_move);
            return Some(loss(side, Termination::IllegalMove, reason));
        };
        let number = self.referee.move_number();
        let made = self.referee.make(legal);
        let info = &reply.info;
        self.line.push(made.uci);
        self.moves.push(PlayedMove {
            san: made.san,
            thought: Some(Thought {
                score: info.score,
                depth: info.depth,
                nodes: info.nodes,
                elapsed: reply.elapsed,
            }),
        });
        let by_rules = self.referee.ending();
        let seen = Seen { mover: side, score: info.score, irreversible: made.irreversible, number };
        if by_rules.is_none()
            && let Some(ending) = self.by_tables()
        {
            return Some(ending);
        }
        let (result, termination) = by_rules.or_else(|| self.adjudicator.see(seen))?;
        Some(Ending { result, termination, reason: words(result, termination).to_owned() })
    }

    /// The ending, if endgame tables know the result.
    fn by_tables(&self) -> Option<Ending> {
        let result = self.setup.endings?.verdict(self.referee.position())?;
        let termination = match result {
            GameScore::Draw => Termination::AdjudicatedDraw,
            GameScore::Win | GameScore::Loss => Termination::AdjudicatedWin,
        };
        // As cutechess and fastchess write it.
        let reason = format!("{}: SyzygyTB", words(result, termination));
        Some(Ending { result, termination, reason })
    }
}

fn name(side: Color) -> &'static str {
    side.fold_wb("White", "Black")
}

fn loss(side: Color, termination: Termination, reason: String) -> Ending {
    Ending { result: GameScore::won_by(!side), termination, reason }
}

/// A fault is the player's loss, unless it is the harness's trouble or the user's wish.
fn loss_by_fault(side: Color, fault: Fault) -> Result<Ending, Fault> {
    let (termination, what) = match fault.kind {
        FaultKind::Start | FaultKind::Setting | FaultKind::Interrupted => return Err(fault),
        FaultKind::Hang => (Termination::Stall, "'s connection stalls"),
        FaultKind::Crash => (Termination::Crash, " crashes"),
        FaultKind::Disconnect => (Termination::Disconnect, " disconnects"),
        FaultKind::NoMove => (Termination::NoMove, " gives no move"),
    };
    let mut reason = format!("{}{what}", name(side));
    if !fault.detail.is_empty() {
        reason = format!("{reason} ({})", fault.detail);
    }
    Ok(loss(side, termination, reason))
}

/// The words that cutechess and fastchess write, which other programs know.
fn words(result: GameScore, termination: Termination) -> &'static str {
    let white_won = result == GameScore::Win;
    match termination {
        Termination::Checkmate if white_won => "White mates",
        Termination::Checkmate => "Black mates",
        Termination::AdjudicatedWin if white_won => "White wins by adjudication",
        Termination::AdjudicatedWin => "Black wins by adjudication",
        Termination::Stalemate => "Draw by stalemate",
        Termination::Repetition => "Draw by 3-fold repetition",
        Termination::FiftyMoves => "Draw by fifty moves rule",
        Termination::InsufficientMaterial => "Draw by insufficient mating material",
        Termination::AdjudicatedDraw => "Draw by adjudication",
        Termination::MaxMoves => "Draw by adjudication: maximum length",
        Termination::TimeForfeit
        | Termination::IllegalMove
        | Termination::Crash
        | Termination::Disconnect
        | Termination::Stall
        | Termination::NoMove => "a player's fault",
    }
}

#[cfg(test)]
mod tests;
