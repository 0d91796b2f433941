//! One game: a random balanced opening, then moves until the rules or the adjudication end it.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::Duration;

use engine::board::{Move, Position};
use shakmaty::uci::UciMove;
use shakmaty::{ByColor, Color};

use super::recipe::Recipe;
use crate::game::{Game, MoveEval, Turn};
use harness_arena::{AdjudicatedMove, Adjudicator};
use harness_player::{Fault, FaultKind, Go, Info, Line, Player, Reply, Score, unobserved};
use harness_stats::GameScore;
use harness_stats::random::order::{below, random};

/// A search that takes longer than this is a hang.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(600);

/// Openings that are tried before the bound on their score counts as too small.
const MAX_OPENINGS: u32 = 10_000;

/// Plays game number `number` of a recipe.
pub fn play(
    recipe: &Recipe,
    number: u64,
    mut players: ByColor<&mut (dyn Player + 'static)>,
) -> Result<Game, Fault> {
    let start = opening(recipe, number, players.white)?;
    players.white.new_game(false)?;
    players.black.new_game(false)?;
    let fen = start.fen(false);
    let mut board = Board::new(start);
    let mut adjudicator = Adjudicator::new(&recipe.adjudication);
    let mut game = Game { start, ..Game::default() };
    let mut moves: Vec<UciMove> = Vec::new();
    loop {
        if let Some(result) = board.result() {
            game.result = Some(result);
            return Ok(game);
        }
        let position = board.position;
        let player = players.get_mut(Color::from_white(position.side().is_white()));
        let reply = search(recipe, *player, Line { fen: Some(&fen), moves: &moves })?;
        let played = legal(&position, &reply, *player)?;
        let score = reply.info.exact_score();
        let depth = reply.info.depth.unwrap_or(0).min(255) as u8;
        game.turns.push(Turn { played, eval: score.map(|score| MoveEval { score, depth }) });
        moves.push(reply.best_move);
        board.play(played);
        if let Some((result, _)) = adjudicator.count_move(board.last_move(score)) {
            game.result = Some(result);
            return Ok(game);
        }
    }
}

/// A search with a soft limit: it ends after the iteration that passes it.
fn search(recipe: &Recipe, player: &mut dyn Player, line: Line<'_>) -> Result<Reply, Fault> {
    let mut observe = |info: &Info| {
        if info.nodes.is_some_and(|nodes| nodes >= recipe.nodes) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    player.go(line, &Go::Nodes(recipe.hard_nodes), SEARCH_TIMEOUT, &mut observe)
}

fn legal(position: &Position, reply: &Reply, player: &dyn Player) -> Result<Move, Fault> {
    let text = reply.best_move.to_string();
    position.parse_uci(&text, false).ok_or_else(|| Fault {
        player: player.name().to_owned(),
        kind: FaultKind::NoMove,
        detail: format!("illegal move `{text}` in `{}`", position.fen(false)),
    })
}

/// Random openings of a game, until a search scores one as balanced.
fn opening(recipe: &Recipe, number: u64, player: &mut dyn Player) -> Result<Position, Fault> {
    for position in openings(recipe, number) {
        player.new_game(false)?;
        let fen = position.fen(false);
        let line = Line { fen: Some(&fen), moves: &[] };
        let go = Go::Nodes(recipe.balance_nodes);
        let score = player.go(line, &go, SEARCH_TIMEOUT, &mut unobserved)?.info.exact_score();
        if let Some(Score::Centipawns(score)) = score
            && score.unsigned_abs() <= recipe.balance
        {
            return Ok(position);
        }
    }
    Err(Fault {
        player: player.name().to_owned(),
        kind: FaultKind::NoMove,
        detail: format!(
            "of {MAX_OPENINGS} openings none was worth at most {} centipawns",
            recipe.balance
        ),
    })
}

/// The openings that are tried for a game, in order: random moves from the start position.
pub(super) fn openings(recipe: &Recipe, number: u64) -> impl Iterator<Item = Position> {
    let mut random = random(recipe.seed, number);
    let [least, most] = recipe.plies;
    let tried = (0..MAX_OPENINGS).map(move |_| {
        let plies = least as usize + below(&mut random, (most - least) as usize + 1);
        let mut position = Position::startpos();
        for _ in 0..plies {
            let moves = position.legal_moves();
            let Some(&chosen) = moves.get(below(&mut random, moves.len())) else { break };
            position.play(chosen);
        }
        position
    });
    tried.filter(|&position| Board::new(position).result().is_none())
}

/// A position and the repetitions of its game.
pub(super) struct Board {
    pub(super) position: Position,
    /// Occurrences by hash key, since the last irreversible move.
    seen: HashMap<u64, u8>,
}

impl Board {
    pub(super) fn new(position: Position) -> Board {
        Board { position, seen: HashMap::from([(position.key(), 1)]) }
    }

    pub(super) fn play(&mut self, played: Move) {
        self.position.play(played);
        if self.position.halfmove_clock() == 0 {
            self.seen.clear();
        }
        *self.seen.entry(self.position.key()).or_default() += 1;
    }

    /// The move that was played last, as adjudication counts it.
    pub(super) fn last_move(&self, score: Option<Score>) -> AdjudicatedMove {
        let position = &self.position;
        let mover = !position.side();
        AdjudicatedMove {
            mover,
            score,
            irreversible: position.halfmove_clock() == 0,
            number: (position.fullmoves() - u16::from(mover.is_black())).into(),
        }
    }

    /// The result for White, if the game is over.
    pub(super) fn result(&self) -> Option<GameScore> {
        let position = &self.position;
        if !position.has_legal_move() {
            let mated = if position.side().is_white() { GameScore::Loss } else { GameScore::Win };
            return Some(if position.in_check() { mated } else { GameScore::Draw });
        }
        let repeated = self.seen.get(&position.key()).is_some_and(|&times| times >= 3);
        let drawn =
            repeated || position.halfmove_clock() >= 100 || position.is_insufficient_material();
        drawn.then_some(GameScore::Draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(fen: &str, moves: &str) -> Option<GameScore> {
        let mut board = Board::new(Position::from_fen(fen).expect("legal"));
        for text in moves.split_whitespace() {
            assert_eq!(board.result(), None, "before {text}");
            board.play(board.position.parse_uci(text, false).expect("legal"));
        }
        board.result()
    }

    #[test]
    fn the_rules_end_a_game() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let back_and_forth = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
        assert_eq!(after(start, back_and_forth), Some(GameScore::Draw));
        assert_eq!(after(start, "f2f3 e7e5 g2g4 d8h4"), Some(GameScore::Loss));
        assert_eq!(after("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1f7"), Some(GameScore::Draw));
        assert_eq!(after("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1f8"), Some(GameScore::Win));
        assert_eq!(after("7k/8/6K1/8/8/8/8/5Q2 w - - 99 80", "f1f2"), Some(GameScore::Draw));
        assert_eq!(after("7k/8/6K1/8/8/8/8/8 w - - 0 1", ""), Some(GameScore::Draw));
    }
}
