//! A finished game: its result, its PGN, its row in the ledger.

use std::time::Duration;

use jiff::Timestamp;
use shakmaty::Color;

use super::messages::User;
use super::position::Position;
use super::thinking::Chosen;
use harness_games::tree::{GameTree, TreeError, clock_text, eval_text};
use harness_ledger::StoredGame;
use harness_stats::GameScore;

/// The comment on a move of the bot.
#[derive(Clone, Debug)]
pub struct MoveComment {
    /// Its score, as PGN has it.
    eval: Option<String>,
    /// Its source, unless it is the engine.
    source: Option<&'static str>,
}

impl MoveComment {
    /// Of a move that was chosen.
    pub fn new(chosen: &Chosen, mover: Color) -> MoveComment {
        let eval = chosen
            .info
            .as_ref()
            .and_then(|info| Some(eval_text(info.score?.for_white(mover), info.depth)));
        MoveComment { eval, source: chosen.info.is_none().then_some(chosen.source) }
    }
}

/// A game that is over.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Its last state.
    pub position: Position,
    /// The bot's colour.
    pub me: Color,
    /// Comments on the bot's moves, by ply.
    pub comments: Vec<(usize, MoveComment)>,
    /// How long it was watched.
    pub took: Duration,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The result for White; `None`: it does not count.
    pub result: Option<GameScore>,
    /// Its key in the ledger.
    pub key: &'static str,
}

impl Finished {
    /// Its id.
    pub fn id(&self) -> &str {
        &self.position.full.id
    }

    /// The bot.
    pub fn own(&self) -> &User {
        self.me.fold_wb(&self.position.full.white, &self.position.full.black)
    }

    /// The opponent.
    pub fn opponent(&self) -> &User {
        self.me.fold_wb(&self.position.full.black, &self.position.full.white)
    }

    /// The bot's result; `None`: it does not count.
    pub fn score(&self) -> Option<GameScore> {
        self.ending().result.map(|result| result.seen_from(self.me))
    }

    /// How it ended, by the server's word.
    pub fn ending(&self) -> Ending {
        let state = &self.position.state;
        let won_by = match state.winner.as_deref() {
            Some("white") => Some(GameScore::Win),
            Some("black") => Some(GameScore::Loss),
            _ => None,
        };
        let drawn = Some(won_by.unwrap_or(GameScore::Draw));
        let by_rules = || self.position.referee.ending().map(|(_, termination)| termination.key());
        let (result, key) = match state.status.as_str() {
            "mate" => (won_by, "checkmate"),
            "resign" => (won_by, "resignation"),
            "stalemate" => (drawn, "stalemate"),
            "draw" => (drawn, by_rules().unwrap_or("draw_agreed")),
            "outoftime" => (drawn, "time_forfeit"),
            // The opponent left, and the game was claimed.
            "timeout" => (drawn, "abandoned"),
            "insufficientMaterialClaim" => (drawn, "insufficient_material"),
            "variantEnd" => (drawn, "variant_end"),
            "cheat" => (won_by, "cheat"),
            "noStart" => (won_by, "no_start"),
            "aborted" => (None, "aborted"),
            // `unknownFinish`, and what a later version of the server may say.
            _ => (won_by, "unknown"),
        };
        Ending { result, key }
    }

    /// Its row in the ledger; `None` for one that does not count.
    pub fn stored(&self, number: u64, server: &str) -> Option<StoredGame> {
        let Ending { result, key } = self.ending();
        let score = result?.seen_from(self.me);
        let full = &self.position.full;
        // A server's game that is none of chess would not have been played.
        let pgn = self.pgn(server).ok()?;
        Some(StoredGame {
            pair: number,
            game: 0,
            white: full.white.display_name(),
            black: full.black.display_name(),
            first_is_white: self.me == Color::White,
            first_half_points: score as u8,
            termination: key.to_owned(),
            plies: self.position.plies() as u32,
            milliseconds: self.took.as_millis() as u64,
            pgn,
            worker: None,
        })
    }

