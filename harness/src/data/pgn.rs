//! Games of PGN with the scores in their comments.

use std::io::Read;
use std::ops::ControlFlow;

use engine::board::Position;
use pgn_reader::{Outcome, RawComment, RawTag, SanPlus, Skip, Visitor};

use super::flaws::{Flaw, Flaws};
use super::formats::format::{Format, Reads, Spec, Writes, fused};
use super::formats::{FormatError, Place};
use super::game::{Game, MoveEval, Turn};
use crate::arena::Rules;
use crate::pgn::san;
use crate::player::Score;
use crate::stats::GameScore;

/// A comment on a move as cutechess, fastchess and the harness write it: `+0.26/12 0.050s`,
/// `-M4/9 0.1s`. The score is for the mover, of the position before the move.
pub fn engine_eval(comment: &[u8]) -> Option<MoveEval> {
    let comment = comment.trim_ascii_start();
    let slash = comment.iter().take(12).position(|&byte| byte == b'/')?;
    let digits = comment[slash + 1..].iter().take_while(|byte| byte.is_ascii_digit());
    let depth = digits.fold(0_u32, |sum, &digit| (sum * 10 + u32::from(digit - b'0')).min(255));
    let score = score_in(&comment[..slash])?;
    Some(MoveEval { score, depth: depth as u8 })
}

/// A comment of Lichess on a move, `[%eval 0.17]`, `[%eval #-3]`, `[%eval 0.17,22]`: the score for
/// White of the position after the move, and the depth.
fn lichess_eval(comment: &[u8]) -> Option<(Score, u8)> {
    const KEY: &[u8] = b"[%eval ";
    let begin = comment.windows(KEY.len()).position(|window| window == KEY)? + KEY.len();
    let text = comment[begin..].split(|&byte| byte == b']').next()?.trim_ascii();
    let mut parts = text.split(|&byte| byte == b',');
    let score = match parts.next()? {
        [b'#', moves @ ..] => Score::Mate(moves_in(moves.strip_prefix(b"+").unwrap_or(moves))?),
        pawns => score_in(pawns)?,
    };
    let depth = parts.next().and_then(|text| std::str::from_utf8(text).ok()?.parse().ok());
    Some((score, depth.unwrap_or(0)))
}

/// `+0.26`, `-M4`.
fn score_in(text: &[u8]) -> Option<Score> {
    let (negative, number) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] | rest => (false, rest),
    };
    let sign = if negative { -1 } else { 1 };
    if let [b'M', moves @ ..] = number {
        return Some(Score::Mate(sign * moves_in(moves)?));
    }
    centipawns(number).map(|score| Score::Centipawns(sign * score))
}

/// Moves to mate; `None` for `i32::MIN`, which has no negation.
fn moves_in(text: &[u8]) -> Option<i32> {
    let moves = std::str::from_utf8(text).ok()?.parse().ok()?;
    (moves != i32::MIN).then_some(moves)
}

/// A number of pawns without a sign: `0.26`, `12`, `1.5`.
pub(super) fn centipawns(text: &[u8]) -> Option<i32> {
    let point = text.iter().position(|&byte| byte == b'.').unwrap_or(text.len());
    let (whole, cents) = (&text[..point], text.get(point + 1..).unwrap_or_default());
    if whole.is_empty() && cents.is_empty() || whole.len() > 3 {
        return None;
    }
    let digits = |text: &[u8]| {
        text.iter().try_fold(0, |sum, byte| {
            byte.is_ascii_digit().then(|| sum * 10 + i32::from(byte - b'0'))
        })
    };
    let first = |place: usize| cents.get(place).map_or(Some(0), |&c| digits(&[c]));
    // The third decimal rounds.
    let rounded = i32::from(first(2)? >= 5);
    Some(100 * digits(whole)? + 10 * first(0)? + first(1)? + rounded)
}

/// Largest number of plies of a game: a ply number has 16 bits.
const MAX_PLIES: usize = u16::MAX as usize;

/// The format: games with scores in their comments.
pub const FORMAT: Format = Format(&Spec::new(
    "PGN",
    &["pgn"],
    Reads::Games(|path, source, flaws| fused(Reader::new(path, source, flaws))),
    Writes::Nothing("PGN is read, and not written"),
));

