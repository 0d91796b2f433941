//! Games with what the players said of their moves.

use std::io::Read;
use std::ops::ControlFlow;

use pgn_reader::{Outcome, RawComment, RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Move, Position};

/// A game, move by move.
#[derive(Clone, Debug, Default)]
pub struct Game {
    /// What White got: 0, 0.5 or 1; `None` where it was not played to an end on the board.
    pub result: Option<f64>,
    /// Names of White and Black.
    pub names: [String; 2],
    /// The `Round` tag.
    pub round: String,
    /// Its moves.
    pub moves: Vec<Thought>,
    chess960: bool,
    fen: Option<String>,
    spoiled: bool,
    position: Chess,
    first_ply: u32,
}

/// A move, and what its player said of it.
#[derive(Clone, Debug)]
pub struct Thought {
    /// The position before it.
    pub before: Chess,
    /// The move.
    pub played: Move,
    /// Plies played before, counted from the usual start where the position tells.
    pub ply: u32,
    /// What the player said of it; `None` for a book move.
    pub said: Option<Said>,
}

/// A player's word on a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// Score in centipawns for the mover; `None` is a mate.
    pub score: Option<i32>,
    /// Depth in plies.
    pub depth: u32,
}

impl Said {
    /// From a comment as cutechess, fastchess and the harness write it: `+0.26/12 0.050s`,
    /// `-M4/9 0.1s`.
    pub fn of_comment(comment: &str) -> Option<Said> {
        let (score, rest) = comment.trim_start().split_once('/')?;
        let depth = rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().unwrap_or(0);
        if score.trim_start_matches(['+', '-']).starts_with('M') {
            return Some(Said { score: None, depth });
        }
        let pawns: f64 = score.parse().ok().filter(|pawns: &f64| pawns.abs() < 1000.0)?;
        Some(Said { score: Some((100.0 * pawns).round() as i32), depth })
    }
}

/// Gives each game of a PGN to `take`, until it breaks off.
///
/// # Errors
/// What is wrong, and the number of the game.
pub fn read(
    source: impl Read,
    take: &mut dyn FnMut(Game) -> ControlFlow<()>,
) -> Result<(), (u64, String)> {
    let mut reader = Reader::new(source);
    for number in 1.. {
        match reader.read_game(&mut Scribe) {
            Ok(None) => break,
            Ok(Some(Ok(game))) => {
                if take(game).is_break() {
                    break;
                }
            }
            Ok(Some(Err(reason))) => return Err((number, reason)),
            Err(error) => return Err((number, error.to_string())),
        }
    }
    Ok(())
}

struct Scribe;

impl Visitor for Scribe {
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
        let text = value.decode_utf8_lossy().into_owned();
        match name {
            b"Result" => game.result = points(&text),
            b"White" => game.names[0] = text,
            b"Black" => game.names[1] = text,
            b"Round" => game.round = text,
            b"FEN" => game.fen = Some(text),
            b"Variant" => game.chess960 = text.to_lowercase().contains("960"),
            // Time, crashes and illegal moves say nothing of the position.
            b"Termination" => {
                game.spoiled = !matches!(&*text.to_lowercase(), "normal" | "adjudication");
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, mut game: Game) -> ControlFlow<Self::Output, Game> {
        let castling = if game.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
        if let Some(text) = &game.fen {
            let position = text
                .parse::<Fen>()
                .map_err(|error| error.to_string())
                .and_then(|fen| fen.into_position(castling).map_err(|error| format!("{error}")));
            match position {
                Ok(position) => game.position = position,
                Err(reason) => return ControlFlow::Break(Err(format!("FEN `{text}`: {reason}"))),
            }
        }
        let moves = u32::from(game.position.fullmoves()) - 1;
        game.first_ply = 2 * moves + u32::from(game.position.turn().is_black());
        if game.spoiled {
            game.result = None;
        }
        ControlFlow::Continue(game)
    }

    fn san(&mut self, game: &mut Game, san: SanPlus) -> ControlFlow<Self::Output> {
        let Ok(played) = san.san.to_move(&game.position) else {
            return ControlFlow::Break(Err(format!("`{san}` is not legal there")));
        };
        let ply = game.first_ply + game.moves.len() as u32;
        let before = game.position.clone();
        game.position.play_unchecked(played);
        game.moves.push(Thought { before, played, ply, said: None });
        ControlFlow::Continue(())
    }

    fn comment(&mut self, game: &mut Game, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        if let (Some(last), Ok(text)) =
            (game.moves.last_mut(), std::str::from_utf8(comment.as_bytes()))
        {
            last.said = last.said.or_else(|| Said::of_comment(text));
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Game) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(&mut self, game: &mut Game, outcome: Outcome) -> ControlFlow<Self::Output> {
        if !game.spoiled {
            game.result = game.result.or_else(|| points(&outcome.to_string()));
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Game) -> Self::Output {
        Ok(game)
    }
}

fn points(result: &str) -> Option<f64> {
    match result {
        "1-0" => Some(1.0),
        "1/2-1/2" => Some(0.5),
        "0-1" => Some(0.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "[White \"a\"]\n[Black \"b\"]\n[Round \"7.1\"]\n[Result \"1-0\"]\n\
        [Termination \"normal\"]\n\n1. e4 {book} d5 {-0.45/9 0.01s} 2. exd5 {+0.50/12 0.01s 99n} \
        Qxd5 {-M4/9 0.01s} (2... Nf6 {+9.00/9}) 3. Nc3 1-0\n\n";

    fn games(text: &str) -> Result<Vec<Game>, (u64, String)> {
        let mut games = Vec::new();
        read(text.as_bytes(), &mut |game| {
            games.push(game);
            ControlFlow::Continue(())
        })?;
        Ok(games)
    }

    #[test]
    fn moves_come_with_what_was_said_of_them() {
        let game = games(GAME).expect("a game").remove(0);
        assert_eq!((game.result, &*game.round, &*game.names[1]), (Some(1.0), "7.1", "b"));
        let said: Vec<Option<Said>> = game.moves.iter().map(|thought| thought.said).collect();
        let of = |score, depth| Some(Said { score, depth });
        assert_eq!(said, [None, of(Some(-45), 9), of(Some(50), 12), of(None, 9), None]);
        assert_eq!(game.moves[3].ply, 3);
    }

    #[test]
    fn a_game_lost_on_time_has_no_result_and_an_illegal_move_is_told_with_its_game() {
        let lost = GAME.replace("\"normal\"", "\"time forfeit\"");
        assert_eq!(games(&lost).expect("a game")[0].result, None);
        let (number, reason) = games(&format!("{GAME}{}", GAME.replace("Nc3", "Nc4"))).unwrap_err();
        assert_eq!(number, 2);
        assert!(reason.contains("Nc4"), "{reason}");
    }
}
