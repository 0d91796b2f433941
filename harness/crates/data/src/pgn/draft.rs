//! A game that is being read.

use engine::board::Position;
use shakmaty::{Color, KnownOutcome, Outcome};

use super::termination::voids_result;
use crate::flaws::Flaw;
use crate::game::{Game, MoveEval, OPENING_PLIES, Turn};
use harness_arena::{Rules, StartTags};
use harness_base::text::{brief, decode};
use harness_games::{engine_eval, tagged_eval, tcec_eval};
use harness_notation::pgn::{Comment, Tag, find_move};
use harness_player::Score;
use harness_stats::GameScore;

/// Largest number of plies of a game: a ply number has 16 bits.
const MAX_PLIES: usize = u16::MAX as usize;

/// Most characters of a word that are shown.
const MAX_SHOWN: usize = 40;

/// A game that is dropped.
#[derive(Debug)]
pub(super) struct Rejected {
    pub flaw: Flaw,
    /// The text there.
    pub text: String,
    /// Where, if it is one place.
    pub line: Option<u64>,
}

/// A game that is being read.
pub(super) struct Draft {
    pub game: Game,
    /// See [`Reader::results_only`](super::Reader::results_only).
    results_only: bool,
    start: StartTags,
    /// The result at the end of the moves.
    termination: Option<GameScore>,
    /// Its `Termination` tag.
    ending: Option<String>,
    tagged: bool,
    /// A tag was read that games have.
    known_tag: bool,
    /// The start position is set.
    started: bool,
    /// Plies read, also where the board is unknown.
    plies: usize,
    /// The board is unknown: the FEN or a move was not legal.
    board_unknown: bool,
    position: Position,
    /// Evaluation of the current position by `[%eval ...]`, for White.
    eval: Option<(Score, u8)>,
    ended: bool,
    pub unclosed: bool,
    cut: bool,
    /// The result was corrected by the board.
    board_decides: bool,
}

impl Draft {
    pub fn new(results_only: bool) -> Draft {
        let game = Game::default();
        let position = game.start;
        Draft {
            game,
            results_only,
            start: StartTags::default(),
            termination: None,
            ending: None,
            tagged: false,
            known_tag: false,
            started: false,
            plies: 0,
            board_unknown: false,
            position,
            eval: None,
            ended: false,
            unclosed: false,
            cut: false,
            board_decides: false,
        }
    }

    /// Whether something was read that only PGN has.
    pub fn is_pgn(&self) -> bool {
        self.known_tag || self.plies > 0 || self.tagged && self.ended
    }

    /// Whether a move was read.
    pub fn moved(&self) -> bool {
        self.plies > 0
    }

    pub fn tag(&mut self, tag: Tag<'_>) {
        let text = || tag.text().into_owned();
        (self.tagged, self.cut) = (true, self.cut | tag.cut);
        self.known_tag |= matches!(tag.name, b"Event" | b"Site" | b"Date");
        match tag.name {
            b"Result" => self.game.result = GameScore::of_text(text().trim()),
            b"White" => self.game.names[0] = text(),
            b"Black" => self.game.names[1] = text(),
            b"Round" => self.game.round = text(),
            b"FEN" | b"Variant" => self.start.take(tag),
            b"Termination" => self.ending = Some(text()),
            _ => return,
        }
        self.known_tag = true;
    }

    /// Sets the start position.
    #[inline]
    fn set_up(&mut self) -> Result<(), Rejected> {
        if self.started {
            return Ok(());
        }
        self.begin()
    }

    fn begin(&mut self) -> Result<(), Rejected> {
        self.started = true;
        if !self.start.rules().is_some_and(Rules::is_chess) {
            return Err(dropped(Flaw::OtherVariant, String::new()));
        }
        let Some(text) = self.start.fen() else { return Ok(()) };
        match Position::from_fen(text) {
            Ok(position) => self.position = position,
            Err(_) if self.results_only => self.board_unknown = true,
            Err(reason) => {
                let text = format!("FEN `{}`: {reason}", brief(text, MAX_SHOWN));
                return Err(dropped(Flaw::IllegalPosition, text));
            }
        }
        self.game.start = self.position;
        Ok(())
    }