/// Reads games one after the other. Games with flaws are counted; those that are of no use are
/// dropped, and the reader goes on with the next.
pub struct Reader<R> {
    path: String,
    reader: pgn_reader::Reader<R>,
    visitor: GameVisitor,
    flaws: Flaws,
    number: u64,
}

impl<R: Read> Reader<R> {
    /// From the beginning of a file; `path` names it in errors.
    pub fn new(path: &str, source: R, flaws: &Flaws) -> Reader<R> {
        let reader = pgn_reader::Reader::new(source);
        let visitor = GameVisitor { results_only: false };
        Reader { path: path.to_owned(), reader, visitor, flaws: flaws.clone(), number: 0 }
    }

    /// Reads names and results only, no moves. A game that ended off the board (time, a crash) keeps
    /// its declared result. After an illegal move the board is unknown and the game is still read.
    pub fn results_only(self) -> Reader<R> {
        Reader { visitor: GameVisitor { results_only: true }, ..self }
    }

    /// Games read so far, including dropped ones.
    pub fn number(&self) -> u64 {
        self.number
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Game, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let bad = |reason: String| FormatError::Bad {
                path: self.path.clone(),
                place: Place::Game(self.number + 1),
                reason,
            };
            let read = match self.reader.read_game(&mut self.visitor) {
                Ok(read) => read?,
                Err(error) => Err(Rejected::Bad(error.to_string())),
            };
            let read = match read {
                Ok((game, flaw)) => {
                    flaw.into_iter().for_each(|flaw| self.flaws.add(flaw));
                    Some(Ok(game))
                }
                Err(Rejected::Flaw(flaw)) => {
                    self.flaws.add(flaw);
                    None
                }
                Err(Rejected::Bad(reason)) => Some(Err(bad(reason))),
            };
            self.number += 1;
            if read.is_some() {
                return read;
            }
        }
    }
}

/// Why a game is not returned.
enum Rejected {
    /// It is dropped, and counted.
    Flaw(Flaw),
    /// The text is not a game.
    Bad(String),
}

struct GameVisitor {
    /// See [`Reader::results_only`].
    results_only: bool,
}

/// A game that is being read.
struct Draft {
    game: Game,
    fen: Option<String>,
    /// A variant other than standard chess and Chess960.
    other_variant: bool,
    /// The result at the end of the moves.
    termination: Option<GameScore>,
    /// Not played to an end on the board.
    abnormal: bool,
    tagged: bool,
    /// Moves were read.
    moved: bool,
    /// The board is unknown: the FEN or a move was not legal.
    board_unknown: bool,
    position: Position,
    /// Lichess evaluation of the current position, for White.
    eval: Option<(Score, u8)>,
}

impl Visitor for GameVisitor {
    type Tags = Draft;
    type Movetext = Draft;
    type Output = Result<(Game, Option<Flaw>), Rejected>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Draft> {
        let game = Game::default();
        let position = game.start;
        ControlFlow::Continue(Draft {
            game,
            fen: None,
            other_variant: false,
            termination: None,
            abnormal: false,
            tagged: false,
            moved: false,
            board_unknown: false,
            position,
            eval: None,
        })
    }

