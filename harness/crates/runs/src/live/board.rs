//! A game in progress, as a page shows it.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use shakmaty::Color;
use shakmaty::uci::UciMove;

use harness_arena::{Opening, PlayedMove, Referee, Rules};
use harness_player::Score;

/// Most games of a run whose boards are sent.
pub const MAX_BOARDS: usize = 16;

/// A game whose moves come faster is sent at common instants that lie so far apart: it is too fast to
/// follow, and a page that draws all fast games at once draws less often.
const INTERVAL: Duration = Duration::from_millis(500);

/// A game now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Board {
    /// `PAIR.GAME`, both from 1, as in the `Round` of the PGN.
    pub key: String,
    /// Name of the white player.
    pub white: String,
    /// Name of the black player.
    pub black: String,
    /// The position.
    pub fen: String,
    /// Plies played, those of the book counted.
    pub ply: usize,
    /// The last move as UCI and as SAN, and who made it.
    pub last: Option<LastMove>,
    /// The newest score of White and of Black, both from White's view.
    pub scores: [Option<String>; 2],
    /// When the last move was made, in milliseconds since 1970.
    pub at: f64,
    /// The result and how it came about, once the game is over.
    pub ended: Option<[String; 2]>,
}

/// A move that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LastMove {
    /// As UCI writes it.
    pub uci: String,
    /// As SAN.
    pub san: String,
    /// Whether White made it.
    pub by_white: bool,
    /// Depth of the search, if reported.
    pub depth: Option<u32>,
}

/// A game in progress: cheap to follow, and turned into a [`Board`] for listeners alone.
pub(super) struct Game {
    board: Board,
    opening: Opening,
    rules: Rules,
    moves: Vec<UciMove>,
    /// The position after the first `applied` moves; `None` until it is asked for.
    referee: Option<Referee>,
    applied: usize,
    last: Option<(UciMove, PlayedMove, Color)>,
    scores: [Option<Score>; 2],
    /// Changes that were not sent to listeners.
    pub changed: bool,
    sent: Option<Instant>,
    /// When the last move was made, and whether it came soon after the one before.
    moved: Instant,
    fast: bool,
}

/// The number of the common instant before a moment.
fn slot(moment: Instant) -> u128 {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    let begin = *BEGIN.get_or_init(Instant::now);
    moment.saturating_duration_since(begin).as_nanos() / INTERVAL.as_nanos()
}

impl Game {
    /// A game that begins. One of a `fast` run is first sent at the next common instant, with the
    /// moves made until then.
    pub fn new(key: String, names: [&str; 2], opening: &Opening, rules: Rules, fast: bool) -> Game {
        let [white, black] = names.map(str::to_owned);
        let (fen, last, scores, ended) = (String::new(), None, [None, None], None);
        let board = Board { key, white, black, fen, ply: 0, last, scores, at: now(), ended };
        Game {
            board,
            opening: opening.clone(),
            rules,
            moves: Vec::new(),
            referee: None,
            applied: 0,
            last: None,
            scores: [None, None],
            changed: true,
            sent: fast.then(Instant::now),
            moved: Instant::now(),
            fast,
        }
    }

    /// A move was made.
    pub fn push(&mut self, uci: UciMove, played: &PlayedMove, side: Color) {
        self.moves.push(uci);
        self.last = Some((uci, *played, side));
        if let Some(score) = played.thought.and_then(|thought| thought.score) {
            self.scores[side as usize] = Some(score);
        }
        let moved = Instant::now();
        self.fast = moved.saturating_duration_since(self.moved) < INTERVAL;
        self.moved = moved;
        self.changed = true;
    }

    /// The game is over.
    pub fn end(&mut self, result: &str, reason: &str) {
        self.board.ended = Some([result.to_owned(), reason.to_owned()]);
        self.changed = true;
    }

    /// Whether it is over, and listeners know.
    pub fn is_over(&self) -> bool {
        self.board.ended.is_some() && !self.changed
    }

    /// Whether it is over.
    pub fn has_ended(&self) -> bool {
        self.board.ended.is_some()
    }

    /// Whether its moves come slowly enough to be followed.
    pub fn is_followed(&self) -> bool {
        !self.fast
    }

    /// Whether listeners should hear of it now.
    pub fn is_due(&self) -> bool {
        // The end comes before the beginning of the next game, which takes its place.
        self.changed
            && (self.has_ended()
                || !self.fast
                || self.sent.is_none_or(|sent| slot(sent) < slot(Instant::now())))
    }

    /// The board now. `None` if the moves cannot be followed, which no played game has.
    pub fn board(&mut self) -> Option<Board> {
        if self.referee.is_none() {
            let (referee, made) = Referee::after(&self.opening, self.rules).ok()?;
            self.board.ply = made.len();
            self.referee = Some(referee);
        }
        let referee = self.referee.as_mut()?;
        for &uci in &self.moves[self.applied..] {
            let legal = referee.legal(uci)?;
            referee.make(legal);
            self.applied += 1;
            self.board.ply += 1;
        }
        self.board.fen = referee.position().fen();
        self.board.last = self.last.map(|(uci, played, side)| LastMove {
            uci: uci.to_string(),
            san: played.san.to_string(),
            by_white: side == Color::White,
            depth: played.thought.and_then(|thought| thought.depth),
        });
        if self.last.is_some() {
            self.board.at = now() - self.moved.elapsed().as_secs_f64() * 1e3;
        }
        let [black, white] = self.scores;
        self.board.scores = [
            white.map(|score| shown(score, Color::White)),
            black.map(|score| shown(score, Color::Black)),
        ];
        Some(self.board.clone())
    }

    /// Listeners know it.
    pub fn mark_sent(&mut self) {
        self.changed = false;
        self.sent = Some(Instant::now());
    }
}

/// A score of a side from White's view: `+0.31`, `-M5`.
fn shown(score: Score, side: Color) -> String {
    let sign = side.fold_wb(1, -1);
    match score {
        Score::Centipawns(value) => {
            let pawns = f64::from(sign * value) / 100.0;
            if value == 0 { "0.00".to_owned() } else { format!("{pawns:+.2}") }
        }
        Score::Mate(moves) => {
            let sign = if sign * moves < 0 { '-' } else { '+' };
            format!("{sign}M{}", moves.unsigned_abs())
        }
    }
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use shakmaty::san::SanPlus;

    use super::*;

    #[test]
    fn scores_are_from_whites_view() {
        for (score, side, text) in [
            (Score::Centipawns(31), Color::White, "+0.31"),
            (Score::Centipawns(31), Color::Black, "-0.31"),
            (Score::Centipawns(0), Color::Black, "0.00"),
            (Score::Mate(3), Color::Black, "-M3"),
            (Score::Mate(-2), Color::Black, "+M2"),
        ] {
            assert_eq!(shown(score, side), text);
        }
    }

    #[test]
    fn a_board_is_the_position_after_the_book_and_the_moves() {
        let uci = |text: &str| text.parse::<UciMove>().expect("a move");
        let opening = Opening { fen: None, moves: vec![uci("e2e4")] };
        let mut game = Game::new("1.1".to_owned(), ["a", "b"], &opening, Rules::Chess, false);
        let first = game.board().expect("a board");
        assert_eq!((first.ply, first.last), (1, None));
        let san: SanPlus = "e5".parse().expect("a move");
        game.push(uci("e7e5"), &PlayedMove { san, thought: None }, Color::Black);
        let second = game.board().expect("a board");
        assert_eq!(second.ply, 2);
        assert!(second.fen.starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w"));
    }
}
