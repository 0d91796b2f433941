//! The choice of a move: the book, the tablebases, or the engine; and whether to resign or to offer a
//! draw.

use std::collections::HashMap;
use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use engine::board;
use engine::book::Book;
use engine::tablebase::{Tablebases, Wdl};
use shakmaty::Role;
use shakmaty::uci::UciMove;

use super::book::open_book;
use super::keys::Choice;
use super::position::Position;
use super::settings::Settings;
use super::tablebase::{self, ProbeResult};
use harness_arena::{AdjudicatedMove, Adjudication, Adjudicator, Referee};
use harness_base::session::Interrupt;
use harness_player::{
    self as player, Clocks, EngineSpec, Fault, FaultKind, Go, Info, Line, Player, Reply, Score,
    StartSettings, Timed, unobserved,
};
use harness_stats::GameScore;

/// Wait beyond the clock before the engine counts as hung.
const HANG_GRACE: Duration = Duration::from_secs(2);

/// Minimum thinking time.
const MIN_THINKING_TIME: Duration = Duration::from_millis(10);

/// An engine that gave no usable move so often in one game has had its chances.
const MAX_FAULTS: u32 = 3;

/// Decision in a position.
#[derive(Clone, Debug)]
pub enum Decision {
    /// Make a move.
    Move(Chosen),
    /// Give the game up, and why.
    Resign(&'static str),
}

/// A move, and where it comes from.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The move, in the notation of the game's castling mode.
    pub uci: UciMove,
    /// Offer a draw with it, or agree to the opponent's offer.
    pub offers_draw: bool,
    /// The reply that the engine expects.
    pub expected: Option<UciMove>,
    /// The engine's search; `None`: from the book or the tablebases.
    pub info: Option<Info>,
    /// Its source, for the PGN.
    pub source: &'static str,
}

/// Why no move was chosen.
#[derive(Debug)]
pub enum NoMove {
    /// The game is over, or this process ends.
    Interrupted,
    /// The engine failed too often.
    Failed(String),
}

/// The rules of resignation and draws as the arena has them.
pub fn adjudication(settings: &Settings) -> Adjudication {
    Adjudication { resign: settings.resign, draw: settings.draw, ..Adjudication::default() }
}

/// Chooses the moves of one game.
pub struct Thinker<'a> {
    settings: &'a Settings,
    spec: &'a EngineSpec,
    interrupt: Interrupt,
    player: Option<Box<dyn Player + Send>>,
    book: Option<Book<File>>,
    tables: Option<Arc<Tablebases>>,
    adjudicator: Adjudicator<'a>,
    /// Plies that the adjudicator has seen.
    adjudicated_plies: usize,
    /// The engine's last score.
    last_score: Option<Score>,
    /// The reply that the engine thinks about, and the plies before it.
    pondering: Option<(usize, UciMove)>,
    faults: u32,
}

