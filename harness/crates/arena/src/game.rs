//! One game between two players.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{ByColor, Color};

use harness_player::{Fault, FaultKind, Limit, Line, Player, Reply, Score, unobserved};

use super::adjudication::{AdjudicatedMove, Adjudication, Adjudicator};
use super::clock::{self, Clock, Strictness};
use super::comment::{self, CommentPart};
use super::comment_lines::CommentLines;
use super::opening_error::OpeningError;
use super::output_check::{Flaw, FlawKind, OutputCheck, OutputChecks, mate_of, scored_line};
use super::record::Opening;
use super::referee::{Made, Referee};
use super::tablebases::TablebaseAdjudicator;
use super::termination::Termination;
use super::variant::Rules;
use harness_stats::GameScore;

/// Most nodes of a move that are recorded: a larger number is no count, and sums of it would overflow.
pub(super) const MAX_NODES: u64 = 1 << 48;

/// Rules of the games of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conduct {
    /// The variant.
    #[serde(flatten)]
    pub rules: Rules,
    /// Adjudication.
    #[serde(default)]
    pub adjudication: Adjudication,
    /// Time margin and watchdog.
    pub strictness: Strictness,
    /// Players are restarted for every game.
    #[serde(default)]
    pub restart: bool,
    /// Players that can think in their opponents' time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ponder: bool,
    /// Pause between two games of a worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Duration>,
    /// Optional parts of comments in the PGN.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<CommentPart>,
    /// Regular expressions: the last line of a search that matches one is in the comment of its move.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// Checks of what players print; `None`: none. They change no result, and so are no part of what is
    /// stored of a run.
    #[serde(default, skip_serializing)]
    pub checks: Option<OutputChecks>,
}

impl Default for Conduct {
    /// Chess without adjudication; a search of over a minute without a clock is a hang.
    fn default() -> Conduct {
        let strictness = Strictness { margin: None, watchdog: Duration::from_secs(60) };
        Conduct {
            rules: Rules::Chess,
            adjudication: Adjudication::default(),
            strictness,
            restart: false,
            ponder: false,
            wait: None,
            comments: Vec::new(),
            lines: Vec::new(),
            checks: None,
        }
    }
}

/// A game to play.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// Where it starts.
    pub opening: &'a Opening,
    /// Limit of each side.
    pub limits: ByColor<Limit>,
    /// Its rules.
    pub conduct: &'a Conduct,
    /// Tablebases, if `conduct` names any.
    pub tablebases: Option<&'a TablebaseAdjudicator>,
}

/// A game that was played to its end.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// The result.
    pub result: GameScore,
    /// How it ended.
    pub termination: Termination,
    /// The same in words, with evidence.
    pub reason: String,
    /// All moves, book moves first.
    pub moves: Vec<PlayedMove>,
    /// Optional parts of their comments, a text a move; empty unless requested.
    pub further: Vec<String>,
    /// Mean nodes a move that the player reported, if it did.
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

/// A move with its score and depth.
#[derive(Clone, Copy, Debug)]
pub struct PlayedMove {
    /// The move.
    pub san: SanPlus,
    /// Its search; `None`: a book move.
    pub thought: Option<Thought>,
}

/// The search of a move, as its player reported it.
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

/// Mean nodes a move; `first` made the first one.
fn nodes_a_move(first: Color, moves: &[PlayedMove]) -> ByColor<Option<u64>> {
    let mean = |skip: usize| {
        let reported =
            moves.iter().skip(skip).step_by(2).filter_map(|played| played.thought?.nodes);
        let (count, sum) = reported.fold((0, 0), |(count, sum), nodes| (count + 1, sum + nodes));
        (count > 0).then(|| sum / count)
    };
    let own = mean(0);
    let other = mean(1);
    first.fold_wb(ByColor { white: own, black: other }, ByColor { white: other, black: own })
}

