//! Ending games that endgame tables have decided.

use std::path::Path;

use clap::ValueEnum;
use engine::tablebase::{MAX_MEN, TablebaseError, Tablebases, Wdl};
use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Position};
use thiserror::Error;

use crate::stats::GameScore;

/// Which endgame tables end a game, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRule {
    /// Folders of Syzygy tables, separated as in the variable PATH.
    pub folders: String,
    /// Most men on the board; tables may go less far.
    #[serde(default = "all_men")]
    pub men: u32,
    /// A win that the fifty-move rule prevents is a win, and the count does not matter.
    #[serde(default)]
    pub ignore_fifty_moves: bool,
    /// The results that end a game.
    #[serde(default)]
    pub results: TableResults,
}

/// Which results of endgame tables end a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum TableResults {
    /// All.
    #[default]
    All,
    /// Won and lost positions.
    Wins,
    /// Drawn positions.
    Draws,
}

fn all_men() -> u32 {
    MAX_MEN
}

/// Tables that cannot be used.
#[derive(Debug, Error, Diagnostic)]
pub enum EndingsError {
    /// A folder or a file is not what it should be.
    #[error(transparent)]
    #[diagnostic(help("--tb wants folders of Syzygy tables (*.rtbw), with `:` between them"))]
    Unusable(#[from] TablebaseError),
    /// The folders hold none.
    #[error("there are no endgame tables in {0}")]
    #[diagnostic(help(
        "Syzygy tables are files such as KQvK.rtbw; see https://syzygy-tables.info"
    ))]
    None(String),
    /// A table turned out to be damaged in a game.
    #[error("an endgame table is damaged: {0}")]
    #[diagnostic(help(
        "put a good copy in its place, then `harness resume last` goes on; finished games are kept"
    ))]
    Damaged(String),
}

/// Endgame tables that decide games.
pub struct Endings {
    tables: Tablebases,
    rule: TableRule,
}

impl Endings {
    /// Opens the tables of a rule.
    ///
    /// # Errors
    /// When there are none, or one cannot be used.
    pub fn open(rule: &TableRule) -> Result<Endings, EndingsError> {
        let (tables, errors) = Tablebases::open(&rule.folders);
        if let Some(error) = errors.into_iter().next() {
            return Err(error.into());
        }
        if tables.count() == 0 {
            return Err(EndingsError::None(rule.folders.clone()));
        }
        Ok(Endings { tables, rule: rule.clone() })
    }

    /// The result of a position with best play, as far as it can be told: right after a capture or
    /// pawn move, unless the fifty-move rule is ignored.
    pub fn verdict(&self, position: &Chess) -> Option<GameScore> {
        let men = position.board().occupied().count() as u32;
        if men > self.rule.men.min(self.tables.max_men())
            || (position.halfmoves() > 0 && !self.rule.ignore_fifty_moves)
        {
            return None;
        }
        let (side, ignored) = (position.turn(), self.rule.ignore_fifty_moves);
        let result = match self.tables.probe_wdl_of(position)? {
            Wdl::Win => GameScore::won_by(side),
            Wdl::Loss => GameScore::won_by(!side),
            Wdl::CursedWin if ignored => GameScore::won_by(side),
            Wdl::BlessedLoss if ignored => GameScore::won_by(!side),
            Wdl::CursedWin | Wdl::BlessedLoss | Wdl::Draw => GameScore::Draw,
        };
        let ends_game = match self.rule.results {
            TableResults::All => true,
            TableResults::Wins => result != GameScore::Draw,
            TableResults::Draws => result == GameScore::Draw,
        };
        ends_game.then_some(result)
    }

    /// Tells of the first damaged table, once.
    ///
    /// # Errors
    /// When one was found since it was last asked.
    pub fn check(&self) -> Result<(), EndingsError> {
        match self.tables.damage() {
            Some(damage) => Err(EndingsError::Damaged(damage.to_owned())),
            None => Ok(()),
        }
    }
}