impl<'a> Thinker<'a> {
    /// Before the first move; `rules` are those of [`adjudication`].
    pub fn new(
        settings: &'a Settings,
        rules: &'a Adjudication,
        spec: &'a EngineSpec,
        tables: Option<Arc<Tablebases>>,
        interrupt: Interrupt,
    ) -> Thinker<'a> {
        Thinker {
            settings,
            spec,
            interrupt,
            player: None,
            // It could be opened when the bot started.
            book: settings.book.as_ref().and_then(|book| open_book(&book.file).ok()),
            tables,
            adjudicator: Adjudicator::new(rules),
            adjudicated_plies: 0,
            last_score: None,
            pondering: None,
            faults: 0,
        }
    }

    /// Chooses a move for the side to move.
    ///
    /// # Errors
    /// When the engine failed too often, or the game is over.
    pub fn choose(&mut self, position: &Position) -> Result<Decision, NoMove> {
        let board = board_of(position);
        if let Some((board, _)) = &board
            && let Some(uci) = self.book_move(position, board)
        {
            return Ok(Decision::Move(self.chosen(uci, "book")));
        }
        let known = board.as_ref().and_then(|(board, earlier)| {
            tablebase::probe(self.tables.as_deref()?, board, earlier).map(|known| (board, known))
        });
        let rules = self.settings.tablebases.as_ref();
        let mut root_moves = Vec::new();
        let mut draws = false;
        if let (Some((board, known)), Some(rules)) = (known, rules) {
            if rules.resign && known.result == Wdl::Loss {
                return Ok(Decision::Resign("lost by the tablebases"));
            }
            draws = rules.draw && known.result == Wdl::Draw;
            if rules.moves {
                let ProbeResult { moves, by_dtz, .. } = known;
                root_moves = moves.iter().filter_map(|&m| to_uci(position, board, m)).collect();
                if by_dtz && let Some(&uci) = root_moves.first() {
                    let chosen = self.chosen(uci, "tablebase");
                    return Ok(Decision::Move(Chosen { offers_draw: draws, ..chosen }));
                }
            }
        }
        let reply = self.searched(position, &root_moves)?;
        Ok(match self.decide(position, &reply) {
            Decision::Move(chosen) => {
                Decision::Move(Chosen { offers_draw: chosen.offers_draw || draws, ..chosen })
            }
            resign => resign,
        })
    }

    fn chosen(&self, uci: UciMove, source: &'static str) -> Chosen {
        Chosen { uci, offers_draw: false, expected: None, info: None, source }
    }

    fn book_move(&mut self, position: &Position, board: &board::Position) -> Option<UciMove> {
        let rules = self.settings.book.as_ref()?;
        if position.plies() >= rules.plies {
            return None;
        }
        let chance = (rules.choice == Choice::Weighted).then(rand::random::<u64>);
        let chosen = self.book.as_mut()?.choose(board, chance);
        let found = chosen.unwrap_or_else(|error| {
            tracing::warn!("the book cannot be read any more: {error}");
            None
        });
        found.and_then(|m| to_uci(position, board, m))
    }

    /// The engine's legal move; an engine that gives none is restarted.
    fn searched(&mut self, position: &Position, root_moves: &[UciMove]) -> Result<Reply, NoMove> {
        loop {
            let fault = match self.search(position, root_moves) {
                Ok(mut reply) => match position.referee.legal(reply.best_move) {
                    Some(legal) => {
                        reply.best_move = position.referee.to_uci(legal);
                        return Ok(reply);
                    }
                    None => format!("it played {}, which is illegal", reply.best_move),
                },
                Err(fault) if fault.kind == FaultKind::Interrupted => {
                    return Err(NoMove::Interrupted);
                }
                Err(fault) => fault.to_string(),
            };
            if self.interrupt.is_set() {
                return Err(NoMove::Interrupted);
            }
            (self.player, self.pondering) = (None, None);
            self.faults += 1;
            tracing::warn!("game {}: {fault}", position.full.id);
            if self.faults >= MAX_FAULTS {
                return Err(NoMove::Failed(fault));
            }
        }
    }

    fn search(&mut self, position: &Position, root_moves: &[UciMove]) -> Result<Reply, Fault> {
        let (go, patience) = self.go(position);
        let expected = self.pondering.take();
        let player = match &mut self.player {
            Some(player) => player,
            none => none.insert(started(self.settings, self.spec, &self.interrupt, position)?),
        };
        if let (Some((plies, expected)), true) = (expected, root_moves.is_empty())
            && plies + 1 == position.plies()
            && position.moves.last() == Some(&expected)
        {
            return player.ponder_hit(patience);
        }
        let line = Line { fen: position.start.fen.as_deref(), moves: &position.moves };
        player.go_among(line, root_moves, &go, patience, &mut unobserved)
    }

    /// The limits of a search, and when the engine counts as hung.
    fn go(&self, position: &Position) -> (Go, Duration) {
        let search = &self.settings.search;
        let turn = position.referee.turn();
        let passed = position.seen_at.elapsed();
        let Some(time) = position.time() else {
            let go = self.limited(Timed::MoveTime(search.untimed));
            return (go, search.untimed + 5 * HANG_GRACE);
        };
        let (left, increment) = time[turn];
        let left = left.saturating_sub(passed + search.move_overhead).max(MIN_THINKING_TIME);
        let (white, black) = turn.fold_wb((left, time.black.0), (time.white.0, left));
        let clocks = Clocks {
            white,
            black,
            white_increment: time.white.1,
            black_increment: time.black.1,
            moves_to_go: None,
        };
        let mut limit = Timed::Clock(clocks);
        // The first move has a deadline of its own.
        if let Some(expiration) = position.state.expiration {
            let given = expiration.millis_to_move.saturating_sub(expiration.idle_millis);
            let given = Duration::from_millis(given).saturating_sub(passed);
            if given < left {
                limit =
                    Timed::MoveTime((given / 4).min(left / 30 + increment).max(MIN_THINKING_TIME));
            }
        }
        (self.limited(limit), left + search.move_overhead + HANG_GRACE)
    }

    /// A time limit with those of the settings.
    fn limited(&self, limit: Timed<Clocks>) -> Go {
        let search = &self.settings.search;
        match (search.nodes, search.depth, limit) {
            (None, None, Timed::Clock(clocks)) => Go::Clock(clocks),
            (None, None, Timed::MoveTime(time)) => Go::MoveTime(time),
            (nodes, depth, limit) => Go::Combined { time: Some(limit), nodes, depth },
        }
    }

    /// Resigns, or takes the engine's move, by the rules of resignation and draws.
    fn decide(&mut self, position: &Position, reply: &Reply) -> Decision {
        let me = position.referee.turn();
        let number = position.referee.move_number();
        // The opponent's score is unknown: it is taken to be ours, seen from the other side.
        if position.plies() > self.adjudicated_plies
            && let Some((irreversible, number)) = last_move(position)
        {
            let score = self.last_score.map(Score::negated);
            let theirs = AdjudicatedMove { mover: !me, score, irreversible, number };
            let _ = self.adjudicator.count_move(theirs);
        }
        let legal = position.referee.legal(reply.best_move);
        let irreversible =
            legal.is_some_and(|legal| legal.is_capture() || legal.role() == Role::Pawn);
        let score = reply.info.score;
        let own = AdjudicatedMove { mover: me, score, irreversible, number };
        let adjudicated = self.adjudicator.count_move(own);
        self.last_score = score;
        self.adjudicated_plies = position.plies() + 1;
        if adjudicated.is_some_and(|(result, _)| result == GameScore::won_by(!me)) {
            return Decision::Resign("lost by the engine's scores");
        }
        Decision::Move(Chosen {
            offers_draw: adjudicated.is_some_and(|(result, _)| result == GameScore::Draw),
            expected: reply.ponder,
            info: Some(reply.info.clone()),
            ..self.chosen(reply.best_move, "engine")
        })
    }

    /// After a move was made: lets the engine search in the opponent's time, after the reply that it
    /// expects.
    pub fn ponder(&mut self, position: &Position, chosen: &Chosen) {
        self.end_ponder();
        let (true, Some(expected)) = (self.settings.search.ponder, chosen.expected) else { return };
        let Some(go) = self.ponder_limits(position) else { return };
        let (Some(player), mut referee) = (&mut self.player, position.referee.clone()) else {
            return;
        };
        let Some(expected) = reply_to_ponder(&mut referee, chosen.uci, expected) else { return };
        let moves: Vec<UciMove> =
            position.moves.iter().copied().chain([chosen.uci, expected]).collect();
        let line = Line { fen: position.start.fen.as_deref(), moves: &moves };
        match player.ponder(line, &go) {
            Ok(true) => self.pondering = Some((position.plies() + 1, expected)),
            Ok(false) => {}
            Err(fault) => {
                tracing::warn!("game {}: {fault}", position.full.id);
                self.player = None;
            }
        }
    }

    /// The limits of a search in the opponent's time; `None` without clocks.
    fn ponder_limits(&self, position: &Position) -> Option<Go> {
        let time = position.time()?;
        let me = position.referee.turn();
        let overhead = self.settings.search.move_overhead;
        let own =
            time[me].0.saturating_sub(position.seen_at.elapsed() + overhead).max(MIN_THINKING_TIME);
        let (white, black) = me.fold_wb((own, time.black.0), (time.white.0, own));
        Some(self.limited(Timed::Clock(Clocks {
            white,
            black,
            white_increment: time.white.1,
            black_increment: time.black.1,
            moves_to_go: None,
        })))
    }

    /// Ends a search in the opponent's time that still runs after a move of the book or the
    /// tablebases.
    fn end_ponder(&mut self) {
        if self.pondering.take().is_some()
            && let Some(player) = &mut self.player
            && let Err(fault) = player.end_ponder()
        {
            tracing::warn!("{fault}");
            self.player = None;
        }
    }
}