    fn pgn(&self, server: &str) -> Result<String, TreeError> {
        let Position { full, start, chess960, moves, clocks, .. } = &self.position;
        let mut tree = GameTree::new(start.fen.as_deref(), *chess960)?;
        let began = Timestamp::from_millisecond(full.created_at).unwrap_or_default();
        let kind = if full.rated { "Rated" } else { "Casual" };
        let control = full.clock.map_or("-".to_owned(), |clock| {
            format!("{}+{}", clock.initial / 1000, clock.increment / 1000)
        });
        let number =
            |rating: Option<u32>| rating.map_or(String::new(), |rating| rating.to_string());
        let Ending { result, key } = self.ending();
        let text = |text: &str| text.to_owned();
        for (name, value) in [
            ("Event", format!("{kind} game")),
            ("Site", format!("{server}/{}", full.id)),
            ("Date", began.strftime("%Y.%m.%d").to_string()),
            ("White", full.white.display_name()),
            ("Black", full.black.display_name()),
            ("UTCDate", began.strftime("%Y.%m.%d").to_string()),
            ("UTCTime", began.strftime("%H:%M:%S").to_string()),
            ("WhiteElo", number(full.white.rating)),
            ("BlackElo", number(full.black.rating)),
            ("WhiteTitle", full.white.title.clone().unwrap_or_default()),
            ("BlackTitle", full.black.title.clone().unwrap_or_default()),
            ("TimeControl", control),
            ("Termination", text(key)),
        ] {
            tree.set_tag(name, &value)?;
        }
        tree.set_result(result.map_or("*", GameScore::pgn))?;
        let mut at = GameTree::ROOT;
        for (ply, &uci) in moves.iter().enumerate() {
            at = tree.play(at, uci)?;
            let notes = tree.annotations_mut(at)?;
            notes.clock =
                clocks.get(ply).copied().flatten().map(Duration::from_millis).map(clock_text);
            if let Some((_, own)) = self.comments.iter().find(|(of, _)| *of == ply) {
                notes.eval.clone_from(&own.eval);
                notes.comment = own.source.unwrap_or_default().to_owned();
            }
        }
        Ok(tree.to_pgn())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::position::tests::game;

    fn finished(status: &str, winner: Option<&str>, moves: &str, me: Color) -> Finished {
        let mut full = game("standard", "startpos", moves);
        full.state.status = status.to_owned();
        full.state.winner = winner.map(str::to_owned);
        let position = Position::new(full, Instant::now()).expect("legal");
        let took = Duration::from_secs(61);
        Finished { position, me, comments: Vec::new(), took }
    }

    #[test]
    fn every_status_of_the_description_has_its_result() {
        let shuffle = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
        let win = Some(GameScore::Win);
        let draw = Some(GameScore::Draw);
        for (status, winner, moves, result, key) in [
            ("mate", Some("black"), "f2f3 e7e5 g2g4 d8h4", Some(GameScore::Loss), "checkmate"),
            ("resign", Some("white"), "e2e4", win, "resignation"),
            ("stalemate", None, "e2e4", draw, "stalemate"),
            ("timeout", Some("white"), "e2e4", win, "abandoned"),
            ("timeout", None, "e2e4", draw, "abandoned"),
            ("draw", None, "e2e4", draw, "draw_agreed"),
            ("draw", None, shuffle, draw, "repetition"),
            ("outoftime", Some("white"), "e2e4", win, "time_forfeit"),
            ("outoftime", None, "e2e4", draw, "time_forfeit"),
            ("cheat", Some("white"), "e2e4", win, "cheat"),
            ("noStart", Some("white"), "", win, "no_start"),
            ("noStart", None, "", None, "no_start"),
            ("aborted", None, "", None, "aborted"),
            ("unknownFinish", None, "e2e4", None, "unknown"),
            ("insufficientMaterialClaim", None, "e2e4", draw, "insufficient_material"),
            ("variantEnd", Some("white"), "e2e4", win, "variant_end"),
            ("somethingNew", Some("white"), "e2e4", win, "unknown"),
        ] {
            let game = finished(status, winner, moves, Color::Black);
            assert_eq!(game.ending(), Ending { result, key }, "{status} {winner:?}");
            assert_eq!(game.stored(0, "x").is_some(), result.is_some());
        }
    }

    #[test]
    fn a_game_is_stored_from_the_bots_view_with_clocks_and_scores() {
        let mut game = finished("resign", Some("white"), "e2e4 e7e5", Color::Black);
        game.comments = vec![(1, MoveComment { eval: Some("0.20,9".to_owned()), source: None })];
        let stored = game.stored(3, "https://lichess.org").expect("it counts");
        assert_eq!((stored.pair, stored.first_half_points, stored.first_is_white), (3, 0, false));
        assert_eq!((stored.first(), stored.second()), ("Two", "One"));
        for part in [
            "[Site \"https://lichess.org/abcdefgh\"]",
            "[TimeControl \"60+1\"]",
            "[WhiteElo \"2000\"]",
            "[%clk 0:00:50]",
            "[%eval 0.20,9]",
            "1-0",
        ] {
            assert!(stored.pgn.contains(part), "{part}\n{}", stored.pgn);
        }
    }
}
