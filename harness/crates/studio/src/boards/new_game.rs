//! A game that is to begin: who plays, from where, with which clock and opening.

use super::book;
use super::engines::Engines;
use super::game::{Clock, Game, Seat, ending};
use super::levels;
use crate::form::Form;
use harness_arena::chess960;
use harness_assistant::names;
use harness_games::eco;
use harness_games::tree::{GameTree, check_whole};

/// How like the name of an opening a text must be to mean it.
const LIKE: f32 = 0.6;

/// A game to begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewGame {
    /// White's and Black's engine; none for people.
    pub engines: [Option<String>; 2],
    /// The level of the built-in engine.
    pub level: u8,
    /// `5+3`; empty without clocks.
    pub clock: String,
    /// From a random start position.
    pub chess960: bool,
    /// The opening that engines steer into; empty for any.
    pub opening: String,
    /// A start position; empty for the usual one.
    pub fen: String,
}

impl NewGame {
    /// From a form.
    ///
    /// # Errors
    /// When a field is wrong; in words for people.
    pub fn read(sent: &Form) -> Result<NewGame, String> {
        let engine = |field: &str| {
            let text = sent.get(field).trim();
            (!text.is_empty() && !text.eq_ignore_ascii_case("human")).then(|| text.to_owned())
        };
        let clock = sent.get("clock").trim().to_owned();
        if !clock.is_empty() && Clock::parse(&clock).is_none() {
            return Err(format!("`{clock}` is no clock: minutes+seconds, as in 5+3"));
        }
        let asked = sent.get("level");
        Ok(NewGame {
            engines: [engine("white"), engine("black")],
            level: if asked.is_empty() { levels::COUNT } else { levels::read(asked)? },
            clock,
            chess960: !sent.get("chess960").is_empty(),
            opening: sent.get("opening").trim().to_owned(),
            fen: sent.get("fen").trim().to_owned(),
        })
    }

    /// Whether the engines are there and start: one that does not would lose the game.
    ///
    /// # Errors
    /// When one is unknown or does not start; in words for people.
    pub fn check_engines(&self, engines: &Engines) -> Result<(), String> {
        for (side, name) in ["White", "Black"].iter().zip(&self.engines) {
            let Some(name) = name else { continue };
            let started = engines.spec(name).and_then(|spec| engines.take(&spec));
            engines.keep(started.map_err(|error| format!("{side}: {error}"))?);
        }
        Ok(())
    }

    /// The tree and the game at their start.
    ///
    /// # Errors
    /// When the position or the opening is unknown; in words for people.
    pub fn begin(&self) -> Result<(GameTree, Game), String> {
        let mut tree = start(&self.fen, self.chess960)?;
        let opening = match self.opening.as_str() {
            "" => Vec::new(),
            named => {
                let line = moves_of(named).or_else(|error| moves_of(&like(named).ok_or(error)?))?;
                book::check_start(&tree, named, &line)?;
                line
            }
        };
        let seats = self.engines.clone().map(|engine| match engine {
            None => Seat::Human,
            Some(name) => {
                let level = (name == "builtin").then_some(self.level);
                Seat::Engine { name, level }
            }
        });
        let today = jiff::Zoned::now().strftime("%Y.%m.%d").to_string();
        let facts = [("Event", "Casual game"), ("Date", &today)];
        for (name, value) in facts {
            tree.set_tag(name, value)?;
        }
        tree.set_tag("White", &seats[0].title())?;
        tree.set_tag("Black", &seats[1].title())?;
        let clock = Clock::parse(&self.clock);
        if let Some(clock) = &clock {
            // PGN has seconds.
            let [left, increment] = [clock.left[0], clock.increment].map(|time| time.as_secs_f64());
            tree.set_tag("TimeControl", &format!("{left}+{increment}"))?;
        }
        let mut game = Game::new(seats, clock, opening);
        // A position in which no move is left.
        if let Some(end) = ending(&tree, GameTree::ROOT).map_err(|error| error.to_string())? {
            game.end(&mut tree, end);
        }
        Ok((tree, game))
    }
}