/// Starts the engine for a game.
fn started(
    settings: &Settings,
    spec: &EngineSpec,
    interrupt: &Interrupt,
    position: &Position,
) -> Result<Box<dyn Player + Send>, Fault> {
    let mut player = player::start(spec, &StartSettings::default(), interrupt)?;
    if settings.search.ponder {
        player.allow_pondering()?;
    }
    player.new_game(position.chess960)?;
    Ok(player)
}

/// The expected reply after a move, in the notation of the game; `None` where it is illegal, or the game
/// is over by mate, stalemate or a draw after one of them: there is nothing to think about then.
fn reply_to_ponder(referee: &mut Referee, chosen: UciMove, expected: UciMove) -> Option<UciMove> {
    let legal = referee.legal(chosen)?;
    referee.make(legal);
    let reply = referee.legal(expected).filter(|_| referee.ending().is_none())?;
    let made = referee.make(reply);
    referee.ending().is_none().then_some(made.uci)
}

/// Whether the last move was a capture or pawn move, and its number as in PGN.
fn last_move(position: &Position) -> Option<(bool, u32)> {
    position.moves.last()?;
    let turn = position.referee.turn();
    let number = position.referee.move_number() - turn.fold_wb(1, 0);
    Some((position.referee.position().halfmoves() == 0, number))
}