    pub fn play(&mut self, word: &[u8]) -> Result<(), Rejected> {
        self.set_up()?;
        if self.board_unknown {
            self.plies += 1;
            return Ok(());
        }
        let Some((played, _)) = find_move(&self.position, word) else {
            return self.unknown(word);
        };
        self.plies += 1;
        if self.results_only {
            self.position.play(played);
            if self.plies <= OPENING_PLIES {
                self.game.turns.push(Turn { played, eval: None });
            }
            return Ok(());
        }
        let mover = self.position.side();
        let eval = self.eval.take();
        let eval = eval.map(|(score, depth)| MoveEval { score: score.for_white(mover), depth });
        self.position.play(played);
        self.game.turns.push(Turn { played, eval });
        Ok(())
    }

    /// Handles a word that is no move here.
    pub fn unknown(&mut self, word: &[u8]) -> Result<(), Rejected> {
        self.set_up()?;
        let word = decode(word);
        if !self.tagged && self.plies == 0 {
            let text = format!("`{}` without tags before it", brief(&word, MAX_SHOWN));
            return Err(dropped(Flaw::NoGame, text));
        }
        if self.results_only {
            self.board_unknown = true;
            return Ok(());
        }
        let number = self.position.fullmoves();
        let dots = if self.position.side().is_white() { "." } else { "..." };
        let text = format!("`{}` is no legal move ({number}{dots})", brief(&word, MAX_SHOWN));
        Err(dropped(Flaw::IllegalMove, text))
    }

    pub fn comment(&mut self, comment: Comment<'_>) {
        self.cut |= comment.cut;
        if self.results_only {
            return;
        }
        if let Some(last) = self.game.turns.last_mut() {
            let mover = self.position.side().other();
            let own = engine_eval(comment.bytes).or_else(|| tcec_eval(comment.bytes, mover));
            // What the mover says itself goes before an evaluation behind the move before.
            last.eval = own.or(last.eval);
        }
        self.eval = tagged_eval(comment.bytes).or(self.eval);
    }

    pub fn end_of_moves(&mut self, outcome: Outcome) {
        self.ended = true;
        self.termination = match outcome {
            Outcome::Unknown => None,
            Outcome::Known(KnownOutcome::Draw) => Some(GameScore::Draw),
            Outcome::Known(KnownOutcome::Decisive { winner: Color::White }) => Some(GameScore::Win),
            Outcome::Known(KnownOutcome::Decisive { winner: Color::Black }) => {
                Some(GameScore::Loss)
            }
        };
    }

    /// The game, with its result.
    pub fn finish(mut self) -> Result<Draft, Rejected> {
        self.set_up()?;
        if !self.tagged && self.plies == 0 {
            return Err(dropped(Flaw::NoGame, String::new()));
        }
        if usize::from(self.game.first_ply()) + self.game.turns.len() > MAX_PLIES {
            return Err(dropped(Flaw::TooLong, String::new()));
        }
        self.game.result = match self.board_result() {
            Some(shown) => {
                let declared = [self.game.result, self.termination];
                let said = declared.iter().flatten().count() > 0;
                let agree = said && declared.iter().flatten().all(|&result| result == shown);
                self.board_decides = !agree;
                Some(shown)
            }
            None => self.declared_result()?,
        };
        Ok(self)
    }

    /// The result that the file tells, where the board does not.
    fn declared_result(&self) -> Result<Option<GameScore>, Rejected> {
        let declared = self.game.result.or(self.termination);
        // The result of a time forfeit, crash or illegal move does not label positions.
        let is_void = self.ending.as_ref().is_some_and(|text| voids_result(text, &self.game.names));
        match (self.results_only, is_void) {
            (false, true) => Ok(None),
            (true, true) => Ok(declared),
            (_, false) if self.termination.is_some_and(|end| Some(end) != declared) => {
                Err(dropped(Flaw::TwoResults, String::new()))
            }
            (_, false) => Ok(declared),
        }
    }

    /// The result on the board, at checkmate or stalemate.
    fn board_result(&self) -> Option<GameScore> {
        if self.board_unknown || !self.moved() || !self.position.legal_moves().is_empty() {
            return None;
        }
        Some(match (self.position.in_check(), self.position.side().is_white()) {
            (false, _) => GameScore::Draw,
            (true, true) => GameScore::Loss,
            (true, false) => GameScore::Win,
        })
    }

    /// Flaws of a game that is used.
    pub fn flaws(&self) -> impl Iterator<Item = Flaw> + use<> {
        let found = [
            (self.board_decides, Flaw::BoardDecides),
            (self.unclosed, Flaw::Unclosed),
            (self.cut, Flaw::Cut),
        ];
        found.into_iter().filter_map(|(is_so, flaw)| is_so.then_some(flaw))
    }
}

fn dropped(flaw: Flaw, text: String) -> Rejected {
    Rejected { flaw, text, line: None }
}