    fn tag(
        &mut self,
        draft: &mut Draft,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        let text = || value.decode_utf8_lossy().into_owned();
        draft.tagged = true;
        match name {
            b"Result" => draft.game.result = GameScore::of_text(&text()),
            b"White" => draft.game.names[0] = text(),
            b"Black" => draft.game.names[1] = text(),
            b"Round" => draft.game.round = text(),
            b"FEN" => draft.fen = Some(text()),
            b"Variant" => {
                draft.other_variant = !Rules::of_tag(&text()).is_some_and(Rules::is_chess);
            }
            // The result of a time forfeit, crash or illegal move does not label the position.
            b"Termination" => {
                draft.abnormal = !matches!(&*text().to_lowercase(), "normal" | "adjudication");
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, mut draft: Draft) -> ControlFlow<Self::Output, Draft> {
        if draft.other_variant {
            return ControlFlow::Break(Err(Rejected::Flaw(Flaw::OtherVariant)));
        }
        if let Some(text) = &draft.fen {
            match Position::from_fen(text) {
                Ok(position) => draft.position = position,
                Err(_) if self.results_only => draft.board_unknown = true,
                Err(reason) => {
                    let reason = format!("FEN `{text}`: {reason}");
                    return ControlFlow::Break(Err(Rejected::Bad(reason)));
                }
            }
            draft.game.start = draft.position;
        }
        ControlFlow::Continue(draft)
    }

    fn san(&mut self, draft: &mut Draft, san: SanPlus) -> ControlFlow<Self::Output> {
        draft.moved = true;
        if draft.board_unknown {
            return ControlFlow::Continue(());
        }
        let Some(played) = san::resolve(&draft.position, &san.san) else {
            if self.results_only {
                draft.board_unknown = true;
                return ControlFlow::Continue(());
            }
            let reason = format!("`{san}` is illegal here");
            return ControlFlow::Break(Err(Rejected::Bad(reason)));
        };
        if self.results_only {
            draft.position.play(played);
            return ControlFlow::Continue(());
        }
        let mover = draft.position.side();
        let eval = draft.eval.take();
        let eval = eval.map(|(score, depth)| MoveEval { score: score.for_white(mover), depth });
        draft.position.play(played);
        draft.game.turns.push(Turn { played, eval });
        ControlFlow::Continue(())
    }

    fn comment(&mut self, draft: &mut Draft, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        let comment = comment.as_bytes();
        if let Some(last) = draft.game.turns.last_mut() {
            last.eval = last.eval.or_else(|| engine_eval(comment));
        }
        draft.eval = lichess_eval(comment).or(draft.eval);
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Draft) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(&mut self, draft: &mut Draft, outcome: Outcome) -> ControlFlow<Self::Output> {
        draft.termination = GameScore::of_text(&outcome.to_string());
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, mut draft: Draft) -> Self::Output {
        // The parser skips what is not a move: without this, a file of another format reads as empty.
        if !self.results_only && !draft.tagged && !draft.moved {
            let reason = "neither tags nor moves: this is not PGN";
            return Err(Rejected::Bad(reason.to_owned()));
        }
        if usize::from(draft.game.first_ply()) + draft.game.turns.len() > MAX_PLIES {
            return Err(Rejected::Flaw(Flaw::TooLong));
        }
        draft.game.has_moves = draft.moved;
        let mut flaw = None;
        match (self.results_only, draft.abnormal) {
            (false, true) => draft.game.result = None,
            (true, true) => draft.game.result = draft.game.result.or(draft.termination),
            (_, false) => {
                let (result, found) = draft.final_result().map_err(Rejected::Flaw)?;
                (draft.game.result, flaw) = (result, found);
            }
        }
        Ok((draft.game, flaw))
    }
}

impl Draft {
    /// The result by the tag, the end of the moves and the board; checkmate and stalemate decide.
    fn final_result(&self) -> Result<(Option<GameScore>, Option<Flaw>), Flaw> {
        let declared = self.game.result.or(self.termination);
        let agree = self.termination.is_none() || self.termination == declared;
        match self.board_result() {
            Some(shown) if declared == Some(shown) && agree => Ok((declared, None)),
            Some(shown) => Ok((Some(shown), Some(Flaw::BoardDecides))),
            None if agree => Ok((declared, None)),
            None => Err(Flaw::TwoResults),
        }
    }

    /// The result on the board, at checkmate or stalemate.
    fn board_result(&self) -> Option<GameScore> {
        if self.board_unknown || !self.moved || !self.position.legal_moves().is_empty() {
            return None;
        }
        Some(match (self.position.in_check(), self.position.side().is_white()) {
            (false, _) => GameScore::Draw,
            (true, true) => GameScore::Loss,
            (true, false) => GameScore::Win,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "[White \"a\"]\n[Black \"b\"]\n[Round \"7.1\"]\n[Result \"1-0\"]\n\
        [Termination \"normal\"]\n\n1. e4 {book} d5 {-0.45/9 0.01s} 2. exd5 {+0.50/12 0.01s 99n} \
        Qxd5 {-M4/9 0.01s} (2... Nf6 {+9.00/9}) 3. Nc3 1-0\n\n";

    fn games(text: &str) -> Result<Vec<Game>, FormatError> {
        Reader::new("x.pgn", text.as_bytes(), &Flaws::default()).collect()
    }

    #[test]
    fn a_game_that_contradicts_itself_is_dropped_or_corrected_with_the_reason() {
        let mate = "1. f3 e5 2. g4 Qh4#";
        let stalemate = "[FEN \"7k/5Q2/8/6K1/8/8/8/8 w - - 0 1\"]\n[Result \"1-0\"]\n\n1. Kg6 1-0";
        let tagged = |tags: &str, moves: &str| format!("{tags}\n\n{moves}\n\n");
        let atomic = tagged("[Variant \"Atomic\"]\n[Result \"1-0\"]", "1. e4 Zz9 1-0");
        let [lost, drawn, won] = GameScore::ALL.map(Some);
        let decides = Some(Flaw::BoardDecides);
        for (text, result, flaw) in [
            (tagged("[Result \"1-0\"]", &format!("{mate} 1-0")), lost, decides),
            (tagged("[Result \"0-1\"]", &format!("{mate} 1-0")), lost, decides),
            (tagged("[Result \"*\"]", &format!("{mate} *")), lost, decides),
            (tagged("[Result \"0-1\"]", &format!("{mate} 0-1")), lost, None),
            (stalemate.to_owned(), drawn, decides),
            (tagged("[Result \"1-0\"]", "1. e4 e5 0-1"), None, Some(Flaw::TwoResults)),
            (tagged("[Result \"1-0\"]", "1. e4 e5 *"), won, None),
            (tagged("[Result \"*\"]", "1. e4 e5 1/2-1/2"), drawn, None),
            (atomic, None, Some(Flaw::OtherVariant)),
            (tagged("[Variant \"Chess 960\"]\n[Result \"1-0\"]", "1. e4 1-0"), won, None),
        ] {
            let flaws = Flaws::default();
            // The next game is read as well.
            let both = format!("{text}\n\n[Result \"1/2-1/2\"]\n\n1. d4 1/2-1/2\n");
            let read = Reader::new("x.pgn", both.as_bytes(), &flaws);
            let read: Vec<Game> = read.collect::<Result<_, _>>().expect(&text);
            let dropped = flaw.is_some_and(|flaw| !flaw.is_corrected());
            assert_eq!(read.len(), 2 - usize::from(dropped), "{text}");
            if !dropped {
                assert_eq!(read[0].result, result, "{text}");
            }
            let found: Vec<Flaw> =
                flaws.dropped().into_keys().chain(flaws.corrected().into_keys()).collect();
            assert_eq!(found, flaw.into_iter().collect::<Vec<_>>(), "{text}");
        }
    }

    #[test]
    fn a_game_with_more_plies_than_can_be_numbered_is_dropped_and_counted() {
        let game = |rounds: usize| {
            format!("[Result \"1-0\"]\n\n{}1-0\n\n", "Nf3 Nf6 Ng1 Ng8 ".repeat(rounds))
        };
        let flaws = Flaws::default();
        let text = game(16_384) + &game(16_383);
        let read = Reader::new("x.pgn", text.as_bytes(), &flaws);
        let plies: Vec<usize> = read.map(|game| game.expect("sound").turns.len()).collect();
        assert_eq!(plies, [65_532]);
        assert_eq!(flaws.dropped(), [(Flaw::TooLong, 1)].into());
    }

    #[test]
    fn for_results_alone_moves_are_checked_until_the_board_is_unknown() {
        let text = "[White \"a\"]\n[Result \"1-0\"]\n\n1. f3 e5 2. g4 Qh4# 1-0\n\n\
            [Result \"1-0\"]\n[Termination \"time forfeit\"]\n\n1. e4 1-0\n\n\
            [Result \"1-0\"]\n\n1. e4 Ke4 2. f3 1-0\n\n[Result \"1-0\"]\n\n1. e4 0-1\n\n";
        let flaws = Flaws::default();
        let read = Reader::new("x.pgn", text.as_bytes(), &flaws).results_only();
        let results: Vec<_> = read.map(|game| game.expect("read").result).collect();
        assert_eq!(results, [Some(GameScore::Loss), Some(GameScore::Win), Some(GameScore::Win)]);
        assert_eq!(flaws.dropped(), [(Flaw::TwoResults, 1)].into());
        assert_eq!(flaws.corrected(), [(Flaw::BoardDecides, 1)].into());
    }

    #[test]
    fn moves_have_the_evaluations_of_their_comments() {
        let game = games(GAME).expect("a game").remove(0);
        assert_eq!(
            (game.result, &*game.round, &*game.names[1]),
            (Some(GameScore::Win), "7.1", "b")
        );
        let eval: Vec<Option<MoveEval>> = game.turns.iter().map(|turn| turn.eval).collect();
        let of = |score, depth| Some(MoveEval { score, depth });
        let (low, high) = (Score::Centipawns(-45), Score::Centipawns(50));
        assert_eq!(eval, [None, of(low, 9), of(high, 12), of(Score::Mate(-4), 9), None]);
        let records: Vec<_> = game.records(1).collect();
        assert_eq!(records[3].ply, Some(3));
        assert_eq!(records[1].score, Some(Score::Centipawns(45)));
        assert_eq!(records[2].source.as_ref().map(|by| &*by.opponent), Some("b"));
    }

    #[test]
    fn scores_of_all_kinds_are_read() {
        for (text, score) in [
            ("+0.26/12 0.05s", Some(Score::Centipawns(26))),
            ("-12.5/9", Some(Score::Centipawns(-1250))),
            ("0/1", Some(Score::Centipawns(0))),
            ("0.005/1", Some(Score::Centipawns(1))),
            ("+M12/30 1s", Some(Score::Mate(12))),
            ("book", None),
            ("1234.00/3", None),
            ("./3", None),
            ("a/b", None),
            ("+/3", None),
        ] {
            assert_eq!(engine_eval(text.as_bytes()).map(|eval| eval.score), score, "{text}");
        }
    }

    #[test]
    fn every_score_has_an_opposite() {
        assert_eq!(lichess_eval(b"[%eval #-2147483648]"), None);
        assert_eq!(lichess_eval(b"[%eval #-2147483647]"), Some((Score::Mate(-i32::MAX), 0)));
        assert_eq!(lichess_eval(b"[%eval #+3,7]"), Some((Score::Mate(3), 7)));
    }

    #[test]
    fn an_evaluation_of_lichess_belongs_to_the_position_after_the_move() {
        let text = "[Result \"1-0\"]\n[Termination \"Normal\"]\n\n1. e4 { [%eval 0.36,22] [%clk \
            0:10:00] } 1... f6 { [%eval 0.94] } 2. d4 g5 { [%eval #1] [%clk 0:09:00] } 3. Qh5# 1-0\n";
        let game = games(text).expect("a game").remove(0);
        let eval: Vec<Option<MoveEval>> = game.turns.iter().map(|turn| turn.eval).collect();
        let of = |score, depth| Some(MoveEval { score, depth });
        let (black, white) = (Score::Centipawns(-36), Score::Centipawns(94));
        assert_eq!(eval, [None, of(black, 22), of(white, 0), None, of(Score::Mate(1), 0)]);
    }

    #[test]
    fn a_file_of_another_format_called_pgn_is_refused() {
        for text in ["fen,score,result\n8/8/8/8,3,1\n", "\u{0}\u{1}\u{2}", "<html>"] {
            let error = games(text).expect_err(text).to_string();
            assert!(error.contains("game 1: neither tags nor moves"), "{error}");
        }
        assert_eq!(games("\n\n").expect("empty"), []);
    }

    #[test]
    fn a_game_lost_on_time_has_no_result_and_an_illegal_move_is_reported_with_its_game() {
        let board_unknown = GAME.replace("\"normal\"", "\"time forfeit\"");
        assert_eq!(games(&board_unknown).expect("a game")[0].result, None);
        let error = games(&format!("{GAME}{}", GAME.replace("Nc3", "Nc4"))).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("game 2") && text.contains("Nc4"), "{text}");
    }
}