/// A move of the engine's board, in the notation of the game's castling mode.
fn to_uci(position: &Position, board: &board::Position, m: board::Move) -> Option<UciMove> {
    let uci: UciMove = board.uci(m, position.chess960).to_string().parse().ok()?;
    position.referee.legal(uci).map(|legal| position.referee.to_uci(legal))
}

/// The position for the book and the tablebases, and how often each of the game occurred.
fn board_of(position: &Position) -> Option<(board::Position, HashMap<u64, u32>)> {
    let mut board = match &position.start.fen {
        Some(fen) => board::Position::from_fen(fen).ok()?,
        None => board::Position::startpos(),
    };
    let mut earlier = HashMap::from([(board.key(), 1)]);
    for uci in &position.moves {
        let m = board.parse_uci(&uci.to_string(), position.chess960)?;
        board.play(m);
        *earlier.entry(board.key()).or_insert(0) += 1;
    }
    Some((board, earlier))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_thought_about_after_a_move_that_ends_the_game() {
        for (fen, moves, chosen, expected, ponders) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "", "e2e4", "e7e5", true),
            // Mate by the reply.
            (
                "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2",
                "",
                "g2g4",
                "d8h4",
                false,
            ),
            // Stalemate by the reply.
            ("7K/8/8/6q1/8/8/5k2/8 w - - 0 1", "", "h8h7", "g5g1", true),
            ("7K/8/8/5kq1/8/8/8/8 w - - 0 1", "", "h8h7", "f5f6", true),
            ("7K/8/5k2/8/6q1/8/8/8 w - - 0 1", "", "h8h7", "g4g5", true),
            ("8/7K/5k2/8/6q1/8/8/8 w - - 0 1", "", "h7h8", "g4g6", false),
            // Nothing is left to mate with.
            ("1Q6/8/8/8/8/k7/8/3K4 w - - 0 1", "", "b8b2", "a3b2", false),
            // The hundredth half-move without a capture or a pawn's move.
            ("k7/8/8/8/8/8/7R/K7 w - - 98 80", "", "h2h3", "a8b8", false),
            ("k7/8/8/8/8/8/7R/K7 w - - 97 80", "", "h2h3", "a8b8", true),
            // The third time.
            (
                "k7/8/8/8/8/8/7R/K7 w - - 0 1",
                "a1b1 a8b8 b1a1 b8a8 a1b1 a8b8",
                "b1a1",
                "b8a8",
                false,
            ),
            // The game is over by the move itself.
            ("k7/8/8/8/8/8/7R/K7 w - - 99 80", "", "h2h3", "a8b8", false),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "", "e2e4", "e2e4", false),
        ] {
            let mut referee = Referee::new(Some(fen), false).expect("a position");
            for uci in moves.split_whitespace() {
                let legal = referee.legal(uci.parse().expect("a move")).expect("legal");
                referee.make(legal);
            }
            let [chosen, reply] = [chosen, expected].map(|uci| uci.parse().expect("a move"));
            let found = reply_to_ponder(&mut referee, chosen, reply);
            assert_eq!(found.is_some(), ponders, "{fen} {moves} {chosen} {expected}");
        }
    }
}
