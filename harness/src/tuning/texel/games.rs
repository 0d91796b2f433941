//! Labelled positions from games: each position before a quiet move, with the mover's score.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

use engine::board::Position;
use pgn_reader::{Outcome, RawComment, RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position as _};

use super::dataset::{DataError, Reason, Sample, Sieve, result};

/// Reads a file of games.
pub fn read(
    path: &Path,
    source: impl Read,
    sieve: &mut Sieve<'_>,
    told: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<(), DataError> {
    let mut reader = Reader::new(source);
    for number in 1.. {
        let bad = |reason: String| DataError::Game { path: path.to_owned(), game: number, reason };
        let game = match reader.read_game(&mut Labels) {
            Ok(None) => return Ok(()),
            Ok(Some(game)) => game.map_err(bad)?,
            Err(error) => return Err(bad(error.to_string())),
        };
        take(game, sieve).map_err(bad)?;
        if number % 16 == 0 && told().is_break() {
            return Err(DataError::Stopped);
        }
    }
    Ok(())
}

fn take(game: Game, sieve: &mut Sieve<'_>) -> Result<(), String> {
    for (reason, positions) in [(Reason::Tactical, game.tactical), (Reason::Mate, game.mates)] {
        sieve.counts.drop(reason, positions);
    }
    let Some(result) = game.result.filter(|_| !game.spoiled) else {
        sieve.counts.drop(Reason::NoResult, game.labels.len() as u64);
        return Ok(());
    };
    let number = sieve.next_game();
    for (fen, score) in game.labels {
        let position = Position::from_fen(&fen).map_err(|error| error.to_string())?;
        sieve.sift(Sample { position, score, result, game: number });
    }
    Ok(())
}

/// A game as it is read.
#[derive(Default)]
struct Game {
    /// What White got.
    result: Option<f64>,
    /// It ended for reasons beyond the board.
    spoiled: bool,
    chess960: bool,
    fen: Option<String>,
    position: Chess,
    /// Before the last move, if that was quiet.
    quiet: Option<Chess>,
    /// Positions with the score of the move that was played there, for White.
    labels: Vec<(String, Option<i32>)>,
    tactical: u64,
    mates: u64,
}

impl Game {
    /// The last position was searched with this score for the side to move.
    fn label(&mut self, score: Option<SearchScore>) {
        let Some(before) = self.quiet.take() else { return };
        let white = before.turn() == Color::White;
        let score = match score {
            Some(SearchScore::Mate) => {
                self.mates += 1;
                return;
            }
            Some(SearchScore::Centipawns(score)) => Some(if white { score } else { -score }),
            None => None,
        };
        let fen = Fen::from_position(&before, EnPassantMode::Legal).to_string();
        self.labels.push((fen, score));
    }
}

struct Labels;

impl Visitor for Labels {
    type Tags = Game;
    type Movetext = Game;
    type Output = Result<Game, String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Game> {
        ControlFlow::Continue(Game::default())
    }

    fn tag(
        &mut self,
        game: &mut Game,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        let text = value.decode_utf8_lossy();
        match name {
            b"Result" => game.result = result(&text),
            b"FEN" => game.fen = Some(text.into_owned()),
            b"Variant" => game.chess960 = text.to_lowercase().contains("960"),
            // Time, crashes and illegal moves say nothing of the position.
            b"Termination" => {
                game.spoiled = !matches!(&*text, "normal" | "adjudication" | "Normal")
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, mut game: Game) -> ControlFlow<Self::Output, Game> {
        let castling = if game.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
        let start = game.fen.as_deref().map(|text| -> Result<Chess, String> {
            let fen: Fen = text.parse().map_err(|error| format!("FEN `{text}`: {error}"))?;
            fen.into_position(castling).map_err(|error| format!("FEN `{text}`: {error}"))
        });
        match start.transpose() {
            Ok(start) => {
                game.position = start.unwrap_or_default();
                ControlFlow::Continue(game)
            }
            Err(reason) => ControlFlow::Break(Err(reason)),
        }
    }

    fn san(&mut self, game: &mut Game, san: SanPlus) -> ControlFlow<Self::Output> {
        // The move before had no comment.
        game.label(None);
        let Ok(played) = san.san.to_move(&game.position) else {
            return ControlFlow::Break(Err(format!("`{san}` is not legal there")));
        };
        if played.is_capture() || played.is_promotion() {
            game.tactical += 1;
        } else {
            game.quiet = Some(game.position.clone());
        }
        game.position.play_unchecked(played);
        ControlFlow::Continue(())
    }

    fn comment(&mut self, game: &mut Game, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        game.label(SearchScore::of_comment(comment.as_bytes()));
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Game) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(&mut self, game: &mut Game, outcome: Outcome) -> ControlFlow<Self::Output> {
        game.result = game.result.or_else(|| result(&outcome.to_string()));
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, mut game: Game) -> Self::Output {
        game.label(None);
        Ok(game)
    }
}

/// What an engine said of the move that it played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchScore {
    Centipawns(i32),
    Mate,
}

impl SearchScore {
    /// From a comment as cutechess, fastchess and we write it: `+0.26/12 0.050s`, `-M4/9 0.1s`.
    fn of_comment(comment: &[u8]) -> Option<SearchScore> {
        let text = std::str::from_utf8(comment).ok()?;
        let (score, _) = text.trim_start().split_once('/')?;
        if score.trim_start_matches(['+', '-']).starts_with('M') {
            return Some(SearchScore::Mate);
        }
        let pawns: f64 = score.parse().ok()?;
        (pawns.abs() < 1_000.0).then(|| SearchScore::Centipawns((100.0 * pawns).round() as i32))
    }
}

#[cfg(test)]
mod tests {
    use super::super::dataset::{self, Counts, Filters};
    use super::*;

    fn read(pgn: &str) -> Result<(Counts, Vec<Sample>), DataError> {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("games.pgn");
        std::fs::write(&path, pgn).expect("written");
        let mut samples = Vec::new();
        let counts = dataset::read(
            &[path],
            &Filters { min_ply: 2, ..Filters::default() },
            true,
            1,
            &mut |sample| samples.push(sample),
            &mut |_| ControlFlow::Continue(()),
        )?;
        Ok((counts, samples))
    }

    const GAME: &str = "[Result \"1-0\"]\n[Termination \"normal\"]\n\n\
        1. e4 {+0.30/9 0.01s 99n} d5 {-0.45/9 0.01s} 2. exd5 {+0.50/9 0.01s} Qxd5 {-0.52/9 0.01s} \
        3. Nc3 {+0.55/10 0.01s} Qa5 {-0.61/10 0.01s} 4. b4 {+M5/10 0.01s} a6 {book} 1-0\n\n";

    #[test]
    fn quiet_moves_with_a_score_label_the_position_before_them() {
        let (counts, samples) = read(GAME).expect("a game");
        let labels: Vec<(String, Option<i32>)> =
            samples.iter().map(|sample| (sample.position.fen(false), sample.score)).collect();
        let third = "rnb1kbnr/ppp1pppp/8/3q4/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3";
        let answer = "rnb1kbnr/ppp1pppp/8/3q4/8/2N5/PPPP1PPP/R1BQKBNR b KQkq - 1 3";
        let wanted = [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 30),
            ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", 45),
            (third, 55),
            (answer, 61),
        ];
        assert_eq!(labels, wanted.map(|(fen, score)| (fen.to_owned(), Some(score))));
        assert!(samples.iter().all(|sample| sample.result == 1.0));
        assert_eq!(counts.dropped[&Reason::Tactical], 2);
        assert_eq!(counts.dropped[&Reason::Mate], 1);
        assert_eq!(counts.dropped[&Reason::NoScore], 1);
    }

    #[test]
    fn a_game_that_was_lost_on_time_teaches_nothing() {
        let (counts, samples) =
            read(&GAME.replace("\"normal\"", "\"time forfeit\"")).expect("a game");
        assert!(samples.is_empty());
        assert_eq!(counts.dropped[&Reason::NoResult], 5);
    }

    #[test]
    fn an_illegal_move_is_told_with_its_game() {
        let error = read(&format!("{GAME}{}", GAME.replace("b4", "b5"))).err().expect("illegal");
        let text = error.to_string();
        assert!(text.contains("game 2") && text.contains("`b5`"), "{text}");
    }
}
