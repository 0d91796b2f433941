//! Games of PGN with the scores in their comments.

use std::io::Read;
use std::ops::ControlFlow;

use engine::board::Position;
use pgn_reader::{Outcome, RawComment, RawTag, SanPlus, Skip, Visitor};

use super::formats::{FormatError, Place};
use super::game::{Game, Said, Turn};
use super::record::{Points, for_white};
use super::san;
use crate::player::Score;

/// A comment on a move as cutechess, fastchess and the harness write it: `+0.26/12 0.050s`,
/// `-M4/9 0.1s`. The score is for the mover, of the position before the move.
pub fn said_in(comment: &[u8]) -> Option<Said> {
    let comment = comment.trim_ascii_start();
    let slash = comment.iter().take(12).position(|&byte| byte == b'/')?;
    let digits = comment[slash + 1..].iter().take_while(|byte| byte.is_ascii_digit());
    let depth = digits.fold(0_u32, |sum, &digit| (sum * 10 + u32::from(digit - b'0')).min(255));
    let score = score_in(&comment[..slash])?;
    Some(Said { score, depth: depth as u8 })
}

/// A comment of Lichess on a move, `[%eval 0.17]`, `[%eval #-3]`, `[%eval 0.17,22]`: the score for
/// White of the position after the move, and the depth.
fn eval_in(comment: &[u8]) -> Option<(Score, u8)> {
    const KEY: &[u8] = b"[%eval ";
    let begin = comment.windows(KEY.len()).position(|window| window == KEY)? + KEY.len();
    let text = comment[begin..].split(|&byte| byte == b']').next()?.trim_ascii();
    let mut parts = text.split(|&byte| byte == b',');
    let score = match parts.next()? {
        [b'#', moves @ ..] => {
            Score::Mate(std::str::from_utf8(moves).ok()?.trim_start_matches('+').parse().ok()?)
        }
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
        let moves: i32 = std::str::from_utf8(moves).ok()?.parse().ok()?;
        return Some(Score::Mate(sign * moves));
    }
    centipawns(number).map(|score| Score::Centipawns(sign * score))
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

/// Reads games one after the other.
pub struct Reader<R> {
    path: String,
    reader: pgn_reader::Reader<R>,
    number: u64,
}

impl<R: Read> Reader<R> {
    /// From the beginning of a file; `path` names it in errors.
    pub fn new(path: &str, source: R) -> Reader<R> {
        Reader { path: path.to_owned(), reader: pgn_reader::Reader::new(source), number: 0 }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Game, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.number += 1;
        let bad = |reason: String| FormatError::Bad {
            path: self.path.clone(),
            place: Place::Game(self.number),
            reason,
        };
        match self.reader.read_game(&mut Scribe) {
            Ok(game) => game.map(|game| game.map_err(bad)),
            Err(error) => Some(Err(bad(error.to_string()))),
        }
    }
}

struct Scribe;

/// A game that is being read.
struct Draft {
    game: Game,
    fen: Option<String>,
    spoiled: bool,
    tagged: bool,
    position: Position,
    /// What was said of the position now on the board, for White.
    eval: Option<(Score, u8)>,
}

impl Visitor for Scribe {
    type Tags = Draft;
    type Movetext = Draft;
    type Output = Result<Game, String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Draft> {
        let game = Game::default();
        let position = game.start;
        let draft = Draft { game, fen: None, spoiled: false, tagged: false, position, eval: None };
        ControlFlow::Continue(draft)
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
            b"Result" => draft.game.result = Points::of_text(&text()),
            b"White" => draft.game.names[0] = text(),
            b"Black" => draft.game.names[1] = text(),
            b"Round" => draft.game.round = text(),
            b"FEN" => draft.fen = Some(text()),
            // Time, crashes and illegal moves say nothing of the position.
            b"Termination" => {
                draft.spoiled = !matches!(&*text().to_lowercase(), "normal" | "adjudication");
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, mut draft: Draft) -> ControlFlow<Self::Output, Draft> {
        if let Some(text) = &draft.fen {
            match Position::from_fen(text) {
                Ok(position) => draft.position = position,
                Err(reason) => return ControlFlow::Break(Err(format!("FEN `{text}`: {reason}"))),
            }
            draft.game.start = draft.position;
        }
        if draft.spoiled {
            draft.game.result = None;
        }
        ControlFlow::Continue(draft)
    }

    fn san(&mut self, draft: &mut Draft, san: SanPlus) -> ControlFlow<Self::Output> {
        let Some(played) = san::resolve(&draft.position, &san.san) else {
            return ControlFlow::Break(Err(format!("`{san}` is not legal there")));
        };
        let mover = draft.position.side();
        let said = draft.eval.take();
        let said = said.map(|(score, depth)| Said { score: for_white(score, mover), depth });
        draft.position.play(played);
        draft.game.turns.push(Turn { played, said });
        ControlFlow::Continue(())
    }

    fn comment(&mut self, draft: &mut Draft, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        let comment = comment.as_bytes();
        if let Some(last) = draft.game.turns.last_mut() {
            last.said = last.said.or_else(|| said_in(comment));
        }
        draft.eval = eval_in(comment).or(draft.eval);
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Draft) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(&mut self, draft: &mut Draft, outcome: Outcome) -> ControlFlow<Self::Output> {
        if !draft.spoiled && draft.game.result.is_none() {
            draft.game.result = Points::of_text(&outcome.to_string());
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, draft: Draft) -> Self::Output {
        // What is no move is passed over, and so would be a whole file of another kind.
        if !draft.tagged && draft.game.turns.is_empty() {
            return Err("neither tags nor moves: this is no PGN".to_owned());
        }
        Ok(draft.game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "[White \"a\"]\n[Black \"b\"]\n[Round \"7.1\"]\n[Result \"1-0\"]\n\
        [Termination \"normal\"]\n\n1. e4 {book} d5 {-0.45/9 0.01s} 2. exd5 {+0.50/12 0.01s 99n} \
        Qxd5 {-M4/9 0.01s} (2... Nf6 {+9.00/9}) 3. Nc3 1-0\n\n";

    fn games(text: &str) -> Result<Vec<Game>, FormatError> {
        Reader::new("x.pgn", text.as_bytes()).collect()
    }

    #[test]
    fn moves_come_with_what_was_said_of_them() {
        let game = games(GAME).expect("a game").remove(0);
        assert_eq!((game.result, &*game.round, &*game.names[1]), (Some(Points::Win), "7.1", "b"));
        let said: Vec<Option<Said>> = game.turns.iter().map(|turn| turn.said).collect();
        let of = |score, depth| Some(Said { score, depth });
        let (low, high) = (Score::Centipawns(-45), Score::Centipawns(50));
        assert_eq!(said, [None, of(low, 9), of(high, 12), of(Score::Mate(-4), 9), None]);
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
            assert_eq!(said_in(text.as_bytes()).map(|said| said.score), score, "{text}");
        }
    }

    #[test]
    fn an_evaluation_of_lichess_belongs_to_the_position_after_the_move() {
        let text = "[Result \"1-0\"]\n[Termination \"Normal\"]\n\n1. e4 { [%eval 0.36,22] [%clk \
            0:10:00] } 1... f6 { [%eval 0.94] } 2. d4 g5 { [%eval #1] [%clk 0:09:00] } 3. Qh5# 1-0\n";
        let game = games(text).expect("a game").remove(0);
        let said: Vec<Option<Said>> = game.turns.iter().map(|turn| turn.said).collect();
        let of = |score, depth| Some(Said { score, depth });
        let (black, white) = (Score::Centipawns(-36), Score::Centipawns(94));
        assert_eq!(said, [None, of(black, 22), of(white, 0), None, of(Score::Mate(1), 0)]);
    }

    #[test]
    fn another_file_that_is_called_pgn_is_refused() {
        for text in ["fen,score,result\n8/8/8/8,3,1\n", "\u{0}\u{1}\u{2}", "<html>"] {
            let error = games(text).expect_err(text).to_string();
            assert!(error.contains("game 1: neither tags nor moves"), "{error}");
        }
        assert_eq!(games("\n\n").expect("empty"), []);
    }

    #[test]
    fn a_game_lost_on_time_has_no_result_and_an_illegal_move_is_told_with_its_game() {
        let lost = GAME.replace("\"normal\"", "\"time forfeit\"");
        assert_eq!(games(&lost).expect("a game")[0].result, None);
        let error = games(&format!("{GAME}{}", GAME.replace("Nc3", "Nc4"))).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("game 2") && text.contains("Nc4"), "{text}");
    }
}