/// A board at its start: at the given position, else at one of Chess960 at random, else at the usual one.
///
/// # Errors
/// When the given position is none, or not whole; in words for people.
pub fn start(fen: &str, chess960: bool) -> Result<GameTree, String> {
    let fen = match (fen.trim(), chess960) {
        ("", true) => chess960::opening(random(960)).fen,
        ("", false) => None,
        (fen, _) => {
            check_whole(fen)?;
            Some(fen.to_owned())
        }
    };
    Ok(GameTree::new(fen.as_deref(), chess960)?)
}

fn random(below: usize) -> usize {
    use rand::Rng;
    rand::rng().random_range(0..below)
}

/// The opening whose name is most like a text, if it is like any at all.
fn like(text: &str) -> Option<String> {
    let text = text.strip_prefix("the ").unwrap_or(text);
    let found = names::opening(text, 1).into_iter().find(|found| found.similarity >= LIKE);
    found.map(|found| found.name)
}

/// The moves of an opening of the list, the shortest line of its name.
///
/// # Errors
/// When no opening has this name; in words for people.
pub fn moves_of(name: &str) -> Result<Vec<String>, String> {
    let lines = eco::LIST.lines().skip(1).filter_map(|line| {
        let mut columns = line.split('\t').skip(1);
        let known = columns.next()?;
        known.eq_ignore_ascii_case(name).then(|| columns.next()).flatten()
    });
    let shortest = lines.min_by_key(|moves| moves.len());
    let moves = shortest.ok_or_else(|| format!("no opening of the list is called `{name}`"))?;
    Ok(moves.split(' ').map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::action::Action;
    use crate::boards::board::State;

    #[test]
    fn a_board_of_chess960_starts_anywhere() {
        let fen = |given: &str, chess960| start(given, chess960).expect("a start").start_fen();
        let starts: Vec<String> = (0..4).map(|_| fen("", true)).collect();
        assert!(starts.iter().any(|one| *one != starts[0]), "{starts:?}");
        assert_eq!(fen("", false), GameTree::default().start_fen());
        assert_eq!(fen(" 4k3/8/8/8/8/8/8/4K3 w - - ", true), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    }

    #[test]
    fn a_position_that_is_cut_off_is_refused_with_what_is_missing() {
        let whole = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        assert!(start(whole, false).is_ok());
        let fields: Vec<&str> = whole.split(' ').collect();
        for (count, missing) in
            [(1, "the side to move"), (2, "castling"), (3, "the en passant square is missing")]
        {
            let refused = start(&fields[..count].join(" "), false).expect_err("it is cut off");
            assert!(refused.contains(missing), "{refused}");
            let fen = fields[..count].join(" ");
            let setup = Action::SetUp { fen, chess960: false };
            assert_eq!(State::default().act(setup), Err(refused));
        }
    }

    #[test]
    fn an_opening_that_the_position_is_none_of_is_refused_before_the_game() {
        let new = |opening: &str, fen: &str, chess960| NewGame {
            opening: opening.to_owned(),
            fen: fen.to_owned(),
            chess960,
            ..NewGame::default()
        };
        let begun = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        let (_, game) = new("sicilian defence", begun, false).begin().expect("it is one of it");
        assert_eq!(game.opening, ["e2e4", "c7c5"]);
        let other = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1";
        let refused = new("sicilian defence", other, false).begin().expect_err("1. d4");
        assert!(refused.contains("none of the opening") && refused.contains("e4 c5"), "{refused}");
        let refused = new("sicilian defence", "", true).begin().expect_err("Chess960");
        assert!(refused.contains("Chess960"), "{refused}");
    }

    #[test]
    fn a_game_from_a_position_that_is_over_has_its_result() {
        for (fen, over, result) in [
            ("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", Some("stalemate"), "1/2-1/2"),
            ("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", Some("checkmate"), "1-0"),
            ("k7/8/1K6/8/8/8/8/8 b - - 0 1", Some("too little material"), "1/2-1/2"),
            ("k7/8/1K6/8/8/8/8/Q7 b - - 0 1", None, "*"),
        ] {
            let new = NewGame { fen: fen.to_owned(), ..NewGame::default() };
            let (tree, game) = new.begin().expect("a position");
            assert_eq!((game.over.as_deref(), tree.result()), (over, result), "{fen}");
        }
    }
}