/// The folders of a list, each from the root of the file system: a run may be resumed from another
/// folder.
pub fn absolute(folders: &str) -> String {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folders: Vec<_> = std::env::split_paths(folders).map(|path| absolute(&path)).collect();
    std::env::join_paths(folders)
        .map_or_else(|_| String::new(), |joined| joined.to_string_lossy().into_owned())
}

#[cfg(test)]
#[path = "../../../engine/tests/tablebases/mod.rs"]
mod tables;

#[cfg(test)]
mod tests {
    use std::fs;

    use shakmaty::CastlingMode;
    use shakmaty::fen::Fen;

    use super::*;

    fn position(fen: &str) -> Chess {
        let fen: Fen = fen.parse().expect("valid");
        fen.into_position(CastlingMode::Standard).expect("legal")
    }

    fn rule_of(folders: String) -> TableRule {
        let results = TableResults::All;
        TableRule { folders, men: MAX_MEN, ignore_fifty_moves: false, results }
    }

    #[test]
    fn tables_decide_right_after_a_capture_or_pawn_move_and_within_their_men() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        tables::write_all(folder.path());
        let folders = folder.path().display().to_string();
        let rule = rule_of(folders);
        let always = TableRule { ignore_fifty_moves: true, ..rule.clone() };
        let fewer = TableRule { men: 2, ..rule.clone() };
        let wins = TableRule { results: TableResults::Wins, ..rule.clone() };
        let draws = TableRule { results: TableResults::Draws, ..rule.clone() };
        let verdict = |rule: &TableRule, fen| {
            let endings = Endings::open(rule).expect("tables");
            let verdict = endings.verdict(&position(fen));
            endings.check().expect("no damage");
            verdict
        };
        let (white, black) = (GameScore::Win, GameScore::Loss);
        for (fen, expected) in [
            ("8/8/8/4k3/8/8/8/KQ6 w - - 0 1", Some(white)),
            ("8/8/8/4k3/8/8/8/KQ6 b - - 0 1", Some(white)),
            ("8/8/8/4K3/8/8/8/kr6 w - - 0 1", Some(black)),
            ("8/8/8/8/8/1k6/2Q5/K7 b - - 0 1", Some(GameScore::Draw)),
            ("8/8/8/4k3/8/8/8/KQ6 w - - 3 9", None),
            ("8/8/8/4k3/8/8/8/KQQ5 w - - 0 1", None),
            ("8/8/8/4k3/8/8/8/KB6 w - - 0 1", None),
        ] {
            assert_eq!(verdict(&rule, fen), expected, "{fen}");
        }
        assert_eq!(verdict(&always, "8/8/8/4k3/8/8/8/KQ6 w - - 3 9"), Some(white));
        assert_eq!(verdict(&fewer, "8/8/8/4k3/8/8/8/KQ6 w - - 0 1"), None);
        let (won, drawn) = ("8/8/8/4k3/8/8/8/KQ6 w - - 0 1", "8/8/8/8/8/1k6/2Q5/K7 b - - 0 1");
        assert_eq!([verdict(&wins, won), verdict(&wins, drawn)], [Some(white), None]);
        assert_eq!([verdict(&draws, won), verdict(&draws, drawn)], [None, Some(GameScore::Draw)]);
    }

    #[test]
    fn tables_that_are_missing_or_damaged_are_told() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let folders = folder.path().display().to_string();
        let rule = rule_of(folders);
        assert!(matches!(Endings::open(&rule), Err(EndingsError::None(_))));
        let nowhere = TableRule { folders: "/no/such/folder".to_owned(), ..rule.clone() };
        assert!(matches!(Endings::open(&nowhere), Err(EndingsError::Unusable(_))));
        fs::write(folder.path().join("KQvK.rtbw"), [0; 16]).expect("writable");
        let endings = Endings::open(&rule).expect("it looks like a table");
        assert_eq!(endings.verdict(&position("8/8/8/4k3/8/8/8/KQ6 w - - 0 1")), None);
        assert!(matches!(endings.check(), Err(EndingsError::Damaged(_))));
    }
}