/// An event of a game in progress.
#[derive(Clone, Copy, Debug)]
pub enum Seen<'a> {
    /// A player made a move.
    Move {
        /// Who.
        side: Color,
        /// As UCI writes it.
        uci: UciMove,
        /// With its score and depth.
        played: &'a PlayedMove,
    },
    /// A player printed what it should not have.
    Flaw {
        /// Who.
        side: Color,
        /// What.
        flaw: &'a Flaw,
        /// The moves since the start position, that of the search included only where both players are
        /// concerned.
        moves: &'a [UciMove],
    },
}

/// Receives what is seen.
pub type Watching<'a> = dyn FnMut(Seen<'_>) + 'a;

/// Why there is no game.
#[derive(Debug)]
pub enum NoGame {
    /// Harness trouble or an interrupt: neither is a result.
    Player(Fault),
    /// Nothing can be played from this opening.
    Opening(OpeningError),
    /// A regular expression of [`Conduct::lines`] is none.
    Lines(String),
}

/// Plays a game to its end.
///
/// `seen` is called with each move of the players, and each flaw in what they print. A fault of a player is its loss; only a player
/// that could not be started and an interrupt leave no result.
///
/// # Errors
/// [`NoGame`] says why there is no result.
pub fn play(
    setup: Setup<'_>,
    players: ByColor<&mut dyn Player>,
    seen: &mut Watching<'_>,
) -> Result<PlayedGame, NoGame> {
    let (referee, book) =
        Referee::at(setup.opening, setup.conduct.rules).map_err(NoGame::Opening)?;
    let first = referee.turn();
    let mut game = Game::new(setup, referee, &book).map_err(NoGame::Lines)?;
    // Wall time for the PGN, monotonic time for the duration.
    let started = Timestamp::now();
    let begun = Instant::now();
    let ending = game.run(players, seen).map_err(NoGame::Player)?;
    Ok(PlayedGame {
        result: ending.result,
        termination: ending.termination,
        reason: ending.reason,
        nodes: nodes_a_move(first, &game.moves[book.len()..]),
        moves: game.moves,
        further: game.further,
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
    /// Moves since the start position.
    line: Vec<UciMove>,
    moves: Vec<PlayedMove>,
    /// Optional parts of the moves' comments, if requested.
    further: Vec<String>,
    /// The opponent's reply that a player thinks about.
    expected: ByColor<Option<UciMove>>,
    /// Which lines are put into comments.
    comment_lines: CommentLines,
    /// The line with the score of the latest search, where lines are checked.
    scored: Option<String>,
}

impl<'a> Game<'a> {
    fn new(setup: Setup<'a>, referee: Referee, book: &[Made]) -> Result<Game<'a>, String> {
        let mut line = Vec::with_capacity(256);
        line.extend(book.iter().map(|made| made.uci));
        let mut moves = Vec::with_capacity(256);
        moves.extend(book.iter().map(|made| PlayedMove { san: made.san, thought: None }));
        let comment_lines = CommentLines::new(&setup.conduct.lines)?;
        let has_further = !setup.conduct.comments.is_empty() || !comment_lines.is_empty();
        Ok(Game {
            setup,
            referee,
            clocks: setup.limits.map(|limit| Clock::new(limit, setup.conduct.strictness)),
            adjudicator: Adjudicator::new(&setup.conduct.adjudication),
            line,
            further: if has_further { vec![String::new(); book.len()] } else { Vec::new() },
            moves,
            expected: ByColor::default(),
            comment_lines,
            scored: None,
        })
    }

    fn run(
        &mut self,
        mut players: ByColor<&mut dyn Player>,
        seen: &mut Watching<'_>,
    ) -> Result<Ending, Fault> {
        let ending = self.run_to_end(&mut players, seen)?;
        for side in Color::ALL {
            players.get_mut(side).end_game(ending.result.pgn(), &ending.reason);
        }
        Ok(ending)
    }

    fn run_to_end(
        &mut self,
        players: &mut ByColor<&mut dyn Player>,
        seen: &mut Watching<'_>,
    ) -> Result<Ending, Fault> {
        for side in [Color::White, Color::Black] {
            let player = &mut **players.get_mut(side);
            if let Err(fault) = ready(self.setup.conduct, player) {
                return loss_by_fault(side, fault);
            }
        }
        loop {
            let side = self.referee.turn();
            let before = self.moves.len();
            let (ending, ponder) = match self.search(*players.get_mut(side)) {
                Ok(reply) => {
                    self.check_output(side, &reply, seen);
                    let taken = (self.take(side, &reply), reply.ponder);
                    if self.moves.len() > before {
                        self.check_mate_signs(side, &reply, seen);
                    }
                    players.get_mut(side).reuse(reply);
                    taken
                }
                Err(fault) => return loss_by_fault(side, fault),
            };
            // A late or illegal move was not made.
            if let (Some(played), Some(&uci)) = (self.moves.get(before), self.line.last()) {
                seen(Seen::Move { side, uci, played });
            }
            if let Some(ending) = ending {
                return Ok(ending);
            }
            if let Some(ponder) = ponder.filter(|_| self.setup.conduct.ponder)
                && let Err(fault) = self.ponder(side, *players.get_mut(side), ponder)
            {
                return loss_by_fault(side, fault);
            }
        }
    }

    /// Lets the player that has just moved think about the reply that it expects.
    fn ponder(
        &mut self,
        side: Color,
        player: &mut dyn Player,
        expected: UciMove,
    ) -> Result<(), Fault> {
        let Some(expected) = self.referee.ponder_move(expected) else { return Ok(()) };
        let go = clock::go(&self.clocks[side], &self.clocks[!side], side);
        self.line.push(expected);
        let line = Line { fen: self.setup.opening.fen.as_deref(), moves: &self.line };
        let begun = player.ponder(line, &go);
        self.line.pop();
        *self.expected.get_mut(side) = begun?.then_some(expected);
        Ok(())
    }

    fn search(&mut self, player: &mut dyn Player) -> Result<Reply, Fault> {
        let turn = self.referee.turn();
        let expected = self.expected.get_mut(turn).take();
        let own = &self.clocks[turn];
        let other = &self.clocks[!turn];
        if expected.is_some() && expected == self.line.last().copied() {
            return player.ponder_hit(own.patience());
        }
        let line = Line { fen: self.setup.opening.fen.as_deref(), moves: &self.line };
        player.go(line, &clock::go(own, other, turn), own.patience(), &mut unobserved)
    }

    /// Reports what a player should not have printed during a search.
    fn check_output(&self, side: Color, reply: &Reply, seen: &mut Watching<'_>) {
        let Some(checks) = self.setup.conduct.checks.filter(|_| !reply.info.lines.is_empty())
        else {
            return;
        };
        let lines = String::from_utf8_lossy(&reply.info.lines);
        let legal = self.referee.legal(reply.best_move).map(|_| reply.best_move);
        OutputCheck::new(&self.referee, checks).run(&lines, legal, &mut |flaw| {
            seen(Seen::Flaw { side, flaw: &flaw, moves: &self.line });
        });
    }

    /// Reports mates that both players announce for themselves, or for their opponents, in their latest
    /// moves.
    fn check_mate_signs(&mut self, side: Color, reply: &Reply, seen: &mut Watching<'_>) {
        if self.setup.conduct.checks.is_none() {
            return;
        }
        let lines = String::from_utf8_lossy(&reply.info.lines);
        let own = scored_line(&lines).map(str::to_owned);
        let other = std::mem::replace(&mut self.scored, own);
        let (Some(own), Some(other)) = (self.scored.as_deref(), other) else { return };
        let (Some(mate), Some(other_mate)) = (mate_of(own), mate_of(&other)) else { return };
        if mate.signum() * other_mate.signum() > 0 {
            let kind = FlawKind::MateSigns(other_mate, mate);
            let flaw = Flaw { kind, line: format!("{other} ; {own}") };
            seen(Seen::Flaw { side, flaw: &flaw, moves: &self.line });
        }
    }

    /// Makes the move of a reply; returns the ending if the game ends with it.
    fn take(&mut self, side: Color, reply: &Reply) -> Option<Ending> {
        if let Err(overrun) = self.clocks.get_mut(side).spend(reply.elapsed) {
            let late = overrun.0.as_secs_f64() * 1000.0;
            let evidence = format!(" (overrun {:.0} ms)", late.ceil());
            return Some(loss(side, Termination::TimeForfeit, &evidence));
        }
        let Some(legal) = self.referee.legal(reply.best_move) else {
            let evidence = format!(": {}", reply.best_move);
            return Some(loss(side, Termination::IllegalMove, &evidence));
        };
        self.clocks.get_mut(!side).gain(reply.elapsed);
        self.note_further(side, reply);
        let number = self.referee.move_number();
        let made = self.referee.make(legal);
        let info = &reply.info;
        self.line.push(made.uci);
        self.moves.push(PlayedMove {
            san: made.san,
            thought: Some(Thought {
                score: info.score,
                depth: info.depth,
                nodes: info.nodes.filter(|nodes| *nodes <= MAX_NODES),
                elapsed: reply.elapsed,
            }),
        });
        let by_rules = self.referee.ending();
        let played = AdjudicatedMove {
            mover: side,
            score: info.score,
            irreversible: made.irreversible,
            number,
        };
        if by_rules.is_none()
            && let Some(ending) = self.by_tablebases()
        {
            return Some(ending);
        }
        let (result, termination) = by_rules.or_else(|| self.adjudicator.count_move(played))?;
        Some(Ending { result, termination, reason: termination.reason(result) })
    }

    /// Writes the optional parts of the comment of the next move.
    fn note_further(&mut self, side: Color, reply: &Reply) {
        let parts = &self.setup.conduct.comments;
        if parts.is_empty() && self.comment_lines.is_empty() {
            return;
        }
        let time_left = self.clocks[side].time_left();
        let mut text = comment::write(parts, reply, self.referee.position(), time_left);
        self.comment_lines.write(&reply.info.lines, &mut text);
        self.further.push(text);
    }

    /// The ending by tablebases.
    fn by_tablebases(&self) -> Option<Ending> {
        let result = self.setup.tablebases?.probe(self.referee.position().chess()?)?;
        let termination = match result {
            GameScore::Draw => Termination::AdjudicatedDraw,
            GameScore::Win | GameScore::Loss => Termination::AdjudicatedWin,
        };
        // The wording of cutechess and fastchess.
        let reason = format!("{}: SyzygyTB", termination.reason(result));
        Some(Ending { result, termination, reason })
    }
}

/// Prepares a player for a game.
fn ready(conduct: &Conduct, player: &mut dyn Player) -> Result<(), Fault> {
    if conduct.ponder {
        player.allow_pondering()?;
    }
    player.keep_output(conduct.checks.is_some() || !conduct.lines.is_empty());
    if let Rules::Variant(variant) = conduct.rules {
        player.play_variant(variant.uci())?;
    }
    player.new_game(conduct.rules == Rules::Chess960)
}

/// A loss by the fault of a side's player, with the evidence behind its reason.
fn loss(side: Color, termination: Termination, evidence: &str) -> Ending {
    let result = GameScore::won_by(!side);
    Ending { result, termination, reason: format!("{}{evidence}", termination.reason(result)) }
}

/// A fault is the player's loss, unless it is harness trouble or an interrupt.
fn loss_by_fault(side: Color, fault: Fault) -> Result<Ending, Fault> {
    let termination = match fault.kind {
        FaultKind::Start | FaultKind::Setting | FaultKind::Changed | FaultKind::Interrupted => {
            return Err(fault);
        }
        FaultKind::Hang => Termination::Stall,
        FaultKind::Crash => Termination::Crash,
        FaultKind::Disconnect => Termination::Disconnect,
        FaultKind::NoMove => Termination::NoMove,
        FaultKind::Resigned => Termination::Resignation,
    };
    Ok(loss(side, termination, &fault.evidence()))
}

#[cfg(test)]
mod tests;
